// SPDX-License-Identifier: GPL-2.0
/*
 * bench [ROUNDS]: times our formats and their peers on one CPU, in turns of
 * about a millisecond, so that whatever else the machine does falls on all
 * alike. Prints one line of JSON for each contender: its median.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define ROUNDS 61
#define TURN_NS 1000000
#define CONTENDERS 1024
#define LARGEST (64 << 10)
#define FIRST 64
#define MESSAGE ((size_t)78 << 20)

const size_t bench_sizes[BENCH_SIZES] = { 64, 256, 4 << 10, 16 << 10, LARGEST };
const u8 bench_zeros[LARGEST] __aligned(64);

static struct contender contenders[CONTENDERS];
static unsigned int count;
static u8 *out;
static bool apart;	/* this is the second process */
static int other;	/* the socket to the other one */

void bench_require(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench: %s failed\n", what);
	exit(1);
}

void *bench_memory(size_t size)
{
	void *p = aligned_alloc(64, (size + 63) / 64 * 64);

	bench_require(p, "malloc");
	return memset(p, 0, size);
}

const u8 *bench_message(size_t *at)
{
	static u8 *message;
	size_t here = *at;

	if (!message)
		message = bench_memory(MESSAGE);
	*at = (here + BENCH_LONG) % MESSAGE;
	return message + here;
}

void bench_enter(const struct contender *c)
{
	bench_require(count < CONTENDERS, "CONTENDERS");
	contenders[count++] = *c;
}

static void print_name(const char *what, const char *variant, bool peer)
{
	printf("{\"part\": \"native\", \"what\": \"%s\", \"variant\": \"%s\", "
	       "\"peer\": %s, ", what, variant, peer ? "true" : "false");
}

void bench_lacks(const char *what, const char *variant, bool peer,
		 const char *why)
{
	if (apart)
		return;
	print_name(what, variant, peer);
	printf("\"missing\": \"%s\"}\n", why);
}

/* Those that make the same bytes in the same calls take turns side by side. */
static int order(const void *a, const void *b)
{
	const struct contender *x = a, *y = b;
	int what = strcmp(x->what, y->what);

	if (what)
		return what;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return strcmp(x->variant, y->variant);
}

static void enter_all(void)
{
	static const struct {
		const char *library, *lack;
		bench_enter_fn *enter;
	} peers[] = {
		{ "openssl", "needs libssl-dev", bench_openssl },
		{ "libgcrypt", "needs libgcrypt20-dev", bench_gcrypt },
		{ "ipsec-mb", "needs libipsec-mb-dev", bench_ipsec },
	};
	unsigned int i;

	bench_ours(apart);
	for (i = 0; i < ARRAY_SIZE(peers); i++) {
		if (peers[i].enter)
			peers[i].enter(apart);
		else
			bench_lacks("", peers[i].library, true,
				    peers[i].lack);
	}
	qsort(contenders, count, sizeof(*contenders), order);
}

/* The last CPU we may use: the first takes most interrupts. */
static void pin(void)
{
	cpu_set_t may, one;
	int cpu = CPU_SETSIZE - 1;

	bench_require(!sched_getaffinity(0, sizeof(may), &may),
		      "sched_getaffinity");
	while (!CPU_ISSET(cpu, &may))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	bench_require(!sched_setaffinity(0, sizeof(one), &one),
		      "sched_setaffinity");
}

/* Time of this process alone: others on this machine shall not count. */
static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

struct request {
	u32 contender, calls;
};

struct sample {
	u64 ns;
	u8 first[FIRST];	/* of the last call's output */
};

static struct sample time_calls(const struct contender *c, u32 calls)
{
	struct sample s;
	u64 begun;

	memset(out, 0, FIRST);
	begun = now();
	while (calls--)
		c->call(c->state, out, c->size);
	s.ns = now() - begun;
	memcpy(s.first, out, FIRST);
	return s;
}

/*
 * The second process enters the same contenders in the same order, with other
 * library-wide settings. It works while the first one waits, on the same CPU.
 */
static void serve(void)
{
	struct request r;
	struct sample s;

	while (read(other, &r, sizeof(r)) == sizeof(r)) {
		s = time_calls(&contenders[r.contender], r.calls);
		bench_require(write(other, &s, sizeof(s)) == sizeof(s),
			      "write");
	}
	exit(0);
}

static void split(void)
{
	int pair[2];
	pid_t child;

	bench_require(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair),
		      "socketpair");
	child = fork();
	bench_require(child >= 0, "fork");
	apart = !child;
	other = pair[apart];
	close(pair[!apart]);
}

static struct sample sample(u32 contender, u32 calls)
{
	const struct contender *c = &contenders[contender];
	struct request r = { contender, calls };
	struct sample s = { 0 };

	if (!c->apart)
		return time_calls(c, calls);
	bench_require(write(other, &r, sizeof(r)) == sizeof(r) &&
		      read(other, &s, sizeof(s)) == sizeof(s),
		      "the second process");
	return s;
}

/* Compares the first output of contenders that should make the same. */
static void check_same(u32 contender, const u8 *first)
{
	static u8 firsts[CONTENDERS][FIRST];
	const struct contender *a = &contenders[contender], *b;
	u32 i;

	memcpy(firsts[contender], first, FIRST);
	for (i = 0; i < contender; i++) {
		b = &contenders[i];
		if (strcmp(a->what, b->what) || !strcmp(a->variant, b->variant))
			continue;
		if (!memcmp(firsts[i], first, FIRST))
			continue;
		fprintf(stderr, "bench: %s and %s make different %s\n",
			a->variant, b->variant, a->what);
		exit(1);
	}
}

/* Warms up and finds how many calls make a turn. */
static u32 calls_in_turn(u32 contender)
{
	struct sample s = sample(contender, 1);
	u32 calls;

	check_same(contender, s.first);
	for (calls = 1; s.ns < TURN_NS / 2; s = sample(contender, calls))
		calls *= 2;
	return calls;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_median(const struct contender *c, double *speeds,
			 unsigned int rounds)
{
	qsort(speeds, rounds, sizeof(*speeds), compare);
	print_name(c->what, c->variant, c->peer);
	printf("\"size\": %zu, ", c->size);
	if (c->time)
		printf("\"ns\": %.4g}\n", c->size / speeds[rounds / 2]);
	else
		printf("\"gbps\": %.4g}\n", speeds[rounds / 2]);
}

static void run(unsigned int rounds)
{
	double *speeds = bench_memory(sizeof(*speeds) * count * rounds);
	u32 *calls = bench_memory(sizeof(*calls) * count);
	unsigned int round;
	u32 i;

	for (i = 0; i < count; i++)
		calls[i] = calls_in_turn(i);
	for (round = 0; round < rounds; round++)
		for (i = 0; i < count; i++)
			speeds[i * rounds + round] =
				(double)contenders[i].size * calls[i] /
				sample(i, calls[i]).ns;
	for (i = 0; i < count; i++)
		print_median(&contenders[i], speeds + i * rounds, rounds);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;

	bench_require(rounds > 0, "reading the number of rounds");
	out = bench_memory(BENCH_LONG);
	pin();
	split();
	enter_all();
	if (apart)
		serve();
	run(rounds);
	return 0;
}
