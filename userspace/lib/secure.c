/* SPDX-License-Identifier: MIT */
/*
 * Secure bytes for the whole process.
 *
 * Each thread reads ahead into memory that the kernel zeroes in a forked child.
 * A draw marks the buffer busy, which keeps signal handlers off it, copies and
 * wipes its bytes, and only then asks whether they were good: the buffer still
 * is busy and belongs to the present node (neither is so after a fork), and the
 * generation has not moved (a cloned machine). So no fork, clone or signal at
 * any instant makes it give bytes twice, or zeros.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "internal.h"

#define BUFFER_SIZE 8192
/* More than this is read straight to where the caller wants it. */
#define DIRECT 1024

struct buffer {
	const struct srnd_node *node;	/* whose bytes these are; NULL: void */
	uint64_t generation;		/* when they were read */
	size_t left;			/* bytes to give: the last of data[] */
	bool busy;			/* else a signal handler may use it */
	_Alignas(32) uint8_t data[BUFFER_SIZE - 32];
};

static __thread struct buffer *mine __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static bool key_made;

/* ---- a thread's buffer ---- */

static void buffer_free(void *b)
{
	mine = NULL;
	srnd_unmap(b, sizeof(struct buffer));
}

__attribute__((constructor)) static void make_key(void)
{
	key_made = !pthread_key_create(&key, buffer_free);
}

/* NULL if there is no memory of the kind. */
static struct buffer *buffer_new(void)
{
	struct buffer *b = key_made ? srnd_map(sizeof(*b)) : NULL;

	if (!b)
		return NULL;
	if (madvise(b, sizeof(*b), MADV_WIPEONFORK) ||
	    pthread_setspecific(key, b)) {
		srnd_unmap(b, sizeof(*b));
		return NULL;
	}
	mine = b;
	return b;
}

/* Of a busy buffer. */
static inline bool intact(const struct buffer *b)
{
	const struct srnd_node *n =
		atomic_load_explicit(&srnd_node, memory_order_acquire);

	return b->busy && n && b->node == n &&
	       b->generation == *n->generation;
}

/* ---- taking from it ---- */

/* Constant sizes come out as a few instructions. */
static inline void move(uint8_t *to, uint8_t *from, size_t len)
{
	for (; len >= 16; len -= 16, to += 16, from += 16) {
		memcpy(to, from, 16);
		memset(from, 0, 16);
	}
	if (len & 8) {
		memcpy(to, from, 8);
		memset(from, 0, 8);
		to += 8;
		from += 8;
	}
	for (len &= 7; len; len--) {
		*to++ = *from;
		*from++ = 0;
	}
}

/* The buffer must be busy. False if it had not @len good bytes. */
static inline bool take(struct buffer *b, void *to, size_t len)
{
	size_t left = b->left;

	if (left < len)
		return false;
	b->left = left - len;
	move(to, b->data + sizeof(b->data) - left, len);
	srnd_signal_fence();
	return intact(b);
}

static inline bool try_take(void *to, size_t len)
{
	struct buffer *b = mine;
	bool ok;

	if (!b || b->busy)
		return false;
	b->busy = true;
	srnd_signal_fence();
	ok = take(b, to, len);
	srnd_signal_fence();
	b->busy = false;
	return ok;
}

static int refill(struct buffer *b, const struct srnd_node *node)
{
	int err;

	b->busy = true;
	b->left = 0;
	b->generation = *node->generation;
	b->node = node;
	srnd_signal_fence();
	err = srnd_node_read(node, b->data, sizeof(b->data));
	srnd_signal_fence();
	if (!err && b->busy)
		b->left = sizeof(b->data);
	return err;
}

static int take_fresh(struct buffer *b, const struct srnd_node *node, void *to,
		      size_t len)
{
	int err = 0;

	b->busy = true;
	srnd_signal_fence();
	while (!err && !take(b, to, len)) {
		err = srnd_node_get(&node);
		if (!err)
			err = refill(b, node);
	}
	srnd_signal_fence();
	b->busy = false;
	return err;
}

static int fill_uncancelled(void *to, size_t len)
{
	const struct srnd_node *node;
	struct buffer *b = mine;
	int err = srnd_node_get(&node);

	if (err)
		return err;
	if (len > DIRECT || node->source == SHAKERANDOM_SOURCE_GETRANDOM)
		return srnd_node_read(node, to, len);
	if (!b)
		b = buffer_new();
	if (!b || b->busy)
		return srnd_node_read(node, to, len);
	return take_fresh(b, node, to, len);
}

static SRND_COLD int fill_slowly(void *to, size_t len)
{
	int saved = errno;
	int state = srnd_cancel_disable();
	int err = fill_uncancelled(to, len);

	srnd_cancel_restore(state);
	if (!err)
		errno = saved;
	return err;
}

/* ---- draws ---- */

static SRND_COLD void must_fill(void *to, size_t len)
{
	int err = fill_slowly(to, len);

	if (err)
		srnd_die(err);
}

SRND_EXPORT int shakerandom_fill(void *buf, size_t len)
{
	if (srnd_likely(len <= DIRECT) && srnd_likely(try_take(buf, len)))
		return 0;
	return fill_slowly(buf, len);
}

#define DRAW(type, name)						\
SRND_EXPORT type name(void)						\
{									\
	type value;							\
									\
	if (!srnd_likely(try_take(&value, sizeof(value))))		\
		must_fill(&value, sizeof(value));			\
	return value;							\
}

DRAW(uint8_t, shakerandom_u8)
DRAW(uint16_t, shakerandom_u16)
DRAW(uint32_t, shakerandom_u32)
DRAW(uint64_t, shakerandom_u64)

SRND_EXPORT void shakerandom_u128(uint64_t value[2])
{
	if (!srnd_likely(try_take(value, 16)))
		must_fill(value, 16);
}
