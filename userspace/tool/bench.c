// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char doc[] =
"Measures and ranks every generator and format of the loaded module, with the "
"variant that serves it on this processor, against /dev/urandom."
"\v"
"To measure another variant load the module with it, for example: "
"modprobe shakerandom backends=portable; 'shakerandom info' lists them.\n\n"
"Examples:\n"
"  shakerandom bench\n"
"  shakerandom bench --jobs 8 --time 1000";

static const struct argp_option options[] = {
	OPTION("time", 't', "MS", "milliseconds a measurement (200)"),
	OPTION("jobs", 'j', "NUMBER", "readers at once, each with its own "
	       "descriptor (1)"),
	END_OF_OPTIONS
};

static const struct argp_child children[] = {
	DEVICE_CHILD,
	END_OF_CHILDREN
};

#define MOST_JOBS 64
#define SMALL 16
#define BULK ((size_t)1 << 20)

struct job {
	struct source source;
	uint64_t time;
	uint64_t jobs;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *j = state->input;

	switch (key) {
	case 't':
		j->time = count_argument(state, "--time", arg);
		if (j->time < 1 || j->time > 60000)
			argp_error(state, "--time takes 1 to 60000, not %s",
				   arg);
		break;
	case 'j':
		j->jobs = count_argument(state, "--jobs", arg);
		if (j->jobs < 1 || j->jobs > MOST_JOBS)
			argp_error(state, "--jobs takes 1 to %d, not %s",
				   MOST_JOBS, arg);
		break;
	case ARGP_KEY_ARG:
		extra_argument(state, arg);
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &j->source;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = doc,
	.children = children,
};

/* ---- what is measured ---- */

enum kind { URANDOM, SECURE, SEEDED };

struct row {
	enum kind kind;
	uint32_t format;
	const char *device;
	char variant[17];
	double bulk, small;	/* bytes and reads a second */
};

static const uint32_t generators[] = {
	SHAKERANDOM_CHACHA20, SHAKERANDOM_SHAKE256, SHAKERANDOM_AES256_CTR
};

static int open_row(const struct row *r)
{
	static const uint8_t key[136];
	const struct shakerandom_description *d =
		shakerandom_describe(r->format);
	int fd;
	bool ok;

	if (r->kind == URANDOM)
		return open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	fd = device_open(r->device);
	if (fd < 0)
		return -1;
	if (r->kind == SECURE)
		ok = device_select(fd, r->format);
	else
		ok = device_seed(fd, r->format, key,
				 d->seed_len ? d->seed_len : 32);
	if (ok)
		return fd;
	close(fd);
	return -1;
}

/* ---- measuring ---- */

struct reader {
	pthread_t thread;
	const struct row *row;
	pthread_barrier_t *start;
	size_t size;
	uint64_t time;		/* ns */
	double reads;		/* a second; 0 if it could not */
};

static double measure(int fd, uint8_t *buf, size_t size, uint64_t time)
{
	uint64_t start = now_ns(), now, reads = 0;

	do {
		/* The clock costs as much as a small read. */
		int i, lot = size == SMALL ? 16 : 1;

		for (i = 0; i < lot; i++)
			if (read(fd, buf, size) != (ssize_t)size)
				return 0;
		reads += (uint64_t)lot;
		now = now_ns();
	} while (now - start < time);
	return (double)reads * 1e9 / (double)(now - start);
}

static void *read_along(void *arg)
{
	struct reader *r = arg;
	uint8_t *buf = aligned_alloc(4096, BULK);
	int fd = open_row(r->row);

	/* Pages that are not there yet would be measured, too. */
	if (buf)
		memset(buf, 1, BULK);
	pthread_barrier_wait(r->start);
	r->reads = buf && fd >= 0 ? measure(fd, buf, r->size, r->time) : 0;
	if (fd >= 0)
		close(fd);
	free(buf);
	return NULL;
}

/* Reads a second of all together. */
static double measure_all(const struct job *j, const struct row *row,
			  size_t size)
{
	struct reader readers[MOST_JOBS];
	pthread_barrier_t start;
	double sum = 0;
	uint64_t i;

	pthread_barrier_init(&start, NULL, (unsigned int)j->jobs);
	for (i = 0; i < j->jobs; i++) {
		readers[i] = (struct reader){ .row = row, .start = &start,
			.size = size, .time = j->time * 1000000 };
		if (pthread_create(&readers[i].thread, NULL, read_along,
				   &readers[i]))
			fail("cannot start %d threads: give fewer --jobs",
			     (int)j->jobs);
	}
	for (i = 0; i < j->jobs; i++) {
		pthread_join(readers[i].thread, NULL);
		sum += readers[i].reads;
	}
	pthread_barrier_destroy(&start);
	return sum;
}

static void name_variant(struct row *r)
{
	struct shakerandom_info info;
	int fd = open_row(r);

	strcpy(r->variant, r->kind == URANDOM ? "kernel" : "?");
	if (fd >= 0 && r->kind != URANDOM && device_info(fd, &info))
		snprintf(r->variant, sizeof(r->variant), "%.16s",
			 info.backend);
	if (fd >= 0)
		close(fd);
}

/* ---- the table ---- */

static void row_name(const struct row *r, char name[40])
{
	const struct shakerandom_description *d =
		shakerandom_describe(r->format);

	if (r->kind == URANDOM)
		strcpy(name, "/dev/urandom");
	else
		snprintf(name, 40, "%s %s", r->kind == SECURE ? "random" :
			 "stream", d->name);
}

static int by_rate(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->bulk < y->bulk) - (x->bulk > y->bulk);
}

