// SPDX-License-Identifier: GPL-2.0
/*
 * uring seeded|secure LENGTH COUNT [async]
 *
 * COUNT reads of LENGTH bytes by io_uring, all in flight at once, each with its
 * own offset, of a ChaCha20 stream with key 0, 1, 2... or of random bytes; then
 * one more at the file's own position. Writes all that came to standard output.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../uapi/shakerandom.h"

struct ring {
	int fd;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
	struct io_uring_params p;
};

static void *map(int fd, size_t size, off_t what)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);

	if (p == MAP_FAILED)
		err(1, "mmap of the ring");
	return p;
}

static void setup(struct ring *r, unsigned int entries)
{
	memset(&r->p, 0, sizeof(r->p));
	r->fd = syscall(__NR_io_uring_setup, entries, &r->p);
	if (r->fd < 0)
		err(errno == ENOSYS ? 77 : 1, "io_uring_setup");
	r->sq = map(r->fd, r->p.sq_off.array + r->p.sq_entries * 4, IORING_OFF_SQ_RING);
	r->cq = map(r->fd, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	r->sqes = map(r->fd, r->p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
}

static void queue(struct ring *r, int fd, void *to, unsigned int len, uint64_t offset, int flags, uint64_t tag)
{
	_Atomic uint32_t *tail = (_Atomic uint32_t *)(r->sq + r->p.sq_off.tail);
	uint32_t at = *tail & (r->p.sq_entries - 1);

	r->sqes[at] = (struct io_uring_sqe) { .opcode = IORING_OP_READ, .flags = flags, .fd = fd, .off = offset,
					      .addr = (uintptr_t)to, .len = len, .user_data = tag };
	((uint32_t *)(r->sq + r->p.sq_off.array))[at] = at;
	atomic_fetch_add(tail, 1);
}

/* Submits @n and waits for them; each must have read all of @len. */
static void run(struct ring *r, unsigned int n, int len)
{
	_Atomic uint32_t *head = (_Atomic uint32_t *)(r->cq + r->p.cq_off.head);
	struct io_uring_cqe *cqes = (void *)(r->cq + r->p.cq_off.cqes);

	if (syscall(__NR_io_uring_enter, r->fd, n, n, IORING_ENTER_GETEVENTS, NULL, 0) != (long)n)
		err(1, "io_uring_enter");
	for (; n; n--) {
		struct io_uring_cqe *c = &cqes[*head & (r->p.cq_entries - 1)];

		if (c->res != len)
			errx(1, "read %llu gave %d", (unsigned long long)c->user_data, c->res);
		atomic_fetch_add(head, 1);
	}
}

static int prepared(const char *mode)
{
	struct shakerandom_seed s = { .format = SHAKERANDOM_CHACHA20, .seed_len = 32 };
	int fd = open("/dev/shakerandom", O_RDWR);
	unsigned char key[32];

	for (int i = 0; i < 32; i++)
		key[i] = i;
	s.seed = (uintptr_t)key;
	if (fd < 0 || (!strcmp(mode, "seeded") && ioctl(fd, SHAKERANDOM_IOC_SEED, &s)))
		err(1, "open");
	return fd;
}

int main(int argc, char **argv)
{
	unsigned int len, count, i;
	struct ring ring;
	char *data;
	int fd, flags;

	if (argc < 4)
		errx(2, "arguments");
	len = atoi(argv[2]);
	count = atoi(argv[3]);
	flags = argc > 4 ? IOSQE_ASYNC : 0;
	data = malloc((size_t)len * (count + 1));
	fd = prepared(argv[1]);
	setup(&ring, count);
	for (i = 0; i < count; i++)
		queue(&ring, fd, data + (size_t)i * len, len, (uint64_t)i * len, flags, i);
	run(&ring, count, len);
	queue(&ring, fd, data + (size_t)count * len, len, -1, flags, count);
	run(&ring, 1, len);
	return fwrite(data, len, count + 1, stdout) != count + 1;
}
