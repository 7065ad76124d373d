/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keccak-p[1600] written once over a type of lanes, so that the scalar and all
 * vector variants are the same code. A file that includes this first defines
 *
 *	lane_t				a lane of one state, or of several
 *	LANE_SET(x)			the 64-bit x in every state
 *	LANE_XOR(a, b)			a ^ b
 *	LANE_XOR5(a, b, c, d, e)	a ^ b ^ c ^ d ^ e
 *	LANE_RAX(a, b)			a ^ rol(b, 1)
 *	LANE_XAR(a, b, n)		rol(a ^ b, n), n a literal
 *	LANE_CHI(a, b, c)		a ^ (~b & c)
 *	LANE_BURN			bytes, see burn_stack()
 *
 * and, where it pays, LANE_RUNNING_SUMS (see below) or LANE_ROUND_CALLS, which
 * makes each round a call: a small frame where even one lane fills registers.
 */
#ifndef SRND_KECCAK_ROUND_H
#define SRND_KECCAK_ROUND_H

#include "keccak.h"

/*
 * Rounds work in place, so that a state fits the registers (or half the stack):
 * a new plane goes where its five lanes came from, columns kept. So round r
 * finds lane (x, y) in row (2^r - 1) x + 2^r y modulo 5 of column x, and every
 * fourth round finds it at home.
 */
#define PLACE(r, x, y)							\
	((x) + 5 * ((((1 << (r)) - 1) * (x) + (1 << (r)) * (y)) % 5))

/*
 * theta's column sums c0..c4: where registers hold a whole state they are taken
 * from it when due, newest plane last; else (LANE_RUNNING_SUMS) every new plane
 * adds itself while at hand.
 */
#define COLUMN(r, x)							\
	LANE_XOR5(a[PLACE(r, x, 1)], a[PLACE(r, x, 2)],			\
		  a[PLACE(r, x, 4)], a[PLACE(r, x, 0)],			\
		  a[PLACE(r, x, 3)])

#define SUM_STATE(r)							\
	do {								\
		c0 = COLUMN(r, 0);					\
		c1 = COLUMN(r, 1);					\
		c2 = COLUMN(r, 2);					\
		c3 = COLUMN(r, 3);					\
		c4 = COLUMN(r, 4);					\
	} while (0)

#define SUM_PLANE(r, y)							\
	do {								\
		c0 = LANE_XOR(c0, TO(r, 0, y));				\
		c1 = LANE_XOR(c1, TO(r, 1, y));				\
		c2 = LANE_XOR(c2, TO(r, 2, y));				\
		c3 = LANE_XOR(c3, TO(r, 3, y));				\
		c4 = LANE_XOR(c4, TO(r, 4, y));				\
	} while (0)

#define RAX_SUMS()							\
	do {								\
		d1 = LANE_RAX(c0, c2);					\
		d4 = LANE_RAX(c3, c0);					\
		d0 = LANE_RAX(c4, c1);					\
		d2 = LANE_RAX(c1, c3);					\
		d3 = LANE_RAX(c2, c4);					\
	} while (0)

#ifdef LANE_RUNNING_SUMS
#define THETA(r)							\
	do {								\
		RAX_SUMS();						\
		c0 = c1 = c2 = c3 = c4 = LANE_SET(0);			\
	} while (0)
#define SUM_ADD(r, y) SUM_PLANE(r, y)
#else
#define THETA(r)							\
	do {								\
		lane_t c0, c1, c2, c3, c4;				\
									\
		SUM_STATE(r);						\
		RAX_SUMS();						\
	} while (0)
#define SUM_ADD(r, y) ((void)0)
#endif

/* pi: lane x of a new plane y comes from column x + 3y of old plane x. */
#define FROM(r, x, y) a[PLACE(r, ((x) + 3 * (y)) % 5, x)]
#define TO(r, x, y) a[PLACE((r) + 1, x, y)]

