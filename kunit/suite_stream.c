// SPDX-License-Identifier: GPL-2.0
/* What an open file reads from: arguments, positions, parts, absorbing. */
#include <linux/err.h>

#include "../driver/engine.h"
#include "../uapi/shakerandom.h"
#include "suites.h"

#define LONG 20000 /* bytes: past two windows of any format */

static const u8 zeros[16];

/* ---- arguments ---- */

static const u8 seed[SHAKERANDOM_SEED_MAX];

static int refusal(const struct shakerandom_seed *args)
{
	struct srnd_stream *s = srnd_stream_create(args, seed);

	if (IS_ERR(s))
		return PTR_ERR(s);
	srnd_stream_put(s);
	return 0;
}

static const struct refused {
	const char *why;
	struct shakerandom_seed args;
} refused[] = {
	{ "no format", { .format = 0, .seed_len = 32 } },
	{ "unknown format", { .format = 63, .seed_len = 32 } },
	{ "huge format", { .format = ~0U, .seed_len = 32 } },
	{ "unknown flag", { .format = SHAKERANDOM_SHAKE256, .flags = 4 } },
	{ "both flags",
	  { .format = SHAKERANDOM_CHACHA20, .flags = 3, .seed_len = 32 } },
	{ "both flags of a sponge",
	  { .format = SHAKERANDOM_SHAKE256, .flags = 3 } },
	{ "reserved",
	  { .format = SHAKERANDOM_CHACHA20, .seed_len = 32, .reserved = 1 } },
	{ "short key", { .format = SHAKERANDOM_CHACHA20, .seed_len = 31 } },
	{ "long key", { .format = SHAKERANDOM_AES128_LE, .seed_len = 32 } },
	{ "no key", { .format = SHAKERANDOM_AES256_ERASE } },
	{ "ratchet",
	  { .format = SHAKERANDOM_SHAKE256_RATCHET, .seed_len = 33 } },
	{ "longest seed",
	  { .format = SHAKERANDOM_SHAKE128,
	    .seed_len = SHAKERANDOM_SEED_MAX + 1 } },
	{ "longest text",
	  { .format = SHAKERANDOM_CHACHA8,
	    .flags = SHAKERANDOM_SEED_EXPAND,
	    .seed_len = SHAKERANDOM_SEED_MAX + 1 } },
	{ "nonce of a sponge",
	  { .format = SHAKERANDOM_SHAKE256, .nonce[15] = 1 } },
	{ "nonce that erases",
	  { .format = SHAKERANDOM_AES256_ERASE,
	    .seed_len = 32,
	    .nonce[0] = 1 } },
	{ "expanding a sponge",
	  { .format = SHAKERANDOM_TURBOSHAKE128,
	    .flags = SHAKERANDOM_SEED_EXPAND } },
	{ "expanding sectors",
	  { .format = SHAKERANDOM_SHAKE256_CTR,
	    .flags = SHAKERANDOM_SEED_EXPAND } },
	{ "absorbing chacha",
	  { .format = SHAKERANDOM_CHACHA20,
	    .seed_len = 32,
	    .flags = SHAKERANDOM_SEED_ABSORB } },
	{ "absorbing a ratchet",
	  { .format = SHAKERANDOM_TURBOSHAKE256_RATCHET,
	    .seed_len = 136,
	    .flags = SHAKERANDOM_SEED_ABSORB } },
};

static void bad_arguments_are_refused(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_ASSERT_EQ_MSG(test, refusal(&refused[i].args), -EINVAL,
				    "%s", refused[i].why);
}

