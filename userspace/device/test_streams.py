# SPDX-License-Identifier: GPL-2.0
"""The same bytes everywhere, and data filled and verified by many at once."""

import hashlib
import json
import os
import random
import subprocess
import tempfile
import threading

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


class Disk(DeviceTest):
    """A file filled from the stream by several writers, then checked in pieces, in any order, by several."""

    SIZE = 64 * MIB + 8
    PIECE = MIB
    KEY = bytes(range(32))

    def setUp(self):
        super().setUp()
        self.file = tempfile.TemporaryFile(dir="/dev/shm")
        self.addCleanup(self.file.close)
        self.errors = []

    def offsets(self, order):
        every = list(range(0, self.SIZE, self.PIECE))
        order.shuffle(every)
        return every

    def share(self, workers, work):
        """Every piece once, dealt out to threads with a descriptor of their own."""
        pieces = self.offsets(random.Random(device.RANDOM_SEED))
        lock = threading.Lock()

        def worker():
            fd = self.opened()
            device.seed(fd, AES256_CTR, self.KEY)
            while True:
                with lock:
                    if not pieces:
                        return
                    offset = pieces.pop()
                work(fd, offset, min(self.PIECE, self.SIZE - offset))
        threads = [threading.Thread(target=worker) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def fill(self, fd, offset, length):
        while length:
            data = os.pread(fd, length, offset)
            os.pwrite(self.file.fileno(), data, offset)
            offset, length = offset + len(data), length - len(data)

    def verify(self, fd, offset, length):
        """Notes the offset of the first byte that differs."""
        data = os.pread(self.file.fileno(), length, offset)
        done = 0
        while done < length:
            try:
                done += os.pwrite(fd, data[done:], offset + done)
            except OSError as error:
                if error.errno != 84:       # EILSEQ
                    raise
                self.errors.append(offset + done)
                return

    def test_filled_and_verified(self):
        self.share(4, self.fill)
        self.share(7, self.verify)
        self.assertEqual(self.errors, [])
        size = os.fstat(self.file.fileno()).st_size
        self.assertEqual(size, self.SIZE)

    def test_one_flipped_bit(self):
        self.share(4, self.fill)
        for offset in (0, 1, 4095, 4096, self.SIZE // 3, self.SIZE - 9, self.SIZE - 1):
            right = os.pread(self.file.fileno(), 1, offset)
            os.pwrite(self.file.fileno(), bytes([right[0] ^ 1 << offset % 8]), offset)
            self.errors.clear()
            self.share(7, self.verify)
            self.assertEqual(self.errors, [offset])
            os.pwrite(self.file.fileno(), right, offset)

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
