/* SPDX-License-Identifier: MIT */
/*
 * Draws made of whole numbers, once for both sources: SECURE stands for the
 * process-wide one, and since it is a constant, costs nothing.
 */
#include <stdlib.h>
#include <time.h>

#include "internal.h"

#define SECURE ((shakerandom_stream *)1)
#define TEMPLATE static inline __attribute__((always_inline))

TEMPLATE uint8_t u8(shakerandom_stream *s)
{
	return s == SECURE ? shakerandom_u8() : shakerandom_stream_u8(s);
}

TEMPLATE uint32_t u32(shakerandom_stream *s)
{
	return s == SECURE ? shakerandom_u32() : shakerandom_stream_u32(s);
}

TEMPLATE uint64_t u64(shakerandom_stream *s)
{
	return s == SECURE ? shakerandom_u64() : shakerandom_stream_u64(s);
}

TEMPLATE void must_fill(shakerandom_stream *s, void *buf, size_t len)
{
	int err = s == SECURE ? shakerandom_fill(buf, len) :
				shakerandom_stream_fill(s, buf, len);

	if (err)
		srnd_die(err);
}

TEMPLATE bool follows(shakerandom_stream *s, uint32_t rules)
{
	return s != SECURE && s->rules == rules;
}

/* ---- bits ---- */

static bool cached_bit(shakerandom_stream *s)
{
	bool bit;

	if (!s->bits_left) {
		s->bits = shakerandom_stream_u64(s);
		s->bits_left = 64;
	}
	bit = s->bits & 1;
	s->bits >>= 1;
	s->bits_left--;
	return bit;
}

TEMPLATE bool draw_bool(shakerandom_stream *s)
{
	if (follows(s, SHAKERANDOM_RULES_AES_PRNG))
		return cached_bit(s);
	return u8(s) & 1;
}

TEMPLATE uint64_t draw_bits(shakerandom_stream *s, unsigned int count)
{
	if (!count)
		return 0;
	return count < 64 ? u64(s) & ((UINT64_C(1) << count) - 1) : u64(s);
}

/* ---- bounded ---- */

/* All bits up to the highest of @v. */
static uint64_t mask_of(uint64_t v)
{
	return v ? UINT64_MAX >> __builtin_clzll(v) : 0;
}

static uint32_t masked_below32(shakerandom_stream *s, uint32_t bound)
{
	uint32_t mask = (uint32_t)mask_of(bound - UINT32_C(1)), v;

	if (bound == 1)
		return 0;
	do
		v = shakerandom_stream_u32(s) & mask;
	while (bound && v >= bound);
	return bound ? v : 0;
}

static uint64_t masked_below64(shakerandom_stream *s, uint64_t bound)
{
	uint64_t mask = mask_of(bound - 1), v;

	if (bound <= 1)
		return 0;
	do
		v = shakerandom_stream_u64(s) & mask;
	while (v >= bound);
	return v;
}

/*
 * Lemire, "Fast random integer generation in an interval" (2019): the division
 * is rare.
 */
TEMPLATE uint32_t draw_below32(shakerandom_stream *s, uint32_t bound)
{
	uint64_t product;

	if (follows(s, SHAKERANDOM_RULES_CRYPTORANDOM))
		return masked_below32(s, bound);
	if (bound <= 1)
		return 0;
	product = (uint64_t)u32(s) * bound;
	if ((uint32_t)product < bound) {
		uint32_t least = -bound % bound;

		while ((uint32_t)product < least)
			product = (uint64_t)u32(s) * bound;
	}
	return (uint32_t)(product >> 32);
}

TEMPLATE uint64_t draw_below64(shakerandom_stream *s, uint64_t bound)
{
	uint64_t high, low;

	if (follows(s, SHAKERANDOM_RULES_CRYPTORANDOM))
		return masked_below64(s, bound);
	if (bound <= 1)
		return 0;
	high = srnd_mul(u64(s), bound, &low);
	if (low < bound) {
		uint64_t least = -bound % bound;

		while (low < least)
			high = srnd_mul(u64(s), bound, &low);
	}
	return high;
}

TEMPLATE uint32_t draw_urange32(shakerandom_stream *s, uint32_t a, uint32_t b)
{
	uint32_t least = a < b ? a : b;
	uint32_t count = (a < b ? b - a : a - b) + 1;

	return least + (count ? draw_below32(s, count) : u32(s));
}

