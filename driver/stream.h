/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one open file reads from: the pool, or one private format instance.
 */
#ifndef SRND_STREAM_H
#define SRND_STREAM_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include "pool.h"

/*
 * A seeded stream. A seekable one never changes after it is seeded, and its
 * position is the file's. A forward-only one owns its position; lock guards
 * that, the instance and its window.
 */
struct srnd_stream {
	refcount_t users;
	struct rcu_head rcu;
	const struct srnd_format *format;
	u32 number;		/* enum shakerandom_format */
	union srnd_instance instance;
	u8 *window;		/* of an erasing format */
	struct mutex lock;
	u64 position;
	bool absorbing;		/* write appends to the message */
};

struct srnd_file {
	struct srnd_stream __rcu *stream;	/* NULL: secure mode */
	enum srnd_generator generator;		/* of secure mode */
	u64 seen_generation;			/* at the last INFO, for poll */
};

/*
 * A stream of @format for @seed; an ERR_PTR with the errno the header
 * documents. @seed is a kernel copy of args->seed. The caller owns the
 * reference.
 */
struct shakerandom_seed;
struct srnd_stream *srnd_stream_create(const struct shakerandom_seed *args,
				       const u8 *seed);

/* The file's stream with a reference, or NULL in secure mode. */
struct srnd_stream *srnd_stream_get(struct srnd_file *file);

/* Drops a reference (NULL is fine); the last one wipes and frees. */
void srnd_stream_put(struct srnd_stream *s);

/*
 * Makes @s (NULL: the pool) what the file reads from, at position 0; drops the
 * old one.
 */
void srnd_stream_install(struct file *filp, struct srnd_stream *s);

/*
 * One read or verification of one file, as a cursor. Use: begin; any number of
 * (peek at most SRND_PEEK_MAX bytes, then took how many were used); end.
 */
struct srnd_cursor {
	struct srnd_stream *stream;		/* NULL: the pool */
	enum srnd_generator generator;
	bool bulk_begun;
	bool absorbing;				/* a writer's, see begin */
	u64 position;				/* of the stream */
	union {
		struct srnd_bulk bulk;		/* the pool, long reads */
		union srnd_instance ahead;	/* a sponge, past the peek */
	};
};

#define SRND_PEEK_MAX 4096
#define SRND_SMALL 256	/* reads up to this take from the pool's buffers */

/*
 * At iocb->ki_pos of iocb->ki_filp (secure mode has no position). A stream that
 * is still absorbing stays so for @write, and then only ends. 0, -ESPIPE when a
 * forward-only stream stands elsewhere, -EAGAIN when another thread is reading
 * one and the call must not wait, -EINTR when killed.
 */
int srnd_cursor_begin(struct srnd_cursor *c, struct kiocb *iocb, bool write);

/*
 * The next bytes, as many of @len as are at hand: how many, 0 only at the end
 * of offsets. Secure mode forgets them at once.
 */
size_t srnd_cursor_peek(struct srnd_cursor *c, u8 *out, size_t len);

/*
 * @used of the @len bytes just peeked were delivered. @buffer is the one they
 * were peeked into; it may be scribbled on.
 */
void srnd_cursor_took(struct srnd_cursor *c, u8 *buffer, size_t len,
		      size_t used);

/* Moves iocb->ki_pos to where the cursor came. */
void srnd_cursor_end(struct srnd_cursor *c, struct kiocb *iocb);

#endif
