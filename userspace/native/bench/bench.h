/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the benchmark times: contenders, each of which makes one kind of bytes
 * in calls of one size. Those with the same @what make the same bytes, which is
 * checked, so that what is compared is the same work.
 */
#ifndef SRND_BENCH_H
#define SRND_BENCH_H

#include "../../../driver/core/format.h"

/*
 * Makes the next @size bytes at @out; @state is the contender's. Absorbing
 * takes @size bytes of a message instead and leaves @out alone.
 */
typedef void bench_call(void *state, u8 *out, size_t size);

struct contender {
	const char *what;	/* a format's name, mostly */
	const char *variant;	/* a row's name; of a peer: its library's */
	bool peer;
	bool apart;		/* runs in the second process only */
	bool time;		/* what counts is the time of a call */
	size_t size;
	bench_call *call;
	void *state;		/* never freed: it lives as long as the run */
};

#define BENCH_SIZES 5
extern const size_t bench_sizes[BENCH_SIZES];

/* What cannot keep its place in its output is asked for this much at a time. */
#define BENCH_LONG ((size_t)1 << 20)

/* Enters a contender (a copy). All strings must stay. */
void bench_enter(const struct contender *c);

/* Says that a variant of ours or a peer is not measured, and why. */
void bench_lacks(const char *what, const char *variant, bool peer,
		 const char *why);

/* Ends the program unless @ok. */
void bench_require(bool ok, const char *what);

/* Zeroed memory at a cache line's start. */
void *bench_memory(size_t size);

/* The plain text of ciphers: as many zeros as the largest of bench_sizes. */
extern const u8 bench_zeros[];

/* The next BENCH_LONG bytes of a long message from @at, which moves on. */
const u8 *bench_message(size_t *at);

/*
 * Enter what they have. @apart: this is the second process. Peers whose library
 * was not there at build time are not linked, hence weak.
 */
typedef void bench_enter_fn(bool apart);
bench_enter_fn bench_ours;
bench_enter_fn bench_openssl __attribute__((weak));
bench_enter_fn bench_gcrypt __attribute__((weak));
bench_enter_fn bench_ipsec __attribute__((weak));

#endif
