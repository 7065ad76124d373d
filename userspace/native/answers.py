# SPDX-License-Identifier: GPL-2.0
"""The known answers of the module's self tests, from the reference (see driver/selftest.c)."""

import hashlib

import reference as ref

ANSWER_BYTES = 8192
NONCE = b"\xc0" + 14 * b"\xff" + b"\xf0"
# Lengths of seeds, where they are not those of keys, or 33 bytes.
SEEDS = {ref.SHAKE256: (0, 33), **ref.SEED_SIZES}
OFFSETS = (0, 2**33 - 4096)


def answer(number, length, offset):
    nonce = NONCE if number in ref.SEEKABLE else ref.ZERO_NONCE
    data = ref.stream(number, bytes(range(length)), nonce, offset,
                      ANSWER_BYTES)
    digest = hashlib.shake_256(data).digest(32)
    yield ("\t{ %d, %d, %#x, {\t/* %s */\n"
           % (number, length, offset, ref.NAMES[number]))
    for i in range(0, 32, 8):
        yield "\t\t" + " ".join("0x%02x," % b for b in digest[i:i + 8]) + "\n"
    yield "\t} },\n"


def answers():
    for number in ref.NAMES:
        for length in SEEDS.get(number, (ref.KEY_SIZES.get(number, 33),)):
            for offset in OFFSETS if number in ref.SEEKABLE else (0,):
                yield from answer(number, length, offset)


def table():
    return "static const struct answer answers[] = {\n%s};\n" % "".join(answers())
