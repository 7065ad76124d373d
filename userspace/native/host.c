// SPDX-License-Identifier: GPL-2.0
#include "host.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <asm/hwcap.h>

u32 host_cpu(void)
{
	unsigned long caps = getauxval(AT_HWCAP);

	return SRND_CPU_NEON | (caps & HWCAP_AES ? SRND_CPU_AES : 0) |
	       (caps & HWCAP_SHA3 ? SRND_CPU_SHA3 : 0);
}

#elif defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Leaf 7 and 1 by hand: gcc 12 has no name for VAES, clang 14 none for AES. */
static bool vaes(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_VAES);
}

static bool aes(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_AES);
}

/* The compiler's library has asked the system about the registers. */
static bool avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq");
}

u32 host_cpu(void)
{
	bool avx2;

	__builtin_cpu_init();
	avx2 = __builtin_cpu_supports("avx2");
	return (avx2 ? SRND_CPU_AVX2 : 0) | (avx512() ? SRND_CPU_AVX512 : 0) |
	       (aes() && __builtin_cpu_supports("sse4.1") ? SRND_CPU_AES : 0) |
	       (avx2 && vaes() ? SRND_CPU_VAES : 0) |
	       (__builtin_cpu_supports("bmi") &&
		__builtin_cpu_supports("bmi2") ? SRND_CPU_BMI : 0);
}

#else

u32 host_cpu(void)
{
	return 0;
}

#endif

bool host_can_run(const struct srnd_backend *row)
{
	return !(row->needs & ~host_cpu());
}
