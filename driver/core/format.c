// SPDX-License-Identifier: GPL-2.0
#include "../../uapi/shakerandom.h"
#include "format.h"

#define RATCHET_BLOCKS 8
#define RATCHET_WINDOW (RATCHET_BLOCKS * SRND_SHAKE256_RATE)
#define ERASE_KEY 32
#define ERASE_BATCH 8192

static void chacha_key(union srnd_instance *s, const struct srnd_format *f,
		       const struct srnd_backend *b, const u8 *key,
		       const u8 *nonce)
{
	srnd_chacha_init(s->chacha, key, nonce);
}

static void chacha_grains(const union srnd_instance *s,
			  const struct srnd_format *f,
			  const struct srnd_backend *b, u64 index, u8 *out,
			  size_t n)
{
	u32 state[16];
	u64 counter;

	memcpy(state, s->chacha, sizeof(state));
	counter = index + (state[12] | (u64)state[13] << 32);
	state[12] = (u32)counter;
	state[13] = (u32)(counter >> 32);
	b->chacha(state, out, n, f->rounds);
	srnd_wipe(state, sizeof(state));
}

static void aes_be_key(union srnd_instance *s, const struct srnd_format *f,
		       const struct srnd_backend *b, const u8 *key,
		       const u8 *nonce)
{
	b->expand(&s->aes.key, key, f->key_size);
	srnd_aes_counter_load(&s->aes.start, nonce, false);
}

static void aes_le_key(union srnd_instance *s, const struct srnd_format *f,
		       const struct srnd_backend *b, const u8 *key,
		       const u8 *nonce)
{
	b->expand(&s->aes.key, key, f->key_size);
	srnd_aes_counter_load(&s->aes.start, nonce, true);
}

static void aes_grains(const union srnd_instance *s,
		       const struct srnd_format *f,
		       const struct srnd_backend *b, u64 index, u8 *out,
		       size_t n)
{
	struct srnd_aes_counter counter = s->aes.start;

	srnd_aes_counter_add(&counter, index);
	b->aes(&s->aes.key, &counter, out, n);
}

/*
 * The one block that every sector hashes: "shakerandom-sector-v1", the 64-byte
 * key, the nonce, the index (left zero) and the padding.
 */
static void sectors_key(union srnd_instance *s, const struct srnd_format *f,
			const struct srnd_backend *b, const u8 *key,
			const u8 *nonce)
{
	struct srnd_sponge sponge;
	static const char domain[] = "shakerandom-sector-v1";
	static const u8 index[8];

	/* Shorter than a block: nothing is permuted before the padding. */
	srnd_sponge_init(&sponge, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&sponge, NULL, domain, sizeof(domain) - 1);
	srnd_sponge_absorb(&sponge, NULL, key, f->key_size);
	srnd_sponge_absorb(&sponge, NULL, nonce, SRND_NONCE);
	srnd_sponge_absorb(&sponge, NULL, index, sizeof(index));
	srnd_sponge_pad(&sponge);
	memcpy(s->block, sponge.state, sizeof(s->block));
	srnd_wipe(&sponge, sizeof(sponge));
}

static void sectors_grains(const union srnd_instance *s,
			   const struct srnd_format *f,
			   const struct srnd_backend *b, u64 index, u8 *out,
			   size_t n)
{
	b->sectors(s->block, index, out, n);
}

/* Eight blocks of output, then a step that cannot be undone. */
static void ratchet_refill(struct srnd_forward *s, const struct srnd_backend *b)
{
	size_t i;

	for (i = 0; i < RATCHET_BLOCKS; i++)
		srnd_sponge_squeeze(&s->sponge, b->keccak,
				    s->window + i * SRND_SHAKE256_RATE,
				    SRND_SHAKE256_RATE);
	b->keccak(s->sponge.state, s->sponge.rounds);
	srnd_wipe(s->sponge.state, s->zeros);
	s->taken = 0;
}

/* Each batch begins with the key of the next; it stays in the window. */
static void erase_refill(struct srnd_forward *s, const struct srnd_backend *b)
{
	struct srnd_aes_counter counter = { 0 };
	struct srnd_aes_key key;

	b->expand(&key, s->window, ERASE_KEY);
	b->aes(&key, &counter, s->window, ERASE_BATCH / SRND_AES_BLOCK);
	srnd_wipe(&key, sizeof(key));
	s->taken = ERASE_KEY;
}

