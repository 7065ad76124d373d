// SPDX-License-Identifier: GPL-2.0
#include "cases.h"

struct chacha_vector {
	const char *source;
	unsigned int rounds;
	const char *key, *nonce;	/* 32 and 16 bytes */
	const char *out;
	size_t len;
};

#include "vectors/chacha.h"

#define BLOCKS 300
#define WIDE 80		/* blocks: more than two passes of the widest variant */

static const unsigned int round_counts[] = { 20, 12, 8 };

/* A stream made by single calls of the portable code, and a row to compare. */
struct known {
	const struct srnd_backend *row;
	struct srnd_area area;
	unsigned int rounds;
	u32 start[16];
	u8 *bytes;
};

static void advance(u32 state[16], u64 blocks)
{
	u64 counter = (state[12] | (u64)state[13] << 32) + blocks;

	state[12] = (u32)counter;
	state[13] = (u32)(counter >> 32);
}

static void known_init(struct kunit *test, struct known *k)
{
	k->row = srnd_cases_row(test);
	k->bytes = srnd_cases_alloc(test, BLOCKS * SRND_CHACHA_BLOCK);
	srnd_area_init(test, &k->area, BLOCKS * SRND_CHACHA_BLOCK);
}

static void known_make(struct known *k, unsigned int rounds, u64 counter,
		       size_t blocks)
{
	u32 state[16];
	size_t i;

	k->rounds = rounds;
	srnd_cases_fill(k->start, sizeof(k->start), rounds);
	k->start[12] = k->start[13] = 0;
	advance(k->start, counter);
	memcpy(state, k->start, sizeof(state));
	for (i = 0; i < blocks; i++) {
		srnd_chacha_portable(state, k->bytes + i * SRND_CHACHA_BLOCK, 1,
				     rounds);
		memcpy(state, k->start, sizeof(state));
		advance(state, i + 1);
	}
}

/* @blocks of the stream after the first @skip. */
static void known_check(struct kunit *test, struct known *k, size_t skip,
			size_t blocks, size_t align)
{
	u8 *out = srnd_area_open(&k->area, align, blocks * SRND_CHACHA_BLOCK);
	u32 state[16], after[16];

	memcpy(state, k->start, sizeof(state));
	advance(state, skip);
	memcpy(after, state, sizeof(after));
	advance(after, blocks);

	srnd_cases_enter(test, k->row);
	k->row->chacha(state, out, blocks, k->rounds);
	srnd_cases_leave(k->row);

	SRND_ASSERT_AREA(test, &k->area, k->bytes + skip * SRND_CHACHA_BLOCK,
			 "%u rounds, blocks %zu + %zu, alignment %zu",
			 k->rounds, skip, blocks, align);
	SRND_ASSERT_SAME(test, state, after, sizeof(state),
			 "state after %u rounds, blocks %zu + %zu",
			 k->rounds, skip, blocks);
}

static void known_answers(struct kunit *test)
{
	const struct srnd_backend *row = srnd_cases_row(test);
	const struct chacha_vector *v;
	u8 out[192];
	u32 state[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(chacha_vectors); i++) {
		v = &chacha_vectors[i];
		KUNIT_ASSERT_TRUE(test, v->len <= sizeof(out));
		srnd_chacha_init(state, (const u8 *)v->key,
				 (const u8 *)v->nonce);
		srnd_cases_enter(test, row);
		row->chacha(state, out, (v->len + 63) / 64, v->rounds);
		srnd_cases_leave(row);
		SRND_ASSERT_SAME(test, out, v->out, v->len, "%s", v->source);
	}
}

static void every_length(struct kunit *test)
{
	struct known k;
	size_t i, n;

	known_init(test, &k);
	for (i = 0; i < ARRAY_SIZE(round_counts); i++) {
		known_make(&k, round_counts[i], 1, BLOCKS);
		for (n = 0; n <= WIDE; n++)
			known_check(test, &k, 0, n, 0);
		for (n = BLOCKS - 3; n <= BLOCKS; n++)
			known_check(test, &k, 0, n, 0);
	}
}

static void every_alignment(struct kunit *test)
{
	static const size_t counts[] = { 1, 3, 4, 7, 8, 15, 16, 31, 65 };
	struct known k;
	size_t i, align;

	known_init(test, &k);
	known_make(&k, 20, 1, WIDE);
	for (align = 0; align < SRND_GUARD; align++)
		for (i = 0; i < ARRAY_SIZE(counts); i++)
			known_check(test, &k, 0, counts[i], align);
}

/* The carry and the wrap at every position of a vector. */
static void every_carry(struct kunit *test)
{
	static const u64 limits[] = { 1ULL << 31, 1ULL << 32, 1ULL << 63, 0 };
	struct known k;
	size_t i, skip;

	known_init(test, &k);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		known_make(&k, 8, limits[i] - WIDE, 2 * WIDE);
		for (skip = 0; skip <= WIDE; skip++)
			known_check(test, &k, skip, WIDE, 0);
	}
}

static const void *rows(SRND_PARAMS(prev, desc))
{
	return srnd_cases_next_row(SRND_CHACHA, prev, desc);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(known_answers, rows),
	KUNIT_CASE_PARAM(every_length, rows),
	KUNIT_CASE_PARAM(every_alignment, rows),
	KUNIT_CASE_PARAM(every_carry, rows),
	{}
};

struct kunit_suite srnd_chacha_suite = {
	.name = "shakerandom_chacha",
	.test_cases = cases,
};
