// SPDX-License-Identifier: GPL-2.0
/* What fill and verify share: options, and a crew that works in parallel. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define PIECE_SIZE ((uint64_t)1 << 20)	/* ends at multiples of it */
#define MOST_JOBS 64
#define USUAL_JOBS 8
#define SAVE_EVERY UINT64_C(5000000000)	/* ns between notes of progress */

/* ---- options ---- */

enum {
	KEY_SKIP = 0x300, KEY_LENGTH, KEY_FORCE, KEY_RESUME, KEY_PROGRESS,
};

static const struct argp_option options[] = {
	OPTION("skip", KEY_SKIP, "SIZE", "leave out so much at the start; "
	       "byte N always belongs to byte --offset + N of the stream"),
	OPTION("length", KEY_LENGTH, "SIZE", "so many bytes, instead of all "
	       "up to the end"),
	OPTION("jobs", 'j', "NUMBER", "so many at once (number of processors, "
	       "at most 8)"),
	OPTION("resume", KEY_RESUME, "FILE", "note in FILE how far it came, "
	       "and go on from there if it was stopped"),
	OPTION("force", KEY_FORCE, NULL, "even if the device is in use"),
	OPTION("progress", KEY_PROGRESS, NULL, "show progress even if that "
	       "is no terminal"),
	OPTION("quiet", 'q', NULL, "show neither progress nor result"),
	END_OF_OPTIONS
};

static unsigned int jobs_argument(struct argp_state *state, const char *arg)
{
	uint64_t jobs = count_argument(state, "--jobs", arg);

	if (jobs < 1 || jobs > MOST_JOBS)
		argp_error(state, "--jobs takes 1 to %d, not %s", MOST_JOBS,
			   arg);
	return (unsigned int)jobs;
}

static void take_path(struct area *a, struct argp_state *state, char *arg)
{
	if (a->path)
		extra_argument(state, arg);
	a->path = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct area *a = state->input;

	switch (key) {
	case KEY_SKIP:
		a->skip = size_argument(state, "--skip", arg);
		break;
	case KEY_LENGTH:
		a->length = size_argument(state, "--length", arg);
		a->has_length = true;
		break;
	case 'j':
		a->jobs = jobs_argument(state, arg);
		break;
	case KEY_RESUME:
		a->resume.path = arg;
		break;
	case KEY_FORCE:
		a->force = true;
		break;
	case KEY_PROGRESS:
		a->progress = PROGRESS_ALWAYS;
		break;
	case 'q':
		a->quiet = true;
		a->progress = PROGRESS_NEVER;
		break;
	case ARGP_KEY_ARG:
		take_path(a, state, arg);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "say which DEVICE or FILE");
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->source;
		state->child_inputs[1] = &a->source;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	SOURCE_CHILD,
	RANDOM_CHILD,
	END_OF_CHILDREN
};

const struct argp area_argp = {
	.options = options,
	.parser = parse,
	.children = children,
};

/* ---- which part ---- */

static uint64_t end_by_options(const struct area *a)
{
	const struct target *t = &a->target;
	uint64_t end;

	if (__builtin_add_overflow(a->skip, a->length, &end) ||
	    end > STREAM_END)
		fail("--skip and --length go past 2^63 - 1 bytes");
	if (t->block && end > t->size)
		fail("'%s' has %" PRIu64 " bytes, --skip and --length go to "
		     "%" PRIu64, t->path, t->size, end);
	return end;
}

uint64_t area_end(struct area *a)
{
	const struct target *t = &a->target;
	uint64_t end = a->has_length ? end_by_options(a) : t->size;

	if (!a->has_length && !t->size)
		fail("'%s' is empty: say how much with --length", t->path);
	if (a->skip > end)
		fail("'%s' has %" PRIu64 " bytes, --skip leaves out more",
		     t->path, t->size);
	if (end > STREAM_END - a->source.offset)
		fail("the stream ends at 2^63 - 1, before the end of '%s': "
		     "choose a smaller --offset", t->path);
	return end;
}

/* ---- the crew ---- */

struct worker {
	struct crew *crew;
	pthread_t thread;
	uint8_t *buffer;
	uint64_t at;		/* of its piece; UINT64_MAX: none */
};

