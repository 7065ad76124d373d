// SPDX-License-Identifier: GPL-2.0
#include "backend.h"

const char *const srnd_primitive_names[SRND_PRIMITIVES] = {
	[SRND_CHACHA] = "chacha",
	[SRND_AES] = "aes",
	[SRND_KECCAK] = "keccak",
	[SRND_SECTORS] = "sectors",
};

static const struct srnd_backend chacha_rows[] = {
#ifdef __x86_64__
	{ .name = "avx512", .section = 8192, .chacha = srnd_chacha_avx512,
	  .needs = SRND_CPU_AVX512, .avoid = SRND_CPU_SLOW_512 },
	{ .name = "avx512vl", .section = 8192, .chacha = srnd_chacha_avx512vl,
	  .needs = SRND_CPU_AVX512 },
	{ .name = "avx2", .section = 8192, .chacha = srnd_chacha_avx2,
	  .needs = SRND_CPU_AVX2 },
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
	{ .name = "neon", .section = 4096, .chacha = srnd_chacha_neon,
	  .needs = SRND_CPU_NEON },
#endif
	{ .name = "portable", .chacha = srnd_chacha_portable },
};

static const struct srnd_backend aes_rows[] = {
#ifdef __x86_64__
	{ .name = "vaes512", .section = 16384, .aes = srnd_aes_vaes512,
	  .expand = srnd_aes_expand_aesni,
	  .needs = SRND_CPU_AES | SRND_CPU_VAES | SRND_CPU_AVX2 |
		   SRND_CPU_AVX512,
	  .avoid = SRND_CPU_SLOW_512 },
	{ .name = "vaes256", .section = 16384, .aes = srnd_aes_vaes256,
	  .expand = srnd_aes_expand_aesni,
	  .needs = SRND_CPU_AES | SRND_CPU_VAES | SRND_CPU_AVX2 },
	{ .name = "aesni", .section = 16384, .aes = srnd_aes_aesni,
	  .expand = srnd_aes_expand_aesni,
	  .needs = SRND_CPU_AES },
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
	{ .name = "neon", .section = 8192, .aes = srnd_aes_neon,
	  .expand = srnd_aes_expand_neon,
	  .needs = SRND_CPU_NEON | SRND_CPU_AES },
#endif
	{ .name = "portable", .aes = srnd_aes_portable,
	  .expand = srnd_aes_expand_portable },
};

static const struct srnd_backend keccak_rows[] = {
#ifdef __x86_64__
	{ .name = "bmi", .keccak = srnd_keccak_bmi, .needs = SRND_CPU_BMI },
#endif
	{ .name = "portable", .keccak = srnd_keccak_portable },
};

static const struct srnd_backend sectors_rows[] = {
#ifdef __x86_64__
	{ .name = "avx512", .section = 4096, .sectors = srnd_sectors_avx512,
	  .needs = SRND_CPU_AVX512, .avoid = SRND_CPU_SLOW_512 },
	{ .name = "avx512vl", .section = 4096, .sectors = srnd_sectors_avx512vl,
	  .needs = SRND_CPU_AVX512 },
	{ .name = "avx2", .section = 4096, .sectors = srnd_sectors_avx2,
	  .needs = SRND_CPU_AVX2 },
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
	{ .name = "sha3", .section = 4096, .sectors = srnd_sectors_sha3,
	  .needs = SRND_CPU_NEON | SRND_CPU_SHA3 },
	{ .name = "neon", .section = 2048, .sectors = srnd_sectors_neon,
	  .needs = SRND_CPU_NEON },
#endif
	{ .name = "portable", .sectors = srnd_sectors_portable },
};

static const struct {
	const struct srnd_backend *rows;
	unsigned int count;
} tables[SRND_PRIMITIVES] = {
	[SRND_CHACHA] = { chacha_rows, ARRAY_SIZE(chacha_rows) },
	[SRND_AES] = { aes_rows, ARRAY_SIZE(aes_rows) },
	[SRND_KECCAK] = { keccak_rows, ARRAY_SIZE(keccak_rows) },
	[SRND_SECTORS] = { sectors_rows, ARRAY_SIZE(sectors_rows) },
};

const struct srnd_engine srnd_portable_engine = {
	.row = {
		[SRND_CHACHA] = &chacha_rows[ARRAY_SIZE(chacha_rows) - 1],
		[SRND_AES] = &aes_rows[ARRAY_SIZE(aes_rows) - 1],
		[SRND_KECCAK] = &keccak_rows[ARRAY_SIZE(keccak_rows) - 1],
		[SRND_SECTORS] = &sectors_rows[ARRAY_SIZE(sectors_rows) - 1],
	},
};

const struct srnd_backend *srnd_backend_row(enum srnd_primitive p,
					    unsigned int index)
{
	return index < tables[p].count ? &tables[p].rows[index] : NULL;
}

u32 srnd_backend_usable(enum srnd_primitive p, u32 cpu)
{
	const struct srnd_backend *b;
	unsigned int i;
	u32 rows = 0;

	for (i = 0; (b = srnd_backend_row(p, i)); i++)
		if ((b->needs & cpu) == b->needs && !(b->avoid & cpu))
			rows |= BIT(i);
	return rows;
}

const struct srnd_backend *srnd_backend_first(enum srnd_primitive p, u32 rows)
{
	unsigned int i;

	for (i = 0; i < tables[p].count; i++)
		if (rows & BIT(i))
			return &tables[p].rows[i];
	return srnd_portable_engine.row[p];
}

u32 srnd_backend_named(enum srnd_primitive p, const char *name, size_t len)
{
	const struct srnd_backend *b;
	unsigned int i;
	u32 rows = 0;

	for (i = 0; (b = srnd_backend_row(p, i)); i++)
		if (strlen(b->name) == len && !memcmp(b->name, name, len))
			rows |= BIT(i);
	return rows;
}
