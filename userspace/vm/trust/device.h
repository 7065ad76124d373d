/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs for guests share. */
#ifndef TRUST_DEVICE_H
#define TRUST_DEVICE_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../../uapi/shakerandom.h"

static inline int open_device(int flags)
{
	int fd = open("/dev/shakerandom", flags);

	if (fd < 0)
		err(1, "/dev/shakerandom");
	return fd;
}

static inline int select_generator(int fd, uint32_t number)
{
	if (ioctl(fd, SHAKERANDOM_IOC_SELECT, &number))
		err(1, "SELECT %u", number);
	return fd;
}

/* Reads exactly @len bytes. */
static inline void take(int fd, void *data, size_t len)
{
	ssize_t n = read(fd, data, len);

	if (n < 0 || (size_t)n != len)
		err(1, "read of %zu gave %zd", len, n);
}

static inline void hex(const unsigned char *data, size_t len)
{
	while (len--)
		printf("%02x", *data++);
}

#endif
