/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Backends: the variants of each primitive as table rows, and the choice among
 * them as a pure function of what the processor can do.
 */
#ifndef SRND_BACKEND_H
#define SRND_BACKEND_H

#include "aes.h"
#include "chacha.h"
#include "keccak.h"

/* Keccak comes first: self tests, which go in this order, digest with it. */
enum srnd_primitive {
	SRND_KECCAK,	/* one state */
	SRND_SECTORS,	/* SHAKE256 sectors, states side by side */
	SRND_CHACHA,	/* ChaCha blocks */
	SRND_AES,	/* AES counter mode */
	SRND_PRIMITIVES,
};

/* Names as in sysfs, by enum srnd_primitive. */
extern const char *const srnd_primitive_names[SRND_PRIMITIVES];

/*
 * What a processor offers, with the operating system's consent where registers
 * need saving. Each bit stands alone: a row names all it needs.
 */
#define SRND_CPU_AVX2		BIT(0)
#define SRND_CPU_AVX512		BIT(1)	/* F, VL, BW and DQ */
#define SRND_CPU_SLOW_512	BIT(2)	/* 512-bit work lowers the clock */
#define SRND_CPU_AES		BIT(3)	/* AES-NI with SSE4.1, or Armv8 AES */
#define SRND_CPU_VAES		BIT(4)
#define SRND_CPU_BMI		BIT(5)	/* BMI1 and BMI2 */
#define SRND_CPU_NEON		BIT(6)
#define SRND_CPU_SHA3		BIT(7)	/* Armv8.2 SHA3 */

struct srnd_backend {
	const char *name;
	u32 needs;	/* SRND_CPU_* bits that must be there */
	u32 avoid;	/* SRND_CPU_* bits that must not */
	/*
	 * Bytes that the caller may ask for while it holds the vector unit: a
	 * power of two, about 10 us on slow processors, 16 KiB at most. 0: the
	 * row does not need the unit.
	 */
	u16 section;
	union {		/* by primitive */
		srnd_chacha_fn *chacha;
		struct {
			srnd_aes_fn *aes;
			srnd_aes_expand_fn *expand;
		};
		srnd_keccak_fn *keccak;
		srnd_sectors_fn *sectors;
	};
};

/*
 * The rows of a primitive, best first, the portable one (which needs nothing)
 * last; NULL past the end.
 */
const struct srnd_backend *srnd_backend_row(enum srnd_primitive p,
					    unsigned int index);

/* Bits of the rows of @p (bit i: row i) that a processor with @cpu can run. */
u32 srnd_backend_usable(enum srnd_primitive p, u32 cpu);

/* The first row of @p in @rows; the portable one if there is none. */
const struct srnd_backend *srnd_backend_first(enum srnd_primitive p, u32 rows);

/* The bits of the rows of @p with this name: @len bytes, no terminator. */
u32 srnd_backend_named(enum srnd_primitive p, const char *name, size_t len);

/* One choice of backend for each primitive. */
struct srnd_engine {
	const struct srnd_backend *row[SRND_PRIMITIVES];
};

/* Runs everywhere and never needs the vector unit. */
extern const struct srnd_engine srnd_portable_engine;

#endif
