/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sectors side by side, one in each of the states that a lane_t holds. Besides
 * what keccak_round.h wants, a file that includes this first defines
 *
 *	LANE_WAYS		states in a lane_t
 *	LANE_INDEX(i)		i, i + 1, ... modulo 2^64, by state
 *	LANE_SHL(a, n)		shifts, n a literal
 *	LANE_SHR(a, n)
 *
 * and store_lanes(a, out, n, lanes), which stores the first @lanes lanes (17,
 * or 13 at the end of a sector) of the first @n states, each at its sector.
 */
#ifndef SRND_KECCAK_SECTORS_H
#define SRND_KECCAK_SECTORS_H

#include "keccak_round.h"

#define LOAD_PLANE(y)							\
	do {								\
		a[5 * (y)] = LANE_SET(block[5 * (y)]);			\
		a[5 * (y) + 1] = LANE_SET(block[5 * (y) + 1]);		\
		a[5 * (y) + 2] = LANE_SET(block[5 * (y) + 2]);		\
		a[5 * (y) + 3] = LANE_SET(block[5 * (y) + 3]);		\
		a[5 * (y) + 4] = LANE_SET(block[5 * (y) + 4]);		\
	} while (0)

/* The index goes where srnd_sector_index() puts it. */
static __always_inline void load_lanes(lane_t a[SRND_KECCAK_LANES],
				       const u64 *block, lane_t index)
{
	LOAD_PLANE(0);
	LOAD_PLANE(1);
	LOAD_PLANE(2);
	LOAD_PLANE(3);
	LOAD_PLANE(4);
	a[12] = LANE_XOR(a[12], LANE_SHL(index, 40));
	a[13] = LANE_XOR(a[13], LANE_SHR(index, 24));
}

/* Not inline: burn_stack() must be able to follow it. */
static __attribute__((__noinline__)) void
sector_group(const u64 *block, u64 first, u8 *out, size_t n)
{
	unsigned int lanes, left = SRND_SECTOR / 8;
	lane_t a[SRND_KECCAK_LANES];

	load_lanes(a, block, LANE_INDEX(first));
	for (; left; left -= lanes, out += 8 * lanes) {
		lanes = SRND_SHAKE256_RATE / 8;
		if (lanes > left)
			lanes = left;
		keccak_rounds(a, 24);
		store_lanes(a, out, n, lanes);
	}
}

static __always_inline void all_sectors(const u64 *block, u64 first, u8 *out,
					size_t sectors)
{
	size_t n;

	for (; sectors; sectors -= n, first += n, out += n * SRND_SECTOR) {
		n = sectors < LANE_WAYS ? sectors : LANE_WAYS;
		sector_group(block, first, out, n);
	}
	burn_stack();
}

#endif