struct crew {
	struct area *area;
	piece_fn *piece;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	uint64_t next, end;
	uint64_t noted;		/* all before it is on the disk */
	struct finding first;
	struct worker workers[MOST_JOBS];
	unsigned int count, running;
};

/*
 * Pieces are handed out in order. So when one is found bad, all before it are
 * done or being done: the first trouble of all is known once those are.
 */
static bool claim(struct worker *w, size_t *len)
{
	struct crew *c = w->crew;
	bool more;

	pthread_mutex_lock(&c->lock);
	more = c->next < c->end && c->first.trouble == TROUBLE_NONE &&
	       !stop_asked();
	w->at = more ? c->next : UINT64_MAX;
	if (more) {
		*len = PIECE_SIZE - c->next % PIECE_SIZE;
		if (*len > c->end - c->next)
			*len = c->end - c->next;
		c->next += *len;
	}
	pthread_mutex_unlock(&c->lock);
	return more;
}

static void report(struct crew *c, const struct finding *found)
{
	if (found->trouble == TROUBLE_NONE)
		return;
	pthread_mutex_lock(&c->lock);
	if (c->first.trouble == TROUBLE_NONE || found->at < c->first.at)
		c->first = *found;
	pthread_mutex_unlock(&c->lock);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct crew *c = w->crew;
	struct finding found;
	size_t len;

	while (claim(w, &len)) {
		found = c->piece(c->area, w->buffer, len, w->at);
		report(c, &found);
	}
	pthread_mutex_lock(&c->lock);
	c->running--;
	pthread_cond_signal(&c->idle);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* All before this is done. Under the lock. */
static uint64_t done_so_far(const struct crew *c)
{
	uint64_t done = c->next;
	unsigned int i;

	for (i = 0; i < c->count; i++)
		if (c->workers[i].at < done)
			done = c->workers[i].at;
	if (c->first.trouble != TROUBLE_NONE && c->first.at < done)
		done = c->first.at;
	return done;
}

static bool start_worker(struct crew *c, struct worker *w)
{
	w->crew = c;
	w->at = UINT64_MAX;
	w->buffer = aligned_alloc(4096, 2 * PIECE_SIZE);
	if (!w->buffer)
		return false;
	if (pthread_create(&w->thread, NULL, work, w)) {
		free(w->buffer);
		return false;
	}
	return true;
}

static unsigned int usual_jobs(const struct area *a, uint64_t length)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t jobs = a->jobs;

	if (!source_parallel(&a->source))
		return 1;
	if (!jobs)
		jobs = processors < 1 ? 1 : processors > USUAL_JOBS ?
		       USUAL_JOBS : (uint64_t)processors;
	if (jobs > length / PIECE_SIZE + 1)
		jobs = length / PIECE_SIZE + 1;
	return (unsigned int)jobs;
}

/* Signals are for the first thread: the others are not to be interrupted. */
static void start_crew(struct crew *c, unsigned int jobs)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_mutex_lock(&c->lock);
	while (c->count < jobs && start_worker(c, &c->workers[c->count])) {
		c->count++;
		c->running++;
	}
	pthread_mutex_unlock(&c->lock);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!c->count)
		fail("cannot start a thread: out of memory or of processes");
}

/* What the note promises must be on the disk first. 0 or an errno. */
static int save(struct area *a, uint64_t done)
{
	int err = a->resume.path && a->write ? target_sync(&a->target) : 0;

	/* An earlier note speaks of the file, even if this one fails. */
	if (a->resume.path)
		target_keep();
	if (!err)
		resume_save(&a->resume, done);
	return err;
}

/*
 * The kernel tells only once that bytes did not get to the disk, and not which:
 * all since the last note may be missing.
 */
static void save_now(struct crew *c, uint64_t done)
{
	struct finding lost = { .trouble = TROUBLE_IO, .at = c->noted };

	lost.error = save(c->area, done);
	if (lost.error)
		report(c, &lost);
	else
		c->noted = done;
}

static void wait_a_little(struct crew *c)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 100000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&c->idle, &c->lock, &until);
}