/* The neighbours of those above. */
static void good_arguments_are_not(struct kunit *test)
{
	static const struct shakerandom_seed good[] = {
		{ .format = SHAKERANDOM_CHACHA20,
		  .seed_len = 32,
		  .nonce[15] = 1 },
		{ .format = SHAKERANDOM_CHACHA8,
		  .seed_len = 0,
		  .flags = SHAKERANDOM_SEED_EXPAND },
		{ .format = SHAKERANDOM_AES256_ERASE,
		  .seed_len = SHAKERANDOM_SEED_MAX,
		  .flags = SHAKERANDOM_SEED_EXPAND },
		{ .format = SHAKERANDOM_SHAKE256, .seed_len = 0 },
		{ .format = SHAKERANDOM_SHAKE128,
		  .seed_len = SHAKERANDOM_SEED_MAX,
		  .flags = SHAKERANDOM_SEED_ABSORB },
		{ .format = SHAKERANDOM_SHAKE256_RATCHET, .seed_len = 136 },
		{ .format = SHAKERANDOM_SHAKE256_CTR,
		  .seed_len = 5,
		  .nonce[0] = 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		KUNIT_ASSERT_EQ_MSG(test, refusal(&good[i]), 0, "%zu", i);
}

/* Any text is a key: by way of the core's expansion. */
static void text_is_expanded(struct kunit *test)
{
	static const char text[] = "any text";
	const struct srnd_format *f = srnd_format(SHAKERANDOM_CHACHA20);
	const struct shakerandom_seed args = {
		.format = SHAKERANDOM_CHACHA20,
		.seed_len = sizeof(text),
		.flags = SHAKERANDOM_SEED_EXPAND,
		.nonce[3] = 9,
	};
	struct srnd_fake *file = srnd_fake_open(test, NULL, 0);
	u8 key[SRND_KEY_MAX], got[100], want[100];
	union srnd_instance s;
	struct srnd_cursor c;

	srnd_stream_install(&file->file, srnd_stream_create(&args, text));
	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false), 0);
	srnd_cursor_peek(&c, got, sizeof(got));
	srnd_cursor_end(&c, &file->iocb);

	srnd_format_expand(f, &srnd_portable_engine, (const u8 *)text,
			   sizeof(text), key);
	f->key(&s, f, srnd_portable_engine.row[f->primitive], key, args.nonce);
	srnd_format_read(&s, f, &srnd_portable_engine, 0, want, sizeof(want));
	SRND_ASSERT_SAME(test, got, want, sizeof(want), "expanded");
}

/* ---- reading ---- */

static struct srnd_fake *open(struct kunit *test)
{
	return srnd_fake_open(test, test->param_value, 0);
}

static struct srnd_stream *stream(const struct srnd_fake *file)
{
	return rcu_dereference_protected(file->state.stream, true);
}

/* Reads @len bytes in pieces of @piece, of which it uses @use each time. */
static void read_in_pieces(struct kunit *test, struct srnd_fake *file, u8 *out,
			   size_t len, size_t piece, size_t use)
{
	u8 *buffer = srnd_cases_alloc(test, SRND_PEEK_MAX);
	struct srnd_cursor c;
	size_t n, used;

	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false), 0);
	for (; len; out += used, len -= used) {
		n = srnd_cursor_peek(&c, buffer, min(piece, len));
		used = min(use, n);
		memcpy(out, buffer, used);
		srnd_cursor_took(&c, buffer, n, used);
		if (!n)
			break;
	}
	srnd_cursor_end(&c, &file->iocb);
	KUNIT_ASSERT_EQ(test, len, (size_t)0);
}

static void pieces_do_not_matter(struct kunit *test)
{
	static const struct {
		size_t piece, use;
	} ways[] = {
		{ 4096, 4096 }, { 1, 1 },     { 137, 137 }, { 4095, 4095 },
		{ 4096, 1000 }, { 200, 199 }, { 137, 1 },
	};
	const struct srnd_format *f = test->param_value;
	u8 *want = srnd_fake_stream(test, f, 0, LONG);
	u8 *got = srnd_cases_alloc(test, LONG);
	struct srnd_fake *file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		file = open(test);
		read_in_pieces(test, file, got, LONG, ways[i].piece,
			       ways[i].use);
		SRND_ASSERT_SAME(test, got, want, LONG, "way %zu", i);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, (loff_t)LONG);
	}
}

/* What is peeked and never taken does not count. */
static void peeking_moves_nothing(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	u8 *want = srnd_fake_stream(test, f, 0, 100);
	struct srnd_fake *file = open(test);
	struct srnd_cursor c;
	u8 got[100];
	int i;

	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false),
				0);
		srnd_cursor_peek(&c, got, sizeof(got));
		srnd_cursor_end(&c, &file->iocb);
		SRND_ASSERT_SAME(test, got, want, sizeof(got), "look %d", i);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 0LL);
	}
}

/* A peek may be short; the loop in read_in_pieces hides that. */
static void peeks_are_not_empty(struct kunit *test)
{
	struct srnd_fake *file = open(test);
	u8 *buffer = srnd_cases_alloc(test, SRND_PEEK_MAX);
	struct srnd_cursor c;
	size_t n, total = 0;

	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false), 0);
	while (total < LONG) {
		n = srnd_cursor_peek(&c, buffer, SRND_PEEK_MAX);
		if (!n || n > SRND_PEEK_MAX)
			break;
		srnd_cursor_took(&c, buffer, n, n);
		total += n;
	}
	srnd_cursor_end(&c, &file->iocb);
	KUNIT_ASSERT_GE(test, total, (size_t)LONG);
}

static bool seekable(struct kunit *test)
{
	return srnd_format_seekable(test->param_value);
}

