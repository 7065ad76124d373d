// SPDX-License-Identifier: GPL-2.0
/*
 * Constant time, seen by valgrind: keys, seeds and states are marked undefined,
 * and memcheck reports each branch and each address that depends on them. Its
 * processor is an emulated one; rows that it cannot run are skipped. The output
 * is TAP.
 */
#include <stdio.h>
#include <stdlib.h>

#include <valgrind/memcheck.h>

#include "../../driver/core/format.h"
#include "host.h"

#define OUT 20000

static u8 out[OUT];
static unsigned int tests, failures;

static void report(bool ok, const char *what, const char *name)
{
	printf("%sok %u - %s %s\n", ok ? "" : "not ", ++tests, what, name);
	failures += !ok;
}

static void secret(void *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((u8 *)p)[i] = (u8)(37 * i + 11);
	(void)VALGRIND_MAKE_MEM_UNDEFINED(p, len);
}

static void run_chacha(const struct srnd_backend *row)
{
	u32 state[16];

	secret(state, sizeof(state));
	row->chacha(state, out, 1, 8);
	row->chacha(state, out, 83, 20);
}

/* The counter is public: windows go by it. */
static void run_aes(const struct srnd_backend *row)
{
	struct srnd_aes_counter c = { .lo = 250, .hi = ~0ULL };
	struct srnd_aes_key key;
	u8 raw[32];
	size_t len;

	for (len = 16; len <= 32; len += 16) {
		secret(raw, sizeof(raw));
		row->expand(&key, raw, len);
		row->aes(&key, &c, out, 83);
		c.little_endian = true;
		row->aes(&key, &c, out, 1);
	}
}

static void run_keccak(const struct srnd_backend *row)
{
	u64 state[SRND_KECCAK_LANES];

	secret(state, sizeof(state));
	row->keccak(state, 24);
	row->keccak(state, 12);
}

static void run_sectors(const struct srnd_backend *row)
{
	u64 block[SRND_KECCAK_LANES];

	secret(block, sizeof(block));
	row->sectors(block, 5, out, 21);
}

static void run_row(enum srnd_primitive p, const struct srnd_backend *row)
{
	static void (*const runs[SRND_PRIMITIVES])(const struct srnd_backend *)
		= { [SRND_CHACHA] = run_chacha, [SRND_AES] = run_aes,
		    [SRND_KECCAK] = run_keccak, [SRND_SECTORS] = run_sectors };
	unsigned int before = VALGRIND_COUNT_ERRORS;

	if (!host_can_run(row)) {
		printf("ok %u - %s %s # SKIP ", ++tests,
		       srnd_primitive_names[p], row->name);
		printf("valgrind has no such processor (needs bits 0x%x)\n",
		       row->needs & ~host_cpu());
		return;
	}
	runs[p](row);
	report(VALGRIND_COUNT_ERRORS == before, srnd_primitive_names[p],
	       row->name);
}

/* Seeding, cutting and erasing, by portable code. */
static void run_format(u32 number)
{
	const struct srnd_format *f = srnd_format(number);
	unsigned int before = VALGRIND_COUNT_ERRORS;
	const struct srnd_engine *e = &srnd_portable_engine;
	size_t len = f->seed_sizes[0] ? f->seed_sizes[0] : 200;
	static u8 window[OUT], nonce[SRND_NONCE];
	static union srnd_instance s;
	u8 seed[200], key[SRND_KEY_MAX];

	secret(seed, sizeof(seed));
	if (f->window)
		s.forward.window = window;
	srnd_format_seed(&s, f, e, seed, len, nonce);
	if (f->flags & SRND_ABSORBS)
		srnd_format_absorb(&s, f, e, seed, 77);
	if (f->flags & SRND_EXPANDS)
		srnd_format_expand(f, e, seed, 77, key);
	if (srnd_format_seekable(f)) {
		srnd_format_read(&s, f, e, 3, out, 2000);
	} else {
		srnd_format_squeeze(&s, f, e, out, 777);
		srnd_format_squeeze(&s, f, e, out, 9000);
	}
	report(VALGRIND_COUNT_ERRORS == before, "format", f->name);
}

/* Branches and indexes by a secret: if these pass, the others mean nothing. */
static void check_the_check(void)
{
	static volatile u8 table[256];
	unsigned int before = VALGRIND_COUNT_ERRORS, between;
	u8 key;

	secret(&key, 1);
	if (key & 1)
		table[0] = 1;
	between = VALGRIND_COUNT_ERRORS;
	report(between > before, "self-check:", "a leaking branch is caught");
	table[1] = table[key];
	report(VALGRIND_COUNT_ERRORS > between, "self-check:",
	       "a leaking index is caught");
}

int main(void)
{
	const struct srnd_backend *row;
	unsigned int p, i;

	if (!RUNNING_ON_VALGRIND) {
		fputs("secrets: run me under valgrind\n", stderr);
		return 2;
	}
	for (p = 0; p < SRND_PRIMITIVES; p++)
		for (i = 0; (row = srnd_backend_row(p, i)); i++)
			run_row(p, row);
	for (i = 0; i < 64; i++)
		if (srnd_format(i))
			run_format(i);
	check_the_check();
	printf("1..%u\n", tests);
	return failures != 0;
}
