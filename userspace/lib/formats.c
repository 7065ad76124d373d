/* SPDX-License-Identifier: MIT */
#include "internal.h"

#define NONCE true
#define SEEK true

static const struct shakerandom_description formats[] = {
	{ "chacha20", SHAKERANDOM_CHACHA20, 32, NONCE, SEEK, false },
	{ "chacha12", SHAKERANDOM_CHACHA12, 32, NONCE, SEEK, false },
	{ "chacha8", SHAKERANDOM_CHACHA8, 32, NONCE, SEEK, false },
	{ "aes256-ctr", SHAKERANDOM_AES256_CTR, 32, NONCE, SEEK, false },
	{ "aes128-ctr", SHAKERANDOM_AES128_CTR, 16, NONCE, SEEK, false },
	{ "aes128-le", SHAKERANDOM_AES128_LE, 16, NONCE, SEEK, false },
	{ "shake256-ctr", SHAKERANDOM_SHAKE256_CTR, 0, NONCE, SEEK, false },
	{ "shake256", SHAKERANDOM_SHAKE256, 0, false, false, false },
	{ "shake128", SHAKERANDOM_SHAKE128, 0, false, false, false },
	{ "turboshake256", SHAKERANDOM_TURBOSHAKE256, 0, false, false, false },
	{ "turboshake128", SHAKERANDOM_TURBOSHAKE128, 0, false, false, false },
	{ "shake256-ratchet", SHAKERANDOM_SHAKE256_RATCHET, 136, false, false,
	  true },
	{ "turboshake256-ratchet", SHAKERANDOM_TURBOSHAKE256_RATCHET, 136,
	  false, false, true },
	{ "aes256-erase", SHAKERANDOM_AES256_ERASE, 32, false, false, true },
};

#define COUNT (sizeof(formats) / sizeof(formats[0]))

SRND_EXPORT const struct shakerandom_description *
shakerandom_describe(uint32_t format)
{
	for (size_t i = 0; i < COUNT; i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

SRND_EXPORT const struct shakerandom_description *
shakerandom_describe_name(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}
