/* SPDX-License-Identifier: MIT */
/*
 * libshakerandom: random values and reproducible streams from /dev/shakerandom.
 *
 * Two sets of the same draws:
 *
 *   shakerandom_u64()           secure: unpredictable, for the whole process.
 *   shakerandom_stream_u64(s)   from a seeded stream: the same calls give the
 *                               same values on every machine, for ever.
 *
 * What a draw takes from a stream (bytes, order, what is rejected) is written
 * beside it and is fixed for ever. Numbers are little-endian.
 *
 * Failure. Calls that return int give 0, or a negative SHAKERANDOM_ERR_* that
 * shakerandom_strerror() explains. Other draws cannot say that they failed:
 * they print the reason and abort(), so that no program goes on with a number
 * that is not random. To handle failure, call shakerandom_setup() or open the
 * stream first; what can fail after that is the program's own doing, such as
 * closing the library's descriptors where it cannot open the device again. The
 * calls named fill, pread and seek report even that.
 *
 * Secure draws:
 *   - may be called from any thread, without locks;
 *   - never give parent and child of fork(), or two clones of a virtual
 *     machine, the same value;
 *   - are no cancellation points, and may be called from a signal handler,
 *     even one that interrupts a draw, once the thread has made its first draw
 *     outside one (never shakerandom_sample, which calls malloc). A handler
 *     that leaves a draw by siglongjmp() costs that thread its buffer: later
 *     draws are right, but each is a system call;
 *   - small ones come from 8 KiB a thread, which are left out of core dumps,
 *     empty after fork, and wiped as they are delivered; that memory is given
 *     back when the thread ends.
 *
 * A stream is used by one thread at a time (but see shakerandom_stream_pread).
 * After fork() parent and child each go on with the stream from where it was.
 */
#ifndef SHAKERANDOM_H
#define SHAKERANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/shakerandom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---- */

enum shakerandom_error {
	SHAKERANDOM_OK = 0,
	/* No such device: the module is not loaded. */
	SHAKERANDOM_ERR_MISSING = -1,
	/* The device exists but may not be opened. */
	SHAKERANDOM_ERR_PERMISSION = -2,
	/* The path leads to something else. */
	SHAKERANDOM_ERR_NOT_DEVICE = -3,
	/* The loaded module does not serve this format or interface. */
	SHAKERANDOM_ERR_TOO_OLD = -4,
	/* The administrator forbids seeding (parameter allow_seeding). */
	SHAKERANDOM_ERR_SEEDING = -5,
	/* An argument is outside what the call allows. */
	SHAKERANDOM_ERR_ARGUMENT = -6,
	SHAKERANDOM_ERR_MEMORY = -7,
	/* This process or the system has no descriptor left. */
	SHAKERANDOM_ERR_DESCRIPTORS = -8,
	/* Past the end: 2^63 - 1 bytes, or that of a stand-in. */
	SHAKERANDOM_ERR_END = -9,
	/* This format goes forward only. */
	SHAKERANDOM_ERR_FORWARD = -10,
	/* The stream has forgotten its seed, see shakerandom_stream_open. */
	SHAKERANDOM_ERR_FORGOTTEN = -11,
	/* The text is not a saved state. */
	SHAKERANDOM_ERR_STATE = -12,
	/* Anything else; errno has it. */
	SHAKERANDOM_ERR_SYSTEM = -13,
};

/* A sentence in English, never NULL, for any number. */
const char *shakerandom_strerror(int error);

/* ---- Setting up (optional) ---- */

/*
 * Flags of shakerandom_setup.
 *
 * OR_GETRANDOM  If the device cannot be opened, secure draws come from
 *               getrandom(2): as safe, but each draw is a system call. Streams
 *               still fail: nothing else gives their bytes.
 * READ_ONLY     After setup, and after its first draw in each thread, the
 *               library makes no system call but read(2) for secure draws, and
 *               pread(2) for streams: for programs that then forbid all others
 *               on pain of death. Without this flag it also asks by ioctl(2),
 *               once for several KiB, whether the descriptor is still its own;
 *               a filter that refuses this with EPERM, EACCES or ENOSYS is
 *               taken for the flag.
 * STAND_IN      For tests: take any file's bytes as they are, for the device's.
 *               Secure draws read it from its start to its end; a stream's byte
 *               i is its byte i, whatever the seed. If it can be mapped, its
 *               first 8 bytes stand for the generation.
 */
#define SHAKERANDOM_OR_GETRANDOM 0x1u
#define SHAKERANDOM_READ_ONLY 0x2u
#define SHAKERANDOM_STAND_IN 0x4u

