# SPDX-License-Identifier: GPL-2.0
# The objects of driver/core and the compiler flags of its variants, read by the
# module's Kbuild and by the native tests alike.

srnd-core := chacha keccak aes backend format

srnd-core-x86_64 :=

srnd-core-aarch64 :=
