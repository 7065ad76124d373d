// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

static const char doc[] =
"Prints a SHAKE or TurboSHAKE digest of any length of FILE, or of standard "
"input, in hex."
"\v"
"Examples:\n"
"  shakerandom xof --length 32 <file\n"
"  shakerandom xof --shake256 --length 1M --raw file >stretched\n"
"  shakerandom xof --turboshake128 file";

enum { KEY_FORMAT = 0x500 };	/* + a format's number */

static const struct argp_option options[] = {
	OPTION("shake128", KEY_FORMAT + SHAKERANDOM_SHAKE128, NULL,
	       "FIPS 202; this is the default"),
	OPTION("shake256", KEY_FORMAT + SHAKERANDOM_SHAKE256, NULL,
	       "FIPS 202"),
	OPTION("turboshake128", KEY_FORMAT + SHAKERANDOM_TURBOSHAKE128, NULL,
	       "RFC 9861, D = 0x1f"),
	OPTION("turboshake256", KEY_FORMAT + SHAKERANDOM_TURBOSHAKE256, NULL,
	       "RFC 9861, D = 0x1f"),
	OPTION("length", 'l', "SIZE", "bytes to print (32; for the 256s 64)"),
	END_OF_OPTIONS
};

static const struct argp_child children[] = {
	OUTPUT_CHILD,
	DEVICE_CHILD,
	END_OF_CHILDREN
};

struct job {
	struct source source;	/* the device only */
	struct output output;
	uint32_t format;
	uint64_t length;
	bool has_length;
	const char *path;
};

static void choose(struct job *j, struct argp_state *state, uint32_t format)
{
	if (j->format && j->format != format)
		argp_error(state, "give one function, not two");
	j->format = format;
}

static void complete(struct job *j, struct argp_state *state)
{
	bool wide;

	if (!j->format)
		j->format = SHAKERANDOM_SHAKE128;
	wide = j->format == SHAKERANDOM_SHAKE256 ||
	       j->format == SHAKERANDOM_TURBOSHAKE256;
	if (!j->has_length)
		j->length = wide ? 64 : 32;
	if (j->length > STREAM_END)
		argp_error(state, "--length goes to 2^63 - 1");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *j = state->input;

	if (key > KEY_FORMAT && key < KEY_FORMAT + 32) {
		choose(j, state, (uint32_t)(key - KEY_FORMAT));
		return 0;
	}
	switch (key) {
	case 'l':
		j->length = size_argument(state, "--length", arg);
		j->has_length = true;
		break;
	case ARGP_KEY_ARG:
		if (j->path)
			extra_argument(state, arg);
		j->path = arg;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &j->output;
		state->child_inputs[1] = &j->source;
		break;
	case ARGP_KEY_SUCCESS:
		complete(j, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE]",
	.doc = doc,
	.children = children,
};

static int open_input(const char *path)
{
	int fd;

	if (!path || !strcmp(path, "-"))
		return STDIN_FILENO;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_error(errno, "cannot open '%s'", path);
	return fd;
}

static void absorb(struct job *j, shakerandom_stream *s, int fd, uint8_t *buf)
{
	ssize_t n;
	int err;

	while ((n = read(fd, buf, PIECE))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			fail_error(errno, "cannot read %s",
				   j->path ? j->path : "standard input");
		err = shakerandom_stream_absorb(s, buf, (size_t)n);
		if (err)
			fail_library(err);
	}
}

static void squeeze(struct job *j, shakerandom_stream *s, uint8_t *buf)
{
	uint64_t left;
	size_t n;
	int err;

	for (left = j->length; left; left -= n) {
		n = left < PIECE ? left : PIECE;
		err = shakerandom_stream_fill(s, buf, n);
		if (err)
			fail_library(err);
		output_write(&j->output, buf, n);
	}
}

static shakerandom_stream *open_stream(const struct job *j)
{
	struct shakerandom_params params = {
		.format = j->format,
		.flags = SHAKERANDOM_ABSORB,
	};
	shakerandom_stream *s;
	int err = shakerandom_setup(j->source.device, 0);

	if (!err)
		err = shakerandom_stream_open(&s, &params);
	if (err)
		fail_library(err);
	return s;
}

static int run(int argc, char **argv)
{
	struct job j = { .length = 0 };
	uint8_t *buf = malloc(PIECE);
	shakerandom_stream *s;
	int fd;

	if (!buf)
		fail("out of memory");
	argp_parse(&argp, argc, argv, 0, NULL, &j);
	if (j.output.form == FORM_DEFAULT)
		j.output.form = FORM_HEX;
	fd = open_input(j.path);
	s = open_stream(&j);
	output_open(&j.output, FORM_HEX);
	absorb(&j, s, fd, buf);
	squeeze(&j, s, buf);
	output_close(&j.output);
	shakerandom_stream_close(s);
	explicit_bzero(buf, PIECE);
	free(buf);
	return STATUS_OK;
}

const struct command cmd_xof = {
	.name = "xof",
	.summary = "SHAKE and TurboSHAKE digests of any length",
	.run = run,
};