/* Anywhere, backwards too; forward-only ones only where they stand. */
static void positions(struct kunit *test)
{
	static const loff_t at[] = { 12345, 0, 4095, 1LL << 40, 511, 1 };
	const struct srnd_format *f = test->param_value;
	struct srnd_fake *file = open(test);
	struct srnd_cursor c;
	u8 got[600];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		file->iocb.ki_pos = at[i];
		if (seekable(test)) {
			read_in_pieces(test, file, got, 600, 600, 600);
			SRND_ASSERT_SAME(test, got,
					 srnd_fake_stream(test, f, at[i], 600),
					 600, "at %lld", at[i]);
			KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, at[i] + 600);
		} else if (at[i]) {
			KUNIT_ASSERT_EQ_MSG(test, -ESPIPE,
					    srnd_cursor_begin(&c, &file->iocb,
							      false),
					    "at %lld", at[i]);
		}
	}
	/* A plain read whose file's position fell behind reads on. */
	if (seekable(test))
		return;
	file->iocb.ki_pos = 0;
	read_in_pieces(test, file, got, 600, 600, 600);
	file->file.f_pos = 7;
	file->iocb.ki_pos = 7;
	read_in_pieces(test, file, got, 600, 600, 600);
	SRND_ASSERT_SAME(test, got, srnd_fake_stream(test, f, 600, 600), 600,
			 "read on");
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 1200LL);
	KUNIT_ASSERT_EQ(test, file->file.f_pos, 1200LL);
}

static void offsets_end(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	struct srnd_fake *file = open(test);
	struct srnd_cursor c;
	size_t n, again;
	u8 got[100];

	file->iocb.ki_pos = OFFSET_MAX - 10;
	if (!seekable(test)) {
		file->file.f_pos = file->iocb.ki_pos;
		stream(file)->position = OFFSET_MAX - 10;
	}
	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false), 0);
	n = srnd_cursor_peek(&c, got, sizeof(got));
	srnd_cursor_took(&c, got, n, n);
	again = srnd_cursor_peek(&c, got, sizeof(got));
	srnd_cursor_end(&c, &file->iocb);
	KUNIT_ASSERT_EQ(test, n, (size_t)10);
	KUNIT_ASSERT_EQ(test, again, (size_t)0);
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, OFFSET_MAX);
	if (seekable(test))
		SRND_ASSERT_SAME(test, got,
				 srnd_fake_stream(test, f, OFFSET_MAX - 10, 10),
				 10, "the last");
}

/* Nobody waits who said so: forward-only streams have one reader at a time. */
static void the_impatient_are_sent_off(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	struct srnd_fake *file = srnd_fake_open(test, f, IOCB_NOWAIT);
	struct srnd_cursor reading, second;
	int err;

	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&reading, &file->iocb, false),
			0);
	err = srnd_cursor_begin(&second, &file->iocb, false);
	if (!err)
		srnd_cursor_end(&second, &file->iocb);
	srnd_cursor_end(&reading, &file->iocb);
	KUNIT_ASSERT_EQ(test, err, seekable(test) ? 0 : -EAGAIN);
	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&second, &file->iocb, false),
			0);
	srnd_cursor_end(&second, &file->iocb);
}

/* ---- forgetting ---- */

static bool holds(const void *memory, size_t size, const u8 *piece)
{
	size_t i;

	for (i = 0; i + 16 <= size; i++)
		if (!memcmp(memory + i, piece, 16))
			return true;
	return false;
}

/* Erasing streams know nothing of what they gave, in any corner. */
static void windows_forget(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	struct srnd_fake *file = open(test);
	struct srnd_stream *s = stream(file);
	u8 *got = srnd_cases_alloc(test, 500);
	size_t done, i;

	if (!f->window) {
		KUNIT_ASSERT_NULL(test, s->window);
		return;
	}
	for (done = 0; done < LONG; done += 500) {
		read_in_pieces(test, file, got, 500, 300, 77);
		for (i = 0; i + 16 <= 500; i += 44) {
			KUNIT_ASSERT_FALSE(test, holds(s->window, f->window,
						       got + i));
			KUNIT_ASSERT_FALSE(test, holds(s, sizeof(*s), got + i));
		}
	}
}

/* ---- absorbing ---- */

static void absorb(struct kunit *test, struct srnd_fake *file, const u8 *data,
		   size_t len)
{
	struct srnd_cursor c;

	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, true), 0);
	KUNIT_EXPECT_TRUE(test, c.absorbing);
	srnd_engine_absorb(&c.stream->instance, c.stream->format, data, len);
	srnd_cursor_end(&c, &file->iocb);
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 0LL);
}

