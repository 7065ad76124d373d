/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keccak-p[1600] (FIPS 202) and the sponge over it: SHAKE128/256 with 24
 * rounds, TurboSHAKE128/256 (RFC 9861) with 12.
 */
#ifndef SRND_KECCAK_H
#define SRND_KECCAK_H

#include "portable.h"

#define SRND_KECCAK_LANES 25
#define SRND_SHAKE128_RATE 168
#define SRND_SHAKE256_RATE 136
#define SRND_SHAKE_DOMAIN 0x1f	/* suffix 1111 and the first bit of pad10*1 */

/*
 * The last @rounds (24 or 12) rounds of Keccak-f[1600] on one state of native
 * 64-bit lanes. Lane x + 5y holds bytes 8(x + 5y) onwards, little-endian.
 * Constant time.
 */
typedef void srnd_keccak_fn(u64 state[SRND_KECCAK_LANES], unsigned int rounds);

srnd_keccak_fn srnd_keccak_portable;
srnd_keccak_fn srnd_keccak_bmi;

/* The round constants of iota, for the variants. */
extern const u64 srnd_keccak_constants[24];

/*
 * Sectors: SHAKE256 of one padded block that differs in a 64-bit index only,
 * so that many can be computed side by side.
 *
 * @block: the padded input block as a state, the index field zero
 * @first: index of the first sector, wraps modulo 2^64
 * @out: @sectors * SRND_SECTOR bytes, any alignment, must not overlap @block
 *
 * Sector i is the first SRND_SECTOR bytes of SHAKE256 of the block with
 * LE64(first + i) XORed in at byte SRND_SECTOR_INDEX. An n-wide variant means
 * n single calls. Constant time in @block.
 */
typedef void srnd_sectors_fn(const u64 block[SRND_KECCAK_LANES], u64 first,
			     u8 *out, size_t sectors);

#define SRND_SECTOR 512
#define SRND_SECTOR_INDEX 101	/* 3 bytes are in lane 12, 5 in lane 13 */

srnd_sectors_fn srnd_sectors_portable;
srnd_sectors_fn srnd_sectors_avx2;
srnd_sectors_fn srnd_sectors_avx512;
srnd_sectors_fn srnd_sectors_avx512vl;
srnd_sectors_fn srnd_sectors_neon;
srnd_sectors_fn srnd_sectors_sha3;

/* XORs LE64(@index) into @state at byte SRND_SECTOR_INDEX. */
static inline void srnd_sector_index(u64 state[SRND_KECCAK_LANES], u64 index)
{
	state[12] ^= index << 40;
	state[13] ^= index >> 24;
}

/*
 * A sponge: init, absorb any number of times, squeeze any number of times. The
 * first squeeze pads; absorbing after it is a caller's error.
 */
struct srnd_sponge {
	u64 state[SRND_KECCAK_LANES];
	u8 rate;	/* bytes, a multiple of 8 */
	u8 rounds;
	u8 domain;
	u8 pos;		/* bytes of the current block absorbed or squeezed */
	bool squeezing;
};

void srnd_sponge_init(struct srnd_sponge *s, u8 rate, u8 rounds, u8 domain);

/* @data of any length and alignment; @permute is the variant to use. */
void srnd_sponge_absorb(struct srnd_sponge *s, srnd_keccak_fn *permute,
			const void *data, size_t len);

/* Domain bits and pad10*1, without the permutation that follows. */
void srnd_sponge_pad(struct srnd_sponge *s);

/* The next @len bytes of output, whatever cuts came before. */
void srnd_sponge_squeeze(struct srnd_sponge *s, srnd_keccak_fn *permute,
			 u8 *out, size_t len);

/* One byte of a state, and XOR into it, independent of the byte order. */
static inline u8 srnd_keccak_byte(const u64 *state, unsigned int i)
{
	return state[i / 8] >> (8 * (i % 8));
}

static inline void srnd_keccak_xor_byte(u64 *state, unsigned int i, u8 byte)
{
	state[i / 8] ^= (u64)byte << (8 * (i % 8));
}

#endif
