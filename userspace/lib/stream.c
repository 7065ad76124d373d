/* SPDX-License-Identifier: MIT */
/*
 * A stream: one descriptor in seeded mode, read ahead with pread(2) only, so
 * that processes which share it after a fork do not disturb each other; where
 * a format cannot seek, the kernel tells that the other one has read on.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

static _Atomic uint32_t cookies;

/* ---- the file behind it ---- */

/* Of the first byte that has not been read ahead. */
static uint64_t file_position(const struct shakerandom_stream *s)
{
	return s->position + s->left;
}

static bool still_ours(const struct shakerandom_stream *s)
{
	if (s->stands_in)
		return true;
	if (s->flags & SHAKERANDOM_ABSORB && !file_position(s))
		return srnd_device_is(s->fd, SHAKERANDOM_MODE_ABSORBING,
				      s->format->format, 0);
	return srnd_device_is(s->fd, SHAKERANDOM_MODE_SEEDED, s->format->format,
			      s->format->seekable ? s->cookie :
						    file_position(s));
}

static bool format_served(int fd, uint32_t format)
{
	struct shakerandom_info info;

	return ioctl(fd, SHAKERANDOM_IOC_INFO, &info) ||
	       info.formats >> format & 1;
}

static int error_of_seed(int fd, uint32_t format)
{
	switch (errno) {
	case EPERM:
		return SHAKERANDOM_ERR_SEEDING;
	case ENOMEM:
		return SHAKERANDOM_ERR_MEMORY;
	case EINVAL:
		return format_served(fd, format) ? SHAKERANDOM_ERR_ARGUMENT :
						   SHAKERANDOM_ERR_TOO_OLD;
	default:
		return SHAKERANDOM_ERR_SYSTEM;
	}
}

static int seed_file(struct shakerandom_stream *s, int fd)
{
	struct shakerandom_seed args = {
		.format = s->format->format,
		.seed = (uintptr_t)s->seed,
		.seed_len = s->seed_len,
	};
	int ret;

	if (s->flags & SHAKERANDOM_TEXT && s->format->seed_len)
		args.flags |= SHAKERANDOM_SEED_EXPAND;
	if (s->flags & SHAKERANDOM_ABSORB)
		args.flags |= SHAKERANDOM_SEED_ABSORB;
	memcpy(args.nonce, s->nonce, sizeof(args.nonce));
	do
		ret = ioctl(fd, SHAKERANDOM_IOC_SEED, &args);
	while (ret && errno == EINTR);
	if (ret)
		return error_of_seed(fd, s->format->format);
	if (!s->format->seekable)
		return 0;
	/* Nobody uses the file's position, so it can tell the file. */
	s->cookie = atomic_fetch_add(&cookies, 1) + UINT64_C(1);
	return lseek(fd, (off_t)s->cookie, SEEK_SET) < 0 ?
		       SHAKERANDOM_ERR_SYSTEM :
		       0;
}

/* Reads up to @len bytes; *@got tells how many, less only at the file's end. */
static int read_at(int fd, void *buf, size_t len, uint64_t position,
		   size_t *got)
{
	uint8_t *p = buf;

	*got = 0;
	if (len > SRND_STREAM_END - position)
		len = (size_t)(SRND_STREAM_END - position);
	while (*got < len) {
		size_t want = len - *got;
		ssize_t n =
			pread(fd, p + *got, want > INT32_MAX ? INT32_MAX : want,
			      (off_t)(position + *got));

		if (n > 0)
			*got += (size_t)n;
		else if (!n)
			break;
		else if (errno == ESPIPE)
			return SHAKERANDOM_ERR_FORWARD;
		else if (errno != EINTR)
			return SHAKERANDOM_ERR_SYSTEM;
	}
	return 0;
}

/* Brings a fresh forward-only file to @position. */
static int skip_file(int fd, uint64_t position)
{
	uint8_t scratch[4096];
	uint64_t at = 0;
	int err = 0;

	while (!err && at < position) {
		uint64_t want = position - at;
		size_t got;

		if (want > sizeof(scratch))
			want = sizeof(scratch);
		err = read_at(fd, scratch, (size_t)want, at, &got);
		if (!err && !got)
			err = SHAKERANDOM_ERR_END;
		at += got;
	}
	srnd_wipe(scratch, sizeof(scratch));
	return err;
}

