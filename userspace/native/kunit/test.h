/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of KUnit that the cases use, over cmocka. A failed expectation of
 * any kind ends the test; there is no need to go on after the first.
 */
#ifndef SRND_NATIVE_KUNIT_TEST_H
#define SRND_NATIVE_KUNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define KUNIT_PARAM_DESC_SIZE 128
#define GFP_KERNEL 0

struct kunit_memory;

struct kunit {
	const void *param_value;
	struct kunit_memory *memory;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(function) { .run_case = function, .name = #function }
#define KUNIT_CASE_PARAM(function, generator) {	\
	.run_case = function, .name = #function,	\
	.generate_params = generator }

/* Freed after the test. */
void *kunit_kzalloc(struct kunit *test, size_t size, int flags);

/* kunit_skip says it, too. */
#define kunit_info(test, ...) ((void)0)

/* Says why on standard output and ends the test. */
void kunit_skip(struct kunit *test, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* Ends the test with @what and the message. */
void kunit_native_fail(const char *file, int line, const char *what,
		       const char *format, ...)
	__attribute__((format(printf, 4, 5), noreturn));

#define KUNIT_ASSERT_TRUE_MSG(test, condition, ...)			\
	do {								\
		if (!(condition))					\
			kunit_native_fail(__FILE__, __LINE__, #condition,	\
					  __VA_ARGS__);			\
	} while (0)

/* Integers; the values are printed as signed ones of 64 bits. */
#define KUNIT_NATIVE_COMPARE(a, op, b, ...)				\
	do {								\
		__typeof__(a) left_ = (a);				\
		__typeof__(b) right_ = (b);				\
		char values_[160];					\
									\
		if (left_ op right_)					\
			break;						\
		snprintf(values_, sizeof(values_), "%.80s is %lld, not %s %lld",	\
			 #a, (long long)left_, #op, (long long)right_);	\
		kunit_native_fail(__FILE__, __LINE__, values_, __VA_ARGS__);	\
	} while (0)

#define KUNIT_ASSERT_EQ_MSG(test, a, b, ...)	\
	KUNIT_NATIVE_COMPARE(a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_EQ(test, a, b) KUNIT_ASSERT_EQ_MSG(test, a, b, " ")
#define KUNIT_ASSERT_NE(test, a, b) KUNIT_NATIVE_COMPARE(a, !=, b, " ")
#define KUNIT_ASSERT_TRUE(test, condition)	\
	KUNIT_ASSERT_TRUE_MSG(test, condition, " ")
#define KUNIT_ASSERT_FALSE(test, condition)	\
	KUNIT_ASSERT_TRUE(test, !(condition))
#define KUNIT_ASSERT_NOT_NULL(test, p) KUNIT_ASSERT_TRUE(test, (p) != NULL)
#define KUNIT_ASSERT_PTR_EQ(test, a, b)	\
	KUNIT_ASSERT_TRUE(test, (const void *)(a) == (const void *)(b))
#define KUNIT_ASSERT_STREQ(test, a, b) KUNIT_ASSERT_EQ(test, strcmp(a, b), 0)
#define KUNIT_ASSERT_STRNEQ(test, a, b) KUNIT_ASSERT_NE(test, strcmp(a, b), 0)

#endif
