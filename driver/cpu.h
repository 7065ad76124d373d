/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRND_CPU_H
#define SRND_CPU_H

#include <linux/types.h>

/* SRND_CPU_* bits (core/backend.h) of the processors this kernel runs on. */
u32 srnd_cpu_features(void);

#endif
