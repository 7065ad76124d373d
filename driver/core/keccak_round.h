/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keccak-p[1600] written once over a type of lanes, so that the scalar and all
 * vector variants are the same code. A file that includes this first defines
 *
 *	lane_t			one lane, of one state or of several side by side
 *	XOR(a, b)		a ^ b
 *	XOR5(a, b, c, d, e)	a ^ b ^ c ^ d ^ e
 *	RAX(a, b)		a ^ rol(b, 1)
 *	XAR(a, b, n)		rol(a ^ b, n), n a literal
 *	CHI(a, b, c)		a ^ (~b & c)
 *	BROADCAST(x)		a lane that holds the 64-bit x in every state
 */
#ifndef SRND_KECCAK_ROUND_H
#define SRND_KECCAK_ROUND_H

#include "keccak.h"

/*
 * Rounds work in place, so that a state fits the registers (or half the stack):
 * a plane's five lanes come from five places, and go back to these with columns
 * kept. So round r finds lane (x, y) in place (x, (2^r - 1) x + 2^r y), modulo
 * 5, and every fourth round finds it at home.
 */
#define PLACE(r, x, y)							\
	((x) + 5 * ((((1 << (r)) - 1) * (x) + (1 << (r)) * (y)) % 5))

/* Summed in the order in which the last round made them, newest last. */
#define COLUMN(r, x)							\
	XOR5(a[PLACE(r, x, 0)], a[PLACE(r, x, 1)], a[PLACE(r, x, 2)],	\
	     a[PLACE(r, x, 3)], a[PLACE(r, x, 4)])

#define THETA(r)							\
	do {								\
		lane_t c0 = COLUMN(r, 0), c1 = COLUMN(r, 1), c2 = COLUMN(r, 2),	\
		       c3 = COLUMN(r, 3), c4 = COLUMN(r, 4);			\
									\
		d0 = RAX(c4, c1);					\
		d3 = RAX(c2, c4);					\
		d1 = RAX(c0, c2);					\
		d4 = RAX(c3, c0);					\
		d2 = RAX(c1, c3);					\
	} while (0)

/*
 * rho, pi and chi of one new plane: pi takes its lane x from column x + 3y of
 * old plane x. Plane 0 is apart because its lane 0 does not rotate.
 */
#define FROM(r, x, y) a[PLACE(r, ((x) + 3 * (y)) % 5, x)]
#define TO(r, x, y) a[PLACE((r) + 1, x, y)]

#define REST(r, y, dv, v, dw, w, dx, x, dz, z)				\
	do {								\
		lane_t b1 = XAR(FROM(r, 1, y), dv, v);			\
		lane_t b2 = XAR(FROM(r, 2, y), dw, w);			\
		lane_t b3 = XAR(FROM(r, 3, y), dx, x);			\
		lane_t b4 = XAR(FROM(r, 4, y), dz, z);			\
									\
		TO(r, 0, y) = CHI(b0, b1, b2);				\
		TO(r, 1, y) = CHI(b1, b2, b3);				\
		TO(r, 2, y) = CHI(b2, b3, b4);				\
		TO(r, 3, y) = CHI(b3, b4, b0);				\
		TO(r, 4, y) = CHI(b4, b0, b1);				\
	} while (0)

#define PLANE(r, y, du, u, ...)						\
	do {								\
		lane_t b0 = XAR(FROM(r, 0, y), du, u);			\
									\
		REST(r, y, __VA_ARGS__);				\
	} while (0)

#define PLANE0(r)							\
	do {								\
		lane_t b0 = XOR(a[0], d0);				\
									\
		REST(r, 0, d1, 44, d2, 43, d3, 21, d4, 14);		\
	} while (0)

#define ROUND(r)							\
	do {								\
		lane_t d0, d1, d2, d3, d4;				\
									\
		THETA(r);						\
		PLANE0(r);						\
		a[0] = XOR(a[0], BROADCAST(constants[r]));		\
		PLANE(r, 1, d3, 28, d4, 20, d0, 3, d1, 45, d2, 61);	\
		PLANE(r, 2, d1, 1, d2, 6, d3, 25, d4, 8, d0, 18);	\
		PLANE(r, 3, d4, 27, d0, 36, d1, 10, d2, 15, d3, 56);	\
		PLANE(r, 4, d2, 62, d3, 55, d4, 39, d0, 41, d1, 2);	\
	} while (0)

/* The last @rounds rounds, a multiple of 4. */
static __always_inline void permute(lane_t a[SRND_KECCAK_LANES],
				    unsigned int rounds)
{
	const u64 *constants = srnd_keccak_constants + 24 - rounds;

	for (; rounds; rounds -= 4, constants += 4) {
		ROUND(0);
		ROUND(1);
		ROUND(2);
		ROUND(3);
	}
}

#endif
