# SPDX-License-Identifier: GPL-2.0
"""A 32-bit program on a 64-bit kernel gets the same results."""

import os
import subprocess
import unittest

import device
from device import CHACHA20, RANDOM, SEEDED, SHAKE256, X86, DeviceTest, Info, Stream

PROGRAM = os.path.join(device.PROGRAMS, "compat32")


class Compat(DeviceTest):
    @unittest.skipUnless(X86, "32-bit programs of other machines than x86 are not built")
    @unittest.skipUnless(os.path.exists(PROGRAM), device.BUILD_FIRST)
    def test_same_results(self):
        before = device.info(self.opened())
        done = subprocess.run([PROGRAM], stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, "the failing step, see compat32.c")
        self.output = done.stdout
        stream = Stream(CHACHA20, bytes(range(32)), bytes(range(0xf0, 0x100)))

        self.check_info(before, RANDOM, before.default_format, 0)
        self.assertBytes(self.take(100), stream.expected(0, 100), "from the start")
        self.check_info(before, SEEDED, CHACHA20, 100)
        self.assertBytes(self.take(100), stream.expected(2**32 + 5, 100), "beyond 32 bits")
        self.check_info(before, SEEDED, CHACHA20, 2**32 + 105)
        self.assertBytes(self.take(100), stream.expected(2**32 + 105, 100), "after a refused SEED")
        self.check_info(before, RANDOM, SHAKE256, 0)
        before.generation += 1
        self.check_info(before, RANDOM, SHAKE256, 0)
        self.assertEqual(self.output, b"")

    def take(self, length):
        part, self.output = self.output[:length], self.output[length:]
        return part

    def check_info(self, before, mode, number, position):
        seen = Info.from_buffer_copy(self.take(72))
        self.assertEqual((seen.mode, seen.format, seen.position), (mode, number, position))
        for name in ("abi_version", "default_format", "generation", "formats", "version"):
            self.assertEqual(getattr(seen, name), getattr(before, name), name)
        self.assertTrue(seen.backend)
