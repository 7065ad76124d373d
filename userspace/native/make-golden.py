#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes userspace/device/golden.json: SHA-256 of the first MiB of every format, from the reference.

Minutes of plain Python, so the result is kept; every machine and backend must give the same."""

import hashlib
import json

import reference as ref

MIB = 1 << 20


def seed_size(number):
    return 136 if number == ref.TURBOSHAKE256_RATCHET else ref.KEY_SIZES.get(number, 32)


def main():
    golden = {}
    for number, name in ref.NAMES.items():
        seed = bytes(range(100, 100 + seed_size(number)))
        nonce = bytes(range(0xf0, 0x100)) if number in ref.SEEKABLE else ref.ZERO_NONCE
        data = ref.stream(number, seed, nonce, 0, MIB)
        golden[name] = {"seed": seed.hex(), "nonce": nonce.hex(), "sha256": hashlib.sha256(data).hexdigest()}
    print(json.dumps(golden, indent=1))


main()
