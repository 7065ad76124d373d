/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cases share. They run as KUnit in a kernel and natively, where
 * userspace/native/kunit/test.h stands in; so they use the core, the vectors
 * and this header, and nothing of either world.
 */
#ifndef SRND_CASES_H
#define SRND_CASES_H

#include <kunit/test.h>

#include "../driver/core/format.h"

extern struct kunit_suite srnd_chacha_suite;
extern struct kunit_suite srnd_aes_suite;
extern struct kunit_suite srnd_keccak_suite;
extern struct kunit_suite srnd_backend_suite;
extern struct kunit_suite srnd_format_suite;

/* Given by who runs the cases: SRND_CPU_* bits, and the vector unit's guard. */
u32 srnd_cases_cpu(void);
bool srnd_cases_simd_begin(void);
void srnd_cases_simd_end(void);

/* Generators of parameters were not told the test before Linux 6.18. */
#ifdef KUNIT_CASE_PARAM_WITH_INIT
#define SRND_PARAMS(prev, desc)	\
	struct kunit *test, const void *prev, char *desc
#else
#define SRND_PARAMS(prev, desc) const void *prev, char *desc
#endif

/* Older kernels do not log why a parameter was skipped, so we do. */
#define SRND_SKIP(test, ...)						\
	do {								\
		kunit_info(test, "SKIP " __VA_ARGS__);			\
		kunit_skip(test, __VA_ARGS__);				\
	} while (0)

/* The row after @prev (the first after NULL), its name in @desc. */
const void *srnd_cases_next_row(enum srnd_primitive p, const void *prev,
				char *desc);

/* Whether this processor can run a row, be it wise or not. */
bool srnd_cases_can_run(const struct srnd_backend *row);

/* The row that is the test's parameter; skips what cannot run here. */
const struct srnd_backend *srnd_cases_row(struct kunit *test);

/* Around each call of a row. No assertion in between. */
void srnd_cases_enter(struct kunit *test, const struct srnd_backend *row);
void srnd_cases_leave(const struct srnd_backend *row);

/* Zeroed memory for the time of the test. */
void *srnd_cases_alloc(struct kunit *test, size_t size);

/* The same bytes each time, others for each @stream. */
void srnd_cases_fill(void *to, size_t len, u32 stream);

/* How many bytes are the same from the start. */
size_t srnd_cases_same(const void *a, const void *b, size_t len);

#define SRND_ASSERT_SAME(test, got, want, len, ...)			\
	KUNIT_ASSERT_EQ_MSG(test, srnd_cases_same(got, want, len),	\
			    (size_t)(len), __VA_ARGS__)

/* Room for output at any alignment between guard bytes. */
#define SRND_GUARD 64

struct srnd_area {
	u8 *start;
	u8 *out;
	size_t len;
};

void srnd_area_init(struct kunit *test, struct srnd_area *area, size_t max);

/* Paints the area; the caller then writes @len bytes to what is returned. */
u8 *srnd_area_open(struct srnd_area *area, size_t align, size_t len);

/* How many bytes are right, from the first guard byte, and how many exist. */
size_t srnd_area_right(const struct srnd_area *area, const void *want);
size_t srnd_area_total(const struct srnd_area *area);

#define SRND_ASSERT_AREA(test, area, want, ...)				\
	KUNIT_ASSERT_EQ_MSG(test, srnd_area_right(area, want),		\
			    srnd_area_total(area), __VA_ARGS__)

#endif
