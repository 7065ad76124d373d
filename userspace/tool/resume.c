// SPDX-License-Identifier: GPL-2.0
/*
 * The file that remembers how far a long job came: a header, the lines of the
 * job, "done N".
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

#define HEADER "shakerandom resume 1\n"

static char *read_text(const char *path)
{
	char *text = calloc(1, 16384);
	FILE *file = fopen(path, "re");
	size_t len;

	if (!text)
		fail("out of memory");
	if (!file && errno == ENOENT) {
		free(text);
		return NULL;
	}
	if (!file)
		fail_error(errno, "cannot open '%s'", path);
	len = fread(text, 1, 16383, file);
	if (ferror(file))
		fail_error(errno, "cannot read '%s'", path);
	fclose(file);
	/* A zero in it ends the text early, and it will not be taken. */
	text[len] = 0;
	return text;
}

static size_t line_length(const char *text)
{
	return strcspn(text, "\n");
}

/* The job's lines in @text; complains about the first that is another. */
static const char *match_job(const struct resume *r, const char *text)
{
	const char *job = r->job;

	while (*job) {
		size_t len = line_length(job) + 1;

		if (strncmp(job, text, len))
			fail("'%s' remembers another job: there '%.*s', now "
			     "'%.*s'; give the same options, or remove the "
			     "file to start afresh", r->path,
			     (int)line_length(text), text, (int)len - 1, job);
		job += len;
		text += len;
	}
	return text;
}

bool resume_load(const struct resume *r, uint64_t *done)
{
	char *text, *end;
	const char *rest;

	if (!r->path)
		return false;
	text = read_text(r->path);
	if (!text)
		return false;
	if (strncmp(text, HEADER, strlen(HEADER)))
		fail("'%s' is no file that --resume wrote: name another",
		     r->path);
	rest = match_job(r, text + strlen(HEADER));
	end = strchr(rest, '\n');
	if (strncmp(rest, "done ", 5) || !end || end[1])
		fail("'%s' is damaged: remove it to start afresh", r->path);
	*end = 0;
	if (!parse_u64(rest + 5, done))
		fail("'%s' is damaged: remove it to start afresh", r->path);
	free(text);
	return true;
}

/* A new file takes the old one's place, so that there always is a whole one. */
static bool replace(const struct resume *r, char *temporary, uint64_t done)
{
	/* Nobody's file yet: a fixed name might be the target's own. */
	int fd = mkostemp(temporary, O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = dprintf(fd, "%s%sdone %" PRIu64 "\n", HEADER, r->job, done) > 0 &&
	     !fsync(fd);
	close(fd);
	return ok && !rename(temporary, r->path);
}

void resume_save(const struct resume *r, uint64_t done)
{
	char *temporary;
	int err;

	if (!r->path)
		return;
	if (asprintf(&temporary, "%s.XXXXXX", r->path) < 0)
		fail("out of memory");
	if (!replace(r, temporary, done)) {
		err = errno;
		unlink(temporary);
		fail_error(err, "cannot write '%s'", r->path);
	}
	free(temporary);
}

void resume_remove(const struct resume *r)
{
	if (r->path && unlink(r->path) && errno != ENOENT)
		say_error(errno, "cannot remove '%s'", r->path);
}
