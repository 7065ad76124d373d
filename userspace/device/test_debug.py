# SPDX-License-Identifier: GPL-2.0
"""Only on a debug kernel ('make check-debug'): failing allocations, a thousand loads, and at the very end what
the kernel's checkers found. KASAN, UBSAN and most others stop the guest at once (panic_on_warn)."""

import contextlib
import os
import re
import threading
import time
import unittest
from errno import EFAULT, ENODEV, ENOENT, ENOMEM, ENXIO

import device
import test_module
from device import CHACHA20, SECURE, Memory, formats

FAIL_NTH = "/proc/thread-self/fail-nth"
KMEMLEAK = "/sys/kernel/debug/kmemleak"
LOCKDEP = "/proc/lockdep_stats"
DEBUG_KERNEL = any(map(os.path.exists, (FAIL_NTH, KMEMLEAK, LOCKDEP, "/sys/kernel/debug/kcsan")))


def load_tests(loader, tests, pattern):
    return tests if DEBUG_KERNEL else unittest.TestSuite()


def write_file(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def fail_all_allocations():
    """What may fail, fails: also what can sleep, and pages of order 0; without a word in the log."""
    for kind in ("failslab", "fail_page_alloc"):
        base = f"/sys/kernel/debug/{kind}/"
        write_file(base + "ignore-gfp-wait", "N")
        write_file(base + "verbose", "0")
    write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N")
    write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0")


class failing:
    """The n-th allocation of this thread in the block fails. .met: whether there was an n-th."""

    def __init__(self, nth):
        self.nth, self.fd = nth, os.open(FAIL_NTH, os.O_RDWR)

    def __enter__(self):
        os.pwrite(self.fd, str(self.nth).encode(), 0)
        return self

    def __exit__(self, *_):
        self.left = int(os.pread(self.fd, 32, 0))
        os.pwrite(self.fd, b"0", 0)
        os.close(self.fd)
        self.met = self.left == 0


FAULTS = unittest.skipUnless(os.path.exists(FAIL_NTH), "this kernel has no fault injection")


@FAULTS
class Allocations(device.DeviceTest):
    """Each allocation of each call fails once: an error that is documented, or no difference at all."""

    MOST = 200      # allocations in one call

    def setUp(self):
        super().setUp()
        fail_all_allocations()

    def each(self, action, *allowed, before=lambda: None, after=lambda result: None):
        """action() with its 1st, 2nd... allocation failing, until none does; how many it had."""
        for nth in range(1, self.MOST):
            before()
            attempt, result = failing(nth), None
            try:
                with attempt:
                    result = action()
            except OSError as error:
                self.assertIn(error.errno, allowed, f"allocation {nth}")
            after(result)
            if not attempt.met:
                return nth - 1
        self.fail("no end of allocations")

    def test_open(self):
        def action():
            os.close(os.open(device.PATH, os.O_RDWR | os.O_CLOEXEC))
        self.assertGreater(self.each(action, ENOMEM), 0)

    @formats(*device.NAMES)
    def test_seed(self, number):
        """ENOMEM, and the file as it was."""
        fd, stream, other = self.opened(), self.stream(number), self.stream(CHACHA20)
        arguments, keep = device.seed_struct(number, stream.seed, stream.nonce)
        whole = os.read(self.seeded(stream), 20)
        outcomes = []

        def before():
            other.start(fd)
            os.read(fd, 7)

        def seed():
            device.ioctl(fd, device.IOC_SEED, arguments)
            return True

        def after(worked):
            outcomes.append(worked)
            self.assertBytes(os.read(fd, 20), whole if worked else other.expected(7, 20), f"worked: {worked}")
        for _ in range(5):      # some failures are harmless: of what the kernel then does in another way
            self.assertGreater(self.each(seed, ENOMEM, before=before, after=after), 1)
        self.assertGreaterEqual(outcomes.count(None), 6, "the seed's copy and the stream")
        self.assertTrue(keep)

    @formats(*SECURE)
    def test_secure_reads(self, number):
        """A long read makes do with its stack."""
        fd, memory = self.opened(), self.memory(70000)
        device.select_generator(fd, number)
        parts = []

        def action():
            for length in (16, 256, 257, 5000, 70000):
                self.assertEqual(device.read_to(fd, memory.address, length), length)
                parts.append(memory.get(0, length))
        memory.put(bytes(70000))
        self.assertGreater(self.each(action), 0)
        self.assertFresh(b"".join(parts))

    @formats(*device.NAMES)
    def test_seeded_reads_and_verification(self, number):
        stream, memory = self.stream(number), self.memory(20000)
        whole = os.read(self.seeded(stream), 20000)

        def read():
            stream_file = files.pop()
            self.assertEqual(device.read_to(stream_file, memory.address, 20000), 20000)
            self.assertBytes(memory.get(), whole, repr(stream))

        def verify():
            self.assertEqual(device.write_from(files.pop(), memory.address, 20000), 20000)
        memory.put(bytes(20000))
        for action in (read, verify):
            files = [self.seeded(stream) for _ in range(20)]
            self.assertGreater(self.each(action), 0)

    def test_partial_counts(self):
        """A fault and a failing allocation at once."""
        fd, memory = self.seeded(self.stream(CHACHA20)), self.memory(2 * device.PAGE)
        memory.protect(Memory.NONE, device.PAGE)

        def action():
            os.lseek(fd, 0, os.SEEK_SET)
            self.assertEqual(device.read_to(fd, memory.address + device.PAGE - 700, 5000), 700)
            self.assertEqual(device.position(fd), 700)
        memory.put(bytes(device.PAGE))
        self.each(action, EFAULT)

    def test_mixing_and_ioctls(self):
        fd, memory = self.opened(), self.memory(5000)
        memory.put(bytes(5000))

        def action():
            self.assertEqual(device.write_from(fd, memory.address, 5000), 5000)
            device.info(fd)
            device.reseed(fd)
            device.select_generator(fd)
        self.each(action)
        self.each(lambda: device.ioctl(fd, device.IOC_SELFTEST), ENOMEM)

    def test_mmap(self):
        fd = self.opened()
        # unmapping allocates, too, and tells nobody
        self.each(lambda: Memory(device.PAGE, Memory.READ, Memory.SHARED, fd), ENOMEM,
                  after=lambda memory: memory and memory.close())


@FAULTS
class Loading(test_module.LoadTest):
    OURS = 150      # allocations; more than a load has of our own

    def setUp(self):
        super().setUp()
        fail_all_allocations()

    def load_failing(self, nth):
        """Whether the load met an n-th allocation and so failed; how many it had short of n."""
        self.unload()
        attempt = failing(nth)
        try:
            with attempt:
                device.load_module(test_module.KO, " ".join(self.parameters))
        except OSError as error:
            self.assertEqual(error.errno, ENOMEM, f"allocation {nth}")
            self.assertGone()
            device.load_module(test_module.KO, " ".join(self.parameters))
            return True, nth
        return False, nth - attempt.left

    def test_load(self):
        """A load that fails leaves nothing, and the next one works. First come the kernel's own allocations, which
        read and link the file; ours are the last."""
        _, total = self.load_failing(10**6)
        failed = [nth for nth in range(max(1, total - self.OURS), total + 1) if self.load_failing(nth)[0]]
        print(f"{total} allocations in a load; of the last {self.OURS} {len(failed)} make it fail", flush=True)
        self.assertGreater(len(failed), 10)


class Cycles(test_module.LoadTest):
    # Where the kernel holds released objects back, an unload takes seconds.
    CYCLES = 30 if device.configured("DEBUG_KOBJECT_RELEASE") else 1000
    SECONDS = 2500

    def test_loads_with_concurrent_opens(self):
        """Who opens meanwhile gets a working file or none."""
        stop, failures, opens = threading.Event(), [], [0]

        def opener(number):
            while not stop.is_set():
                try:
                    fd = device.open_device()
                except OSError as error:
                    if error.errno not in (ENOENT, ENXIO, ENODEV):
                        failures.append(error)
                    time.sleep(0.002)
                    continue
                try:
                    if number:
                        device.seed(fd, number, bytes(32))
                    if len(os.read(fd, 300)) != 300:
                        failures.append("short")
                    opens[0] += 1
                except OSError as error:
                    failures.append(error)
                finally:
                    os.close(fd)
        threads = [threading.Thread(target=opener, args=(number,)) for number in (0, device.AES256_ERASE)]
        for thread in threads:
            thread.start()
        try:
            end, cycles = time.monotonic() + self.SECONDS, 0
            while cycles < self.CYCLES and time.monotonic() < end:
                with contextlib.suppress(BlockingIOError):
                    device.unload_module("shakerandom")
                    device.load_module(test_module.KO, "backends=portable")
                    cycles += 1
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        print(f"{cycles} loads, {opens[0]} opens", flush=True)
        self.assertEqual(failures, [])
        self.assertEqual(cycles, self.CYCLES, f"in {self.SECONDS} s")
        self.assertGreater(opens[0], 10)
        self.assertQuiet(self.messages())


class Verdict(device.DeviceTest):
    """Last: what the checkers found in all of the above."""

    TROUBLE = re.compile(r"BUG:|WARNING:|INFO: (possible|task|rcu|trying|inconsistent)|UBSAN|KASAN|Oops|refcount_t|"
                         r"ODEBUG|suspicious RCU|sleeping function|scheduling while atomic|list_(add|del) corruption")

    def test_log(self):
        with os.fdopen(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as log:
            lines = []
            with contextlib.suppress(BlockingIOError):
                while record := log.read(8192):
                    lines.append(record.decode(errors="replace").partition(";")[2].split("\n")[0])
        bad = [line for line in lines if self.TROUBLE.search(line) and not test_module.others_race(line)]
        self.assertEqual(bad, [], "in the kernel's log")
        self.assertGreater(len(lines), 10, "the log is not there")

    @unittest.skipUnless(os.path.exists(LOCKDEP), "this kernel has no lockdep")
    def test_locks_are_still_checked(self):
        """Lockdep turns itself off at its first report."""
        with open(LOCKDEP, encoding="ascii") as file:
            text = file.read()
        self.assertRegex(text, r"debug_locks:\s+1\n")

    @unittest.skipUnless(os.path.exists(KMEMLEAK), "this kernel has no kmemleak")
    def test_no_leaks(self):
        for _ in range(3):      # what was just freed may still be in a register
            write_file(KMEMLEAK, "scan")
            time.sleep(6)       # it takes nothing younger than 5 s for a leak
        with open(KMEMLEAK, encoding="ascii") as file:
            # A module that is gone has no names any more, but its addresses.
            reports = [report for report in file.read().split("unreferenced object")
                       if re.search(r"shakerandom|srnd|0xffffffffc[0-9a-f]{7}", report)]
        self.assertEqual(reports, [])
