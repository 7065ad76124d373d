# SPDX-License-Identifier: GPL-2.0
"""The same bytes everywhere, and data filled and verified by many at once."""

import concurrent.futures
import errno
import functools
import hashlib
import json
import os
import random
import subprocess
import tempfile

import device
from device import AES256_CTR, NAMES, DeviceTest, formats

MIB = 1 << 20
NUMBERS = {name: number for number, name in NAMES.items()}


def golden():
    with open(os.path.join(device.HERE, "golden.json"), encoding="ascii") as file:
        return json.load(file)


class Golden(DeviceTest):
    @formats(*NAMES)
    def test_first_mebibyte(self, number):
        """Computed once by the reference; every machine, kernel and backend has to agree."""
        entry = golden()[NAMES[number]]
        fd = self.opened()
        device.seed(fd, number, bytes.fromhex(entry["seed"]), bytes.fromhex(entry["nonce"]))
        digest = hashlib.sha256()
        left = MIB
        while left:
            part = os.read(fd, min(left, random.randrange(1, 100000)))
            digest.update(part)
            left -= len(part)
        self.assertEqual(digest.hexdigest(), entry["sha256"])


def by_processes(workers, work):
    """work(i) in each of that many processes at once; the lists they return, put together."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda i: device.in_child(functools.partial(work, i)), range(workers))
        return [entry for result in results for entry in result]


class Sparse(DeviceTest):
    """Short reads anywhere, by many at once."""

    PLACES = (0, 1 << 38, 3 << 38, 2**62 + 12345)
    PROCESSES, READS = 4, 60

    def read_anywhere(self, fd, whole, rng):
        """Where bytes were not the stream's."""
        bad = []
        for _ in range(self.READS):
            place, expected = rng.choice(whole)
            at = rng.randrange(len(expected))
            length = rng.choice((1, 16, 100, 4096, len(expected)))
            if os.pread(fd, length, place + at)[:len(expected) - at] != expected[at:at + length]:
                bad.append((place + at, length))
        return bad

    @formats(*device.SEEKABLE)
    def test_many_readers(self, number):
        stream = self.stream(number)
        whole = [(place, stream.expected(place, 5 * stream.sample())) for place in self.PLACES]
        shared = self.seeded(stream)
        number_of_run = self.random.random()

        def process(i):
            own = self.seeded(stream)
            readers = [(fd, random.Random(f"{number_of_run} {i} {j}")) for j, fd in enumerate((shared, own, shared))]
            with concurrent.futures.ThreadPoolExecutor(len(readers)) as pool:
                return sum(pool.map(lambda reader: self.read_anywhere(reader[0], whole, reader[1]), readers), [])
        self.assertEqual(by_processes(self.PROCESSES, process), [])
        self.assertEqual(device.position(shared), 0)


class Disk(DeviceTest):
    """A file filled from the stream by several writers, then checked in pieces, in any order, by several."""

    SIZE = int(os.environ.get("DEVICE_DISK", 64)) * MIB + 8
    PIECE = MIB
    KEY = bytes(range(32))

    def setUp(self):
        super().setUp()
        self.file = tempfile.TemporaryFile(dir="/dev/shm")
        self.addCleanup(self.file.close)

    def share(self, workers, work):
        """Every piece once, dealt out to processes with a descriptor of their own; what they report."""
        pieces = list(range(0, self.SIZE, self.PIECE))
        self.random.shuffle(pieces)

        def worker(i):
            fd, _ = self.reader()
            reports = (work(fd, offset, min(self.PIECE, self.SIZE - offset)) for offset in pieces[i::workers])
            return [report for report in reports if report is not None]
        return by_processes(workers, worker)

    def fill(self, fd, offset, length):
        while length:
            data = os.pread(fd, length, offset)
            os.pwrite(self.file.fileno(), data, offset)
            offset, length = offset + len(data), length - len(data)

    def verify(self, fd, offset, length):
        """The offset of the first byte that differs, if one does."""
        data = os.pread(self.file.fileno(), length, offset)
        done = 0
        while done < length:
            try:
                done += os.pwrite(fd, data[done:], offset + done)
            except OSError as error:
                if error.errno != errno.EILSEQ:
                    raise
                return offset + done
        return None

    def flip(self, offset):
        byte = os.pread(self.file.fileno(), 1, offset)[0]
        os.pwrite(self.file.fileno(), bytes([byte ^ 1 << offset % 8]), offset)

    def test_filled_and_verified(self):
        self.share(4, self.fill)
        self.assertEqual(os.fstat(self.file.fileno()).st_size, self.SIZE)
        self.assertEqual(self.share(7, self.verify), [])
        for offset in (0, 1, 4095, 4096, self.SIZE // 3, self.SIZE - 9, self.SIZE - 1,
                       self.random.randrange(self.SIZE)):
            self.flip(offset)
            self.assertEqual(self.share(7, self.verify), [offset])
            self.flip(offset)

    def test_dd_verifies(self):
        """A plain program, writing to the descriptor it was given."""
        self.fill(*self.reader(), 8 * MIB)
        fd, _ = self.reader()
        done = subprocess.run(["dd", f"if=/proc/self/fd/{self.file.fileno()}", "bs=64K", "count=128", "status=none"],
                              stdout=fd, pass_fds=[self.file.fileno()], check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(device.position(fd), 8 * MIB)
        os.pwrite(self.file.fileno(), b"\0" * 16, 5 * MIB)
        fd, _ = self.reader()
        done = subprocess.run(["dd", f"if=/proc/self/fd/{self.file.fileno()}", "bs=64K", "count=128", "status=none"],
                              stdout=fd, pass_fds=[self.file.fileno()], stderr=subprocess.PIPE, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(device.position(fd), 5 * MIB)

    def reader(self):
        fd = self.opened()
        device.seed(fd, AES256_CTR, self.KEY)
        return fd, 0
