// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/cpuhotplug.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/suspend.h>
#include <linux/timex.h>
#include <linux/workqueue.h>

#include "../uapi/shakerandom.h"
#include "compat.h"
#include "engine.h"
#include "pool.h"
#include "pool_inside.h"

#define RESEED_BYTES SZ_256M	/* of output under one lineage of keys */

struct srnd_pool_cpu __percpu *srnd_pools;
static u64 reseed_age __ro_after_init;
static enum cpuhp_state hotplug_state;

static struct page *page;
static atomic64_t generation = ATOMIC64_INIT(1);
static bool in_transition;	/* suspending or resuming */
DECLARE_WAIT_QUEUE_HEAD(srnd_pool_wait);

static DEFINE_SPINLOCK(mix_lock);
u8 srnd_pool_mixed[SRND_MIX];

static const struct {
	u32 number;	/* as the user selects it */
	u32 format;	/* whose keystream is the output */
	const char *name;
} generators[SRND_GENERATORS] = {
	[SRND_GEN_CHACHA20] = { SHAKERANDOM_CHACHA20, SHAKERANDOM_CHACHA20,
				"chacha20" },
	[SRND_GEN_SHAKE256] = { SHAKERANDOM_SHAKE256, SHAKERANDOM_SHAKE256_CTR,
				"shake256" },
	[SRND_GEN_AES256] = { SHAKERANDOM_AES256_CTR, SHAKERANDOM_AES256_CTR,
			      "aes256-ctr" },
};

int srnd_generator_by_number(u32 number)
{
	int g;

	for (g = 0; g < SRND_GENERATORS; g++)
		if (generators[g].number == number)
			return g;
	return -EINVAL;
}

int srnd_generator_by_name(const char *name)
{
	int g;

	for (g = 0; g < SRND_GENERATORS; g++)
		if (!strcmp(generators[g].name, name))
			return g;
	return -EINVAL;
}

u32 srnd_generator_number(enum srnd_generator g)
{
	return generators[g].number;
}

const char *srnd_generator_name(enum srnd_generator g)
{
	return generators[g].name;
}

const struct srnd_format *srnd_generator_format(enum srnd_generator g)
{
	return srnd_format(generators[g].format);
}

/* ---- generation ---- */

u64 srnd_pool_generation(void)
{
	return atomic64_read(&generation);
}

struct page *srnd_pool_page(void)
{
	return page;
}

void srnd_pool_reseed(void)
{
	static DEFINE_SPINLOCK(lock);
	struct shakerandom_page *shown = page_address(page);
	unsigned long flags;

	/* So that what the page shows never falls. */
	spin_lock_irqsave(&lock, flags);
	WRITE_ONCE(shown->generation, atomic64_inc_return(&generation));
	spin_unlock_irqrestore(&lock, flags);
	wake_up_interruptible_poll(&srnd_pool_wait, EPOLLPRI);
}

static int vm_forked(struct notifier_block *nb, unsigned long action,
		     void *data)
{
	srnd_pool_reseed();
	return NOTIFY_DONE;
}

struct notifier_block srnd_pool_vmfork_notifier = {
	.notifier_call = vm_forked,
};

/*
 * A hibernation image may be restored more than once, and readers thaw before
 * the notification that follows. So from the image on until then, every use
 * rekeys.
 */
static int power_changed(struct notifier_block *nb, unsigned long action,
			 void *data)
{
	switch (action) {
	case PM_HIBERNATION_PREPARE:
	case PM_SUSPEND_PREPARE:
	case PM_RESTORE_PREPARE:
		WRITE_ONCE(in_transition, true);
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_SUSPEND:
	case PM_POST_RESTORE:
		srnd_pool_reseed();
		WRITE_ONCE(in_transition, false);
		break;
	}
	return NOTIFY_DONE;
}

struct notifier_block srnd_pool_power_notifier = {
	.notifier_call = power_changed,
};

/* ---- readiness ---- */

/*
 * Modules are not told when the kernel RNG becomes ready, so the first poll
 * before that lends a worker to wait for it.
 */
static void await_ready(struct work_struct *work)
{
	wait_for_random_bytes();
	wake_up_interruptible_poll(&srnd_pool_wait, EPOLLIN | EPOLLRDNORM);
}

static DECLARE_WORK(ready_work, await_ready);

void srnd_pool_watch_ready(void)
{
	if (!rng_is_initialized())
		queue_work(system_long_wq, &ready_work);
}

