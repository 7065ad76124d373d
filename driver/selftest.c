// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "shakerandom: " fmt

#include <linux/cache.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "core/format.h"
#include "engine.h"
#include "selftest.h"
#include "simd.h"

/*
 * Seeds are the bytes 0, 1, 2, ...; nonces are all 0xff but for a first byte of
 * 0xc0 and a last of 0xf0, so that big- and little-endian counters run over
 * every boundary within a few blocks; offsets are 0 and, for seekable formats,
 * another where 24 bits of sectors run over. The digest is SHAKE256, 32 bytes,
 * of ANSWER_BYTES of stream: long enough for every lane of the widest variant.
 */
#define ANSWER_BYTES 8192
#define DIGEST_BYTES 32

struct answer {
	u32 format;
	u8 seed_len;
	u64 offset;
	u8 digest[DIGEST_BYTES];
};

#include "selftest_answers.h"

static u32 tested_rows[SRND_PRIMITIVES] __ro_after_init;
static DEFINE_MUTEX(run_lock);
static bool passed;

static void digest(const u8 *data, size_t len, u8 out[DIGEST_BYTES])
{
	struct srnd_sponge s;

	srnd_sponge_init(&s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&s, srnd_keccak_portable, data, len);
	srnd_sponge_squeeze(&s, srnd_keccak_portable, out, DIGEST_BYTES);
}

/* @window: for the formats that have one. */
static void generate(const struct answer *a, const struct srnd_engine *e,
		     u8 *out, u8 *window)
{
	const struct srnd_format *f = srnd_format(a->format);
	u8 seed[SRND_SHAKE256_RATE], nonce[SRND_NONCE];
	union srnd_instance s;
	size_t i;

	for (i = 0; i < sizeof(seed); i++)
		seed[i] = i;
	memset(nonce, srnd_format_has_nonce(f) ? 0xff : 0, sizeof(nonce));
	if (srnd_format_has_nonce(f)) {
		nonce[0] = 0xc0;
		nonce[SRND_NONCE - 1] = 0xf0;
	}
	s.forward.window = window;
	srnd_format_seed(&s, f, e, seed, a->seed_len, nonce);
	if (srnd_format_seekable(f))
		srnd_format_read(&s, f, e, a->offset, out, ANSWER_BYTES);
	else
		srnd_format_squeeze(&s, f, e, out, ANSWER_BYTES);
}

/* Where the vector unit is busy the row cannot run, and is not to blame. */
static bool answer_right(const struct answer *a, const struct srnd_engine *e,
			 bool fpu, u8 *buffer)
{
	struct srnd_simd simd;
	u8 got[DIGEST_BYTES];

	if (fpu && !srnd_simd_begin(&simd))
		return true;
	generate(a, e, buffer, buffer + ANSWER_BYTES);
	if (fpu)
		srnd_simd_end(&simd);
	digest(buffer, ANSWER_BYTES, got);
	return !memcmp(got, a->digest, sizeof(got));
}

static bool row_right(enum srnd_primitive p, const struct srnd_backend *row,
		      u8 *buffer)
{
	struct srnd_engine e = srnd_portable_engine;
	size_t i;

	e.row[p] = row;
	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		const struct srnd_format *f = srnd_format(answers[i].format);

		if (f->primitive != p ||
		    answer_right(&answers[i], &e, row->section, buffer))
			continue;
		pr_err("self test failed: format %s, variant %s of %s\n",
		       f->name, row->name, srnd_primitive_names[p]);
		return false;
	}
	return true;
}

/* Drops the failing rows of one primitive. */
static int test_primitive(enum srnd_primitive p, u32 *rows, u8 *buffer)
{
	const struct srnd_backend *row;
	unsigned int i;

	if (!row_right(p, srnd_portable_engine.row[p], buffer))
		return -EIO;
	for (i = 0; (row = srnd_backend_row(p, i)); i++)
		if ((*rows & BIT(i)) && row != srnd_portable_engine.row[p] &&
		    !row_right(p, row, buffer))
			*rows &= ~BIT(i);
	return 0;
}

int srnd_selftest_rows(u32 rows[SRND_PRIMITIVES])
{
	u8 *buffer = kmalloc(2 * ANSWER_BYTES, GFP_KERNEL);
	int p, err = 0;

	if (!buffer)
		return -ENOMEM;
	for (p = 0; p < SRND_PRIMITIVES && !err; p++)
		err = test_primitive(p, &rows[p], buffer);
	kfree(buffer);
	return err;
}

int srnd_selftest_choose(u32 rows[SRND_PRIMITIVES])
{
	int p, err = srnd_selftest_rows(rows);

	if (err)
		return err;
	for (p = 0; p < SRND_PRIMITIVES; p++) {
		tested_rows[p] = rows[p];
		srnd_engine.row[p] = srnd_backend_first(p, rows[p]);
	}
	passed = true;
	return 0;
}

int srnd_selftest_run(void)
{
	u32 rows[SRND_PRIMITIVES];
	int err;

	mutex_lock(&run_lock);
	memcpy(rows, tested_rows, sizeof(rows));
	err = srnd_selftest_rows(rows);
	if (!err && memcmp(rows, tested_rows, sizeof(rows)))
		err = -EIO;
	if (err != -ENOMEM)
		WRITE_ONCE(passed, !err);
	mutex_unlock(&run_lock);
	return err;
}

bool srnd_selftest_passed(void)
{
	return READ_ONCE(passed);
}
