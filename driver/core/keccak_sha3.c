// SPDX-License-Identifier: GPL-2.0
/* Two states in 128-bit registers, with the SHA3 instructions of Armv8.2. */
#include "keccak_neon.h"

#define LANE_XOR5(a, b, c, d, e) veor3q_u64(veor3q_u64(a, b, c), d, e)
#define LANE_RAX(a, b) vrax1q_u64(a, b)
#define LANE_XAR(a, b, n) vxarq_u64(a, b, 64 - (n))
#define LANE_CHI(a, b, c) vbcaxq_u64(a, c, b)

#include "keccak_sectors.h"

void srnd_sectors_sha3(const u64 block[SRND_KECCAK_LANES], u64 first, u8 *out,
		       size_t sectors)
{
	all_sectors(block, first, out, sectors);
}
