/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guard around vector code. Between begin and end: no sleep, no lock, no
 * user memory, at most SRND_SIMD_BYTES of output.
 */
#ifndef SRND_SIMD_H
#define SRND_SIMD_H

#include <linux/types.h>

#define SRND_SIMD_BYTES 4096

/* False if the vector unit cannot be used here: take the portable rows. */
static inline bool srnd_simd_begin(void)
{
	return false;
}

static inline void srnd_simd_end(void)
{
}

#endif
