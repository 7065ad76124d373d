// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool.h"

/* The digits at the start of @text; where they end, or NULL. */
static const char *digits(const char *text, uint64_t *value)
{
	int base = !strncasecmp(text, "0x", 2) ? 16 : 10;
	char *end;

	/* strtoull would take blanks and signs. */
	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = strtoull(text, &end, base);
	return errno || end == text ? NULL : end;
}

bool parse_u64(const char *text, uint64_t *value)
{
	const char *end = digits(text, value);

	return end && !*end;
}

/* K, KiB: 1024; KB: 1000. Returns 0 for anything else. */
static unsigned int unit_of(const char *after)
{
	if (!*after || !strcasecmp(after, "iB"))
		return 1024;
	return strcasecmp(after, "B") ? 0 : 1000;
}

bool parse_size(const char *text, uint64_t *value)
{
	static const char letters[] = "KMGTPE";
	const char *end = digits(text, value);
	const char *letter;
	unsigned int unit;
	long power;

	if (!end || !*end)
		return end;
	letter = strchr(letters, toupper((unsigned char)*end));
	unit = unit_of(end + 1);
	if (!letter || !unit)
		return false;
	for (power = letter - letters; power >= 0; power--)
		if (__builtin_mul_overflow(*value, unit, value))
			return false;
	return true;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int parse_hex(const char *text, uint8_t *out, size_t size)
{
	size_t i;

	for (i = 0; text[2 * i]; i++) {
		int high = nibble(text[2 * i]);
		int low = high < 0 ? -1 : nibble(text[2 * i + 1]);

		if (low < 0 || i >= size)
			return -1;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return (int)i;
}

uint64_t size_argument(struct argp_state *state, const char *what,
		       const char *text)
{
	uint64_t value = 0;

	if (!parse_size(text, &value))
		argp_error(state, "%s '%s' is not a size: a whole number below "
			   "2^64, then maybe K, M, G, T, P (1024) or KB, MB, "
			   "GB (1000)", what, text);
	return value;
}

uint64_t count_argument(struct argp_state *state, const char *what,
			const char *text)
{
	uint64_t value = 0;

	if (!parse_u64(text, &value))
		argp_error(state, "%s '%s' is not a whole number from 0 to "
			   "2^64 - 1", what, text);
	return value;
}

void extra_argument(struct argp_state *state, const char *word)
{
	argp_error(state, "'%s' is one word too many", word);
}

char *size_text(uint64_t bytes, char *text)
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"
	};
	double value = (double)bytes;
	size_t i = 0;

	while (value >= 1000 && i < 6) {
		value /= 1024;
		i++;
	}
	snprintf(text, 16, i && value < 99.95 ? "%.1f %s" : "%.0f %s", value,
		 units[i]);
	return text;
}

static struct shielded {
	char *word, *shield;
} *shielded;
static size_t shields;

void shield_negatives(int argc, char **argv)
{
	struct shielded *s;
	int i;

	shielded = calloc((size_t)argc, sizeof(*shielded));
	if (!shielded)
		fail("out of memory");
	for (i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !isdigit((unsigned char)argv[i][1]))
			continue;
		s = &shielded[shields++];
		s->word = argv[i];
		/* A blank before it: no option to getopt. */
		if (asprintf(&s->shield, " %s", s->word) < 0)
			fail("out of memory");
		argv[i] = s->shield;
	}
}

char *unshielded(char *arg)
{
	size_t i;

	for (i = 0; i < shields; i++)
		if (arg == shielded[i].shield)
			return shielded[i].word;
	return arg;
}
