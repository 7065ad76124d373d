// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles where the kernel's own cryptography is in sight: no name of ours is
 * one of its names.
 */
#include <linux/crypto.h>
#include <linux/random.h>
#include <crypto/aes.h>
#include <crypto/algapi.h>
#include <crypto/chacha.h>
#include <crypto/ctr.h>
#include <crypto/hash.h>
#include <crypto/internal/cipher.h>
#include <crypto/internal/hash.h>
#include <crypto/internal/rng.h>
#include <crypto/internal/simd.h>
#include <crypto/internal/skcipher.h>
#include <crypto/rng.h>
#include <crypto/sha2.h>
#include <crypto/sha3.h>
#include <crypto/skcipher.h>

#include "../driver/chardev.h"
#include "../driver/compat.h"
#include "../driver/cpu.h"
#include "../driver/deliver.h"
#include "../driver/engine.h"
#include "../driver/pool.h"
#include "../driver/selftest.h"
#include "../driver/simd.h"
#include "../driver/stream.h"
#include "../driver/sysfs.h"
#include "../driver/core/aes.h"
#include "../driver/core/backend.h"
#include "../driver/core/chacha.h"
#include "../driver/core/format.h"
#include "../driver/core/keccak.h"
#include "../uapi/shakerandom.h"
#include "cases.h"
#include "suites.h"
