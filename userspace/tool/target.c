// SPDX-License-Identifier: GPL-2.0
/* The device or file that fill and verify work on. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <linux/fs.h>

#include "tool.h"

/* Direct transfers of 4 KiB at multiples of that suit every disk. */
#define DIRECT 4096

/* ---- who uses a block device ---- */

/* Is @number the device or a partition of the device in sysfs at @whole? */
static bool belongs(const char *number, const char *whole)
{
	char link[64], *found;
	size_t len = strlen(whole);
	bool yes;

	snprintf(link, sizeof(link), "/sys/dev/block/%s", number);
	found = realpath(link, NULL);
	yes = found && !strncmp(found, whole, len) &&
	      (!found[len] || found[len] == '/');
	free(found);
	return yes;
}

/* Where the device or a partition of it is mounted; false if nowhere. */
static bool mount_point(dev_t device, char place[PATH_MAX])
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char link[64], number[32], *whole, *line = NULL;
	size_t size = 0;
	bool found = false;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	whole = realpath(link, NULL);
	while (mounts && whole && !found && getline(&line, &size, mounts) > 0)
		found = sscanf(line, "%*d %*d %31s %*s %4095s", number,
			       place) == 2 && belongs(number, whole);
	free(line);
	free(whole);
	if (mounts)
		fclose(mounts);
	return found;
}

static _Noreturn void refuse_used(const char *path, dev_t device, bool write)
{
	const char *danger = write ?
		"--force overwrites it all the same, and what is on it is lost"
		: "it may change meanwhile; --force reads it all the same";
	char place[PATH_MAX];

	if (mount_point(device, place))
		fail("'%s' is mounted on '%s': unmount it first (%s)", path,
		     place, danger);
	fail("'%s' is in use (by swap, RAID, LVM, another program or a mount): "
	     "release it first (%s)", path, danger);
}

/* ---- opening ---- */

/* A file we created, until there is something in it worth keeping. */
static const char *unfinished;

void target_discard(void)
{
	if (unfinished)
		unlink(unfinished);
	unfinished = NULL;
}

void target_keep(void)
{
	unfinished = NULL;
}

static int open_target(struct target *t, int flags, bool create)
{
	t->fd = open(t->path, flags | O_CLOEXEC);
	if (t->fd >= 0 || errno != ENOENT || !create)
		return t->fd;
	t->fd = open(t->path, flags | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
	if (t->fd >= 0) {
		unfinished = t->path;
		atexit(target_discard);
	}
	return t->fd;
}

static void size_target(struct target *t, const struct stat *st)
{
	t->size = (uint64_t)st->st_size;
	if (t->block && ioctl(t->fd, BLKGETSIZE64, &t->size))
		fail_error(errno, "cannot find the size of '%s'", t->path);
	/* Devices only: a file system may do anything with the flag. */
	if (t->block)
		t->direct = open(t->path, (fcntl(t->fd, F_GETFL) & O_ACCMODE) |
				 O_DIRECT | O_CLOEXEC);
}

/* Such a device can be opened, and then fails at the first byte. */
static void check_writable(const struct target *t)
{
	int read_only = 0;

	if (t->block && !ioctl(t->fd, BLKROGET, &read_only) && read_only)
		fail("'%s' is read-only; if that is not meant: blockdev "
		     "--setrw '%s'", t->path, t->path);
}

static void check_kind(const struct target *t, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		fail("'%s' is a directory: name a file or a block device",
		     t->path);
	if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode))
		fail("'%s' is neither a file nor a block device: "
		     "for pipes use 'shakerandom read'", t->path);
}

static _Noreturn void refuse(const char *path, const struct stat *st,
			     bool write, bool create)
{
	int err = errno;

	if (err == EBUSY && S_ISBLK(st->st_mode))
		refuse_used(path, st->st_rdev, write);
	if (err == ENOENT && write && !create)
		fail("'%s' does not exist: for a new file say how much with "
		     "--length", path);
	fail_error(err, "cannot open '%s'", path);
}

void target_open(struct target *t, const char *path, bool write, bool create,
		 bool force)
{
	int flags = write ? O_RDWR : O_RDONLY;
	struct stat st;
	bool block;

	memset(t, 0, sizeof(*t));
	t->path = path;
	t->direct = -1;
	/* Before it is opened: opening can wind tapes and hang on pipes. */
	if (!stat(path, &st))
		check_kind(t, &st);
	else if (errno != ENOENT)
		fail_error(errno, "cannot open '%s'", path);
	else
		memset(&st, 0, sizeof(st));
	block = S_ISBLK(st.st_mode);
	/* On a block device O_EXCL means: nobody else may be using it. */
	flags |= block && !force ? O_EXCL : 0;
	if (open_target(t, flags, create) < 0)
		refuse(path, &st, write, create);
	if (fstat(t->fd, &st))
		fail_error(errno, "cannot examine '%s'", path);
	check_kind(t, &st);
	t->block = S_ISBLK(st.st_mode);
	size_target(t, &st);
	if (write)
		check_writable(t);
}

void target_reserve(struct target *t, uint64_t from, uint64_t length)
{
	char need[16], room[16] = "unknown";
	struct statvfs fs;
	int err;

	if (t->block || !length)
		return;
	if (!fstatvfs(t->fd, &fs))
		size_text((uint64_t)fs.f_bavail * fs.f_frsize, room);
	do
		err = fallocate(t->fd, 0, (off_t)from, (off_t)length) ?
		      errno : 0;
	while (err == EINTR && !stop_asked());
	/* Not every file system can; then the writes will tell. */
	if (!err || err == EOPNOTSUPP || err == ENOSYS)
		return;
	/* What was taken past the old end is given back. */
	if (ftruncate(t->fd, (off_t)t->size))
		say_error(errno, "cannot shorten '%s'", t->path);
	if (err == EINTR)
		return;
	fail_error(err, "cannot set aside %s for '%s' (free: %s), nothing was "
		   "written", size_text(length, need), t->path, room);
}

int target_fd(const struct target *t, size_t len, uint64_t at)
{
	return t->direct >= 0 && !(len % DIRECT) && !(at % DIRECT) ?
	       t->direct : t->fd;
}

int target_sync(const struct target *t)
{
	/* Some devices have no cache to write back. */
	if (fdatasync(t->fd) && errno != EINVAL)
		return errno;
	return 0;
}

void target_close(struct target *t)
{
	if (t->direct >= 0)
		close(t->direct);
	close(t->fd);
}
