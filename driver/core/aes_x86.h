/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the x86 variants share: the first round of a window of blocks.
 *
 * Blocks whose counters differ in nothing but the low byte leave the first
 * round with one column different, column 0. So a window of up to 256 blocks
 * computes the other three columns once, and one AESENC gives column 0 of four
 * blocks: each column of its input is what makes column 0, with a counter of
 * its own.
 */
#ifndef SRND_AES_X86_H
#define SRND_AES_X86_H

#include "aes.h"
#include "intrinsics_x86.h"

struct srnd_aes_window {
	__m128i fixed;		/* after the first round: columns 1 to 3 */
	__m128i pattern;	/* input of column 0 in every column */
	__m128i key;		/* its round key in every column */
	__m128i mask;		/* where the low byte goes in, by column */
	__m128i places;		/* there: the column's number */
};

static __always_inline void
srnd_aes_window_open(struct srnd_aes_window *w, const struct srnd_aes_key *key,
		     const struct srnd_aes_counter *c)
{
	const __m128i *rk = (const __m128i *)key->round_keys;
	__m128i s = _mm_set_epi64x((long long)c->hi,
				   (long long)(c->lo & ~(u64)0xff));

	w->mask = _mm_set1_epi32(0xff);
	w->places = _mm_set_epi32(3, 2, 1, 0);
	if (!c->little_endian) {
		s = _mm_shuffle_epi8(s, _mm_set_epi64x(0x0001020304050607,
						       0x08090a0b0c0d0e0f));
		/* Row 3 here, which ShiftRows turns by one column. */
		w->mask = _mm_slli_epi32(w->mask, 24);
		w->places = _mm_set_epi32(0, 3 << 24, 2 << 24, 1 << 24);
	}
	s = _mm_xor_si128(s, rk[0]);
	w->fixed = _mm_aesenc_si128(s, rk[1]);
	w->pattern = _mm_shuffle_epi8(s, _mm_set1_epi32(0x0f0a0500));
	w->key = _mm_shuffle_epi32(rk[1], 0);
}

#endif
