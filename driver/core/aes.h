/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AES-128 and AES-256 (FIPS 197) as keystream of a 128-bit block counter.
 * No branch or memory index depends on key or output; the counter is public.
 */
#ifndef SRND_AES_H
#define SRND_AES_H

#include "portable.h"

#define SRND_AES_BLOCK 16
#define SRND_AES_MAX_ROUNDS 14

struct srnd_aes_key {
	u8 round_keys[SRND_AES_MAX_ROUNDS + 1][SRND_AES_BLOCK] __aligned(16);
	u32 rounds;	/* 10 or 14 */
};

/* A 128-bit counter and the order of its bytes in the cipher's input. */
struct srnd_aes_counter {
	u64 lo, hi;
	bool little_endian;
};

/* Expands a key of @len (16 or 32) bytes at @raw. */
typedef void srnd_aes_expand_fn(struct srnd_aes_key *key, const u8 *raw,
				size_t len);

/*
 * Writes @blocks whole blocks AES(key, counter), AES(key, counter + 1), ... to
 * @out (any alignment, no overlap with the rest) and leaves @counter advanced
 * by @blocks modulo 2^128. An n-wide variant means n single calls.
 */
typedef void srnd_aes_fn(const struct srnd_aes_key *key,
			 struct srnd_aes_counter *counter, u8 *out,
			 size_t blocks);

srnd_aes_expand_fn srnd_aes_expand_portable;
srnd_aes_expand_fn srnd_aes_expand_aesni;
srnd_aes_expand_fn srnd_aes_expand_neon;

srnd_aes_fn srnd_aes_portable;
srnd_aes_fn srnd_aes_aesni;
srnd_aes_fn srnd_aes_vaes256;
srnd_aes_fn srnd_aes_vaes512;
srnd_aes_fn srnd_aes_neon;

static inline void srnd_aes_counter_load(struct srnd_aes_counter *c,
					 const u8 *p, bool little_endian)
{
	c->little_endian = little_endian;
	c->lo = little_endian ? srnd_load_le64(p) : srnd_load_be64(p + 8);
	c->hi = little_endian ? srnd_load_le64(p + 8) : srnd_load_be64(p);
}

static inline void srnd_aes_counter_store(const struct srnd_aes_counter *c,
					  u8 *p)
{
	if (c->little_endian) {
		srnd_store_le64(p, c->lo);
		srnd_store_le64(p + 8, c->hi);
	} else {
		srnd_store_be64(p, c->hi);
		srnd_store_be64(p + 8, c->lo);
	}
}

/* Adds modulo 2^128. */
static inline void srnd_aes_counter_add(struct srnd_aes_counter *c, u64 n)
{
	c->lo += n;
	c->hi += c->lo < n;
}

/*
 * How many of @blocks (at least one) come before the low byte wraps. Vector
 * code goes by such windows, so that no carry is left inside its loops.
 */
static inline size_t srnd_aes_counter_window(const struct srnd_aes_counter *c,
					     size_t blocks)
{
	size_t window = 256 - (c->lo & 255);

	return blocks < window ? blocks : window;
}

/*
 * The key schedule of FIPS 197 section 5.2, around the S-box of a variant on
 * the four bytes of a word.
 */
static __always_inline void srnd_aes_expand_with(struct srnd_aes_key *key,
						 const u8 *raw, size_t len,
						 u32 (*sub_word)(u32))
{
	u8 *w = key->round_keys[0];
	size_t words = len / 4, total, i;
	u8 constant = 1;
	u32 t;

	key->rounds = (u32)words + 6;
	total = 4 * (key->rounds + 1);
	memcpy(w, raw, len);
	for (i = words; i < total; i++) {
		t = srnd_load_le32(w + 4 * (i - 1));
		if (i % words == 0) {
			t = sub_word(srnd_rol32(t, 24)) ^ constant;
			constant = (u8)(constant << 1 ^ (constant >> 7) * 0x1b);
		} else if (words > 6 && i % words == 4) {
			t = sub_word(t);
		}
		srnd_store_le32(w + 4 * i,
				t ^ srnd_load_le32(w + 4 * (i - words)));
	}
}

#endif
