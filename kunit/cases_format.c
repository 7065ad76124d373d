// SPDX-License-Identifier: GPL-2.0
#include "../uapi/shakerandom.h"
#include "cases.h"

struct format_vector {
	const char *source;
	u32 format;
	const char *seed;
	size_t seed_len;
	const char *nonce;	/* 16 bytes */
	u64 offset;
	const char *out;
	size_t len;
};

struct expand_vector {
	u32 format;
	const char *text;
	size_t text_len;
	const char *key;
	size_t key_len;
};

#include "vectors/format.h"

#define LONG 65537
#define TOTAL 20000	/* of forward-only streams: past two batches of any */

/* What DESIGN promises of each format. */
static const struct contract {
	u32 number;
	const char *name;
	u8 seeds[4];	/* lengths; none: any */
	bool seeks, expands, absorbs, erases;
} contracts[] = {
	{ SHAKERANDOM_CHACHA20, "chacha20", { 32 },
	  .seeks = true, .expands = true },
	{ SHAKERANDOM_CHACHA12, "chacha12", { 32 },
	  .seeks = true, .expands = true },
	{ SHAKERANDOM_CHACHA8, "chacha8", { 32 },
	  .seeks = true, .expands = true },
	{ SHAKERANDOM_AES256_CTR, "aes256-ctr", { 32 },
	  .seeks = true, .expands = true },
	{ SHAKERANDOM_AES128_CTR, "aes128-ctr", { 16 },
	  .seeks = true, .expands = true },
	{ SHAKERANDOM_AES128_LE, "aes128-le", { 16 },
	  .seeks = true, .expands = true },
	{ SHAKERANDOM_SHAKE256_CTR, "shake256-ctr", .seeks = true },
	{ SHAKERANDOM_SHAKE256, "shake256", .absorbs = true },
	{ SHAKERANDOM_SHAKE128, "shake128", .absorbs = true },
	{ SHAKERANDOM_TURBOSHAKE256, "turboshake256", .absorbs = true },
	{ SHAKERANDOM_TURBOSHAKE128, "turboshake128", .absorbs = true },
	{ SHAKERANDOM_SHAKE256_RATCHET, "shake256-ratchet",
	  { 16, 24, 32, 136 }, .erases = true },
	{ SHAKERANDOM_TURBOSHAKE256_RATCHET, "turboshake256-ratchet",
	  { 136 }, .erases = true },
	{ SHAKERANDOM_AES256_ERASE, "aes256-erase", { 32 }, .expands = true,
	  .erases = true },
};

static const struct srnd_format *served(struct kunit *test)
{
	const struct contract *c = test->param_value;
	const struct srnd_format *f = srnd_format(c->number);

	KUNIT_ASSERT_TRUE_MSG(test, f, "format %s is not served", c->name);
	return f;
}

/* A format under test; ->row goes over all rows that this processor can run. */
struct stream {
	const struct contract *contract;
	const struct srnd_format *format;
	const struct srnd_backend *row;
	struct srnd_engine engine;
	union srnd_instance *instance;
	u8 *window;	/* of erasing formats */
	struct srnd_area area;
	u8 *whole;
};

static struct stream *stream_new(struct kunit *test, size_t size)
{
	struct stream *s = srnd_cases_alloc(test, sizeof(*s));

	s->contract = test->param_value;
	s->format = served(test);
	s->engine = srnd_portable_engine;
	s->instance = srnd_cases_alloc(test, sizeof(*s->instance));
	if (s->format->window)
		s->window = srnd_cases_alloc(test, s->format->window);
	s->whole = srnd_cases_alloc(test, size);
	srnd_area_init(test, &s->area, size);
	return s;
}

static bool next_row(struct stream *s)
{
	char name[KUNIT_PARAM_DESC_SIZE];

	do {
		s->row = srnd_cases_next_row(s->format->primitive, s->row,
					     name);
	} while (s->row && !srnd_cases_can_run(s->row));
	if (s->row)
		s->engine.row[s->format->primitive] = s->row;
	return s->row;
}

static void seed(struct kunit *test, struct stream *s, const void *bytes,
		 size_t len, const void *nonce)
{
	if (s->window)
		s->instance->forward.window = s->window;
	srnd_cases_enter(test, s->row);
	srnd_format_seed(s->instance, s->format, &s->engine, bytes, len, nonce);
	srnd_cases_leave(s->row);
}