/* Until all workers are gone: shows and notes how far they are. */
static void watch(struct crew *c, struct progress *p, uint64_t from)
{
	uint64_t done, saved = now_ns();

	pthread_mutex_lock(&c->lock);
	while (c->running) {
		wait_a_little(c);
		done = done_so_far(c);
		pthread_mutex_unlock(&c->lock);
		progress_show(p, done - from);
		if (now_ns() - saved > SAVE_EVERY) {
			save_now(c, done);
			saved = now_ns();
		}
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
}

static void end_crew(struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->count; i++) {
		pthread_join(c->workers[i].thread, NULL);
		explicit_bzero(c->workers[i].buffer, 2 * PIECE_SIZE);
		free(c->workers[i].buffer);
	}
}

static struct crew *new_crew(struct area *a, piece_fn *piece, uint64_t next,
			     uint64_t end)
{
	struct crew *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		fail("out of memory");
	c->area = a;
	c->piece = piece;
	c->next = c->noted = next;
	c->end = end;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->idle, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

/* ---- the whole run ---- */

static void describe_job(struct area *a, uint64_t end)
{
	char *real = realpath(a->path, NULL);
	char identity[128];

	if (!a->resume.path)
		return;
	source_identity(&a->source, identity, sizeof(identity));
	if (asprintf(&a->resume.job, "command %s\ntarget %s\nskip %" PRIu64
		     "\nend %" PRIu64 "\noffset %" PRIu64 "\nstream %s\n",
		     a->write ? "fill" : "verify", real ? real : a->path,
		     a->skip, end, a->source.offset, identity) < 0)
		fail("out of memory");
	free(real);
}

static uint64_t where_it_left_off(struct area *a, uint64_t end)
{
	uint64_t done = a->skip;

	if (!resume_load(&a->resume, &done))
		return a->skip;
	if (done < a->skip || done > end)
		fail("'%s' is damaged: remove it to start afresh",
		     a->resume.path);
	if (!a->target.block && done > a->skip && done > a->target.size)
		fail("'%s' says that %" PRIu64 " bytes are done, but '%s' has "
		     "%" PRIu64 ": remove the former to start afresh",
		     a->resume.path, done, a->path, a->target.size);
	if (!a->quiet)
		say("going on at byte %" PRIu64, done);
	return done;
}

/* The last note of a run: none is needed when all is done. */
static void settle(struct area *a, uint64_t done, uint64_t end)
{
	int err = 0;

	if (done >= end)
		resume_remove(&a->resume);
	else
		err = save(a, done);
	if (err)
		say_error(err, "cannot write '%s'", a->path);
}

uint64_t area_run(struct area *a, uint64_t end, piece_fn *piece,
		  struct finding *first)
{
	struct progress progress;
	struct crew *crew;
	uint64_t begin, done;

	describe_job(a, end);
	begin = where_it_left_off(a, end);
	if (a->write)
		target_reserve(&a->target, begin, end - begin);
	/* A note that cannot be written is found out now, not in an hour. */
	resume_save(&a->resume, begin);
	crew = new_crew(a, piece, begin, end);
	progress_start(&progress, a->progress, end - a->skip,
		       begin - a->skip);
	start_crew(crew, usual_jobs(a, end - begin));
	watch(crew, &progress, a->skip);
	end_crew(crew);
	done = done_so_far(crew);
	progress_end(&progress, done - a->skip);
	*first = crew->first;
	if (a->write && first->trouble == TROUBLE_NONE) {
		first->error = target_sync(&a->target);
		first->trouble = first->error ? TROUBLE_IO : TROUBLE_NONE;
		first->at = first->error ? crew->noted : 0;
	}
	if ((first->trouble == TROUBLE_NONE && (done > begin || done == end)) ||
	    a->resume.path)
		target_keep();
	if (!(a->write && first->error))
		settle(a, done, end);
	free(crew);
	free(a->resume.job);
	return done;
}

void area_stopped(struct area *a, uint64_t done, uint64_t end)
{
	if (a->resume.path)
		say("stopped at byte %" PRIu64 " of %" PRIu64 ": the same "
		    "command goes on from there", done, end);
	else
		say("stopped at byte %" PRIu64 " of %" PRIu64 ": go on with "
		    "--skip %" PRIu64 " --length %" PRIu64, done, end, done,
		    end - done);
	source_close(&a->source);
	target_close(&a->target);
	/* Who dies by a signal does not get to what exit would do. */
	target_discard();
	stop_now();
}

void area_summary(struct area *a, const char *did, uint64_t end)
{
	if (!a->quiet)
		printf("%s: %s %" PRIu64 " bytes\n", a->path, did,
		       end - a->skip);
}
