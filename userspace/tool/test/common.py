# SPDX-License-Identifier: GPL-2.0
"""What the tests of the command share."""

import os
import pty
import select
import subprocess
import sys
import time
import unittest

TOOL = os.environ.get("TOOL", "shakerandom")
OK, NO, TROUBLE = 0, 1, 2
KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
MIB = 1 << 20
GIB = 1 << 30
SECONDS = 300       # an emulated machine on a busy host


def run(*words, stdin=b"", **options):
    """Runs the command; its words need not be texts."""
    return subprocess.run([TOOL, *map(str, words)], input=stdin, capture_output=True, timeout=SECONDS, check=False,
                          **options)


def on_terminal(words, which="stdout"):
    """Runs it with one of its outputs on a terminal; returns status, what the terminal got, what the other got."""
    master, slave = pty.openpty()
    other = "stderr" if which == "stdout" else "stdout"
    process = subprocess.Popen([TOOL, *map(str, words)], stdin=subprocess.DEVNULL,
                               **{which: slave, other: subprocess.PIPE})
    os.close(slave)
    shown = b""
    # The other output is small: a pipe holds it.
    while select.select([master], [], [], SECONDS)[0]:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    rest = getattr(process, other).read()
    getattr(process, other).close()
    os.close(master)
    return process.wait(SECONDS), shown, rest


class Case(unittest.TestCase):
    def ok(self, *words, **options):
        """Runs it; it must succeed without a word. Returns its output."""
        done = run(*words, **options)
        self.assertEqual((done.returncode, done.stderr), (OK, b""), words)
        return done.stdout

    def bad(self, status, *words, says="", **options):
        """Runs it; it must end so, and say that. Returns what it said."""
        done = run(*words, **options)
        said = (done.stderr + done.stdout).decode(errors="replace")
        # argp breaks its lines where it likes.
        flat = " ".join(said.split())
        self.assertEqual(done.returncode, status, (words, said))
        self.assertIn(says, flat, words)
        return flat


class Result(unittest.TextTestResult):
    passed = 0

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1
        if self.showAll:
            self.stream.writeln("    after %.1f s" % (time.monotonic() - self.begun))


def main(name="tool"):
    runner = unittest.TextTestRunner(sys.stdout, resultclass=Result, verbosity=2 if "-v" in sys.argv else 1)
    words = [word for word in sys.argv[1:] if word != "-v"]
    loader = unittest.TestLoader()
    module = sys.modules["__main__"]
    tests = loader.loadTestsFromNames(words, module) if words else loader.loadTestsFromModule(module)
    result = runner.run(tests)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    for test, reason in result.skipped:
        print("skipped %s: %s" % (test, reason))
    print("%s: %d passed, %d failed, %d skipped" % (name, result.passed, failed, len(result.skipped)), flush=True)
    sys.exit(failed > 0 or not result.testsRun)
