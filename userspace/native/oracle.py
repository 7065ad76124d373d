#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The core, as a shared object, against everything else that knows its streams.

reference.py, the openssl command, hashlib, NIST's files, kunit/vectors; every
test goes over all variants that this processor runs. SRND_SEED repeats a run's
random choices; `run` prints it.
"""

import ctypes
import hashlib
import os
import random
import unittest

import reference as ref
import vectors

SEED = (os.environ.get("SRND_SEED")
        or str(random.SystemRandom().getrandbits(32)))
core = ctypes.CDLL(os.environ.get(
    "SRND_CORE", os.path.join(vectors.HERE, "build/shared/core.so")))
core.oracle_row.restype = ctypes.c_char_p
core.oracle_row_runs.restype = ctypes.c_bool
core.oracle_seekable.restype = ctypes.c_bool
core.oracle_open.restype = ctypes.c_void_p
core.oracle_open.argtypes = [ctypes.c_uint32, ctypes.c_uint, ctypes.c_char_p,
                             ctypes.c_size_t, ctypes.c_char_p]
core.oracle_absorb.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                               ctypes.c_size_t]
core.oracle_read.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p,
                             ctypes.c_size_t]
core.oracle_close.argtypes = [ctypes.c_void_p]
core.oracle_expand.restype = ctypes.c_size_t
core.oracle_expand.argtypes = [ctypes.c_uint32, ctypes.c_char_p,
                               ctypes.c_size_t, ctypes.c_void_p]
core.srnd_formats_served.restype = ctypes.c_uint64

FORMATS = [n for n in ref.NAMES if core.srnd_formats_served() >> n & 1]


def rows(number):
    """Indices and names of the variants of a format that run here."""
    index = 0
    while (name := core.oracle_row(number, index)) is not None:
        if core.oracle_row_runs(number, index):
            yield index, name.decode()
        index += 1


class Stream:
    def __init__(self, number, row, seed, nonce=ref.ZERO_NONCE):
        self.handle = core.oracle_open(number, row, seed, len(seed), nonce)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        core.oracle_close(self.handle)

    def absorb(self, data):
        core.oracle_absorb(self.handle, data, len(data))

    def read(self, length, offset=0):
        out = ctypes.create_string_buffer(length)
        core.oracle_read(self.handle, offset, out, length)
        return out.raw


def stream(number, row, seed, nonce=ref.ZERO_NONCE, offset=0, length=64):
    """As reference.stream."""
    with Stream(number, row, seed, nonce) as s:
        if number in ref.SEEKABLE:
            return s.read(length, offset)
        return s.read(offset + length)[offset:]


def each_row(test, number):
    """Rows as subtests."""
    for row, name in rows(number):
        with test.subTest(format=ref.NAMES[number], variant=name):
            yield row


@unittest.skipUnless(vectors.nist_directory(),
                     "no NIST files: install python3-cryptography-vectors")
class Nist(unittest.TestCase):
    def shake(self, bits, name):
        number = ref.SHAKE256 if bits == 256 else ref.SHAKE128
        records = [r for r in vectors.nist("hashes/SHAKE/SHAKE%d%s.rsp"
                                           % (bits, name)) if "OUTPUT" in r]
        self.assertGreaterEqual(len(records), 100)
        for row in each_row(self, number):
            for r in records:
                message = bytes.fromhex(r["MSG"])
                if "LEN" in r:
                    message = message[:int(r["LEN"]) // 8]
                want = bytes.fromhex(r["OUTPUT"])
                self.assertEqual(stream(number, row, message,
                                        length=len(want)), want, r)

    def monte(self, bits):
        number = ref.SHAKE256 if bits == 256 else ref.SHAKE128
        records = list(vectors.nist("hashes/SHAKE/SHAKE%dMonte.rsp" % bits))
        least, most = [next(int(r[k]) // 8 for r in records if k in r)
                       for k in ("MINIMUM OUTPUT LENGTH (BITS)",
                                 "MAXIMUM OUTPUT LENGTH (BITS)")]
        seed = next(bytes.fromhex(r["MSG"]) for r in records if "MSG" in r)
        wanted = [r["OUTPUT"] for r in records if "OUTPUT" in r]
        self.assertEqual(len(wanted), 100)
        for row in each_row(self, number):
            out, length = seed, most
            for want in wanted:
                for _ in range(1000):
                    out = stream(number, row, (out + bytes(16))[:16],
                                 length=length)
                    length = least + (int.from_bytes(out[-2:], "big")
                                      % (most - least + 1))
                self.assertEqual(out.hex(), want)

    def test_shake256_short(self):
        self.shake(256, "ShortMsg")

    def test_shake256_long(self):
        self.shake(256, "LongMsg")

    def test_shake256_variable(self):
        self.shake(256, "VariableOut")

    def test_shake256_monte(self):
        self.monte(256)

    def test_shake128_short(self):
        self.shake(128, "ShortMsg")

    def test_shake128_long(self):
        self.shake(128, "LongMsg")

    def test_shake128_variable(self):
        self.shake(128, "VariableOut")

    def test_shake128_monte(self):
        self.monte(128)

    def aes(self, number, name, mode):
        records = [r for r in vectors.nist("ciphers/AES/" + name)
                   if "PLAINTEXT" in r]
        self.assertTrue(records)
        for row in each_row(self, number):
            for r in records:
                key, plain, cipher = (bytes.fromhex(r[k]) for k in (
                    "KEY", "PLAINTEXT", "CIPHERTEXT"))
                self.assertEqual(mode(number, row, key, plain, r), cipher, r)

    @staticmethod
    def ctr(number, row, key, plain, record):
        key_stream = stream(number, row, key, bytes.fromhex(record["IV"]),
                            length=len(plain))
        return bytes(a ^ b for a, b in zip(plain, key_stream))

    @staticmethod
    def ecb(number, row, key, plain, _):
        """A block is the first of the stream that counts from it."""
        return b"".join(stream(number, row, key, plain[i:i + 16], length=16)
                        for i in range(0, len(plain), 16))

    def test_aes_ctr(self):
        self.aes(ref.AES128_CTR, "CTR/aes-128-ctr.txt", self.ctr)
        self.aes(ref.AES256_CTR, "CTR/aes-256-ctr.txt", self.ctr)

    def test_aes_ecb(self):
        for kind in ("GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt"):
            for number in (ref.AES128_CTR, ref.AES128_LE):
                self.aes(number, "ECB/ECB%s128.rsp" % kind, self.ecb)
            self.aes(ref.AES256_CTR, "ECB/ECB%s256.rsp" % kind, self.ecb)


class Independent(unittest.TestCase):
    def check(self, number):
        known = [v for v in vectors.load() if v.format == number]
        self.assertTrue(known or number in ref.UNPUBLISHED)
        self.assertEqual(core.oracle_seekable(number), number in ref.SEEKABLE)
        for row in each_row(self, number):
            for v in known:
                self.assertEqual(
                    stream(number, row, v.seed, v.nonce, v.offset,
                           len(v.output)).hex(), v.output.hex(), v.source)
                if v.sha256:
                    out = stream(number, row, v.seed, v.nonce, 0, v.sha256[0])
                    self.assertEqual(hashlib.sha256(out).hexdigest(),
                                     v.sha256[1], v.source)


class Random(unittest.TestCase):
    """Random keys, nonces, offsets and lengths, often beside a boundary."""

    def setUp(self):
        self.random = random.Random("%s %s" % (SEED, self.id()))

    def near(self, powers):
        """A number beside a power of two, or any."""
        top = 2 ** self.random.choice(powers)
        return max(0, top + self.random.randrange(-2000, 2000))

    def nonce(self, number):
        if number not in ref.SEEKABLE:
            return ref.ZERO_NONCE
        order = ("big" if number in (ref.AES256_CTR, ref.AES128_CTR)
                 else "little")
        value = self.random.choice((
            self.random.getrandbits(128),
            2**32 - self.random.randrange(64),
            2**64 - self.random.randrange(64),
            2**128 - self.random.randrange(1, 64)))
        return value.to_bytes(16, order)

    def seed(self, number):
        if number in ref.KEY_SIZES:
            size = ref.KEY_SIZES[number]
        else:
            size = self.random.choice(ref.SEED_SIZES.get(number, range(700)))
        return self.random.randbytes(size)

    def offset(self, number):
        if number in ref.SEEKABLE:
            return min(2**63 - 1 - 4096,
                       self.near((0, 6, 9, 12, 36, 38, 41, 62, 63)))
        return self.random.randrange(3000)

    def check(self, number):
        for row in each_row(self, number):
            for _ in range(30):
                case = (self.seed(number), self.nonce(number),
                        self.offset(number), self.random.randrange(2500))
                self.assertEqual(stream(number, row, *case).hex(),
                                 ref.stream(number, *case).hex(), case)

    def test_expand(self):
        key = ctypes.create_string_buffer(64)
        for number in filter(FORMATS.__contains__, ref.KEY_SIZES):
            for _ in range(50):
                text = self.random.randbytes(self.random.randrange(500))
                n = core.oracle_expand(number, text, len(text), key)
                self.assertEqual(key.raw[:n], ref.expand(number, text))

    def test_openssl(self):
        """A megabyte, over the 32-bit boundary of each counter."""
        for number, cipher, edge in (
                (ref.CHACHA20, "chacha20", (2**32 - 999).to_bytes(8, "little")
                 + self.random.randbytes(8)),
                (ref.AES256_CTR, "aes-256-ctr", self.random.randbytes(12)
                 + (2**32 - 999).to_bytes(4, "big")),
                (ref.AES128_CTR, "aes-128-ctr", bytes(16 * b"\xff"))):
            key = self.seed(number)
            want = ref.openssl(cipher, key, bytes(10**6), edge)
            for row in each_row(self, number):
                got = stream(number, row, key, edge, length=10**6)
                self.assertTrue(got == want, (key, edge))

    def test_absorb(self):
        for number in (ref.SHAKE256, ref.SHAKE128):
            for row in each_row(self, number):
                pieces = [self.random.randbytes(self.random.randrange(400))
                          for _ in range(40)]
                with Stream(number, row, pieces[0]) as s:
                    for piece in pieces[1:]:
                        s.absorb(piece)
                    got = s.read(500)
                self.assertEqual(got, ref.stream(number, b"".join(pieces),
                                                 length=500))


def add_format_tests(cls):
    """A test for each format that the core serves."""
    for number in FORMATS:
        setattr(cls, "test_" + ref.NAMES[number].replace("-", "_"),
                lambda self, number=number: self.check(number))


add_format_tests(Independent)
add_format_tests(Random)

if __name__ == "__main__":
    print("SRND_SEED=" + SEED, flush=True)
    unittest.main()
