// SPDX-License-Identifier: GPL-2.0
#include "keccak.h"

const u64 srnd_keccak_constants[24] = {
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a,
	0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
	0x8000000080008081, 0x8000000000008009, 0x000000000000008a,
	0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
	0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
	0x000000000000800a, 0x800000008000000a, 0x8000000080008081,
	0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

/*
 * theta, then plane by plane rho, pi and chi from @a to @e. The lane that pi
 * moves to column x of plane y stood at column (x + 3y) mod 5 of plane x.
 */
#define PLANE(e, a, d, y, c0, r0, c1, r1, c2, r2, c3, r3, c4, r4)	\
	do {								\
		b0 = srnd_rol64(a[c0] ^ d[(c0) % 5], r0);		\
		b1 = srnd_rol64(a[c1] ^ d[(c1) % 5], r1);		\
		b2 = srnd_rol64(a[c2] ^ d[(c2) % 5], r2);		\
		b3 = srnd_rol64(a[c3] ^ d[(c3) % 5], r3);		\
		b4 = srnd_rol64(a[c4] ^ d[(c4) % 5], r4);		\
		e[5 * (y)] = b0 ^ (~b1 & b2);				\
		e[5 * (y) + 1] = b1 ^ (~b2 & b3);			\
		e[5 * (y) + 2] = b2 ^ (~b3 & b4);			\
		e[5 * (y) + 3] = b3 ^ (~b4 & b0);			\
		e[5 * (y) + 4] = b4 ^ (~b0 & b1);			\
	} while (0)

static inline void round_to(u64 e[25], const u64 a[25], u64 constant)
{
	u64 c[5], d[5], b0, b1, b2, b3, b4;

	c[0] = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];
	c[1] = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];
	c[2] = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];
	c[3] = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];
	c[4] = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];
	d[0] = c[4] ^ srnd_rol64(c[1], 1);
	d[1] = c[0] ^ srnd_rol64(c[2], 1);
	d[2] = c[1] ^ srnd_rol64(c[3], 1);
	d[3] = c[2] ^ srnd_rol64(c[4], 1);
	d[4] = c[3] ^ srnd_rol64(c[0], 1);

	PLANE(e, a, d, 0, 0, 0, 6, 44, 12, 43, 18, 21, 24, 14);
	PLANE(e, a, d, 1, 3, 28, 9, 20, 10, 3, 16, 45, 22, 61);
	PLANE(e, a, d, 2, 1, 1, 7, 6, 13, 25, 19, 8, 20, 18);
	PLANE(e, a, d, 3, 4, 27, 5, 36, 11, 10, 17, 15, 23, 56);
	PLANE(e, a, d, 4, 2, 62, 8, 55, 14, 39, 15, 41, 21, 2);
	e[0] ^= constant;
}

void srnd_keccak_portable(u64 state[SRND_KECCAK_LANES], unsigned int rounds)
{
	u64 spare[SRND_KECCAK_LANES];
	unsigned int i;

	for (i = 24 - rounds; i < 24; i += 2) {
		round_to(spare, state, srnd_keccak_constants[i]);
		round_to(state, spare, srnd_keccak_constants[i + 1]);
	}
	srnd_wipe(spare, sizeof(spare));
}

/* Stores the first @len bytes of a state, a multiple of 8. */
static void store_lanes(u8 *out, const u64 *state, size_t len)
{
	size_t i;

	for (i = 0; i < len / 8; i++)
		srnd_store_le64(out + 8 * i, state[i]);
}

void srnd_sectors_portable(const u64 block[SRND_KECCAK_LANES], u64 first,
			   u8 *out, size_t sectors)
{
	u64 state[SRND_KECCAK_LANES];
	size_t done, len;

	for (; sectors; sectors--, out += SRND_SECTOR) {
		memcpy(state, block, sizeof(state));
		srnd_sector_index(state, first++);
		for (done = 0; done < SRND_SECTOR; done += len) {
			len = SRND_SECTOR - done;
			if (len > SRND_SHAKE256_RATE)
				len = SRND_SHAKE256_RATE;
			srnd_keccak_portable(state, 24);
			store_lanes(out + done, state, len);
		}
	}
	srnd_wipe(state, sizeof(state));
}

void srnd_sponge_init(struct srnd_sponge *s, u8 rate, u8 rounds, u8 domain)
{
	memset(s, 0, sizeof(*s));
	s->rate = rate;
	s->rounds = rounds;
	s->domain = domain;
}

/* XORs a whole block of @rate bytes in. */
static void absorb_block(u64 *state, const u8 *in, u8 rate)
{
	u8 i;

	for (i = 0; i < rate / 8; i++)
		state[i] ^= srnd_load_le64(in + 8 * i);
}

void srnd_sponge_absorb(struct srnd_sponge *s, srnd_keccak_fn *permute,
			const void *data, size_t len)
{
	const u8 *in = data;

	while (len) {
		if (!s->pos && len >= s->rate) {
			absorb_block(s->state, in, s->rate);
			in += s->rate;
			len -= s->rate;
			s->pos = s->rate;
		} else {
			srnd_keccak_xor_byte(s->state, s->pos++, *in++);
			len--;
		}
		if (s->pos == s->rate) {
			permute(s->state, s->rounds);
			s->pos = 0;
		}
	}
}

void srnd_sponge_pad(struct srnd_sponge *s)
{
	srnd_keccak_xor_byte(s->state, s->pos, s->domain);
	srnd_keccak_xor_byte(s->state, s->rate - 1, 0x80);
}

void srnd_sponge_squeeze(struct srnd_sponge *s, srnd_keccak_fn *permute,
			 u8 *out, size_t len)
{
	if (!s->squeezing) {
		srnd_sponge_pad(s);
		s->pos = s->rate;
		s->squeezing = true;
	}
	while (len) {
		if (s->pos == s->rate) {
			permute(s->state, s->rounds);
			s->pos = 0;
		}
		if (!s->pos && len >= s->rate) {
			store_lanes(out, s->state, s->rate);
			out += s->rate;
			len -= s->rate;
			s->pos = s->rate;
		} else {
			*out++ = srnd_keccak_byte(s->state, s->pos++);
			len--;
		}
	}
}
