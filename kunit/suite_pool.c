// SPDX-License-Identifier: GPL-2.0
/*
 * Secure mode, looked at from inside: what is forgotten, and when keys are
 * renewed. Every test stays on one CPU, whose instance nobody else uses.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/suspend.h>
#include <linux/wait.h>

#include "../driver/engine.h"
#include "../driver/pool_inside.h"
#include "../uapi/shakerandom.h"
#include "suites.h"

static const u8 zeros[SRND_POOL_BUFFER];
static const u8 zero_nonce[SRND_NONCE];

static const void *each(SRND_PARAMS(prev, desc))
{
	static const enum srnd_generator generators[] = {
		SRND_GEN_CHACHA20,
		SRND_GEN_SHAKE256,
		SRND_GEN_AES256,
	};
	const enum srnd_generator *g = prev;

	g = g ? g + 1 : generators;
	if (g == generators + ARRAY_SIZE(generators))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", srnd_generator_name(*g));
	return g;
}

static enum srnd_generator generator(struct kunit *test)
{
	return *(const enum srnd_generator *)test->param_value;
}

static int stay_on(unsigned int cpu)
{
	return set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

static int stay_here(struct kunit *test)
{
	return stay_on(raw_smp_processor_id());
}

/* The instance of this CPU, which has given something under a fresh key. */
static struct srnd_pool_instance *used(enum srnd_generator g)
{
	u8 byte;

	srnd_pool_reseed();
	srnd_pool_take(g, &byte, 1);
	return &per_cpu_ptr(srnd_pools, raw_smp_processor_id())->instances[g];
}

static struct srnd_pool_instance *copy(struct kunit *test,
				       const struct srnd_pool_instance *i)
{
	struct srnd_pool_instance *c = srnd_cases_alloc(test, sizeof(*c));

	memcpy(c, i, sizeof(*c));
	return c;
}

/* How often taking a byte renews the key. */
static u64 renewals(enum srnd_generator g)
{
	u64 before = srnd_counted(SRND_RESEEDS);
	u8 byte;

	srnd_pool_take(g, &byte, 1);
	return srnd_counted(SRND_RESEEDS) - before;
}

/* A generator's output under a key, by the portable core. */
static void output(enum srnd_generator g, const u8 *key, u8 *out, size_t len)
{
	const struct srnd_format *f = srnd_generator_format(g);
	const struct srnd_engine *e = &srnd_portable_engine;
	union srnd_instance s;

	f->key(&s, f, e->row[f->primitive], key, zero_nonce);
	srnd_format_read(&s, f, e, 0, out, len);
}

/* ---- forgetting ---- */

static void what_is_given_is_gone(struct kunit *test)
{
	static const size_t lengths[] = { 1, 15, 16, 31, 32, 255, 256 };
	struct srnd_pool_instance *i = used(generator(test)), *was;
	u8 out[256];
	size_t n, len;

	for (n = 0; n < ARRAY_SIZE(lengths); n++) {
		len = lengths[n];
		was = copy(test, i);
		srnd_pool_take(generator(test), out, len);
		SRND_ASSERT_SAME(test, out, was->buffer + was->taken, len,
				 "%zu bytes given", len);
		KUNIT_ASSERT_EQ(test, i->taken, was->taken + (u32)len);
		KUNIT_ASSERT_EQ(test, i->given, was->given + len);
		SRND_ASSERT_SAME(test, i->buffer, zeros, i->taken,
				 "after %zu bytes", len);
		SRND_ASSERT_SAME(test, i->buffer + i->taken,
				 was->buffer + i->taken,
				 SRND_POOL_BUFFER - i->taken, "the rest");
	}
}

