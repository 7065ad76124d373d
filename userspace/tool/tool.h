/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the shakerandom command share. */
#ifndef TOOL_H
#define TOOL_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shakerandom.h>

#define DEVICE "/dev/shakerandom"
#define STREAM_END INT64_MAX		/* of streams: no byte is there */

/* Exit status of every command, as of cmp(1) and grep(1). */
enum status {
	STATUS_OK = 0,
	STATUS_NO = 1,			/* the answer is no: a difference */
	STATUS_TROUBLE = 2,
};

/* ---- main.c ---- */

struct command {
	const char *name;
	const char *summary;		/* one line, as in the list of --help */
	/* @argv[0] is "shakerandom NAME". Returns an enum status. */
	int (*run)(int argc, char **argv);
};

extern const struct command cmd_read, cmd_fill, cmd_verify, cmd_xof, cmd_uuid,
	cmd_int, cmd_info, cmd_bench, cmd_doctor;

/* A row of options; argp's own structure wants a sixth member every time. */
#define OPTION(name, key, arg, doc) { (name), (key), (arg), 0, (doc), 0 }
#define END_OF_OPTIONS { 0 }

/* Those of another parser, below their own heading. */
#define CHILD(argp, heading, place) { &(argp), 0, (heading), (place) }
#define SOURCE_CHILD CHILD(source_argp, \
	"A reproducible stream instead of random bytes:", 2)
#define DEVICE_CHILD CHILD(device_argp, "Device:", 3)
#define RANDOM_CHILD CHILD(random_argp, "Device:", 3)
#define OUTPUT_CHILD CHILD(output_argp, "Output:", 1)
#define END_OF_CHILDREN { 0 }

/* ---- say.c: messages ---- */

