# SPDX-License-Identifier: GPL-2.0
"""Reads into memory that is not there: the bytes before the fault count, the stream stands after them."""

import os
from errno import EFAULT, EINVAL

import device
from device import NAMES, PAGE, SECURE, X86, DeviceTest, Memory, formats

ALL = tuple(NAMES)
BEFORE = (1, 7, 100, 255, 256, 257, 1000, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE)
UNREADABLE = (Memory.NONE, Memory.READ)


class FaultTest(DeviceTest):
    def broken(self, protection):
        """Two good pages, then two that cannot be written."""
        memory = self.memory(4 * PAGE)
        memory.protect(protection, 2 * PAGE)
        return memory

    def assertPartial(self, count, before):
        """A processor may give up some bytes early, x86 does not."""
        if X86:
            self.assertEqual(count, before)
        else:
            self.assertTrue(0 < count <= before, f"{count} of {before}")


class Seeded(FaultTest):
    @formats(*ALL)
    def test_partial(self, number):
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 30000)
        for protection in UNREADABLE:
            memory = self.broken(protection)
            for start in (0, 1, 4000):
                for before in BEFORE:
                    fd = self.seeded(stream)
                    os.read(fd, start)
                    count = device.read_to(fd, memory.address + 2 * PAGE - before, before + 5000)
                    self.assertPartial(count, before)
                    what = f"{stream}, {before} bytes from {start}"
                    self.assertBytes(memory.get(2 * PAGE - before, count), whole[start:start + count], what)
                    at = start + count
                    self.assertEqual(device.info(fd).position, at, what)
                    with self.fails(EFAULT):
                        device.read_to(fd, memory.address + 2 * PAGE, 300)
                    self.assertEqual(device.position(fd), at, what)
                    self.assertBytes(os.read(fd, 5000), whole[at:at + 5000], "what follows " + what)
                    os.close(fd)
            if protection == Memory.READ:
                self.assertEqual(memory.get(2 * PAGE), bytes(2 * PAGE))

    @formats(*ALL)
    def test_nothing(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        memory = self.broken(Memory.NONE)
        for address in (0, 1, memory.address + 2 * PAGE, 2**63, 2**64 - 4096):
            for length in (1, 256, 257, 5000):
                with self.fails(EFAULT):
                    device.read_to(fd, address, length)
        self.assertContinues(fd, stream, 0)

    @formats(*ALL)
    def test_vectors(self, number):
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 30000)
        memory = self.broken(Memory.NONE)
        good, bad = memory.address, memory.address + 2 * PAGE
        for pairs, before in ((((good, 10), (bad, 10)), 10), (((good, 300), (bad, 10), (good, 10)), 300),
                              (((good, 5), (bad - 7, 20), (good, 10)), 12), (((good, 4097), (bad, 1)), 4097),
                              (((good, 0), (bad, 0), (good, 9), (0, 5000)), 9),
                              (((good, PAGE), (good + PAGE, PAGE - 1), (bad - 1, 3)), 2 * PAGE)):
            fd = self.seeded(stream)
            count = device.readv_to(fd, pairs)
            self.assertPartial(count, before)
            self.assertEqual(device.position(fd), count)
            self.assertBytes(memory.get(0, pairs[0][1]), whole[:pairs[0][1]], "the first vector")
            self.assertBytes(os.read(fd, 500), whole[count:count + 500], f"after {count} bytes of {stream}")
        fd = self.seeded(stream)
        with self.fails(EFAULT):
            device.readv_to(fd, [(bad, 10), (good, 10)])
        self.assertEqual(device.readv_to(fd, [(good, 20), (bad, 0)]), 20)
        self.assertBytes(memory.get(0, 20), whole[:20], "an empty vector may be anywhere")

    @formats(*ALL)
    def test_pread(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        memory = self.broken(Memory.READ)
        libc_pread = device._declare("pread", device.ctypes.c_ssize_t, device.ctypes.c_int, device.ctypes.c_void_p,
                                     device.ctypes.c_size_t, device.ctypes.c_long)
        count = device.checked(libc_pread(fd, memory.address + 2 * PAGE - 700, 5000, 0))
        self.assertPartial(count, 700)
        data = memory.get(2 * PAGE - 700, count)
        self.assertBytes(data, os.read(self.seeded(stream), count), repr(stream))
        with self.fails(EFAULT):
            device.checked(libc_pread(fd, memory.address + 2 * PAGE, 10, device.position(fd)))


class Secure(FaultTest):
    @formats(*SECURE)
    def test_partial(self, number):
        fd, data = self.opened(), b""
        device.select_generator(fd, number)
        for protection in UNREADABLE:
            memory = self.broken(protection)
            for before in BEFORE:
                count = device.read_to(fd, memory.address + 2 * PAGE - before, before + 5000)
                self.assertPartial(count, before)
                data += memory.get(2 * PAGE - before, count)
                with self.fails(EFAULT):
                    device.read_to(fd, memory.address + 2 * PAGE, 100)
            if protection == Memory.READ:
                self.assertEqual(memory.get(2 * PAGE), bytes(2 * PAGE))
        self.assertFresh(data)
        self.assertFresh(os.read(fd, 5000))

    def test_vectors(self):
        fd, memory = self.opened(), self.broken(Memory.NONE)
        good, bad = memory.address, memory.address + 2 * PAGE
        self.assertPartial(device.readv_to(fd, [(good, 100), (bad, 10)]), 100)
        self.assertPartial(device.readv_to(fd, [(good, 5000), (bad, 10), (good, 1)]), 5000)
        with self.fails(EFAULT):
            device.readv_to(fd, [(bad, 10), (good, 10)])

    def test_impossible_requests(self):
        fd, memory = self.opened(), self.memory(PAGE)
        for pairs in ([(memory.address, 2**63)], [(memory.address, 2**64 - 1)]):
            with self.fails(EINVAL, EFAULT):
                device.readv_to(fd, pairs)
        with self.fails(EFAULT):
            device.checked(device._readv(fd, 8, 1))
        with self.fails(EINVAL):
            device.checked(device._readv(fd, memory.address, -1))
        for address in (0, 2**63, 2**64 - PAGE):
            with self.fails(EFAULT):
                device.read_to(fd, address, 100)
        self.assertEqual(device.read_to(fd, 0, 0), 0)
