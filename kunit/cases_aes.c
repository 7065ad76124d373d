// SPDX-License-Identifier: GPL-2.0
#include "cases.h"

struct aes_vector {
	const char *source;
	size_t key_len;
	const char *key, *counter;	/* the counter block: 16 bytes */
	const char *out;
	size_t len;
};

#include "vectors/aes.h"

#define BLOCKS 600	/* runs over the low byte of a counter twice */
#define WIDE 80		/* blocks: more than two passes of the widest variant */

/* A stream made by single calls of the portable code, and a row to compare. */
struct known {
	const struct srnd_backend *row;
	struct srnd_area area;
	struct srnd_aes_key key;
	struct srnd_aes_counter start;
	u8 *bytes;
};

/* Key sizes and byte orders. */
static const struct variety {
	size_t key_len;
	bool little_endian;
} varieties[] = { { 16, false }, { 16, true }, { 32, false }, { 32, true } };

static struct srnd_aes_counter later(const struct srnd_aes_counter *from,
				     u64 blocks)
{
	struct srnd_aes_counter c = *from;

	c.lo += blocks;
	if (c.lo < blocks)
		c.hi++;
	return c;
}

static struct known *known_new(struct kunit *test)
{
	struct known *k = srnd_cases_alloc(test, sizeof(*k));

	k->row = srnd_cases_row(test);
	k->bytes = srnd_cases_alloc(test, BLOCKS * SRND_AES_BLOCK);
	srnd_area_init(test, &k->area, BLOCKS * SRND_AES_BLOCK);
	return k;
}

static void known_make(struct known *k, const struct variety *v, u64 hi, u64 lo,
		       size_t blocks)
{
	struct srnd_aes_counter c;
	u8 raw[32];
	size_t i;

	srnd_cases_fill(raw, sizeof(raw), (u32)v->key_len);
	srnd_aes_expand_portable(&k->key, raw, v->key_len);
	k->start = (struct srnd_aes_counter) {
		.lo = lo, .hi = hi, .little_endian = v->little_endian };
	for (i = 0; i < blocks; i++) {
		c = later(&k->start, i);
		srnd_aes_portable(&k->key, &c, k->bytes + i * SRND_AES_BLOCK,
				  1);
	}
}

/* @blocks of the stream after the first @skip. */
static void known_check(struct kunit *test, struct known *k, size_t skip,
			size_t blocks, size_t align)
{
	u8 *out = srnd_area_open(&k->area, align, blocks * SRND_AES_BLOCK);
	struct srnd_aes_counter c = later(&k->start, skip);
	struct srnd_aes_counter after = later(&c, blocks);

	srnd_cases_enter(test, k->row);
	k->row->aes(&k->key, &c, out, blocks);
	srnd_cases_leave(k->row);

	SRND_ASSERT_AREA(test, &k->area, k->bytes + skip * SRND_AES_BLOCK,
			 "%u rounds, little %d, blocks %zu + %zu, align %zu",
			 k->key.rounds, k->start.little_endian, skip, blocks,
			 align);
	KUNIT_ASSERT_EQ(test, c.lo, after.lo);
	KUNIT_ASSERT_EQ(test, c.hi, after.hi);
	KUNIT_ASSERT_EQ(test, c.little_endian, after.little_endian);
}

static void answer(struct kunit *test, const struct srnd_backend *row,
		   const struct aes_vector *v, bool little_endian)
{
	struct srnd_aes_counter c;
	struct srnd_aes_key key;
	u8 out[64];

	KUNIT_ASSERT_TRUE(test, v->len <= sizeof(out));
	srnd_aes_expand_portable(&key, (const u8 *)v->key, v->key_len);
	srnd_aes_counter_load(&c, (const u8 *)v->counter, little_endian);
	srnd_cases_enter(test, row);
	row->aes(&key, &c, out, v->len / SRND_AES_BLOCK);
	srnd_cases_leave(row);
	SRND_ASSERT_SAME(test, out, v->out, v->len, "%s", v->source);
}

/* A single block is the same in both orders of the counter's bytes. */
static void known_answers(struct kunit *test)
{
	const struct srnd_backend *row = srnd_cases_row(test);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aes_vectors); i++) {
		answer(test, row, &aes_vectors[i], false);
		if (aes_vectors[i].len == SRND_AES_BLOCK)
			answer(test, row, &aes_vectors[i], true);
	}
}

