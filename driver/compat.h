/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions. Each entry says what changed
 * where; everything else is written for the newest kernel.
 */
#ifndef SRND_COMPAT_H
#define SRND_COMPAT_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/splice.h>
#include <linux/version.h>
#include <asm/archrandom.h>	/* not with linux/random.h since 6.2 */

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "shakerandom needs Linux 6.1 or newer"
#endif

/*
 * What the processor's own generator gives, or 0. User-mode Linux exports none.
 */
static inline unsigned long srnd_processor_random(void)
{
	unsigned long v;

	if (IS_ENABLED(CONFIG_UML) || !arch_get_random_longs(&v, 1))
		return 0;
	return v;
}

/* 6.5 removed generic_file_splice_read in favour of copy_splice_read. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define copy_splice_read generic_file_splice_read
#endif

/* 6.3 made vm_flags read-only and added accessors. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void srnd_vm_flags_mod(struct vm_area_struct *vma,
				     unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
#define srnd_vm_flags_mod vm_flags_mod
#endif

/* 6.19 has arm64's callers bring the memory that saves the vector registers. */
#if defined(CONFIG_ARM64) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#include <asm/neon.h>
struct srnd_simd {
	struct user_fpsimd_state state;
};

#define srnd_neon_begin(s) kernel_neon_begin(&(s)->state)
#define srnd_neon_end(s) kernel_neon_end(&(s)->state)
#else
struct srnd_simd {
};

#define srnd_neon_begin(s) kernel_neon_begin()
#define srnd_neon_end(s) kernel_neon_end()
#endif

#endif
