#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What only the outside of a guest can do to it: search its memory, clone it, put it to sleep, start it
without entropy. Usage: trust.py [part of a test's name]...; KERNEL and SHAKERANDOM_SOURCE as for vm.

Ends with one line, 'trust: N passed, N failed, N skipped'."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import build
import cli
import deps
import kernels
from bare import BareGuest, ramdisk
from common import HERE, Failure, cache, must

CHACHA20, AES256_CTR, SHAKE256_CTR, SHAKE256 = 1, 4, 7, 8
SHAKE256_RATCHET, TURBOSHAKE256_RATCHET, AES256_ERASE = 12, 13, 14
PROGRAMS = HERE / "trust" / "build"
NO_RDRAND = "max,-vaes,-rdrand,-rdseed"
NO_TRUST = "random.trust_cpu=off random.trust_bootloader=off"


class GuestTest(unittest.TestCase):
    longMessage = True

    @classmethod
    def setUpClass(cls):
        cls.kernel = kernels.find(os.environ.get("KERNEL") or "6.1")
        deps.ensure([*deps.wanted(cls.kernel), "libc6-dev"])
        files = cli.files_of(cls.kernel)
        cls.image = files.image
        must(["make", "-C", HERE / "trust"])
        # Not the tests' own module.
        module = next(path for path in build.module(cls.kernel, files) if path.name == "shakerandom.ko")
        cls.home = tempfile.TemporaryDirectory(dir=cache("run"))
        cls.addClassCleanup(cls.home.cleanup)
        cls.ramdisk = ramdisk(cls.kernel, module, [PROGRAMS / name for name in ("remember", "clone", "early")],
                              Path(cls.home.name, "initramfs.gz"))

    @contextlib.contextmanager
    def guest(self, append="", **options):
        with tempfile.TemporaryDirectory(dir=self.home.name) as directory, \
                BareGuest(self.kernel, self.image, self.ramdisk, Path(directory), append, **options) as guest:
            try:
                yield guest
            except Failure as error:
                raise Failure(f"{error}\n{guest.last_words()}") from error


class Erasure(GuestTest):
    """After a read, neither what was delivered nor a key that yields it is anywhere in the guest's memory."""

    PARAMETERS = ""

    def found(self, mode, number, length, count, key_format=0, offset=0, keep=""):
        """How many copies of the delivered bytes and how many keys the memory holds."""
        with self.guest() as guest:
            if self.PARAMETERS:
                guest.run(f"rmmod shakerandom && insmod /shakerandom.ko {self.PARAMETERS}")
            guest.type(f"remember {mode} {number} {length} {count} {keep} </dev/null &")
            text, _ = guest.shell.until("remembered\r?\n")
            needles = [bytes(255 - b for b in bytes.fromhex(word)).hex() for word in text.split()[-3:]]
            dump = guest.directory / "memory"
            guest.dump(dump)
            done = subprocess.run([PROGRAMS / "search", dump, str(key_format), str(offset), *needles], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
        words = done.stdout.split()
        return int(words[1]), int(words[3]), done.stderr

    def assertErased(self, *arguments):
        copies, keys, where = self.found(*arguments)
        self.assertEqual((copies, keys), (0, 0), f"copies of delivered bytes, and keys that yield them\n{where}")

    # A fresh key serves the first short read from just after the next key, a long one from the start.

    def test_short_chacha20(self):
        self.assertErased("secure", CHACHA20, 64, 1, CHACHA20, 32)

    def test_short_aes256(self):
        self.assertErased("secure", AES256_CTR, 64, 1, AES256_CTR, 32)

    def test_short_shake256(self):
        self.assertErased("secure", SHAKE256, 64, 1, SHAKE256_CTR, 64)

    def test_many_short(self):
        """Over several refills."""
        for number in (CHACHA20, SHAKE256, AES256_CTR):
            with self.subTest(number):
                self.assertErased("secure", number, 250, 100)

    def test_long_chacha20(self):
        self.assertErased("secure", CHACHA20, 100000, 1, CHACHA20, 0)

    def test_long_aes256(self):
        self.assertErased("secure", AES256_CTR, 100000, 1, AES256_CTR, 0)

    def test_long_shake256(self):
        self.assertErased("secure", SHAKE256, 100000, 1, SHAKE256_CTR, 0)

    def test_erasing_formats(self):
        """Also in the middle of a window, from which the rest is still to come."""
        for number in (SHAKE256_RATCHET, TURBOSHAKE256_RATCHET, AES256_ERASE):
            with self.subTest(number):
                self.assertErased("seeded", number, 1000, 1)
                self.assertErased("seeded", number, 100, 91)

    def test_erasing_aes_key(self):
        self.assertErased("seeded", AES256_ERASE, 100, 1, AES256_CTR, 32)

    def test_search_finds_bytes(self):
        copies, _, _ = self.found("secure", CHACHA20, 64, 1, keep="keep")
        self.assertGreater(copies, 0, "the search does not find what is there")

    def test_search_finds_keys(self):
        """A seekable stream keeps its key for good."""
        for number in (CHACHA20, AES256_CTR, SHAKE256_CTR):
            with self.subTest(number):
                copies, keys, _ = self.found("seeded", number, 5000, 1, number, 0)
                self.assertEqual(copies, 0)
                self.assertGreater(keys, 0, "the search does not find a key that is there")

    def test_closed(self):
        """The memory of a stream is given back wiped; and so is that of one that another replaces."""
        for last in ("close", "reseed"):
            for number in (CHACHA20, AES256_CTR, SHAKE256_CTR):
                with self.subTest(number, last=last):
                    self.assertErased("seeded", number, 5000, 1, number, 0, last)


class PortableErasure(Erasure):
    """The same without vector code. (Portable AES keeps its keys in a shape that the search does not know.)"""

    PARAMETERS = "backends=portable"
    test_search_finds_keys = test_closed = None


class Clone(GuestTest):
    """One saved state, started twice."""

    CPUS = 2

    def lines(self, guest):
        """What each CPU read, by number: (generation, [bytes])."""
        seen = {}
        while len(seen) < self.CPUS:
            _, found = guest.shell.until(r"cpu (\d+) generation (\d+):((?: [0-9a-f]+)+)\r?\n")
            seen[int(found[1])] = (int(found[2]), found[3].split())
        return seen

    def saved(self, devices=(), **options):
        path = Path(self.home.name, f"state-{len(devices)}")
        with self.guest(devices=devices, **options) as guest:
            guest.type("rmmod shakerandom; insmod /shakerandom.ko reseed_seconds=86400; "
                       "clone </dev/null & echo $! >/tmp/pid")
            self.lines(guest)
            generation = int(guest.run("cat /sys/class/misc/shakerandom/generation"))
            guest.save(path)
        return path, generation

    def restored(self, path, devices, *commands, **options):
        """What each of the commands made the CPUs of one clone read; None: the restore itself."""
        with self.guest(devices=devices, incoming=path, **options) as guest:
            guest.wait_restored()
            results = []
            for command in commands:
                if command:
                    guest.type(command)
                try:
                    results.append(self.lines(guest))
                except Failure as error:
                    self.fail(f"the clone's readers noticed nothing: {error}")
            return results

    def assertAllDiffer(self, *results):
        values = [value for result in results for _, values in result.values() for value in values]
        self.assertEqual(len(set(values)), len(values), "bytes that came twice")

    def test_with_vmgenid(self):
        path, generation = self.saved(("-device", "vmgenid,guid=auto"))
        first, second = (self.restored(path, ("-device", "vmgenid,guid=auto"), None)[0] for _ in range(2))
        for result in (first, second):
            for seen, _ in result.values():
                self.assertGreater(seen, generation)
        self.assertAllDiffer(first, second)

    def test_without_vmgenid(self):
        """Nobody tells the clones: they read the same, until RESEED; even on a processor without RDRAND."""
        path, generation = self.saved(cpu=NO_RDRAND)
        commands = ("kill -USR1 $(cat /tmp/pid)", "kill -USR2 $(cat /tmp/pid)")
        (first, first_after), (second, second_after) = (self.restored(path, (), *commands, cpu=NO_RDRAND)
                                                        for _ in range(2))
        self.assertEqual(first, second, "the documented window (if this differs, the test shows nothing)")
        self.assertAllDiffer(first_after, second_after, first)
        for seen, _ in (*first_after.values(), *second_after.values()):
            self.assertEqual(seen, generation + 1)


class Sleep(GuestTest):
    """Suspend and resume, with readers at work."""

    def generation(self, guest):
        return int(guest.run("cat /sys/class/misc/shakerandom/generation"))

    def with_readers(self, guest):
        guest.run("for i in 1 2; do "
                  "(while :; do dd if=/dev/shakerandom of=/dev/null bs=32M count=1 2>/dev/null; done) & done; sleep 1")

    def test_freezer(self):
        """Readers of 32 MiB freeze, and thaw; the generation rises."""
        with self.guest() as guest:
            before = self.generation(guest)
            self.with_readers(guest)
            guest.run("echo freezer >/sys/power/pm_test; echo mem >/sys/power/state")
            self.assertEqual(self.generation(guest), before + 1)

    def test_suspend_to_memory(self):
        with self.guest() as guest:
            before = self.generation(guest)
            self.with_readers(guest)
            guest.type("echo mem >/sys/power/state; echo resumed")
            end = time.monotonic() + 60
            while guest.qmp("query-status")["status"] != "suspended":
                self.assertLess(time.monotonic(), end, "it does not go to sleep")
                time.sleep(0.2)
            guest.qmp("system_wakeup")
            guest.shell.until("resumed\r?\n")
            self.assertEqual(self.generation(guest), before + 1)
            self.assertNotEqual(guest.run("head -c 32 /dev/shakerandom | xxd -p"),
                                guest.run("head -c 32 /dev/shakerandom | xxd -p"))


class Early(GuestTest):
    """Loaded before the kernel's RNG is ready, on a processor that has none."""

    SECURE_EARLY = {"kernel": "EAGAIN", "poll in": "0", "small": "EAGAIN", "large": "EAGAIN", "nowait": "EAGAIN"}
    SECURE_READY = {"kernel": "16", "poll in": "1", "small": "64", "large": "5000", "nowait": "5000"}
    SEEDED = {"seed": "0", "seeded read": "64"}

    def report(self, word=""):
        with self.guest(NO_TRUST, cpu=NO_RDRAND) as guest:
            lines = guest.run(f"early {word}", 300).split("\n")
        found, part = {}, None
        for line in map(str.strip, filter(str.strip, lines)):
            if line in ("early", "after"):
                part = found.setdefault(line, {})
            else:
                name, _, value = line.rpartition(" ")
                (found if name == "waiting read" else part)[name] = value
        return found

    def test_poll(self):
        """Nothing but seeded bytes, until poll says so."""
        found = self.report()
        self.assertEqual(found["early"], {**self.SECURE_EARLY, **self.SEEDED})
        self.assertEqual(found["after"], {**self.SECURE_READY, **self.SEEDED})

    def test_waiting_read(self):
        found = self.report("wait")
        self.assertEqual(found["early"], {**self.SECURE_EARLY, **self.SEEDED})
        self.assertEqual(found["waiting read"], "64")
        self.assertEqual(found["after"], {**self.SECURE_READY, **self.SEEDED})


def wanted_tests(words):
    pending = [unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])]
    while pending:
        item = pending.pop()
        if isinstance(item, unittest.TestSuite):
            pending += item
        elif not words or any(word in item.id() for word in words):
            yield item


def main():
    suite = unittest.TestSuite(sorted(wanted_tests(sys.argv[1:]), key=lambda test: test.id()))
    result = unittest.TextTestRunner(sys.stdout, verbosity=2).run(suite)
    bad = len(result.failures) + len(result.errors)
    print(f"trust: {result.testsRun - bad - len(result.skipped)} passed, {bad} failed, {len(result.skipped)} skipped")
    return 1 if bad or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
