// SPDX-License-Identifier: GPL-2.0
/*
 * repeats MIB
 *
 * Threads, forked processes, dup'ed, shared and separate descriptors read MIB
 * of secure bytes in all, of every generator and in many sizes. Of each window
 * of 16 bytes, at any offset, a 64-bit fingerprint is taken; one in 16 (chosen
 * by the fingerprint itself) is kept. Any that comes twice is reported: so a
 * repeated block of 64 bytes goes unseen once in 20 times, one of 256 never.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../uapi/shakerandom.h"

#define WINDOW 16
#define KEPT_OF 16
#define PROCESSES 3
#define THREADS 3

struct shared {
	atomic_size_t used;
	size_t room;
	uint64_t prints[];
};

static struct shared *shared;
static size_t quota;		/* bytes a thread reads */
static int inherited[3];	/* descriptors of all processes, one a generator */

static uint64_t fingerprint(const unsigned char *p)
{
	uint64_t a, b;

	memcpy(&a, p, 8);
	memcpy(&b, p + 8, 8);
	a = (a ^ (b << 29 | b >> 35)) * 0x9e3779b97f4a7c15u + b;
	return (a ^ a >> 32) * 0xd6e8feb86659fd93u;
}

static void keep(const unsigned char *data, size_t len)
{
	for (size_t i = 0; i + WINDOW <= len; i++) {
		uint64_t f = fingerprint(data + i);
		size_t at;

		if (f >> 60)	/* KEPT_OF */
			continue;
		at = atomic_fetch_add(&shared->used, 1);
		if (at >= shared->room)
			errx(1, "no room");
		shared->prints[at] = f;
	}
}

static int opened(unsigned int generator)
{
	static const uint32_t numbers[] = { SHAKERANDOM_CHACHA20, SHAKERANDOM_SHAKE256, SHAKERANDOM_AES256_CTR };
	int fd = open("/dev/shakerandom", O_RDONLY);

	if (fd < 0 || ioctl(fd, SHAKERANDOM_IOC_SELECT, &numbers[generator]))
		err(1, "open");
	return fd;
}

static void *reader(void *number)
{
	static const size_t sizes[] = { 16, 32, 200, 256, 257, 4096, 5000, 65536, 300000 };
	size_t left = quota, n, i = (uintptr_t)number, size;
	unsigned char *data = malloc(300000);
	int fds[9];

	for (n = 0; n < 3; n++) {
		fds[n] = inherited[n];
		fds[3 + n] = dup(inherited[n]);
		fds[6 + n] = opened(n);
	}
	for (; left; left -= size, i++) {
		size = sizes[i % 9] < left ? sizes[i % 9] : left;
		if (read(fds[i / 9 % 9], data, size) != (ssize_t)size)
			err(1, "read");
		keep(data, size);
	}
	free(data);
	return NULL;
}

static void process(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, reader, (void *)(i * 3)))
			errx(1, "thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t repeated(void)
{
	size_t n = 0;

	qsort(shared->prints, shared->used, sizeof(*shared->prints), compare);
	for (size_t i = 1; i < shared->used; i++)
		n += shared->prints[i] == shared->prints[i - 1];
	return n;
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 0) : 16, room = (mib << 20) / KEPT_OF * 5 / 4 + 4096;
	int status, bad = 0;

	shared = mmap(NULL, sizeof(*shared) + room * sizeof(uint64_t), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	shared->room = room;
	quota = (mib << 20) / (PROCESSES * THREADS);
	for (int i = 0; i < 3; i++)
		inherited[i] = opened(i);
	for (int i = 0; i < PROCESSES; i++)
		if (!fork()) {
			process();
			_exit(0);
		}
	while (wait(&status) > 0)
		bad |= status;
	if (bad)
		errx(1, "a reader failed");
	printf("%zu MiB, %zu windows kept, %zu repeated\n", mib, (size_t)shared->used, repeated());
	return repeated() != 0;
}
