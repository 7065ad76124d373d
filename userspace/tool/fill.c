// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const char doc[] =
"Overwrites a block device or file with random bytes, or with a stream that "
"'shakerandom verify' can check later, all of it or any part."
"\v"
"A file that does not exist is created; its --length must be given.\n\n"
"Examples:\n"
"  shakerandom fill /dev/sdX\n"
"  shakerandom fill /dev/sdX --seed disk-7 --resume disk-7.note\n"
"  shakerandom fill image --length 20G --key-file key\n"
"  shakerandom fill /dev/sdX --seed s --skip 1G --length 64K";

static const struct argp_child children[] = AREA_CHILDREN;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "DEVICE|FILE",
	.doc = doc,
	.children = children,
};

static struct finding fill_piece(struct area *a, uint8_t *buf, size_t len,
				 uint64_t at)
{
	struct finding found = { .at = at };
	size_t done = 0;
	ssize_t n;

	found.error = source_at(&a->source, buf, len, a->source.offset + at);
	if (found.error) {
		found.saved_errno = errno;
		found.trouble = TROUBLE_SOURCE;
		return found;
	}
	while (done < len) {
		n = pwrite(target_fd(&a->target, len - done, at + done),
			   buf + done, len - done, (off_t)(at + done));
		if (n > 0) {
			done += (size_t)n;
		} else if (!n || errno != EINTR) {
			found.trouble = TROUBLE_IO;
			found.error = n ? errno : ENOSPC;
			found.at = at + done;
			break;
		}
	}
	return found;
}

static void explain(struct area *a, const struct finding *first)
{
	if (first->trouble == TROUBLE_SOURCE) {
		errno = first->saved_errno;
		say_library(first->error);
	} else {
		say_error(first->error, "cannot write '%s' at byte %" PRIu64,
			  a->path, first->at);
	}
}

static int run(int argc, char **argv)
{
	struct area a = { .write = true };
	struct finding first;
	uint64_t end, done;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	source_open(&a.source);
	/* A signal must not leave a file behind that holds nothing yet. */
	stop_catch();
	target_open(&a.target, a.path, true, a.has_length, a.force);
	end = area_end(&a);
	done = area_run(&a, end, fill_piece, &first);
	if (first.trouble != TROUBLE_NONE)
		explain(&a, &first);
	else if (done < end)
		area_stopped(&a, done, end);
	else
		area_summary(&a, "filled", end);
	source_close(&a.source);
	target_close(&a.target);
	return first.trouble == TROUBLE_NONE ? STATUS_OK : STATUS_TROUBLE;
}

const struct command cmd_fill = {
	.name = "fill",
	.summary = "overwrite a block device or file",
	.run = run,
};
