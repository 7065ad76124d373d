// SPDX-License-Identifier: GPL-2.0
/*
 * Four states in 256-bit registers. AVX2 cannot rotate, and holds 16 of the 25
 * lanes: the state lives on the stack, in place.
 */
#include "keccak_ymm.h"

#define LANE_BURN 1024
#define LANE_XOR5(a, b, c, d, e)					\
	LANE_XOR(LANE_XOR(LANE_XOR(LANE_XOR(a, b), c), d), e)
#define LANE_ROL(a, n)							\
	_mm256_or_si256(LANE_SHL(a, n), LANE_SHR(a, 64 - (n)))
/* Shifts are scarcer than additions. */
#define LANE_RAX(a, b)							\
	LANE_XOR(a, _mm256_or_si256(_mm256_add_epi64(b, b), LANE_SHR(b, 63)))
#define LANE_XAR(a, b, n) rotate(LANE_XOR(a, b), n)
#define LANE_CHI(a, b, c) LANE_XOR(a, _mm256_andnot_si256(b, c))

static __always_inline lane_t rotate(lane_t a, int n)
{
	return LANE_ROL(a, n);
}

#include "keccak_sectors.h"

void srnd_sectors_avx2(const u64 block[SRND_KECCAK_LANES], u64 first, u8 *out,
		       size_t sectors)
{
	all_sectors(block, first, out, sectors);
}
