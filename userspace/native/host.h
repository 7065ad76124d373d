/* SPDX-License-Identifier: GPL-2.0 */
/* What the machine that runs the native programs can do. */
#ifndef SRND_NATIVE_HOST_H
#define SRND_NATIVE_HOST_H

#include "../../driver/core/backend.h"

/* SRND_CPU_* bits of this processor. */
u32 host_cpu(void);

/* Exported for oracle.py: rows it may run. */
bool host_can_run(const struct srnd_backend *row);

#endif