/* "shakerandom read", before every message. */
extern const char *program;

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The message, then ": " and what @error (an errno) means. */
void say_error(int error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, and exit(STATUS_TROUBLE). Not in threads other than the first. */
_Noreturn void fail(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
_Noreturn void fail_error(int error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* For a SHAKERANDOM_ERR_*: what it means and, if there is one, the remedy. */
_Noreturn void fail_library(int error);
void say_library(int error);

/* ---- number.c: what users type ---- */

/* "10", "0x10", "64K", "64KiB" (1024), "64KB" (1000), up to E. */
bool parse_size(const char *text, uint64_t *value);
bool parse_u64(const char *text, uint64_t *value);
/* Pairs of hex digits, up to @size bytes; -1 if it is not that. */
int parse_hex(const char *text, uint8_t *out, size_t size);

/* These complain through argp, which exits. */
uint64_t size_argument(struct argp_state *state, const char *what,
		       const char *text);
uint64_t count_argument(struct argp_state *state, const char *what,
			const char *text);
/* A second word where a command takes one. */
void extra_argument(struct argp_state *state, const char *word);

/* "1.2 GiB"; @text holds 16 bytes. */
char *size_text(uint64_t bytes, char *text);

/*
 * "-5" is a number, not an option: hides that from getopt. Parsers get at the
 * word itself, which may be an option's argument, by unshielded.
 */
void shield_negatives(int argc, char **argv);
char *unshielded(char *arg);

/* ---- stop.c: being told to stop ---- */

/* From now on SIGINT, SIGTERM and SIGHUP are only remembered. */
void stop_catch(void);
bool stop_asked(void);
/* Ends the process by the signal remembered, as if it had not been caught. */
void stop_now(void);

/* ---- source.c: where bytes come from ---- */

struct source {
	const char *device;		/* NULL: the usual one */
	unsigned int setup;		/* flags of shakerandom_setup */
	const struct shakerandom_description *format;	/* NULL: secure */
	enum { SEED_NONE, SEED_TEXT, SEED_KEY } kind;
	uint8_t seed[SHAKERANDOM_SEED_MAX];
	size_t seed_len;
	bool has_nonce, has_number;
	uint8_t nonce[SHAKERANDOM_NONCE_SIZE];
	uint64_t number;
	uint64_t offset;		/* of the stream */
	shakerandom_stream *stream;	/* NULL: secure */
};

/* Child parsers; the input of each is the struct source, zeroed. */
extern const struct argp source_argp;	/* which stream */
extern const struct argp device_argp;	/* which device */
extern const struct argp random_argp;	/* or what instead of it */

/* Opens what the options say, at position @offset; fails with the reason. */
void source_open(struct source *s);
/* The next @len bytes. */
int source_fill(struct source *s, void *buf, size_t len);
/* Those at @at, for any thread if source_parallel. */
int source_at(struct source *s, void *buf, size_t len, uint64_t at);
bool source_parallel(const struct source *s);
void source_close(struct source *s);
/* Tells streams apart without giving away the seed: "aes256-ctr 0123...". */
void source_identity(const struct source *s, char *text, size_t size);

/* ---- output.c: where bytes go ---- */

enum form { FORM_DEFAULT, FORM_HEX, FORM_BASE64, FORM_RAW };

struct output {
	enum form form;
	unsigned int raw;		/* how often it was asked for */
	const char *path;		/* NULL: standard output */
	bool force;			/* replace an existing file */
	int fd;
	char *place;			/* the file that path leads to */
	char *temporary;		/* becomes it when all is written */
};

/* Pieces must be multiples of this, all but the last. */
#define OUTPUT_UNIT 12
#define PIECE (OUTPUT_UNIT * 65536)

/* The options --hex, --base64, --raw, --output, --force; input: the struct. */
extern const struct argp output_argp;

/* Refuses raw bytes for a terminal; FORM_DEFAULT becomes @otherwise there. */
void output_open(struct output *o, enum form otherwise);
void output_write(struct output *o, const uint8_t *data, size_t len);
void output_close(struct output *o);

/* All of it, or false with errno. */
bool write_all(int fd, const void *data, size_t len);
/* Closes standard output; fails if something never reached it. */
void close_stdout(void);

/* ---- progress.c ---- */

struct progress {
	bool shown;
	bool on_terminal;
	bool drawn;
	uint64_t total;			/* 0: not known */
	uint64_t before;		/* done by an earlier run */
	uint64_t start, last;		/* nanoseconds */
};

enum progress_wish { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

uint64_t now_ns(void);
void progress_start(struct progress *p, enum progress_wish wish,
		    uint64_t total, uint64_t before);
/* @done counts from the same zero as @before. Cheap; draws now and then. */
void progress_show(struct progress *p, uint64_t done);
void progress_end(struct progress *p, uint64_t done);

/* ---- target.c: what fill and verify work on ---- */

struct target {
	const char *path;
	int fd;
	int direct;			/* past the page cache, or -1 */
	bool block;
	uint64_t size;
};

/*
 * Opens a block device or regular file. One in use needs @force. For writing, a
 * file that does not exist is created if @create.
 */
void target_open(struct target *t, const char *path, bool write, bool create,
		 bool force);
/*
 * Has the file system set the room aside, so that it cannot run out later. That
 * may take long: a signal ends it early, see stop_asked.
 */
void target_reserve(struct target *t, uint64_t from, uint64_t length);
/* A descriptor for these bytes; @len and @at decide if it may be direct. */
int target_fd(const struct target *t, size_t len, uint64_t at);
int target_sync(const struct target *t);
/* A file that target_open created stays; without this it goes at exit... */
void target_keep(void);
/* ... or now. */
void target_discard(void);
void target_close(struct target *t);

/* ---- resume.c ---- */

struct resume {
	const char *path;		/* NULL: not wanted */
	char *job;			/* what must be the same next time */
};

/* True if an earlier run of this very job left off at *@done. */
bool resume_load(const struct resume *r, uint64_t *done);
void resume_save(const struct resume *r, uint64_t done);
void resume_remove(const struct resume *r);

/* ---- area.c: fill and verify ---- */

struct area {
	/* from the command line */
	const char *path;
	struct source source;
	uint64_t skip, length;
	bool has_length, force, quiet;
	unsigned int jobs;		/* 0: choose */
	enum progress_wish progress;
	struct resume resume;
	/* of the run */
	bool write;
	struct target target;
	struct crew *crew;
};

enum trouble {
	TROUBLE_NONE,
	TROUBLE_SOURCE,			/* error: SHAKERANDOM_ERR_* */
	TROUBLE_IO,			/* error: errno */
	TROUBLE_SHORT,			/* the target ends here */
	TROUBLE_DIFFERENT,
};

struct finding {
	enum trouble trouble;
	int error;
	int saved_errno;
	uint64_t at;
};

/*
 * Works on one piece with a buffer of twice its size; reports the first trouble
 * in it.
 */
typedef struct finding piece_fn(struct area *a, uint8_t *buf, size_t len,
				uint64_t at);

extern const struct argp area_argp;	/* all of it; input: the struct */
#define AREA_CHILDREN { { .argp = &area_argp }, END_OF_CHILDREN }

/* Where to end: by the options, or else the target's own end. */
uint64_t area_end(struct area *a);
/*
 * Does [skip, end) in parallel. All before the place that is returned is done;
 * it is the end, or that of the first trouble, or where a signal stopped it.
 */
uint64_t area_run(struct area *a, uint64_t end, piece_fn *piece,
		  struct finding *first);
/* Stopped by a signal: says how to go on, and ends by that signal. */
void area_stopped(struct area *a, uint64_t done, uint64_t end);
void area_summary(struct area *a, const char *did, uint64_t end);

/* ---- device.c: the device, where the library has no word for it ---- */

int device_open(const char *path);	/* read-write; -1 and errno */
bool device_info(int fd, struct shakerandom_info *info);
bool device_select(int fd, uint32_t format);
bool device_seed(int fd, uint32_t format, const void *seed, size_t len);
/* First line of a file, without newline; false if it cannot be read. */
bool read_line(const char *path, char *text, size_t size);

#endif
