# SPDX-License-Identifier: GPL-2.0
"""Secure mode under all that a machine does to it: processors that go, callers that mean ill, memory that is short."""

import contextlib
import ctypes
import os
import platform
import signal
import subprocess
import threading
import time
import unittest
from errno import EBUSY, ENOMEM, ENOTTY

import device
from device import CHACHA20, PAGE, RANDOM_SEED, SECURE, SHAKE128, DeviceTest, Memory, formats

MIB = 1 << 20
MAX_RW_COUNT = 0x7fffffff & -PAGE       # what one system call moves at most
CPU1 = "/sys/devices/system/cpu/cpu1/online"
EMULATED = "QEMU" in open("/proc/cpuinfo", encoding="ascii").read()


def program(name):
    return os.path.join(device.PROGRAMS, name)


class ProgramTest(DeviceTest):
    def run_program(self, name, *arguments, seconds=250):
        done = subprocess.run([program(name), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, timeout=seconds)
        self.assertEqual(done.returncode, 0, f"{name} {arguments}: {done.stdout[-300:]} {done.stderr.decode()}")
        return done.stdout


class Repeats(ProgramTest):
    """DEVICE_REPEATS: MiB to look at."""

    def test_no_window_repeats(self):
        text = self.run_program("repeats", os.environ.get("DEVICE_REPEATS", "64")).decode()
        print(f"repeats: {text.strip()}", flush=True)


class Fuzz(ProgramTest):
    def test_64_bit_callers(self):
        self.run_program("fuzz_ioctl", RANDOM_SEED, 10000)

    @unittest.skipUnless(device.X86, "32-bit calls of other machines than x86 are not made")
    def test_32_bit_callers(self):
        self.run_program("fuzz_ioctl", RANDOM_SEED, 10000, "compat")


class Uring(ProgramTest):
    KEY = bytes(range(32))

    def check_seeded(self, *words):
        for length, count in ((64, 32), (5000, 16), (300001, 4)):
            data = self.run_program("uring", "seeded", length, count, *words)
            expected = device.Stream(CHACHA20, self.KEY).expected(0, length * count)
            self.assertBytes(data[:length * count], expected, f"{count} reads of {length} bytes")
            # the position of the file is still 0
            self.assertBytes(data[length * count:], expected[:length], "at the file's position")

    def test_seeded(self):
        self.check_seeded()

    def test_seeded_async(self):
        self.check_seeded("async")

    def test_secure(self):
        for words in ((), ("async",)):
            for length, count in ((64, 32), (MIB, 4)):
                data = self.run_program("uring", "secure", length, count, *words)
                self.assertEqual(len(data), length * (count + 1))
                self.assertFresh(data)


class Large(DeviceTest):
    def folded(self, length):
        """An address range of that length, every MiB of which is the same one."""
        target = self.memory(length, Memory.NONE)
        file = os.memfd_create("fold")
        self.addCleanup(os.close, file)
        os.ftruncate(file, MIB)
        for at in range(0, length, MIB):
            device.checked(device._mmap(target.address + at, MIB, 3, Memory.SHARED | 0x10, file, 0), device.FAILED)
        return target

    def test_most_at_once(self):
        """One call gives as much as any may; an address space of 32 bits has no room for that."""
        length = 3 << 30 if ctypes.sizeof(ctypes.c_void_p) == 8 else 1 << 30
        memory = self.folded(length)
        self.assertEqual(device.read_to(self.opened(), memory.address, length), min(length, MAX_RW_COUNT))


class Latency(DeviceTest):
    """A read of a GiB ends soon after a signal."""

    ALLOWED = 0.1 if EMULATED else 0.01

    def late(self, fd, memory):
        """Seconds from a signal at 0.1 s to the return of a read that had something."""
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        try:
            begun = time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            count = device.readv_to(fd, [(memory.address, MIB)] * 1000)
            took = time.monotonic() - begun
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertTrue(0 < count < 1000 * MIB, f"{count} bytes")
        return took - 0.1

    @formats(*SECURE)
    def test_secure(self, number):
        fd, memory = self.opened(), self.memory(MIB)
        device.select_generator(fd, number)
        times = sorted(self.late(fd, memory) for _ in range(5))
        print(f"{device.NAMES[number]}: a read returned {1e3 * times[0]:.1f} to {1e3 * times[-1]:.1f} ms after its "
              f"signal{', emulated' if EMULATED else ''}", flush=True)
        self.assertLess(times[0], self.ALLOWED)


@unittest.skipUnless(os.path.exists(CPU1) and os.geteuid() == 0, "needs root and a second processor that can leave")
class Hotplug(DeviceTest):
    ROUNDS = 10

    def switch(self, state):
        for _ in range(100):
            try:
                with open(CPU1, "w", encoding="ascii") as file:
                    file.write(state)
                return
            except OSError as error:
                if error.errno != EBUSY:
                    raise
                time.sleep(0.05)
        self.fail("the processor stays busy")

    def test_under_load(self):
        """A processor leaves and returns; what readers on all of them get is never the same twice."""
        self.addCleanup(self.switch, "1")
        stop, parts, failures = threading.Event(), [], []

        def reader(number):
            try:
                fd = device.open_device()
                device.select_generator(fd, number)
                while not stop.is_set():
                    parts.append(os.read(fd, 64))
                    os.read(fd, 20000)
                os.close(fd)
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=reader, args=(number,)) for number in SECURE * 2]
        for thread in threads:
            thread.start()
        try:
            for _ in range(self.ROUNDS):
                self.switch("0")
                time.sleep(0.05)
                self.switch("1")
                time.sleep(0.05)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        self.assertGreater(len(parts), 50)
        self.assertFresh(b"".join(parts))

    def test_starts_afresh(self):
        """A processor that comes back rekeys before it gives anything."""
        fd = self.opened()
        self.addCleanup(self.switch, "1")
        everywhere = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, everywhere)
        os.sched_setaffinity(0, {1})
        data = os.read(fd, 64)
        os.sched_setaffinity(0, everywhere)
        before = int(device.attribute("statistics/reseeds"))
        self.switch("0")
        self.switch("1")
        os.sched_setaffinity(0, {1})
        data += os.read(fd, 64)
        self.assertGreater(int(device.attribute("statistics/reseeds")), before)
        self.assertFresh(data)


