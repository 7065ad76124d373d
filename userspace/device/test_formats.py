# SPDX-License-Identifier: GPL-2.0
"""The bytes of every format, against published answers and independent implementations."""

import hashlib
import json
import os
import subprocess

import device
from device import (AES128_CTR, AES128_LE, AES256_CTR, CHACHA8, CHACHA12, CHACHA20, EXPAND, EXPANDABLE, NAMES, ONES,
                    SEEKABLE, SHAKE128, SHAKE256, SHAKE256_CTR, XOFS, DeviceTest, Stream, formats)

ALL = tuple(NAMES)


def vectors(number):
    with open(os.path.join(device.HERE, "vectors.json"), encoding="ascii") as file:
        return [vector for vector in json.load(file) if vector["format"] == number]


class Served(DeviceTest):
    def test_all_formats(self):
        """Those the module says it lacks are not tested by anything else here."""
        missing = [NAMES[number] for number in ALL if number not in device.SERVED]
        self.assertLessEqual(set(SEEKABLE) | {SHAKE256, SHAKE128}, set(device.SERVED))
        if missing:
            self.skipTest("this module does not serve " + ", ".join(missing))


class KnownAnswers(DeviceTest):
    @formats(*(number for number in ALL if number not in device.reference.UNPUBLISHED))
    def test_vectors(self, number):
        self.assertTrue(vectors(number))
        hashed = False
        for vector in vectors(number):
            with self.subTest(vector["source"]):
                stream = Stream(number, bytes.fromhex(vector["seed"]), bytes.fromhex(vector["nonce"]))
                fd = self.seeded(stream)
                length = max(offset + len(output) // 2 for offset, output in vector["checks"])
                if "sha256" in vector and not hashed:
                    length = vector["sha256"][0]
                data = os.read(fd, length)
                for offset, output in vector["checks"]:
                    self.assertBytes(data[offset:offset + len(output) // 2], bytes.fromhex(output))
                if "sha256" in vector and not hashed:
                    self.assertEqual(hashlib.sha256(data).hexdigest(), vector["sha256"][1])
                    hashed = True


class OpensslCommand(DeviceTest):
    """What a user types today, and what it becomes."""

    @formats(CHACHA20, AES256_CTR, AES128_CTR)
    def test_enc(self, number):
        cipher = {CHACHA20: "chacha20", AES256_CTR: "aes-256-ctr", AES128_CTR: "aes-128-ctr"}[number]
        for nonce in (self.random.randbytes(16), b"\xfe\xff\xff\xff" + self.random.randbytes(8) + b"\xff\xff\xff\xfe"):
            key, length = self.random.randbytes(device.KEY_SIZES[number]), self.random.randrange(1, 200000)
            command = ["openssl", "enc", "-" + cipher, "-K", key.hex(), "-iv", nonce.hex()]
            done = subprocess.run(command, input=bytes(length), stdout=subprocess.PIPE, check=True)
            fd = self.seeded(Stream(number, key, nonce))
            self.assertBytes(os.read(fd, length), done.stdout, " ".join(command))


class Reference(DeviceTest):
    @formats(*SEEKABLE)
    def test_random(self, number):
        slow = number in Stream.SLOW
        for _ in range(12 if slow else 40):
            stream = self.stream(number)
            fd = self.seeded(stream)
            for _ in range(2 if slow else 5):
                offset = self.random.choice((0, self.random.randrange(5000), self.random.randrange(2**40),
                                             self.random.randrange(2**63 - 10**6),
                                             2**self.random.randrange(63) + self.random.randrange(-200, 200)))
                offset = max(offset, 0)
                length = self.random.randrange(1, self.random.choice((20, 200, stream.sample())))
                self.assertBytes(os.pread(fd, length, offset), stream.expected(offset, length),
                                 f"{stream} at {offset}")

    @formats(*(number for number in ALL if number not in SEEKABLE))
    def test_random_forward(self, number):
        for length in device.seed_lengths(number):
            stream = Stream(number, self.random.randbytes(length))
            fd = self.seeded(stream)
            length = self.random.randrange(1, 20000 if number not in Stream.SLOW else 2500)
            self.assertBytes(os.read(fd, length), stream.expected(0, length), repr(stream))

    @formats(*SEEKABLE)
    def test_counters_carry(self, number):
        """Reads over the block where 32, 64 and 128 bits of counter overflow, by nonce and by offset."""
        block = {SHAKE256_CTR: 512}.get(number, 64 if number in (CHACHA20, CHACHA12, CHACHA8) else 16)
        key = self.random.randbytes(device.seed_lengths(number)[-1])
        places = [(bytes(16), 2**32 * block), (bytes(16), 2**31 * block), (bytes(16), 2**16 * block)]
        for bits in (8, 16, 32, 64, 96, 128):
            low = ((1 << bits) - 2).to_bytes(16, "little")
            places += [(low, 2 * block), (low[::-1], 2 * block)]
        places += [((2**64 - 2**32).to_bytes(8, "little") + bytes(8), 2**32 * block),
                   ((2**128 - 2**32).to_bytes(16, "big"), 2**32 * block),
                   ((2**64 - 2**32).to_bytes(16, "big"), 2**32 * block)]
        around = 2 if number in Stream.SLOW else 20
        for nonce, offset in places:
            stream = Stream(number, key, nonce)
            fd = self.seeded(stream)
            start = max(offset - around * block // 2 - 3, 0)
            length = around * block + 7
            self.assertBytes(os.pread(fd, length, start), stream.expected(start, length), f"{stream} at {start}")

    @formats(*SEEKABLE)
    def test_wide_run(self, number):
        """Long enough to use every lane of the widest backend, from an odd start, over a 32-bit carry."""
        nonce = b"\xc0\xff\xff\xff" + self.random.randbytes(8) + b"\xff\xff\xff\x00"
        stream = Stream(number, self.random.randbytes(device.seed_lengths(number)[-1]), nonce)
        fd = self.seeded(stream)
        length = 70000 if number not in Stream.SLOW else 8192
        self.assertBytes(os.pread(fd, length, 5), stream.expected(5, length), repr(stream))

    @formats(AES128_LE)
    def test_little_endian(self, number):
        """Its blocks are those of AES-128 of 0, 1, 2 ... in little-endian, written out by the openssl command."""
        key = bytes(range(16))
        blocks = b"".join(i.to_bytes(16, "little") for i in range(255, 520))
        fd = self.seeded(Stream(number, key, (255).to_bytes(16, "little")))
        self.assertBytes(os.read(fd, len(blocks)), device.reference.openssl("aes-128-ecb", key, blocks))

    @formats(SHAKE256_CTR)
    def test_sectors(self, number):
        for length in device.seed_lengths(number):
            seed, nonce = self.random.randbytes(length), self.random.randbytes(16)
            key = hashlib.shake_256(b"shakerandom-key-v1" + seed).digest(64)
            fd = self.seeded(Stream(number, seed, nonce))
            for sector in (0, 1, 8, 2**32, 2**54 - 2):
                wanted = hashlib.shake_256(b"shakerandom-sector-v1" + key + nonce
                                           + sector.to_bytes(8, "little")).digest(512)
                self.assertBytes(os.pread(fd, 512, 512 * sector), wanted, f"sector {sector}, seed of {length}")

    @formats(*XOFS)
    def test_message_lengths(self, number):
        lengths = [0, 8, 134, 135, 136, 166, 167, 168, 271, 272, 273, 335, 336, 4096]
        if number not in Stream.SLOW:
            lengths += [*range(20), *range(130, 175)]
        for length in lengths:
            stream = Stream(number, self.random.randbytes(length))
            fd = self.seeded(stream)
            self.assertBytes(os.read(fd, 400), stream.expected(0, 400), f"message of {length}")
            os.close(fd)


class Expand(DeviceTest):
    @formats(*EXPANDABLE)
    def test_any_text(self, number):
        for text in (b"", b"a", b"correct horse battery staple", bytes(135), bytes(136), bytes(32), bytes(range(256)),
                     self.random.randbytes(device.SEED_MAX)):
            nonce = self.random.randbytes(16) if number in SEEKABLE else bytes(16)
            stream = Stream(number, text, nonce, EXPAND)
            fd = self.seeded(stream)
            got = os.read(fd, 300)
            self.assertBytes(got, stream.expected(0, 300), f"text of {len(text)}")
            name = NAMES[number].encode()
            key = hashlib.shake_256(b"shakerandom-seed-v1\0" + name + b"\0" + text).digest(device.KEY_SIZES[number])
            self.assertBytes(got, os.read(self.seeded(Stream(number, key, nonce)), 300), "the key given itself")


class Nonces(DeviceTest):
    @formats(*SEEKABLE)
    def test_every_byte_counts(self, number):
        seed = self.random.randbytes(device.seed_lengths(number)[-1])
        streams = {os.read(self.seeded(Stream(number, seed, bytes(i) + ONES[:1] + bytes(15 - i))), 64)
                   for i in range(16)}
        streams.add(os.read(self.seeded(Stream(number, seed)), 64))
        self.assertEqual(len(streams), 17)