static void key_schedules(struct kunit *test)
{
	const struct srnd_backend *row = srnd_cases_row(test);
	struct srnd_aes_key *keys = srnd_cases_alloc(test, 2 * sizeof(*keys));
	u8 raw[33];
	size_t len;
	u32 i;

	for (len = 16; len <= 32; len += 16)
		for (i = 0; i < 256; i++) {
			srnd_cases_fill(raw, sizeof(raw), i);
			srnd_aes_expand_portable(&keys[0], raw + i % 2, len);
			srnd_cases_enter(test, row);
			row->expand(&keys[1], raw + i % 2, len);
			srnd_cases_leave(row);
			SRND_ASSERT_SAME(test, &keys[1], &keys[0],
					 sizeof(*keys), "key %u of %zu bytes",
					 i, len);
		}
}

static void counter_bytes(struct kunit *test)
{
	u8 in[16], out[16];
	struct srnd_aes_counter c;
	int i;

	for (i = 0; i < 16; i++)
		in[i] = i;
	srnd_aes_counter_load(&c, in, false);
	KUNIT_ASSERT_EQ(test, c.hi, 0x0001020304050607ULL);
	KUNIT_ASSERT_EQ(test, c.lo, 0x08090a0b0c0d0e0fULL);
	srnd_aes_counter_store(&c, out);
	SRND_ASSERT_SAME(test, out, in, 16, "big-endian");
	srnd_aes_counter_load(&c, in, true);
	KUNIT_ASSERT_EQ(test, c.lo, 0x0706050403020100ULL);
	KUNIT_ASSERT_EQ(test, c.hi, 0x0f0e0d0c0b0a0908ULL);
	srnd_aes_counter_store(&c, out);
	SRND_ASSERT_SAME(test, out, in, 16, "little-endian");
}

static void every_length(struct kunit *test)
{
	struct known *k = known_new(test);
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(varieties); i++) {
		known_make(k, &varieties[i], 3, 7, BLOCKS);
		for (n = 0; n <= WIDE; n++)
			known_check(test, k, 0, n, 0);
		for (n = 247; n <= 251; n++)
			known_check(test, k, 0, n, 0);
		known_check(test, k, 0, BLOCKS, 0);
	}
}

static void every_alignment(struct kunit *test)
{
	static const size_t counts[] = { 1, 3, 7, 8, 15, 17, 31, 33, 65 };
	struct known *k = known_new(test);
	size_t i, align;

	known_make(k, &varieties[2], 3, 7, WIDE);
	for (align = 0; align < SRND_GUARD; align++)
		for (i = 0; i < ARRAY_SIZE(counts); i++)
			known_check(test, k, 0, counts[i], align);
}

/* Each carry and the wrap at every position of a vector. */
static void every_carry(struct kunit *test)
{
	static const u64 limits[][2] = {
		{ 5, 1 << 8 }, { 5, 1 << 16 }, { 5, 1 << 24 },
		{ 5, 1ULL << 32 }, { 5, 1ULL << 40 }, { 5, 1ULL << 63 },
		{ 5, 0 }, { ~0ULL, 0 },
	};
	struct known *k = known_new(test);
	size_t i, v, skip;

	for (v = 0; v < ARRAY_SIZE(varieties); v++)
		for (i = 0; i < ARRAY_SIZE(limits); i++) {
			known_make(k, &varieties[v], limits[i][0],
				   limits[i][1] - WIDE, 2 * WIDE);
			for (skip = 0; skip <= WIDE; skip++)
				known_check(test, k, skip, WIDE, 0);
		}
}

static const void *rows(SRND_PARAMS(prev, desc))
{
	return srnd_cases_next_row(SRND_AES, prev, desc);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(counter_bytes),
	KUNIT_CASE_PARAM(known_answers, rows),
	KUNIT_CASE_PARAM(key_schedules, rows),
	KUNIT_CASE_PARAM(every_length, rows),
	KUNIT_CASE_PARAM(every_alignment, rows),
	KUNIT_CASE_PARAM(every_carry, rows),
	{}
};

struct kunit_suite srnd_aes_suite = {
	.name = "shakerandom_aes",
	.test_cases = cases,
};