/* Some seed of a length that the format takes, and some nonce. */
static void seed_any(struct kunit *test, struct stream *s)
{
	u8 bytes[SRND_SHAKE256_RATE], nonce[SRND_NONCE] = { 0 };
	size_t len = s->contract->seeds[0] ? s->contract->seeds[0] : 33;

	srnd_cases_fill(bytes, sizeof(bytes), 1);
	if (s->contract->seeks)
		srnd_cases_fill(nonce, sizeof(nonce), 2);
	seed(test, s, bytes, len, nonce);
}

static void generate(struct kunit *test, struct stream *s, u64 offset, u8 *out,
		     size_t len)
{
	srnd_cases_enter(test, s->row);
	if (s->contract->seeks)
		srnd_format_read(s->instance, s->format, &s->engine, offset,
				 out, len);
	else
		srnd_format_squeeze(s->instance, s->format, &s->engine, out,
				    len);
	srnd_cases_leave(s->row);
}

/* ---- the table ---- */

static void contract_holds(struct kunit *test)
{
	const struct contract *c = test->param_value;
	const struct srnd_format *f = served(test);

	KUNIT_ASSERT_STREQ(test, f->name, c->name);
	KUNIT_ASSERT_EQ(test, srnd_format_seekable(f), c->seeks);
	KUNIT_ASSERT_EQ(test, srnd_format_has_nonce(f), c->seeks);
	KUNIT_ASSERT_EQ(test, !!(f->flags & SRND_EXPANDS), c->expands);
	KUNIT_ASSERT_EQ(test, !!(f->flags & SRND_ABSORBS), c->absorbs);
	KUNIT_ASSERT_EQ(test, !!f->window, c->erases);
	KUNIT_ASSERT_TRUE(test, srnd_format_grain(f) <= SRND_GRAIN_MAX);
	KUNIT_ASSERT_TRUE(test, f->key_size <= SRND_KEY_MAX);
}

static void seed_lengths(struct kunit *test)
{
	const struct contract *c = test->param_value;
	const struct srnd_format *f = served(test);
	size_t len, i;
	bool ok;

	for (len = 0; len <= SHAKERANDOM_SEED_MAX; len++) {
		ok = !c->seeds[0];
		for (i = 0; i < ARRAY_SIZE(c->seeds); i++)
			ok |= c->seeds[i] && c->seeds[i] == len;
		KUNIT_ASSERT_EQ_MSG(test, srnd_format_seed_ok(f, len), ok,
				    "seed of %zu bytes", len);
	}
}

static void formats_served(struct kunit *test)
{
	u64 bits = srnd_formats_served();
	u32 i;

	/* From the first issue on: chacha20 to shake128. */
	KUNIT_ASSERT_EQ(test, bits & 0x3fe, 0x3feULL);
	for (i = 0; i < 64; i++)
		KUNIT_ASSERT_EQ_MSG(test, bits >> i & 1,
				    (u64)!!srnd_format(i),
				    "format %u", i);
	KUNIT_ASSERT_PTR_EQ(test, srnd_format(0), NULL);
	for (i = ARRAY_SIZE(contracts) + 1; i < 1000; i++)
		KUNIT_ASSERT_PTR_EQ(test, srnd_format(i), NULL);
	KUNIT_ASSERT_PTR_EQ(test, srnd_format(~0U), NULL);
}

/* ---- known answers ---- */

static void known_answers(struct kunit *test)
{
	struct stream *s = stream_new(test, TOTAL);
	const struct format_vector *v;
	size_t i, skip, checked = 0;

	while (next_row(s))
		for (i = 0; i < ARRAY_SIZE(format_vectors); i++) {
			v = &format_vectors[i];
			if (v->format != s->contract->number)
				continue;
			skip = s->contract->seeks ? 0 : v->offset;
			KUNIT_ASSERT_TRUE(test, skip + v->len <= TOTAL);
			seed(test, s, v->seed, v->seed_len, v->nonce);
			generate(test, s, v->offset, s->whole, skip + v->len);
			SRND_ASSERT_SAME(test, s->whole + skip, v->out, v->len,
					 "%s, variant %s", v->source,
					 s->row->name);
			checked++;
		}
	KUNIT_ASSERT_TRUE(test, checked > 0);
}

static void expand_answers(struct kunit *test)
{
	const struct srnd_format *f;
	const struct expand_vector *v;
	u8 key[SRND_KEY_MAX];
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(expand_vectors); i++) {
		v = &expand_vectors[i];
		f = srnd_format(v->format);
		if (!f)
			continue;
		n = srnd_format_expand(f, &srnd_portable_engine,
				       (const u8 *)v->text, v->text_len, key);
		KUNIT_ASSERT_EQ(test, n, v->key_len);
		SRND_ASSERT_SAME(test, key, v->key, n, "%s of %zu bytes",
				 f->name, v->text_len);
	}
}

