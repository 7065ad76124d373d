// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "shakerandom: " fmt

#include <linux/cache.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../uapi/shakerandom.h"
#include "chardev.h"
#include "cpu.h"
#include "engine.h"
#include "pool.h"
#include "selftest.h"
#include "sysfs.h"

static char *algorithm = "auto";
module_param(algorithm, charp, 0444);
MODULE_PARM_DESC(algorithm,
		 "default generator: auto, chacha20, shake256 or aes256-ctr");

static unsigned int reseed_seconds = 60;
module_param(reseed_seconds, uint, 0444);
MODULE_PARM_DESC(reseed_seconds, "age at which keys are renewed, 1 to 86400");

module_param_named(allow_seeding, srnd_allow_seeding, bool, 0644);
MODULE_PARM_DESC(allow_seeding, "whether files may be seeded (SEED ioctl)");

static char *backends = "";
module_param(backends, charp, 0444);
MODULE_PARM_DESC(backends,
		 "comma list of variants that may be used, default all");

/* auto: AES where the processor has instructions for it, else ChaCha20. */
static int choose_generator(void)
{
	bool aes =
		srnd_engine.row[SRND_AES] != srnd_portable_engine.row[SRND_AES];
	int g;

	if (!strcmp(algorithm, "auto"))
		return aes ? SRND_GEN_AES256 : SRND_GEN_CHACHA20;
	g = srnd_generator_by_name(algorithm);
	if (g < 0)
		pr_err("parameter algorithm=%s: must be auto, chacha20, shake256 or aes256-ctr\n",
		       algorithm);
	return g;
}

/* Adds the rows of that name in any primitive to @rows. */
static void allow_named(u32 rows[SRND_PRIMITIVES], const char *name, int len)
{
	bool known = false;
	u32 named;
	int p;

	for (p = 0; p < SRND_PRIMITIVES; p++) {
		named = srnd_backend_named(p, name, len);
		rows[p] |= named;
		known |= named;
	}
	if (!known)
		pr_warn("parameter backends: no variant is named %.*s, ignored\n",
			len, name);
}

/* The rows that the user allows; an empty list allows all. */
static void allowed_rows(u32 rows[SRND_PRIMITIVES])
{
	const char *name = backends;
	size_t len;

	memset(rows, *name ? 0 : 0xff, SRND_PRIMITIVES * sizeof(*rows));
	for (; *name; name += len + (name[len] == ',')) {
		len = strcspn(name, ",");
		if (len)
			allow_named(rows, name, len);
	}
}

static int __init choose_backends(void)
{
	u32 rows[SRND_PRIMITIVES];
	u32 cpu = srnd_cpu_features();
	int p;

	allowed_rows(rows);
	for (p = 0; p < SRND_PRIMITIVES; p++)
		rows[p] &= srnd_backend_usable(p, cpu);
	return srnd_selftest_choose(rows);
}

/*
 * Proven generators first, then what keys them, then the node: nobody can open
 * what is not ready.
 */
static int __init srnd_init(void)
{
	int generator, err;

	if (reseed_seconds < 1 || reseed_seconds > 86400) {
		pr_err("parameter reseed_seconds=%u: must be 1 to 86400\n",
		       reseed_seconds);
		return -EINVAL;
	}
	err = choose_backends();
	if (err)
		return err;
	generator = choose_generator();
	if (generator < 0)
		return generator;
	srnd_sysfs_algorithm = srnd_generator_name(generator);
	err = srnd_pool_init(reseed_seconds);
	if (err)
		return err;
	err = srnd_chardev_create(generator, srnd_sysfs_groups);
	if (err)
		srnd_pool_exit();
	return err;
}

/* The node first: what readers use must outlive the last of them. */
static void __exit srnd_exit(void)
{
	srnd_chardev_destroy();
	srnd_pool_exit();
	/* Seeded files are freed after a grace period. */
	rcu_barrier();
}

module_init(srnd_init);
module_exit(srnd_exit);

MODULE_DESCRIPTION("Fast, seedable, seekable and verifiable random device");
MODULE_AUTHOR("The shakerandom authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(SHAKERANDOM_VERSION);
