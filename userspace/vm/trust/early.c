// SPDX-License-Identifier: GPL-2.0
/*
 * Before the kernel's RNG is ready: what each call says, one line each. Then
 * the same once poll reports it.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <time.h>

#include "device.h"

static const char *outcome(ssize_t result)
{
	static char text[64];

	if (result < 0)
		return strerrorname_np(errno);
	snprintf(text, sizeof(text), "%zd", result);
	return text;
}

static void seeded(int fd)
{
	unsigned char key[32] = { 1 }, out[64];
	struct shakerandom_seed s = { .format = SHAKERANDOM_CHACHA20, .seed = (uintptr_t)key, .seed_len = 32 };

	printf("seed %s\n", outcome(ioctl(fd, SHAKERANDOM_IOC_SEED, &s)));
	printf("seeded read %s\n", outcome(read(fd, out, sizeof(out))));
	select_generator(fd, 0);
}

static void look(const char *when, int timeout)
{
	unsigned char small[64], large[5000];
	struct iovec vec = { large, sizeof(large) };
	struct pollfd p = { .fd = open_device(O_RDWR | O_NONBLOCK), .events = POLLIN | POLLOUT };
	int blocking = open_device(O_RDWR);

	if (timeout)
		p.events = POLLIN;
	if (poll(&p, 1, timeout) < 0)
		err(1, "poll");
	printf("%s\n", when);
	printf("kernel %s\n", outcome(getrandom(small, 16, GRND_NONBLOCK)));
	printf("poll in %d\n", !!(p.revents & POLLIN));
	printf("small %s\n", outcome(read(p.fd, small, sizeof(small))));
	printf("large %s\n", outcome(read(p.fd, large, sizeof(large))));
	printf("nowait %s\n", outcome(preadv2(blocking, &vec, 1, 0, RWF_NOWAIT)));
	seeded(p.fd);
	close(p.fd);
	close(blocking);
}

int main(int argc, char **argv)
{
	unsigned char data[64];

	look("early", 0);
	if (argc > 1) {
		printf("waiting read %s\n", outcome(read(open_device(O_RDONLY), data, sizeof(data))));
		look("after", 0);
	} else {
		look("after", 200000);
	}
	return 0;
}
