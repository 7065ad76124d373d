// SPDX-License-Identifier: GPL-2.0
/* The numbers of the user interface, for ever: compiled as C and C++, for 32 and 64 bits. */
#include "../../uapi/shakerandom.h"

#include <stddef.h>

#ifdef __cplusplus
#define SAME(what, number) static_assert((what) == (number), #what)
#elif __STDC_VERSION__ >= 201112L
#define SAME(what, number) _Static_assert((what) == (number), #what)
#else
#define SAME(what, number) extern char same[(what) == (number) ? 1 : -1]
#endif
#define AT(type, member, number) SAME(offsetof(struct shakerandom_##type, member), number)

SAME(sizeof(struct shakerandom_seed), 40);
AT(seed, format, 0);
AT(seed, flags, 4);
AT(seed, seed, 8);
AT(seed, seed_len, 16);
AT(seed, reserved, 20);
AT(seed, nonce, 24);

SAME(sizeof(struct shakerandom_info), 72);
AT(info, abi_version, 0);
AT(info, mode, 4);
AT(info, format, 8);
AT(info, default_format, 12);
AT(info, generation, 16);
AT(info, formats, 24);
AT(info, position, 32);
AT(info, version, 40);
AT(info, backend, 56);

SAME(sizeof(struct shakerandom_page), 8);
AT(page, generation, 0);

SAME(SHAKERANDOM_IOC_INFO, 0x8048bb00U);
SAME(SHAKERANDOM_IOC_SELECT, 0x4004bb01U);
SAME(SHAKERANDOM_IOC_SEED, 0x4028bb02U);
SAME(SHAKERANDOM_IOC_RESEED, 0xbb03U);
SAME(SHAKERANDOM_IOC_SELFTEST, 0xbb04U);

SAME(SHAKERANDOM_ABI_VERSION, 1);
SAME(SHAKERANDOM_SEED_MAX, 4096);
SAME(SHAKERANDOM_NONCE_SIZE, 16);
SAME(SHAKERANDOM_SEED_EXPAND, 1);
SAME(SHAKERANDOM_SEED_ABSORB, 2);

SAME(SHAKERANDOM_MODE_RANDOM, 0);
SAME(SHAKERANDOM_MODE_SEEDED, 1);
SAME(SHAKERANDOM_MODE_ABSORBING, 2);

SAME(SHAKERANDOM_CHACHA20, 1);
SAME(SHAKERANDOM_CHACHA12, 2);
SAME(SHAKERANDOM_CHACHA8, 3);
SAME(SHAKERANDOM_AES256_CTR, 4);
SAME(SHAKERANDOM_AES128_CTR, 5);
SAME(SHAKERANDOM_AES128_LE, 6);
SAME(SHAKERANDOM_SHAKE256_CTR, 7);
SAME(SHAKERANDOM_SHAKE256, 8);
SAME(SHAKERANDOM_SHAKE128, 9);
SAME(SHAKERANDOM_TURBOSHAKE256, 10);
SAME(SHAKERANDOM_TURBOSHAKE128, 11);
SAME(SHAKERANDOM_SHAKE256_RATCHET, 12);
SAME(SHAKERANDOM_TURBOSHAKE256_RATCHET, 13);
SAME(SHAKERANDOM_AES256_ERASE, 14);