/*
 * theta's second half, rho, pi and chi of one new plane, by the sums and the
 * distances of its lanes. Plane 0 is apart: its lane 0 does not rotate.
 */
#define PLANE_REST(r, y, s1, n1, s2, n2, s3, n3, s4, n4)		\
	do {								\
		lane_t b1 = LANE_XAR(FROM(r, 1, y), s1, n1);		\
		lane_t b2 = LANE_XAR(FROM(r, 2, y), s2, n2);		\
		lane_t b3 = LANE_XAR(FROM(r, 3, y), s3, n3);		\
		lane_t b4 = LANE_XAR(FROM(r, 4, y), s4, n4);		\
									\
		TO(r, 0, y) = LANE_CHI(b0, b1, b2);			\
		TO(r, 1, y) = LANE_CHI(b1, b2, b3);			\
		TO(r, 2, y) = LANE_CHI(b2, b3, b4);			\
		TO(r, 3, y) = LANE_CHI(b3, b4, b0);			\
		TO(r, 4, y) = LANE_CHI(b4, b0, b1);			\
	} while (0)

#define PLANE_0(r)							\
	do {								\
		lane_t b0 = LANE_XOR(a[0], d0);				\
									\
		PLANE_REST(r, 0, d1, 44, d2, 43, d3, 21, d4, 14);	\
		a[0] = LANE_XOR(a[0], LANE_SET(constants[r]));		\
		SUM_ADD(r, 0);						\
	} while (0)

#define PLANE(r, y, s0, n0, ...)					\
	do {								\
		lane_t b0 = LANE_XAR(FROM(r, 0, y), s0, n0);		\
									\
		PLANE_REST(r, y, __VA_ARGS__);				\
		SUM_ADD(r, y);						\
	} while (0)

/* The orders of planes and sums are those measured to be fastest. */
#define ROUND(r)							\
	do {								\
		lane_t d0, d1, d2, d3, d4;				\
									\
		THETA(r);						\
		PLANE(r, 1, d3, 28, d4, 20, d0, 3, d1, 45, d2, 61);	\
		PLANE(r, 2, d1, 1, d2, 6, d3, 25, d4, 8, d0, 18);	\
		PLANE(r, 4, d2, 62, d3, 55, d4, 39, d0, 41, d1, 2);	\
		PLANE_0(r);						\
		PLANE(r, 3, d4, 27, d0, 36, d1, 10, d2, 15, d3, 56);	\
	} while (0)

#ifdef LANE_ROUND_CALLS
#define ROUND_FUNCTION(r)						\
	static __attribute__((__noinline__)) void			\
	round_##r(lane_t a[SRND_KECCAK_LANES], const u64 *constants)	\
	{								\
		ROUND(r);						\
	}

ROUND_FUNCTION(0)
ROUND_FUNCTION(1)
ROUND_FUNCTION(2)
ROUND_FUNCTION(3)
#define RUN_ROUND(r) round_##r(a, constants)
#else
#define RUN_ROUND(r) ROUND(r)
#endif

/* The last @rounds rounds, a multiple of four. */
static __always_inline void keccak_rounds(lane_t a[SRND_KECCAK_LANES],
					  unsigned int rounds)
{
	const u64 *constants = srnd_keccak_constants + 24 - rounds;
#ifdef LANE_RUNNING_SUMS
	lane_t c0, c1, c2, c3, c4;

	SUM_STATE(0);
#endif
	for (; rounds; rounds -= 4, constants += 4) {
		RUN_ROUND(0);
		RUN_ROUND(1);
		RUN_ROUND(2);
		RUN_ROUND(3);
	}
}

/*
 * A state in registers has no address to wipe, and what the compiler spilled of
 * it stays below the caller's frame. Called next, this covers the same bytes;
 * LANE_BURN exceeds the frame of the function that was called before.
 */
static __attribute__((__noinline__)) void burn_stack(void)
{
	u8 stack[LANE_BURN];

	srnd_wipe(stack, sizeof(stack));
}

#endif
