/* SPDX-License-Identifier: MIT */
/*
 * The library's own cost: bench [FILE]
 *
 * Refills come from FILE (a device, or a file that stands in for one), or from
 * a pipe that another process keeps full. Prints both sides of each bar and
 * exits with 1 if one is missed.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shakerandom.h"

#define ROUNDS 7

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

	draw(count / 10);
	for (int i = 0; i < ROUNDS; i++) {
		double start = now(), each;

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

/* A pipe whose other end writes numbers for ever, as fast as it can. */
static void open_fed_pipe(void)
{
	static uint8_t block[65536];
	char path[64];
	int ends[2];
	pid_t parent = getpid();

	if (pipe(ends))
		exit(2);
	if (!fork()) {
		close(ends[0]);
		for (size_t i = 0; i < sizeof(block); i++)
			block[i] = (uint8_t)(i * 2654435761u >> 24);
		while (getppid() == parent &&
		       write(ends[1], block, sizeof(block)) > 0)
			;
		_exit(0);
	}
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	if (shakerandom_setup(path, SHAKERANDOM_STAND_IN))
		exit(2);
	close(ends[0]);
}

int main(int argc, char **argv)
{
	double kernel, u64;

	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		open_fed_pipe();
	} else if (shakerandom_setup(argv[1], 0) &&
		   shakerandom_setup(argv[1], SHAKERANDOM_STAND_IN)) {
		fprintf(stderr, "bench: cannot use %s\n", argv[1]);
		return 2;
	}
	kernel = cost(draw_getrandom, 200000);
	u64 = cost(draw_u64, 20000000);
	printf("%-34s %8.2f ns\n", "getrandom(2), 8 bytes", kernel);
	bar("u64", u64, "ns", 3, 0);
	bar("getrandom / u64", kernel / u64, "times", 60, 1);
	bar("fill of 16 bytes", 16 / cost(fill_16, 10000000), "GB/s", 2.5, 1);
	bar("fill of 32 bytes", 32 / cost(fill_32, 5000000), "GB/s", 3.7, 1);
	printf("%-34s %8.2f ns\n", "below64", cost(draw_below, 10000000));
	printf("%-34s %8.2f ns\n", "normal", cost(draw_normal, 10000000));
	return missed ? 1 : 0;
}
