// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char doc[] =
"Prints whole numbers from LOW (0) to HIGH, both included, each equally "
"likely, one a line."
"\v"
"Bounds go from -2^63 to 2^64 - 1; a negative LOW wants a HIGH below 2^63.\n\n"
"Examples:\n"
"  shakerandom int 1 6\n"
"  shakerandom int -10 10 --count 5\n"
"  shakerandom int 1 49 --count 6 --distinct\n"
"  shakerandom int 99 --seed 'game 4' --count 1K";

enum { KEY_DISTINCT = 0x700 };

static const struct argp_option options[] = {
	OPTION("count", 'n', "NUMBER", "how many (1)"),
	OPTION("distinct", KEY_DISTINCT, NULL, "no number twice"),
	END_OF_OPTIONS
};

static const struct argp_child children[] = {
	SOURCE_CHILD,
	RANDOM_CHILD,
	END_OF_CHILDREN
};

struct job {
	struct source source;
	const char *words[2];
	unsigned int given;
	uint64_t count;
	bool distinct;
	/* Two's complement: a negative bound wraps. */
	bool is_signed;
	uint64_t low, high;
};

/* A whole number; *negative tells how to read it. */
static uint64_t bound(struct argp_state *state, const char *word,
		      bool *negative)
{
	uint64_t value = 0;

	*negative = *word == '-';
	if (!parse_u64(word + *negative, &value) ||
	    (*negative && value > (uint64_t)1 << 63))
		argp_error(state, "'%s' is not a whole number from -2^63 to "
			   "2^64 - 1", word);
	*negative = *negative && value;
	return *negative ? -value : value;
}

static void check(struct job *j, struct argp_state *state)
{
	bool low_negative = false, high_negative;

	if (!j->given)
		argp_error(state, "say up to which number, or from which to "
			   "which");
	j->high = bound(state, j->words[j->given - 1], &high_negative);
	if (j->given == 2)
		j->low = bound(state, j->words[0], &low_negative);
	j->is_signed = low_negative || high_negative;
	if (low_negative && !high_negative && j->high > INT64_MAX)
		argp_error(state, "from a negative number it goes to 2^63 - 1 "
			   "only");
	if (high_negative != low_negative ? high_negative : j->low > j->high)
		argp_error(state, "LOW is greater than HIGH");
	/* 2^64 numbers have no shortage. */
	if (j->distinct && j->high - j->low != UINT64_MAX &&
	    j->count > j->high - j->low + 1)
		argp_error(state, "there are only %" PRIu64 " different "
			   "numbers from LOW to HIGH", j->high - j->low + 1);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *j = state->input;

	arg = unshielded(arg);
	switch (key) {
	case 'n':
		j->count = size_argument(state, "--count", arg);
		break;
	case KEY_DISTINCT:
		j->distinct = true;
		break;
	case ARGP_KEY_ARG:
		if (j->given == 2)
			extra_argument(state, arg);
		j->words[j->given++] = arg;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &j->source;
		state->child_inputs[1] = &j->source;
		break;
	case ARGP_KEY_SUCCESS:
		check(j, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[LOW] HIGH",
	.doc = doc,
	.children = children,
};

static void print(const struct job *j, uint64_t value)
{
	if (j->is_signed)
		printf("%" PRId64 "\n", (int64_t)value);
	else
		printf("%" PRIu64 "\n", value);
}

static uint64_t draw(struct job *j)
{
	shakerandom_stream *s = j->source.stream;

	if (j->is_signed && s)
		return (uint64_t)shakerandom_stream_range64(s,
			(int64_t)j->low, (int64_t)j->high);
	if (j->is_signed)
		return (uint64_t)shakerandom_range64((int64_t)j->low,
						     (int64_t)j->high);
	return s ? shakerandom_stream_urange64(s, j->low, j->high) :
		   shakerandom_urange64(j->low, j->high);
}

static void print_distinct(struct job *j)
{
	uint64_t all = j->high - j->low + 1;
	uint64_t *values = NULL;
	size_t i;
	int err;

	/* The library counts to 2^64 - 1, which leaves out one of 2^64. */
	if (!all)
		fail("--distinct takes at most 2^64 - 1 numbers: narrow the "
		     "range by one");
	if (j->count <= SIZE_MAX / sizeof(*values))
		values = malloc(j->count * sizeof(*values) + 1);
	if (!values)
		fail("no memory for %" PRIu64 " distinct numbers", j->count);
	err = j->source.stream ?
	      shakerandom_stream_sample(j->source.stream, values, j->count,
					all) :
	      shakerandom_sample(values, j->count, all);
	if (err)
		fail_library(err);
	for (i = 0; i < j->count; i++)
		print(j, j->low + values[i]);
	free(values);
}

static int run(int argc, char **argv)
{
	struct job j = { .count = 1 };

	shield_negatives(argc, argv);
	argp_parse(&argp, argc, argv, 0, NULL, &j);
	source_open(&j.source);
	if (j.distinct)
		print_distinct(&j);
	else
		for (; j.count && !ferror(stdout); j.count--)
			print(&j, draw(&j));
	source_close(&j.source);
	return STATUS_OK;
}

const struct command cmd_int = {
	.name = "int",
	.summary = "whole numbers of a range, without bias",
	.run = run,
};
