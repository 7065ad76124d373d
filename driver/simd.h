/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guard around vector code. Between begin and end: no sleep, no lock, no
 * user memory, at most a row's section of output.
 */
#ifndef SRND_SIMD_H
#define SRND_SIMD_H

#include "compat.h"

/*
 * begin is false if the vector unit cannot be used here: take the portable
 * rows. @s lives on the stack from a true begin to its end.
 */
#if defined(CONFIG_X86_64)
#include <asm/fpu/api.h>

static inline bool srnd_simd_begin(struct srnd_simd *s)
{
	if (!irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

static inline void srnd_simd_end(struct srnd_simd *s)
{
	kernel_fpu_end();
}

#elif defined(CONFIG_ARM64)
#include <asm/neon.h>
#include <asm/simd.h>

static inline bool srnd_simd_begin(struct srnd_simd *s)
{
	if (!may_use_simd())
		return false;
	srnd_neon_begin(s);
	return true;
}

static inline void srnd_simd_end(struct srnd_simd *s)
{
	srnd_neon_end(s);
}

#else

static inline bool srnd_simd_begin(struct srnd_simd *s)
{
	return false;
}

static inline void srnd_simd_end(struct srnd_simd *s)
{
}

#endif

#endif