class UffdApi(ctypes.Structure):
    _fields_ = [("api", ctypes.c_uint64), ("features", ctypes.c_uint64), ("ioctls", ctypes.c_uint64)]


class UffdRange(ctypes.Structure):
    _fields_ = [("start", ctypes.c_uint64), ("length", ctypes.c_uint64), ("mode", ctypes.c_uint64),
                ("ioctls", ctypes.c_uint64)]


USERFAULTFD = {"x86_64": 323, "aarch64": 282, "s390x": 355}.get(platform.machine())
UFFDIO_API, UFFDIO_REGISTER, UFFDIO_ZEROPAGE = 0xc018aa3f, 0xc020aa00, 0xc020aa04


def userfaultfd():
    """A descriptor, or None where there is no such thing."""
    fd = ctypes.CDLL(None, use_errno=True).syscall(USERFAULTFD, os.O_CLOEXEC) if USERFAULTFD else -1
    return fd if fd >= 0 else None


@unittest.skipIf((_probe := userfaultfd()) is None, "needs userfaultfd")
class Stall(DeviceTest):
    """A reader whose memory never comes holds nobody else up, and can be killed."""

    def stalled_memory(self):
        """A good page, then one on which every access waits."""
        memory = self.memory(2 * PAGE)
        memory.put(b"\xa5" * PAGE)
        fd = userfaultfd()
        self.addCleanup(self.close, fd)
        device.ioctl(fd, UFFDIO_API, UffdApi(0xAA, 0, 0))
        device.ioctl(fd, UFFDIO_REGISTER, UffdRange(memory.address + PAGE, PAGE, 1, 0))
        return memory, fd

    def go_on(self, memory, fd):
        device.ioctl(fd, UFFDIO_ZEROPAGE, UffdRange(memory.address + PAGE, PAGE, 0, 0))

    @contextlib.contextmanager
    def stalled(self, fd):
        """The block runs while a thread is inside a read of 8000 bytes; its result comes after it."""
        memory, control = self.stalled_memory()
        result = []
        thread = threading.Thread(target=lambda: result.append(device.read_to(fd, memory.address + 192, 8000)))
        thread.start()
        try:
            time.sleep(0.3)
            self.assertTrue(thread.is_alive(), "the read did not stall")
            yield result
        finally:
            self.go_on(memory, control)
            thread.join(20)
        self.assertFalse(thread.is_alive())
        result.append(memory.get(192, 8000))

    def test_secure(self):
        """The same descriptor serves others meanwhile."""
        fd = self.opened()
        with self.stalled(fd) as result:
            others = b"".join(os.read(fd, length) for length in (16, 256, 257, 5000))
            device.reseed(fd)
            others += os.read(fd, 100)
            device.info(fd)
        self.assertEqual(result[0], 8000)
        self.assertFresh(result[1] + others)

    @formats(CHACHA20, SHAKE128, device.AES256_ERASE)
    def test_seeded(self, number):
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 9000)
        fd = self.seeded(stream)
        with self.stalled(fd) as result:
            self.assertBytes(os.read(self.seeded(stream), 100), whole[:100], "another file")
        self.assertEqual(result[0], 8000)
        self.assertBytes(result[1], whole[:8000], repr(stream))
        self.assertBytes(os.read(fd, 1000), whole[8000:], "what follows")

    def end_of(self, pid):
        """Its exit status, or None when it goes on."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        return None

    def dies(self, pid):
        return self.end_of(pid) == -signal.SIGKILL

    def forked(self, function):
        pid = os.fork()
        if not pid:
            try:
                function()
            finally:
                os._exit(1)
        time.sleep(0.3)
        self.assertEqual(os.waitpid(pid, os.WNOHANG), (0, 0), "it did not wait")
        return pid

    def test_the_reader_can_be_killed(self):
        for number in (0, CHACHA20, SHAKE128):
            fd = self.opened()
            if number:
                self.stream(number).start(fd)

            def stall():
                memory, _ = self.stalled_memory()
                device.read_to(fd, memory.address + 192, 8000)
            pid = self.forked(stall)
            os.kill(pid, signal.SIGKILL)
            self.assertTrue(self.dies(pid), f"format {number}")

    def test_those_who_wait_can_be_killed(self):
        """Whatever they wait for on a forward-only stream that another process is stalled on; INFO does not."""
        stream = self.stream(SHAKE128)
        for wait in (device.info, lambda fd: os.pread(fd, 10, 0), stream.start, device.select_generator):
            fd = self.seeded(stream)
            with self.stalled(fd):
                pid = os.fork()
                if not pid:
                    wait(fd)
                    os._exit(0)
                time.sleep(0.3)
                os.kill(pid, signal.SIGKILL)
                ended = self.end_of(pid)
            self.assertEqual(ended, 0 if wait == device.info else -signal.SIGKILL, wait)


if USERFAULTFD and _probe is not None:
    os.close(_probe)


CGROUPS = "/tmp/cgroups"


def write_file(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def memory_groups():
    """Whether there are memory groups to make; mounts them."""
    if os.geteuid():
        return False
    os.makedirs(CGROUPS, exist_ok=True)
    if not os.path.exists(CGROUPS + "/cgroup.procs"):
        subprocess.run(["mount", "-t", "cgroup2", "none", CGROUPS], check=False, stderr=subprocess.DEVNULL)
    with contextlib.suppress(OSError):
        write_file(CGROUPS + "/cgroup.subtree_control", "+memory")
        return True
    return False


@unittest.skipUnless(memory_groups(), "needs root and memory control groups")
class ShortOfMemory(DeviceTest):
    """In a group of 32 MiB."""

    def setUp(self):
        super().setUp()
        self.group = f"{CGROUPS}/test"
        os.makedirs(self.group, exist_ok=True)
        self.addCleanup(os.rmdir, self.group)
        write_file(self.group + "/memory.max", str(32 * MIB))

    def inside(self, function):
        """The status of function in a process of the group."""
        pid = os.fork()
        if not pid:
            try:
                write_file(self.group + "/cgroup.procs", str(os.getpid()))
                os._exit(function())
            finally:
                os._exit(99)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for _ in range(100):
            with open(self.group + "/cgroup.procs", encoding="ascii") as file:
                if not file.read():
                    break
            time.sleep(0.05)
        return status

    def events(self):
        with open(self.group + "/memory.events", encoding="ascii") as file:
            return dict(line.split() for line in file)

    def test_reads(self):
        """Far more is read than there is memory."""
        def work():
            fd, memory = device.open_device(), Memory(MIB)
            for number in SECURE:
                device.select_generator(fd, number)
                if device.readv_to(fd, [(memory.address, MIB)] * 100) != 100 * MIB:
                    return 1
            return 0
        self.assertEqual(self.inside(work), 0)

    def test_files_are_charged(self):
        """Files and their streams count as memory of who opened them: the limit ends it, not the machine."""
        def work():
            import resource
            resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
            arguments, keep = device.seed_struct(device.AES256_ERASE, bytes(32))
            try:
                for _ in range(19000):
                    device.ioctl(device.open_device(), device.IOC_SEED, arguments)
            except OSError as error:
                return 0 if error.errno == ENOMEM else 2
            return 3 if keep else 4
        # The kernel may refuse, or end the process.
        self.assertIn(self.inside(work), (0, -signal.SIGKILL))
        self.assertGreater(int(self.events()["max"]), 0, "the limit was not met")
        self.assertFresh(os.read(self.opened(), 5000))


class Requests(DeviceTest):
    def test_filled_with_a5(self):
        """No number of ours is taken to mean something it does not."""
        fd = self.opened()
        for number in range(5, 256):
            for direction in range(4):
                with self.fails(ENOTTY):
                    device.ioctl(fd, device.request(direction, number, 64), bytearray(b"\xa5" * 64))
