/* SPDX-License-Identifier: GPL-2.0 */
/* portable.h for assembly files: what starts and ends a function. */
#ifndef SRND_ASSEMBLY_H
#define SRND_ASSEMBLY_H

#ifdef __KERNEL__
#include <linux/cfi_types.h>
#include <linux/linkage.h>
#define FUNC_START(name) SYM_TYPED_FUNC_START(name)
#define FUNC_END(name) SYM_FUNC_END(name)
#else
#define FUNC_START(name) .globl name; .type name, %function; .p2align 4; name:
#define FUNC_END(name) .size name, . - name
	.section .note.GNU-stack, "", %progbits
#endif

#endif
