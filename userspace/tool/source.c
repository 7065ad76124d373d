// SPDX-License-Identifier: GPL-2.0
/* The options that say where bytes come from, and reading them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

enum {
	KEY_SEED_FILE = 0x100, KEY_KEY_FILE, KEY_NONCE, KEY_STREAM, KEY_OFFSET,
	KEY_DEVICE, KEY_GETRANDOM,
};

static const struct argp_option options[] = {
	OPTION("seed", 's', "TEXT", "any text"),
	OPTION("key", 'k', "HEX", "the format's key"),
	OPTION("seed-file", KEY_SEED_FILE, "FILE",
	       "the text is in FILE (- is standard input); one newline at "
	       "its end does not count"),
	OPTION("key-file", KEY_KEY_FILE, "FILE", "FILE holds the key's bytes"),
	OPTION("format", 'f', "NAME", "aes256-ctr if not given; "
	       "'shakerandom info --formats' lists them"),
	OPTION("nonce", KEY_NONCE, "HEX", "16 bytes, zeros if not given"),
	OPTION("stream", KEY_STREAM, "NUMBER",
	       "one of 2^64 sub-streams of the same seed, 0 if not given"),
	OPTION("offset", KEY_OFFSET, "SIZE", "start there in the stream"),
	END_OF_OPTIONS
};

static const struct argp_option device_options[] = {
	OPTION("device", KEY_DEVICE, "PATH", "instead of " DEVICE),
	END_OF_OPTIONS
};

static const struct argp_option random_options[] = {
	OPTION("device", KEY_DEVICE, "PATH", "instead of " DEVICE),
	OPTION("or-getrandom", KEY_GETRANDOM, NULL,
	       "without a device take random bytes from getrandom(2)"),
	END_OF_OPTIONS
};

/* ---- seeds ---- */

static void only_one(struct source *s, struct argp_state *state)
{
	if (s->kind != SEED_NONE)
		argp_error(state, "give one seed or key, not two");
}

static void take_text(struct source *s, struct argp_state *state, char *arg)
{
	size_t len = strlen(arg);

	only_one(s, state);
	if (len > SHAKERANDOM_SEED_MAX)
		argp_error(state, "a seed has at most %d bytes, not %zu; "
			   "'shakerandom xof' makes a short one of a long one",
			   SHAKERANDOM_SEED_MAX, len);
	memcpy(s->seed, arg, len);
	s->seed_len = len;
	s->kind = SEED_TEXT;
	/* Other users can see our arguments: not for longer than needed. */
	memset(arg, 0, len);
}

static void take_key(struct source *s, struct argp_state *state, char *arg)
{
	int len;

	only_one(s, state);
	len = parse_hex(arg, s->seed, sizeof(s->seed));
	if (len < 0)
		argp_error(state, "--key takes pairs of hex digits, at most "
			   "%d; for text use --seed", SHAKERANDOM_SEED_MAX);
	s->seed_len = (size_t)len;
	s->kind = SEED_KEY;
	memset(arg, 0, strlen(arg));
}

/* Bytes of a file; -1 if there are more than @size. */
static ssize_t read_file(const char *path, uint8_t *buf, size_t size)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	ssize_t n = 1;
	uint8_t more;

	if (fd < 0)
		fail_error(errno, "cannot open '%s'", path);
	while (n > 0 && got < size) {
		n = read(fd, buf + got, size - got);
		got += n > 0 ? (size_t)n : 0;
	}
	if (n > 0)
		n = read(fd, &more, 1);
	if (n < 0)
		fail_error(errno, "cannot read '%s'", path);
	if (!standard)
		close(fd);
	return n ? -1 : (ssize_t)got;
}

static void take_file(struct source *s, struct argp_state *state, char *path,
		      bool text)
{
	ssize_t len;

	only_one(s, state);
	len = read_file(path, s->seed, sizeof(s->seed));
	if (len < 0)
		fail("'%s' holds more than the %d bytes of a seed: "
		     "'shakerandom xof' makes a short one of it", path,
		     SHAKERANDOM_SEED_MAX);
	if (text && len && s->seed[len - 1] == '\n')
		len--;
	s->seed_len = (size_t)len;
	s->kind = text ? SEED_TEXT : SEED_KEY;
}

/* ---- do the options fit together ---- */

static void take_nonce(struct source *s, struct argp_state *state, char *arg)
{
	if (parse_hex(arg, s->nonce, sizeof(s->nonce)) !=
	    (int)sizeof(s->nonce))
		argp_error(state, "--nonce takes 32 hex digits, not '%s'", arg);
	s->has_nonce = true;
}

static void take_format(struct source *s, struct argp_state *state, char *arg)
{
	s->format = shakerandom_describe_name(arg);
	if (!s->format)
		argp_error(state, "there is no format '%s': 'shakerandom info "
			   "--formats' lists them", arg);
}

static bool right_length(const struct source *s)
{
	size_t len = s->seed_len;

	if (s->format->format == SHAKERANDOM_SHAKE256_RATCHET)
		return len == 16 || len == 24 || len == 32 || len == 136;
	return !s->format->seed_len || len == s->format->seed_len;
}

static void check_seed(struct source *s, struct argp_state *state)
{
	const char *name = s->format->name;

	if (s->kind == SEED_TEXT && s->format->forgets)
		argp_error(state, "format %s takes no text: use --key", name);
	if (s->kind == SEED_KEY && !right_length(s))
		argp_error(state, "format %s takes a key of %s bytes, not %zu",
			   name, s->format->format ==
			   SHAKERANDOM_SHAKE256_RATCHET ? "16, 24, 32 or 136" :
			   s->format->seed_len == 136 ? "136" :
			   s->format->seed_len == 32 ? "32" : "16",
			   s->seed_len);
}

