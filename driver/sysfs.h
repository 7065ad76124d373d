/* SPDX-License-Identifier: GPL-2.0 */
/* Read-only attributes in /sys/class/misc/shakerandom, one value a file. */
#ifndef SRND_SYSFS_H
#define SRND_SYSFS_H

struct attribute_group;

extern const struct attribute_group *srnd_sysfs_groups[];

/* What the attribute "algorithm" shows; set before the device appears. */
extern const char *srnd_sysfs_algorithm;

#endif