static void messages_grow_until_read(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	u8 *message = srnd_cases_alloc(test, 1000);
	struct srnd_fake *file;
	struct srnd_cursor c;
	u8 got[300];

	if (!(f->flags & SRND_ABSORBS)) {
		file = open(test);
		KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, true),
				0);
		KUNIT_EXPECT_FALSE(test, c.absorbing);
		srnd_cursor_end(&c, &file->iocb);
		return;
	}
	file = srnd_fake_absorbing(test, f);
	srnd_cases_fill(message, 1000, SRND_FAKE_MESSAGE);
	absorb(test, file, message, 1);
	absorb(test, file, message + 1, 500);
	absorb(test, file, message + 501, 499);
	read_in_pieces(test, file, got, 300, 300, 299);
	SRND_ASSERT_SAME(test, got, srnd_fake_absorbed(test, f, 1000, 300), 300,
			 "after the message");
	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, true), 0);
	KUNIT_EXPECT_FALSE(test, c.absorbing);
	srnd_cursor_end(&c, &file->iocb);
}

/* ---- files and their streams ---- */

/* Who reads a stream keeps it, whatever happens to the file meanwhile. */
static void readers_keep_their_stream(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	struct srnd_fake *file = open(test), *other = open(test);
	u8 *want = srnd_fake_stream(test, f, 0, 200);
	struct srnd_cursor c;
	u8 got[200];
	size_t n;

	KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&stream(file)->users), 2U);
	srnd_stream_install(&file->file, srnd_stream_get(&other->state));
	KUNIT_EXPECT_EQ(test, refcount_read(&c.stream->users), 1U);
	n = srnd_cursor_peek(&c, got, 100);
	srnd_cursor_took(&c, got, n, n);
	n += srnd_cursor_peek(&c, got + n, 200 - n);
	srnd_cursor_end(&c, &file->iocb);
	SRND_ASSERT_SAME(test, got, want, n, "what was being read");
	KUNIT_ASSERT_GE(test, n, (size_t)100);

	KUNIT_ASSERT_PTR_EQ(test, stream(file), stream(other));
	KUNIT_ASSERT_EQ(test, refcount_read(&stream(other)->users), 2U);
	srnd_stream_install(&file->file, NULL);
	KUNIT_ASSERT_EQ(test, refcount_read(&stream(other)->users), 1U);
	KUNIT_ASSERT_NULL(test, srnd_stream_get(&file->state));
}

/* Without a stream it is the pool, which has no positions. */
static void unseeded_files_read_the_pool(struct kunit *test)
{
	struct srnd_fake *file = srnd_fake_open(test, NULL, 0);
	u8 *got = srnd_cases_alloc(test, SRND_PEEK_MAX);
	static const size_t lengths[] = { SRND_SMALL, SRND_PEEK_MAX };
	struct srnd_cursor c;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		file->iocb.ki_pos = 77;
		KUNIT_ASSERT_EQ(test, srnd_cursor_begin(&c, &file->iocb, false),
				0);
		n = srnd_cursor_peek(&c, got, lengths[i]);
		srnd_cursor_took(&c, got, n, n);
		/* Only long reads are worth a key of their own. */
		KUNIT_EXPECT_EQ(test, c.bulk_begun, lengths[i] > SRND_SMALL);
		srnd_cursor_end(&c, &file->iocb);
		KUNIT_ASSERT_EQ(test, n, lengths[i]);
		KUNIT_ASSERT_NE(test,
				memcmp(got + n - 16, zeros, sizeof(zeros)), 0);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 77LL);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(bad_arguments_are_refused),
	KUNIT_CASE(good_arguments_are_not),
	KUNIT_CASE(text_is_expanded),
	KUNIT_CASE_PARAM(pieces_do_not_matter, srnd_suites_formats),
	KUNIT_CASE_PARAM(peeking_moves_nothing, srnd_suites_formats),
	KUNIT_CASE_PARAM(peeks_are_not_empty, srnd_suites_formats),
	KUNIT_CASE_PARAM(positions, srnd_suites_formats),
	KUNIT_CASE_PARAM(offsets_end, srnd_suites_formats),
	KUNIT_CASE_PARAM(the_impatient_are_sent_off, srnd_suites_formats),
	KUNIT_CASE_PARAM(windows_forget, srnd_suites_formats),
	KUNIT_CASE_PARAM(messages_grow_until_read, srnd_suites_formats),
	KUNIT_CASE_PARAM(readers_keep_their_stream, srnd_suites_formats),
	KUNIT_CASE(unseeded_files_read_the_pool),
	{}
};

struct kunit_suite srnd_stream_suite = {
	.name = "shakerandom_stream",
	.suite_init = srnd_suites_prepare,
	.exit = srnd_fake_close_all,
	.test_cases = cases,
};
