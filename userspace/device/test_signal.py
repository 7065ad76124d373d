# SPDX-License-Identifier: GPL-2.0
"""Signals: short reads are whole, long ones end early with what they have."""

import os
import signal
import time
from errno import EINTR

import device
from device import (AES256_CTR, AES256_ERASE, CHACHA20, SECURE, SHAKE128, SHAKE256_CTR, SHAKE256_RATCHET, DeviceTest,
                    formats)

MIB = 1 << 20


class Storm:
    """A timer signal as often as the kernel manages."""

    def __init__(self, interval=0.0001):
        self.interval, self.count = interval, 0

    def note(self, *_):
        self.count += 1

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, self.note)
        signal.setitimer(signal.ITIMER_REAL, self.interval, self.interval)
        return self

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)


class Short(DeviceTest):
    """Neither short nor EINTR, up to 256 bytes."""

    SECONDS = 0.8

    def storm(self, one):
        """Run one() for a while; it raises or returns what is wrong."""
        with Storm() as storm:
            end, rounds = time.monotonic() + self.SECONDS, 0
            while time.monotonic() < end:
                one()
                rounds += 1
        self.assertGreater(storm.count, 20, "no storm")
        self.assertGreater(rounds, 20)

    @formats(*SECURE)
    def test_secure(self, number):
        fd, memory = self.opened(), self.memory(4096)
        device.select_generator(fd, number)

        def one():
            for length in (256, 255, 16, 1):
                self.assertEqual(device.read_to(fd, memory.address, length), length)
        self.storm(one)

    @formats(CHACHA20, SHAKE256_CTR, AES256_CTR, SHAKE128, SHAKE256_RATCHET, AES256_ERASE)
    def test_seeded(self, number):
        """Also where the read crosses a page of the stream."""
        fd, memory = self.opened(), self.memory(4096)
        self.stream(number).start(fd)

        def one():
            for length in (256, 256, 256, 255):
                self.assertEqual(device.read_to(fd, memory.address, length), length, f"at {device.position(fd)}")
        self.storm(one)

    @formats(CHACHA20)
    def test_seeded_over_a_boundary(self, number):
        memory = self.memory(4096)
        fd = self.seeded(self.stream(number))

        def one():
            os.lseek(fd, 4096 * 5 - 128, os.SEEK_SET)
            self.assertEqual(device.read_to(fd, memory.address, 256), 256)
        self.storm(one)

    def test_seeding(self):
        """An interrupted ioctl is repeated or done: never half."""
        fd = self.opened()
        stream = self.stream(CHACHA20)
        wanted = stream.expected(0, 64)
        arguments, keep = device.seed_struct(stream.number, stream.seed, stream.nonce)

        def one():
            device.ioctl(fd, device.IOC_SEED, arguments)
            self.assertEqual(os.read(fd, 64), wanted)
        self.storm(one)


class Long(DeviceTest):
    VECTORS = 1000      # of one MiB each, all to the same memory

    def interrupted(self, fd, delay=0.1):
        """How many bytes a read of about a GiB gave when a signal came, and how long ago that was."""
        memory = self.memory(MIB)
        fired = []
        before = signal.signal(signal.SIGALRM, lambda *_: fired.append(time.monotonic()))
        try:
            # Again and again: on a busy machine the first may come before the read has begun.
            signal.setitimer(signal.ITIMER_REAL, delay, delay)
            count = device.readv_to(fd, [(memory.address, MIB)] * self.VECTORS)
            ended = time.monotonic()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertTrue(fired, "the signal came after the read")
        return count, ended - fired[-1]

    def check(self, fd):
        count, late = self.interrupted(fd)
        self.assertTrue(0 < count < self.VECTORS * MIB, f"{count} bytes")
        self.assertLess(late, 1, "seconds from the signal to the end")
        return count

    @formats(*SECURE)
    def test_secure(self, number):
        fd = self.opened()
        device.select_generator(fd, number)
        self.check(fd)
        self.assertFresh(os.read(fd, 1000))

    @formats(*device.NAMES)
    def test_seeded(self, number):
        """The position is after the bytes that were delivered, and the stream goes on there."""
        stream = self.stream(number)
        fd = self.seeded(stream)
        count = self.check(fd)
        self.assertEqual(device.position(fd), count)
        self.assertEqual(device.info(fd).position, count)
        other = self.seeded(stream)
        if number in device.SEEKABLE:
            os.lseek(other, count, os.SEEK_SET)
        else:
            memory, left = self.memory(MIB), count
            while left:
                left -= device.read_to(other, memory.address, min(left, MIB))
        self.assertBytes(os.read(fd, 1000), os.read(other, 1000), f"{stream} after {count}")

    def test_storm(self):
        """Long reads under a storm give nothing but what they say, and get on."""
        stream = self.stream(CHACHA20)
        fd, memory, at = self.seeded(stream), self.memory(MIB), 0
        with Storm(0.001):
            for _ in range(20):
                try:
                    count = device.read_to(fd, memory.address, MIB)
                except OSError as error:
                    self.assertEqual(error.errno, EINTR)
                    continue
                self.assertEqual(memory.get(0, 64), stream.expected(at, 64))
                self.assertBytes(memory.get(count - min(count, 5000), min(count, 5000)),
                                 stream.expected(at + count - min(count, 5000), min(count, 5000)), f"at {at}")
                at += count
        self.assertGreater(at, 0)
        self.assertContinues(fd, stream, at)


class Kill(DeviceTest):
    def killed(self, prepare):
        source, target = self.pipe()
        memory = self.memory(MIB)
        pid = os.fork()
        if not pid:
            try:
                fd = device.open_device()
                prepare(fd)
                os.write(target, b"x")
                while True:
                    device.readv_to(fd, [(memory.address, MIB)] * 1000)
            finally:
                os._exit(1)
        os.read(source, 1)
        time.sleep(0.1)
        self.assertEqual(os.waitpid(pid, os.WNOHANG), (0, 0))
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                self.assertEqual(os.waitstatus_to_exitcode(status), -signal.SIGKILL)
                return
            time.sleep(0.01)
        self.fail("still alive 5 s after SIGKILL")

    def test_secure(self):
        for number in SECURE:
            self.killed(lambda fd, number=number: device.select_generator(fd, number))

    def test_seeded(self):
        for number in (CHACHA20, SHAKE128):
            self.killed(self.stream(number).start)
