// SPDX-License-Identifier: GPL-2.0
/* Needs AES-NI and SSE4.1, nothing of AVX. */
#include "aes_x86.h"

/* Blocks in flight: enough to hide the latency, few enough not to spill. */
#ifdef __x86_64__
#define LANES 8
#else
#define LANES 4
#endif

struct state {
	__m128i fixed, pattern, key, at, step;
	__m128i column[LANES / 4];	/* of the group to come */
};

/* A group early, so that nothing waits for it. */
static __always_inline void next_columns(struct state *s)
{
	__m128i in;
	int i;

#pragma GCC unroll 2
	for (i = 0; i < LANES / 4; i++) {
		in = _mm_xor_si128(s->pattern, s->at);
		s->column[i] = _mm_aesenc_si128(in, s->key);
		s->at = _mm_add_epi8(s->at, s->step);
	}
}

static __always_inline void start(struct state *s,
				  const struct srnd_aes_key *key,
				  const struct srnd_aes_counter *counter)
{
	const __m128i low = _mm_set1_epi8((char)counter->lo);
	struct srnd_aes_window w;

	srnd_aes_window_open(&w, key, counter);
	s->fixed = w.fixed;
	s->pattern = w.pattern;
	s->key = w.key;
	s->at = _mm_and_si128(_mm_add_epi8(low, w.places), w.mask);
	s->step = _mm_and_si128(_mm_set1_epi8(4), w.mask);
	next_columns(s);
}

/* @column of @c to column 0. */
#define FIRST(s, c, column)						\
	_mm_castps_si128(_mm_insert_ps(_mm_castsi128_ps((s)->fixed),	\
				       _mm_castsi128_ps(c), (column) << 6))

static __always_inline void encrypt(__m128i b[LANES], struct state *s,
				    const __m128i *rk, u32 rounds)
{
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
	for (r = 2; r < rounds; r++)
#pragma GCC unroll 8
		for (i = 0; i < LANES; i++)
			b[i] = _mm_aesenc_si128(b[i], rk[r]);
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		b[i] = _mm_aesenclast_si128(b[i], rk[rounds]);
}

static __always_inline void store(u8 *out, __m128i b[LANES], size_t blocks)
{
	size_t i;

	/* Or gcc moves the rounds of each block into its branch below. */
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		__asm__ __volatile__("" : "+x"(b[i]));
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		if (i < blocks)
			_mm_storeu_si128((__m128i *)out + i, b[i]);
}

static __always_inline void window(const struct srnd_aes_key *key,
				   const struct srnd_aes_counter *counter,
				   u8 *out, size_t blocks, u32 rounds)
{
	const __m128i *rk = (const __m128i *)key->round_keys;
	__m128i b[LANES];
	struct state s;

	start(&s, key, counter);
	for (; blocks >= LANES; blocks -= LANES) {
		encrypt(b, &s, rk, rounds);
		store(out, b, LANES);
		out += LANES * SRND_AES_BLOCK;
	}
	if (blocks) {
		encrypt(b, &s, rk, rounds);
		store(out, b, blocks);
	}
}

static __always_inline void wipe_registers(void)
{
#define ZERO(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
	__asm__ __volatile__(ZERO(0) ZERO(1) ZERO(2) ZERO(3)
			     ZERO(4) ZERO(5) ZERO(6) ZERO(7)
			     : : : "xmm0", "xmm1", "xmm2", "xmm3",
				   "xmm4", "xmm5", "xmm6", "xmm7", "memory");
#ifdef __x86_64__
	__asm__ __volatile__(ZERO(8) ZERO(9) ZERO(10) ZERO(11)
			     ZERO(12) ZERO(13) ZERO(14) ZERO(15)
			     : : : "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
				   "xmm13", "xmm14", "xmm15", "memory");
#endif
#undef ZERO
}

void srnd_aes_aesni(const struct srnd_aes_key *key,
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
	wipe_registers();
}

static __always_inline u32 sub_word(u32 x)
{
	__m128i v = _mm_set1_epi32((int)x);

	return (u32)_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(v, 0));
}

void srnd_aes_expand_aesni(struct srnd_aes_key *key, const u8 *raw, size_t len)
{
	srnd_aes_expand_with(key, raw, len, sub_word);
}
