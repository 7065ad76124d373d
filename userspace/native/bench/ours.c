// SPDX-License-Identifier: GPL-2.0
/* Our formats, by every row of the backend table that runs here. */
#include "../host.h"
#include "bench.h"

struct ours {
	const struct srnd_format *format;
	struct srnd_engine engine;
	union srnd_instance instance;
	u64 offset;
};

static void read_next(void *state, u8 *out, size_t size)
{
	struct ours *o = state;

	srnd_format_read(&o->instance, o->format, &o->engine, o->offset, out,
			 size);
	o->offset += size;
}

static void squeeze_next(void *state, u8 *out, size_t size)
{
	struct ours *o = state;

	srnd_format_squeeze(&o->instance, o->format, &o->engine, out, size);
}

static void absorb_next(void *state, u8 *out, size_t size)
{
	struct ours *o = state;
	const u8 *message = bench_message(&o->offset);

	srnd_format_absorb(&o->instance, o->format, &o->engine, message, size);
}

/* An instance from a seed of zeros: the shortest the format takes. */
static struct ours *open_ours(const struct srnd_format *f,
			      const struct srnd_backend *row)
{
	static const u8 zeros[256];
	struct ours *o = bench_memory(sizeof(*o));

	o->format = f;
	o->engine = srnd_portable_engine;
	o->engine.row[f->primitive] = row;
	if (f->window)
		o->instance.forward.window = bench_memory(f->window);
	srnd_format_seed(&o->instance, f, &o->engine, zeros, f->seed_sizes[0],
			 zeros);
	return o;
}

static void enter_row(const struct srnd_format *f,
		      const struct srnd_backend *row)
{
	struct contender c = { .what = f->name, .variant = row->name };
	unsigned int i;

	c.call = srnd_format_seekable(f) ? read_next : squeeze_next;
	for (i = 0; i < BENCH_SIZES; i++) {
		c.size = bench_sizes[i];
		if (c.size < srnd_format_grain(f))
			continue;
		c.state = open_ours(f, row);
		bench_enter(&c);
	}
}

/*
 * How long a section of vector code keeps others from the CPU, in the slowest
 * formats of each primitive.
 */
static void enter_section(const struct srnd_format *f,
			  const struct srnd_backend *row)
{
	static const struct {
		const char *format, *what;
	} works[] = {
		{ "chacha20", "section chacha20" },
		{ "aes256-ctr", "section aes256-ctr" },
		{ "shake256-ctr", "section shake256-ctr" },
	};
	struct contender c = {
		.variant = row->name, .size = row->section, .time = true,
		.call = read_next,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		if (!row->section || strcmp(f->name, works[i].format))
			continue;
		c.what = works[i].what;
		c.state = open_ours(f, row);
		bench_enter(&c);
	}
}

static void enter_absorbing(const struct srnd_format *f, const char *what,
			    const struct srnd_backend *row)
{
	struct contender c = {
		.what = what, .variant = row->name, .size = BENCH_LONG,
		.call = absorb_next, .state = open_ours(f, row),
	};

	bench_enter(&c);
}

static void enter_format(const struct srnd_format *f, u32 usable)
{
	const struct srnd_backend *row;
	unsigned int i;

	for (i = 0; (row = srnd_backend_row(f->primitive, i)); i++) {
		if (!(usable & BIT(i))) {
			bench_lacks(f->name, row->name, false,
				    "not on this processor");
			continue;
		}
		enter_row(f, row);
		enter_section(f, row);
		if (!strcmp(f->name, "shake256"))
			enter_absorbing(f, "shake256 absorb", row);
		else if (!strcmp(f->name, "shake128"))
			enter_absorbing(f, "shake128 absorb", row);
	}
}

void bench_ours(bool apart)
{
	u64 served = srnd_formats_served();
	const struct srnd_format *f;
	u32 number, cpu = host_cpu();

	for (number = 0; served >> number; number++) {
		f = srnd_format(number);
		if (f)
			enter_format(f,
				     srnd_backend_usable(f->primitive, cpu));
	}
}
