// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char doc[] =
"Compares a block device or file with the stream it was filled with, and finds "
"the first byte that differs."
"\v"
"Exit status: 0 all bytes match, 1 one differs or is missing, 2 trouble.\n\n"
"Examples:\n"
"  shakerandom verify /dev/sdX --seed disk-7\n"
"  shakerandom verify /dev/sdX --seed disk-7 --skip 1G --length 64K\n"
"  shakerandom verify image --key-file key --quiet && echo intact";

static const struct argp_child children[] = AREA_CHILDREN;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct area *a = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		break;
	case ARGP_KEY_SUCCESS:
		if (a->source.kind == SEED_NONE)
			argp_error(state, "random bytes cannot be verified: "
				   "give the --seed or --key of the fill");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "DEVICE|FILE",
	.doc = doc,
	.children = children,
};

static struct finding read_piece(struct area *a, uint8_t *buf, size_t len,
				 uint64_t at)
{
	struct finding found = { .at = at };
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(target_fd(&a->target, len - done, at + done),
			  buf + done, len - done, (off_t)(at + done));
		if (n > 0) {
			done += (size_t)n;
		} else if (!n || errno != EINTR) {
			found.trouble = n ? TROUBLE_IO : TROUBLE_SHORT;
			found.error = errno;
			break;
		}
	}
	found.at = at + done;
	return found;
}

/* The kernel compares: a seeded descriptor takes only the bytes that match. */
static struct finding compare_by_writing(struct area *a, const uint8_t *buf,
					 size_t len, uint64_t at)
{
	uint64_t place = a->source.offset + at;
	struct finding found = { .at = at };
	size_t done = 0;
	ssize_t n;
	int fd = shakerandom_stream_fd(a->source.stream);

	while (fd >= 0 && done < len) {
		n = pwrite(fd, buf + done, len - done, (off_t)(place + done));
		if (n > 0)
			done += (size_t)n;
		else if (!n || errno != EINTR)
			break;
	}
	found.at = at + done;
	if (fd < 0)
		found = (struct finding){ TROUBLE_SOURCE, fd, errno, at };
	else if (done < len && errno == EILSEQ)
		found.trouble = TROUBLE_DIFFERENT;
	else if (done < len)
		found = (struct finding){ TROUBLE_SOURCE,
			SHAKERANDOM_ERR_SYSTEM, errno, at + done };
	return found;
}

/* Formats that only go forward are compared here. */
static struct finding compare_here(struct area *a, uint8_t *buf, size_t len,
				   uint64_t at)
{
	uint8_t *expected = buf + len;
	struct finding found = { .at = at };
	size_t i = 0;

	found.error = source_at(&a->source, expected, len,
				a->source.offset + at);
	found.saved_errno = errno;
	if (found.error)
		found.trouble = TROUBLE_SOURCE;
	else if (memcmp(buf, expected, len))
		found.trouble = TROUBLE_DIFFERENT;
	while (found.trouble == TROUBLE_DIFFERENT && buf[i] == expected[i])
		i++;
	found.at = at + i;
	return found;
}

static struct finding verify_piece(struct area *a, uint8_t *buf, size_t len,
				   uint64_t at)
{
	struct finding read = read_piece(a, buf, len, at);
	struct finding found = { .at = read.at };

	/* What could be read may differ before the place that could not. */
	len = read.at - at;
	if (len)
		found = source_parallel(&a->source) ?
			compare_by_writing(a, buf, len, at) :
			compare_here(a, buf, len, at);
	return found.trouble == TROUBLE_NONE ? read : found;
}

static int explain(struct area *a, const struct finding *first)
{
	switch (first->trouble) {
	case TROUBLE_DIFFERENT:
		if (!a->quiet)
			printf("%s: byte %" PRIu64 " (0x%" PRIx64
			       ") is the first that differs\n", a->path,
			       first->at, first->at);
		return STATUS_NO;
	case TROUBLE_SHORT:
		if (!a->quiet)
			printf("%s: ends at byte %" PRIu64 ", all before "
			       "match\n", a->path, first->at);
		return STATUS_NO;
	case TROUBLE_SOURCE:
		errno = first->saved_errno;
		say_library(first->error);
		return STATUS_TROUBLE;
	default:
		say_error(first->error, "cannot read '%s' at byte %" PRIu64
			  " (all before match)", a->path, first->at);
		return STATUS_TROUBLE;
	}
}

/*
 * An unseeded descriptor takes any byte: a comparison that cannot fail. Before
 * it is trusted it must have refused a wrong byte.
 */
static void prove_comparison(struct area *a)
{
	uint64_t at = a->source.offset + a->skip;
	uint8_t byte;
	int fd, err;

	if (!source_parallel(&a->source) || at >= STREAM_END)
		return;
	err = source_at(&a->source, &byte, 1, at);
	fd = shakerandom_stream_fd(a->source.stream);
	if (err || fd < 0)
		fail_library(err ? err : fd);
	byte ^= 1;
	if (pwrite(fd, &byte, 1, (off_t)at) >= 0 || errno != EILSEQ)
		fail("the device does not compare: its answers are worth "
		     "nothing; 'shakerandom doctor' may know more");
}

static int run(int argc, char **argv)
{
	struct area a = { .write = false };
	struct finding first;
	int status = STATUS_OK;
	uint64_t end, done;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	source_open(&a.source);
	stop_catch();
	target_open(&a.target, a.path, false, false, a.force);
	end = area_end(&a);
	prove_comparison(&a);
	/* What is on the disk counts, not what memory remembers of it. */
	posix_fadvise(a.target.fd, 0, 0, POSIX_FADV_DONTNEED);
	done = area_run(&a, end, verify_piece, &first);
	if (first.trouble != TROUBLE_NONE)
		status = explain(&a, &first);
	else if (done < end)
		area_stopped(&a, done, end);
	else
		area_summary(&a, "verified", end);
	source_close(&a.source);
	target_close(&a.target);
	return status;
}

const struct command cmd_verify = {
	.name = "verify",
	.summary = "compare it with what it was filled with",
	.run = run,
};
