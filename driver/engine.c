// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include "engine.h"
#include "simd.h"

struct srnd_engine srnd_engine __ro_after_init;

/*
 * One line a CPU, so that counting never shares one. A sum read on a 32-bit
 * machine may be torn for a moment; it is a statistic.
 */
static DEFINE_PER_CPU(u64[SRND_STATISTICS], statistics);

void srnd_count(enum srnd_statistic what, u64 n)
{
	this_cpu_add(statistics[what], n);
}

u64 srnd_counted(enum srnd_statistic what)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(statistics[what], cpu));
	return sum;
}

/* The engine of the next section; section_end gives the vector unit back. */
static const struct srnd_engine *section_begin(const struct srnd_format *f,
					       struct srnd_simd *simd)
{
	if (!srnd_format_section(f, &srnd_engine) || srnd_simd_begin(simd))
		return &srnd_engine;
	srnd_count(SRND_FALLBACKS, 1);
	return &srnd_portable_engine;
}

static void section_end(const struct srnd_format *f,
			const struct srnd_engine *e, struct srnd_simd *simd)
{
	if (srnd_format_section(f, e))
		srnd_simd_end(simd);
}

/*
 * How much of @len the next section may give. It ends on a boundary of
 * @offset, so that only the first one cuts a grain.
 */
static size_t section_length(const struct srnd_format *f, u64 offset,
			     size_t len)
{
	size_t section = srnd_format_section(f, &srnd_engine);

	if (!section)
		return len;
	return min_t(size_t, len, section - (offset & (section - 1)));
}

void srnd_engine_key(union srnd_instance *s, const struct srnd_format *f,
		     const u8 *key)
{
	static const u8 nonce[SRND_NONCE];
	const struct srnd_engine *e;
	struct srnd_simd simd;

	e = section_begin(f, &simd);
	f->key(s, f, e->row[f->primitive], key, nonce);
	section_end(f, e, &simd);
}

void srnd_engine_read(const union srnd_instance *s, const struct srnd_format *f,
		      u64 offset, u8 *out, size_t len)
{
	const struct srnd_engine *e;
	struct srnd_simd simd;
	size_t n;

	for (; len; offset += n, out += n, len -= n) {
		n = section_length(f, offset, len);
		e = section_begin(f, &simd);
		srnd_format_read(s, f, e, offset, out, n);
		section_end(f, e, &simd);
	}
}

void srnd_engine_squeeze(union srnd_instance *s, const struct srnd_format *f,
			 u8 *out, size_t len)
{
	const struct srnd_engine *e;
	struct srnd_simd simd;
	size_t n;

	for (; len; out += n, len -= n) {
		n = section_length(f, 0, len);
		e = section_begin(f, &simd);
		srnd_format_squeeze(s, f, e, out, n);
		section_end(f, e, &simd);
	}
}

/* One section: a window is short enough. */
size_t srnd_engine_peek(union srnd_instance *s, const struct srnd_format *f,
			u8 *out, size_t len)
{
	const struct srnd_engine *e;
	struct srnd_simd simd;

	e = section_begin(f, &simd);
	len = srnd_format_peek(s, f, e, out, len);
	section_end(f, e, &simd);
	return len;
}

void srnd_engine_absorb(union srnd_instance *s, const struct srnd_format *f,
			const u8 *data, size_t len)
{
	const struct srnd_engine *e;
	struct srnd_simd simd;
	size_t n;

	for (; len; data += n, len -= n) {
		n = section_length(f, 0, len);
		e = section_begin(f, &simd);
		srnd_format_absorb(s, f, e, data, n);
		section_end(f, e, &simd);
	}
}
