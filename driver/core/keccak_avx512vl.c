// SPDX-License-Identifier: GPL-2.0
/*
 * Four states in 256-bit registers, with the rotates, the ternary logic and the
 * 32 registers of AVX-512: for processors where 512-bit work lowers the clock.
 */
#include "keccak_ymm.h"

#define LANE_BURN 512
#define LANE_XOR3(a, b, c) _mm256_ternarylogic_epi64(a, b, c, 0x96)
#define LANE_XOR5(a, b, c, d, e) LANE_XOR3(LANE_XOR3(a, b, c), d, e)
#define LANE_RAX(a, b) LANE_XOR(a, _mm256_rol_epi64(b, 1))
#define LANE_XAR(a, b, n) _mm256_rol_epi64(LANE_XOR(a, b), n)
#define LANE_CHI(a, b, c) _mm256_ternarylogic_epi64(a, b, c, 0xd2)

#include "keccak_sectors.h"

void srnd_sectors_avx512vl(const u64 block[SRND_KECCAK_LANES], u64 first,
			   u8 *out, size_t sectors)
{
	all_sectors(block, first, out, sectors);
}