/* The next buffer begins with the key of the one after it. */
static void refill_replaces_the_key(struct kunit *test)
{
	struct srnd_pool_instance *i = used(generator(test)), *was;
	size_t key_size = srnd_generator_format(generator(test))->key_size;
	u8 *rest = srnd_cases_alloc(test, SRND_POOL_BUFFER);
	u8 *next = srnd_cases_alloc(test, SRND_POOL_BUFFER);
	u8 out[100];

	srnd_pool_take(generator(test), rest, SRND_POOL_BUFFER - i->taken);
	SRND_ASSERT_SAME(test, i->buffer, zeros, SRND_POOL_BUFFER, "drained");
	was = copy(test, i);
	output(generator(test), was->key, next, SRND_POOL_BUFFER);

	srnd_pool_take(generator(test), out, sizeof(out));
	SRND_ASSERT_SAME(test, i->key, next, key_size, "the next key");
	SRND_ASSERT_SAME(test, out, next + key_size, sizeof(out), "output");
	SRND_ASSERT_SAME(test, i->buffer, zeros, i->taken, "what was given");
	KUNIT_ASSERT_NE(test, memcmp(i->key, was->key, key_size), 0);
	KUNIT_ASSERT_EQ(test, i->born, was->born);
}

/* Across the end of a buffer, and of several. */
static void long_takes_go_on(struct kunit *test)
{
	size_t len = 3 * SRND_POOL_BUFFER;
	struct srnd_pool_instance *i = used(generator(test)), *was;
	size_t key_size = srnd_generator_format(generator(test))->key_size;
	u8 *out = srnd_cases_alloc(test, len), *next;
	size_t first = SRND_POOL_BUFFER - i->taken;

	was = copy(test, i);
	srnd_pool_take(generator(test), out, len);
	SRND_ASSERT_SAME(test, out, was->buffer + was->taken, first, "first");
	next = srnd_cases_alloc(test, SRND_POOL_BUFFER);
	output(generator(test), was->key, next, SRND_POOL_BUFFER);
	SRND_ASSERT_SAME(test, out + first, next + key_size,
			 SRND_POOL_BUFFER - key_size, "second buffer");
	KUNIT_ASSERT_EQ(test, i->given, was->given + len);
	SRND_ASSERT_SAME(test, i->buffer, zeros, i->taken, "what was given");
}

/* ---- renewing ---- */

/* All that @i held is another's now. */
static void assert_renewed(struct kunit *test,
			   const struct srnd_pool_instance *i,
			   const struct srnd_pool_instance *was)
{
	KUNIT_ASSERT_NE(test, memcmp(i->key, was->key, 16), 0);
	KUNIT_ASSERT_NE(test,
			memcmp(i->buffer + was->taken, was->buffer + was->taken,
			       16),
			0);
	KUNIT_ASSERT_EQ(test, i->given, 1ULL);
	KUNIT_ASSERT_EQ(test, i->generation, srnd_pool_generation());
}

static void generation_renews(struct kunit *test)
{
	struct srnd_pool_instance *i = used(generator(test));
	struct srnd_pool_instance *was = copy(test, i);
	u64 generation = srnd_pool_generation();

	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 0ULL);
	srnd_pool_reseed();
	KUNIT_ASSERT_EQ(test, srnd_pool_generation(), generation + 1);
	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 1ULL);
	assert_renewed(test, i, was);
	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 0ULL);
}

static void age_renews(struct kunit *test)
{
	struct srnd_pool_instance *i = used(generator(test));
	struct srnd_pool_instance *was = copy(test, i);

	i->born = get_jiffies_64() - (SRND_SUITES_AGE - 10) * HZ;
	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 0ULL);
	i->born = get_jiffies_64() - SRND_SUITES_AGE * HZ;
	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 1ULL);
	assert_renewed(test, i, was);
	KUNIT_ASSERT_LT(test, get_jiffies_64(), i->born + 10 * HZ);
}

static void bytes_renew(struct kunit *test)
{
	struct srnd_pool_instance *i = used(generator(test));
	struct srnd_pool_instance *was = copy(test, i);

	i->given = SZ_256M - 1;
	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 0ULL);
	KUNIT_ASSERT_EQ(test, i->given, (u64)SZ_256M);
	KUNIT_ASSERT_EQ(test, renewals(generator(test)), 1ULL);
	assert_renewed(test, i, was);
}

