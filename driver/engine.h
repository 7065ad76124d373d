/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running formats in the kernel: the backends chosen for this machine, each
 * call cut into bounded sections of the vector unit, with the portable rows
 * where it cannot be used. Same bytes either way.
 */
#ifndef SRND_ENGINE_H
#define SRND_ENGINE_H

#include "core/format.h"

/* What this machine uses; written once, at load. */
extern struct srnd_engine srnd_engine;

/* Counts of this CPU; sums over CPUs are in sysfs. */
enum srnd_statistic {
	SRND_BYTES,	/* delivered to readers */
	SRND_RESEEDS,	/* instances rekeyed */
	SRND_FALLBACKS,	/* sections the vector unit could not serve */
	SRND_STATISTICS,
};

void srnd_count(enum srnd_statistic what, u64 n);
u64 srnd_counted(enum srnd_statistic what);

/* From a raw key of f->key_size bytes, with an all-zero nonce. */
void srnd_engine_key(union srnd_instance *s, const struct srnd_format *f,
		     const u8 *key);

/* srnd_format_read, _squeeze, _peek and _absorb, guarded. */
void srnd_engine_read(const union srnd_instance *s, const struct srnd_format *f,
		      u64 offset, u8 *out, size_t len);
void srnd_engine_squeeze(union srnd_instance *s, const struct srnd_format *f,
			 u8 *out, size_t len);
size_t srnd_engine_peek(union srnd_instance *s, const struct srnd_format *f,
			u8 *out, size_t len);
void srnd_engine_absorb(union srnd_instance *s, const struct srnd_format *f,
			const u8 *data, size_t len);

#endif
