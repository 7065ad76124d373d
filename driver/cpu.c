// SPDX-License-Identifier: GPL-2.0
#include "core/backend.h"
#include "cpu.h"

u32 srnd_cpu_features(void)
{
	return 0;
}
