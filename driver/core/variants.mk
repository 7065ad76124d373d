# SPDX-License-Identifier: GPL-2.0
# The objects of driver/core and the compiler flags of its variants, read by the
# module's Kbuild and by the native tests alike.

srnd-core := chacha keccak aes backend format

srnd-core-x86_64 := chacha_avx2 chacha_avx512 \
	keccak_bmi keccak_avx2 keccak_avx512vl keccak_avx512 \
	aes_aesni aes_vaes256 aes_vaes512

srnd-core-aarch64 := chacha_neon keccak_neon keccak_sha3 aes_neon

# Those of the flags that the compiler knows. What uses it is expanded late, for
# CC may differ from target to target.
srnd-cc-option = $(foreach flag,$(1),$(shell $(CC) -Werror $(flag) -c -x c \
	/dev/null -o /dev/null 2>/dev/null && echo $(flag)))

# A Keccak state fills the registers; these keep gcc from reordering it out of
# them (2.5 becomes 2.6 times OpenSSL with AVX2).
srnd-keccak = $(call srnd-cc-option,-fno-tree-reassoc -fira-region=one)
srnd-unscheduled = $(call srnd-cc-option,-fno-schedule-insns)
srnd-avx512 := -mavx512f -mavx512vl -mavx512bw -mavx512dq

srnd-flags-keccak_bmi = -O2 -mbmi -mbmi2 -mtune=skylake
srnd-flags-keccak_avx2 = -O3 -mavx2 -mtune=skylake $(srnd-keccak)
srnd-flags-keccak_avx512vl = -O3 $(srnd-avx512) -mtune=skylake $(srnd-keccak)
srnd-flags-keccak_avx512 = $(srnd-flags-keccak_avx512vl)
srnd-flags-keccak_neon = -O3 $(srnd-keccak) $(srnd-unscheduled)
srnd-flags-keccak_sha3 = -march=armv8.2-a+sha3 $(srnd-flags-keccak_neon)

srnd-flags-aes_aesni := -O3 -maes -msse4.1
srnd-flags-aes_vaes256 := -O3 -maes -mavx2 -mvaes
srnd-flags-aes_vaes512 := -O3 -maes -mavx2 -mvaes $(srnd-avx512)
srnd-flags-aes_neon := -O3 -march=armv8-a+crypto
