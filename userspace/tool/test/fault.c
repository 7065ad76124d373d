// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD: a disk that is slow, and loses something. The kernel tells of
 * that at the next fdatasync of the file, and then no more.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

typedef ssize_t pwrite_fn(int fd, const void *buf, size_t len, off64_t at);

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t at)
{
	pwrite_fn *next = (pwrite_fn *)dlsym(RTLD_NEXT, "pwrite64");

	usleep(100000);
	return next(fd, buf, len, at);
}

int fdatasync(int fd)
{
	static int told;

	(void)fd;
	errno = EIO;
	return told++ ? 0 : -1;
}
