/* SPDX-License-Identifier: GPL-2.0 */
/* The suites that need a kernel; those of the core are in cases.h. */
#ifndef SRND_SUITES_H
#define SRND_SUITES_H

#include "cases.h"

/* For suite_init: chooses backends and sets the pool up, once. */
int srnd_suites_prepare(void);

/* With bench=1: measures, and logs the results. 0 or -ENOMEM. */
int srnd_bench_run(void);

#endif
