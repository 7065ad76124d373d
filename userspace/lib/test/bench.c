/* SPDX-License-Identifier: MIT */
/*
 * The library's own cost: bench [--json] [FILE]
 *
 * Refills come from FILE (a device, or a file that stands in for one), or from
 * numbers in memory. All works take turns; what is printed is the median of the
 * nanoseconds of a call, or with --json lines for userspace/native/bench, which
 * knows the bars.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "shakerandom.h"

#define ROUNDS 301
#define BYTES (1L << 19)	/* a turn takes; it should stay in the cache */

static char path[64];
static unsigned int flags;
static volatile uint64_t sink;

/* Time of this thread alone: others on this machine shall not count. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void draw_getrandom(long count)
{
	uint64_t v, sum = 0;

	while (count--) {
		if (getrandom(&v, sizeof(v), 0) != sizeof(v))
			exit(2);
		sum += v;
	}
	sink = sum;
}

static void draw_u64(long count)
{
	uint64_t sum = 0;

	while (count--)
		sum += shakerandom_u64();
	sink = sum;
}

static void draw_below(long count)
{
	uint64_t sum = 0;

	while (count--)
		sum += shakerandom_below64(1000003);
	sink = sum;
}

static void draw_normal(long count)
{
	double sum = 0;

	while (count--)
		sum += shakerandom_normal();
	sink = (uint64_t)(int64_t)sum;
}

static void fill(long count, size_t size)
{
	uint64_t buf[8], sum = 0;

	while (count--) {
		if (shakerandom_fill(buf, size))
			exit(2);
		sum += buf[0];
	}
	sink = sum;
}

static void fill_16(long count)
{
	fill(count, 16);
}

static void fill_32(long count)
{
	fill(count, 32);
}

static const struct work {
	const char *what, *by;
	int size, is_fill;
	void (*draw)(long);
	long count;		/* calls in a turn */
} works[] = {
	{ "u64", "getrandom(2)", 8, 0, draw_getrandom, 2000 },
	{ "u64", "libshakerandom", 8, 0, draw_u64, BYTES / 8 },
	{ "below64", "libshakerandom", 8, 0, draw_below, BYTES / 8 },
	{ "normal", "libshakerandom", 8, 0, draw_normal, BYTES / 8 },
	{ "fill", "libshakerandom", 16, 1, fill_16, BYTES / 16 },
	{ "fill", "libshakerandom", 32, 1, fill_32, BYTES / 32 },
};

#define WORKS (sizeof(works) / sizeof(works[0]))

/* Nanoseconds a call. */
static double cost(const struct work *w)
{
	double start;

	/* Reads a stand-in from its start again. */
	if (shakerandom_setup(path, flags))
		exit(2);
	w->draw(1);
	start = now();
	w->draw(w->count);
	return (now() - start) / (double)w->count;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const struct work *w, double ns, int json)
{
	if (!json) {
		printf("%-8s %2d bytes  %-15s %8.2f ns %6.2f GB/s\n", w->what,
		       w->size, w->by, ns, w->size / ns);
		return;
	}
	printf("{\"part\": \"library\", \"what\": \"%s\", \"variant\": \"%s\", "
	       "\"peer\": %s, \"size\": %d, \"%s\": %.4g}\n", w->what, w->by,
	       w->draw == draw_getrandom ? "true" : "false", w->size,
	       w->is_fill ? "gbps" : "ns", w->is_fill ? w->size / ns : ns);
}

/* A file in memory: no library can be faster than its source. */
static void make_stand_in(void)
{
	int fd = memfd_create("stand-in", 0);
	uint64_t x = 1, block[1024];

	for (long done = 0; done < 4 * BYTES; done += (long)sizeof(block)) {
		for (int i = 0; i < 1024; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			block[i] = x;
		}
		if (write(fd, block, sizeof(block)) != sizeof(block))
			exit(2);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	flags = SHAKERANDOM_STAND_IN;
}

int main(int argc, char **argv)
{
	static double costs[WORKS][ROUNDS];
	int json = argc > 1 && !strcmp(argv[1], "--json");
	const char *file = argv[1 + json];

	if (!file) {
		make_stand_in();
	} else {
		snprintf(path, sizeof(path), "%s", file);
		if (shakerandom_setup(path, 0))
			flags = SHAKERANDOM_STAND_IN;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < WORKS; i++)
			costs[i][round] = cost(&works[i]);
	for (size_t i = 0; i < WORKS; i++) {
		qsort(costs[i], ROUNDS, sizeof(costs[i][0]), compare);
		print(&works[i], costs[i][ROUNDS / 2], json);
	}
	return 0;
}
