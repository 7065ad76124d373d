// SPDX-License-Identifier: GPL-2.0
/*
 * Any program of seeds, reads, absorbs and squeezes, on any variant, gives what
 * the portable code gives in one call.
 */
#include <stdlib.h>

#include "../../driver/core/format.h"
#include "host.h"

#define MESSAGE 1024	/* bytes of seed and what is absorbed after it */
#define STREAM 32768	/* bytes taken of a forward-only format */

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* The fuzzer's bytes; zeros when they are used up. */
struct input {
	const u8 *data;
	size_t left;
};

static void take(struct input *in, void *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memset(to, 0, n);
	memcpy(to, in->data, have);
	in->data += have;
	in->left -= have;
}

static u64 number(struct input *in, size_t bytes)
{
	u8 raw[8] = { 0 };

	take(in, raw, bytes);
	return srnd_load_le64(raw);
}

struct run {
	const struct srnd_format *f;
	struct srnd_engine engine;
	u8 nonce[SRND_NONCE];
	u8 message[MESSAGE];
	size_t len;
};

static union srnd_instance *open_stream(const struct run *r,
					const struct srnd_engine *e, size_t len)
{
	union srnd_instance *s = calloc(1, sizeof(*s));

	if (r->f->window)
		s->forward.window = malloc(r->f->window);
	srnd_format_seed(s, r->f, e, r->message, len, r->nonce);
	return s;
}

static void close_stream(const struct run *r, union srnd_instance *s)
{
	if (r->f->window)
		free(s->forward.window);
	free(s);
}

static void expect_same(const u8 *got, const u8 *want, size_t len)
{
	if (len && memcmp(got, want, len))
		abort();
}

/* Out of a larger read by portable code, which begins and ends elsewhere. */
static void check_read(const struct run *r, const union srnd_instance *s,
		       struct input *in)
{
	u64 offset = number(in, 1 + number(in, 1) % 8), before = number(in, 1);
	size_t len = number(in, 2) % 5000;
	u8 *got = malloc(len), *want = malloc(before + len + 9);

	offset = offset % (1ULL << 63);
	before = before < offset ? before : offset;
	srnd_format_read(s, r->f, &r->engine, offset, got, len);
	srnd_format_read(s, r->f, &srnd_portable_engine, offset - before, want,
			 before + len + 9);
	expect_same(got, want + before, len);
	free(got);
	free(want);
}

static void seekable(const struct run *r, struct input *in)
{
	union srnd_instance *s = open_stream(r, &r->engine, r->len);

	while (in->left)
		check_read(r, s, in);
	close_stream(r, s);
}

static size_t absorb(struct run *r, union srnd_instance *s, struct input *in)
{
	size_t len = r->len, n;

	while (r->f->flags & SRND_ABSORBS && number(in, 1) & 1) {
		n = number(in, 1) % (MESSAGE - len);
		take(in, r->message + len, n);
		srnd_format_absorb(s, r->f, &r->engine, r->message + len, n);
		len += n;
	}
	return len;
}

static size_t squeeze(const struct run *r, union srnd_instance *s,
		      struct input *in, u8 *stream)
{
	size_t done = 0, n;
	u8 *got;

	while (in->left) {
		n = number(in, 2) % 3000;
		n = n < STREAM - done ? n : STREAM - done;
		got = malloc(n);
		srnd_format_squeeze(s, r->f, &r->engine, got, n);
		memcpy(stream + done, got, n);
		free(got);
		done += n;
	}
	return done;
}

static void forward(struct run *r, struct input *in)
{
	union srnd_instance *s = open_stream(r, &r->engine, r->len);
	u8 *got = malloc(STREAM), *want = malloc(STREAM);
	size_t len = absorb(r, s, in), done = squeeze(r, s, in, got);

	close_stream(r, s);
	s = open_stream(r, &srnd_portable_engine, len);
	srnd_format_squeeze(s, r->f, &srnd_portable_engine, want, done);
	expect_same(got, want, done);
	close_stream(r, s);
	free(got);
	free(want);
}

static void choose_row(struct run *r, enum srnd_primitive p, u64 wish)
{
	u32 rows = srnd_backend_usable(p, host_cpu());

	r->engine.row[p] = srnd_backend_first(p, rows & ~0U << wish % 8);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct run r = { .engine = srnd_portable_engine };
	unsigned int p;

	r.f = srnd_format((u32)number(&in, 1) % 16);
	if (!r.f)
		return 0;
	for (p = 0; p < SRND_PRIMITIVES; p++)
		choose_row(&r, p, number(&in, 1));
	if (srnd_format_has_nonce(r.f))
		take(&in, r.nonce, SRND_NONCE);
	r.len = r.f->seed_sizes[0] ? r.f->seed_sizes[number(&in, 1) % 4] :
				     number(&in, 1);
	if (!srnd_format_seed_ok(r.f, r.len))
		return 0;
	take(&in, r.message, r.len);
	if (srnd_format_seekable(r.f))
		seekable(&r, &in);
	else
		forward(&r, &in);
	return 0;
}
