// SPDX-License-Identifier: GPL-2.0
/*
 * Bitsliced AES: four blocks at a time in eight 64-bit words, word b holding
 * bit b of each of the 64 bytes. The byte in row r and column c of block k
 * sits at bit 16r + 4c + k, so that ShiftRows turns 16-bit rows by nibbles and
 * MixColumns turns whole words by rows. There is no table to index.
 */
#include "aes.h"

#define LANES 4	/* blocks side by side */

/*
 * The S-box of FIPS 197 on all 64 bytes: the 115-gate circuit of J. Boyar and
 * R. Peralta ("A small depth-16 circuit for the AES S-box", 2012; the smaller
 * sibling is in their "A new combinational logic minimization technique").
 */
static void sub_bytes(u64 q[8])
{
	u64 x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4];
	u64 x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];
	u64 y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15;
	u64 y16, y17, y18, y19, y20, y21;
	u64 t0, t1, t2, t6, t7, t11, t12, t14, t16, t17, t18, t19, t20, t21;
	u64 t22, t23, t24, t25, t26, t27, t29, t33, t34, t36, t37, t40;
	u64 t41, t42, t43, t44, t45;
	u64 z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14;
	u64 z15, z16, z17;
	u64 t46, t48, t53, t57, t58, t59, t61, t62, t63, t64, t65, t66, s3;

	/* Into the basis of the tower field. */
	y14 = x3 ^ x5;
	y13 = x0 ^ x6;
	y9 = x0 ^ x3;
	y8 = x0 ^ x5;
	t0 = x1 ^ x2;
	y1 = t0 ^ x7;
	y4 = y1 ^ x3;
	y12 = y13 ^ y14;
	y2 = y1 ^ x0;
	y5 = y1 ^ x6;
	y3 = y5 ^ y8;
	t1 = x4 ^ y12;
	y15 = t1 ^ x5;
	y20 = t1 ^ x1;
	y6 = y15 ^ x7;
	y10 = y15 ^ t0;
	y11 = y20 ^ y9;
	y7 = x7 ^ y11;
	y17 = y10 ^ y11;
	y19 = y10 ^ y8;
	y16 = t0 ^ y11;
	y21 = y13 ^ y16;
	y18 = x0 ^ y16;

	/* Inversion in GF(2^8) over GF(2^4). */
	t2 = y12 & y15;
	t6 = (y4 & x7) ^ t2;
	t7 = y13 & y16;
	t11 = (y2 & y7) ^ t7;
	t12 = y9 & y11;
	t14 = (y14 & y17) ^ t12;
	t16 = (y8 & y10) ^ t12;
	t17 = (y3 & y6) ^ t2 ^ t14;
	t18 = t6 ^ t16;
	t19 = (y5 & y1) ^ t7 ^ t14;
	t20 = t11 ^ t16;
	t21 = t17 ^ y20;
	t22 = t18 ^ y19;
	t23 = t19 ^ y21;
	t24 = t20 ^ y18;
	t25 = t21 ^ t22;
	t26 = t21 & t23;
	t27 = t24 ^ t26;
	t29 = (t25 & t27) ^ t22;
	t33 = ((t22 ^ t26) & (t23 ^ t24)) ^ t24;
	t34 = t23 ^ t33;
	t36 = t24 & (t27 ^ t33);
	t37 = t36 ^ t34;
	t40 = t25 ^ (t29 & (t27 ^ t36));
	t41 = t40 ^ t37;
	t42 = t29 ^ t33;
	t43 = t29 ^ t40;
	t44 = t33 ^ t37;
	t45 = t42 ^ t41;
	z0 = t44 & y15;
	z1 = t37 & y6;
	z2 = t33 & x7;
	z3 = t43 & y16;
	z4 = t40 & y1;
	z5 = t29 & y7;
	z6 = t42 & y11;
	z7 = t45 & y17;
	z8 = t41 & y10;
	z9 = t44 & y12;
	z10 = t37 & y3;
	z11 = t33 & y4;
	z12 = t43 & y13;
	z13 = t40 & y5;
	z14 = t29 & y2;
	z15 = t42 & y9;
	z16 = t45 & y14;
	z17 = t41 & y8;

	/* Back, with the affine map. */
	t46 = z15 ^ z16;
	t48 = z5 ^ z13;
	t53 = z0 ^ z3;
	t57 = z2 ^ z12 ^ t53;
	t58 = z4 ^ t46;
	t59 = z3 ^ z6 ^ z7;
	t61 = z14 ^ t57;
	t62 = z7 ^ z8 ^ t58;
	t63 = z9 ^ z10 ^ t58;
	t64 = z4 ^ t59;
	t65 = t61 ^ t62;
	t66 = z1 ^ t63;
	s3 = t53 ^ t66;
	q[7] = t59 ^ t63;
	q[6] = t64 ^ ~s3;
	q[5] = z16 ^ z17 ^ ~(t64 ^ t65);
	q[4] = s3;
	q[3] = z2 ^ z5 ^ t66;
	q[2] = z10 ^ z11 ^ t65;
	q[1] = z12 ^ t48 ^ ~t62;
	q[0] = t48 ^ ~(t46 ^ t57);
}

static inline void swap_bits(u64 *a, u64 *b, u64 mask, unsigned int shift)
{
	u64 t = ((*a >> shift) ^ *b) & mask;

	*a ^= t << shift;
	*b ^= t;
}

/* Transposes eight 8 by 8 bit matrices: byte j of word i <-> bit 8j + i. */
static void transpose(u64 q[8])
{
	int i;

	for (i = 0; i < 8; i += 2)
		swap_bits(&q[i], &q[i + 1], 0x5555555555555555, 1);
	for (i = 0; i < 8; i += (i & 1) ? 3 : 1)
		swap_bits(&q[i], &q[i + 2], 0x3333333333333333, 2);
	for (i = 0; i < 4; i++)
		swap_bits(&q[i], &q[i + 4], 0x0f0f0f0f0f0f0f0f, 4);
}

