// SPDX-License-Identifier: GPL-2.0
/*
 * Needs the AES instructions of Armv8 on a little-endian system.
 *
 * Blocks whose counters differ in nothing but the low byte leave the first
 * round with one column different, column 0. So a window of up to 256 blocks
 * computes the other three columns once, and one AESE with AESMC gives column 0
 * of four blocks: each column of its input is what makes column 0, with a
 * counter of its own.
 */
#include "aes.h"
#include "intrinsics_neon.h"

#define LANES 8	/* blocks in flight: hides the latency without spills */

struct state {
	uint8x16_t fixed;	/* after the first round: columns 1 to 3 */
	uint8x16_t pattern;	/* input of column 0 in every column */
	uint8x16_t at, step;	/* low bytes of the counters */
	uint8x16_t column[LANES / 4];	/* of the group to come */
};

/* By little_endian: where the low byte goes in, and the column's number. */
static const u8 masks[2][16] = {
	{ [3] = 0xff, [7] = 0xff, [11] = 0xff, [15] = 0xff },
	{ [0] = 0xff, [4] = 0xff, [8] = 0xff, [12] = 0xff },
};

/* Row 3, where a big-endian low byte is, ShiftRows turns by one column. */
static const u8 places[2][16] = {
	{ [3] = 1, [7] = 2, [11] = 3, [15] = 0 },
	{ [0] = 0, [4] = 1, [8] = 2, [12] = 3 },
};

/* Where the four bytes of column 0 come from, four times. */
static const u8 sources[16] = {
	0, 5, 10, 15, 0, 5, 10, 15, 0, 5, 10, 15, 0, 5, 10, 15
};

/* AESE adds its key first, so each round adds the key of the one before. */
static __always_inline uint8x16_t do_round(uint8x16_t b, uint8x16_t k)
{
	return vaesmcq_u8(vaeseq_u8(b, k));
}

/* A group early, so that nothing waits for it. */
static __always_inline void next_columns(struct state *s)
{
	int i;

#pragma GCC unroll 2
	for (i = 0; i < LANES / 4; i++) {
		s->column[i] = do_round(s->at, s->pattern);
		s->at = vaddq_u8(s->at, s->step);
	}
}

static __always_inline void start(struct state *s,
				  const struct srnd_aes_key *key,
				  const struct srnd_aes_counter *c)
{
	const uint8x16_t mask = vld1q_u8(masks[c->little_endian]);
	const uint8x16_t place = vld1q_u8(places[c->little_endian]);
	const uint8x16_t k = vld1q_u8(key->round_keys[0]);
	uint8x16_t b;

	b = vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(c->lo & ~(u64)0xff),
					      vcreate_u64(c->hi)));
	if (!c->little_endian) {
		b = vrev64q_u8(b);
		b = vextq_u8(b, b, 8);
	}
	s->fixed = do_round(b, k);
	s->pattern = vqtbl1q_u8(veorq_u8(b, k), vld1q_u8(sources));
	s->at = vandq_u8(vaddq_u8(vdupq_n_u8((u8)c->lo), place), mask);
	s->step = vandq_u8(vdupq_n_u8(4), mask);
	next_columns(s);
}

/* @column of @c to column 0. */
#define FIRST(s, c, column)						\
	vreinterpretq_u8_u32(						\
		vcopyq_laneq_u32(vreinterpretq_u32_u8((s)->fixed), 0,	\
				 vreinterpretq_u32_u8(c), column))

static __always_inline void encrypt(uint8x16_t b[LANES], struct state *s,
				    const struct srnd_aes_key *key, u32 rounds)
{
	uint8x16_t k, last = vld1q_u8(key->round_keys[rounds]);
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
	for (r = 1; r < rounds - 1; r++) {
		k = vld1q_u8(key->round_keys[r]);
#pragma GCC unroll 8
		for (i = 0; i < LANES; i++)
			b[i] = do_round(b[i], k);
	}
	k = vld1q_u8(key->round_keys[rounds - 1]);
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		b[i] = veorq_u8(vaeseq_u8(b[i], k), last);
}

static __always_inline void store(u8 *out, uint8x16_t b[LANES], size_t blocks)
{
	size_t i;

	/* Or gcc moves the rounds of each block into its branch below. */
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		__asm__ __volatile__("" : "+w"(b[i]));
#pragma GCC unroll 8
	for (i = 0; i < LANES; i++)
		if (i < blocks)
			vst1q_u8(out + SRND_AES_BLOCK * i, b[i]);
}

static __always_inline void window(const struct srnd_aes_key *key,
				   const struct srnd_aes_counter *counter,
				   u8 *out, size_t blocks, u32 rounds)
{
	uint8x16_t b[LANES];
	struct state s;

	start(&s, key, counter);
	for (; blocks >= LANES; blocks -= LANES) {
		encrypt(b, &s, key, rounds);
		store(out, b, LANES);
		out += LANES * SRND_AES_BLOCK;
	}
	if (blocks) {
		encrypt(b, &s, key, rounds);
		store(out, b, blocks);
	}
}

static __always_inline void wipe_registers(void)
{
#define ZERO(n) "movi v" #n ".16b, #0\n\t"
	__asm__ __volatile__(ZERO(0) ZERO(1) ZERO(2) ZERO(3)
			     ZERO(4) ZERO(5) ZERO(6) ZERO(7)
			     ZERO(8) ZERO(9) ZERO(10) ZERO(11)
			     ZERO(12) ZERO(13) ZERO(14) ZERO(15)
			     : : : "v0", "v1", "v2", "v3", "v4", "v5", "v6",
				   "v7", "v8", "v9", "v10", "v11", "v12",
				   "v13", "v14", "v15", "memory");
	__asm__ __volatile__(ZERO(16) ZERO(17) ZERO(18) ZERO(19)
			     ZERO(20) ZERO(21) ZERO(22) ZERO(23)
			     ZERO(24) ZERO(25) ZERO(26) ZERO(27)
			     ZERO(28) ZERO(29) ZERO(30) ZERO(31)
			     : : : "v16", "v17", "v18", "v19", "v20", "v21",
				   "v22", "v23", "v24", "v25", "v26", "v27",
				   "v28", "v29", "v30", "v31", "memory");
#undef ZERO
}

void srnd_aes_neon(const struct srnd_aes_key *key,
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

/* ShiftRows, which comes with the S-box, moves nothing among equal columns. */
static __always_inline u32 sub_word(u32 x)
{
	uint8x16_t v = vreinterpretq_u8_u32(vdupq_n_u32(x));

	v = vaeseq_u8(v, vdupq_n_u8(0));
	return vgetq_lane_u32(vreinterpretq_u32_u8(v), 0);
}

void srnd_aes_expand_neon(struct srnd_aes_key *key, const u8 *raw, size_t len)
{
	srnd_aes_expand_with(key, raw, len, sub_word);
}
