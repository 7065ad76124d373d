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
#include <asm/byteorder.h>
#else
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define cpu_to_le32(x) htole32(x)
#define cpu_to_le64(x) htole64(x)
#define cpu_to_be64(x) htobe64(x)
#define le32_to_cpu(x) le32toh(x)
#define le64_to_cpu(x) le64toh(x)
#define be64_to_cpu(x) be64toh(x)
#define __force
#define __le32 u32
#define __le64 u64
#define __be64 u64
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __aligned(n) __attribute__((aligned(n)))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#endif

/* Loads and stores at any alignment, inline in freestanding code as well. */
static inline u32 srnd_load_le32(const u8 *p)
{
	__le32 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return le32_to_cpu(v);
}

static inline u64 srnd_load_le64(const u8 *p)
{
	__le64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return le64_to_cpu(v);
}

static inline u64 srnd_load_be64(const u8 *p)
{
	__be64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return be64_to_cpu(v);
}

static inline void srnd_store_le32(u8 *p, u32 x)
{
	__le32 v = cpu_to_le32(x);

	__builtin_memcpy(p, &v, sizeof(v));
}

static inline void srnd_store_le64(u8 *p, u64 x)
{
	__le64 v = cpu_to_le64(x);

	__builtin_memcpy(p, &v, sizeof(v));
}

static inline void srnd_store_be64(u8 *p, u64 x)
{
	__be64 v = cpu_to_be64(x);

	__builtin_memcpy(p, &v, sizeof(v));
}

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