/* ---- seekable: any cut ---- */

static void check_read(struct kunit *test, struct stream *s, size_t offset,
		       size_t len)
{
	u8 *out = srnd_area_open(&s->area, offset, len);

	generate(test, s, offset, out, len);
	SRND_ASSERT_AREA(test, &s->area, s->whole + offset,
			 "variant %s, offset %zu, length %zu", s->row->name,
			 offset, len);
}

static void read_every_length(struct kunit *test)
{
	static const size_t large[] = { 4095, 4096, 4097, 65535, 65536, LONG };
	struct stream *s = stream_new(test, LONG + 1200);
	size_t i, len;

	while (next_row(s)) {
		seed_any(test, s);
		generate(test, s, 0, s->whole, LONG + 1200);
		for (len = 0; len <= 1100; len++) {
			check_read(test, s, 0, len);
			check_read(test, s, len, 1100 - len);
			check_read(test, s, len * 7 % 1200, len);
		}
		for (i = 0; i < ARRAY_SIZE(large); i++) {
			check_read(test, s, 0, large[i]);
			check_read(test, s, 511 + i, large[i]);
		}
	}
}

static void read_every_offset(struct kunit *test)
{
	struct stream *s = stream_new(test, 8192);
	size_t grain = srnd_format_grain(s->format), offset;

	while (next_row(s)) {
		seed_any(test, s);
		generate(test, s, 0, s->whole, 8192);
		for (offset = 0; offset <= 2 * grain + 1; offset++) {
			check_read(test, s, offset, 1);
			check_read(test, s, offset, grain - 1);
			check_read(test, s, offset, grain);
			check_read(test, s, offset, grain + 1);
			check_read(test, s, offset, 2 * grain + 1);
			check_read(test, s, offset, 9 * grain - 3);
		}
	}
}

/* Readers share an instance: nothing in it may move. */
static void read_changes_nothing(struct kunit *test)
{
	struct stream *s = stream_new(test, 8192);
	union srnd_instance *before = srnd_cases_alloc(test, sizeof(*before));

	while (next_row(s)) {
		seed_any(test, s);
		memcpy(before, s->instance, sizeof(*before));
		generate(test, s, 5, s->whole, 8000);
		SRND_ASSERT_SAME(test, s->instance, before, sizeof(*before),
				 "variant %s", s->row->name);
	}
}

/* ---- forward only: any cut ---- */

static void check_cut(struct kunit *test, struct stream *s, size_t cut)
{
	u8 *out = srnd_area_open(&s->area, cut, TOTAL);
	size_t done, n;

	seed_any(test, s);
	for (done = 0; done < TOTAL; done += n) {
		n = TOTAL - done < cut ? TOTAL - done : cut;
		generate(test, s, done, out + done, n);
		generate(test, s, done, out + done + n, 0);
	}
	SRND_ASSERT_AREA(test, &s->area, s->whole, "variant %s, cuts of %zu",
			 s->row->name, cut);
}

static void squeeze_every_cut(struct kunit *test)
{
	struct stream *s = stream_new(test, TOTAL);
	size_t cut;

	while (next_row(s)) {
		seed_any(test, s);
		generate(test, s, 0, s->whole, TOTAL);
		for (cut = 1; cut <= 340; cut++)
			check_cut(test, s, cut);
		for (cut = 4095; cut <= 4097; cut++)
			check_cut(test, s, cut);
	}
}

/* The first cut is the seed, the others follow. */
static void absorb_in_cuts(struct kunit *test, struct stream *s,
			   const u8 *message, size_t len, size_t cut)
{
	static const u8 nonce[SRND_NONCE];
	size_t done, n;

	seed(test, s, message, cut, nonce);
	for (done = cut; done < len; done += n) {
		n = len - done < cut ? len - done : cut;
		srnd_cases_enter(test, s->row);
		srnd_format_absorb(s->instance, s->format, &s->engine,
				   message + done, n);
		srnd_cases_leave(s->row);
	}
}

