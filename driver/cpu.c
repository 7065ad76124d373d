// SPDX-License-Identifier: GPL-2.0
#include "core/backend.h"
#include "cpu.h"

#if defined(CONFIG_X86_64)
#include <asm/cpufeature.h>
#ifndef CONFIG_UML
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#include <asm/processor.h>
#endif

/* Whether the kernel saves these registers; user-mode Linux lives on a host
 * that shows a feature only if it does.
 */
static bool saved(u64 xfeatures)
{
#ifdef CONFIG_UML
	return true;
#else
	return cpu_has_xfeatures(xfeatures, NULL);
#endif
}

#ifdef CONFIG_UML
#define XFEATURES_YMM 0
#define XFEATURES_ZMM 0
#else
#define XFEATURES_YMM (XFEATURE_MASK_SSE | XFEATURE_MASK_YMM)
#define XFEATURES_ZMM (XFEATURES_YMM | XFEATURE_MASK_AVX512)
#endif

/*
 * Intel's first servers and laptops with AVX-512 slow the whole core down, for
 * up to a millisecond, when 512-bit units are busy; for a module that works in
 * short sections that loses more than the width wins. Sapphire Rapids and AMD's
 * do not.
 */
static bool slow_512(void)
{
#ifndef CONFIG_UML
	static const u8 models[] = {
		0x55,		/* Skylake, Cascade Lake, Cooper Lake servers */
		0x6a, 0x6c,	/* Ice Lake servers */
		0x7d, 0x7e,	/* Ice Lake clients */
		0x8c, 0x8d,	/* Tiger Lake */
		0xa7,		/* Rocket Lake */
	};
	size_t i;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL ||
	    boot_cpu_data.x86 != 6)
		return false;
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (boot_cpu_data.x86_model == models[i])
			return true;
#endif
	return false;
}

static u32 avx_features(void)
{
	u32 cpu = 0;

	if (!boot_cpu_has(X86_FEATURE_AVX2) || !saved(XFEATURES_YMM))
		return 0;
	cpu = SRND_CPU_AVX2;
	if (boot_cpu_has(X86_FEATURE_VAES))
		cpu |= SRND_CPU_VAES;
	if (boot_cpu_has(X86_FEATURE_AVX512F) &&
	    boot_cpu_has(X86_FEATURE_AVX512VL) &&
	    boot_cpu_has(X86_FEATURE_AVX512BW) &&
	    boot_cpu_has(X86_FEATURE_AVX512DQ) && saved(XFEATURES_ZMM)) {
		cpu |= SRND_CPU_AVX512;
		if (slow_512())
			cpu |= SRND_CPU_SLOW_512;
	}
	return cpu;
}

u32 srnd_cpu_features(void)
{
	u32 cpu = avx_features();

	if (boot_cpu_has(X86_FEATURE_AES) && boot_cpu_has(X86_FEATURE_XMM4_1))
		cpu |= SRND_CPU_AES;
	if (boot_cpu_has(X86_FEATURE_BMI1) && boot_cpu_has(X86_FEATURE_BMI2))
		cpu |= SRND_CPU_BMI;
	return cpu;
}

#elif defined(CONFIG_ARM64)
#include <asm/cpufeature.h>
#include <asm/hwcap.h>

u32 srnd_cpu_features(void)
{
	u32 cpu = 0;

	if (cpu_have_named_feature(ASIMD))
		cpu |= SRND_CPU_NEON;
	if (cpu_have_named_feature(AES))
		cpu |= SRND_CPU_AES;
	if (cpu_have_named_feature(SHA3))
		cpu |= SRND_CPU_SHA3;
	return cpu;
}

#else

u32 srnd_cpu_features(void)
{
	return 0;
}

#endif
