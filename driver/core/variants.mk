# SPDX-License-Identifier: GPL-2.0
# The objects of driver/core and the compiler flags of its variants, read by the
# module's Kbuild and by the native tests alike.

srnd-core := chacha keccak aes backend format

srnd-core-x86_64 := chacha_avx2 chacha_avx512 aes_aesni aes_vaes256 aes_vaes512
srnd-flags-aes_aesni := -O3 -maes -msse4.1
srnd-flags-aes_vaes256 := -O3 -maes -mavx2 -mvaes
srnd-flags-aes_vaes512 := -O3 -maes -mavx2 -mvaes \
	-mavx512f -mavx512vl -mavx512bw -mavx512dq

srnd-core-aarch64 := chacha_neon aes_neon
srnd-flags-aes_neon := -O3 -march=armv8-a+crypto
