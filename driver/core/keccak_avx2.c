// SPDX-License-Identifier: GPL-2.0
/*
 * Four states in 256-bit registers. AVX2 cannot rotate, and holds 16 of the 25
 * lanes: the state lives on the stack, in place.
 */
#include "keccak_ymm.h"

#define LANE_RUNNING_SUMS
#define LANE_BURN 1280
#define LANE_XOR5(a, b, c, d, e)					\
	LANE_XOR(LANE_XOR(LANE_XOR(LANE_XOR(a, b), c), d), e)
#define LANE_RAX(a, b) LANE_XOR(a, rotate(b, 1))
#define LANE_XAR(a, b, n) rotate(LANE_XOR(a, b), n)
#define LANE_CHI(a, b, c) LANE_XOR(a, _mm256_andnot_si256(b, c))

#define BYTES(...)							\
	_mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))

/* Shifts are scarce: an addition or a shuffle where it does the same. */
static __always_inline lane_t rotate(lane_t a, const int n)
{
	if (n == 8)
		return _mm256_shuffle_epi8(a, BYTES(7, 0, 1, 2, 3, 4, 5, 6, 15,
						    8, 9, 10, 11, 12, 13, 14));
	if (n == 56)
		return _mm256_shuffle_epi8(a, BYTES(1, 2, 3, 4, 5, 6, 7, 0, 9,
						    10, 11, 12, 13, 14, 15, 8));
	return _mm256_or_si256(n == 1 ? _mm256_add_epi64(a, a) :
					LANE_SHL(a, n), LANE_SHR(a, 64 - n));
}

#include "keccak_sectors.h"

void srnd_sectors_avx2(const u64 block[SRND_KECCAK_LANES], u64 first, u8 *out,
		       size_t sectors)
{
	all_sectors(block, first, out, sectors);
}
