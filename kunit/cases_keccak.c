// SPDX-License-Identifier: GPL-2.0
#include "cases.h"

struct keccak_vector {
	unsigned int rounds;
	unsigned int times;	/* permutations of the zero state */
	const char *out;	/* 200 bytes */
};

struct sponge_vector {
	const char *source;
	u8 rate, rounds;
	const char *message;
	size_t message_len;
	size_t skip;		/* bytes of output before @out */
	const char *out;
	size_t len;
};

/* The digest of the 32-byte digests of a pattern's first 0, 1, 2, ... bytes. */
struct lengths_vector {
	u8 rate, rounds;
	const char *out;	/* 32 bytes */
};

#include "vectors/keccak.h"

#define STATE_BYTES (8 * SRND_KECCAK_LANES)
#define MESSAGE 109	/* bytes of a sector's message, index included */
#define SECTORS 48
#define WIDE 20		/* sectors: over two passes of the widest variant */

static void permute(struct kunit *test, const struct srnd_backend *row,
		    u64 *state, unsigned int rounds)
{
	srnd_cases_enter(test, row);
	row->keccak(state, rounds);
	srnd_cases_leave(row);
}

static void permutation_answers(struct kunit *test)
{
	const struct srnd_backend *row = srnd_cases_row(test);
	const struct keccak_vector *v;
	u64 state[SRND_KECCAK_LANES];
	u8 out[STATE_BYTES];
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(keccak_vectors); i++) {
		v = &keccak_vectors[i];
		memset(state, 0, sizeof(state));
		for (n = 0; n < v->times; n++)
			permute(test, row, state, v->rounds);
		for (n = 0; n < STATE_BYTES; n++)
			out[n] = srnd_keccak_byte(state, n);
		SRND_ASSERT_SAME(test, out, v->out, STATE_BYTES,
				 "%u rounds, %u times", v->rounds, v->times);
	}
}

/* States that begin with a single bit, so that each lane's path is taken. */
static void every_bit(struct kunit *test)
{
	const struct srnd_backend *row = srnd_cases_row(test);
	u64 got[SRND_KECCAK_LANES], want[SRND_KECCAK_LANES];
	unsigned int rounds, bit;

	for (rounds = 12; rounds <= 24; rounds += 12)
		for (bit = 0; bit < 8 * STATE_BYTES; bit++) {
			memset(got, 0, sizeof(got));
			got[bit / 64] = 1ULL << (bit % 64);
			memcpy(want, got, sizeof(got));
			permute(test, row, got, rounds);
			srnd_keccak_portable(want, rounds);
			SRND_ASSERT_SAME(test, got, want, sizeof(got),
					 "%u rounds of bit %u", rounds, bit);
		}
}

static void sponge_answers(struct kunit *test)
{
	const struct srnd_backend *row = srnd_cases_row(test);
	u8 *out = srnd_cases_alloc(test, 16384);
	const struct sponge_vector *v;
	struct srnd_sponge s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sponge_vectors); i++) {
		v = &sponge_vectors[i];
		KUNIT_ASSERT_TRUE(test, v->skip + v->len <= 16384);
		srnd_sponge_init(&s, v->rate, v->rounds, SRND_SHAKE_DOMAIN);
		srnd_cases_enter(test, row);
		srnd_sponge_absorb(&s, row->keccak, v->message, v->message_len);
		srnd_sponge_squeeze(&s, row->keccak, out, v->skip + v->len);
		srnd_cases_leave(row);
		SRND_ASSERT_SAME(test, out + v->skip, v->out, v->len, "%s",
				 v->source);
	}
}

static void every_message_length(struct kunit *test)
{
	struct srnd_sponge *s = srnd_cases_alloc(test, 2 * sizeof(*s));
	const struct srnd_backend *row = srnd_cases_row(test);
	const struct lengths_vector *v;
	u8 message[LENGTHS], out[32];
	size_t i, n;

	for (n = 0; n < LENGTHS; n++)
		message[n] = (u8)(n * 7 + 1);
	for (i = 0; i < ARRAY_SIZE(lengths_vectors); i++) {
		v = &lengths_vectors[i];
		srnd_sponge_init(&s[1], v->rate, v->rounds, SRND_SHAKE_DOMAIN);
		for (n = 0; n <= LENGTHS; n++) {
			srnd_sponge_init(&s[0], v->rate, v->rounds,
					 SRND_SHAKE_DOMAIN);
			srnd_cases_enter(test, row);
			srnd_sponge_absorb(&s[0], row->keccak, message, n);
			srnd_sponge_squeeze(&s[0], row->keccak, out, 32);
			srnd_sponge_absorb(&s[1], row->keccak, out, 32);
			srnd_cases_leave(row);
		}
		srnd_sponge_squeeze(&s[1], srnd_keccak_portable, out, 32);
		SRND_ASSERT_SAME(test, out, v->out, 32, "rate %u, %u rounds",
				 v->rate, v->rounds);
	}
}