static void absorb_every_cut(struct kunit *test)
{
	struct stream *s = stream_new(test, 64);
	u8 message[500];
	size_t cut;

	srnd_cases_fill(message, sizeof(message), 3);
	while (next_row(s)) {
		absorb_in_cuts(test, s, message, sizeof(message),
			       sizeof(message));
		generate(test, s, 0, s->whole, 64);
		for (cut = 1; cut < sizeof(message); cut++) {
			absorb_in_cuts(test, s, message, sizeof(message), cut);
			generate(test, s, 0, srnd_area_open(&s->area, 0, 64),
				 64);
			SRND_ASSERT_AREA(test, &s->area, s->whole,
					 "variant %s, cuts of %zu",
					 s->row->name, cut);
		}
	}
}

/* ---- erasing: what was taken is gone ---- */

/* Where the 16 bytes @needle are in the window; its size if they are not. */
static size_t find(const struct stream *s, const u8 *needle)
{
	size_t size = s->format->window, i;

	for (i = 0; i + 16 <= size; i++)
		if (!memcmp(s->window + i, needle, 16))
			return i;
	return size;
}

static void taken_is_erased(struct kunit *test)
{
	struct stream *s = stream_new(test, TOTAL);
	size_t window = s->format->window, len, i;

	while (next_row(s)) {
		for (len = 16; len < 2 * window; len += 509) {
			seed_any(test, s);
			generate(test, s, 0, s->whole, len);
			for (i = 0; i + 16 <= len; i += 61)
				KUNIT_ASSERT_EQ_MSG(test,
						    find(s, s->whole + i),
						    window,
						    "byte %zu of %zu, %s", i,
						    len, s->row->name);
		}
	}
}

/* What the fault of a reader does not take comes again. */
static void peek_takes_nothing(struct kunit *test)
{
	struct stream *s = stream_new(test, TOTAL);
	size_t done, n, wish;
	u8 out[300];

	while (next_row(s)) {
		seed_any(test, s);
		generate(test, s, 0, s->whole, TOTAL);
		seed_any(test, s);
		for (done = 0; done + sizeof(out) <= TOTAL; done += n) {
			wish = 1 + done * 7 % sizeof(out);
			srnd_cases_enter(test, s->row);
			n = srnd_format_peek(s->instance, s->format,
					     &s->engine, out, wish);
			srnd_cases_leave(s->row);
			KUNIT_ASSERT_TRUE(test, n >= 1 && n <= wish);
			SRND_ASSERT_SAME(test, out, s->whole + done, n,
					 "variant %s, %zu bytes at %zu",
					 s->row->name, n, done);
			n = (n + 1) / 2;
			srnd_format_take(s->instance, n);
		}
	}
}

/* ---- parameters ---- */

static bool any(const struct contract *c)
{
	return true;
}

static bool seeks(const struct contract *c)
{
	return c->seeks;
}

static bool forward(const struct contract *c)
{
	return !c->seeks;
}

static bool absorbs(const struct contract *c)
{
	return c->absorbs;
}

static bool erases(const struct contract *c)
{
	return c->erases;
}

static const void *next(const void *prev, char *desc,
			bool (*wanted)(const struct contract *c))
{
	const struct contract *c = prev;

	for (c = c ? c + 1 : contracts; c < contracts + ARRAY_SIZE(contracts);
	     c++)
		if (wanted(c)) {
			snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
			return c;
		}
	return NULL;
}

static const void *each(SRND_PARAMS(prev, desc))
{
	return next(prev, desc, any);
}

static const void *each_seekable(SRND_PARAMS(prev, desc))
{
	return next(prev, desc, seeks);
}

static const void *each_forward(SRND_PARAMS(prev, desc))
{
	return next(prev, desc, forward);
}

static const void *each_absorbing(SRND_PARAMS(prev, desc))
{
	return next(prev, desc, absorbs);
}

static const void *each_erasing(SRND_PARAMS(prev, desc))
{
	return next(prev, desc, erases);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(formats_served),
	KUNIT_CASE(expand_answers),
	KUNIT_CASE_PARAM(contract_holds, each),
	KUNIT_CASE_PARAM(seed_lengths, each),
	KUNIT_CASE_PARAM(known_answers, each),
	KUNIT_CASE_PARAM(read_every_length, each_seekable),
	KUNIT_CASE_PARAM(read_every_offset, each_seekable),
	KUNIT_CASE_PARAM(read_changes_nothing, each_seekable),
	KUNIT_CASE_PARAM(squeeze_every_cut, each_forward),
	KUNIT_CASE_PARAM(absorb_every_cut, each_absorbing),
	KUNIT_CASE_PARAM(taken_is_erased, each_erasing),
	KUNIT_CASE_PARAM(peek_takes_nothing, each_erasing),
	{}
};

struct kunit_suite srnd_format_suite = {
	.name = "shakerandom_format",
	.test_cases = cases,
};
