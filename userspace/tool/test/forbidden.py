# SPDX-License-Identifier: GPL-2.0
"""The command where the administrator has forbidden seeding."""

import os
import subprocess
import tempfile
import unittest

import common
from common import NO, TROUBLE, Case, run


class Forbidden(Case):
    def test_random_bytes_work(self):
        self.assertEqual(len(self.ok("read", 1000)), 1000)
        self.ok("uuid")
        self.ok("int", 6)
        with tempfile.TemporaryDirectory() as directory:
            self.ok("fill", os.path.join(directory, "new"), "--length", "3M", "--quiet")

    def test_streams_say_why_not(self):
        with tempfile.TemporaryDirectory() as directory:
            new = os.path.join(directory, "new")
            for words in (("read", 5, "--seed", "a"), ("read", 5, "--seed", "a", "-o", new), ("xof",),
                          ("fill", new, "--seed", "a", "--length", 5), ("verify", "/bin/sh", "--seed", "a"),
                          ("int", 6, "--seed", "a"), ("uuid", "--seed", "a")):
                said = self.bad(TROUBLE, *words, says="the administrator forbids seeded streams")
                self.assertIn("shakerandom doctor", said)
            self.assertEqual(os.listdir(directory), [])

    def test_info_and_bench(self):
        self.assertIn(b"forbidden", self.ok("info"))
        self.assertIn(b"not measured", self.ok("bench", "--time", 1))

    def test_zz_the_remedy_mends_it(self):
        done = run("doctor")
        self.assertEqual(done.returncode, NO)
        problem, remedy = done.stdout.decode().splitlines()
        self.assertIn("seeded streams off", problem)
        command = remedy.removeprefix("remedy:").split("   ")[0]
        subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
        self.assertIn(b"all is well", self.ok("doctor"))
        self.ok("read", 5, "--seed", "a")


if __name__ == "__main__":
    unittest.defaultTestLoader.sortTestMethodsUsing = lambda a, b: (a > b) - (a < b)
    common.main()
