# SPDX-License-Identifier: GPL-2.0
"""The vector registers of user programs are nobody's business."""

import os
import platform
import subprocess
import unittest

import device
from device import SECURE, DeviceTest

PROGRAM = os.path.join(device.PROGRAMS, "registers")
SECONDS = 4


class Registers(DeviceTest):
    @unittest.skipUnless(platform.machine() in ("x86_64", "aarch64"), "no vector code for this kind of processor")
    @unittest.skipUnless(os.path.exists(PROGRAM), device.BUILD_FIRST)
    def test_undisturbed(self):
        """Reading itself, and interrupted by readers on the same processor."""
        readers = [subprocess.Popen(["taskset", "-c", "0", "head", "-c", "1T"], stdin=self.reading(number),
                                    stdout=subprocess.DEVNULL) for number in SECURE]
        try:
            done = subprocess.run(["taskset", "-c", "0", PROGRAM, str(SECONDS)], stdout=subprocess.PIPE,
                                  text=True, check=False)
        finally:
            for reader in readers:
                reader.kill()
                reader.wait()
        self.assertEqual(done.returncode, 0, done.stdout)

    def reading(self, number):
        fd = self.opened()
        device.select_generator(fd, number)
        return fd
