/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the variants with four states in 256-bit registers share: all of AVX2
 * that does not depend on how they rotate.
 */
#ifndef SRND_KECCAK_YMM_H
#define SRND_KECCAK_YMM_H

#include "intrinsics_x86.h"
#include "keccak.h"

typedef __m256i lane_t;

#define LANE_WAYS 4
#define LANE_SET(x) _mm256_set1_epi64x(x)
#define LANE_INDEX(i)							\
	_mm256_add_epi64(LANE_SET(i), _mm256_setr_epi64x(0, 1, 2, 3))
#define LANE_SHL(a, n) _mm256_slli_epi64(a, n)
#define LANE_SHR(a, n) _mm256_srli_epi64(a, n)
#define LANE_XOR(a, b) _mm256_xor_si256(a, b)

static __always_inline void store_pairs(lane_t front, lane_t back, u8 *out,
					size_t n, unsigned int s)
{
	out += s * SRND_SECTOR;
	if (n > s)
		_mm256_storeu_si256(
			(lane_t *)out,
			_mm256_permute2x128_si256(front, back, 0x20));
	if (n > s + 2)
		_mm256_storeu_si256(
			(lane_t *)(out + 2 * SRND_SECTOR),
			_mm256_permute2x128_si256(front, back, 0x31));
}

static __always_inline void store_four(const lane_t *a, u8 *out, size_t n)
{
	store_pairs(_mm256_unpacklo_epi64(a[0], a[1]),
		    _mm256_unpacklo_epi64(a[2], a[3]), out, n, 0);
	store_pairs(_mm256_unpackhi_epi64(a[0], a[1]),
		    _mm256_unpackhi_epi64(a[2], a[3]), out, n, 1);
}

static __always_inline void store_one(lane_t a, u8 *out, size_t n)
{
	__m128i front = _mm256_castsi256_si128(a);
	__m128i back = _mm256_extracti128_si256(a, 1);

	_mm_storeu_si64(out, front);
	if (n > 1)
		_mm_storeu_si64(out + SRND_SECTOR,
				_mm_unpackhi_epi64(front, front));
	if (n > 2)
		_mm_storeu_si64(out + 2 * SRND_SECTOR, back);
	if (n > 3)
		_mm_storeu_si64(out + 3 * SRND_SECTOR,
				_mm_unpackhi_epi64(back, back));
}

static __always_inline void store_lanes(const lane_t a[SRND_KECCAK_LANES],
					u8 *out, size_t n, unsigned int lanes)
{
	store_four(a, out, n);
	store_four(a + 4, out + 32, n);
	store_four(a + 8, out + 64, n);
	if (lanes == 13) {
		store_one(a[12], out + 96, n);
	} else {
		store_four(a + 12, out + 96, n);
		store_one(a[16], out + 128, n);
	}
}

#endif
