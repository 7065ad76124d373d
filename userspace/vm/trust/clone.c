// SPDX-License-Identifier: GPL-2.0
/*
 * One thread a CPU, each watching the generation page. When the generation
 * changes, or after SIGUSR1, every thread at once reads a few bytes of each
 * generator, short and long, and prints them. SIGUSR2 asks for RESEED.
 */
#define _GNU_SOURCE
#include <linux/random.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "device.h"

#define GENERATORS 3
#define SHOWN 16

static const uint32_t generators[GENERATORS] = {
	SHAKERANDOM_CHACHA20, SHAKERANDOM_SHAKE256, SHAKERANDOM_AES256_CTR
};
static volatile struct shakerandom_page *page;
static atomic_int asked;
static int control;

static void ask(int number)
{
	if (number == SIGUSR1)
		atomic_fetch_add(&asked, 1);
	/* A system call is safe here, whatever POSIX leaves out of its list. NOLINTNEXTLINE */
	else if (ioctl(control, SHAKERANDOM_IOC_RESEED))
		_exit(3);
}

static void pin(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %ld", cpu);
}

static void show(long cpu, uint64_t generation, unsigned char out[GENERATORS][2][SHOWN])
{
	flockfile(stdout);
	printf("cpu %ld generation %llu:", cpu, (unsigned long long)generation);
	for (int g = 0; g < GENERATORS; g++)
		for (int i = 0; i < 2; i++) {
			printf(" ");
			hex(out[g][i], SHOWN);
		}
	puts("");
	fflush(stdout);
	funlockfile(stdout);
}

static __attribute__((noreturn)) void *watcher(void *number)
{
	unsigned char out[GENERATORS][2][SHOWN], page_of[4096];
	long cpu = (long)number;
	uint64_t seen;
	int fds[GENERATORS], answered = 0;

	pin(cpu);
	for (int g = 0; g < GENERATORS; g++) {
		fds[g] = select_generator(open_device(O_RDONLY), generators[g]);
		take(fds[g], out[g][0], SHOWN);
	}
	seen = page->generation;
	show(cpu, 0, out);
	for (;;) {
		while (page->generation == seen && atomic_load(&asked) == answered)
			;
		seen = page->generation;
		answered = atomic_load(&asked);
		for (int g = 0; g < GENERATORS; g++) {
			take(fds[g], out[g][0], SHOWN);
			take(fds[g], page_of, sizeof(page_of));
			memcpy(out[g][1], page_of, SHOWN);
		}
		show(cpu, seen, out);
	}
}

/* The kernel RNG then rests for half of the uptime: clones have it in common until then. */
static void renew_kernel_rng(void)
{
	int fd = open("/dev/urandom", O_RDONLY);
	char byte;

	if (getrandom(&byte, 1, 0) != 1)	/* ready, and not before */
		err(1, "getrandom");
	if (fd < 0 || ioctl(fd, RNDRESEEDCRNG))
		err(1, "RNDRESEEDCRNG");
	close(fd);
}

int main(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread;

	control = open_device(O_RDWR);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, control, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	renew_kernel_rng();
	signal(SIGUSR1, ask);
	signal(SIGUSR2, ask);
	for (long cpu = 0; cpu < cpus; cpu++)
		pthread_create(&thread, NULL, watcher, (void *)cpu);
	for (;;)
		pause();
}