static size_t list_rows(struct row *rows, const struct job *j,
			const struct shakerandom_info *info)
{
	size_t i, n = 0;
	uint32_t f;

	rows[n++] = (struct row){ .kind = URANDOM };
	for (i = 0; i < sizeof(generators) / sizeof(*generators); i++)
		rows[n++] = (struct row){ .kind = SECURE,
			.format = generators[i], .device = j->source.device };
	for (f = 1; f < 64; f++)
		if (info->formats >> f & 1 && shakerandom_describe(f))
			rows[n++] = (struct row){ .kind = SEEDED, .format = f,
				.device = j->source.device };
	return n;
}

static void print_row(const struct row *r, size_t rank,
		      const struct row *urandom, uint64_t jobs)
{
	char name[40];

	row_name(r, name);
	if (r->bulk <= 0 || r->small <= 0) {
		printf("%4s  %-30s %-10s not measured: it cannot be read\n",
		       "-", name, r->variant);
		return;
	}
	printf("%4zu  %-30s %-10s %9.0f %8.2f %9.0f %8.2f\n", rank, name,
	       r->variant, r->bulk / 1e6, r->bulk / urandom->bulk,
	       1e9 * (double)jobs / r->small, r->small / urandom->small);
}

static void print_table(const struct job *j, struct row *rows, size_t n)
{
	struct row urandom = rows[0];
	size_t i;

	qsort(rows, n, sizeof(*rows), by_rate);
	printf("%4s  %-30s %-10s %9s %8s %9s %8s\n", "rank", "what", "variant",
	       "MB/s", "urandom", "ns", "urandom");
	printf("%4s  %-30s %-10s %9s %8s %9s %8s\n", "", "", "", "1 MiB",
	       "= 1", "16 B", "= 1");
	for (i = 0; i < n; i++)
		print_row(&rows[i], i + 1, &urandom, j->jobs);
}

static int run(int argc, char **argv)
{
	struct job j = { .time = 200, .jobs = 1 };
	struct shakerandom_info info;
	struct progress progress;
	struct row rows[1 + 3 + 64];
	size_t i, n;
	int fd, err;

	argp_parse(&argp, argc, argv, 0, NULL, &j);
	err = shakerandom_setup(j.source.device, 0);
	if (err)
		fail_library(err);
	fd = device_open(j.source.device);
	if (fd < 0 || !device_info(fd, &info))
		fail_error(errno, "cannot ask the device");
	close(fd);
	n = list_rows(rows, &j, &info);
	progress_start(&progress, PROGRESS_AUTO, 0, 0);
	for (i = 0; i < n; i++) {
		if (progress.shown)
			fprintf(stderr, "\r%zu of %zu\033[K", i + 1, n);
		name_variant(&rows[i]);
		rows[i].bulk = measure_all(&j, &rows[i], BULK) * (double)BULK;
		rows[i].small = measure_all(&j, &rows[i], SMALL);
	}
	if (progress.shown)
		fputs("\r\033[K", stderr);
	print_table(&j, rows, n);
	return STATUS_OK;
}

const struct command cmd_bench = {
	.name = "bench",
	.summary = "rank generators and formats against /dev/urandom",
	.run = run,
};
