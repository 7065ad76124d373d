/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stream formats (version 1, frozen): what bytes a seed stands for. One
 * table, one row a format; each is a few lines over the three primitives.
 */
#ifndef SRND_FORMAT_H
#define SRND_FORMAT_H

#include "backend.h"

#define SRND_NONCE 16
#define SRND_KEY_MAX 64		/* the longest fixed-size key of a format */
#define SRND_GRAIN_MAX SRND_SECTOR

/*
 * What a forward-only format holds. One that erases works ahead: a window of
 * output of which each byte is wiped as it is taken, and from whose origin the
 * state has moved on, so that nothing left here yields what was taken.
 */
struct srnd_forward {
	struct srnd_sponge sponge;
	u8 *window;	/* the caller's, srnd_format.window bytes */
	u16 taken;	/* bytes of the window that are gone */
	u8 zeros;	/* ratchet: bytes of state it clears */
};

/*
 * One instance of a format. A seekable one is constant once it is keyed, so any
 * number of readers may generate from it at once.
 */
union srnd_instance {
	u32 chacha[16];
	struct {
		struct srnd_aes_key key;
		struct srnd_aes_counter start;
	} aes;
	u64 block[SRND_KECCAK_LANES];
	struct srnd_forward forward;
};

#define SRND_EXPANDS BIT(0)	/* SHAKERANDOM_SEED_EXPAND is allowed */
#define SRND_ABSORBS BIT(1)	/* SHAKERANDOM_SEED_ABSORB is allowed */

struct srnd_format {
	const char *name;
	enum srnd_primitive primitive;	/* what serves it */
	unsigned int flags;
	u8 seed_sizes[4];	/* lengths a seed may have; none: any length */
	u8 key_size;		/* of the key that ->key or EXPAND is about */
	u8 rounds;		/* of ChaCha or Keccak */
	u8 rate;		/* of sponges */
	u8 grain_shift;		/* seekable formats: a grain is 2^this bytes */
	u16 window;		/* erasing formats: bytes worked ahead */

	/* Keyed formats: from a raw key of key_size bytes and a full nonce. */
	void (*key)(union srnd_instance *s, const struct srnd_format *f,
		    const struct srnd_backend *b, const u8 *key,
		    const u8 *nonce);
	/* Seekable formats: grains index to index + n - 1 of the stream. */
	void (*grains)(const union srnd_instance *s,
		       const struct srnd_format *f,
		       const struct srnd_backend *b, u64 index, u8 *out,
		       size_t n);
	/* Erasing formats: the next window; sets forward.taken. */
	void (*refill)(struct srnd_forward *s, const struct srnd_backend *b);
};

/* The row of a SHAKERANDOM_* format number; NULL if it is not served. */
const struct srnd_format *srnd_format(u32 number);

/* Bit f set: format f is served. */
u64 srnd_formats_served(void);

/* Bytes that a seekable format computes at once; a power of two. */
static inline size_t srnd_format_grain(const struct srnd_format *f)
{
	return (size_t)1 << f->grain_shift;
}

static inline bool srnd_format_seekable(const struct srnd_format *f)
{
	return f->grains;
}

static inline bool srnd_format_has_nonce(const struct srnd_format *f)
{
	return f->key;
}

/* Whether @len bytes are a seed of this format. */
bool srnd_format_seed_ok(const struct srnd_format *f, size_t len);

/*
 * Seeds an instance. The caller has checked @len and, for a format with a
 * window, set forward.window; @nonce is SRND_NONCE bytes and all zero where the
 * format has none.
 */
void srnd_format_seed(union srnd_instance *s, const struct srnd_format *f,
		      const struct srnd_engine *e, const u8 *seed, size_t len,
		      const u8 *nonce);

/*
 * SHAKERANDOM_SEED_EXPAND: a key of key_size bytes (returned) from @len bytes
 * of any text. @key has room for SRND_KEY_MAX.
 */
size_t srnd_format_expand(const struct srnd_format *f,
			  const struct srnd_engine *e, const u8 *seed,
			  size_t len, u8 *key);

/* SHAKERANDOM_SEED_ABSORB: more of the message, before the first squeeze. */
void srnd_format_absorb(union srnd_instance *s, const struct srnd_format *f,
			const struct srnd_engine *e, const u8 *data,
			size_t len);

/* What a section of this format is with @e, see srnd_backend.section. */
static inline size_t srnd_format_section(const struct srnd_format *f,
					 const struct srnd_engine *e)
{
	return e->row[f->primitive]->section;
}

/*
 * Seekable formats: bytes offset .. offset + len - 1 of the stream, any
 * alignment, whatever was read before.
 */
void srnd_format_read(const union srnd_instance *s, const struct srnd_format *f,
		      const struct srnd_engine *e, u64 offset, u8 *out,
		      size_t len);

/* Forward-only formats: the next @len bytes. */
void srnd_format_squeeze(union srnd_instance *s, const struct srnd_format *f,
			 const struct srnd_engine *e, u8 *out, size_t len);

/*
 * Formats with a window: copies the next bytes, up to @len and to the window's
 * end, without taking them; how many. At least one if @len is not 0.
 */
size_t srnd_format_peek(union srnd_instance *s, const struct srnd_format *f,
			const struct srnd_engine *e, u8 *out, size_t len);

/* Takes, that is wipes, the first @len bytes that peek gave. */
void srnd_format_take(union srnd_instance *s, size_t len);

#endif
