#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes driver/selftest_answers.h from the reference (see selftest.c)."""

import hashlib

import reference as ref

ANSWER_BYTES = 8192
NONCE = b"\xc0" + 14 * b"\xff" + b"\xf0"
SEEDS = {ref.CHACHA20: (32,), ref.CHACHA12: (32,), ref.CHACHA8: (32,),
         ref.AES256_CTR: (32,), ref.AES128_CTR: (16,), ref.AES128_LE: (16,),
         ref.SHAKE256_CTR: (33,), ref.SHAKE256: (0, 33), ref.SHAKE128: (33,),
         ref.TURBOSHAKE256: (33,), ref.TURBOSHAKE128: (33,),
         ref.SHAKE256_RATCHET: (16, 24, 32, 136),
         ref.TURBOSHAKE256_RATCHET: (136,), ref.AES256_ERASE: (32,)}


OFFSETS = (0, 2**33 - 4096)


def answer(number, length, offset):
    nonce = NONCE if number in ref.SEEKABLE else ref.ZERO_NONCE
    data = ref.stream(number, bytes(range(length)), nonce, offset,
                      ANSWER_BYTES)
    digest = hashlib.shake_256(data).digest(32)
    print("\t{ %d, %d, %#x, {\t/* %s */"
          % (number, length, offset, ref.NAMES[number]))
    for i in range(0, 32, 8):
        print("\t\t" + " ".join("0x%02x," % b for b in digest[i:i + 8]))
    print("\t} },")


def main():
    print("/* SPDX-License-Identifier: GPL-2.0 */")
    print("/* Made by userspace/native/make-answers.py; do not edit. */")
    print("static const struct answer answers[] = {")
    for number, lengths in SEEDS.items():
        for length in lengths:
            for offset in OFFSETS if number in ref.SEEKABLE else (0,):
                answer(number, length, offset)
    print("};")


main()
