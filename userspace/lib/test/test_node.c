/* SPDX-License-Identifier: MIT */
/* The moment between a node's taking its place and its page's being watched. */
#include <setjmp.h>
#include <stdarg.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../node.c" /* its insides. NOLINT(bugprone-suspicious-include) */

/* A draw there, in a signal handler or in a child of another thread's fork. */
static void test_draw_before_the_page_is_watched(void **state)
{
	const volatile uint64_t *stale[] = { NULL, &(uint64_t){ 1 } };
	int status;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(10);
			if (shakerandom_setup("/dev/urandom",
					      SHAKERANDOM_STAND_IN))
				_exit(1);
			atomic_store(&srnd_page, stale[i]);
			_exit(shakerandom_u64() == shakerandom_u64());
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draw_before_the_page_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
