// SPDX-License-Identifier: GPL-2.0
#include <intel-ipsec-mb.h>

#include "bench.h"

struct stream {
	IMB_MGR *manager;
	IMB_JOB job;
	u8 keys[15 * 16] __attribute__((aligned(16)));
	u8 unused[15 * 16] __attribute__((aligned(16)));
	u8 counter[16];
};

static void encrypt(void *state, u8 *out, size_t size)
{
	struct stream *s = state;
	u64 blocks = srnd_load_be64(s->counter + 8);

	s->job.dst = out;
	s->job.msg_len_to_cipher_in_bytes = size;
	bench_require(IMB_SUBMIT_CIPHER_BURST_NOCHECK(s->manager, &s->job, 1,
			IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT,
			s->job.key_len_in_bytes) == 1, "ipsec-mb");
	srnd_store_be64(s->counter + 8, blocks + size / 16);
}

static struct stream *open_stream(IMB_MGR *manager, unsigned int key_bytes)
{
	static const u8 zeros[32];
	struct stream *s = bench_memory(sizeof(*s));

	s->manager = manager;
	if (key_bytes == 32)
		IMB_AES_KEYEXP_256(manager, zeros, s->keys, s->unused);
	else
		IMB_AES_KEYEXP_128(manager, zeros, s->keys, s->unused);
	s->job.enc_keys = s->keys;
	s->job.key_len_in_bytes = key_bytes;
	s->job.iv = s->counter;
	s->job.iv_len_in_bytes = sizeof(s->counter);
	s->job.src = bench_zeros;
	s->job.cipher_mode = IMB_CIPHER_CNTR;
	s->job.cipher_direction = IMB_DIR_ENCRYPT;
	s->job.hash_alg = IMB_AUTH_NULL;
	s->job.chain_order = IMB_ORDER_CIPHER_HASH;
	return s;
}

static void enter_manager(const char *what, const char *variant,
			  IMB_MGR *manager, unsigned int key_bytes)
{
	struct contender c = { .what = what, .variant = variant,
			       .peer = true, .call = encrypt };
	unsigned int i;

	for (i = 0; i < BENCH_SIZES; i++) {
		c.size = bench_sizes[i];
		c.state = open_stream(manager, key_bytes);
		bench_enter(&c);
	}
}

static void enter_kind(const char *variant, void (*init)(IMB_MGR *),
		       u64 needs)
{
	IMB_MGR *manager = alloc_mb_mgr(0);

	bench_require(manager, "alloc_mb_mgr");
	if ((manager->features & needs) != needs) {
		bench_lacks("aes256-ctr", variant, true,
			    "not on this processor");
		return;
	}
	init(manager);
	enter_manager("aes256-ctr", variant, manager, 32);
	enter_manager("aes128-ctr", variant, manager, 16);
}

void bench_ipsec(bool apart)
{
	enter_kind("ipsec-mb-avx512", init_mb_mgr_avx512, IMB_CPUFLAGS_AVX512);
	enter_kind("ipsec-mb-avx2", init_mb_mgr_avx2, IMB_CPUFLAGS_AVX2);
	enter_kind("ipsec-mb-sse", init_mb_mgr_sse, IMB_CPUFLAGS_SSE);
}
