/* SPDX-License-Identifier: MIT */
/*
 * Secure bytes for the whole process.
 *
 * Each thread reads ahead into memory that the kernel zeroes in a forked child.
 * A draw copies and wipes its bytes and only then asks whether they were good:
 * the buffer is of the present node, as it is not after a fork, and the
 * generation has not moved, as it does in a cloned machine. Meanwhile the
 * buffer is busy: a signal handler that draws reads for itself. That mark is
 * not zeroed in a child, as the handler may have forked. So no fork, clone or
 * signal at any instant makes a draw give bytes twice, or zeros.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "internal.h"

#define DATA_SIZE (8192 - 32)
/* More than this is read straight to where the caller wants it. */
#define DIRECT 1024

struct buffer {
	const volatile uint64_t *page;	/* the node's; NULL: nothing is here */
	uint64_t generation;		/* when the data were read */
	size_t left;			/* bytes to give: the last of data[] */
	_Alignas(32) uint8_t data[DATA_SIZE];
};

static __thread struct {
	struct buffer *buffer;
	bool busy;
} mine __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static bool key_made;

/* ---- a thread's buffer ---- */

static void buffer_free(void *b)
{
	mine.buffer = NULL;
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
	return b;
}

static inline bool intact(const struct buffer *b)
{
	const volatile uint64_t *page =
		atomic_load_explicit(&srnd_page, memory_order_acquire);

	return b->page == page && b->generation == *page;
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

/* False if there were not @len good bytes. */
static inline bool take(struct buffer *b, void *to, size_t len)
{
	size_t left = b->left;

	if (left < len)
		return false;
	b->left = left - len;
	move(to, b->data + DATA_SIZE - left, len);
	srnd_signal_fence();
	return intact(b);
}

static inline bool try_take(void *to, size_t len)
{
	bool ok;

	if (!mine.buffer || mine.busy)
		return false;
	mine.busy = true;
	srnd_signal_fence();
	ok = take(mine.buffer, to, len);
	srnd_signal_fence();
	mine.busy = false;
	return ok;
}

static int refill(struct buffer *b, const struct srnd_node *node)
{
	int err;

	b->left = 0;
	b->generation = *node->generation;
	b->page = node->generation;
	srnd_signal_fence();
	err = srnd_node_read(node, b->data, DATA_SIZE);
	srnd_signal_fence();
	/* Not in a child that began while we were reading. */
	if (!err && intact(b))
		b->left = DATA_SIZE;
	return err;
}

static int take_fresh(struct buffer *b, void *to, size_t len)
{
	const struct srnd_node *node;
	int err;

	do {
		err = srnd_node_get(&node);
		if (!err)
			err = refill(b, node);
	} while (!err && !take(b, to, len));
	return err;
}

static int fill_uncancelled(void *to, size_t len)
{
	const struct srnd_node *node;
	int err = srnd_node_get(&node);

	if (err)
		return err;
	if (!mine.buffer)
		mine.buffer = buffer_new();
	if (len > DIRECT || node->source == SHAKERANDOM_SOURCE_GETRANDOM ||
	    !mine.buffer || mine.busy)
		return srnd_node_read(node, to, len);
	mine.busy = true;
	srnd_signal_fence();
	err = take_fresh(mine.buffer, to, len);
	srnd_signal_fence();
	mine.busy = false;
	return err;
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

static void must_fill(void *to, size_t len)
{
	int err = fill_slowly(to, len);

	if (err)
		srnd_die(err);
}

SRND_EXPORT int shakerandom_fill(void *buf, size_t len)
{
	if (srnd_likely(len <= DIRECT && try_take(buf, len)))
		return 0;
	return fill_slowly(buf, len);
}

#define DRAW(type, name)						\
static SRND_COLD type name##_slowly(void)				\
{									\
	type value;							\
									\
	must_fill(&value, sizeof(value));				\
	return value;							\
}									\
									\
SRND_EXPORT type shakerandom_##name(void)				\
{									\
	type value;							\
									\
	if (srnd_likely(try_take(&value, sizeof(value))))		\
		return value;						\
	return name##_slowly();						\
}

DRAW(uint8_t, u8)
DRAW(uint16_t, u16)
DRAW(uint32_t, u32)
DRAW(uint64_t, u64)

SRND_EXPORT void shakerandom_u128(uint64_t value[2])
{
	int err = shakerandom_fill(value, 16);

	if (err)
		srnd_die(err);
}
