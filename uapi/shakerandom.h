/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/shakerandom: the user interface.
 *
 * An open file starts in secure mode: reads give random bytes. Each call below
 * says what it does and every error it can give. Numbers, names and the bytes
 * of every format are fixed for ever.
 *
 * Structures may grow at their end. The size travels in the request number: a
 * structure longer than the module's is accepted if the bytes it does not know
 * are zero (E2BIG otherwise), a shorter one is read as if zeros followed, and a
 * reply is cut or zero-extended to the caller's size.
 */
#ifndef _UAPI_LINUX_SHAKERANDOM_H
#define _UAPI_LINUX_SHAKERANDOM_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SHAKERANDOM_VERSION "1.0.0"	/* of the module it came with */
#define SHAKERANDOM_ABI_VERSION 1
#define SHAKERANDOM_IOC_MAGIC 0xBB

#define SHAKERANDOM_SEED_MAX 4096	/* bytes of a seed */
#define SHAKERANDOM_NONCE_SIZE 16	/* bytes */

/*
 * Generators. For offset 0 being the first byte of the stream:
 *
 * CHACHA20/12/8      key 32. The nonce is state words 12 to 15, little-endian:
 *                    a 64-bit block counter that carries and wraps, and 64
 *                    bits of nonce (openssl enc -chacha20 -iv). RFC 8439 with
 *                    iv = LE32 counter || 96-bit nonce, right for 256 GiB.
 * AES256/128_CTR     key 32/16. SP 800-38A counter mode; the nonce is the
 *                    counter block at offset 0, big-endian, wrapping modulo
 *                    2^128 (openssl enc -aes-256-ctr -iv).
 * AES128_LE          key 16. The same, but the counter is little-endian.
 * SHAKE256_CTR       any seed. K = SHAKE256("shakerandom-key-v1" || seed, 64);
 *                    sector i of 512 bytes is SHAKE256("shakerandom-sector-v1"
 *                    || K || nonce || LE64(i), 512).
 * SHAKE256/128       any seed. FIPS 202, forward only, no nonce.
 * TURBOSHAKE256/128  any seed. RFC 9861, D = 0x1f, forward only, no nonce.
 * SHAKE256_RATCHET   seed of 16, 24, 32 or 136 bytes, absorbed into SHAKE256;
 *                    then for ever: 8 times (136 bytes of output, permute),
 *                    zero the first 16, 24, 32 or 32 bytes of the state,
 *                    permute. Forward only, no nonce.
 * TURBOSHAKE256_RATCHET  the same with 12 rounds, seed of 136 bytes.
 * AES256_ERASE       key 32. C_i = AES-256(K, BE128(i)) for i = 0 to 511; new
 *                    K = C_0 || C_1, output C_2 to C_511; repeat. Forward only,
 *                    no nonce.
 *
 * shakerandom_info.formats says which of them this module serves.
 */
enum shakerandom_format {
	SHAKERANDOM_CHACHA20 = 1,
	SHAKERANDOM_CHACHA12 = 2,
	SHAKERANDOM_CHACHA8 = 3,
	SHAKERANDOM_AES256_CTR = 4,
	SHAKERANDOM_AES128_CTR = 5,
	SHAKERANDOM_AES128_LE = 6,
	SHAKERANDOM_SHAKE256_CTR = 7,
	SHAKERANDOM_SHAKE256 = 8,
	SHAKERANDOM_SHAKE128 = 9,
	SHAKERANDOM_TURBOSHAKE256 = 10,
	SHAKERANDOM_TURBOSHAKE128 = 11,
	SHAKERANDOM_SHAKE256_RATCHET = 12,
	SHAKERANDOM_TURBOSHAKE256_RATCHET = 13,
	SHAKERANDOM_AES256_ERASE = 14,
};

enum shakerandom_mode {
	SHAKERANDOM_MODE_RANDOM = 0,	/* secure random bytes */
	SHAKERANDOM_MODE_SEEDED = 1,	/* a stream, see SHAKERANDOM_IOC_SEED */
	SHAKERANDOM_MODE_ABSORBING = 2,	/* write appends to the message */
};

/* shakerandom_seed.flags */
#define SHAKERANDOM_SEED_EXPAND 0x1	/* the seed is any text; chacha, aes */
#define SHAKERANDOM_SEED_ABSORB 0x2	/* write appends until the first read */

struct shakerandom_seed {
	__u32 format;		/* enum shakerandom_format */
	__u32 flags;		/* SHAKERANDOM_SEED_* */
	__u64 seed;		/* address of the seed */
	__u32 seed_len;		/* bytes, at most SHAKERANDOM_SEED_MAX */
	__u32 reserved;		/* 0 */
	__u8 nonce[SHAKERANDOM_NONCE_SIZE];	/* 0 if it has none */
};

struct shakerandom_info {
	__u32 abi_version;	/* SHAKERANDOM_ABI_VERSION of the module */
	__u32 mode;		/* enum shakerandom_mode of this file */
	__u32 format;		/* what this file reads from */
	__u32 default_format;	/* what a file reads from when opened */
	__u64 generation;	/* rises when all secure state is renewed */
	__u64 formats;		/* bit f set: format f is served */
	__u64 position;		/* of a seeded file, bytes; else 0 */
	char version[16];	/* of the module, zero-terminated */
	char backend[16];	/* what serves this file: "vaes", "portable" */
};

/* What mmap of one read-only shared page at offset 0 shows. */
struct shakerandom_page {
	__u64 generation;	/* as in shakerandom_info */
};

/*
 * INFO: what this file is. Also marks its generation as seen (poll reports
 * POLLPRI after a change until then).
 *   EFAULT  bad address
 */
#define SHAKERANDOM_IOC_INFO \
	_IOR(SHAKERANDOM_IOC_MAGIC, 0x00, struct shakerandom_info)

/*
 * SELECT: back to secure mode, with generator CHACHA20, SHAKE256 or
 * AES256_CTR, or 0 for the default. Wipes a seeded stream.
 *   EINVAL  any other number
 *   EFAULT  bad address
 *   E2BIG   nonzero bytes past the number
 */
#define SHAKERANDOM_IOC_SELECT _IOW(SHAKERANDOM_IOC_MAGIC, 0x01, __u32)

/*
 * SEED: this file (and its duplicates) now reads the stream of this seed, from
 * position 0. On any error the file is as it was.
 *   EINVAL  unknown format, flag or seed length; reserved or an unused nonce
 *           byte not zero; EXPAND with a format other than chacha and aes;
 *           ABSORB with one other than SHAKE and TurboSHAKE
 *   E2BIG   nonzero bytes past the structure
 *   EFAULT  bad address, of the structure or of the seed
 *   ENOMEM
 *   EPERM   module parameter allow_seeding is 0
 */
#define SHAKERANDOM_IOC_SEED \
	_IOW(SHAKERANDOM_IOC_MAGIC, 0x02, struct shakerandom_seed)

/*
 * RESEED: a new generation now; no byte computed before is delivered after.
 * The moment and the processor's own generator enter the new keys: clones of a
 * machine that were not told part here, though their kernel RNG may not have.
 *   EPERM   without CAP_SYS_ADMIN
 */
#define SHAKERANDOM_IOC_RESEED _IO(SHAKERANDOM_IOC_MAGIC, 0x03)

/*
 * SELFTEST: run the known answers of every variant now.
 *   EPERM   without CAP_SYS_ADMIN
 *   EIO     one failed; the kernel log names it
 */
#define SHAKERANDOM_IOC_SELFTEST _IO(SHAKERANDOM_IOC_MAGIC, 0x04)

#endif
