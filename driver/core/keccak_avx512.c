// SPDX-License-Identifier: GPL-2.0
/*
 * Eight states in 512-bit registers, which the processor rotates and combines
 * three at a time: 25 lanes and 7 temporaries are exactly what it has.
 */
#include "intrinsics_x86.h"
#include "keccak.h"

typedef __m512i lane_t;

#define LANE_WAYS 8
#define LANE_BURN 768
#define LANE_SET(x) _mm512_set1_epi64(x)
#define LANE_INDEX(i)							\
	_mm512_add_epi64(LANE_SET(i), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))
#define LANE_SHL(a, n) _mm512_slli_epi64(a, n)
#define LANE_SHR(a, n) _mm512_srli_epi64(a, n)
#define LANE_XOR(a, b) _mm512_xor_si512(a, b)
#define LANE_XOR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define LANE_XOR5(a, b, c, d, e) LANE_XOR3(LANE_XOR3(a, b, c), d, e)
#define LANE_RAX(a, b) LANE_XOR(a, _mm512_rol_epi64(b, 1))
#define LANE_XAR(a, b, n) _mm512_rol_epi64(LANE_XOR(a, b), n)
#define LANE_CHI(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xd2)

/*
 * Of four vectors of 128-bit pairs of lanes, those of states s, s + 2, s + 4
 * and s + 6: each state's pairs side by side.
 */
static __always_inline void store_states(lane_t p01, lane_t p23, lane_t p45,
					 lane_t p67, u8 *out, size_t n,
					 unsigned int s, __mmask8 lanes)
{
	lane_t front = _mm512_shuffle_i64x2(p01, p23, 0x44);
	lane_t back = _mm512_shuffle_i64x2(p45, p67, 0x44);

	out += s * SRND_SECTOR;
	if (n > s)
		_mm512_mask_storeu_epi64(
			out, lanes, _mm512_shuffle_i64x2(front, back, 0x88));
	if (n > s + 2)
		_mm512_mask_storeu_epi64(
			out + 2 * SRND_SECTOR, lanes,
			_mm512_shuffle_i64x2(front, back, 0xdd));
	front = _mm512_shuffle_i64x2(p01, p23, 0xee);
	back = _mm512_shuffle_i64x2(p45, p67, 0xee);
	if (n > s + 4)
		_mm512_mask_storeu_epi64(
			out + 4 * SRND_SECTOR, lanes,
			_mm512_shuffle_i64x2(front, back, 0x88));
	if (n > s + 6)
		_mm512_mask_storeu_epi64(
			out + 6 * SRND_SECTOR, lanes,
			_mm512_shuffle_i64x2(front, back, 0xdd));
}

static __always_inline void store_eight(const lane_t *a, u8 *out, size_t n,
					__mmask8 lanes)
{
	store_states(_mm512_unpacklo_epi64(a[0], a[1]),
		     _mm512_unpacklo_epi64(a[2], a[3]),
		     _mm512_unpacklo_epi64(a[4], a[5]),
		     _mm512_unpacklo_epi64(a[6], a[7]), out, n, 0, lanes);
	store_states(_mm512_unpackhi_epi64(a[0], a[1]),
		     _mm512_unpackhi_epi64(a[2], a[3]),
		     _mm512_unpackhi_epi64(a[4], a[5]),
		     _mm512_unpackhi_epi64(a[6], a[7]), out, n, 1, lanes);
}

/* One lane of each of @n states, by the processor's scatter. */
static __always_inline void store_one(lane_t a, u8 *out, size_t n)
{
	const lane_t offsets = _mm512_mullo_epi64(LANE_INDEX(0),
						  LANE_SET(SRND_SECTOR));

	_mm512_mask_i64scatter_epi64(out, 0xff >> (8 - n), offsets, a, 1);
}

static __always_inline void store_lanes(const lane_t a[SRND_KECCAK_LANES],
					u8 *out, size_t n, unsigned int lanes)
{
	store_eight(a, out, n, 0xff);
	if (lanes == 13) {
		store_eight(a + 8, out + 64, n, 0x1f);
	} else {
		store_eight(a + 8, out + 64, n, 0xff);
		store_one(a[16], out + 128, n);
	}
}

#include "keccak_sectors.h"

void srnd_sectors_avx512(const u64 block[SRND_KECCAK_LANES], u64 first, u8 *out,
			 size_t sectors)
{
	all_sectors(block, first, out, sectors);
}