/* From before the image until after the wake-up, nothing kept is trusted. */
static void sleep_renews(struct kunit *test)
{
	static const unsigned long ways[][2] = {
		{ PM_HIBERNATION_PREPARE, PM_POST_HIBERNATION },
		{ PM_SUSPEND_PREPARE, PM_POST_SUSPEND },
		{ PM_RESTORE_PREPARE, PM_POST_RESTORE },
	};
	struct notifier_block *nb = &srnd_pool_power_notifier;
	u64 generation;
	int n;

	for (n = 0; n < ARRAY_SIZE(ways); n++) {
		used(SRND_GEN_CHACHA20);
		generation = srnd_pool_generation();
		nb->notifier_call(nb, ways[n][0], NULL);
		KUNIT_EXPECT_EQ(test, renewals(SRND_GEN_CHACHA20), 1ULL);
		KUNIT_EXPECT_EQ(test, renewals(SRND_GEN_CHACHA20), 1ULL);
		nb->notifier_call(nb, ways[n][1], NULL);
		KUNIT_ASSERT_EQ(test, srnd_pool_generation(), generation + 1);
		KUNIT_ASSERT_EQ(test, renewals(SRND_GEN_CHACHA20), 1ULL);
		KUNIT_ASSERT_EQ(test, renewals(SRND_GEN_CHACHA20), 0ULL);
	}
}

static void clones_part(struct kunit *test)
{
	struct notifier_block *nb = &srnd_pool_vmfork_notifier;
	u64 generation = srnd_pool_generation();

	nb->notifier_call(nb, 0, NULL);
	KUNIT_ASSERT_EQ(test, srnd_pool_generation(), generation + 1);
}

struct listener {
	struct wait_queue_entry entry;
	__poll_t heard;
};

static int hear(struct wait_queue_entry *entry, unsigned int mode, int sync,
		void *key)
{
	container_of(entry, struct listener, entry)->heard |= key_to_poll(key);
	return 0;
}

static void reseeding_is_told(struct kunit *test)
{
	struct shakerandom_page *shown = page_address(srnd_pool_page());
	struct listener l = { .heard = 0 };

	init_waitqueue_func_entry(&l.entry, hear);
	l.entry.private = current;
	add_wait_queue(&srnd_pool_wait, &l.entry);
	srnd_pool_reseed();
	remove_wait_queue(&srnd_pool_wait, &l.entry);
	KUNIT_ASSERT_TRUE(test, l.heard & EPOLLPRI);
	KUNIT_ASSERT_EQ(test, shown->generation, srnd_pool_generation());
}

/* ---- one-time keys ---- */

static void long_reads_take_a_key(struct kunit *test)
{
	struct srnd_pool_instance *i = used(generator(test));
	struct srnd_pool_instance *was = copy(test, i);
	size_t key_size = srnd_generator_format(generator(test))->key_size;
	u8 *out = srnd_cases_alloc(test, 3000);
	u8 *want = srnd_cases_alloc(test, 3000);
	struct srnd_bulk *b = srnd_cases_alloc(test, sizeof(*b));
	u64 given;

	srnd_bulk_begin(b, generator(test));
	KUNIT_ASSERT_EQ(test, i->taken, was->taken + (u32)key_size);
	SRND_ASSERT_SAME(test, i->buffer, zeros, i->taken, "the key");
	given = i->given;
	srnd_bulk_read(b, out, 1000);
	srnd_bulk_read(b, out + 1000, 2000);
	srnd_bulk_end(b);

	output(generator(test), was->buffer + was->taken, want, 3000);
	SRND_ASSERT_SAME(test, out, want, 3000, "the key's output");
	SRND_ASSERT_SAME(test, b, zeros, sizeof(*b), "the end");
	KUNIT_ASSERT_EQ(test, i->given, given + 3000);
}

/* What makes one stale: generation, age, bytes. */
static void expire(struct srnd_bulk *b, int how)
{
	switch (how) {
	case 0:
		srnd_pool_reseed();
		break;
	case 1:
		b->born = get_jiffies_64() - SRND_SUITES_AGE * HZ;
		break;
	case 2:
		b->offset = SZ_256M;
	}
}

