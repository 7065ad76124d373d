// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "../driver/cpu.h"
#include "../driver/pool.h"
#include "../driver/selftest.h"
#include "suites.h"

/*
 * What the driver does when it is loaded. Kernels differ in whether the suites
 * of a module run before or after its init.
 */
int srnd_suites_prepare(struct kunit_suite *suite)
{
	static bool prepared;
	u32 rows[SRND_PRIMITIVES];
	u32 cpu = srnd_cpu_features();
	int p, err;

	if (prepared)
		return 0;
	for (p = 0; p < SRND_PRIMITIVES; p++)
		rows[p] = srnd_backend_usable(p, cpu);
	err = srnd_selftest_choose(rows);
	if (!err)
		err = srnd_pool_init(SRND_SUITES_AGE);
	prepared = !err;
	return err;
}

static int __init suites_init(void)
{
	int err = srnd_suites_prepare(NULL);

	return err ? err : srnd_bench_run();
}

static void __exit suites_exit(void)
{
	srnd_pool_exit();
}

module_init(suites_init);
module_exit(suites_exit);

kunit_test_suites(&srnd_chacha_suite, &srnd_aes_suite, &srnd_keccak_suite,
		  &srnd_backend_suite, &srnd_format_suite, &srnd_context_suite,
		  &srnd_pool_suite, &srnd_stream_suite, &srnd_deliver_suite);

MODULE_DESCRIPTION("KUnit tests of shakerandom");
MODULE_LICENSE("GPL");
