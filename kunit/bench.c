// SPDX-License-Identifier: GPL-2.0
/*
 * The benchmark inside the kernel: filling kernel memory, and short requests
 * against get_random_bytes. Off unless the module is loaded with bench=1.
 * Results are lines of JSON in the log, as userspace/native/bench/report.py
 * reads them. No KUnit case, for those may run before parameters are known.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../driver/engine.h"
#include "../driver/pool.h"
#include "suites.h"

#define ROUNDS 61
#define FILL_BYTES 65536
#define REQUEST_MAX 4096
#define SLICE_NS 200000	/* one measurement */

static bool bench;
module_param(bench, bool, 0444);
MODULE_PARM_DESC(bench, "run the benchmark case");

/* One thing to measure, alternating with all the others. */
struct contender {
	void (*call)(const struct contender *c, u8 *buffer);
	const char *what;
	enum srnd_generator generator;
	u32 size;
	u32 calls;		/* in one measurement */
	u64 ns[ROUNDS];		/* of one measurement each */
};

static void call_fill(const struct contender *c, u8 *buffer)
{
	struct srnd_bulk bulk;

	srnd_bulk_begin(&bulk, c->generator);
	srnd_bulk_read(&bulk, buffer, c->size);
	srnd_bulk_end(&bulk);
}

/* The generator alone, under a key that stays. */
static union srnd_instance keyed[SRND_GENERATORS];

static void call_core(const struct contender *c, u8 *buffer)
{
	srnd_engine_read(&keyed[c->generator],
			 srnd_generator_format(c->generator), 0, buffer,
			 c->size);
}

static void call_take(const struct contender *c, u8 *buffer)
{
	srnd_pool_take(c->generator, buffer, c->size);
}

static void call_kernel(const struct contender *c, u8 *buffer)
{
	get_random_bytes(buffer, c->size);
}

static u64 measure(const struct contender *c, u8 *buffer)
{
	u64 start = ktime_get_ns();
	u32 i;

	for (i = 0; i < c->calls; i++)
		c->call(c, buffer);
	return ktime_get_ns() - start;
}

/* As many calls as fill a slice. */
static void calibrate(struct contender *c, u8 *buffer)
{
	c->calls = 1;
	while (measure(c, buffer) < SLICE_NS && c->calls < 1u << 20)
		c->calls *= 2;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Thousandths of GB/s for what moves bytes, of a nanosecond for requests. */
static void report(struct contender *c)
{
	const struct srnd_format *f = srnd_generator_format(c->generator);
	bool peer = c->call == call_kernel;
	bool speed = c->size == FILL_BYTES;
	u64 ps, value;

	sort(c->ns, ROUNDS, sizeof(c->ns[0]), compare, NULL);
	ps = max_t(u64, div_u64(c->ns[ROUNDS / 2] * 1000, c->calls), 1);
	value = speed ? div64_u64(c->size * 1000000ULL, ps) : ps;
	pr_info("bench {\"part\": \"kernel\", \"what\": \"%s%s%s\", \"variant\": \"%s\", \"size\": %u, \"%s\": %llu.%03u, \"peer\": %s}\n",
		c->what, peer ? "" : " ",
		peer ? "" : srnd_generator_name(c->generator),
		peer ? "get_random_bytes" :
		       srnd_engine.row[f->primitive]->name,
		c->size, speed ? "gbps" : "ns", div_u64(value, 1000),
		(u32)(value % 1000), peer ? "true" : "false");
}

/* Every contender; how many. */
static int enter(struct contender *c)
{
	static const u32 sizes[] = { 16, 32, 256, REQUEST_MAX };
	struct contender *first = c;
	int g, i;

	for (g = 0; g < SRND_GENERATORS; g++) {
		*c++ = (struct contender){ call_core, "core", g, FILL_BYTES };
		*c++ = (struct contender){ call_fill, "fill", g, FILL_BYTES };
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			*c++ = (struct contender){
				sizes[i] == REQUEST_MAX ? call_fill : call_take,
				"request", g, sizes[i] };
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		*c++ = (struct contender){ call_kernel, "request", 0,
					   sizes[i] };
	return c - first;
}

#define CONTENDERS (SRND_GENERATORS * 6 + 4)

static void compete(struct contender *c, int n, u8 *buffer)
{
	static const u8 zero_key[SRND_KEY_MAX];
	int i, round;

	for (i = 0; i < SRND_GENERATORS; i++)
		srnd_engine_key(&keyed[i], srnd_generator_format(i), zero_key);
	for (i = 0; i < n; i++)
		calibrate(&c[i], buffer);
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < n; i++) {
			c[i].ns[round] = measure(&c[i], buffer);
			cond_resched();
		}
	for (i = 0; i < n; i++)
		report(&c[i]);
}

int srnd_bench_run(void)
{
	struct contender *c;
	u8 *buffer;
	int err = -ENOMEM;

	if (!bench)
		return 0;
	c = kcalloc(CONTENDERS, sizeof(*c), GFP_KERNEL);
	buffer = kmalloc(FILL_BYTES, GFP_KERNEL);
	if (c && buffer) {
		compete(c, enter(c), buffer);
		err = 0;
	}
	kfree(buffer);
	kfree(c);
	return err;
}
