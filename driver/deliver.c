// SPDX-License-Identifier: GPL-2.0
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "deliver.h"
#include "engine.h"
#include "stream.h"

/*
 * Where a piece is computed before it is copied. Short requests stay on the
 * stack; long ones that cannot have a page make do with it, too.
 */
struct bounce {
	u8 *data;
	size_t size;
	u8 small[SRND_SMALL];
};

static void bounce_get(struct bounce *b, size_t wanted, bool nowait)
{
	b->data = NULL;
	if (wanted > sizeof(b->small))
		b->data = kmalloc(SRND_PEEK_MAX,
				  __GFP_NOWARN |
					  (nowait ? GFP_NOWAIT : GFP_KERNEL));
	b->size = SRND_PEEK_MAX;
	if (!b->data) {
		b->data = b->small;
		b->size = sizeof(b->small);
	}
}

static void bounce_put(struct bounce *b)
{
	srnd_wipe(b->data, b->size);
	if (b->data != b->small)
		kfree(b->data);
}

static bool nowait(const struct kiocb *iocb)
{
	return iocb->ki_flags & (IOCB_NOWAIT | IOCB_NOIO);
}

/* O_NONBLOCK speaks of the kernel RNG; what comes after is never a wait. */
static int wait_ready(const struct kiocb *iocb)
{
	return srnd_pool_ready(nowait(iocb) ||
			       iocb->ki_filp->f_flags & O_NONBLOCK);
}

/*
 * Between two pieces: true if the caller should return what there is. Short
 * requests (a piece may end early, at a boundary) are never cut.
 */
static bool interrupted(size_t done, size_t left)
{
	cond_resched();
	return left && done + left > SRND_SMALL && signal_pending(current);
}

static ssize_t deliver_pieces(struct srnd_cursor *c, struct bounce *b,
			      struct iov_iter *to)
{
	size_t n, copied, done = 0;

	while (iov_iter_count(to)) {
		n = srnd_cursor_peek(c, b->data,
				     min(iov_iter_count(to), b->size));
		if (!n)
			break;
		copied = copy_to_iter(b->data, n, to);
		srnd_cursor_took(c, b->data, n, copied);
		done += copied;
		if (copied < n)
			return done ? done : -EFAULT;
		if (interrupted(done, iov_iter_count(to)))
			break;
	}
	return done;
}

ssize_t srnd_deliver(struct kiocb *iocb, struct iov_iter *to)
{
	struct srnd_cursor c;
	struct bounce b;
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	ret = srnd_cursor_begin(&c, iocb, false);
	if (ret)
		return ret;
	if (!c.stream)
		ret = wait_ready(iocb);
	if (!ret) {
		bounce_get(&b, iov_iter_count(to), nowait(iocb));
		ret = deliver_pieces(&c, &b, to);
		bounce_put(&b);
	}
	srnd_cursor_end(&c, iocb);
	if (ret > 0)
		srnd_count(SRND_BYTES, ret);
	return ret;
}

/* The length of the common start of @a and @b. */
static size_t matching(const u8 *a, const u8 *b, size_t len)
{
	size_t i = 0;

	/* Whole words first; stopping early tells no more than the count. */
	while (i + 8 <= len && srnd_load_le64(a + i) == srnd_load_le64(b + i))
		i += 8;
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

static ssize_t verify_pieces(struct srnd_cursor *c, struct bounce *expected,
			     struct bounce *got, struct iov_iter *from)
{
	size_t size = min(expected->size, got->size);
	size_t n, copied, equal, done = 0;

	while (iov_iter_count(from)) {
		n = srnd_cursor_peek(c, expected->data,
				     min(iov_iter_count(from), size));
		if (!n)
			break;
		copied = copy_from_iter(got->data, n, from);
		equal = matching(expected->data, got->data, copied);
		srnd_cursor_took(c, expected->data, n, equal);
		done += equal;
		if (equal < copied)
			return done ? done : -EILSEQ;
		if (copied < n)
			return done ? done : -EFAULT;
		if (interrupted(done, iov_iter_count(from)))
			break;
	}
	return done;
}

static ssize_t verify(struct srnd_cursor *c, struct kiocb *iocb,
		      struct iov_iter *from)
{
	struct bounce expected, got;
	ssize_t ret;

	bounce_get(&expected, iov_iter_count(from), nowait(iocb));
	bounce_get(&got, iov_iter_count(from), nowait(iocb));
	ret = verify_pieces(c, &expected, &got, from);
	bounce_put(&got);
	bounce_put(&expected);
	return ret;
}

/* Feeds all of @from to @sink, a piece at a time. */
static ssize_t drain(struct iov_iter *from, bool nowait, void *ctx,
		     void (*sink)(void *ctx, const u8 *data, size_t len))
{
	size_t n, copied, done = 0;
	struct bounce b;
	ssize_t ret = 0;

	bounce_get(&b, iov_iter_count(from), nowait);
	while ((n = min(iov_iter_count(from), b.size))) {
		copied = copy_from_iter(b.data, n, from);
		sink(ctx, b.data, copied);
		done += copied;
		if (copied < n)
			ret = -EFAULT;
		if (ret || interrupted(done, iov_iter_count(from)))
			break;
	}
	bounce_put(&b);
	return done ? done : ret;
}

static void absorb_piece(void *stream, const u8 *data, size_t len)
{
	struct srnd_stream *s = stream;

	srnd_engine_absorb(&s->instance, s->format, data, len);
}

static void digest_piece(void *sponge, const u8 *data, size_t len)
{
	srnd_sponge_absorb(sponge, srnd_keccak_portable, data, len);
}

/* Hashed first, so that nobody's size or speed of writing holds the pool up. */
static ssize_t mix(struct kiocb *iocb, struct iov_iter *from)
{
	struct srnd_sponge s;
	u8 digest[SRND_MIX];
	ssize_t ret;

	srnd_sponge_init(&s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	ret = drain(from, nowait(iocb), &s, digest_piece);
	srnd_sponge_squeeze(&s, srnd_keccak_portable, digest, sizeof(digest));
	if (ret > 0)
		srnd_pool_mix(digest);
	srnd_wipe(&s, sizeof(s));
	srnd_wipe(digest, sizeof(digest));
	return ret;
}

ssize_t srnd_accept(struct kiocb *iocb, struct iov_iter *from)
{
	struct srnd_cursor c;
	ssize_t ret;

	if (!iov_iter_count(from))
		return 0;
	ret = srnd_cursor_begin(&c, iocb, true);
	if (ret)
		return ret;
	if (!c.stream)
		ret = mix(iocb, from);
	else if (c.absorbing)
		ret = drain(from, nowait(iocb), c.stream, absorb_piece);
	else
		ret = verify(&c, iocb, from);
	srnd_cursor_end(&c, iocb);
	return ret;
}
