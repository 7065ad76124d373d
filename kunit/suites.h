/* SPDX-License-Identifier: GPL-2.0 */
/* The suites that need a kernel; those of the core are in cases.h. */
#ifndef SRND_SUITES_H
#define SRND_SUITES_H

#include "../driver/stream.h"
#include "cases.h"

extern struct kunit_suite srnd_context_suite;
extern struct kunit_suite srnd_pool_suite;
extern struct kunit_suite srnd_stream_suite;
extern struct kunit_suite srnd_deliver_suite;

/* Seconds after which the pool under test renews its keys. */
#define SRND_SUITES_AGE 60

/* A .suite_init: chooses backends and sets the pool up, once. */
int srnd_suites_prepare(struct kunit_suite *suite);

/* With bench=1: measures, and logs the results. 0 or -ENOMEM. */
int srnd_bench_run(void);

/* Parameters: the row of each format (struct srnd_format), in their order. */
const void *srnd_suites_formats(SRND_PARAMS(prev, desc));

/* The SHAKERANDOM_* number of a row; 0 for NULL. */
u32 srnd_suites_number(const struct srnd_format *f);

/*
 * An open file as the driver sees one, and one call on it: what ki_pos is after
 * the call, it is before the next.
 */
struct srnd_fake {
	struct file file;
	struct kiocb iocb;
	struct srnd_file state;
	const struct srnd_format *format;	/* NULL: secure mode */
	struct srnd_fake *next;
};

/* Seeded in a way of its own for each format; @flags: of struct kiocb. */
struct srnd_fake *srnd_fake_open(struct kunit *test,
				 const struct srnd_format *f, int flags);

/* The same, ready to absorb more. */
struct srnd_fake *srnd_fake_absorbing(struct kunit *test,
				      const struct srnd_format *f);

/* An .exit for tests that open any. */
void srnd_fake_close_all(struct kunit *test);

/* What such a file gives, according to the core. */
u8 *srnd_fake_stream(struct kunit *test, const struct srnd_format *f,
		     u64 offset, size_t len);

/* The same with a message of @added bytes, as srnd_cases_fill(9), absorbed. */
u8 *srnd_fake_absorbed(struct kunit *test, const struct srnd_format *f,
		       size_t added, size_t len);

/* Stream number of srnd_cases_fill for what is absorbed. */
#define SRND_FAKE_MESSAGE 9

#endif