static void long_reads_renew(struct kunit *test)
{
	struct srnd_bulk *b = srnd_cases_alloc(test, sizeof(*b));
	u8 was[sizeof(b->instance)], out[64];
	u64 keys;
	int how;

	for (how = 0; how < 3; how++) {
		used(generator(test));
		srnd_bulk_begin(b, generator(test));
		srnd_bulk_read(b, out, sizeof(out));
		memcpy(was, &b->instance, sizeof(was));
		srnd_bulk_read(b, out, sizeof(out));
		KUNIT_ASSERT_EQ(test, b->offset, 128ULL);
		KUNIT_ASSERT_EQ(test, memcmp(&b->instance, was, sizeof(was)),
				0);
		expire(b, how);
		keys = srnd_counted(SRND_RESEEDS);
		srnd_bulk_read(b, out, sizeof(out));
		KUNIT_EXPECT_EQ_MSG(test, b->offset, 64ULL, "way %d", how);
		KUNIT_EXPECT_NE(test, memcmp(&b->instance, was, sizeof(was)),
				0);
		KUNIT_EXPECT_EQ(test, b->generation, srnd_pool_generation());
		/* Age is its own; the other two are the instance's as well. */
		KUNIT_EXPECT_EQ_MSG(test, srnd_counted(SRND_RESEEDS) - keys,
				    how == 1 ? 0ULL : 1ULL, "way %d", how);
		srnd_bulk_end(b);
	}
}

/* ---- what users add ---- */

