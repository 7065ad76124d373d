/* SPDX-License-Identifier: GPL-2.0 */
/* What the pool holds, for itself and for its tests; nobody else's business. */
#ifndef SRND_POOL_INSIDE_H
#define SRND_POOL_INSIDE_H

#include <linux/local_lock.h>
#include <linux/notifier.h>
#include <linux/percpu.h>

#include "pool.h"

#define SRND_POOL_BUFFER 4096

/*
 * What one CPU holds of one generator. buffer[taken..] is output not yet
 * delivered, everything before it is zero; key makes the next buffer.
 */
struct srnd_pool_instance {
	u8 key[SRND_KEY_MAX];
	u64 generation;		/* 0: never keyed */
	u64 born;		/* get_jiffies_64() at the last rekeying */
	u64 given;		/* bytes since then, bulk reads included */
	u32 taken;
	u8 buffer[SRND_POOL_BUFFER];
};

struct srnd_pool_cpu {
	local_lock_t lock;
	struct srnd_pool_instance instances[SRND_GENERATORS];
};

extern struct srnd_pool_cpu __percpu *srnd_pools;

/* What users wrote, digested. */
extern u8 srnd_pool_mixed[SRND_MIX];

/* Told of sleep and of a cloned machine. */
extern struct notifier_block srnd_pool_power_notifier;
extern struct notifier_block srnd_pool_vmfork_notifier;

#endif