/*
 * Opens the device now (@device, or /dev/shakerandom if NULL), for secure draws
 * and streams opened later. Without this call the first draw does it, with no
 * flags. May be called again, with other arguments; not while other threads
 * use the library. After an error the library is as it was.
 *
 * The device's descriptor is close-on-exec. If the program closes it, the
 * library notices and opens it anew.
 */
int shakerandom_setup(const char *device, unsigned int flags);

enum shakerandom_source {
	SHAKERANDOM_SOURCE_DEVICE = 0,
	SHAKERANDOM_SOURCE_GETRANDOM = 1,
	SHAKERANDOM_SOURCE_STAND_IN = 2,
};

/* Where secure draws come from: an enum shakerandom_source, or an error. */
int shakerandom_source(void);

/* ---- Secure draws ---- */

/* Fills @len bytes, any number. On error none of them may be used. */
int shakerandom_fill(void *buf, size_t len);

/* For what these give see the draws from a stream of the same name. */
uint8_t shakerandom_u8(void);
uint16_t shakerandom_u16(void);
uint32_t shakerandom_u32(void);
uint64_t shakerandom_u64(void);
void shakerandom_u128(uint64_t value[2]);
bool shakerandom_bool(void);
uint64_t shakerandom_bits(unsigned int count);
uint32_t shakerandom_below32(uint32_t bound);
uint64_t shakerandom_below64(uint64_t bound);
int32_t shakerandom_range32(int32_t a, int32_t b);
int64_t shakerandom_range64(int64_t a, int64_t b);
uint32_t shakerandom_urange32(uint32_t a, uint32_t b);
uint64_t shakerandom_urange64(uint64_t a, uint64_t b);
float shakerandom_float(void);
double shakerandom_double(void);
double shakerandom_normal(void);
void shakerandom_shuffle(void *base, size_t count, size_t size);
int shakerandom_sample(uint64_t *out, size_t k, uint64_t n);
void shakerandom_uuid4(uint8_t uuid[16]);

/*
 * RFC 9562 version 7, from the clock. Each is greater (memcmp, or strcmp of
 * texts) than all this process made before, in any thread, even if the clock is
 * set back: 48 bits of milliseconds, 12 bits of their fraction, 62 random bits.
 */
void shakerandom_uuid7(uint8_t uuid[16]);

/* Writes "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" and a zero byte. */
void shakerandom_uuid_text(const uint8_t uuid[16], char text[37]);

/* ---- Formats ---- */

struct shakerandom_description {
	const char *name;	/* "chacha20", "shake256-ratchet" */
	uint32_t format;	/* enum shakerandom_format */
	uint32_t seed_len;	/* bytes; 0: any number; ratchets: 136 */
	bool nonce;		/* takes a nonce and numbered sub-streams */
	bool seekable;
	bool forgets;		/* keeps no way back to what it delivered */
};

/* NULL for what this library does not know; valid for ever. */
const struct shakerandom_description *shakerandom_describe(uint32_t format);
const struct shakerandom_description *
shakerandom_describe_name(const char *name);

/* ---- Streams ---- */

typedef struct shakerandom_stream shakerandom_stream;

/*
 * What draws take from the stream, chosen at open. All but PLAIN continue
 * streams of programs written for another generator; where nothing is said,
 * they do what PLAIN does. RandomShake's numbers are PLAIN.
 *
 * AES_PRNG       (aes-prng, format aes128-le) u32 and u64 skip to the next
 *                multiple of 128 if the last 4 or 8 bytes before it, or fewer,
 *                are all that is left. bool takes a u64 and gives its bits,
 *                lowest first, to this and the next 63 calls; seek drops them.
 * CHACHACIPHERS  (ChaChaCiphers.jl, format chacha20) u8 to u128 skip to the
 *                next multiple of 64 if the number would pass it; so do the
 *                draws made of them. fill does not.
 * CRYPTORANDOM   (CryptoRandom, format aes256-erase) below32 and below64, and
 *                the ranges: numbers of 4 or 8 bytes, cut to as many low bits
 *                as bound - 1 has, until one is below the bound; bound 1 takes
 *                nothing, below32(0) takes 4 bytes, below64(0) none.
 *                   Next()             range32(0, INT32_MAX - 1)
 *                   Next(min, max)     min + below32(max - min)
 *                   NextInt64()        range64(0, INT64_MAX - 1)
 *                   NextInt64(a, b)    a + below64(b - a)
 *                   NextDouble()       double
 *                   NextSingle()       float
 *                   NextGuid()         fill, 16 bytes
 *                   CryptoRandom(int)  seed: the number's 4 bytes, 28 zeros
 */
