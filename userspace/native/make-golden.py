#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Adds to userspace/device/golden.json: SHA-256 of the first MiB of every format, from the reference.

Minutes of plain Python, so what is there is kept; every machine and backend must give the same."""

import hashlib
import json
import os

import reference as ref

MIB = 1 << 20
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../device/golden.json")


def seed_size(number):
    sizes = ref.SEED_SIZES.get(number, (ref.KEY_SIZES.get(number, 32),))
    return 32 if 32 in sizes else sizes[-1]


def main():
    with open(FILE, encoding="ascii") as file:
        golden = json.load(file)
    for number, name in ref.NAMES.items():
        if name in golden:
            continue
        seed = bytes(range(100, 100 + seed_size(number)))
        nonce = bytes(range(0xf0, 0x100)) if number in ref.SEEKABLE else ref.ZERO_NONCE
        data = ref.stream(number, seed, nonce, 0, MIB)
        golden[name] = {"seed": seed.hex(), "nonce": nonce.hex(), "sha256": hashlib.sha256(data).hexdigest()}
    with open(FILE, "w", encoding="ascii") as file:
        file.write(json.dumps(golden, indent=1) + "\n")


main()
