/* SPDX-License-Identifier: MIT */
/*
 * Normal variates by Marsaglia and Tsang's ziggurat (2000), in whole numbers,
 * so that they are the same on every machine. Edges and x: units of 2^-60;
 * heights: 2^-63.
 */
#include "internal.h"
#include "normal_table.h"

#define ONE (UINT64_C(1) << 63)

typedef uint64_t (*source)(shakerandom_stream *);

/*
 * exp(-x^2 / 2). The square's high half, in units of 2^-57, is x^2 / 2 there
 * and x^2 / 128 in units of 2^-63: its exponential by 12 terms of the series,
 * squared six times.
 */
static uint64_t density(uint64_t x)
{
	uint64_t y = srnd_mulhi(x, x), e = ONE;

	for (unsigned int n = 12; n; n--)
		e = ONE - srnd_mulhi(y << 1, e) / n;
	for (unsigned int i = 0; i < 6; i++)
		e = srnd_mulhi(e, e) << 1;
	return e;
}

/*
 * An exponential variate in units of 2^-60, by von Neumann's comparisons: a
 * falling run u > u' > ... has an odd length with probability exp(-u).
 */
static uint64_t exponential(source next, shakerandom_stream *s)
{
	uint64_t first, last, u;
	unsigned int k, length;

	for (k = 0; k < 16; k++) {
		first = last = next(s);
		for (length = 1; (u = next(s)) < last; length++)
			last = u;
		if (length % 2)
			return (uint64_t)k << 60 | first >> 4;
	}
	return UINT64_MAX;	/* once in 9 million, near enough to 16 */
}

/* Beyond edge[1] (Marsaglia 1964). */
static SRND_COLD uint64_t tail(source next, shakerandom_stream *s)
{
	uint64_t t, f;

	do {
		t = srnd_mulhi(exponential(next, s), INVERSE_TAIL);
		f = exponential(next, s);
	} while (srnd_mulhi(t, t) >= f >> 3);
	return edge[1] + t;
}

static SRND_COLD bool under_curve(uint64_t x, unsigned int i, uint64_t v)
{
	uint64_t y = height[i] + srnd_mulhi(v, height[i + 1] - height[i]);

	return y < density(x);
}

int64_t srnd_normal(source next, shakerandom_stream *s)
{
	for (;;) {
		uint64_t r = next(s);
		unsigned int i = r & 255;
		uint64_t x = srnd_mulhi(r >> 9 << 9, edge[i]);

		if (srnd_likely(x < edge[i + 1]))
			;
		else if (!i)
			x = tail(next, s);
		else if (!under_curve(x, i, next(s)))
			continue;
		return r >> 8 & 1 ? -(int64_t)(x >> 11) : (int64_t)(x >> 11);
	}
}