enum shakerandom_rules {
	SHAKERANDOM_RULES_PLAIN = 0,
	SHAKERANDOM_RULES_AES_PRNG = 1,
	SHAKERANDOM_RULES_CHACHACIPHERS = 2,
	SHAKERANDOM_RULES_CRYPTORANDOM = 3,
};

/*
 * Flags of a stream.
 *
 * TEXT    The seed is any text: where keys have a fixed length (chacha, aes)
 *         the key is made from it, see SHAKERANDOM_SEED_EXPAND; formats whose
 *         seed has any length take it as it is. Not for formats that forget.
 * ABSORB  shakerandom_stream_absorb() adds to the seed before the first draw;
 *         for shake128, shake256, turboshake128 and turboshake256.
 */
#define SHAKERANDOM_TEXT 0x1u
#define SHAKERANDOM_ABSORB 0x2u

/* Zero what you do not need. */
struct shakerandom_params {
	uint32_t format;	/* enum shakerandom_format */
	uint32_t rules;		/* enum shakerandom_rules */
	uint32_t flags;
	uint32_t reserved;	/* 0 */
	const void *seed;
	size_t seed_len;	/* at most SHAKERANDOM_SEED_MAX */
	/* At most one of these two, and only if the format takes a nonce: */
	const uint8_t *nonce;	/* SHAKERANDOM_NONCE_SIZE bytes */
	uint64_t number;	/* of a sub-stream; 0: that of the zero nonce */
};

/*
 * Opens a stream at position 0. On error *@stream is NULL.
 *
 * The library keeps the seed, to save, copy and reopen the stream, except for
 * formats that forget and for SHAKERANDOM_ABSORB: those calls then give
 * ERR_FORGOTTEN, and so do draws if the descriptor was closed or the other
 * process of a fork() has read on.
 *
 * Nonce of sub-stream N: chacha 0^64 || LE64(N); aes256-ctr and aes128-ctr
 * BE64(N) || 0^64; aes128-le 0^64 || LE64(N); shake256-ctr LE64(N) || 0^64.
 */
int shakerandom_stream_open(shakerandom_stream **stream,
			    const struct shakerandom_params *params);

/*
 * Wipes and frees; NULL is fine. A descriptor that cannot be told to be the
 * stream's stays open: the other process of a fork() has read on, or the
 * position of stream_fd() was moved.
 */
void shakerandom_stream_close(shakerandom_stream *s);

/* A second stream in the same state; forward-only formats read up to there. */
int shakerandom_stream_copy(shakerandom_stream **copy,
			    const shakerandom_stream *s);

/* The format's description, for ever valid. */
const struct shakerandom_description *
shakerandom_stream_describe(const shakerandom_stream *s);

/* The number of bytes taken or skipped so far. */
uint64_t shakerandom_stream_position(const shakerandom_stream *s);

/*
 * The next byte drawn is that at @position, at most 2^63 - 1. Forward-only
 * formats generate and drop what lies between; ERR_FORWARD for going back.
 */
int shakerandom_stream_seek(shakerandom_stream *s, uint64_t position);

/*
 * Bytes from anywhere; the position stays. ERR_FORWARD if not seekable. Several
 * threads may call this on one stream at once.
 */
int shakerandom_stream_pread(const shakerandom_stream *s, void *buf, size_t len,
			     uint64_t position);

/* Adds to the message; ERR_ARGUMENT without ABSORB or after the first draw. */
int shakerandom_stream_absorb(shakerandom_stream *s, const void *data,
			      size_t len);

/*
 * The descriptor of a seekable stream, for sendfile(2) with an offset and for
 * pwrite(2), which verifies. It is the library's: do not close it nor move its
 * position. May change when the stream is used. ERR_FORWARD if not seekable.
 */
int shakerandom_stream_fd(const shakerandom_stream *s);

/*
 * The whole state as one line of printable ASCII, without newline, to restore
 * on any machine. It holds the seed: keep it as secret as that. @size of
 * SHAKERANDOM_STATE_MAX always suffices; ERR_ARGUMENT if it does not.
 */
#define SHAKERANDOM_STATE_MAX 8448
int shakerandom_stream_save(const shakerandom_stream *s, char *text,
			    size_t size);
int shakerandom_stream_restore(shakerandom_stream **stream, const char *text);

/* True if both give the same values from here on, as far as can be told. */
bool shakerandom_stream_equal(const shakerandom_stream *a,
			      const shakerandom_stream *b);

/* ---- Draws from a stream ---- */

/* The next @len bytes. On error the position is where the failure was. */
int shakerandom_stream_fill(shakerandom_stream *s, void *buf, size_t len);

