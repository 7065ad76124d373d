// SPDX-License-Identifier: GPL-2.0
#include "cases.h"

#define PAINT 0xa5

const void *srnd_cases_next_row(enum srnd_primitive p, const void *prev,
				char *desc)
{
	const struct srnd_backend *row;
	unsigned int i = 0;

	if (prev)
		while (srnd_backend_row(p, i++) != prev)
			;
	row = srnd_backend_row(p, i);
	if (row)
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", row->name);
	return row;
}

bool srnd_cases_can_run(const struct srnd_backend *row)
{
	return !(row->needs & ~srnd_cases_cpu());
}

const struct srnd_backend *srnd_cases_row(struct kunit *test)
{
	const struct srnd_backend *row = test->param_value;

	if (!srnd_cases_can_run(row))
		SRND_SKIP(test, "no processor for %s (needs bits 0x%x)",
			  row->name, row->needs & ~srnd_cases_cpu());
	return row;
}

void srnd_cases_enter(struct kunit *test, const struct srnd_backend *row)
{
	if (row->section)
		KUNIT_ASSERT_TRUE(test, srnd_cases_simd_begin());
}

void srnd_cases_leave(const struct srnd_backend *row)
{
	if (row->section)
		srnd_cases_simd_end();
}

void *srnd_cases_alloc(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

void srnd_cases_fill(void *to, size_t len, u32 stream)
{
	u32 x = stream * 2654435761u + 1;
	u8 *p = to;

	for (; len; len--) {
		x = x * 1664525 + 1013904223;
		*p++ = x >> 24;
	}
}

size_t srnd_cases_same(const void *a, const void *b, size_t len)
{
	const u8 *p = a, *q = b;
	size_t i;

	if (!len || !memcmp(p, q, len))
		return len;
	for (i = 0; p[i] == q[i]; i++)
		;
	return i;
}

/* The output ends where the allocation does but for the guard. */
void srnd_area_init(struct kunit *test, struct srnd_area *area, size_t max)
{
	area->start = srnd_cases_alloc(test, max + 3 * SRND_GUARD);
}

u8 *srnd_area_open(struct srnd_area *area, size_t align, size_t len)
{
	area->out = area->start + SRND_GUARD + align % SRND_GUARD;
	area->len = len;
	memset(area->start, PAINT, srnd_area_total(area));
	return area->out;
}

size_t srnd_area_total(const struct srnd_area *area)
{
	return area->out - area->start + area->len + SRND_GUARD;
}

static size_t painted(const u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i < len && p[i] == PAINT; i++)
		;
	return i;
}

size_t srnd_area_right(const struct srnd_area *area, const void *want)
{
	size_t before = area->out - area->start, right;

	right = painted(area->start, before);
	if (right == before)
		right += srnd_cases_same(area->out, want, area->len);
	if (right == before + area->len)
		right += painted(area->out + area->len, SRND_GUARD);
	return right;
}