#define CHACHA(n) {						\
	.name = "chacha" #n, .primitive = SRND_CHACHA,		\
	.flags = SRND_EXPANDS, .seed_sizes = { 32 },		\
	.key_size = 32, .grain_shift = 6,		\
	.rounds = (n), .key = chacha_key, .grains = chacha_grains }

#define AES(text, bytes, setkey) {				\
	.name = text, .primitive = SRND_AES,			\
	.flags = SRND_EXPANDS, .seed_sizes = { bytes },		\
	.key_size = bytes, .grain_shift = 4,		\
	.key = setkey, .grains = aes_grains }

#define XOF(text, n, r) {					\
	.name = text, .primitive = SRND_KECCAK,			\
	.flags = SRND_ABSORBS, .rounds = n, .rate = r }

#define RATCHET(text, n, ...) {					\
	.name = text, .primitive = SRND_KECCAK,			\
	.seed_sizes = { __VA_ARGS__ },				\
	.rounds = n, .rate = SRND_SHAKE256_RATE,		\
	.window = RATCHET_WINDOW, .refill = ratchet_refill }

static const struct srnd_format formats[] = {
	[SHAKERANDOM_CHACHA20] = CHACHA(20),
	[SHAKERANDOM_CHACHA12] = CHACHA(12),
	[SHAKERANDOM_CHACHA8] = CHACHA(8),
	[SHAKERANDOM_AES256_CTR] = AES("aes256-ctr", 32, aes_be_key),
	[SHAKERANDOM_AES128_CTR] = AES("aes128-ctr", 16, aes_be_key),
	[SHAKERANDOM_AES128_LE] = AES("aes128-le", 16, aes_le_key),
	[SHAKERANDOM_SHAKE256_CTR] = {
		.name = "shake256-ctr", .primitive = SRND_SECTORS,
		.key_size = 64, .grain_shift = 9,
		.key = sectors_key, .grains = sectors_grains },
	[SHAKERANDOM_SHAKE256] = XOF("shake256", 24, SRND_SHAKE256_RATE),
	[SHAKERANDOM_SHAKE128] = XOF("shake128", 24, SRND_SHAKE128_RATE),
	[SHAKERANDOM_TURBOSHAKE256] =
		XOF("turboshake256", 12, SRND_SHAKE256_RATE),
	[SHAKERANDOM_TURBOSHAKE128] =
		XOF("turboshake128", 12, SRND_SHAKE128_RATE),
	[SHAKERANDOM_SHAKE256_RATCHET] =
		RATCHET("shake256-ratchet", 24, 16, 24, 32, 136),
	[SHAKERANDOM_TURBOSHAKE256_RATCHET] =
		RATCHET("turboshake256-ratchet", 12, 136),
	[SHAKERANDOM_AES256_ERASE] = {
		.name = "aes256-erase", .primitive = SRND_AES,
		.flags = SRND_EXPANDS, .seed_sizes = { ERASE_KEY },
		.key_size = ERASE_KEY,
		.window = ERASE_BATCH, .refill = erase_refill },
};

const struct srnd_format *srnd_format(u32 number)
{
	if (number >= ARRAY_SIZE(formats) || !formats[number].name)
		return NULL;
	return &formats[number];
}

u64 srnd_formats_served(void)
{
	u64 bits = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (srnd_format(i))
			bits |= 1ULL << i;
	return bits;
}

bool srnd_format_seed_ok(const struct srnd_format *f, size_t len)
{
	size_t i;

	if (!f->seed_sizes[0])
		return true;
	for (i = 0; i < ARRAY_SIZE(f->seed_sizes); i++)
		if (f->seed_sizes[i] && f->seed_sizes[i] == len)
			return true;
	return false;
}

static void derive(struct srnd_sponge *s, srnd_keccak_fn *permute,
		   const u8 *seed, size_t len, u8 *key, size_t key_size)
{
	srnd_sponge_absorb(s, permute, seed, len);
	srnd_sponge_squeeze(s, permute, key, key_size);
	srnd_wipe(s, sizeof(*s));
}

size_t srnd_format_expand(const struct srnd_format *f,
			  const struct srnd_engine *e, const u8 *seed,
			  size_t len, u8 *key)
{
	static const char domain[] = "shakerandom-seed-v1";
	srnd_keccak_fn *permute = e->row[SRND_KECCAK]->keccak;
	struct srnd_sponge s;

	/* Domain and name are absorbed with their terminating zero bytes. */
	srnd_sponge_init(&s, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&s, permute, domain, sizeof(domain));
	srnd_sponge_absorb(&s, permute, f->name, strlen(f->name) + 1);
	derive(&s, permute, seed, len, key, f->key_size);
	return f->key_size;
}