TEMPLATE uint64_t draw_urange64(shakerandom_stream *s, uint64_t a, uint64_t b)
{
	uint64_t least = a < b ? a : b;
	uint64_t count = (a < b ? b - a : a - b) + 1;

	return least + (count ? draw_below64(s, count) : u64(s));
}

/* Order-preserving: the least signed number becomes 0, and back. */
#define FLIP32 (UINT32_C(1) << 31)
#define FLIP64 (UINT64_C(1) << 63)

TEMPLATE int32_t draw_range32(shakerandom_stream *s, int32_t a, int32_t b)
{
	return (int32_t)(draw_urange32(s, (uint32_t)a ^ FLIP32,
				       (uint32_t)b ^ FLIP32) ^ FLIP32);
}

TEMPLATE int64_t draw_range64(shakerandom_stream *s, int64_t a, int64_t b)
{
	return (int64_t)(draw_urange64(s, (uint64_t)a ^ FLIP64,
				       (uint64_t)b ^ FLIP64) ^ FLIP64);
}

/* ---- floating point: every step is exact ---- */

TEMPLATE float draw_float(shakerandom_stream *s)
{
	return (float)(u32(s) >> 8) * 0x1p-24f;
}

TEMPLATE double draw_double(shakerandom_stream *s)
{
	return (double)(u64(s) >> 11) * 0x1p-53;
}

static uint64_t secure_u64(shakerandom_stream *s)
{
	(void)s;
	return shakerandom_u64();
}

TEMPLATE double draw_normal(shakerandom_stream *s)
{
	return (double)srnd_normal(s == SECURE ? secure_u64 :
				   shakerandom_stream_u64, s) * 0x1p-49;
}

/* ---- shuffle and sample ---- */

static void swap(uint8_t *a, uint8_t *b, size_t size)
{
	uint8_t t[64];

	while (size) {
		size_t n = size < sizeof(t) ? size : sizeof(t);

		memcpy(t, a, n);
		memcpy(a, b, n);
		memcpy(b, t, n);
		a += n;
		b += n;
		size -= n;
	}
}

TEMPLATE void draw_shuffle(shakerandom_stream *s, void *base, size_t count,
			   size_t size)
{
	bool small = count <= UINT32_MAX;
	uint8_t *p = base;

	for (size_t i = count; i-- > 1;) {
		size_t j = small ? draw_below32(s, (uint32_t)i + 1) :
				   (size_t)draw_below64(s, (uint64_t)i + 1);

		if (i != j)
			swap(p + i * size, p + j * size, size);
	}
}

/* A set of the numbers in out[]: open addressing, 1 + index or 0 for none. */
struct set {
	const uint64_t *out;
	size_t *slot;
	size_t mask;
};

static int set_init(struct set *set, const uint64_t *out, size_t k)
{
	size_t size = 4;

	while (size / 2 < k) {
		if (size > SIZE_MAX / 2)
			return SHAKERANDOM_ERR_MEMORY;
		size *= 2;
	}
	set->out = out;
	set->mask = size - 1;
	set->slot = calloc(size, sizeof(*set->slot));
	return set->slot ? 0 : SHAKERANDOM_ERR_MEMORY;
}

/* The slot of @v, or the empty one where it belongs. */
static size_t *set_find(const struct set *set, uint64_t v)
{
	size_t i = (size_t)(v * UINT64_C(0x9e3779b97f4a7c15) >> 20);

	for (;; i++) {
		size_t *slot = &set->slot[i & set->mask];

		if (!*slot || set->out[*slot - 1] == v)
			return slot;
	}
}

static void set_free(struct set *set)
{
	srnd_wipe(set->slot, (set->mask + 1) * sizeof(*set->slot));
	free(set->slot);
}

/* Robert Floyd's: every set of k is equally likely. */
TEMPLATE int draw_sample(shakerandom_stream *s, uint64_t *out, size_t k,
			 uint64_t n)
{
	struct set set;
	int err;

	if (k > n)
		return SHAKERANDOM_ERR_ARGUMENT;
	err = set_init(&set, out, k);
	if (err)
		return err;
	for (size_t i = 0; i < k; i++) {
		uint64_t j = n - k + i;
		uint64_t v = draw_below64(s, j + 1);

		if (*set_find(&set, v))
			v = j;
		out[i] = v;
		*set_find(&set, v) = i + 1;
	}
	set_free(&set);
	draw_shuffle(s, out, k, sizeof(*out));
	return 0;
}

/* ---- UUIDs ---- */

static void set_version(uint8_t uuid[16], unsigned int version)
{
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | version << 4);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

