// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_ioctl SEED ROUNDS [compat]
 *
 * Random ioctls: numbers, sizes, addresses and contents. Each may only fail as
 * the header says, and INFO defines all of the caller's structure and no byte
 * more. 'compat' makes the calls as a 32-bit program would (int 0x80).
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../uapi/shakerandom.h"

#ifndef MAP_32BIT
#define MAP_32BIT 0	/* only 32-bit calls need it */
#endif

#define ROOM 32768	/* more than any size an ioctl's number can name */
#define FILL 0xA5

static uint64_t state;
static unsigned char *area;	/* ROOM bytes, then a page that is not there */
static unsigned char *seed;	/* what a structure may point to */
static int compat;
static unsigned long tried, worked;

static uint32_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x9e3779b97f4a7c15u) >> 32;
}

static uint32_t below(uint32_t n)
{
	return any() % n;
}

#ifdef __x86_64__
static int call32(int fd, unsigned int request, unsigned long argument)
{
	int result;

	__asm__ volatile("int $0x80" : "=a"(result)
			 : "a"(54), "b"(fd), "c"(request), "d"(argument)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}
#else
static int call32(int fd, unsigned int request, unsigned long argument)
{
	errx(2, "no 32-bit calls here");
}
#endif

/* 0 or more, or a negated errno. */
static int call(int fd, unsigned int request, unsigned long argument)
{
	int result;

	if (compat)
		return call32(fd, request, argument);
	result = syscall(SYS_ioctl, fd, request, argument);
	return result < 0 ? -errno : result;
}

static void fill(unsigned char *p, size_t size)
{
	struct shakerandom_seed *s = (void *)p;
	uint32_t how = below(6);

	for (size_t i = 0; i < size; i++)
		p[i] = how < 2 ? 0 : how == 2 ? FILL : any();
	if (how < 4 && size < sizeof(*s))
		return;
	if (how == 1 || how == 3) {	/* a seed that may be right */
		memset(p, 0, sizeof(*s));
		s->format = below(17);
		s->flags = below(4) ? 0 : below(5);
		s->seed = below(8) ? (uintptr_t)seed : any();
		s->seed_len = below(3) ? (below(2) ? 32 : 16) : below(5000);
		s->reserved = !below(16);
		s->nonce[below(16)] = !below(4);
	}
	if (how == 3)
		memset(p + sizeof(*s), 0, size - sizeof(*s));
}

static unsigned long somewhere(size_t size)
{
	static const unsigned long bad[] = { 0, 1, 4096, 0x7fffffff, 0xfffff000, ~0UL, 1UL << 63, 0xffff888000000000 };

	switch (below(8)) {
	case 0:
		return bad[below(sizeof(bad) / sizeof(*bad))];
	case 1:
		return (uintptr_t)area + ROOM - below(size + 1);	/* runs into the hole */
	case 2:
		return (uintptr_t)area + below(ROOM - size);
	default:
		return (uintptr_t)area + ROOM - size;
	}
}

static int allowed(unsigned int number, int error)
{
	switch (number) {
	case 0:
		return error == EFAULT;
	case 1:
		return error == EINVAL || error == EFAULT || error == E2BIG || error == ENOMEM;
	case 2:
		return error == EINVAL || error == EFAULT || error == E2BIG || error == ENOMEM || error == EPERM;
	case 3:
		return error == EPERM;
	case 4:
		return error == EPERM || error == EIO;
	default:
		return error == ENOTTY;
	}
}

static int inside(unsigned long p, size_t size)
{
	return p >= (uintptr_t)area && p <= (uintptr_t)area + ROOM - size;
}

/* INFO: all of the structure, and nothing around it. */
static void check_info(unsigned char *p, size_t size)
{
	struct shakerandom_info *info = (void *)p;

	if (size >= 4 && info->abi_version != SHAKERANDOM_ABI_VERSION)
		errx(1, "INFO of %zu bytes: version %u", size, info->abi_version);
	if (size >= sizeof(*info) && memchr(info->backend, FILL, 16))
		errx(1, "INFO: the name is not all there");
	for (size_t i = sizeof(*info); i < size; i++)
		if (p[i])
			errx(1, "INFO of %zu bytes: byte %zu is 0x%x", size, i, p[i]);
	for (unsigned char *q = area; q < area + ROOM; q++)
		if ((q < p || q >= p + size) && *q != FILL)
			errx(1, "INFO of %zu bytes wrote at %td", size, q - p);
}

/* A request that is about this device in most cases, and never one of every file's. */
static unsigned int any_request(unsigned int *number)
{
	static const unsigned int sizes[] = { 40, 72, 4, 0 };
	unsigned int magic = below(16) ? SHAKERANDOM_IOC_MAGIC : 0x80 + below(0x3b);
	unsigned int size = below(2) ? sizes[below(4)] : below(16384);

	*number = below(8) ? below(6) : below(256);
	if (magic != SHAKERANDOM_IOC_MAGIC)
		*number += 256;
	return _IOC(below(4), magic, *number & 255, size);
}

/* The direction is part of the request: with another one it is another request. */
static int is_ours(unsigned int request, unsigned int number)
{
	static const unsigned int directions[] = { _IOC_READ, _IOC_WRITE, _IOC_WRITE, _IOC_NONE, _IOC_NONE };

	return number < 5 && _IOC_DIR(request) == directions[number];
}

static void one(int fd)
{
	unsigned int number, request = any_request(&number);
	size_t size = _IOC_SIZE(request);
	unsigned long p = somewhere(size);
	int result;

	if (!is_ours(request, number))
		number = 256;
	if (number == 4 && below(50))
		return;		/* it takes long */
	memset(area, FILL, ROOM);
	if (number && inside(p, size))
		fill((unsigned char *)p, size);
	result = call(fd, request, p);
	tried++;
	worked += result >= 0;
	if (result > 0 || (result < 0 && !allowed(number, -result)))
		errx(1, "request 0x%x at 0x%lx: %d", request, p, result);
	if (!number && !result && inside(p, size))
		check_info((unsigned char *)p, size);
}

int main(int argc, char **argv)
{
	unsigned long rounds;
	char bytes[100];
	int fds[3];

	if (argc < 3)
		errx(2, "arguments");
	state = strtoull(argv[1], NULL, 0) * 2 + 1;
	rounds = strtoul(argv[2], NULL, 0);
	compat = argc > 3;
	area = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	seed = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (area == MAP_FAILED || seed == MAP_FAILED || munmap(area + ROOM, 4096))
		err(1, "memory");
	for (int i = 0; i < 3; i++)
		if ((fds[i] = open("/dev/shakerandom", O_RDWR)) < 0)
			err(1, "open");
	while (rounds--) {
		one(fds[below(3)]);
		if (read(fds[below(3)], bytes, 1 + below(100)) <= 0)
			err(1, "read");
	}
	printf("%lu calls, %lu worked\n", tried, worked);
	return worked < tried / 20;
}
