/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Known answers: every variant of every primitive, through every format it
 * serves, before a single byte goes out.
 */
#ifndef SRND_SELFTEST_H
#define SRND_SELFTEST_H

#include "core/backend.h"

/*
 * Tests the portable rows, then the rows in @rows (by primitive, bit i: row i).
 * Those that fail are logged by name and dropped from @rows. 0, -ENOMEM, or
 * -EIO when a portable row failed: then nothing can be trusted.
 */
int srnd_selftest_rows(u32 rows[SRND_PRIMITIVES]);

/* At load: picks the first passing row of each primitive for srnd_engine. */
int srnd_selftest_choose(u32 rows[SRND_PRIMITIVES]);

/* Again, all rows in use at load: 0, -ENOMEM or -EIO. */
int srnd_selftest_run(void);

/* The last verdict. */
bool srnd_selftest_passed(void);

#endif
