// SPDX-License-Identifier: GPL-2.0
#include "keccak_scalar.h"

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

void srnd_keccak_portable(u64 state[SRND_KECCAK_LANES], unsigned int rounds)
{
	permute_once(state, rounds);
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

/* How many whole lanes of the block can be moved at once: of @len bytes. */
static size_t whole_lanes(const struct srnd_sponge *s, size_t len)
{
	size_t left = s->rate - s->pos;

	if (s->pos % 8)
		return 0;
	return (len < left ? len : left) / 8;
}

static void absorb_lanes(u64 *state, const u8 *in, size_t lanes)
{
	size_t i;

	for (i = 0; i < lanes; i++)
		state[i] ^= srnd_load_le64(in + 8 * i);
}

void srnd_sponge_absorb(struct srnd_sponge *s, srnd_keccak_fn *permute,
			const void *data, size_t len)
{
	const u8 *in = data;
	size_t n;

	for (; len; in += n, len -= n) {
		n = 8 * whole_lanes(s, len);
		if (n) {
			absorb_lanes(s->state + s->pos / 8, in, n / 8);
		} else {
			srnd_keccak_xor_byte(s->state, s->pos, *in);
			n = 1;
		}
		s->pos += n;
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
	size_t n;

	if (!s->squeezing) {
		srnd_sponge_pad(s);
		s->pos = s->rate;
		s->squeezing = true;
	}
	for (; len; out += n, len -= n) {
		if (s->pos == s->rate) {
			permute(s->state, s->rounds);
			s->pos = 0;
		}
		n = 8 * whole_lanes(s, len);
		if (n) {
			store_lanes(out, s->state + s->pos / 8, n);
		} else {
			*out = srnd_keccak_byte(s->state, s->pos);
			n = 1;
		}
		s->pos += n;
	}
}