/* Opens the file the stream reads from, at file_position. */
static int attach(struct shakerandom_stream *s)
{
	int fd, err;

	if (s->forgotten)
		return SHAKERANDOM_ERR_FORGOTTEN;
	s->stands_in = srnd_stands_in();
	fd = srnd_device_open(s->stands_in ? O_RDONLY : O_RDWR);
	if (fd < 0)
		return fd;
	err = s->stands_in ? 0 : seed_file(s, fd);
	if (!err && !s->stands_in && !s->format->seekable)
		err = skip_file(fd, file_position(s));
	if (err) {
		close(fd);
		return err;
	}
	s->fd = fd;
	return 0;
}

/* ---- reading ---- */

static int read_once(struct shakerandom_stream *s, void *buf, size_t len,
		     size_t *got)
{
	if (!still_ours(s))
		return SHAKERANDOM_ERR_FORWARD;
	return read_at(s->fd, buf, len, file_position(s), got);
}

/*
 * The file's next @len bytes; fewer only at the end. A file that is lost, or
 * where another process has read on, is opened anew: it may not be closed, as
 * its number may be another's by now.
 */
static int read_file(struct shakerandom_stream *s, void *buf, size_t len,
		     size_t *got)
{
	int err = read_once(s, buf, len, got);

	if (err == SHAKERANDOM_ERR_FORWARD ||
	    (err == SHAKERANDOM_ERR_SYSTEM && errno == EBADF)) {
		err = attach(s);
		if (!err)
			err = read_once(s, buf, len, got);
	}
	return err;
}

static int refill(struct shakerandom_stream *s)
{
	size_t got;
	int err = read_file(s, s->ahead, sizeof(s->ahead), &got);

	if (err)
		return err;
	if (!got)
		return SHAKERANDOM_ERR_END;
	/* Where the stream ends: what there is goes to the buffer's end. */
	if (got < sizeof(s->ahead))
		memmove(s->ahead + sizeof(s->ahead) - got, s->ahead, got);
	s->left = got;
	return 0;
}

static inline void take(struct shakerandom_stream *s, void *to, size_t len)
{
	uint8_t *from = s->ahead + sizeof(s->ahead) - s->left;

	memcpy(to, from, len);
	memset(from, 0, len);
	s->left -= len;
	s->position += len;
}

static size_t take_some(struct shakerandom_stream *s, void *to, size_t len)
{
	if (len > s->left)
		len = s->left;
	take(s, to, len);
	return len;
}

static int fill_directly(struct shakerandom_stream *s, void *to, size_t len)
{
	size_t got = 0;
	int err = read_file(s, to, len, &got);

	s->position += got;
	return err || got == len ? err : SHAKERANDOM_ERR_END;
}

static int fill_uncancelled(struct shakerandom_stream *s, uint8_t *to,
			    size_t len)
{
	size_t n = take_some(s, to, len);
	int err = 0;

	while (!err && (to += n, len -= n)) {
		n = 0;
		if (len >= sizeof(s->ahead))
			return fill_directly(s, to, len);
		err = refill(s);
		if (!err)
			n = take_some(s, to, len);
	}
	return err;
}

static SRND_COLD int fill_slowly(struct shakerandom_stream *s, void *to,
				 size_t len)
{
	int saved = errno;
	int state = srnd_cancel_disable();
	int err = fill_uncancelled(s, to, len);

	srnd_cancel_restore(state);
	if (!err)
		errno = saved;
	return err;
}

SRND_EXPORT int shakerandom_stream_fill(shakerandom_stream *s, void *buf,
					size_t len)
{
	if (srnd_likely(len <= s->left)) {
		take(s, buf, len);
		return 0;
	}
	return fill_slowly(s, buf, len);
}

/* ---- numbers ---- */

static void must_fill(struct shakerandom_stream *s, void *to, size_t len)
{
	int err = shakerandom_stream_fill(s, to, len);

	if (err)
		srnd_die(err);
}

/* Skips what the rules leave out before a number of @size bytes. */
static SRND_COLD void align(struct shakerandom_stream *s, size_t size)
{
	uint8_t skipped[128];
	size_t left;

	switch (s->rules) {
	case SHAKERANDOM_RULES_AES_PRNG:
		left = 128 - (size_t)(s->position % 128);
		if ((size == 4 || size == 8) && left <= size)
			must_fill(s, skipped, left);
		break;
	case SHAKERANDOM_RULES_CHACHACIPHERS:
		left = 64 - (size_t)(s->position % 64);
		if (left < size)
			must_fill(s, skipped, left);
		break;
	}
}

static inline void number(struct shakerandom_stream *s, void *to, size_t size)
{
	if (s->rules)
		align(s, size);
	if (srnd_likely(size <= s->left))
		take(s, to, size);
	else
		must_fill(s, to, size);
}

