// SPDX-License-Identifier: GPL-2.0
/* Needs VAES and AVX2, nothing of AVX-512. A vector holds two blocks. */
#include "aes_x86.h"

/* Vectors in flight: enough to hide the latency, few enough not to spill. */
#ifdef __x86_64__
#define LANES 8
#else
#define LANES 4
#endif
#define GROUP (2 * LANES)	/* blocks */

struct state {
	__m256i fixed, pattern, key, at, step;
	__m256i column[LANES / 4];	/* of the group to come */
};

/* A group early, so that nothing waits for it. */
static __always_inline void next_columns(struct state *s)
{
	__m256i in;
	int i;

#pragma GCC unroll 2
	for (i = 0; i < LANES / 4; i++) {
		in = _mm256_xor_si256(s->pattern, s->at);
		s->column[i] = _mm256_aesenc_epi128(in, s->key);
		s->at = _mm256_add_epi8(s->at, s->step);
	}
}

static __always_inline void start(struct state *s,
				  const struct srnd_aes_key *key,
				  const struct srnd_aes_counter *counter)
{
	const __m256i low = _mm256_set1_epi8((char)counter->lo);
	const __m256i halves = _mm256_set_epi64x(0x0101010101010101,
						 0x0101010101010101, 0, 0);
	struct srnd_aes_window w;
	__m256i at, mask;

	srnd_aes_window_open(&w, key, counter);
	s->fixed = _mm256_broadcastsi128_si256(w.fixed);
	s->pattern = _mm256_broadcastsi128_si256(w.pattern);
	s->key = _mm256_broadcastsi128_si256(w.key);
	mask = _mm256_broadcastsi128_si256(w.mask);
	at = _mm256_slli_epi32(_mm256_broadcastsi128_si256(w.places), 1);
	at = _mm256_add_epi8(_mm256_add_epi8(at, halves), low);
	s->at = _mm256_and_si256(at, mask);
	s->step = _mm256_and_si256(_mm256_set1_epi8(8), mask);
	next_columns(s);
}

/* @column of @c to column 0. */
#define FIRST(s, c, column)						\
	_mm256_blend_epi32((s)->fixed,					\
			   _mm256_shuffle_epi32(c, column), 0x11)

static __always_inline __m256i round_key(const __m128i *k)
{
	return _mm256_broadcastsi128_si256(*k);
}

static __always_inline void encrypt(__m256i b[LANES], struct state *s,
				    const __m128i *rk, u32 rounds)
{
	__m256i k;
	u32 r;
	int i;

	/* Or gcc keeps two copies, and one of them on the stack. */
	__asm__ __volatile__("" : "+x"(s->fixed));
#pragma GCC unroll 2
	for (i = 0; i < LANES / 4; i++) {
		b[4 * i] = FIRST(s, s->column[i], 0);
		b[4 * i + 1] = FIRST(s, s->column[i], 1);
		b[4 * i + 2] = FIRST(s, s->column[i], 2);
		b[4 * i + 3] = FIRST(s, s->column[i], 3);
	}
	next_columns(s);
#pragma GCC unroll 16
	for (r = 2; r < rounds; r++) {
		k = round_key(&rk[r]);
#pragma GCC unroll 8
		for (i = 0; i < LANES; i++)
			b[i] = _mm256_aesenc_epi128(b[i], k);
	}
	k = round_key(&rk[rounds]);
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		b[i] = _mm256_aesenclast_epi128(b[i], k);
}

static __always_inline void store(u8 *out, __m256i b[LANES], size_t blocks)
{
	size_t i;

	/* Or gcc moves the rounds of each block into its branch below. */
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		__asm__ __volatile__("" : "+x"(b[i]));
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++) {
		if (blocks >= 2 * i + 2)
			_mm256_storeu_si256((__m256i *)out + i, b[i]);
		else if (blocks > 2 * i)
			_mm_storeu_si128((__m128i *)out + 2 * i,
					 _mm256_castsi256_si128(b[i]));
	}
}

static __always_inline void window(const struct srnd_aes_key *key,
				   const struct srnd_aes_counter *counter,
				   u8 *out, size_t blocks, u32 rounds)
{
	const __m128i *rk = (const __m128i *)key->round_keys;
	__m256i b[LANES];
	struct state s;

	start(&s, key, counter);
	for (; blocks >= GROUP; blocks -= GROUP) {
		encrypt(b, &s, rk, rounds);
		store(out, b, GROUP);
		out += GROUP * SRND_AES_BLOCK;
	}
	if (blocks) {
		encrypt(b, &s, rk, rounds);
		store(out, b, blocks);
	}
}

void srnd_aes_vaes256(const struct srnd_aes_key *key,
		      struct srnd_aes_counter *counter, u8 *out, size_t blocks)
{
	while (blocks) {
		size_t n = srnd_aes_counter_window(counter, blocks);

		if (key->rounds == 14)
			window(key, counter, out, n, 14);
		else
			window(key, counter, out, n, 10);
		srnd_aes_counter_add(counter, n);
		out += n * SRND_AES_BLOCK;
		blocks -= n;
	}
	/* All of them: they held key and output. */
	_mm256_zeroall();
}