/* ---- sectors ---- */

/* A stream made of the hash of each message, and a row to compare. */
struct known {
	const struct srnd_backend *row;
	struct srnd_area area;
	u64 block[SRND_KECCAK_LANES];
	u64 first;
	u8 *bytes;
};

static void start_sector(struct srnd_sponge *s, u64 index)
{
	u8 message[MESSAGE];

	srnd_cases_fill(message, sizeof(message), 1);
	srnd_store_le64(message + SRND_SECTOR_INDEX, index);
	srnd_sponge_init(s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(s, srnd_keccak_portable, message, sizeof(message));
}

static struct known *known_new(struct kunit *test)
{
	struct known *k = srnd_cases_alloc(test, sizeof(*k));
	struct srnd_sponge s;

	k->row = srnd_cases_row(test);
	k->bytes = srnd_cases_alloc(test, SECTORS * SRND_SECTOR);
	srnd_area_init(test, &k->area, SECTORS * SRND_SECTOR);
	start_sector(&s, 0);
	srnd_sponge_pad(&s);
	memcpy(k->block, s.state, sizeof(k->block));
	return k;
}

static void known_make(struct known *k, u64 first)
{
	struct srnd_sponge s;
	size_t i;

	k->first = first;
	for (i = 0; i < SECTORS; i++) {
		start_sector(&s, first + i);
		srnd_sponge_squeeze(&s, srnd_keccak_portable,
				    k->bytes + i * SRND_SECTOR, SRND_SECTOR);
	}
}

static void known_check(struct kunit *test, struct known *k, size_t skip,
			size_t sectors, size_t align)
{
	u8 *out = srnd_area_open(&k->area, align, sectors * SRND_SECTOR);
	u64 before[SRND_KECCAK_LANES];

	memcpy(before, k->block, sizeof(before));
	srnd_cases_enter(test, k->row);
	k->row->sectors(k->block, k->first + skip, out, sectors);
	srnd_cases_leave(k->row);
	SRND_ASSERT_AREA(test, &k->area, k->bytes + skip * SRND_SECTOR,
			 "sectors 0x%llx + %zu + %zu, alignment %zu",
			 (unsigned long long)k->first, skip, sectors, align);
	SRND_ASSERT_SAME(test, k->block, before, sizeof(before), "block");
}

static void sectors_every_count(struct kunit *test)
{
	struct known *k = known_new(test);
	size_t n;

	known_make(k, 3);
	for (n = 0; n <= WIDE; n++)
		known_check(test, k, 0, n, 0);
	for (n = SECTORS - 3; n <= SECTORS; n++)
		known_check(test, k, 0, n, 0);
}

static void sectors_every_alignment(struct kunit *test)
{
	struct known *k = known_new(test);
	size_t align, n;

	known_make(k, 3);
	for (align = 0; align < SRND_GUARD; align++)
		for (n = 1; n <= 9; n++)
			known_check(test, k, 0, n, align);
}

/* Where the index leaves a byte and a lane, at every position of a vector. */
static void sectors_every_carry(struct kunit *test)
{
	static const u64 limits[] = {
		1ULL << 8, 1ULL << 24, 1ULL << 32, 1ULL << 40, 1ULL << 63, 0,
	};
	struct known *k = known_new(test);
	size_t i, skip;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		known_make(k, limits[i] - WIDE);
		for (skip = 0; skip <= WIDE; skip++)
			known_check(test, k, skip, WIDE, 0);
	}
}

static const void *rows(SRND_PARAMS(prev, desc))
{
	return srnd_cases_next_row(SRND_KECCAK, prev, desc);
}

static const void *sector_rows(SRND_PARAMS(prev, desc))
{
	return srnd_cases_next_row(SRND_SECTORS, prev, desc);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(permutation_answers, rows),
	KUNIT_CASE_PARAM(every_bit, rows),
	KUNIT_CASE_PARAM(sponge_answers, rows),
	KUNIT_CASE_PARAM(every_message_length, rows),
	KUNIT_CASE_PARAM(sectors_every_count, sector_rows),
	KUNIT_CASE_PARAM(sectors_every_alignment, sector_rows),
	KUNIT_CASE_PARAM(sectors_every_carry, sector_rows),
	{}
};

struct kunit_suite srnd_keccak_suite = {
	.name = "shakerandom_keccak",
	.test_cases = cases,
};
