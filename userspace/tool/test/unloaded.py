# SPDX-License-Identifier: GPL-2.0
"""The command where the module is not loaded."""

import os
import subprocess
import tempfile

import common
from common import NO, TROUBLE, Case, run


class Unloaded(Case):
    def test_everything_says_so(self):
        with tempfile.TemporaryDirectory() as directory:
            new = os.path.join(directory, "new")
            for words in (("read", 5), ("read", 5, "-o", new), ("fill", new, "--length", 5), ("uuid",), ("int", 6),
                          ("fill", new, "--length", 5, "--seed", "a"), ("verify", "/bin/sh", "--seed", "a"),
                          ("xof",), ("info",), ("bench",)):
                said = self.bad(TROUBLE, *words, says="no such device")
                self.assertIn("shakerandom doctor", said)
            self.assertEqual(os.listdir(directory), [])

    def test_getrandom_must_be_asked_for(self):
        self.assertEqual(len(self.ok("read", 1000, "--or-getrandom")), 1000)
        self.bad(TROUBLE, "read", 5, "--or-getrandom", "--seed", "a", says="no such device")

    def test_doctor(self):
        done = run("doctor")
        self.assertEqual(done.returncode, NO)
        self.assertIn(b"problem: the module is not ", done.stdout)
        self.assertIn(b"remedy:", done.stdout)

    def test_zz_loaded_all_is_well(self):
        subprocess.run(["insmod", os.environ["SHAKERANDOM_KO"]], check=True)
        self.assertIn(b"all is well", self.ok("doctor"))
        self.assertEqual(len(self.ok("read", 5)), 5)


if __name__ == "__main__":
    common.main()
