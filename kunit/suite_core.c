// SPDX-License-Identifier: GPL-2.0
/* The cases of the core, run in the kernel, each call under the guard. */
#include "../driver/cpu.h"
#include "../driver/simd.h"
#include "cases.h"

/* One test runs at a time. */
static struct srnd_simd simd;

u32 srnd_cases_cpu(void)
{
	return srnd_cpu_features();
}

bool srnd_cases_simd_begin(void)
{
	return srnd_simd_begin(&simd);
}

void srnd_cases_simd_end(void)
{
	srnd_simd_end(&simd);
}
