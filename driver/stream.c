// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/slab.h>

#include "../uapi/shakerandom.h"
#include "engine.h"
#include "stream.h"

static bool all_zero(const u8 *p, size_t len)
{
	return !memchr_inv(p, 0, len);
}

/* Every rule on arguments that needs no look at the seed. */
static bool args_valid(const struct shakerandom_seed *a,
		       const struct srnd_format *f)
{
	if (!f || a->reserved || a->seed_len > SHAKERANDOM_SEED_MAX)
		return false;
	if (!srnd_format_has_nonce(f) && !all_zero(a->nonce, sizeof(a->nonce)))
		return false;
	switch (a->flags) {
	case 0:
		return srnd_format_seed_ok(f, a->seed_len);
	case SHAKERANDOM_SEED_EXPAND:
		return f->flags & SRND_EXPANDS;
	case SHAKERANDOM_SEED_ABSORB:
		return f->flags & SRND_ABSORBS;
	default:
		return false;
	}
}

static void seed_instance(struct srnd_stream *s,
			  const struct shakerandom_seed *a, const u8 *seed)
{
	const struct srnd_engine *e = &srnd_portable_engine;
	u8 key[SRND_KEY_MAX];
	size_t len;

	if (a->flags & SHAKERANDOM_SEED_EXPAND) {
		len = srnd_format_expand(s->format, e, seed, a->seed_len, key);
		srnd_format_seed(&s->instance, s->format, e, key, len,
				 a->nonce);
		srnd_wipe(key, sizeof(key));
	} else {
		srnd_format_seed(&s->instance, s->format, e, seed, a->seed_len,
				 a->nonce);
	}
}

static struct srnd_stream *stream_alloc(const struct srnd_format *f)
{
	struct srnd_stream *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	if (!s)
		return NULL;
	if (f->window) {
		s->window = kzalloc(f->window, GFP_KERNEL_ACCOUNT);
		if (!s->window) {
			kfree(s);
			return NULL;
		}
		s->instance.forward.window = s->window;
	}
	refcount_set(&s->users, 1);
	mutex_init(&s->lock);
	s->format = f;
	return s;
}

struct srnd_stream *srnd_stream_create(const struct shakerandom_seed *args,
				       const u8 *seed)
{
	const struct srnd_format *f = srnd_format(args->format);
	struct srnd_stream *s;

	if (!args_valid(args, f))
		return ERR_PTR(-EINVAL);
	s = stream_alloc(f);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->number = args->format;
	s->absorbing = args->flags & SHAKERANDOM_SEED_ABSORB;
	seed_instance(s, args, seed);
	return s;
}

struct srnd_stream *srnd_stream_get(struct srnd_file *file)
{
	struct srnd_stream *s;

	rcu_read_lock();
	do {
		s = rcu_dereference(file->stream);
	} while (s && !refcount_inc_not_zero(&s->users));
	rcu_read_unlock();
	return s;
}

void srnd_stream_put(struct srnd_stream *s)
{
	if (!s || !refcount_dec_and_test(&s->users))
		return;
	/* Late comers may still look at users; nobody gets at the rest. */
	srnd_wipe(&s->instance, sizeof(s->instance));
	kfree_sensitive(s->window);
	kfree_rcu(s, rcu);
}

void srnd_stream_install(struct file *filp, struct srnd_stream *s)
{
	struct srnd_file *file = filp->private_data;
	struct srnd_stream *old;

	spin_lock(&filp->f_lock);
	old = unrcu_pointer(xchg(&file->stream, RCU_INITIALIZER(s)));
	filp->f_pos = 0;
	spin_unlock(&filp->f_lock);
	srnd_stream_put(old);
}

static int lock_stream(struct srnd_stream *s, const struct kiocb *iocb)
{
	if (iocb->ki_flags & (IOCB_NOWAIT | IOCB_NOIO))
		return mutex_trylock(&s->lock) ? 0 : -EAGAIN;
	return mutex_lock_killable(&s->lock);
}

/*
 * A forward-only stream is read where it stands. A plain read comes with the
 * file's position, which another thread's pread may have left behind: it reads
 * on.
 */
