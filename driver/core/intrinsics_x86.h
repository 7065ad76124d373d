/* SPDX-License-Identifier: GPL-2.0 */
/* The compiler's vector intrinsics without its user-space allocator. */
#ifndef SRND_INTRINSICS_X86_H
#define SRND_INTRINSICS_X86_H

/* The include guards of mm_malloc.h in gcc and clang: it wants <stdlib.h>. */
#define _MM_MALLOC_H_INCLUDED
#define __MM_MALLOC_H
#include <immintrin.h>

#endif
