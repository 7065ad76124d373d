// SPDX-License-Identifier: GPL-2.0
/*
 * ChaCha in Advanced SIMD, 4 blocks at a time: vector i holds word i of each.
 * The 16 vectors leave room to rotate without spilling, so nothing secret
 * reaches the stack; 8 blocks would fill all 32 registers.
 */
#include "chacha.h"

#ifdef __KERNEL__
#include <asm/neon-intrinsics.h>
#else
#include <arm_neon.h>
#endif

#define LANES 4

/* There is no rotate: halfwords swap, bytes go through a table, bits insert. */
#define ROTATE16(x) \
	vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)))
#define ROTATE8(x) \
	vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), bytes))
#define ROTATE12(x) vsriq_n_u32(vshlq_n_u32(x, 12), x, 20)
#define ROTATE7(x) vsriq_n_u32(vshlq_n_u32(x, 7), x, 25)

#define MIX(rotate, a, b, d)				\
	do {						\
		a = vaddq_u32(a, b);			\
		d = rotate(veorq_u32(d, a));		\
	} while (0)

/* Four quarters in step, to hide each one's latency. */
#define ROUND(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3)	\
	do {							\
		MIX(ROTATE16, x[0], x[b0], x[d0]);		\
		MIX(ROTATE16, x[1], x[b1], x[d1]);		\
		MIX(ROTATE16, x[2], x[b2], x[d2]);		\
		MIX(ROTATE16, x[3], x[b3], x[d3]);		\
		MIX(ROTATE12, x[c0], x[d0], x[b0]);		\
		MIX(ROTATE12, x[c1], x[d1], x[b1]);		\
		MIX(ROTATE12, x[c2], x[d2], x[b2]);		\
		MIX(ROTATE12, x[c3], x[d3], x[b3]);		\
		MIX(ROTATE8, x[0], x[b0], x[d0]);		\
		MIX(ROTATE8, x[1], x[b1], x[d1]);		\
		MIX(ROTATE8, x[2], x[b2], x[d2]);		\
		MIX(ROTATE8, x[3], x[b3], x[d3]);		\
		MIX(ROTATE7, x[c0], x[d0], x[b0]);		\
		MIX(ROTATE7, x[c1], x[d1], x[b1]);		\
		MIX(ROTATE7, x[c2], x[d2], x[b2]);		\
		MIX(ROTATE7, x[c3], x[d3], x[b3]);		\
	} while (0)

/* Rows of words, a column a block, become rows of blocks. */
static inline void transpose(uint32x4_t *x)
{
	uint64x2_t lo01 = vreinterpretq_u64_u32(vtrn1q_u32(x[0], x[1]));
	uint64x2_t hi01 = vreinterpretq_u64_u32(vtrn2q_u32(x[0], x[1]));
	uint64x2_t lo23 = vreinterpretq_u64_u32(vtrn1q_u32(x[2], x[3]));
	uint64x2_t hi23 = vreinterpretq_u64_u32(vtrn2q_u32(x[2], x[3]));

	x[0] = vreinterpretq_u32_u64(vtrn1q_u64(lo01, lo23));
	x[1] = vreinterpretq_u32_u64(vtrn1q_u64(hi01, hi23));
	x[2] = vreinterpretq_u32_u64(vtrn2q_u64(lo01, lo23));
	x[3] = vreinterpretq_u32_u64(vtrn2q_u64(hi01, hi23));
}

static inline void store(u8 *out, const uint32x4_t *x, int block)
{
	int i;

	for (i = 0; i < 4; i++)
		vst1q_u8(out + SRND_CHACHA_BLOCK * block + 16 * i,
			 vreinterpretq_u8_u32(x[4 * i + block]));
}

/* Writes the first @blocks of the blocks from the state's counter on. */
static inline void pass(const u32 state[16], u8 *out, size_t blocks,
			unsigned int rounds)
{
	static const u8 rol8[16] = {
		3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14,
	};
	static const u32 lanes[LANES] = { 0, 1, 2, 3 };
	const uint8x16_t bytes = vld1q_u8(rol8);
	const uint32x4_t low = vaddq_u32(vdupq_n_u32(state[12]),
					 vld1q_u32(lanes));
	/* All ones, that is minus one, where the low word wrapped. */
	const uint32x4_t high = vsubq_u32(vdupq_n_u32(state[13]),
					  vcltq_u32(low, vld1q_u32(lanes)));
	uint32x4_t x[16];
	int i;

	for (i = 0; i < 16; i++)
		x[i] = vdupq_n_u32(state[i]);
	x[12] = low;
	x[13] = high;
	for (; rounds; rounds -= 2) {
		ROUND(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
		ROUND(5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14);
	}
	/* Reads the key again: kept, it would be spilled and stay there. */
	__asm__ __volatile__("" : : "r"(state) : "memory");
	for (i = 0; i < 16; i++)
		x[i] = vaddq_u32(x[i], i == 12 ? low : i == 13 ? high :
				 vdupq_n_u32(state[i]));
	for (i = 0; i < 16; i += 4)
		transpose(x + i);
	for (i = 0; i < LANES; i++)
		if ((size_t)i < blocks)
			store(out, x, i);
}

void srnd_chacha_neon(u32 state[16], u8 *out, size_t blocks,
		      unsigned int rounds)
{
	size_t n;
	u64 counter;

	for (; blocks; blocks -= n, out += n * SRND_CHACHA_BLOCK) {
		n = blocks < LANES ? blocks : LANES;
		pass(state, out, n, rounds);
		counter = state[12] + ((u64)state[13] << 32) + n;
		state[12] = counter;
		state[13] = counter >> 32;
	}
}
