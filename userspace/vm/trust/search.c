// SPDX-License-Identifier: GPL-2.0
/*
 * search DUMP FORMAT OFFSET NEEDLE...
 *
 * Looks through a memory dump for the needles (16 bytes each, in hex), and for
 * keys of a stream format that yield the first needle at OFFSET. FORMAT 0: no
 * keys. Prints how many of each were found.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../../../driver/core/format.h"
#include "../../../uapi/shakerandom.h"
#include "../../native/host.h"

#define NEEDLE 16

static const u8 *memory;
static size_t size;
static struct srnd_engine engine;

static void map(const char *name)
{
	int fd = open(name, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(2, "%s", name);
	size = st.st_size;
	memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED)
		err(2, "%s", name);
}

static void unhex(u8 *out, const char *text)
{
	for (int i = 0; i < NEEDLE; i++)
		if (sscanf(text + 2 * i, "%2hhx", out + i) != 1)
			errx(2, "not a needle: %s", text);
}

static size_t count_bytes(const u8 *needle)
{
	const u8 *end = memory + size, *p = memory;
	size_t n = 0;

	while ((p = memmem(p, end - p, needle, NEEDLE))) {
		fprintf(stderr, "delivered bytes at 0x%zx\n", p - memory);
		p++;
		n++;
	}
	return n;
}

/* Numbers, addresses and text are no keys: their words have equal bytes at the top. */
static bool may_be_key(const u8 *key, size_t len)
{
	u64 word;

	for (; len; len -= 8, key += 8) {
		memcpy(&word, key, 8);
		if ((word >> 48) == 0 || (word >> 48) == 0xffff || (u32)word == 0 || (u32)word == 0xffffffff)
			return false;
	}
	return true;
}

/* Keys lie on 8 bytes; in the block of a sector after its 21 bytes of text. */
static size_t alignment(u32 format)
{
	return format == SHAKERANDOM_SHAKE256_CTR ? 1 : 8;
}

static bool preceded(const u8 *p, u32 format)
{
	static const char text[] = "shakerandom-sector-v1";

	if (format != SHAKERANDOM_SHAKE256_CTR || !((p - memory) & 7))
		return true;
	return p - memory >= 21 && !memcmp(p - 21, text, 21);
}

static size_t count_keys(u32 format, u64 offset, const u8 *needle)
{
	/* The erasing format is a counter mode, too, within a batch. */
	const struct srnd_format *f = srnd_format(format);
	static const u8 nonce[SRND_NONCE];
	union srnd_instance s;
	u8 out[NEEDLE];
	size_t n = 0, tried = 0;

	for (const u8 *p = memory; p + f->key_size <= memory + size; p += alignment(format)) {
		if (!preceded(p, format) || !may_be_key(p, f->key_size))
			continue;
		tried++;
		f->key(&s, f, engine.row[f->primitive], p, nonce);
		srnd_format_read(&s, f, &engine, offset, out, NEEDLE);
		if (memcmp(out, needle, NEEDLE))
			continue;
		fprintf(stderr, "a key of %s at 0x%zx\n", f->name, p - memory);
		n++;
	}
	fprintf(stderr, "%zu keys tried\n", tried);
	return n;
}

int main(int argc, char **argv)
{
	size_t bytes = 0, keys = 0;
	u8 needle[NEEDLE];

	if (argc < 5)
		errx(2, "arguments");
	map(argv[1]);
	for (int p = 0; p < SRND_PRIMITIVES; p++)
		engine.row[p] = srnd_backend_first(p, srnd_backend_usable(p, host_cpu()));
	for (int i = 4; i < argc; i++) {
		unhex(needle, argv[i]);
		bytes += count_bytes(needle);
	}
	unhex(needle, argv[4]);
	if (atoi(argv[2]))
		keys = count_keys(atoi(argv[2]), strtoull(argv[3], NULL, 0), needle);
	printf("bytes %zu keys %zu\n", bytes, keys);
	return 0;
}
