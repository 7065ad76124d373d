// SPDX-License-Identifier: GPL-2.0
/* Writing bytes as hex, base64 or as they are, whole files or nothing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

enum { KEY_FORCE = 0x200 };

static const struct argp_option options[] = {
	OPTION("hex", 'x', NULL, "as hex digits"),
	OPTION("base64", 'b', NULL, "as base64"),
	OPTION("raw", 'r', NULL, "as they are; on a terminal only if given "
	       "twice"),
	OPTION("output", 'o', "FILE", "to FILE, which appears when it is "
	       "complete"),
	OPTION("force", KEY_FORCE, NULL, "replace FILE if it exists"),
	END_OF_OPTIONS
};

static void choose(struct output *o, struct argp_state *state, enum form form)
{
	if (o->form != FORM_DEFAULT && o->form != form)
		argp_error(state, "give one of --hex, --base64 and --raw");
	o->form = form;
	o->raw += form == FORM_RAW;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct output *o = state->input;

	switch (key) {
	case 'x':
		choose(o, state, FORM_HEX);
		break;
	case 'b':
		choose(o, state, FORM_BASE64);
		break;
	case 'r':
		choose(o, state, FORM_RAW);
		break;
	case 'o':
		o->path = arg;
		break;
	case KEY_FORCE:
		o->force = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp output_argp = { .options = options, .parser = parse };

/* ---- a file that appears complete ---- */

static char *unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void remove_and_die(int number)
{
	remove_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

static void guard_temporary(char *path)
{
	/* All that end a process from without, or by a limit it reaches. */
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU,
		SIGUSR1, SIGUSR2
	};
	size_t i;

	unfinished = path;
	atexit(remove_unfinished);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signal(signals[i], remove_and_die) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static void open_temporary(struct output *o, mode_t mode)
{
	if (!o->place || asprintf(&o->temporary, "%s.XXXXXX", o->place) < 0)
		fail("out of memory");
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd < 0)
		fail_error(errno, "cannot create a file beside '%s'", o->path);
	guard_temporary(o->temporary);
	fchmod(o->fd, mode);
}

static void open_new(struct output *o)
{
	struct stat st;

	if (!lstat(o->path, &st))
		fail("'%s' is a link to what does not exist", o->path);
	o->place = strdup(o->path);
	open_temporary(o, usual_mode());
}

/* Not a link's place: /dev/stdout may lead to a file, and must stay a link. */
static void open_replacement(struct output *o, const struct stat *st)
{
	o->place = realpath(o->path, NULL);
	if (!o->place)
		fail_error(errno, "cannot find where '%s' leads", o->path);
	/* Who could not read the old one shall not read the new. */
	open_temporary(o, st->st_mode & 0777);
}

/* Pipes and devices are written as they are; files get a new one's place. */
static void open_file(struct output *o)
{
	struct stat st;

	if (stat(o->path, &st)) {
		if (errno != ENOENT)
			fail_error(errno, "cannot write '%s'", o->path);
		open_new(o);
		return;
	}
	if (S_ISBLK(st.st_mode))
		fail("'%s' is a block device: use 'shakerandom fill'", o->path);
	if (S_ISREG(st.st_mode) && !o->force)
		fail("'%s' exists: --force replaces it", o->path);
	if (S_ISREG(st.st_mode)) {
		open_replacement(o, &st);
		return;
	}
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
	if (o->fd < 0)
		fail_error(errno, "cannot write '%s'", o->path);
}

void output_open(struct output *o, enum form otherwise)
{
	bool terminal;

	o->fd = STDOUT_FILENO;
	if (o->path)
		open_file(o);
	terminal = isatty(o->fd);
	if (o->form == FORM_DEFAULT)
		o->form = terminal ? otherwise : FORM_RAW;
	if (terminal && o->form == FORM_RAW && o->raw < 2)
		fail("raw bytes may garble the terminal: choose --hex or "
		     "--base64, or give --raw twice");
}

bool write_all(int fd, const void *data, size_t len)
{
	const uint8_t *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return true;
}

static void put(struct output *o, const void *data, size_t len)
{
	if (!write_all(o->fd, data, len))
		fail_error(errno, "cannot write %s",
			   o->path ? o->path : "standard output");
}

/* ---- forms ---- */

#define LOT 3072	/* bytes encoded at a time, a multiple of OUTPUT_UNIT */

static size_t to_hex(const uint8_t *data, size_t len, char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len; i++) {
		text[2 * i] = digits[data[i] >> 4];
		text[2 * i + 1] = digits[data[i] & 15];
	}
	return 2 * len;
}

static size_t to_base64(const uint8_t *data, size_t len, char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, n = 0;

	for (i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)data[i] << 16;

		v |= i + 1 < len ? (uint32_t)data[i + 1] << 8 : 0;
		v |= i + 2 < len ? data[i + 2] : 0;
		text[n++] = digits[v >> 18];
		text[n++] = digits[v >> 12 & 63];
		text[n++] = i + 1 < len ? digits[v >> 6 & 63] : '=';
		text[n++] = i + 2 < len ? digits[v & 63] : '=';
	}
	return n;
}

void output_write(struct output *o, const uint8_t *data, size_t len)
{
	char text[2 * LOT];
	size_t n, used;

	if (o->form == FORM_RAW) {
		put(o, data, len);
		return;
	}
	for (; len; data += n, len -= n) {
		n = len < LOT ? len : LOT;
		used = o->form == FORM_HEX ? to_hex(data, n, text) :
					     to_base64(data, n, text);
		put(o, text, used);
	}
	explicit_bzero(text, sizeof(text));
}

void output_close(struct output *o)
{
	if (o->form != FORM_RAW)
		put(o, "\n", 1);
	if (o->fd == STDOUT_FILENO)
		return;
	if (o->temporary && fsync(o->fd))
		fail_error(errno, "cannot write '%s'", o->path);
	if (close(o->fd))
		fail_error(errno, "cannot write '%s'", o->path);
	if (o->temporary && rename(o->temporary, o->place))
		fail_error(errno, "cannot rename '%s' to '%s'", o->temporary,
			   o->place);
	unfinished = NULL;
}

void close_stdout(void)
{
	/* A full disk may show only now. */
	if (ferror(stdout) || fclose(stdout))
		fail_error(errno, "cannot write standard output");
}
