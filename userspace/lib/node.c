/* SPDX-License-Identifier: MIT */
/* The device as this process sees it: one descriptor and one mapped page. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define READ_MAX ((size_t)1 << 30)	/* bytes a call; the kernel has a limit */

static _Atomic(const struct srnd_node *) present;
const volatile uint64_t *_Atomic srnd_page;

static struct {
	char path[PATH_MAX];
	unsigned int flags;
} setup = { .path = "/dev/shakerandom" };

bool srnd_stands_in(void)
{
	return setup.flags & SHAKERANDOM_STAND_IN;
}

/* A filter of system calls that refuses to answer says nothing about @fd. */
static bool refused(void)
{
	return errno == EPERM || errno == EACCES || errno == ENOSYS;
}

bool srnd_device_is(int fd, uint32_t mode, uint32_t format, uint64_t position)
{
	struct shakerandom_info info;

	if (setup.flags & (SHAKERANDOM_READ_ONLY | SHAKERANDOM_STAND_IN))
		return true;
	if (ioctl(fd, SHAKERANDOM_IOC_INFO, &info))
		return refused();
	if (mode == SHAKERANDOM_MODE_RANDOM)
		return info.mode == mode;
	return info.mode == mode && info.format == format &&
	       info.position == position;
}

static int check_device(int fd)
{
	struct shakerandom_info info;

	if (ioctl(fd, SHAKERANDOM_IOC_INFO, &info))
		return errno == ENOTTY || errno == EINVAL ?
			       SHAKERANDOM_ERR_NOT_DEVICE :
			       SHAKERANDOM_ERR_SYSTEM;
	return info.abi_version < SHAKERANDOM_ABI_VERSION ?
		       SHAKERANDOM_ERR_TOO_OLD :
		       0;
}

static int open_path(const char *path, unsigned int flags, int access)
{
	int fd, err;

	do
		fd = open(path, access | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return srnd_error_of_open();
	err = flags & SHAKERANDOM_STAND_IN ? 0 : check_device(fd);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int srnd_device_open(int access)
{
	return open_path(setup.path, setup.flags, access);
}

/* ---- the node of secure draws ---- */

/* The program may have closed our descriptor and opened another file there. */
static bool lost(const struct srnd_node *node)
{
	return node->source == SHAKERANDOM_SOURCE_DEVICE &&
	       !srnd_device_is(node->fd, SHAKERANDOM_MODE_RANDOM, 0, 0);
}

/* An empty file can be mapped, but not read there. */
static bool mappable(int fd)
{
	struct stat st;

	return !fstat(fd, &st) &&
	       (!S_ISREG(st.st_mode) || st.st_size >= (off_t)sizeof(uint64_t));
}

static int map_generation(struct srnd_node *n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = MAP_FAILED;

	if (mappable(n->fd))
		p = mmap(NULL, page, PROT_READ, MAP_SHARED, n->fd, 0);
	if (p != MAP_FAILED)
		n->generation = p;
	else if (n->source == SHAKERANDOM_SOURCE_STAND_IN)
		n->generation = &n->no_generation;
	else
		return errno == ENOMEM ? SHAKERANDOM_ERR_MEMORY :
					 SHAKERANDOM_ERR_TOO_OLD;
	return 0;
}

static void node_free(struct srnd_node *n)
{
	if (n->generation && n->generation != &n->no_generation)
		munmap((void *)(uintptr_t)n->generation,
		       (size_t)sysconf(_SC_PAGESIZE));
	if (n->fd >= 0)
		close(n->fd);
	srnd_unmap(n, sizeof(*n));
}

static int node_fill_in(struct srnd_node *n, const char *path,
			unsigned int flags)
{
	n->source = flags & SHAKERANDOM_STAND_IN ? SHAKERANDOM_SOURCE_STAND_IN :
						   SHAKERANDOM_SOURCE_DEVICE;
	n->fd = open_path(path, flags, O_RDONLY);
	if (n->fd >= 0)
		return map_generation(n);
	if (!(flags & SHAKERANDOM_OR_GETRANDOM))
		return n->fd;
	n->source = SHAKERANDOM_SOURCE_GETRANDOM;
	n->generation = &n->no_generation;
	return 0;
}

static int node_new(struct srnd_node **node, const char *path,
		    unsigned int flags)
{
	struct srnd_node *n = srnd_map(sizeof(*n));
	int err;

	if (!n)
		return SHAKERANDOM_ERR_MEMORY;
	err = node_fill_in(n, path, flags);
	if (err) {
		node_free(n);
		return err;
	}
	*node = n;
	return 0;
}

/*
 * Puts a new node in the place of *@node, of which other threads may still
 * hold on to the memory. If another thread was first, takes that one's.
 */
static int node_renew(const struct srnd_node **node)
{
	struct srnd_node *n;
	int err = node_new(&n, setup.path, setup.flags);

	if (err)
		return err;
	if (atomic_compare_exchange_strong(&present, node, n))
		*node = n;
	else
		node_free(n);
	return 0;
}

/*
 * Whoever gets the node sees to it that its page is watched: the thread that
 * put it in its place may be held up by the very signal handler that draws now,
 * or be none of this process, after a fork.
 */
int srnd_node_get(const struct srnd_node **node)
{
	int err = 0;

	*node = atomic_load(&present);
	if (!*node)
		err = node_renew(node);
	if (!err && atomic_load(&srnd_page) != (*node)->generation)
		atomic_store(&srnd_page, (*node)->generation);
	return err;
}

/* Unless the program has closed it and the number is another file's now. */
static void node_retire(const struct srnd_node *n)
{
	if (n->fd >= 0 && !lost(n))
		close(n->fd);
}

SRND_EXPORT int shakerandom_setup(const char *device, unsigned int flags)
{
	const char *path = device ? device : "/dev/shakerandom";
	const struct srnd_node *old = atomic_load(&present);
	struct srnd_node *n;
	int err;

	if (strlen(path) >= sizeof(setup.path) ||
	    flags & ~(SHAKERANDOM_OR_GETRANDOM | SHAKERANDOM_READ_ONLY |
		      SHAKERANDOM_STAND_IN))
		return SHAKERANDOM_ERR_ARGUMENT;
	err = node_new(&n, path, flags);
	if (err)
		return err;
	if (old)
		node_retire(old);
	strcpy(setup.path, path);
	setup.flags = flags;
	atomic_store(&present, n);
	atomic_store(&srnd_page, n->generation);
	return 0;
}

SRND_EXPORT int shakerandom_source(void)
{
	const struct srnd_node *node;
	int err = srnd_node_get(&node);

	return err ? err : (int)node->source;
}

/* ---- reading ---- */

static ssize_t read_some(const struct srnd_node *node, void *buf, size_t len)
{
	if (len > READ_MAX)
		len = READ_MAX;
	if (node->source == SHAKERANDOM_SOURCE_GETRANDOM)
		return getrandom(buf, len, 0);
	return read(node->fd, buf, len);
}

int srnd_node_read(const struct srnd_node *node, void *buf, size_t len)
{
	uint8_t *p = buf;
	int err;

	if (lost(node) && (err = node_renew(&node)))
		return err;
	while (len) {
		ssize_t n = read_some(node, p, len);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (!n) {
			return SHAKERANDOM_ERR_END;
		} else if (errno == EBADF) {
			err = node_renew(&node);
			if (err)
				return err;
		} else if (errno != EINTR) {
			return SHAKERANDOM_ERR_SYSTEM;
		}
	}
	return 0;
}
