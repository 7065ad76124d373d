// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../uapi/shakerandom.h"
#include "chardev.h"
#include "compat.h"
#include "deliver.h"
#include "engine.h"
#include "selftest.h"
#include "stream.h"

bool srnd_allow_seeding = true;

static enum srnd_generator default_generator __ro_after_init;

static int srnd_open(struct inode *inode, struct file *filp)
{
	struct srnd_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	file->generator = default_generator;
	file->seen_generation = srnd_pool_generation();
	filp->private_data = file;
	/*
	 * io_uring and preadv2 may ask not to wait. In secure mode there is no
	 * position: a read that SEED overtakes must not write its own back.
	 */
	filp->f_mode |= FMODE_NOWAIT | FMODE_STREAM;
	return 0;
}

static int srnd_release(struct inode *inode, struct file *filp)
{
	struct srnd_file *file = filp->private_data;

	srnd_stream_install(filp, NULL);
	kfree(file);
	return 0;
}

static loff_t srnd_llseek(struct file *filp, loff_t offset, int whence)
{
	struct srnd_stream *s = srnd_stream_get(filp->private_data);
	loff_t ret;

	if (!s)
		return 0;
	if (srnd_format_seekable(s->format))
		ret = no_seek_end_llseek(filp, offset, whence);
	else if (whence == SEEK_CUR && !offset)
		ret = READ_ONCE(s->position);
	else
		ret = -ESPIPE;
	srnd_stream_put(s);
	return ret;
}

/*
 * sendfile drops what it has read and cannot write, and says where it would go
 * on. A forward-only stream cannot go back there: better an error than a gap.
 */
static ssize_t srnd_splice_read(struct file *filp, loff_t *pos,
				struct pipe_inode_info *pipe, size_t len,
				unsigned int flags)
{
	struct srnd_stream *s = srnd_stream_get(filp->private_data);
	bool lost = s && !srnd_format_seekable(s->format) &&
		    *pos != READ_ONCE(s->position);

	srnd_stream_put(s);
	if (lost)
		return -ESPIPE;
	return copy_splice_read(filp, pos, pipe, len, flags);
}

static __poll_t srnd_poll(struct file *filp, poll_table *wait)
{
	struct srnd_file *file = filp->private_data;
	__poll_t events = EPOLLOUT | EPOLLWRNORM;

	poll_wait(filp, &srnd_pool_wait, wait);
	if (rcu_access_pointer(file->stream))
		return events | EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->seen_generation) != srnd_pool_generation())
		events |= EPOLLPRI;
	if (rng_is_initialized())
		events |= EPOLLIN | EPOLLRDNORM;
	else
		srnd_pool_watch_ready();
	return events;
}

static vm_fault_t srnd_page_fault(struct vm_fault *vmf)
{
	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	vmf->page = srnd_pool_page();
	get_page(vmf->page);
	return 0;
}

/* By fault, so that a page the user drops (MADV_DONTNEED) comes back. */
static const struct vm_operations_struct srnd_vm_ops = {
	.fault = srnd_page_fault,
};

static int srnd_mmap(struct file *filp, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	srnd_vm_flags_mod(vma, VM_DONTEXPAND, VM_MAYWRITE);
	vma->vm_ops = &srnd_vm_ops;
	return 0;
}

/* ---- ioctls ---- */

/*
 * Makes @s what the file reads from, at position 0. The position lock keeps a
 * seeded read that is under way in another thread from writing its position
 * back over ours; the flags, set under f_lock as fadvise does, have the VFS
 * take that lock, or, in secure mode, not look at the position at all.
 */
static int install(struct file *filp, struct srnd_stream *s)
{
	int err = mutex_lock_killable(&filp->f_pos_lock);

	if (err)
		return err;
	spin_lock(&filp->f_lock);
	filp->f_mode &= ~(FMODE_ATOMIC_POS | FMODE_STREAM);
	filp->f_mode |= s ? FMODE_ATOMIC_POS : FMODE_STREAM;
	spin_unlock(&filp->f_lock);
	srnd_stream_install(filp, s);
	mutex_unlock(&filp->f_pos_lock);
	return 0;
}

/* Copies a reply to a structure of the caller's size. */
static int reply(void __user *to, size_t size, const void *from, size_t len)
{
	size_t known = min(size, len);

	if (copy_to_user(to, from, known) ||
	    clear_user((u8 __user *)to + known, size - known))
		return -EFAULT;
	return 0;
}

/* Without the stream's lock: a reader that waits for memory holds it long. */
static void describe_stream(struct shakerandom_info *info,
			    const struct srnd_stream *s,
			    const struct file *filp)
{
	info->format = s->number;
	info->mode = READ_ONCE(s->absorbing) ? SHAKERANDOM_MODE_ABSORBING :
					       SHAKERANDOM_MODE_SEEDED;
	info->position = srnd_format_seekable(s->format) ?
				 READ_ONCE(filp->f_pos) :
				 READ_ONCE(s->position);
}

