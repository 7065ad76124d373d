// SPDX-License-Identifier: GPL-2.0
/*
 * remember secure|seeded FORMAT LENGTH COUNT [keep|close|reseed]
 *
 * Reads COUNT times LENGTH bytes, keeps nothing of them but complements (which
 * a search for the bytes does not find), prints those and stays. The thread
 * that reads makes no system call after it, so that its kernel stack stays as
 * the read left it. With 'keep' it forgets to wipe: the search must find that.
 * With 'close' or 'reseed' it then closes the file or seeds it anew.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "device.h"

#define NEEDLE 16

static int fd;
static size_t length, count;
static bool keep;
static unsigned char *data;
static unsigned char complements[3][NEEDLE];	/* of the first, middle and last bytes */
static atomic_bool done;

static void wipe(void *p, size_t len)
{
	memset(p, 0, len);
	__asm__ volatile("" : : "r"(p) : "memory");
}

static void remember(unsigned char *to, const unsigned char *from)
{
	volatile const unsigned char *p = from;

	for (int i = 0; i < NEEDLE; i++)
		to[i] = ~p[i];
}

static void seed(uint32_t format)
{
	static const int sizes[] = { [SHAKERANDOM_SHAKE256_RATCHET] = 136,
				     [SHAKERANDOM_TURBOSHAKE256_RATCHET] = 136 };
	unsigned char bytes[136];
	struct shakerandom_seed s = { .format = format, .seed = (uintptr_t)bytes, .seed_len = 32 };

	if (format < sizeof(sizes) / sizeof(*sizes) && sizes[format])
		s.seed_len = sizes[format];
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) || ioctl(fd, SHAKERANDOM_IOC_SEED, &s))
		err(1, "SEED");
	wipe(bytes, sizeof(bytes));
}

static __attribute__((noreturn)) void *reader(void *unused)
{
	for (size_t i = 0; i < count; i++)
		take(fd, data + i * length, length);
	remember(complements[0], data);
	remember(complements[1], data + length * count / 2);
	remember(complements[2], data + length * count - NEEDLE);
	if (!keep)
		wipe(data, length * count);
	atomic_store(&done, true);
	for (;;)
		__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	pthread_t thread;

	const char *last = argc > 5 ? argv[5] : "";

	if (argc < 5)
		errx(2, "arguments");
	fd = open_device(O_RDWR);
	length = strtoul(argv[3], NULL, 0);
	count = strtoul(argv[4], NULL, 0);
	keep = !strcmp(last, "keep");
	data = mmap(NULL, length * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (data == MAP_FAILED)
		err(1, "mmap");
	if (!strcmp(argv[1], "seeded"))
		seed(atoi(argv[2]));
	else if (ioctl(select_generator(fd, atoi(argv[2])), SHAKERANDOM_IOC_RESEED))
		err(1, "RESEED");
	pthread_create(&thread, NULL, reader, NULL);
	while (!atomic_load(&done))
		usleep(10000);
	if (!strcmp(last, "close"))
		close(fd);
	else if (!strcmp(last, "reseed"))
		seed(atoi(argv[2]));
	for (int i = 0; i < 3; i++) {
		hex(complements[i], NEEDLE);
		puts("");
	}
	puts("remembered");
	fflush(stdout);
	pause();
}
