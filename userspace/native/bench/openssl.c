// SPDX-License-Identifier: GPL-2.0
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "bench.h"

static void encrypt(void *state, u8 *out, size_t size)
{
	int n;

	bench_require(EVP_EncryptUpdate(state, out, &n, bench_zeros,
					(int)size), "EVP_EncryptUpdate");
}

/* A whole output each time: OpenSSL 3.0 cannot squeeze in steps. */
static void squeeze(void *state, u8 *out, size_t size)
{
	bench_require(EVP_DigestInit_ex2(state, NULL, NULL) &&
		      EVP_DigestFinalXOF(state, out, size),
		      "EVP_DigestFinalXOF");
}

struct absorbing {
	EVP_MD_CTX *digest;
	size_t at;
};

static void absorb(void *state, u8 *out, size_t size)
{
	struct absorbing *a = state;
	const u8 *message = bench_message(&a->at);

	bench_require(EVP_DigestUpdate(a->digest, message, size),
		      "EVP_DigestUpdate");
}

static void random_bytes(void *state, u8 *out, size_t size)
{
	bench_require(RAND_bytes(out, (int)size) == 1, "RAND_bytes");
}

static EVP_CIPHER_CTX *open_cipher(const EVP_CIPHER *cipher)
{
	static const u8 zeros[32];
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	bench_require(ctx && EVP_EncryptInit_ex2(ctx, cipher, zeros, zeros,
						 NULL), "EVP_EncryptInit");
	return ctx;
}

static void enter_cipher(const char *what, const EVP_CIPHER *cipher)
{
	struct contender c = { .what = what, .variant = "openssl",
			       .peer = true, .call = encrypt };
	unsigned int i;

	for (i = 0; i < BENCH_SIZES; i++) {
		c.size = bench_sizes[i];
		c.state = open_cipher(cipher);
		bench_enter(&c);
	}
}

static EVP_MD_CTX *open_digest(const EVP_MD *digest)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	bench_require(ctx && EVP_DigestInit_ex2(ctx, digest, NULL),
		      "EVP_DigestInit");
	return ctx;
}

static void enter_shake(const char *what, const char *absorbing,
			const EVP_MD *digest)
{
	struct contender c = { .what = what, .variant = "openssl",
			       .peer = true, .size = BENCH_LONG,
			       .call = squeeze, .state = open_digest(digest) };
	struct absorbing *a = bench_memory(sizeof(*a));

	bench_enter(&c);
	a->digest = open_digest(digest);
	c.what = absorbing;
	c.call = absorb;
	c.state = a;
	bench_enter(&c);
}

static void enter_random(void)
{
	struct contender c = { .what = "random", .variant = "RAND_bytes",
			       .peer = true, .call = random_bytes };
	unsigned int i;

	for (i = 0; i < BENCH_SIZES; i++) {
		c.size = bench_sizes[i];
		bench_enter(&c);
	}
}

void bench_openssl(bool apart)
{
	enter_cipher("chacha20", EVP_chacha20());
	enter_cipher("aes256-ctr", EVP_aes_256_ctr());
	enter_cipher("aes128-ctr", EVP_aes_128_ctr());
	enter_shake("shake256", "shake256 absorb", EVP_shake256());
	enter_shake("shake128", "shake128 absorb", EVP_shake128());
	enter_random();
}
