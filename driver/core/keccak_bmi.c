// SPDX-License-Identifier: GPL-2.0
/*
 * The portable code with andn and rorx, which save it the copies and inversions
 * that two-operand instructions cost; needs no vector unit.
 */
#include "keccak_scalar.h"

void srnd_keccak_bmi(u64 state[SRND_KECCAK_LANES], unsigned int rounds)
{
	permute_once(state, rounds);
}