int srnd_pool_ready(bool nowait)
{
	if (rng_is_initialized())
		return 0;
	return nowait ? -EAGAIN : wait_for_random_bytes();
}

/* ---- rekeying ---- */

static void mix(const void *data, size_t len)
{
	static const char domain[] = "shakerandom-mix-v1";
	struct srnd_sponge s;

	srnd_sponge_init(&s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&s, srnd_keccak_portable, domain, sizeof(domain));
	srnd_sponge_absorb(&s, srnd_keccak_portable, data, len);
	spin_lock(&mix_lock);
	srnd_sponge_absorb(&s, srnd_keccak_portable, srnd_pool_mixed,
			   sizeof(srnd_pool_mixed));
	srnd_sponge_squeeze(&s, srnd_keccak_portable, srnd_pool_mixed,
			    sizeof(srnd_pool_mixed));
	spin_unlock(&mix_lock);
	srnd_wipe(&s, sizeof(s));
}

void srnd_pool_mix(const u8 digest[SRND_MIX])
{
	mix(digest, SRND_MIX);
}

void srnd_pool_mix_moment(void)
{
	struct {
		u64 time;
		unsigned long processor;
		unsigned long cycles;
	} now = { .time = ktime_get_real_ns() };
	size_t i;

	/* The time that mixing takes varies, so each round adds a little. */
	for (i = 0; i < 32; i++) {
		now.processor = srnd_processor_random();
		now.cycles = random_get_entropy();
		mix(&now, sizeof(now));
	}
	srnd_wipe(&now, sizeof(now));
}

static void copy_mixed(u8 out[SRND_MIX])
{
	spin_lock(&mix_lock);
	memcpy(out, srnd_pool_mixed, SRND_MIX);
	spin_unlock(&mix_lock);
}

static bool stale(u64 of_generation, u64 born, u64 given)
{
	return of_generation != srnd_pool_generation() ||
	       get_jiffies_64() - born >= reseed_age || given >= RESEED_BYTES ||
	       READ_ONCE(in_transition);
}

/*
 * New key = SHAKE256(old key, kernel randomness, what users wrote, CPU,
 * generator): no worse than the best of them. The old buffer goes with it.
 */
static void rekey(struct srnd_pool_instance *i, u32 g)
{
	static const char domain[] = "shakerandom-rekey-v1";
	struct {
		u8 old[SRND_KEY_MAX];
		u8 fresh[SRND_KEY_MAX];
		u8 mixed[SRND_MIX];
		u32 cpu;
		u32 generator;
	} in;
	struct srnd_sponge s;

	/* Read before the randomness, so that a change in between shows. */
	i->generation = srnd_pool_generation();
	memcpy(in.old, i->key, sizeof(in.old));
	get_random_bytes(in.fresh, sizeof(in.fresh));
	copy_mixed(in.mixed);
	in.cpu = raw_smp_processor_id();
	in.generator = g;

	srnd_sponge_init(&s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&s, srnd_keccak_portable, domain, sizeof(domain));
	srnd_sponge_absorb(&s, srnd_keccak_portable, &in, sizeof(in));
	srnd_sponge_squeeze(&s, srnd_keccak_portable, i->key, sizeof(i->key));
	srnd_wipe(&s, sizeof(s));
	srnd_wipe(&in, sizeof(in));

	i->born = get_jiffies_64();
	i->given = 0;
	srnd_wipe(i->buffer, sizeof(i->buffer));
	i->taken = SRND_POOL_BUFFER;
	srnd_count(SRND_RESEEDS, 1);
}

/* Fast key erasure: the first bytes of the new buffer are the next key. */
static void refill(struct srnd_pool_instance *i, u32 g)
{
	const struct srnd_format *f = srnd_generator_format(g);
	union srnd_instance s;

	srnd_engine_key(&s, f, i->key);
	srnd_engine_read(&s, f, 0, i->buffer, sizeof(i->buffer));
	srnd_wipe(&s, sizeof(s));
	memcpy(i->key, i->buffer, f->key_size);
	srnd_wipe(i->buffer, f->key_size);
	i->taken = f->key_size;
}

