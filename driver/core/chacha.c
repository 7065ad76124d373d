// SPDX-License-Identifier: GPL-2.0
#include "chacha.h"

#define QUARTER(a, b, c, d)			\
	do {					\
		a += b;				\
		d = srnd_rol32(d ^ a, 16);	\
		c += d;				\
		b = srnd_rol32(b ^ c, 12);	\
		a += b;				\
		d = srnd_rol32(d ^ a, 8);	\
		c += d;				\
		b = srnd_rol32(b ^ c, 7);	\
	} while (0)

void srnd_chacha_init(u32 state[16], const u8 *key, const u8 *nonce)
{
	static const u8 constants[] = "expand 32-byte k";
	int i;

	for (i = 0; i < 4; i++)
		state[i] = srnd_load_le32(constants + 4 * i);
	for (i = 0; i < 8; i++)
		state[4 + i] = srnd_load_le32(key + 4 * i);
	for (i = 0; i < 4; i++)
		state[12 + i] = srnd_load_le32(nonce + 4 * i);
}

static void permute(u32 x[16], unsigned int rounds)
{
	for (; rounds; rounds -= 2) {
		QUARTER(x[0], x[4], x[8], x[12]);
		QUARTER(x[1], x[5], x[9], x[13]);
		QUARTER(x[2], x[6], x[10], x[14]);
		QUARTER(x[3], x[7], x[11], x[15]);

		QUARTER(x[0], x[5], x[10], x[15]);
		QUARTER(x[1], x[6], x[11], x[12]);
		QUARTER(x[2], x[7], x[8], x[13]);
		QUARTER(x[3], x[4], x[9], x[14]);
	}
}

void srnd_chacha_portable(u32 state[16], u8 *out, size_t blocks,
			  unsigned int rounds)
{
	u32 x[16];
	int i;

	for (; blocks; blocks--, out += SRND_CHACHA_BLOCK) {
		memcpy(x, state, sizeof(x));
		permute(x, rounds);
		for (i = 0; i < 16; i++)
			srnd_store_le32(out + 4 * i, x[i] + state[i]);
		state[13] += !++state[12];
	}
	srnd_wipe(x, sizeof(x));
}
