// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char doc[] =
"Writes COUNT random bytes, or bytes of a reproducible stream, to standard "
"output: as hex digits on a terminal, else as they are."
"\v"
"COUNT is a number, maybe with K, M, G, T (1024) or KB, MB, GB (1000), or "
"'inf' for bytes without end.\n\n"
"Examples:\n"
"  shakerandom read 32\n"
"  shakerandom read 24 --base64\n"
"  shakerandom read 1G --output random.bin\n"
"  shakerandom read 1M --seed 'run 17' --format chacha20 --stream 3\n"
"  shakerandom read 4K --key-file key --offset 1T | cmp - sector\n"
"  shakerandom read inf | head -c 1000 >file";

enum { KEY_PROGRESS = 0x400 };

static const struct argp_option options[] = {
	OPTION("progress", KEY_PROGRESS, NULL, "show progress even if that "
	       "is no terminal"),
	OPTION("quiet", 'q', NULL, "show no progress"),
	END_OF_OPTIONS
};

static const struct argp_child children[] = {
	OUTPUT_CHILD,
	SOURCE_CHILD,
	RANDOM_CHILD,
	END_OF_CHILDREN
};

struct job {
	struct source source;
	struct output output;
	enum progress_wish progress;
	bool counted, endless;
	uint64_t count;
};

static void take_count(struct job *j, struct argp_state *state,
		       const char *word)
{
	if (j->counted)
		extra_argument(state, word);
	j->counted = true;
	j->endless = !strcmp(word, "inf");
	j->count = j->endless ? UINT64_MAX :
		   size_argument(state, "COUNT", word);
}

/* Before the first byte, not after hours. */
static void check(const struct job *j, struct argp_state *state)
{
	if (j->source.kind != SEED_NONE && !j->endless &&
	    j->count > STREAM_END - j->source.offset)
		argp_error(state, "a stream ends at 2^63 - 1: COUNT goes past "
			   "that");
	if (j->endless && j->output.path)
		argp_error(state, "'inf' would fill the disk: give a COUNT, or "
			   "use 'shakerandom fill'");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *j = state->input;

	switch (key) {
	case KEY_PROGRESS:
		j->progress = PROGRESS_ALWAYS;
		break;
	case 'q':
		j->progress = PROGRESS_NEVER;
		break;
	case ARGP_KEY_ARG:
		take_count(j, state, arg);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "say how many bytes, such as 32 or 1G");
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &j->output;
		state->child_inputs[1] = &j->source;
		state->child_inputs[2] = &j->source;
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
	.args_doc = "COUNT",
	.doc = doc,
	.children = children,
};

static void copy(struct job *j, uint8_t *buf)
{
	struct progress progress;
	uint64_t done = 0;

	progress_start(&progress, j->progress, j->endless ? 0 : j->count, 0);
	while (done < j->count) {
		size_t n = j->count - done < PIECE ? j->count - done : PIECE;
		int err = source_fill(&j->source, buf, n);

		if (err)
			fail_library(err);
		output_write(&j->output, buf, n);
		done += j->endless ? 0 : n;
		progress_show(&progress, done);
	}
	progress_end(&progress, done);
}

static int run(int argc, char **argv)
{
	struct job j = { .progress = PROGRESS_AUTO };
	uint8_t *buf = malloc(PIECE);

	if (!buf)
		fail("out of memory");
	argp_parse(&argp, argc, argv, 0, NULL, &j);
	source_open(&j.source);
	output_open(&j.output, FORM_HEX);
	/* Bytes and progress on one screen would be in each other's way. */
	if (j.progress == PROGRESS_AUTO && isatty(j.output.fd))
		j.progress = PROGRESS_NEVER;
	copy(&j, buf);
	output_close(&j.output);
	source_close(&j.source);
	explicit_bzero(buf, PIECE);
	free(buf);
	return STATUS_OK;
}

const struct command cmd_read = {
	.name = "read",
	.summary = "bytes: random, or of a reproducible stream",
	.run = run,
};
