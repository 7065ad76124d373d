/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core needs from its surroundings: integer types, byte order and a
 * wipe the compiler cannot drop. Everything else in driver/core is plain C11,
 * so the same files build into the module and into the native tests.
 */
#ifndef SRND_PORTABLE_H
#define SRND_PORTABLE_H

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __aligned(n) __attribute__((aligned(n)))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#endif

/* From the byte order of this machine to the named one and back. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define srnd_le32(x) (x)
#define srnd_le64(x) (x)
#define srnd_be64(x) __builtin_bswap64(x)
#else
#define srnd_le32(x) __builtin_bswap32(x)
#define srnd_le64(x) __builtin_bswap64(x)
#define srnd_be64(x) (x)
#endif

/* Loads and stores at any alignment, inline in freestanding code as well. */
#define SRND_LOAD_STORE(bits, order)					\
	static inline u##bits srnd_load_##order##bits(const u8 *p)	\
	{								\
		u##bits v;						\
									\
		__builtin_memcpy(&v, p, sizeof(v));			\
		return srnd_##order##bits(v);				\
	}								\
									\
	static inline void srnd_store_##order##bits(u8 *p, u##bits x)	\
	{								\
		u##bits v = srnd_##order##bits(x);			\
									\
		__builtin_memcpy(p, &v, sizeof(v));			\
	}

SRND_LOAD_STORE(32, le)
SRND_LOAD_STORE(64, le)
SRND_LOAD_STORE(64, be)

static inline u32 srnd_rol32(u32 x, unsigned int n)
{
	return (x << (n & 31)) | (x >> (-n & 31));
}

static inline u64 srnd_rol64(u64 x, unsigned int n)
{
	return (x << (n & 63)) | (x >> (-n & 63));
}

/* Clears secrets; the empty asm keeps the stores although nobody reads them. */
static inline void srnd_wipe(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ __volatile__("" : : "r"(p) : "memory");
}

#endif
