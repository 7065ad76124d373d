// SPDX-License-Identifier: GPL-2.0
/* Files that no process has opened, and what they should give. */
#include <linux/err.h>

#include "../uapi/shakerandom.h"
#include "suites.h"

#define SEED_FREE 40	/* bytes of seed where any number will do */

u32 srnd_suites_number(const struct srnd_format *f)
{
	u32 number = 0;

	while (f && srnd_format(number) != f)
		number++;
	return number;
}

const void *srnd_suites_formats(SRND_PARAMS(prev, desc))
{
	const struct srnd_format *f = srnd_format(srnd_suites_number(prev) + 1);

	if (f)
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", f->name);
	return f;
}

/* How a file of a format is seeded. */
struct seeding {
	struct shakerandom_seed args;
	u8 seed[SHAKERANDOM_SEED_MAX];
};

static struct seeding *seeding_of(struct kunit *test,
				  const struct srnd_format *f)
{
	struct seeding *s = srnd_cases_alloc(test, sizeof(*s));
	u32 number = srnd_suites_number(f);

	s->args.format = number;
	s->args.seed_len = f->seed_sizes[0] ? f->seed_sizes[0] : SEED_FREE;
	srnd_cases_fill(s->seed, s->args.seed_len, 100 + number);
	if (srnd_format_has_nonce(f))
		srnd_cases_fill(s->args.nonce, sizeof(s->args.nonce),
				200 + number);
	return s;
}

static struct srnd_fake *fake(struct kunit *test, const struct srnd_format *f,
			      u32 seed_flags, int flags)
{
	struct srnd_fake *new = srnd_cases_alloc(test, sizeof(*new));
	struct srnd_stream *stream;
	struct seeding *how;

	new->format = f;
	new->file.private_data = &new->state;
	spin_lock_init(&new->file.f_lock);
	new->iocb.ki_filp = &new->file;
	new->iocb.ki_flags = flags;
	new->next = test->priv;
	test->priv = new;
	if (!f)
		return new;
	how = seeding_of(test, f);
	how->args.flags = seed_flags;
	stream = srnd_stream_create(&how->args, how->seed);
	KUNIT_ASSERT_FALSE(test, IS_ERR(stream));
	srnd_stream_install(&new->file, stream);
	return new;
}

struct srnd_fake *srnd_fake_open(struct kunit *test,
				 const struct srnd_format *f, int flags)
{
	return fake(test, f, 0, flags);
}

struct srnd_fake *srnd_fake_absorbing(struct kunit *test,
				      const struct srnd_format *f)
{
	return fake(test, f, SHAKERANDOM_SEED_ABSORB, 0);
}

void srnd_fake_close_all(struct kunit *test)
{
	struct srnd_fake *f;

	for (f = test->priv; f; f = f->next)
		srnd_stream_install(&f->file, NULL);
	/* The next parameter's test begins with what this one left. */
	test->priv = NULL;
}

static union srnd_instance *instance_of(struct kunit *test,
					const struct srnd_format *f)
{
	union srnd_instance *s = srnd_cases_alloc(test, sizeof(*s));
	struct seeding *how = seeding_of(test, f);

	if (f->window)
		s->forward.window = srnd_cases_alloc(test, f->window);
	srnd_format_seed(s, f, &srnd_portable_engine, how->seed,
			 how->args.seed_len, how->args.nonce);
	return s;
}

u8 *srnd_fake_stream(struct kunit *test, const struct srnd_format *f,
		     u64 offset, size_t len)
{
	union srnd_instance *s = instance_of(test, f);
	u8 *out;

	if (srnd_format_seekable(f)) {
		out = srnd_cases_alloc(test, len);
		srnd_format_read(s, f, &srnd_portable_engine, offset, out, len);
		return out;
	}
	out = srnd_cases_alloc(test, offset + len);
	srnd_format_squeeze(s, f, &srnd_portable_engine, out, offset + len);
	return out + offset;
}

u8 *srnd_fake_absorbed(struct kunit *test, const struct srnd_format *f,
		       size_t added, size_t len)
{
	union srnd_instance *s = instance_of(test, f);
	u8 *message = srnd_cases_alloc(test, added);
	u8 *out = srnd_cases_alloc(test, len);

	srnd_cases_fill(message, added, SRND_FAKE_MESSAGE);
	srnd_format_absorb(s, f, &srnd_portable_engine, message, added);
	srnd_format_squeeze(s, f, &srnd_portable_engine, out, len);
	return out;
}
