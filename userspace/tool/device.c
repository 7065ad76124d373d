// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tool.h"

int device_open(const char *path)
{
	return open(path ? path : DEVICE, O_RDWR | O_CLOEXEC);
}

bool device_info(int fd, struct shakerandom_info *info)
{
	memset(info, 0, sizeof(*info));
	return !ioctl(fd, SHAKERANDOM_IOC_INFO, info);
}

bool device_select(int fd, uint32_t format)
{
	return !ioctl(fd, SHAKERANDOM_IOC_SELECT, &format);
}

bool device_seed(int fd, uint32_t format, const void *seed, size_t len)
{
	struct shakerandom_seed args = {
		.format = format,
		.seed = (uintptr_t)seed,
		.seed_len = (uint32_t)len,
	};

	return !ioctl(fd, SHAKERANDOM_IOC_SEED, &args);
}

bool read_line(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	bool got;

	if (!file)
		return false;
	got = fgets(text, (int)size, file);
	fclose(file);
	if (got)
		text[strcspn(text, "\n")] = 0;
	return got;
}
