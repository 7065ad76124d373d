// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the cases of kunit/ over cmocka: a test for each case, or for each
 * parameter of a case. CMOCKA_MESSAGE_OUTPUT=xml and CMOCKA_XML_FILE=...%g.xml
 * give results for machines.
 */
#include <stdlib.h>

#include "../../kunit/cases.h"
#include "host.h"

struct kunit_memory {
	struct kunit_memory *next;
	void *block;
};

/* What is about to run: for messages. */
static const char *running;

u32 srnd_cases_cpu(void)
{
	return host_cpu();
}

bool srnd_cases_simd_begin(void)
{
	return true;
}

void srnd_cases_simd_end(void)
{
}

/* A block of its own, so that sanitizers see its end. */
void *kunit_kzalloc(struct kunit *test, size_t size, int flags)
{
	struct kunit_memory *m = malloc(sizeof(*m));

	(void)flags;
	if (!m)
		return NULL;
	m->block = calloc(1, size);
	m->next = test->memory;
	test->memory = m;
	return m->block;
}

void kunit_skip(struct kunit *test, const char *format, ...)
{
	va_list args;

	(void)test;
	printf("skipped: %s: ", running);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	skip();
	abort();
}

void kunit_native_fail(const char *file, int line, const char *what,
		       const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	print_error("%s: %s\n", message, what);
	_fail(file, line);
	abort();
}

struct job {
	const struct kunit_case *run;
	struct kunit test;
	char name[256];
};

static void run_job(void **state)
{
	struct job *job = *state;

	running = job->name;
	job->run->run_case(&job->test);
}

static int free_memory(void **state)
{
	struct job *job = *state;
	struct kunit_memory *m;

	while ((m = job->test.memory)) {
		job->test.memory = m->next;
		free(m->block);
		free(m);
	}
	return 0;
}

#define MAX_JOBS 512

static struct job jobs[MAX_JOBS];
static struct CMUnitTest tests[MAX_JOBS];
static size_t count;

static void add(const struct kunit_case *c, const void *param, const char *desc)
{
	struct job *job = &jobs[count];

	if (count == MAX_JOBS)
		abort();
	job->run = c;
	job->test.param_value = param;
	snprintf(job->name, sizeof(job->name), "%s%s%s", c->name,
		 param ? " " : "", param ? desc : "");
	tests[count++] = (struct CMUnitTest) {
		.name = job->name, .test_func = run_job,
		.teardown_func = free_memory, .initial_state = job };
}

static void add_case(const struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	const void *param = NULL;

	if (!c->generate_params) {
		add(c, NULL, NULL);
		return;
	}
	while ((param = c->generate_params(param, desc)))
		add(c, param, desc);
}

static int run_suite(const struct kunit_suite *suite)
{
	const struct kunit_case *c;

	memset(jobs, 0, sizeof(jobs));
	count = 0;
	for (c = suite->test_cases; c->run_case; c++)
		add_case(c);
	return _cmocka_run_group_tests(suite->name, tests, count, NULL, NULL);
}

int main(void)
{
	static const struct kunit_suite *const suites[] = {
		&srnd_chacha_suite, &srnd_aes_suite, &srnd_keccak_suite,
		&srnd_backend_suite, &srnd_format_suite,
	};
	int failed = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		failed |= run_suite(suites[i]);
	return !!failed;
}
