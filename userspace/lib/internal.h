/* SPDX-License-Identifier: MIT */
/* What the library's files share; nothing of it is exported. */
#ifndef SRND_INTERNAL_H
#define SRND_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "shakerandom.h"

#define SRND_EXPORT __attribute__((visibility("default")))
#define SRND_COLD __attribute__((cold, noinline))
#define srnd_likely(x) __builtin_expect(!!(x), 1)

/* Nothing moves across: what comes before is visible to a signal handler. */
#define srnd_signal_fence() atomic_signal_fence(memory_order_seq_cst)

/* ---- error.c ---- */

/* What errno, as open(2) of the device left it, stands for. */
int srnd_error_of_open(void);

/* Ends the program; see "Failure" in shakerandom.h. */
SRND_COLD __attribute__((noreturn)) void srnd_die(int error);

/* ---- node.c ---- */

/*
 * Where secure bytes come from. Never changed and never freed once published,
 * so that it can be read without a lock.
 */
struct srnd_node {
	/* Bytes older than it are void; the address is this node's alone. */
	const volatile uint64_t *generation;
	uint64_t no_generation;		/* where there is no page to watch */
	int fd;
	enum shakerandom_source source;
};

/* The generation of the present node. */
extern const volatile uint64_t *_Atomic srnd_page;

/* The node, opened if need be. */
int srnd_node_get(const struct srnd_node **node);

/* Reads exactly @len bytes; a lost descriptor is opened anew. */
int srnd_node_read(const struct srnd_node *node, void *buf, size_t len);

/* Opens the device, or its stand-in. A descriptor or an error. */
int srnd_device_open(int access);
bool srnd_stands_in(void);

/*
 * True if @fd is an open device whose reads go on as @mode, @format and
 * @position say (the latter two only for seeded files); where it cannot be
 * asked, true. @format and @position are ignored for MODE_RANDOM.
 */
bool srnd_device_is(int fd, uint32_t mode, uint32_t format, uint64_t position);

/* ---- memory.c ---- */

/* Zeroed memory, left out of core dumps; NULL if there is none. */
void *srnd_map(size_t len);
void srnd_unmap(void *p, size_t len);
void srnd_wipe(void *p, size_t len);

/* Keeps this thread from being cancelled until srnd_cancel_restore. */
int srnd_cancel_disable(void);
void srnd_cancel_restore(int state);

/* ---- stream.c ---- */

#define SRND_STREAM_END ((uint64_t)INT64_MAX)
#define SRND_STREAM_AHEAD 4096	/* bytes read ahead */

struct shakerandom_stream {
	const struct shakerandom_description *format;
	uint64_t position;	/* of the next byte to give */
	size_t left;		/* bytes read ahead: the last of ahead[] */
	uint64_t bits;		/* RULES_AES_PRNG: what bool gives next */
	uint32_t bits_left;
	uint32_t rules;
	uint32_t flags;
	int fd;
	uint64_t cookie;	/* a seekable file's position, never moved */
	bool stands_in;
	bool forgotten;		/* seed[] is no more */
	uint32_t seed_len;
	uint8_t nonce[SHAKERANDOM_NONCE_SIZE];
	uint8_t seed[SHAKERANDOM_SEED_MAX];
	uint8_t ahead[SRND_STREAM_AHEAD];
};

/* As stream_open does, but with the state of @model (all but the file). */
int srnd_stream_revive(shakerandom_stream **stream,
		       const struct shakerandom_stream *model);

/* Whether these could be the parameters of a stream. */
bool srnd_stream_valid(const struct shakerandom_stream *s);

/* ---- normal.c ---- */

/* A normal variate in units of 2^-49 from @next(@s), uniform numbers. */
int64_t srnd_normal(uint64_t (*next)(shakerandom_stream *),
		    shakerandom_stream *s);

/* ---- Numbers ---- */

static inline uint64_t srnd_le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		v = __builtin_bswap64(v);
	return v;
}

/* The high half of a * b; the low half goes to *@low. */
static inline uint64_t srnd_mul(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 p = (unsigned __int128)a * b;

	*low = (uint64_t)p;
	return (uint64_t)(p >> 64);
#else
	uint64_t al = (uint32_t)a, ah = a >> 32;
	uint64_t bl = (uint32_t)b, bh = b >> 32;
	uint64_t ll = al * bl, lh = al * bh, hl = ah * bl;
	uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;

	*low = mid << 32 | (uint32_t)ll;
	return ah * bh + (lh >> 32) + (hl >> 32) + (mid >> 32);
#endif
}

static inline uint64_t srnd_mulhi(uint64_t a, uint64_t b)
{
	uint64_t low;

	return srnd_mul(a, b, &low);
}

#endif
