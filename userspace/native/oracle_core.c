// SPDX-License-Identifier: GPL-2.0
/*
 * The core as oracle.py calls it: numbers and buffers, no structures. Rows are
 * those of the primitive behind a format, best first.
 */
#include <stdlib.h>

#include "../../driver/core/format.h"
#include "host.h"

/* The name of row @index of format @number; NULL past the end. */
const char *oracle_row(u32 number, unsigned int index)
{
	const struct srnd_format *f = srnd_format(number);
	const struct srnd_backend *row =
		f ? srnd_backend_row(f->primitive, index) : NULL;

	return row ? row->name : NULL;
}

bool oracle_row_runs(u32 number, unsigned int index)
{
	const struct srnd_format *f = srnd_format(number);

	return host_can_run(srnd_backend_row(f->primitive, index));
}

bool oracle_seekable(u32 number)
{
	return srnd_format_seekable(srnd_format(number));
}

struct oracle_stream {
	const struct srnd_format *f;
	struct srnd_engine engine;
	union srnd_instance instance;
};

struct oracle_stream *oracle_open(u32 number, unsigned int row, const u8 *seed,
				  size_t len, const u8 *nonce)
{
	struct oracle_stream *s = calloc(1, sizeof(*s));

	s->f = srnd_format(number);
	s->engine = srnd_portable_engine;
	s->engine.row[s->f->primitive] =
		srnd_backend_row(s->f->primitive, row);
	if (s->f->window)
		s->instance.forward.window = malloc(s->f->window);
	srnd_format_seed(&s->instance, s->f, &s->engine, seed, len, nonce);
	return s;
}

void oracle_absorb(struct oracle_stream *s, const u8 *data, size_t len)
{
	srnd_format_absorb(&s->instance, s->f, &s->engine, data, len);
}

/* At @offset if the format seeks, else the next bytes. */
void oracle_read(struct oracle_stream *s, u64 offset, u8 *out, size_t len)
{
	if (srnd_format_seekable(s->f))
		srnd_format_read(&s->instance, s->f, &s->engine, offset, out,
				 len);
	else
		srnd_format_squeeze(&s->instance, s->f, &s->engine, out, len);
}

void oracle_close(struct oracle_stream *s)
{
	if (s->f->window)
		free(s->instance.forward.window);
	free(s);
}

size_t oracle_expand(u32 number, const u8 *text, size_t len, u8 *key)
{
	return srnd_format_expand(srnd_format(number), &srnd_portable_engine,
				  text, len, key);
}