static int ioctl_info(struct file *filp, void __user *arg, size_t size)
{
	struct srnd_file *file = filp->private_data;
	struct srnd_stream *s = srnd_stream_get(file);
	const struct srnd_format *f;
	struct shakerandom_info info = {
		.abi_version = SHAKERANDOM_ABI_VERSION,
		.mode = SHAKERANDOM_MODE_RANDOM,
		.format = srnd_generator_number(READ_ONCE(file->generator)),
		.default_format = srnd_generator_number(default_generator),
		.generation = srnd_pool_generation(),
		.formats = srnd_formats_served(),
		.version = SHAKERANDOM_VERSION,
	};
	int err;

	f = s ? s->format : srnd_generator_format(READ_ONCE(file->generator));
	if (s)
		describe_stream(&info, s, filp);
	strscpy(info.backend, srnd_engine.row[f->primitive]->name,
		sizeof(info.backend));
	srnd_stream_put(s);
	err = reply(arg, size, &info, sizeof(info));
	if (!err)
		WRITE_ONCE(file->seen_generation, info.generation);
	return err;
}

static int ioctl_select(struct file *filp, void __user *arg, size_t size)
{
	struct srnd_file *file = filp->private_data;
	int g = default_generator;
	u32 number;
	int err;

	err = copy_struct_from_user(&number, sizeof(number), arg, size);
	if (err)
		return err;
	if (number)
		g = srnd_generator_by_number(number);
	if (g < 0)
		return g;
	err = install(filp, NULL);
	if (!err)
		WRITE_ONCE(file->generator, g);
	return err;
}

/* A copy of the user's seed; the caller frees it, sensitively. */
static u8 *fetch_seed(const struct shakerandom_seed *args)
{
	u8 *seed;

	if (args->seed_len > SHAKERANDOM_SEED_MAX)
		return ERR_PTR(-EINVAL);
	seed = kmalloc(max_t(size_t, args->seed_len, 1), GFP_KERNEL_ACCOUNT);
	if (!seed)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(seed, u64_to_user_ptr(args->seed), args->seed_len)) {
		kfree_sensitive(seed);
		return ERR_PTR(-EFAULT);
	}
	return seed;
}

static int ioctl_seed(struct file *filp, void __user *arg, size_t size)
{
	struct shakerandom_seed args;
	struct srnd_stream *s;
	u8 *seed;
	int err;

	if (!READ_ONCE(srnd_allow_seeding))
		return -EPERM;
	err = copy_struct_from_user(&args, sizeof(args), arg, size);
	if (err)
		return err;
	seed = fetch_seed(&args);
	if (IS_ERR(seed))
		return PTR_ERR(seed);
	s = srnd_stream_create(&args, seed);
	kfree_sensitive(seed);
	if (IS_ERR(s))
		return PTR_ERR(s);
	err = install(filp, s);
	if (err)
		srnd_stream_put(s);
	return err;
}

static int ioctl_reseed(void)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	srnd_pool_mix_moment();
	srnd_pool_reseed();
	return 0;
}

static int ioctl_selftest(void)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return srnd_selftest_run();
}

static long srnd_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	size_t size = _IOC_SIZE(cmd);

	/* Structures may grow: the request is told by all but their size. */
	switch (cmd & ~IOCSIZE_MASK) {
	case SHAKERANDOM_IOC_INFO & ~IOCSIZE_MASK:
		return ioctl_info(filp, user, size);
	case SHAKERANDOM_IOC_SELECT & ~IOCSIZE_MASK:
		return ioctl_select(filp, user, size);
	case SHAKERANDOM_IOC_SEED & ~IOCSIZE_MASK:
		return ioctl_seed(filp, user, size);
	case SHAKERANDOM_IOC_RESEED & ~IOCSIZE_MASK:
		return ioctl_reseed();
	case SHAKERANDOM_IOC_SELFTEST & ~IOCSIZE_MASK:
		return ioctl_selftest();
	default:
		return -ENOTTY;
	}
}

static const struct file_operations srnd_fops = {
	.owner = THIS_MODULE,
	.open = srnd_open,
	.release = srnd_release,
	.read_iter = srnd_deliver,
	.write_iter = srnd_accept,
	.splice_read = srnd_splice_read,
	.splice_write = iter_file_splice_write,
	.llseek = srnd_llseek,
	.poll = srnd_poll,
	.mmap = srnd_mmap,
	.unlocked_ioctl = srnd_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice srnd_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "shakerandom",
	.mode = 0666,
	.fops = &srnd_fops,
};

int srnd_chardev_create(enum srnd_generator generator,
			const struct attribute_group **groups)
{
	BUILD_BUG_ON(sizeof(struct shakerandom_seed) != 40);
	BUILD_BUG_ON(sizeof(struct shakerandom_info) != 72);
	BUILD_BUG_ON(sizeof(struct shakerandom_page) != 8);

	default_generator = generator;
	srnd_device.groups = groups;
	return misc_register(&srnd_device);
}

void srnd_chardev_destroy(void)
{
	misc_deregister(&srnd_device);
}
