// SPDX-License-Identifier: GPL-2.0
#include <gcrypt.h>

#include "bench.h"

static void encrypt(void *state, u8 *out, size_t size)
{
	bench_require(!gcry_cipher_encrypt(state, out, size, bench_zeros,
					   size), "gcry_cipher_encrypt");
}

static gcry_cipher_hd_t open_cipher(int algorithm, int mode)
{
	static const u8 zeros[32];
	gcry_cipher_hd_t cipher;

	bench_require(!gcry_cipher_open(&cipher, algorithm, mode, 0) &&
		      !gcry_cipher_setkey(cipher, zeros, sizeof(zeros)),
		      "gcry_cipher_open");
	/* For ChaCha20 a nonce of zeros is how it starts. */
	if (mode == GCRY_CIPHER_MODE_CTR)
		bench_require(!gcry_cipher_setctr(cipher, zeros, 16),
			      "gcry_cipher_setctr");
	return cipher;
}

static void enter_cipher(const char *what, int algorithm, int mode,
			 const char *variant, bool apart)
{
	struct contender c = { .what = what, .variant = variant, .peer = true,
			       .apart = apart, .call = encrypt };
	unsigned int i;

	for (i = 0; i < BENCH_SIZES; i++) {
		c.size = bench_sizes[i];
		c.state = open_cipher(algorithm, mode);
		bench_enter(&c);
	}
}

void bench_gcrypt(bool apart)
{
	/* A library that does not know this name has no such code either. */
	if (apart)
		gcry_control(GCRYCTL_DISABLE_HWF, "intel-avx512", NULL);
	bench_require(gcry_check_version(GCRYPT_VERSION), "libgcrypt");
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);

	enter_cipher("chacha20", GCRY_CIPHER_CHACHA20,
		     GCRY_CIPHER_MODE_STREAM, "libgcrypt", false);
	enter_cipher("chacha20", GCRY_CIPHER_CHACHA20,
		     GCRY_CIPHER_MODE_STREAM, "libgcrypt-noavx512", true);
	enter_cipher("aes256-ctr", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CTR,
		     "libgcrypt", false);
}