static void mixing_digests(struct kunit *test)
{
	static const char domain[] = "shakerandom-mix-v1";
	u8 was[SRND_MIX], want[SRND_MIX], written[SRND_MIX];
	struct srnd_sponge s;
	int round;

	srnd_cases_fill(written, sizeof(written), 3);
	for (round = 0; round < 2; round++) {
		memcpy(was, srnd_pool_mixed, sizeof(was));
		srnd_sponge_init(&s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
		srnd_sponge_absorb(&s, srnd_keccak_portable, domain,
				   sizeof(domain));
		srnd_sponge_absorb(&s, srnd_keccak_portable, written,
				   sizeof(written));
		srnd_sponge_absorb(&s, srnd_keccak_portable, was, sizeof(was));
		srnd_sponge_squeeze(&s, srnd_keccak_portable, want,
				    sizeof(want));
		srnd_pool_mix(written);
		SRND_ASSERT_SAME(test, srnd_pool_mixed, want, SRND_MIX,
				 "round %d", round);
	}
}

static void every_moment_differs(struct kunit *test)
{
	u8 was[SRND_MIX];

	memcpy(was, srnd_pool_mixed, sizeof(was));
	srnd_pool_mix_moment();
	KUNIT_ASSERT_NE(test, memcmp(srnd_pool_mixed, was, 16), 0);
}

/* ---- CPUs ---- */

static unsigned int other_cpu(struct kunit *test)
{
	unsigned int cpu =
		cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	if (cpu >= nr_cpu_ids)
		SRND_SKIP(test, "one processor");
	return cpu;
}

static void cpus_share_nothing(struct kunit *test)
{
	unsigned int there = other_cpu(test), here = raw_smp_processor_id();
	struct srnd_pool_instance *i = used(generator(test)), *j;
	struct srnd_pool_instance *was = copy(test, i);

	KUNIT_ASSERT_EQ(test, stay_on(there), 0);
	j = used(generator(test));
	KUNIT_ASSERT_PTR_NE(test, i, j);
	KUNIT_ASSERT_NE(test, memcmp(i->key, j->key, 16), 0);
	KUNIT_ASSERT_NE(test, memcmp(i->buffer + 100, j->buffer + 100, 16), 0);
	KUNIT_ASSERT_EQ(test, memcmp(i, was, sizeof(*i)), 0);
	KUNIT_ASSERT_EQ(test, stay_on(here), 0);
}

/* remove_cpu() and add_cpu() exist where CPUs can come and go. */
#ifdef CONFIG_HOTPLUG_CPU
static int take_away(unsigned int cpu)
{
	return remove_cpu(cpu) ?: add_cpu(cpu);
}
#else
static int take_away(unsigned int cpu)
{
	return -EOPNOTSUPP;
}
#endif

static void leaving_cpus_forget(struct kunit *test)
{
	unsigned int there = other_cpu(test), here = raw_smp_processor_id();
	struct srnd_pool_instance *i;

	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		SRND_SKIP(test, "processors stay in this kernel");
	KUNIT_ASSERT_EQ(test, stay_on(there), 0);
	i = used(SRND_GEN_SHAKE256);
	KUNIT_ASSERT_EQ(test, stay_on(here), 0);
	KUNIT_ASSERT_NE(test, i->generation, 0ULL);
	KUNIT_ASSERT_EQ(test, take_away(there), 0);
	SRND_ASSERT_SAME(test, i, zeros, sizeof(i->key), "key");
	SRND_ASSERT_SAME(test, i->buffer, zeros, SRND_POOL_BUFFER, "buffer");
	KUNIT_ASSERT_EQ(test, i->generation, 0ULL);
}

/* ---- names ---- */

static void generators_have_names(struct kunit *test)
{
	static const struct {
		enum srnd_generator g;
		u32 number, format;
		const char *name;
	} want[] = {
		{ SRND_GEN_CHACHA20, SHAKERANDOM_CHACHA20, SHAKERANDOM_CHACHA20,
		  "chacha20" },
		{ SRND_GEN_SHAKE256, SHAKERANDOM_SHAKE256,
		  SHAKERANDOM_SHAKE256_CTR, "shake256" },
		{ SRND_GEN_AES256, SHAKERANDOM_AES256_CTR,
		  SHAKERANDOM_AES256_CTR, "aes256-ctr" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_ASSERT_EQ(test, srnd_generator_by_number(want[i].number),
				(int)want[i].g);
		KUNIT_ASSERT_EQ(test, srnd_generator_by_name(want[i].name),
				(int)want[i].g);
		KUNIT_ASSERT_EQ(test, srnd_generator_number(want[i].g),
				want[i].number);
		KUNIT_ASSERT_STREQ(test, srnd_generator_name(want[i].g),
				   want[i].name);
		KUNIT_ASSERT_PTR_EQ(test, srnd_generator_format(want[i].g),
				    srnd_format(want[i].format));
	}
	KUNIT_ASSERT_LT(test, srnd_generator_by_number(SHAKERANDOM_CHACHA8), 0);
	KUNIT_ASSERT_LT(test, srnd_generator_by_number(0), 0);
	KUNIT_ASSERT_LT(test, srnd_generator_by_name("chacha"), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(what_is_given_is_gone, each),
	KUNIT_CASE_PARAM(refill_replaces_the_key, each),
	KUNIT_CASE_PARAM(long_takes_go_on, each),
	KUNIT_CASE_PARAM(generation_renews, each),
	KUNIT_CASE_PARAM(age_renews, each),
	KUNIT_CASE_PARAM(bytes_renew, each),
	KUNIT_CASE(sleep_renews),
	KUNIT_CASE(clones_part),
	KUNIT_CASE(reseeding_is_told),
	KUNIT_CASE_PARAM(long_reads_take_a_key, each),
	KUNIT_CASE_PARAM(long_reads_renew, each),
	KUNIT_CASE(mixing_digests),
	KUNIT_CASE(every_moment_differs),
	KUNIT_CASE_PARAM(cpus_share_nothing, each),
	KUNIT_CASE(leaving_cpus_forget),
	KUNIT_CASE(generators_have_names),
	{}
};

struct kunit_suite srnd_pool_suite = {
	.name = "shakerandom_pool",
	.suite_init = srnd_suites_prepare,
	.init = stay_here,
	.test_cases = cases,
};
