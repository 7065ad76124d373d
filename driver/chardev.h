/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRND_CHARDEV_H
#define SRND_CHARDEV_H

#include "pool.h"

struct attribute_group;

/*
 * The node, /dev/shakerandom. From create on it can be opened, so it comes
 * last and goes first. @generator: what a fresh file reads from; @groups: its
 * attributes in sysfs.
 */
int srnd_chardev_create(enum srnd_generator generator,
			const struct attribute_group **groups);
void srnd_chardev_destroy(void);

/* Whether SEED is served (module parameter allow_seeding, writable by root). */
extern bool srnd_allow_seeding;

#endif