/* Keys a format that takes seeds of any length. */
static void key_from_any(union srnd_instance *s, const struct srnd_format *f,
			 const struct srnd_engine *e, const u8 *seed,
			 size_t len, const u8 *nonce)
{
	static const char domain[] = "shakerandom-key-v1";
	srnd_keccak_fn *permute = e->row[SRND_KECCAK]->keccak;
	struct srnd_sponge sponge;
	u8 key[SRND_KEY_MAX];

	srnd_sponge_init(&sponge, SRND_SHAKE256_RATE, 24, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&sponge, permute, domain, sizeof(domain) - 1);
	derive(&sponge, permute, seed, len, key, f->key_size);
	f->key(s, f, e->row[f->primitive], key, nonce);
	srnd_wipe(key, sizeof(key));
}

static void seed_forward(struct srnd_forward *s, const struct srnd_format *f,
			 const struct srnd_engine *e, const u8 *seed,
			 size_t len)
{
	s->taken = f->window;
	if (!f->rate) {
		memcpy(s->window, seed, len);
		return;
	}
	s->zeros = len < 32 ? len : 32;
	srnd_sponge_init(&s->sponge, f->rate, f->rounds, SRND_SHAKE_DOMAIN);
	srnd_sponge_absorb(&s->sponge, e->row[f->primitive]->keccak, seed, len);
}

void srnd_format_seed(union srnd_instance *s, const struct srnd_format *f,
		      const struct srnd_engine *e, const u8 *seed, size_t len,
		      const u8 *nonce)
{
	if (!f->key)
		seed_forward(&s->forward, f, e, seed, len);
	else if (f->seed_sizes[0])
		f->key(s, f, e->row[f->primitive], seed, nonce);
	else
		key_from_any(s, f, e, seed, len, nonce);
}

void srnd_format_absorb(union srnd_instance *s, const struct srnd_format *f,
			const struct srnd_engine *e, const u8 *data, size_t len)
{
	srnd_sponge_absorb(&s->forward.sponge, e->row[f->primitive]->keccak,
			   data, len);
}

/* The part of one grain that a read begins or ends in. */
static size_t read_part(const union srnd_instance *s,
			const struct srnd_format *f,
			const struct srnd_backend *b, u64 offset, u8 *out,
			size_t len)
{
	size_t size = srnd_format_grain(f);
	size_t skip = offset & (size - 1), n = size - skip;
	u8 grain[SRND_GRAIN_MAX];

	if (n > len)
		n = len;
	f->grains(s, f, b, offset >> f->grain_shift, grain, 1);
	memcpy(out, grain + skip, n);
	srnd_wipe(grain, size);
	return n;
}

void srnd_format_read(const union srnd_instance *s, const struct srnd_format *f,
		      const struct srnd_engine *e, u64 offset, u8 *out,
		      size_t len)
{
	const struct srnd_backend *b = e->row[f->primitive];
	size_t n;

	if (len && (offset & (srnd_format_grain(f) - 1))) {
		n = read_part(s, f, b, offset, out, len);
		offset += n;
		out += n;
		len -= n;
	}
	n = len >> f->grain_shift;
	if (n) {
		f->grains(s, f, b, offset >> f->grain_shift, out, n);
		n <<= f->grain_shift;
		offset += n;
		out += n;
		len -= n;
	}
	if (len)
		read_part(s, f, b, offset, out, len);
}

size_t srnd_format_peek(union srnd_instance *s, const struct srnd_format *f,
			const struct srnd_engine *e, u8 *out, size_t len)
{
	struct srnd_forward *w = &s->forward;

	if (w->taken == f->window)
		f->refill(w, e->row[f->primitive]);
	if (len > (size_t)(f->window - w->taken))
		len = f->window - w->taken;
	memcpy(out, w->window + w->taken, len);
	return len;
}

void srnd_format_take(union srnd_instance *s, size_t len)
{
	srnd_wipe(s->forward.window + s->forward.taken, len);
	s->forward.taken += len;
}

void srnd_format_squeeze(union srnd_instance *s, const struct srnd_format *f,
			 const struct srnd_engine *e, u8 *out, size_t len)
{
	size_t n;

	if (!f->window) {
		srnd_sponge_squeeze(&s->forward.sponge,
				    e->row[f->primitive]->keccak, out, len);
		return;
	}
	for (; len; out += n, len -= n) {
		n = srnd_format_peek(s, f, e, out, len);
		srnd_format_take(s, n);
	}
}