TEMPLATE void draw_uuid4(shakerandom_stream *s, uint8_t uuid[16])
{
	must_fill(s, uuid, 16);
	set_version(uuid, 4);
}

static void put_be48(uint8_t *to, uint64_t v)
{
	for (unsigned int i = 0; i < 6; i++)
		to[i] = (uint8_t)(v >> (40 - 8 * i));
}

SRND_EXPORT void shakerandom_stream_uuid7(shakerandom_stream *s,
					  uint64_t unix_ms, uint8_t uuid[16])
{
	put_be48(uuid, unix_ms);
	must_fill(s, uuid + 6, 10);
	set_version(uuid, 7);
}

/* 4096ths of a millisecond since 1970, different and rising with each call. */
static uint64_t next_tick(void)
{
	static _Atomic uint64_t last;
	uint64_t before = atomic_load(&last), tick;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	do {
		tick = ((uint64_t)now.tv_sec * 1000 << 12) +
		       ((uint64_t)now.tv_nsec << 12) / 1000000;
		if (tick <= before)
			tick = before + 1;
	} while (!atomic_compare_exchange_weak(&last, &before, tick));
	return tick;
}

SRND_EXPORT void shakerandom_uuid7(uint8_t uuid[16])
{
	uint64_t tick = next_tick();

	put_be48(uuid, tick >> 12);
	uuid[6] = (uint8_t)(tick >> 8 & 0x0f);
	uuid[7] = (uint8_t)tick;
	must_fill(SECURE, uuid + 8, 8);
	set_version(uuid, 7);
}

SRND_EXPORT void shakerandom_uuid_text(const uint8_t uuid[16], char text[37])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		*text++ = digits[uuid[i] >> 4];
		*text++ = digits[uuid[i] & 15];
	}
	*text = '\0';
}

/* ---- the two public sets ---- */

#define PUBLISH0(type, name)						\
SRND_EXPORT type shakerandom_##name(void)				\
{									\
	return draw_##name(SECURE);					\
}									\
SRND_EXPORT type shakerandom_stream_##name(shakerandom_stream *s)	\
{									\
	return draw_##name(s);						\
}

#define PUBLISH1(type, name, argument)					\
SRND_EXPORT type shakerandom_##name(argument a)				\
{									\
	return draw_##name(SECURE, a);					\
}									\
SRND_EXPORT type shakerandom_stream_##name(shakerandom_stream *s,	\
					   argument a)			\
{									\
	return draw_##name(s, a);					\
}

#define PUBLISH2(type, name, argument)					\
SRND_EXPORT type shakerandom_##name(argument a, argument b)		\
{									\
	return draw_##name(SECURE, a, b);				\
}									\
SRND_EXPORT type shakerandom_stream_##name(shakerandom_stream *s,	\
					   argument a, argument b)	\
{									\
	return draw_##name(s, a, b);					\
}

PUBLISH0(bool, bool)
PUBLISH1(uint64_t, bits, unsigned int)
PUBLISH1(uint32_t, below32, uint32_t)
PUBLISH1(uint64_t, below64, uint64_t)
PUBLISH2(int32_t, range32, int32_t)
PUBLISH2(int64_t, range64, int64_t)
PUBLISH2(uint32_t, urange32, uint32_t)
PUBLISH2(uint64_t, urange64, uint64_t)
PUBLISH0(float, float)
PUBLISH0(double, double)
PUBLISH0(double, normal)

SRND_EXPORT void shakerandom_shuffle(void *base, size_t count, size_t size)
{
	draw_shuffle(SECURE, base, count, size);
}

SRND_EXPORT void shakerandom_stream_shuffle(shakerandom_stream *s, void *base,
					    size_t count, size_t size)
{
	draw_shuffle(s, base, count, size);
}

SRND_EXPORT int shakerandom_sample(uint64_t *out, size_t k, uint64_t n)
{
	return draw_sample(SECURE, out, k, n);
}

SRND_EXPORT int shakerandom_stream_sample(shakerandom_stream *s, uint64_t *out,
					  size_t k, uint64_t n)
{
	return draw_sample(s, out, k, n);
}

SRND_EXPORT void shakerandom_uuid4(uint8_t uuid[16])
{
	draw_uuid4(SECURE, uuid);
}

SRND_EXPORT void shakerandom_stream_uuid4(shakerandom_stream *s,
					  uint8_t uuid[16])
{
	draw_uuid4(s, uuid);
}
