/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One state in general registers: what the portable variant and its twins for
 * processors with better instructions compile, each with its own flags.
 */
#ifndef SRND_KECCAK_SCALAR_H
#define SRND_KECCAK_SCALAR_H

#include "keccak.h"

typedef u64 lane_t;

#if __SIZEOF_LONG__ < 8
#define LANE_ROUND_CALLS
#else
#define LANE_RUNNING_SUMS
#endif
#define LANE_BURN 512
#define LANE_SET(x) (x)
#define LANE_XOR(a, b) ((a) ^ (b))
#define LANE_XOR5(a, b, c, d, e) ((a) ^ (b) ^ (c) ^ (d) ^ (e))
#define LANE_RAX(a, b) ((a) ^ srnd_rol64(b, 1))
#define LANE_XAR(a, b, n) srnd_rol64((a) ^ (b), n)
#define LANE_CHI(a, b, c) ((a) ^ (~(b) & (c)))

#include "keccak_round.h"

#define MOVE_PLANE(to, from, y)						\
	do {								\
		to[5 * (y)] = from[5 * (y)];				\
		to[5 * (y) + 1] = from[5 * (y) + 1];			\
		to[5 * (y) + 2] = from[5 * (y) + 2];			\
		to[5 * (y) + 3] = from[5 * (y) + 3];			\
		to[5 * (y) + 4] = from[5 * (y) + 4];			\
	} while (0)

#define MOVE_STATE(to, from)						\
	do {								\
		MOVE_PLANE(to, from, 0);				\
		MOVE_PLANE(to, from, 1);				\
		MOVE_PLANE(to, from, 2);				\
		MOVE_PLANE(to, from, 3);				\
		MOVE_PLANE(to, from, 4);				\
	} while (0)

/*
 * On a copy whose address nobody takes, so that lanes stay in registers where
 * they can; where a lane does not fit one, there is nothing to gain.
 */
static __attribute__((__noinline__)) void permute_state(u64 *state,
							unsigned int rounds)
{
#ifdef LANE_ROUND_CALLS
	keccak_rounds(state, rounds);
#else
	u64 a[SRND_KECCAK_LANES];

	MOVE_STATE(a, state);
	keccak_rounds(a, rounds);
	MOVE_STATE(state, a);
#endif
}

static __always_inline void permute_once(u64 *state, unsigned int rounds)
{
	permute_state(state, rounds);
	burn_stack();
}

#endif
