// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit caller, without a C library: does what test_compat.py expects, in
 * its order, and writes every result to standard output. Exits with the number
 * of the step that failed.
 */
#include "../../uapi/shakerandom.h"

#define O_RDWR 2
#define EINVAL 22

enum { SYS_exit = 1, SYS_read = 3, SYS_write = 4, SYS_open = 5, SYS_ioctl = 54, SYS_llseek = 140 };

static int call(int number, long a, long b, long c, long d, long e)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return result;
}

static void finish(int code)
{
	for (;;)
		call(SYS_exit, code, 0, 0, 0, 0);
}

static void must(int step, int good)
{
	if (!good)
		finish(step);
}

static void show(int step, const void *data, int len)
{
	must(step, call(SYS_write, 1, (long)data, len, 0, 0) == len);
}

static void show_info(int step, int fd)
{
	struct shakerandom_info info;

	must(step, !call(SYS_ioctl, fd, SHAKERANDOM_IOC_INFO, (long)&info, 0, 0));
	show(step, &info, sizeof(info));
}

static void show_stream(int step, int fd, int len)
{
	unsigned char data[256];

	must(step, call(SYS_read, fd, (long)data, len, 0, 0) == len);
	show(step, data, len);
}

static void fill(unsigned char *key, struct shakerandom_seed *seed)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		key[i] = i;
	for (i = 0; i < sizeof(*seed); i++)
		((volatile unsigned char *)seed)[i] = 0;
	for (i = 0; i < sizeof(seed->nonce); i++)
		seed->nonce[i] = 0xf0 + i;
	seed->format = SHAKERANDOM_CHACHA20;
	seed->seed = (unsigned long)key;
	seed->seed_len = 32;
}

void _start(void)
{
	struct shakerandom_seed seed;
	unsigned int generator = SHAKERANDOM_SHAKE256;
	unsigned char key[32];
	__u64 position = 0;
	int fd = call(SYS_open, (long)"/dev/shakerandom", O_RDWR, 0, 0, 0);

	must(1, fd >= 0);
	show_info(2, fd);
	fill(key, &seed);
	must(3, !call(SYS_ioctl, fd, SHAKERANDOM_IOC_SEED, (long)&seed, 0, 0));
	show_stream(4, fd, 100);
	show_info(5, fd);
	must(6, !call(SYS_llseek, fd, 1, 5, (long)&position, 0));
	must(7, position == 0x100000005ULL);
	show_stream(8, fd, 100);
	show_info(9, fd);
	seed.reserved = 1;
	must(10, call(SYS_ioctl, fd, SHAKERANDOM_IOC_SEED, (long)&seed, 0, 0) == -EINVAL);
	show_stream(11, fd, 100);
	must(12, !call(SYS_ioctl, fd, SHAKERANDOM_IOC_SELECT, (long)&generator, 0, 0));
	show_info(13, fd);
	must(14, !call(SYS_ioctl, fd, SHAKERANDOM_IOC_RESEED, 0, 0, 0));
	must(15, !call(SYS_ioctl, fd, SHAKERANDOM_IOC_SELFTEST, 0, 0, 0));
	show_info(16, fd);
	finish(0);
}