/* Bytes 0 to 3 of @x to the even bytes. */
static inline u64 spread(u64 x)
{
	x = (x | x << 16) & 0x0000ffff0000ffff;
	return (x | x << 8) & 0x00ff00ff00ff00ff;
}

static inline u32 unspread(u64 x)
{
	x &= 0x00ff00ff00ff00ff;
	x = (x | x >> 8) & 0x0000ffff0000ffff;
	return (u32)(x | x >> 16);
}

/* Block @k to its two words: even columns in word k, odd in word 4 + k. */
static inline void load_block(u64 q[8], int k, const u8 *in)
{
	q[k] = spread(srnd_load_le32(in)) |
	       spread(srnd_load_le32(in + 8)) << 8;
	q[4 + k] = spread(srnd_load_le32(in + 4)) |
		   spread(srnd_load_le32(in + 12)) << 8;
}

static inline void store_block(const u64 q[8], int k, u8 *out)
{
	srnd_store_le32(out, unspread(q[k]));
	srnd_store_le32(out + 4, unspread(q[4 + k]));
	srnd_store_le32(out + 8, unspread(q[k] >> 8));
	srnd_store_le32(out + 12, unspread(q[4 + k] >> 8));
}

static inline u64 shift_rows(u64 x)
{
	return (x & 0x000000000000ffff) |
	       (x & 0x00000000fff00000) >> 4 | (x & 0x00000000000f0000) << 12 |
	       (x & 0x0000ff0000000000) >> 8 | (x & 0x000000ff00000000) << 8 |
	       (x & 0xf000000000000000) >> 12 | (x & 0x0fff000000000000) << 4;
}

/* b(r) = 2 (a(r) + a(r+1)) + a(r+1) + a(r+2) + a(r+3), on rows. */
static void mix_columns(u64 q[8])
{
	u64 next[8], sum[8];
	int i;

	for (i = 0; i < 8; i++) {
		next[i] = srnd_rol64(q[i], 48);
		sum[i] = q[i] ^ next[i];
	}
	for (i = 0; i < 8; i++)
		q[i] = next[i] ^ srnd_rol64(sum[i], 32) ^ sum[(i + 7) & 7];
	q[1] ^= sum[7];
	q[3] ^= sum[7];
	q[4] ^= sum[7];
}

/*
 * A round key is the same in all four blocks: each nibble of its sliced words
 * is 0 or 15, so four words pack into one.
 */
struct sliced_key {
	u64 packed[SRND_AES_MAX_ROUNDS + 1][2];
};

static void slice_key(struct sliced_key *s, const struct srnd_aes_key *key)
{
	u64 q[8];
	u32 r;
	int i, k;

	for (r = 0; r <= key->rounds; r++) {
		for (k = 0; k < LANES; k++)
			load_block(q, k, key->round_keys[r]);
		transpose(q);
		for (i = 0; i < 2; i++)
			s->packed[r][i] = (q[4 * i] & 0x1111111111111111) |
					  (q[4 * i + 1] & 0x2222222222222222) |
					  (q[4 * i + 2] & 0x4444444444444444) |
					  (q[4 * i + 3] & 0x8888888888888888);
	}
	srnd_wipe(q, sizeof(q));
}

static inline void add_round_key(u64 q[8], const u64 packed[2])
{
	u64 bit;
	int i;

	for (i = 0; i < 8; i++) {
		bit = (packed[i / 4] >> (i % 4)) & 0x1111111111111111;
		q[i] ^= (bit << 4) - bit;
	}
}

static void encrypt(u64 q[8], const struct sliced_key *s, u32 rounds)
{
	u32 r;
	int i;

	add_round_key(q, s->packed[0]);
	for (r = 1;; r++) {
		sub_bytes(q);
		for (i = 0; i < 8; i++)
			q[i] = shift_rows(q[i]);
		if (r == rounds)
			break;
		mix_columns(q);
		add_round_key(q, s->packed[r]);
	}
	add_round_key(q, s->packed[rounds]);
}

void srnd_aes_portable(const struct srnd_aes_key *key,
		       struct srnd_aes_counter *counter, u8 *out, size_t blocks)
{
	struct srnd_aes_counter c = *counter;
	u8 block[SRND_AES_BLOCK];
	struct sliced_key s;
	u64 q[8];
	size_t k;

	srnd_aes_counter_add(counter, blocks);
	slice_key(&s, key);
	while (blocks) {
		size_t n = blocks < LANES ? blocks : LANES;

		for (k = 0; k < LANES; k++) {
			srnd_aes_counter_store(&c, block);
			load_block(q, k, block);
			srnd_aes_counter_add(&c, 1);
		}
		transpose(q);
		encrypt(q, &s, key->rounds);
		transpose(q);
		for (k = 0; k < n; k++, out += SRND_AES_BLOCK)
			store_block(q, k, out);
		blocks -= n;
	}
	srnd_wipe(&s, sizeof(s));
	srnd_wipe(q, sizeof(q));
}

/* The S-box on the four bytes of @x. */
static u32 sub_word(u32 x)
{
	u64 q[8] = { x };
	u32 y;

	transpose(q);
	sub_bytes(q);
	transpose(q);
	y = (u32)q[0];
	srnd_wipe(q, sizeof(q));
	return y;
}

void srnd_aes_expand_portable(struct srnd_aes_key *key, const u8 *raw,
			      size_t len)
{
	srnd_aes_expand_with(key, raw, len, sub_word);
}
