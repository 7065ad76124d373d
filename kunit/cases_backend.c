// SPDX-License-Identifier: GPL-2.0
#include "cases.h"

#define NAME_MAX_LEN 15	/* of shakerandom_info.backend */

/* The cases below run for each primitive: the parameter points to here. */
static const enum srnd_primitive primitives[SRND_PRIMITIVES] = {
	SRND_CHACHA, SRND_AES, SRND_KECCAK, SRND_SECTORS,
};

static enum srnd_primitive primitive(struct kunit *test)
{
	return *(const enum srnd_primitive *)test->param_value;
}

static unsigned int count(enum srnd_primitive p)
{
	unsigned int n = 0;

	while (srnd_backend_row(p, n))
		n++;
	return n;
}

static const void *function(const struct srnd_backend *row,
			    enum srnd_primitive p)
{
	switch (p) {
	case SRND_CHACHA:
		return row->chacha;
	case SRND_AES:
		return row->aes;
	case SRND_KECCAK:
		return row->keccak;
	default:
		return row->sectors;
	}
}

/* The portable row, and only it, ends each table and runs everywhere. */
static void portable_is_last(struct kunit *test)
{
	enum srnd_primitive p = primitive(test);
	unsigned int n = count(p), i;
	const struct srnd_backend *row = srnd_backend_row(p, n - 1);

	KUNIT_ASSERT_TRUE(test, n >= 1 && n <= 32);
	KUNIT_ASSERT_PTR_EQ(test, row, srnd_portable_engine.row[p]);
	KUNIT_ASSERT_STREQ(test, row->name, "portable");
	KUNIT_ASSERT_EQ(test, row->needs | row->avoid, 0U);
	KUNIT_ASSERT_FALSE(test, row->section);
	for (i = 0; i < n - 1; i++) {
		row = srnd_backend_row(p, i);
		KUNIT_ASSERT_STRNEQ(test, row->name, "portable");
		KUNIT_ASSERT_NE(test, row->needs, 0U);
	}
	KUNIT_ASSERT_PTR_EQ(test, srnd_backend_row(p, n + 1), NULL);
}

static void rows_are_sound(struct kunit *test)
{
	enum srnd_primitive p = primitive(test);
	const struct srnd_backend *row;
	unsigned int i;

	for (i = 0; (row = srnd_backend_row(p, i)); i++) {
		KUNIT_ASSERT_NOT_NULL(test, function(row, p));
		KUNIT_ASSERT_TRUE(test, p != SRND_AES || row->expand);
		KUNIT_ASSERT_TRUE(test, row->name[0] &&
				  strlen(row->name) <= NAME_MAX_LEN);
		KUNIT_ASSERT_EQ(test, row->needs & row->avoid, 0U);
		KUNIT_ASSERT_EQ(test, row->section & (row->section - 1), 0);
		KUNIT_ASSERT_TRUE(test, row->section <= 16384);
		/* All but BMI is of the vector unit. */
		KUNIT_ASSERT_EQ_MSG(test, !!row->section,
				    !!(row->needs & ~SRND_CPU_BMI),
				    "%s", row->name);
		KUNIT_ASSERT_EQ_MSG(test,
				    srnd_backend_named(p, row->name,
						       strlen(row->name)),
				    (u32)BIT(i), "%s", row->name);
	}
}

