/* SPDX-License-Identifier: GPL-2.0 */
/* The compiler's NEON intrinsics, on the kernel's integer types in the kernel. */
#ifndef SRND_INTRINSICS_NEON_H
#define SRND_INTRINSICS_NEON_H

#ifdef __KERNEL__
#include <asm/neon-intrinsics.h>
#else
#include <arm_neon.h>
#endif

#endif
