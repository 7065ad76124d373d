// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "tool.h"

static const char doc[] =
"Prints COUNT (1) universally unique identifiers: random ones (version 4), or "
"with --sorted such as sort in the order they were made (version 7)."
"\v"
"With --seed or --key the same ones every time; sorted ones then need the "
"--time to show.\n\n"
"Examples:\n"
"  shakerandom uuid\n"
"  shakerandom uuid --sorted 1000\n"
"  shakerandom uuid --seed fixtures 3";

enum { KEY_TIME = 0x600 };

static const struct argp_option options[] = {
	OPTION("sorted", '7', NULL, "version 7: time first"),
	OPTION("time", KEY_TIME, "MS", "of a seeded version 7: milliseconds "
	       "since 1970"),
	END_OF_OPTIONS
};

static const struct argp_child children[] = {
	SOURCE_CHILD,
	RANDOM_CHILD,
	END_OF_CHILDREN
};

struct job {
	struct source source;
	uint64_t count, time;
	bool counted, sorted, timed;
};

static void take_count(struct job *j, struct argp_state *state,
		       const char *word)
{
	if (j->counted)
		extra_argument(state, word);
	j->counted = true;
	j->count = size_argument(state, "COUNT", word);
}

static void check(const struct job *j, struct argp_state *state)
{
	bool seeded = j->source.kind != SEED_NONE;

	if (j->timed && !(j->sorted && seeded))
		argp_error(state, "--time is for seeded --sorted ones");
	if (j->sorted && seeded && !j->timed)
		argp_error(state, "seeded --sorted ones would change with the "
			   "clock: give their --time");
	if (j->time >> 48)
		argp_error(state, "--time has at most 48 bits");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *j = state->input;

	switch (key) {
	case '7':
		j->sorted = true;
		break;
	case KEY_TIME:
		j->time = count_argument(state, "--time", arg);
		j->timed = true;
		break;
	case ARGP_KEY_ARG:
		take_count(j, state, arg);
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
	.args_doc = "[COUNT]",
	.doc = doc,
	.children = children,
};

static void draw(struct job *j, uint8_t uuid[16])
{
	shakerandom_stream *s = j->source.stream;

	if (s && j->sorted)
		shakerandom_stream_uuid7(s, j->time, uuid);
	else if (s)
		shakerandom_stream_uuid4(s, uuid);
	else if (j->sorted)
		shakerandom_uuid7(uuid);
	else
		shakerandom_uuid4(uuid);
}

static int run(int argc, char **argv)
{
	struct job j = { .count = 1 };
	uint8_t uuid[16];
	char text[37];

	argp_parse(&argp, argc, argv, 0, NULL, &j);
	source_open(&j.source);
	for (; j.count && !ferror(stdout); j.count--) {
		draw(&j, uuid);
		shakerandom_uuid_text(uuid, text);
		puts(text);
	}
	source_close(&j.source);
	return STATUS_OK;
}

const struct command cmd_uuid = {
	.name = "uuid",
	.summary = "unique identifiers, random or sorted by time",
	.run = run,
};
