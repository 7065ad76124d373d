/* SPDX-License-Identifier: MIT */
/*
 * The library's own cost: bench [FILE]
 *
 * Refills come from FILE (a device, or a file that stands in for one), or from
 * numbers in memory. Prints both sides of each bar; exits with 1 if one is
 * missed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "shakerandom.h"

#define ROUNDS 300
#define BYTES (1L << 19)	/* a round takes; it should stay in the cache */

static char path[64];
static unsigned int flags;
static volatile uint64_t sink;
static int missed;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
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

/* Nanoseconds a call, the best of a few rounds: the rest is others' noise. */
static double cost(void (*draw)(long), long count)
{
	double best = 1e99;

	for (int i = 0; i < ROUNDS; i++) {
		double start, each;

		/* Reads a stand-in from its start again. */
		if (shakerandom_setup(path, flags))
			exit(2);
		draw(1);
		start = now();
		draw(count);
		each = (now() - start) / (double)count;
		if (each < best)
			best = each;
	}
	return best;
}

static void bar(const char *what, double got, const char *unit, double limit,
		int at_least)
{
	int ok = at_least ? got >= limit : got <= limit;

	printf("%-34s %8.2f %-5s %s %5.1f  %s\n", what, got, unit,
	       at_least ? ">=" : "<=", limit, ok ? "held" : "MISSED");
	missed += !ok;
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
	double kernel, u64;

	if (argc < 2) {
		make_stand_in();
	} else {
		snprintf(path, sizeof(path), "%s", argv[1]);
		if (shakerandom_setup(path, 0))
			flags = SHAKERANDOM_STAND_IN;
	}
	kernel = cost(draw_getrandom, 20000);
	u64 = cost(draw_u64, BYTES / 8);
	printf("%-34s %8.2f ns\n", "getrandom(2), 8 bytes", kernel);
	bar("u64", u64, "ns", 3, 0);
	bar("getrandom / u64", kernel / u64, "times", 60, 1);
	bar("fill of 16 bytes", 16 / cost(fill_16, BYTES / 16), "GB/s", 2.5, 1);
	bar("fill of 32 bytes", 32 / cost(fill_32, BYTES / 32), "GB/s", 3.7, 1);
	printf("%-34s %8.2f ns\n", "below64", cost(draw_below, BYTES / 8));
	printf("%-34s %8.2f ns\n", "normal", cost(draw_normal, BYTES / 8));
	return missed ? 1 : 0;
}