static int begin_forward(struct srnd_cursor *c, struct kiocb *iocb, bool write)
{
	struct srnd_stream *s = c->stream;
	int err = lock_stream(s, iocb);

	if (err)
		return err;
	if (iocb->ki_pos != s->position &&
	    iocb->ki_pos != iocb->ki_filp->f_pos) {
		mutex_unlock(&s->lock);
		return -ESPIPE;
	}
	c->absorbing = s->absorbing && write;
	WRITE_ONCE(s->absorbing, c->absorbing);
	c->position = s->position;
	c->ahead = s->instance;
	return 0;
}

int srnd_cursor_begin(struct srnd_cursor *c, struct kiocb *iocb, bool write)
{
	struct srnd_file *file = iocb->ki_filp->private_data;
	int err = 0;

	c->stream = srnd_stream_get(file);
	c->generator = READ_ONCE(file->generator);
	c->bulk_begun = false;
	c->absorbing = false;
	c->position = iocb->ki_pos;
	if (c->stream && !srnd_format_seekable(c->stream->format)) {
		err = begin_forward(c, iocb, write);
		if (err)
			srnd_stream_put(c->stream);
	}
	return err;
}

static size_t peek_pool(struct srnd_cursor *c, u8 *out, size_t len)
{
	if (len <= SRND_SMALL) {
		srnd_pool_take(c->generator, out, len);
		return len;
	}
	if (!c->bulk_begun)
		srnd_bulk_begin(&c->bulk, c->generator);
	c->bulk_begun = true;
	srnd_bulk_read(&c->bulk, out, len);
	return len;
}

static size_t peek_seekable(struct srnd_cursor *c, u8 *out, size_t len)
{
	u64 unaligned = c->position & (SRND_PEEK_MAX - 1);

	/* What follows then starts on a boundary of every format. */
	len = min_t(u64, len, SRND_PEEK_MAX - unaligned);
	srnd_engine_read(&c->stream->instance, c->stream->format, c->position,
			 out, len);
	return len;
}

size_t srnd_cursor_peek(struct srnd_cursor *c, u8 *out, size_t len)
{
	struct srnd_stream *s = c->stream;

	if (!s)
		return peek_pool(c, out, len);
	len = min_t(u64, len, OFFSET_MAX - c->position);
	if (!len)
		return 0;
	if (srnd_format_seekable(s->format))
		return peek_seekable(c, out, len);
	if (s->format->window)
		return srnd_engine_peek(&s->instance, s->format, out, len);
	srnd_engine_squeeze(&c->ahead, s->format, out, len);
	return len;
}

/* The sponge stands after what was used, not after what was peeked. */
static void sponge_took(struct srnd_cursor *c, u8 *buffer, size_t len,
			size_t used)
{
	struct srnd_stream *s = c->stream;

	if (used == len) {
		s->instance = c->ahead;
		return;
	}
	srnd_engine_squeeze(&s->instance, s->format, buffer, used);
	c->ahead = s->instance;
}

void srnd_cursor_took(struct srnd_cursor *c, u8 *buffer, size_t len,
		      size_t used)
{
	struct srnd_stream *s = c->stream;

	if (!s)
		return;
	c->position += used;
	if (srnd_format_seekable(s->format))
		return;
	if (s->format->window)
		srnd_format_take(&s->instance, used);
	else
		sponge_took(c, buffer, len, used);
	WRITE_ONCE(s->position, c->position);
}

/*
 * Also after a pread: there is one position, the stream's. Not if the file has
 * got another stream meanwhile, as a pread does not keep SEED waiting.
 */
static void end_forward(struct srnd_cursor *c, struct file *filp)
{
	struct srnd_file *file = filp->private_data;

	spin_lock(&filp->f_lock);
	if (rcu_access_pointer(file->stream) == c->stream)
		filp->f_pos = c->position;
	spin_unlock(&filp->f_lock);
	srnd_wipe(&c->ahead, sizeof(c->ahead));
	mutex_unlock(&c->stream->lock);
}

void srnd_cursor_end(struct srnd_cursor *c, struct kiocb *iocb)
{
	struct srnd_stream *s = c->stream;

	if (!s) {
		if (c->bulk_begun)
			srnd_bulk_end(&c->bulk);
		return;
	}
	iocb->ki_pos = c->position;
	if (!srnd_format_seekable(s->format))
		end_forward(c, iocb->ki_filp);
	srnd_stream_put(s);
}
