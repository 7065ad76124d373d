/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the variants with two states in 128-bit registers share: all that does
 * not depend on how they rotate. 25 lanes and 7 temporaries are exactly the
 * registers there are.
 */
#ifndef SRND_KECCAK_NEON_H
#define SRND_KECCAK_NEON_H

#include "intrinsics_neon.h"
#include "keccak.h"

#ifdef __AARCH64EB__
#error "Output is stored as lanes lie in registers: little-endian only."
#endif

typedef uint64x2_t lane_t;

#define LANE_WAYS 2
#define LANE_BURN 512
#define LANE_SET(x) vdupq_n_u64(x)
#define LANE_INDEX(i) vcombine_u64(vcreate_u64(i), vcreate_u64((i) + 1))
#define LANE_SHL(a, n) vshlq_n_u64(a, n)
#define LANE_SHR(a, n) vshrq_n_u64(a, n)
#define LANE_XOR(a, b) veorq_u64(a, b)

/* As bytes, which need no alignment. */
#define STORE_PAIR(p, pair) vst1q_u8(p, vreinterpretq_u8_u64(pair))
#define STORE_LANE(p, lane) vst1_u8(p, vreinterpret_u8_u64(lane))

static __always_inline void store_two(const lane_t *a, u8 *out, size_t n)
{
	STORE_PAIR(out, vzip1q_u64(a[0], a[1]));
	if (n > 1)
		STORE_PAIR(out + SRND_SECTOR, vzip2q_u64(a[0], a[1]));
}

static __always_inline void store_one(lane_t a, u8 *out, size_t n)
{
	STORE_LANE(out, vget_low_u64(a));
	if (n > 1)
		STORE_LANE(out + SRND_SECTOR, vget_high_u64(a));
}

static __always_inline void store_lanes(const lane_t a[SRND_KECCAK_LANES],
					u8 *out, size_t n, unsigned int lanes)
{
	store_two(a, out, n);
	store_two(a + 2, out + 16, n);
	store_two(a + 4, out + 32, n);
	store_two(a + 6, out + 48, n);
	store_two(a + 8, out + 64, n);
	store_two(a + 10, out + 80, n);
	if (lanes == 13) {
		store_one(a[12], out + 96, n);
	} else {
		store_two(a + 12, out + 96, n);
		store_two(a + 14, out + 112, n);
		store_one(a[16], out + 128, n);
	}
}

#endif
