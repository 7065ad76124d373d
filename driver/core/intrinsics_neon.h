/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler's NEON intrinsics. After the kernel's types: the compiler's own
 * <stdint.h>, which comes along, gives way to what is defined already.
 */
#ifndef SRND_INTRINSICS_NEON_H
#define SRND_INTRINSICS_NEON_H

#include "portable.h"

#ifdef __KERNEL__
#include <asm/neon-intrinsics.h>
#else
#include <arm_neon.h>
#endif

#endif
