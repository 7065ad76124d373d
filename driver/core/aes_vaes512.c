// SPDX-License-Identifier: GPL-2.0
/* Needs VAES and AVX-512 (F, VL, BW and DQ). A vector holds four blocks. */
#include "aes_x86.h"

/* Vectors in flight: enough to hide the latency, few enough not to spill. */
#ifdef __x86_64__
#define LANES 8
#else
#define LANES 4
#endif
#define GROUP (4 * LANES)	/* blocks */

struct state {
	__m512i fixed, pattern, key, at, step;
	__m512i column[LANES / 4];	/* of the group to come */
};

/* A group early, so that nothing waits for it. */
static __always_inline void next_columns(struct state *s)
{
	__m512i in;
	int i;

#pragma GCC unroll 2
	for (i = 0; i < LANES / 4; i++) {
		in = _mm512_xor_si512(s->pattern, s->at);
		s->column[i] = _mm512_aesenc_epi128(in, s->key);
		s->at = _mm512_add_epi8(s->at, s->step);
	}
}

static __always_inline void start(struct state *s,
				  const struct srnd_aes_key *key,
				  const struct srnd_aes_counter *counter)
{
	const __m512i low = _mm512_set1_epi8((char)counter->lo);
	const __m512i quarters =
		_mm512_set_epi64(0x0303030303030303, 0x0303030303030303,
				 0x0202020202020202, 0x0202020202020202,
				 0x0101010101010101, 0x0101010101010101, 0, 0);
	struct srnd_aes_window w;
	__m512i at, mask;

	srnd_aes_window_open(&w, key, counter);
	s->fixed = _mm512_broadcast_i32x4(w.fixed);
	s->pattern = _mm512_broadcast_i32x4(w.pattern);
	s->key = _mm512_broadcast_i32x4(w.key);
	mask = _mm512_broadcast_i32x4(w.mask);
	at = _mm512_slli_epi32(_mm512_broadcast_i32x4(w.places), 2);
	at = _mm512_add_epi8(_mm512_add_epi8(at, quarters), low);
	s->at = _mm512_and_si512(at, mask);
	s->step = _mm512_and_si512(_mm512_set1_epi8(16), mask);
	next_columns(s);
}

/* @column of @c to column 0. */
#define FIRST(s, c, column)						\
	_mm512_mask_shuffle_epi32((s)->fixed, 0x1111, c,		\
				  (_MM_PERM_ENUM)(column))

static __always_inline __m512i round_key(const __m128i *k)
{
	return _mm512_broadcast_i32x4(*k);
}

static __always_inline void encrypt(__m512i b[LANES], struct state *s,
				    const __m128i *rk, u32 rounds)
{
	__m512i k;
	u32 r;
	int i;

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
			b[i] = _mm512_aesenc_epi128(b[i], k);
	}
	k = round_key(&rk[rounds]);
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		b[i] = _mm512_aesenclast_epi128(b[i], k);
}

static __always_inline void store(u8 *out, const __m512i b[LANES])
{
	int i;

#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		_mm512_storeu_si512(out + 64 * i, b[i]);
}

/* Fewer than a group. */
static __always_inline void store_some(u8 *out, const __m512i b[LANES],
				       size_t blocks)
{
	u64 mask = ((u64)1 << 2 * blocks) - 1;	/* a bit for eight bytes */
	int i;

#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		_mm512_mask_storeu_epi64(out + 64 * i, (u8)(mask >> 8 * i),
					 b[i]);
}

static __always_inline void window(const struct srnd_aes_key *key,
				   const struct srnd_aes_counter *counter,
				   u8 *out, size_t blocks, u32 rounds)
{
	const __m128i *rk = (const __m128i *)key->round_keys;
	__m512i b[LANES];
	struct state s;

	start(&s, key, counter);
	for (; blocks >= GROUP; blocks -= GROUP) {
		encrypt(b, &s, rk, rounds);
		store(out, b);
		out += GROUP * SRND_AES_BLOCK;
	}
	if (blocks) {
		encrypt(b, &s, rk, rounds);
		store_some(out, b, blocks);
	}
}

static __always_inline void wipe_registers(void)
{
	_mm256_zeroall();
#ifdef __x86_64__
#define ZERO(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
	__asm__ __volatile__(ZERO(16) ZERO(17) ZERO(18) ZERO(19)
			     ZERO(20) ZERO(21) ZERO(22) ZERO(23)
			     ZERO(24) ZERO(25) ZERO(26) ZERO(27)
			     ZERO(28) ZERO(29) ZERO(30) ZERO(31)
			     : : : "xmm16", "xmm17", "xmm18", "xmm19",
				   "xmm20", "xmm21", "xmm22", "xmm23",
				   "xmm24", "xmm25", "xmm26", "xmm27",
				   "xmm28", "xmm29", "xmm30", "xmm31",
				   "memory");
#undef ZERO
#endif
}

void srnd_aes_vaes512(const struct srnd_aes_key *key,
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
