// SPDX-License-Identifier: GPL-2.0
/* Two states in 128-bit registers; rotates are a shift and a shift-insert. */
#include "keccak_neon.h"

#define LANE_XOR5(a, b, c, d, e)					\
	LANE_XOR(LANE_XOR(LANE_XOR(LANE_XOR(a, b), c), d), e)
#define LANE_ROL(a, n) vsriq_n_u64(LANE_SHL(a, n), a, 64 - (n))
#define LANE_RAX(a, b) LANE_XOR(a, LANE_ROL(b, 1))
#define LANE_XAR(a, b, n)						\
	({								\
		lane_t t = LANE_XOR(a, b);				\
									\
		LANE_ROL(t, n);						\
	})
#define LANE_CHI(a, b, c) LANE_XOR(a, vbicq_u64(c, b))

#include "keccak_sectors.h"

void srnd_sectors_neon(const u64 block[SRND_KECCAK_LANES], u64 first, u8 *out,
		       size_t sectors)
{
	all_sectors(block, first, out, sectors);
}
