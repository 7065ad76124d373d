/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ChaCha keystream (D. J. Bernstein; RFC 8439 section 2.3) with the original
 * 64-bit block counter.
 */
#ifndef SRND_CHACHA_H
#define SRND_CHACHA_H

#include "portable.h"

#define SRND_CHACHA_BLOCK 64
#define SRND_CHACHA_KEY 32

/*
 * Writes @blocks whole blocks of keystream to @out, then leaves state[12..13],
 * the little-endian 64-bit block counter, advanced by @blocks (modulo 2^64;
 * words 14 and 15 never change).
 *
 * @state: 16 native words: constants, key, counter, nonce
 * @out: any alignment, must not overlap @state
 * @rounds: even: 20, 12 or 8
 *
 * A wide variant means @blocks single calls. Constant time in all of @state.
 */
typedef void srnd_chacha_fn(u32 state[16], u8 *out, size_t blocks,
			    unsigned int rounds);

srnd_chacha_fn srnd_chacha_portable;

/*
 * For these the caller holds the vector unit. They leave nothing secret in its
 * registers or on the stack. A few blocks they pass to the portable code, so a
 * test of one of them asks for many.
 */
srnd_chacha_fn srnd_chacha_avx2;	/* 8 blocks wide */
srnd_chacha_fn srnd_chacha_avx512;	/* 32, the rest as the next */
srnd_chacha_fn srnd_chacha_avx512vl;	/* 16, without 512-bit work */
srnd_chacha_fn srnd_chacha_neon;	/* 8, little-endian only */

/* Fills in constants, 32-byte @key and 16-byte @nonce (words 12 to 15). */
void srnd_chacha_init(u32 state[16], const u8 *key, const u8 *nonce);

#endif
