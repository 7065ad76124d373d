/* SPDX-License-Identifier: MIT */
/*
 * Makes the library's calls that standard input names, one a line, and prints
 * what each gives and the stream's position after it: golden.py knows what
 * they should be.
 *
 *   device PATH FLAGS             before anything else, if at all
 *   open FORMAT RULES FLAGS SEED NONCE NUMBER    SEED, NONCE in hex or "-"
 *   secure COUNT                  that many secure numbers
 *   DRAW [ARGUMENT]...            u32, below64 100, fill 5, shuffle 10 1, ...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shakerandom.h"

#define WORDS 8

static shakerandom_stream *s;
static char *word[WORDS];
static uint8_t bytes[1 << 20];

static uint64_t number(int i)
{
	return word[i] ? strtoull(word[i], NULL, 0) : 0;
}

static int64_t integer(int i)
{
	return word[i] ? strtoll(word[i], NULL, 0) : 0;
}

static void print_bytes(size_t len)
{
	for (size_t i = 0; i < len; i++)
		printf("%02x", bytes[i]);
}

static size_t parse_hex(const char *text, uint8_t *to)
{
	size_t len = 0;
	unsigned int byte;

	if (!strcmp(text, "-"))
		return 0;
	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		to[len++] = (uint8_t)byte;
	return len;
}

static int call_open(void)
{
	static uint8_t seed[SHAKERANDOM_SEED_MAX], nonce[64];
	struct shakerandom_params p = {
		.format = (uint32_t)number(1),
		.rules = (uint32_t)number(2),
		.flags = (uint32_t)number(3),
		.seed = seed,
		.seed_len = parse_hex(word[4], seed),
		.number = number(6),
	};

	if (parse_hex(word[5], nonce))
		p.nonce = nonce;
	shakerandom_stream_close(s);
	return shakerandom_stream_open(&s, &p);
}

/* Saves, closes and restores. */
static int call_reload(void)
{
	static char text[SHAKERANDOM_STATE_MAX];
	int err = shakerandom_stream_save(s, text, sizeof(text));

	if (err)
		return err;
	shakerandom_stream_close(s);
	return shakerandom_stream_restore(&s, text);
}

static void call_shuffle(size_t count, size_t size)
{
	for (size_t i = 0; i < count * size; i++)
		bytes[i] = (uint8_t)(i / size + i % size * 16);
	shakerandom_stream_shuffle(s, bytes, count, size);
	print_bytes(count * size);
}

static int call_sample(size_t k, uint64_t n)
{
	uint64_t *out = malloc((k + 1) * sizeof(*out));
	int err = shakerandom_stream_sample(s, out, k, n);

	for (size_t i = 0; !err && i < k; i++)
		printf("%" PRIu64 ",", out[i]);
	free(out);
	return err;
}

static int call_bytes(const char *name, size_t len)
{
	int err = !strcmp(name, "fill") ?
		shakerandom_stream_fill(s, bytes, len) :
		shakerandom_stream_pread(s, bytes, len, number(2));

	if (!err)
		print_bytes(len);
	return err;
}

static void call_u128(void)
{
	uint64_t v[2];

	shakerandom_stream_u128(s, v);
	printf("%016" PRIx64 "%016" PRIx64, v[1], v[0]);
}

static void call_uuid(const char *name)
{
	char text[37];

	if (!strcmp(name, "uuid4"))
		shakerandom_stream_uuid4(s, bytes);
	else
		shakerandom_stream_uuid7(s, number(1), bytes);
	shakerandom_uuid_text(bytes, text);
	printf("%s", text);
}

static void call_secure(uint64_t count)
{
	while (count--)
		printf("%" PRIx64 ",", shakerandom_u64());
}

/* Floating-point numbers in hexadecimal, exactly. */
static void call(const char *name)
{
	int err = 0;

#define IS(n) (!strcmp(name, n))
#define UNSIGNED(n, ...)						\
	if (IS(#n))							\
		printf("%" PRIu64,						\
		       (uint64_t)shakerandom_stream_##n(__VA_ARGS__))
#define SIGNED(n, ...)							\
	if (IS(#n))							\
		printf("%" PRId64,						\
		       (int64_t)shakerandom_stream_##n(__VA_ARGS__))
#define REAL(n)								\
	if (IS(#n))							\
		printf("%a", (double)shakerandom_stream_##n(s))

	UNSIGNED(u8, s);
	UNSIGNED(u16, s);
	UNSIGNED(u32, s);
	UNSIGNED(u64, s);
	UNSIGNED(bool, s);
	UNSIGNED(bits, s, (unsigned int)number(1));
	UNSIGNED(below32, s, (uint32_t)number(1));
	UNSIGNED(below64, s, number(1));
	UNSIGNED(urange32, s, (uint32_t)number(1), (uint32_t)number(2));
	UNSIGNED(urange64, s, number(1), number(2));
	SIGNED(range32, s, (int32_t)integer(1), (int32_t)integer(2));
	SIGNED(range64, s, integer(1), integer(2));
	REAL(float);
	REAL(double);
	REAL(normal);
	if (IS("secure"))
		call_secure(number(1));
	if (IS("u128"))
		call_u128();
	if (IS("uuid4") || IS("uuid7"))
		call_uuid(name);
	if (IS("shuffle"))
		call_shuffle((size_t)number(1), (size_t)number(2));
	if (IS("sample"))
		err = call_sample((size_t)number(1), number(2));
	if (IS("fill") || IS("pread"))
		err = call_bytes(name, (size_t)number(1));
	if (IS("seek"))
		err = shakerandom_stream_seek(s, number(1));
	if (IS("absorb"))
		err = shakerandom_stream_absorb(s, bytes,
						parse_hex(word[1], bytes));
	if (IS("reload"))
		err = call_reload();
	if (IS("device"))
		err = shakerandom_setup(word[1], (unsigned int)number(2));
	if (IS("open"))
		err = call_open();
	if (err)
		printf("error %d", err);
}

static void split(char *line)
{
	for (int i = 0; i < WORDS; i++)
		word[i] = strtok(i ? NULL : line, " \n");
}

int main(void)
{
	static char line[1 << 16];

	while (fgets(line, sizeof(line), stdin)) {
		split(line);
		call(word[0]);
		printf(" @%" PRIu64 "\n",
		       s ? shakerandom_stream_position(s) : 0);
	}
	shakerandom_stream_close(s);
	return 0;
}
