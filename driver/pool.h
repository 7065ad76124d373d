/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Secure mode: one instance of each generator on each CPU, rekeyed from the
 * kernel's RNG, with fast key erasure.
 *
 * Everything here is for process context, after the kernel RNG is ready
 * (srnd_pool_ready), except that mixing, reseeding and the generation work at
 * any time.
 */
#ifndef SRND_POOL_H
#define SRND_POOL_H

#include <linux/wait.h>

#include "core/format.h"

struct page;

enum srnd_generator {
	SRND_GEN_CHACHA20,
	SRND_GEN_SHAKE256,
	SRND_GEN_AES256,
	SRND_GENERATORS,
};

/* The generator of a public format number or of a name; negative if none. */
int srnd_generator_by_number(u32 number);
int srnd_generator_by_name(const char *name);

u32 srnd_generator_number(enum srnd_generator g);
const char *srnd_generator_name(enum srnd_generator g);
/* The format whose keystream serves as this generator's output. */
const struct srnd_format *srnd_generator_format(enum srnd_generator g);

/* @reseed_seconds: the age at which an instance is rekeyed. */
int srnd_pool_init(unsigned int reseed_seconds);
void srnd_pool_exit(void);

/*
 * Waits until the kernel RNG is ready. 0, -ERESTARTSYS after a signal, or
 * -EAGAIN at once if @nowait.
 */
int srnd_pool_ready(bool nowait);

/* Woken when the kernel RNG becomes ready and when the generation changes. */
extern struct wait_queue_head srnd_pool_wait;

/* For poll: makes sure that readiness, if still to come, wakes the queue. */
void srnd_pool_watch_ready(void);

/* Rises whenever all instances must be renewed. Never 0. */
u64 srnd_pool_generation(void);

/* The read-only page for mmap: struct shakerandom_page. */
struct page *srnd_pool_page(void);

/* A new generation: no byte computed before this is delivered after it. */
void srnd_pool_reseed(void);

#define SRND_MIX 64
/* Adds a digest of what a user wrote, uncredited, to what rekeying uses. */
void srnd_pool_mix(const u8 digest[SRND_MIX]);

/*
 * Adds the processor's own randomness and the moment. This is what tells apart
 * clones of a machine that were not told: they have the kernel RNG in common,
 * too, until it reseeds.
 */
void srnd_pool_mix_moment(void);

/*
 * @len random bytes from this CPU's buffer, which forgets them. May sleep.
 * Meant for requests of up to a few hundred bytes.
 */
void srnd_pool_take(enum srnd_generator g, u8 *out, size_t len);

/*
 * A long read: a one-time key, taken from this CPU's instance, which forgets
 * it; generating then needs no lock. Every begin is paired with an end, which
 * wipes it.
 */
struct srnd_bulk {
	enum srnd_generator generator;
	union srnd_instance instance;
	u64 generation;
	u64 born;
	u64 offset;
};

void srnd_bulk_begin(struct srnd_bulk *b, enum srnd_generator g);

/* @len random bytes, under a fresh key when the old one has become stale. */
void srnd_bulk_read(struct srnd_bulk *b, u8 *out, size_t len);

void srnd_bulk_end(struct srnd_bulk *b);

#endif
