# SPDX-License-Identifier: GPL-2.0
"""Positions: seeking, the far end, and who shares them."""

import os
import signal
import threading
import time
from errno import EINVAL, ESPIPE

import device
from device import AES256_CTR, CHACHA20, LAST, NAMES, RANDOM, SECURE, SEEDED, SEEKABLE, SHAKE128, DeviceTest, formats

ALL = tuple(NAMES)
FORWARD = tuple(number for number in ALL if number not in SEEKABLE)


class Seeking(DeviceTest):
    @formats(*SEEKABLE)
    def test_seekable(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        self.assertEqual(os.lseek(fd, 0, os.SEEK_CUR), 0)
        for at in (1, 4096, 4095, 0, 2**31, 2**32 + 5, 2**40, 2**62, 7):
            self.assertEqual(os.lseek(fd, at, os.SEEK_SET), at)
            self.assertContinues(fd, stream, at)
        os.lseek(fd, 1000, os.SEEK_SET)
        for step in (5, -5, -1000, 2**33, -2**33, 0):
            before = device.position(fd)
            self.assertEqual(os.lseek(fd, step, os.SEEK_CUR), before + step)
            self.assertEqual(device.info(fd).position, before + step)
        self.assertContinues(fd, stream, 0)

    @formats(*SEEKABLE)
    def test_refused(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        os.lseek(fd, 1234, os.SEEK_SET)
        for offset, whence in ((0, os.SEEK_END), (-5, os.SEEK_END), (0, os.SEEK_DATA), (0, os.SEEK_HOLE), (0, 9),
                               (-1, os.SEEK_SET), (-2**63, os.SEEK_SET), (-1235, os.SEEK_CUR),
                               (-2**63, os.SEEK_CUR), (LAST, os.SEEK_CUR), (LAST - 1233, os.SEEK_CUR)):
            with self.subTest(offset=offset, whence=whence), self.fails(EINVAL):
                os.lseek(fd, offset, whence)
        self.assertContinues(fd, stream, 1234)

    @formats(*SEEKABLE)
    def test_the_end(self, number):
        """The last byte is at 2^63 - 2; the kernel itself refuses reads that would cross the largest position."""
        stream = self.stream(number)
        fd = self.seeded(stream)
        self.assertEqual(os.lseek(fd, LAST, os.SEEK_SET), LAST)
        self.assertEqual(os.read(fd, 0), b"")
        with self.fails(EINVAL):
            os.read(fd, 1)
        self.assertEqual(device.position(fd), LAST)
        with self.fails(EINVAL):
            os.lseek(fd, 1, os.SEEK_CUR)
        for length in (1, 100, 150):
            at = LAST - length
            self.assertEqual(os.lseek(fd, at, os.SEEK_SET), at)
            with self.fails(EINVAL):
                os.read(fd, length + 1)
            self.assertEqual(device.position(fd), at)
            self.assertBytes(os.read(fd, length), stream.expected(at, length), f"{stream} at {at}")
            self.assertEqual(device.position(fd), LAST)
            self.assertBytes(os.pread(fd, length, at), stream.expected(at, length), f"{stream} at {at}")
        with self.fails(EINVAL):
            os.pread(fd, 101, LAST - 100)
        with self.fails(EINVAL):
            os.pread(fd, 1, -1)

    @formats(*FORWARD)
    def test_forward_only(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        got = os.read(fd, 1000)
        for offset, whence in ((0, os.SEEK_SET), (1000, os.SEEK_SET), (1, os.SEEK_CUR), (-1, os.SEEK_CUR),
                               (0, os.SEEK_END), (5, os.SEEK_END), (2000, os.SEEK_SET)):
            with self.subTest(offset=offset, whence=whence), self.fails(ESPIPE):
                os.lseek(fd, offset, whence)
        self.assertEqual(os.lseek(fd, 0, os.SEEK_CUR), 1000)
        for offset in (0, 1, 999, 1001, 2**40):
            with self.subTest(offset=offset), self.fails(ESPIPE):
                os.pread(fd, 10, offset)
            with self.subTest(offset=offset), self.fails(ESPIPE):
                os.pwrite(fd, got[:10], offset)
        self.assertEqual(device.info(fd).position, 1000)
        got += os.pread(fd, 500, 1000)
        self.assertEqual(device.info(fd).position, 1500)
        self.assertEqual(device.position(fd), 1500)
        got += os.read(fd, 700)
        with self.fails(ESPIPE):
            os.pread(fd, 10, 1500)
        buffers = [bytearray(100), bytearray(200)]
        self.assertEqual(os.preadv(fd, buffers, 2200), 300)
        got += b"".join(buffers)
        self.assertBytes(got, stream.expected(0, 2500), repr(stream))

    @formats(*SECURE)
    def test_secure(self, number):
        fd = self.opened()
        device.select_generator(fd, number)
        for offset, whence in ((0, os.SEEK_CUR), (5, os.SEEK_SET), (2**40, os.SEEK_SET), (7, os.SEEK_CUR),
                               (-3, os.SEEK_SET), (-3, os.SEEK_CUR), (0, os.SEEK_END), (5, os.SEEK_END)):
            self.assertEqual(os.lseek(fd, offset, whence), 0)
            os.read(fd, 10)
        self.assertEqual(device.info(fd).position, 0)
        self.assertFresh(os.pread(fd, 64, 2**40) + os.pread(fd, 64, 2**40) + os.pread(fd, 5000, 0) + os.read(fd, 640))


class Sharing(DeviceTest):
    @formats(CHACHA20, SHAKE128)
    def test_dup(self, number):
        stream = self.stream(number)
        fd = self.opened()
        copy = os.dup(fd)
        self.addCleanup(self.close, copy)
        stream.start(fd)
        got = os.read(copy, 10) + os.read(fd, 20) + os.read(copy, 30)
        self.assertBytes(got, stream.expected(0, 60), repr(stream))
        self.assertEqual((device.position(fd), device.position(copy)), (60, 60))
        self.assertEqual(device.info(copy).mode, SEEDED)
        os.close(fd)
        self.assertContinues(copy, stream, 60)

    @formats(CHACHA20, SHAKE128)
    def test_fork(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        got = os.read(fd, 10)
        got += device.in_child(lambda: os.read(fd, 20))
        got += os.read(fd, 30)
        self.assertBytes(got, stream.expected(0, 60), repr(stream))
        # a child's SEED is the parent's, too
        other = self.stream(CHACHA20)
        device.in_child(lambda: other.start(fd))
        self.assertContinues(fd, other, 0)

    def test_fresh_open_is_secure(self):
        stream = self.stream(CHACHA20)
        fd = self.seeded(stream)
        other = self.opened()
        seen = device.info(other)
        self.assertEqual((seen.mode, seen.format, seen.position), (RANDOM, seen.default_format, 0))
        self.assertNotEqual(os.read(other, 64), stream.expected(0, 64))
        self.assertContinues(fd, stream, 0)

    @formats(*ALL)
    def test_two_opens_two_positions(self, number):
        stream = self.stream(number)
        first, second = self.seeded(stream), self.seeded(stream)
        a = os.read(first, 100)
        b = os.read(second, 50)
        a += os.read(first, 100)
        b += os.read(second, 150)
        self.assertBytes(a, b, repr(stream))


class Again(DeviceTest):
    @formats(*ALL)
    def test_seed_restarts(self, number):
        fd = self.opened()
        for _ in range(3):
            stream = self.stream(number)
            stream.start(fd)
            self.assertContinues(fd, stream, 0)
            os.read(fd, self.random.randrange(5000))
            stream.start(fd)
            self.assertContinues(fd, stream, 0)

    def test_from_each_format_to_each(self):
        fd = self.opened()
        streams = [self.stream(number) for number in device.SERVED]
        expected = [stream.expected(0, 64) for stream in streams]
        for first in streams:
            for second, wanted in zip(streams, expected):
                first.start(fd)
                os.read(fd, 77)
                second.start(fd)
                self.assertEqual(device.info(fd).position, 0)
                self.assertBytes(os.read(fd, 64), wanted, repr(second))

    @formats(*ALL)
    def test_select_returns_to_secure(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        os.read(fd, 1000)
        for generator in (*SECURE, 0):
            stream.start(fd)
            os.read(fd, 10)
            device.select_generator(fd, generator)
            seen = device.info(fd)
            self.assertEqual((seen.mode, seen.position), (RANDOM, 0))
            self.assertEqual(seen.format, generator or seen.default_format)
            self.assertNotEqual(os.read(fd, 64), stream.expected(10, 64))
            self.assertEqual(os.lseek(fd, 5, os.SEEK_SET), 0)
            self.assertFresh(os.read(fd, 1000))


class Threads(DeviceTest):
    SIZES = (1000, 4096, 16, 30000, 257, 65536, 100, 5000)

    def run_readers(self, fd, sizes, total):
        parts, failures = ([], []), []

        def reader(mine):
            try:
                while sum(map(len, mine)) < total:
                    for size in sizes:
                        mine.append(os.read(fd, size))
            except OSError as error:
                failures.append(error)
        threads = [threading.Thread(target=reader, args=(mine,)) for mine in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        return parts[0] + parts[1]

    def check_tiling(self, parts, whole, fd):
        """Each part lies somewhere in the stream; together they cover it, once."""
        total = sum(map(len, parts))
        self.assertEqual(device.position(fd), total)
        places = {whole.find(part): part for part in parts}
        self.assertNotIn(-1, places, "a read gave bytes that are not a piece of the stream")
        at = 0
        for place in sorted(places):
            self.assertEqual(place, at, "ranges overlap or leave a gap")
            at += len(places[place])
        self.assertEqual(at, total)

    @formats(CHACHA20, device.AES128_LE, device.SHAKE256_CTR, SHAKE128, device.SHAKE256_RATCHET,
             device.AES256_ERASE)
    def test_disjoint(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        parts = self.run_readers(fd, self.SIZES, 700000)
        whole = os.read(self.seeded(stream), sum(map(len, parts)))
        self.check_tiling(parts, whole, fd)

    @formats(CHACHA20, SHAKE128)
    def test_disjoint_processes(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        parts = []

        def other():
            return [os.read(fd, size) for _ in range(4) for size in self.SIZES]
        thread = threading.Thread(target=lambda: parts.extend(other()))
        thread.start()
        parts += device.in_child(other)
        thread.join()
        whole = os.read(self.seeded(stream), sum(map(len, parts)))
        self.check_tiling(parts, whole, fd)

    def test_secure_readers_do_not_wait(self):
        """While one thread reads a GiB, another's read on the same descriptor returns."""
        for prepare in (lambda fd: None, self.seed_and_select):
            fd = self.opened()
            prepare(fd)
            self.check_no_wait(fd)

    def seed_and_select(self, fd):
        self.stream(CHACHA20).start(fd)
        os.read(fd, 10)
        device.select_generator(fd, device.SHAKE256)

    def check_no_wait(self, fd):
        memory = self.memory(1 << 20)
        source, target = self.pipe()

        def big():
            # a child: a signal ends it
            os.write(target, b"x")
            while True:
                device.readv_to(fd, [(memory.address, memory.length)] * 1000)
        pid = os.fork()
        if not pid:
            try:
                big()
            finally:
                os._exit(1)
        try:
            os.read(source, 1)
            for _ in range(20):
                done = threading.Event()
                thread = threading.Thread(target=lambda: (os.read(fd, 100), done.set()), daemon=True)
                thread.start()
                self.assertTrue(done.wait(2), "a small read waited for a long one")
            self.assertEqual(os.waitpid(pid, os.WNOHANG), (0, 0), "the long read ended early")
        finally:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


class Overtaken(DeviceTest):
    """A long read is under way in one thread while another seeds the file: the new stream begins at 0 and goes on."""

    TIMES = 1024        # that a MiB is read into

    def overtake(self, fd, read):
        """What the reader got; the new stream's first bytes come before it is done, more after."""
        stream = self.stream(AES256_CTR)
        memory = self.memory(1 << 20)
        got = []
        thread = threading.Thread(target=lambda: got.append(read(fd, [(memory.address, memory.length)] * self.TIMES)))
        thread.start()
        while not any(memory.get(0, 64)):       # until it is under way
            time.sleep(0.001)
        stream.start(fd)
        data = os.read(fd, 100)
        self.assertEqual(got, [], "the long read was over too early to tell anything")
        self.cut_short(thread)
        self.assertTrue(0 < got[0] < self.TIMES * memory.length, f"{got} bytes")
        data += os.read(fd, 100)
        self.assertBytes(data, stream.expected(0, 200), repr(stream))
        self.assertEqual(device.position(fd), 200)

    def cut_short(self, thread):
        """A signal ends its read: the rest would tell nothing, and take an emulated machine long."""
        before = signal.signal(signal.SIGUSR1, lambda *_: None)
        try:
            signal.pthread_kill(thread.ident, signal.SIGUSR1)
            thread.join()
        finally:
            signal.signal(signal.SIGUSR1, before)

    def test_secure_read(self):
        self.overtake(self.opened(), device.readv_to)

    @formats(*FORWARD)
    def test_forward_pread(self, number):
        self.overtake(self.seeded(self.stream(number)), lambda fd, parts: device.preadv_to(fd, parts, 0))