/* Takes up to @len bytes that the instance then no longer knows. */
static size_t take_some(struct srnd_pool_instance *i, u32 g, u8 *out,
			size_t len)
{
	if (stale(i->generation, i->born, i->given))
		rekey(i, g);
	if (i->taken == SRND_POOL_BUFFER)
		refill(i, g);
	len = min_t(size_t, len, SRND_POOL_BUFFER - i->taken);
	memcpy(out, i->buffer + i->taken, len);
	srnd_wipe(i->buffer + i->taken, len);
	i->taken += len;
	i->given += len;
	return len;
}

void srnd_pool_take(enum srnd_generator g, u8 *out, size_t len)
{
	struct srnd_pool_instance *i;
	size_t n;

	for (; len; out += n, len -= n) {
		local_lock(&srnd_pools->lock);
		i = this_cpu_ptr(&srnd_pools->instances[g]);
		n = take_some(i, g, out, len);
		local_unlock(&srnd_pools->lock);
	}
}

/* ---- long reads ---- */

void srnd_bulk_begin(struct srnd_bulk *b, enum srnd_generator g)
{
	const struct srnd_format *f = srnd_generator_format(g);
	u8 key[SRND_KEY_MAX];

	b->generator = g;
	b->offset = 0;
	b->born = get_jiffies_64();
	b->generation = srnd_pool_generation();
	srnd_pool_take(g, key, f->key_size);
	srnd_engine_key(&b->instance, f, key);
	srnd_wipe(key, sizeof(key));
}

/* What a one-time key has given counts for the instance it came from. */
static void account(enum srnd_generator g, u64 given)
{
	local_lock(&srnd_pools->lock);
	this_cpu_ptr(&srnd_pools->instances[g])->given += given;
	local_unlock(&srnd_pools->lock);
}

void srnd_bulk_read(struct srnd_bulk *b, u8 *out, size_t len)
{
	if (stale(b->generation, b->born, b->offset)) {
		account(b->generator, b->offset);
		srnd_bulk_begin(b, b->generator);
	}
	srnd_engine_read(&b->instance, srnd_generator_format(b->generator),
			 b->offset, out, len);
	b->offset += len;
}

void srnd_bulk_end(struct srnd_bulk *b)
{
	account(b->generator, b->offset);
	srnd_wipe(b, sizeof(*b));
}

/* ---- life and death ---- */

/* A CPU that went away keeps nothing, and starts afresh when it comes back. */
static int wipe_cpu(unsigned int cpu)
{
	struct srnd_pool_cpu *p = per_cpu_ptr(srnd_pools, cpu);

	srnd_wipe(p->instances, sizeof(p->instances));
	return 0;
}

static int pools_create(void)
{
	int cpu;

	srnd_pools = alloc_percpu(struct srnd_pool_cpu);
	if (!srnd_pools)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		local_lock_init(&per_cpu_ptr(srnd_pools, cpu)->lock);
	return 0;
}

static void pools_destroy(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		wipe_cpu(cpu);
	free_percpu(srnd_pools);
	srnd_wipe(srnd_pool_mixed, sizeof(srnd_pool_mixed));
}

static int page_create(void)
{
	struct shakerandom_page *shown;

	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!page)
		return -ENOMEM;
	shown = page_address(page);
	shown->generation = srnd_pool_generation();
	return 0;
}

int srnd_pool_init(unsigned int reseed_seconds)
{
	int err;

	reseed_age = (u64)reseed_seconds * HZ;
	err = page_create();
	if (err)
		return err;
	err = pools_create();
	if (err)
		goto free_page;
	/* Runs on another CPU when the one that is wiped is already dead. */
	err = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "shakerandom",
					NULL, wipe_cpu);
	if (err < 0)
		goto free_pools;
	hotplug_state = err;
	err = register_pm_notifier(&srnd_pool_power_notifier);
	if (err)
		goto remove_hotplug;
	err = register_random_vmfork_notifier(&srnd_pool_vmfork_notifier);
	if (err)
		goto remove_power;
	return 0;

remove_power:
	unregister_pm_notifier(&srnd_pool_power_notifier);
remove_hotplug:
	cpuhp_remove_state_nocalls(hotplug_state);
free_pools:
	pools_destroy();
free_page:
	__free_page(page);
	return err;
}

void srnd_pool_exit(void)
{
	unregister_random_vmfork_notifier(&srnd_pool_vmfork_notifier);
	unregister_pm_notifier(&srnd_pool_power_notifier);
	cpuhp_remove_state_nocalls(hotplug_state);
	/* Waits for the kernel RNG at worst, which feeds itself. */
	cancel_work_sync(&ready_work);
	pools_destroy();
	__free_page(page);
}