SRND_EXPORT uint8_t shakerandom_stream_u8(shakerandom_stream *s)
{
	uint8_t v;

	number(s, &v, sizeof(v));
	return v;
}

SRND_EXPORT uint16_t shakerandom_stream_u16(shakerandom_stream *s)
{
	uint8_t v[2];

	number(s, v, sizeof(v));
	return (uint16_t)(v[0] | v[1] << 8);
}

SRND_EXPORT uint32_t shakerandom_stream_u32(shakerandom_stream *s)
{
	uint8_t v[8] = { 0 };

	number(s, v, 4);
	return (uint32_t)srnd_le64(v);
}

SRND_EXPORT uint64_t shakerandom_stream_u64(shakerandom_stream *s)
{
	uint8_t v[8];

	number(s, v, sizeof(v));
	return srnd_le64(v);
}

SRND_EXPORT void shakerandom_stream_u128(shakerandom_stream *s,
					 uint64_t value[2])
{
	uint8_t v[16];

	number(s, v, sizeof(v));
	value[0] = srnd_le64(v);
	value[1] = srnd_le64(v + 8);
}

/* ---- opening ---- */

static void put_number(uint8_t nonce[16], uint32_t format, uint64_t number)
{
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t byte = (uint8_t)(number >> 8 * i);

		switch (format) {
		case SHAKERANDOM_AES256_CTR:
		case SHAKERANDOM_AES128_CTR:
			nonce[7 - i] = byte;
			break;
		case SHAKERANDOM_SHAKE256_CTR:
			nonce[i] = byte;
			break;
		default:
			nonce[8 + i] = byte;
		}
	}
}

static bool absorbs(const struct shakerandom_description *f)
{
	return !f->seekable && !f->forgets;
}

static bool seed_len_valid(const struct shakerandom_stream *s)
{
	uint32_t len = s->seed_len;

	if (!s->format->seed_len || s->flags & SHAKERANDOM_TEXT)
		return true;
	if (s->format->format == SHAKERANDOM_SHAKE256_RATCHET &&
	    (len == 16 || len == 24 || len == 32))
		return true;
	return len == s->format->seed_len;
}

bool srnd_stream_valid(const struct shakerandom_stream *s)
{
	static const uint8_t zero[SHAKERANDOM_NONCE_SIZE];

	if (!s->format || s->rules > SHAKERANDOM_RULES_CRYPTORANDOM ||
	    s->flags & ~(SHAKERANDOM_TEXT | SHAKERANDOM_ABSORB))
		return false;
	if (s->flags & SHAKERANDOM_TEXT && s->format->forgets)
		return false;
	if (s->flags & SHAKERANDOM_ABSORB && !absorbs(s->format))
		return false;
	if (!s->format->nonce && memcmp(s->nonce, zero, sizeof(zero)))
		return false;
	return seed_len_valid(s);
}

static struct shakerandom_stream *stream_alloc(void)
{
	struct shakerandom_stream *s = srnd_map(sizeof(*s));

	if (s)
		s->fd = -1;
	return s;
}

static void stream_free(struct shakerandom_stream *s)
{
	srnd_unmap(s, sizeof(*s));
}

/* Attaches, and forgets what the format wants forgotten. */
static int begin(struct shakerandom_stream *s)
{
	int state = srnd_cancel_disable();
	int err = srnd_stream_valid(s) ? attach(s) : SHAKERANDOM_ERR_ARGUMENT;

	srnd_cancel_restore(state);
	if (!err && (s->format->forgets || s->flags & SHAKERANDOM_ABSORB)) {
		s->forgotten = true;
		srnd_wipe(s->seed, sizeof(s->seed));
	}
	return err;
}

int srnd_stream_revive(shakerandom_stream **stream,
		       const struct shakerandom_stream *model)
{
	struct shakerandom_stream *s;
	int err;

	*stream = NULL;
	if (model->forgotten)
		return SHAKERANDOM_ERR_FORGOTTEN;
	s = stream_alloc();
	if (!s)
		return SHAKERANDOM_ERR_MEMORY;
	*s = *model;
	s->fd = -1;
	s->left = 0;
	memset(s->ahead, 0, sizeof(s->ahead));
	err = begin(s);
	if (err)
		stream_free(s);
	else
		*stream = s;
	return err;
}