/* Invented processors: just enough, one thing missing, one too many. */
static void needs_and_avoids(struct kunit *test)
{
	enum srnd_primitive p = primitive(test);
	const struct srnd_backend *row;
	unsigned int i, bit;

	for (i = 0; (row = srnd_backend_row(p, i)); i++) {
		u32 me = BIT(i);

		KUNIT_ASSERT_EQ(test, srnd_backend_usable(p, row->needs) & me,
				me);
		KUNIT_ASSERT_EQ(test, srnd_backend_usable(p, ~row->avoid) & me,
				me);
		for (bit = 0; bit < 32; bit++) {
			u32 b = BIT(bit);
			u32 less = srnd_backend_usable(p, row->needs & ~b);
			u32 more = srnd_backend_usable(p, row->needs | b);

			KUNIT_ASSERT_EQ_MSG(test, less & me,
					    row->needs & b ? 0U : me,
					    "%s without bit %u", row->name,
					    bit);
			KUNIT_ASSERT_EQ_MSG(test, more & me,
					    row->avoid & b ? 0U : me,
					    "%s with bit %u", row->name, bit);
		}
	}
}

static void portable_is_the_last_resort(struct kunit *test)
{
	enum srnd_primitive p = primitive(test);
	unsigned int n = count(p);

	KUNIT_ASSERT_EQ(test, srnd_backend_usable(p, 0), (u32)BIT(n - 1));
	KUNIT_ASSERT_PTR_EQ(test, srnd_backend_first(p, 0),
			    srnd_portable_engine.row[p]);
	if (n < 32)
		KUNIT_ASSERT_PTR_EQ(test, srnd_backend_first(p, ~0U << n),
				    srnd_portable_engine.row[p]);
}

static void the_first_row_wins(struct kunit *test)
{
	enum srnd_primitive p = primitive(test);
	unsigned int n = count(p), i;
	u32 all = (u32)(BIT(n) - 1);

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_PTR_EQ(test, srnd_backend_first(p, BIT(i)),
				    srnd_backend_row(p, i));
		KUNIT_ASSERT_PTR_EQ(test, srnd_backend_first(p, all << i),
				    srnd_backend_row(p, i));
	}
}

static void names_match_whole(struct kunit *test)
{
	enum srnd_primitive p = primitive(test);
	unsigned int n = count(p);
	u32 portable;

	KUNIT_ASSERT_NE(test, n, 0U);
	portable = BIT(n - 1);
	KUNIT_ASSERT_EQ(test, srnd_backend_named(p, "portable", 8), portable);
	KUNIT_ASSERT_EQ(test, srnd_backend_named(p, "portable,x", 8), portable);
	KUNIT_ASSERT_EQ(test, srnd_backend_named(p, "portable", 7), 0U);
	KUNIT_ASSERT_EQ(test, srnd_backend_named(p, "portable,x", 10), 0U);
	KUNIT_ASSERT_EQ(test, srnd_backend_named(p, "Portable", 8), 0U);
	KUNIT_ASSERT_EQ(test, srnd_backend_named(p, "", 0), 0U);
}

static void primitives_have_names(struct kunit *test)
{
	KUNIT_ASSERT_STREQ(test, srnd_primitive_names[SRND_CHACHA], "chacha");
	KUNIT_ASSERT_STREQ(test, srnd_primitive_names[SRND_AES], "aes");
	KUNIT_ASSERT_STREQ(test, srnd_primitive_names[SRND_KECCAK], "keccak");
	KUNIT_ASSERT_STREQ(test, srnd_primitive_names[SRND_SECTORS],
			   "sectors");
}

static const void *each(SRND_PARAMS(prev, desc))
{
	const enum srnd_primitive *p = prev;

	p = p ? p + 1 : primitives;
	if (p == primitives + SRND_PRIMITIVES)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", srnd_primitive_names[*p]);
	return p;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(primitives_have_names),
	KUNIT_CASE_PARAM(portable_is_last, each),
	KUNIT_CASE_PARAM(rows_are_sound, each),
	KUNIT_CASE_PARAM(needs_and_avoids, each),
	KUNIT_CASE_PARAM(portable_is_the_last_resort, each),
	KUNIT_CASE_PARAM(the_first_row_wins, each),
	KUNIT_CASE_PARAM(names_match_whole, each),
	{}
};

struct kunit_suite srnd_backend_suite = {
	.name = "shakerandom_backend",
	.test_cases = cases,
};
