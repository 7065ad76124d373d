/* SPDX-License-Identifier: MIT */
/*
 * A stream's state as text: words separated by one space,
 *
 *   shakerandom-1 FORMAT RULES FLAGS POSITION SEED NONCE BITS
 *
 * FORMAT by name, RULES and FLAGS and POSITION in decimal, the others in
 * lower-case hexadecimal, SEED "-" if empty. BITS are those that bool gives
 * next, the first in the lowest place, under a 1 bit; 1 is none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#define MAGIC "shakerandom-1"

/* ---- writing ---- */

static char *put_hex(char *to, const uint8_t *from, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*to++ = digits[from[i] >> 4];
		*to++ = digits[from[i] & 15];
	}
	*to = '\0';
	return to;
}

static void put_state(const struct shakerandom_stream *s, char *text)
{
	char *p = text;
	uint64_t bits =
		s->bits_left ? s->bits | UINT64_C(1) << s->bits_left : 1;

	p += sprintf(p, MAGIC " %s %" PRIu32 " %" PRIu32 " %" PRIu64 " ",
		     s->format->name, s->rules, s->flags, s->position);
	if (s->seed_len)
		p = put_hex(p, s->seed, s->seed_len);
	else
		*p++ = '-';
	*p++ = ' ';
	p = put_hex(p, s->nonce, sizeof(s->nonce));
	sprintf(p, " %" PRIx64, bits);
}

SRND_EXPORT int shakerandom_stream_save(const shakerandom_stream *s, char *text,
					size_t size)
{
	char whole[SHAKERANDOM_STATE_MAX];
	size_t len;

	if (s->forgotten)
		return SHAKERANDOM_ERR_FORGOTTEN;
	put_state(s, whole);
	len = strlen(whole) + 1;
	if (len <= size)
		memcpy(text, whole, len);
	srnd_wipe(whole, sizeof(whole));
	return len <= size ? 0 : SHAKERANDOM_ERR_ARGUMENT;
}

/* ---- reading ---- */

/* Cuts the next word off; each ends at a space, the last at the end. */
static char *next_word(char **rest)
{
	return strsep(rest, " ");
}

/* Digits of @base only, without sign, space or overflow. */
static bool get_number(const char *word, int base, uint64_t max, uint64_t *v)
{
	const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";
	size_t len;

	if (!word)
		return false;
	len = strlen(word);
	if (!len || len > 20 || strspn(word, digits) != len ||
	    (base == 16 && len > 16))
		return false;
	/* At most 20 decimal digits may still overflow: to UINT64_MAX. */
	*v = strtoull(word, NULL, base);
	return *v <= max;
}

static bool get_u32(const char *word, uint32_t *v)
{
	uint64_t wide;

	if (!get_number(word, 10, UINT32_MAX, &wide))
		return false;
	*v = (uint32_t)wide;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool get_hex(const char *word, uint8_t *to, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		int high = digit(word[2 * i]), low = digit(word[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		to[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static bool get_seed(struct shakerandom_stream *s, const char *word)
{
	size_t len;

	if (!word)
		return false;
	if (!strcmp(word, "-"))
		return true;
	len = strlen(word);
	if (!len || len % 2 || len / 2 > sizeof(s->seed))
		return false;
	s->seed_len = (uint32_t)(len / 2);
	return get_hex(word, s->seed, len / 2);
}

static bool get_nonce(struct shakerandom_stream *s, const char *word)
{
	return word && strlen(word) == 2 * sizeof(s->nonce) &&
	       get_hex(word, s->nonce, sizeof(s->nonce));
}

static bool get_bits(struct shakerandom_stream *s, const char *word)
{
	uint64_t v;

	if (!get_number(word, 16, UINT64_MAX, &v) || !v)
		return false;
	s->bits_left = 63 - (uint32_t)__builtin_clzll(v);
	s->bits = v ^ UINT64_C(1) << s->bits_left;
	return !s->bits_left || s->rules == SHAKERANDOM_RULES_AES_PRNG;
}

/* Changes @text. */
static bool get_state(struct shakerandom_stream *s, char *text)
{
	char *magic = next_word(&text);
	char *name = next_word(&text);

	if (strcmp(magic, MAGIC) || !name)
		return false;
	s->format = shakerandom_describe_name(name);
	return get_u32(next_word(&text), &s->rules) &&
	       get_u32(next_word(&text), &s->flags) &&
	       get_number(next_word(&text), 10, SRND_STREAM_END,
			  &s->position) &&
	       get_seed(s, next_word(&text)) &&
	       get_nonce(s, next_word(&text)) &&
	       get_bits(s, next_word(&text)) && !text && srnd_stream_valid(s) &&
	       !s->format->forgets && !(s->flags & SHAKERANDOM_ABSORB);
}

SRND_EXPORT int shakerandom_stream_restore(shakerandom_stream **stream,
					   const char *text)
{
	size_t len = strlen(text) + 1;
	struct shakerandom_stream *model;
	char copy[SHAKERANDOM_STATE_MAX];
	int err = SHAKERANDOM_ERR_STATE;

	*stream = NULL;
	if (len > sizeof(copy))
		return SHAKERANDOM_ERR_STATE;
	model = srnd_map(sizeof(*model));
	if (!model)
		return SHAKERANDOM_ERR_MEMORY;
	memcpy(copy, text, len);
	if (get_state(model, copy))
		err = srnd_stream_revive(stream, model);
	srnd_wipe(copy, sizeof(copy));
	srnd_unmap(model, sizeof(*model));
	return err;
}

/* ---- comparing ---- */

SRND_EXPORT bool shakerandom_stream_equal(const shakerandom_stream *a,
					  const shakerandom_stream *b)
{
	if (a->forgotten || b->forgotten)
		return a == b;
	return a->format == b->format && a->position == b->position &&
	       a->rules == b->rules && a->flags == b->flags &&
	       a->bits == b->bits && a->bits_left == b->bits_left &&
	       a->seed_len == b->seed_len &&
	       !memcmp(a->seed, b->seed, a->seed_len) &&
	       !memcmp(a->nonce, b->nonce, sizeof(a->nonce));
}