static bool take_params(struct shakerandom_stream *s,
			const struct shakerandom_params *p)
{
	s->format = shakerandom_describe(p->format);
	if (!s->format || p->reserved || p->seed_len > sizeof(s->seed) ||
	    (p->nonce && p->number) || (p->number && !s->format->nonce))
		return false;
	s->rules = p->rules;
	s->flags = p->flags;
	s->seed_len = (uint32_t)p->seed_len;
	if (p->seed_len)
		memcpy(s->seed, p->seed, p->seed_len);
	if (p->nonce)
		memcpy(s->nonce, p->nonce, sizeof(s->nonce));
	else if (p->number)
		put_number(s->nonce, p->format, p->number);
	return true;
}

SRND_EXPORT int shakerandom_stream_open(shakerandom_stream **stream,
					const struct shakerandom_params *params)
{
	struct shakerandom_stream *s = stream_alloc();
	int err = SHAKERANDOM_ERR_ARGUMENT;

	*stream = NULL;
	if (!s)
		return SHAKERANDOM_ERR_MEMORY;
	if (take_params(s, params))
		err = begin(s);
	if (err)
		stream_free(s);
	else
		*stream = s;
	return err;
}

SRND_EXPORT void shakerandom_stream_close(shakerandom_stream *s)
{
	if (!s)
		return;
	if (still_ours(s))
		close(s->fd);
	stream_free(s);
}

SRND_EXPORT int shakerandom_stream_copy(shakerandom_stream **copy,
					const shakerandom_stream *s)
{
	return srnd_stream_revive(copy, s);
}

/* ---- where it is ---- */

SRND_EXPORT const struct shakerandom_description *
shakerandom_stream_describe(const shakerandom_stream *s)
{
	return s->format;
}

SRND_EXPORT uint64_t shakerandom_stream_position(const shakerandom_stream *s)
{
	return s->position;
}

static void drop_ahead(struct shakerandom_stream *s, size_t len)
{
	memset(s->ahead + sizeof(s->ahead) - s->left, 0, len);
	s->left -= len;
	s->position += len;
}

static int read_up_to(struct shakerandom_stream *s, uint64_t position)
{
	uint8_t scratch[4096];
	int err = 0;

	while (!err && s->position < position) {
		uint64_t want = position - s->position;

		if (want > sizeof(scratch))
			want = sizeof(scratch);
		err = shakerandom_stream_fill(s, scratch, (size_t)want);
	}
	srnd_wipe(scratch, sizeof(scratch));
	return err;
}

SRND_EXPORT int shakerandom_stream_seek(shakerandom_stream *s,
					uint64_t position)
{
	uint64_t ahead = position - s->position;

	if (position > SRND_STREAM_END)
		return SHAKERANDOM_ERR_END;
	if (position < s->position && !s->format->seekable)
		return SHAKERANDOM_ERR_FORWARD;
	s->bits_left = 0;
	s->bits = 0;
	if (position >= s->position && ahead <= s->left) {
		drop_ahead(s, (size_t)ahead);
		return 0;
	}
	if (!s->format->seekable)
		return read_up_to(s, position);
	drop_ahead(s, s->left);
	s->position = position;
	return 0;
}

SRND_EXPORT int shakerandom_stream_pread(const shakerandom_stream *s, void *buf,
					 size_t len, uint64_t position)
{
	size_t got;
	int state, err;

	if (!s->format->seekable)
		return SHAKERANDOM_ERR_FORWARD;
	if (position > SRND_STREAM_END)
		return SHAKERANDOM_ERR_END;
	if (!still_ours(s)) {
		errno = EBADF;
		return SHAKERANDOM_ERR_SYSTEM;
	}
	state = srnd_cancel_disable();
	err = read_at(s->fd, buf, len, position, &got);
	srnd_cancel_restore(state);
	return err || got == len ? err : SHAKERANDOM_ERR_END;
}

static int write_all(int fd, const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len > INT32_MAX ? INT32_MAX : len);

		if (n < 0 && errno != EINTR)
			return SHAKERANDOM_ERR_SYSTEM;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

SRND_EXPORT int shakerandom_stream_absorb(shakerandom_stream *s,
					  const void *data, size_t len)
{
	int state, err;

	if (!(s->flags & SHAKERANDOM_ABSORB) || file_position(s))
		return SHAKERANDOM_ERR_ARGUMENT;
	state = srnd_cancel_disable();
	err = still_ours(s) ? write_all(s->fd, data, len) :
			      SHAKERANDOM_ERR_FORGOTTEN;
	srnd_cancel_restore(state);
	return err;
}

SRND_EXPORT int shakerandom_stream_fd(const shakerandom_stream *s)
{
	return s->format->seekable ? s->fd : SHAKERANDOM_ERR_FORWARD;
}