static void check(struct source *s, struct argp_state *state)
{
	bool described = s->format || s->has_nonce || s->has_number ||
			 s->offset;

	if (s->kind == SEED_NONE && described)
		argp_error(state, "--format, --nonce, --stream and --offset "
			   "describe a stream: add --seed or --key");
	if (s->kind == SEED_NONE)
		return;
	if (!s->format)
		s->format = shakerandom_describe(SHAKERANDOM_AES256_CTR);
	check_seed(s, state);
	if (s->has_nonce && s->has_number)
		argp_error(state, "--stream N stands for a nonce: "
			   "give one of --stream and --nonce");
	if ((s->has_nonce || s->has_number) && !s->format->nonce)
		argp_error(state, "format %s has no nonce and no sub-streams",
			   s->format->name);
	if (s->offset > STREAM_END)
		argp_error(state, "a stream ends at 2^63 - 1: "
			   "--offset is past that");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct source *s = state->input;

	arg = unshielded(arg);
	switch (key) {
	case 's':
		take_text(s, state, arg);
		break;
	case 'k':
		take_key(s, state, arg);
		break;
	case KEY_SEED_FILE:
	case KEY_KEY_FILE:
		take_file(s, state, arg, key == KEY_SEED_FILE);
		break;
	case 'f':
		take_format(s, state, arg);
		break;
	case KEY_NONCE:
		take_nonce(s, state, arg);
		break;
	case KEY_STREAM:
		s->number = count_argument(state, "--stream", arg);
		s->has_number = true;
		break;
	case KEY_OFFSET:
		s->offset = size_argument(state, "--offset", arg);
		break;
	case ARGP_KEY_END:
		check(s, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_device(int key, char *arg, struct argp_state *state)
{
	struct source *s = state->input;

	arg = unshielded(arg);
	switch (key) {
	case KEY_DEVICE:
		s->device = arg;
		break;
	case KEY_GETRANDOM:
		s->setup |= SHAKERANDOM_OR_GETRANDOM;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp device_argp = {
	.options = device_options,
	.parser = parse_device,
};

const struct argp random_argp = {
	.options = random_options,
	.parser = parse_device,
};

const struct argp source_argp = { .options = options, .parser = parse };

/* ---- reading ---- */

static void open_stream(struct source *s)
{
	struct shakerandom_params params = {
		.format = s->format->format,
		.flags = s->kind == SEED_TEXT ? SHAKERANDOM_TEXT : 0,
		.seed = s->seed,
		.seed_len = s->seed_len,
		.nonce = s->has_nonce ? s->nonce : NULL,
		.number = s->number,
	};
	int err = shakerandom_stream_open(&s->stream, &params);

	if (!err && s->offset)
		err = shakerandom_stream_seek(s->stream, s->offset);
	if (err)
		fail_library(err);
}

void source_open(struct source *s)
{
	int err = shakerandom_setup(s->device, s->setup);

	if (err)
		fail_library(err);
	if (s->kind != SEED_NONE)
		open_stream(s);
}

int source_fill(struct source *s, void *buf, size_t len)
{
	return s->stream ? shakerandom_stream_fill(s->stream, buf, len) :
			   shakerandom_fill(buf, len);
}

bool source_parallel(const struct source *s)
{
	return !s->stream || s->format->seekable;
}

int source_at(struct source *s, void *buf, size_t len, uint64_t at)
{
	int err;

	if (!s->stream)
		return shakerandom_fill(buf, len);
	if (s->format->seekable)
		return shakerandom_stream_pread(s->stream, buf, len, at);
	err = shakerandom_stream_seek(s->stream, at);
	return err ? err : shakerandom_stream_fill(s->stream, buf, len);
}

void source_close(struct source *s)
{
	shakerandom_stream_close(s->stream);
	s->stream = NULL;
	explicit_bzero(s->seed, sizeof(s->seed));
}

static void hash_identity(const struct source *s, shakerandom_stream *hash,
			  uint8_t digest[16])
{
	uint64_t words[] = { s->format->format, s->kind, s->number,
			     s->seed_len };
	static const char label[] = "shakerandom-resume-v1";
	int err = shakerandom_stream_absorb(hash, label, sizeof(label));

	if (!err)
		err = shakerandom_stream_absorb(hash, words, sizeof(words));
	if (!err)
		err = shakerandom_stream_absorb(hash, s->nonce,
						sizeof(s->nonce));
	if (!err)
		err = shakerandom_stream_absorb(hash, s->seed, s->seed_len);
	if (!err)
		err = shakerandom_stream_fill(hash, digest, 16);
	if (err)
		fail_library(err);
}

void source_identity(const struct source *s, char *text, size_t size)
{
	struct shakerandom_params params = {
		.format = SHAKERANDOM_SHAKE256,
		.flags = SHAKERANDOM_ABSORB,
	};
	shakerandom_stream *hash;
	uint8_t digest[16];
	int i, err, len;

	if (!s->stream) {
		snprintf(text, size, "random");
		return;
	}
	err = shakerandom_stream_open(&hash, &params);
	if (err)
		fail_library(err);
	hash_identity(s, hash, digest);
	shakerandom_stream_close(hash);
	len = snprintf(text, size, "%s ", s->format->name);
	for (i = 0; i < 16; i++)
		len += snprintf(text + len, size - (size_t)len, "%02x",
				digest[i]);
}