/* 1, 2, 4, 8 or 16 bytes; value[0] is the low half. */
uint8_t shakerandom_stream_u8(shakerandom_stream *s);
uint16_t shakerandom_stream_u16(shakerandom_stream *s);
uint32_t shakerandom_stream_u32(shakerandom_stream *s);
uint64_t shakerandom_stream_u64(shakerandom_stream *s);
void shakerandom_stream_u128(shakerandom_stream *s, uint64_t value[2]);

/* The lowest bit of a u8. */
bool shakerandom_stream_bool(shakerandom_stream *s);

/* The lowest @count bits of a u64; 0: none, no byte taken; over 64: 64. */
uint64_t shakerandom_stream_bits(shakerandom_stream *s, unsigned int count);

/*
 * Uniform in [0, bound), without bias. Takes w = 32 or 64 bits: a u32 or u64 x,
 * and gives the high half of the 2w-bit product x * bound; while the low half
 * is less than 2^w mod bound, takes another x. Bounds 0 and 1 give 0 and take
 * nothing.
 */
uint32_t shakerandom_stream_below32(shakerandom_stream *s, uint32_t bound);
uint64_t shakerandom_stream_below64(shakerandom_stream *s, uint64_t bound);

/*
 * Uniform in [a, b], both included, in either order: the lesser plus below of
 * their distance + 1; if that is 2^w, plus a u32 or u64.
 */
int32_t shakerandom_stream_range32(shakerandom_stream *s, int32_t a, int32_t b);
int64_t shakerandom_stream_range64(shakerandom_stream *s, int64_t a, int64_t b);
uint32_t shakerandom_stream_urange32(shakerandom_stream *s, uint32_t a,
				     uint32_t b);
uint64_t shakerandom_stream_urange64(shakerandom_stream *s, uint64_t a,
				     uint64_t b);

/* Uniform in [0, 1): the upper 24 bits of a u32, 53 of a u64, as a fraction. */
float shakerandom_stream_float(shakerandom_stream *s);
double shakerandom_stream_double(shakerandom_stream *s);

/*
 * Of the normal distribution, mean 0 and variance 1: a multiple of 2^-49, by
 * integer arithmetic alone, which neither libm nor a rounding mode can change.
 * A ziggurat of 256 layers, edges X in units of 2^-60 and heights F in units of
 * 2^-63 (normal_table.h); products are cut, not rounded. A try takes a u64 r:
 *
 *   i = r mod 256; x = (r >> 9 << 9) * X[i] >> 64; bit 8 of r set: negative.
 *   x < X[i + 1]: done.
 *   i > 0: a u64 v; done if F[i] + (v * (F[i + 1] - F[i]) >> 64) is below
 *     exp(-x^2 / 2), see density() of normal.c; else the next try.
 *   i = 0: two exponentials e and f, until f > t^2 / 2 where t = e / X[1];
 *     x = X[1] + t; done.
 *   An exponential: k = 0; u64 u > u' > u'' ... are taken while they fall, and
 *     the first that does not; k + u if an odd number fell, else k + 1 and
 *     anew; 16 if k comes to that.
 *
 * The result is x >> 11, in units of 2^-49. 99 % take 8 bytes.
 */
double shakerandom_stream_normal(shakerandom_stream *s);

/*
 * Every order equally likely: for i = count - 1 down to 1, swaps elements i and
 * j, j = below32(i + 1); below64 if count is 2^32 or more.
 */
void shakerandom_stream_shuffle(shakerandom_stream *s, void *base, size_t count,
				size_t size);

/*
 * @k different numbers of [0, n), every choice in every order equally likely.
 * ERR_ARGUMENT if k > n; ERR_MEMORY: it needs up to 4 words for each. For
 * j = n - k to n - 1: t = below64(j + 1), or j if t is there already; then a
 * shuffle.
 */
int shakerandom_stream_sample(shakerandom_stream *s, uint64_t *out, size_t k,
			      uint64_t n);

/* RFC 9562 version 4: fill of 16 bytes, then the 6 fixed bits are set. */
void shakerandom_stream_uuid4(shakerandom_stream *s, uint8_t uuid[16]);

/*
 * RFC 9562 version 7 for a time the caller gives, so that it can be reproduced:
 * 6 bytes big-endian of @unix_ms, then a fill of 10 bytes, then the 6 fixed
 * bits are set. Sorted from one millisecond to the next, not within one.
 */
void shakerandom_stream_uuid7(shakerandom_stream *s, uint64_t unix_ms,
			      uint8_t uuid[16]);

#ifdef __cplusplus
}
#endif

#endif
