# SPDX-License-Identifier: GPL-2.0
"""Loading, unloading, parameters and attributes. Runs last; leaves the module as it was found."""

import contextlib
import os
import subprocess
import threading
import time
import unittest
from errno import EACCES, EAGAIN, EBADF, EEXIST, EINVAL, EIO, ENODEV, ENOENT, ENXIO, EPERM, ERANGE

import device
from device import AES256_CTR, CHACHA20, PAGE, SHAKE256, DeviceTest, Memory, formats

KO = os.environ.get("SHAKERANDOM_KO", "/shakerandom.ko")
LOADABLE = unittest.skipUnless(os.path.exists(KO) and os.geteuid() == 0,
                               "needs root and the module's file, named in SHAKERANDOM_KO")


def read(name):
    with open(name, encoding="ascii") as file:
        return file.read()


def loaded():
    return os.path.exists("/sys/module/shakerandom")


def command(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class Attributes(DeviceTest):
    NAMES = ("version", "generation", "algorithm", "selftests", "backends/chacha", "backends/aes", "backends/keccak",
             "statistics/bytes", "statistics/reseeds", "statistics/fallbacks")

    def all_names(self):
        extra = [f"{directory}/{name}" for directory in ("backends", "statistics")
                 for name in os.listdir(os.path.join(device.SYSFS, directory))]
        return sorted({*self.NAMES, *extra})

    def test_each_exists(self):
        for name in self.all_names():
            with self.subTest(name):
                text = device.attribute(name)
                self.assertTrue(text.endswith("\n") and text.strip() and text.count("\n") == 1, repr(text))
                if "backends/" not in name:
                    self.assertEqual(len(text.split()), 1, "one value")

    def test_read_only(self):
        for name in self.all_names():
            path = os.path.join(device.SYSFS, name)
            with self.subTest(name):
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o444)
                with self.fails(EACCES, EIO, EPERM, EBADF):
                    fd = os.open(path, os.O_WRONLY)
                    try:
                        os.write(fd, b"1")
                    finally:
                        os.close(fd)

    def test_values(self):
        seen = device.info(self.opened())
        self.assertEqual(int(device.attribute("generation")), seen.generation)
        self.assertEqual(device.attribute("selftests").strip(), "passed")
        self.assertEqual(device.attribute("version").strip(), seen.version.decode())
        self.assertEqual(device.attribute("algorithm").strip(), device.NAMES[seen.default_format])
        for name in ("bytes", "reseeds", "fallbacks"):
            self.assertGreaterEqual(int(device.attribute("statistics/" + name)), 0)

    def test_backends(self):
        """All compiled variants, of which the portable one is always one; the chosen one in brackets."""
        for name in os.listdir(os.path.join(device.SYSFS, "backends")):
            words = device.attribute("backends/" + name).split()
            with self.subTest(name):
                self.assertEqual(sum(word.startswith("[") and word.endswith("]") for word in words), 1, words)
                plain = [word.strip("[]") for word in words]
                self.assertEqual(len(set(plain)), len(plain))
                self.assertIn("portable", plain)

    def counted(self):
        return int(device.attribute("statistics/bytes"))

    @formats(CHACHA20, SHAKE256)
    def test_bytes(self, number):
        for fd in (self.opened(), self.seeded(self.stream(number))):
            before = self.counted()
            for length in (0, 1, 256, 257, 100000):
                os.read(fd, length)
            buffers = [bytearray(1000), bytearray(24)]
            os.readv(fd, buffers)
            self.assertEqual(self.counted() - before, 101538)
            memory = self.memory(2 * PAGE)
            memory.protect(Memory.NONE, PAGE)
            before = self.counted()
            count = device.read_to(fd, memory.address + PAGE - 100, 200)
            self.assertEqual(self.counted() - before, count, "what a fault cut off is not counted")
            # neither is what was written
            os.write(fd, os.pread(fd, 0, 0) or b"")
            self.assertEqual(self.counted() - before, count)

    def test_reseeds(self):
        fd = self.opened()
        os.read(fd, 10)
        before = int(device.attribute("statistics/reseeds"))
        for _ in range(5):
            device.reseed(fd)
            os.read(fd, 10)
        self.assertGreaterEqual(int(device.attribute("statistics/reseeds")), before + 5)

    def test_parameters(self):
        for name, mode in (("algorithm", 0o444), ("reseed_seconds", 0o444), ("allow_seeding", 0o644),
                           ("backends", 0o444)):
            self.assertEqual(os.stat(os.path.join(device.PARAMETERS, name)).st_mode & 0o777, mode, name)

    def test_nodes(self):
        self.assertIn("shakerandom", [line.split()[1] for line in read("/proc/misc").splitlines()])
        status = os.stat(device.PATH)
        self.assertEqual(f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}", device.attribute("dev").strip())
        self.assertEqual(os.major(status.st_rdev), 10)


def others_race(line):
    """Races elsewhere in the kernel are not ours; every report names the module of each function."""
    return "KCSAN" in line and "shakerandom" not in line and "srnd" not in line


class LoadTest(DeviceTest):
    @classmethod
    def setUpClass(cls):
        cls.parameters = []
        for name in os.listdir(device.PARAMETERS):
            value = read(os.path.join(device.PARAMETERS, name)).strip()
            if value:
                cls.parameters.append(f"{name}={value}")

    def setUp(self):
        super().setUp()
        self.addCleanup(self.restore)
        self.log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.log, 0, os.SEEK_END)
        self.addCleanup(os.close, self.log)

    def restore(self):
        if loaded():
            self.unload()
        device.load_module(KO, " ".join(self.parameters))

    def unload(self):
        # An open of a moment ago may still be on its way out.
        for _ in range(50):
            with contextlib.suppress(BlockingIOError):
                return device.unload_module("shakerandom")
            time.sleep(0.1)
        self.fail("cannot unload: in use")

    def load(self, parameters=""):
        try:
            device.load_module(KO, parameters)
        except OSError as error:
            self.fail(f"cannot load with '{parameters}': {error}\n{self.messages()}")

    def messages(self):
        """What the kernel logged since the last time."""
        lines = []
        with contextlib.suppress(BlockingIOError):
            while True:
                with contextlib.suppress(BrokenPipeError):
                    lines.append(os.read(self.log, 8192).decode(errors="replace").partition(";")[2])
        return "".join(lines)

    def assertGone(self):
        self.assertFalse(loaded())
        for path in (device.PATH, device.SYSFS, "/sys/devices/virtual/misc/shakerandom"):
            self.assertFalse(os.path.exists(path), path)
        self.assertNotIn("shakerandom", read("/proc/misc"))
        self.assertNotIn("shakerandom", read("/proc/modules"))
        self.assertNotIn("shakerandom", read("/proc/devices"))

    def assertQuiet(self, text, *more):
        lines = {line for line in text.splitlines() if not others_race(line)
                 for word in ("WARNING", "BUG", "Call Trace", "leak", "refcount", "Oops", *more) if word in line}
        self.assertFalse(lines, "the kernel logged this")


@LOADABLE
class Parameters(LoadTest):
    def test_quiet(self):
        """Loading finds no variant that fails its self test, whichever may be used, and says nothing else."""
        for parameters in ("", "backends=portable"):
            self.unload()
            self.messages()
            self.load(parameters)
            fd = device.open_device()
            device.ioctl(fd, device.IOC_SELFTEST)
            os.close(fd)
            lines = self.messages().splitlines()
            if "QEMU TCG CPU" in read("/proc/cpuinfo"):
                # QEMU 7.2 computes the upper half of a 256-bit vaesenc wrongly.
                lines = [line for line in lines if not line.endswith("variant vaes256 of aes")]
            self.assertQuiet("\n".join(lines), "fail", "shakerandom")

    def refused(self, parameter):
        self.unload()
        self.messages()
        with self.fails(EINVAL, ERANGE):
            device.load_module(KO, parameter)
        text = self.messages()
        name, _, value = parameter.partition("=")
        self.assertIn("shakerandom", text)
        self.assertIn(name, text)
        if value:
            self.assertIn(value, text)
        self.assertGone()

    def test_refused(self):
        for parameter in ("algorithm=foo", "algorithm=ChaCha20", "algorithm=chacha12", "algorithm=chacha20x",
                          "algorithm=chacha", "algorithm=", "reseed_seconds=0", "reseed_seconds=-1",
                          "reseed_seconds=abc", "reseed_seconds=4294967295", "reseed_seconds=4294967296",
                          "allow_seeding=maybe"):
            with self.subTest(parameter):
                self.refused(parameter)
                self.load()

    def test_algorithm(self):
        for name, number in (("chacha20", CHACHA20), ("shake256", SHAKE256), ("aes256-ctr", AES256_CTR)):
            self.unload()
            self.load("algorithm=" + name)
            fd = device.open_device()
            seen = device.info(fd)
            self.assertEqual((seen.format, seen.default_format), (number, number))
            self.assertFresh(os.read(fd, 5000))
            self.stream(device.SERVED[0]).start(fd)
            device.select_generator(fd, 0)
            self.assertEqual(device.info(fd).format, number)
            os.close(fd)
            self.assertEqual(device.attribute("algorithm"), name + "\n")
            self.assertEqual(read(device.PARAMETERS + "/algorithm"), name + "\n")

    def test_auto(self):
        """AES where a variant that is not portable serves it, else ChaCha20."""
        for parameters in ("", "algorithm=auto", "backends=portable"):
            self.unload()
            self.load(parameters)
            portable = "[portable]" in device.attribute("backends/aes")
            self.assertEqual(device.attribute("algorithm").strip(), "chacha20" if portable else "aes256-ctr")

    def test_backends_portable(self):
        self.unload()
        self.load("backends=portable")
        for name in os.listdir(os.path.join(device.SYSFS, "backends")):
            self.assertIn("[portable]", device.attribute("backends/" + name).split())
        for number in device.SERVED:
            stream = self.stream(number)
            fd = device.open_device()
            stream.start(fd)
            self.assertEqual(device.info(fd).backend, b"portable")
            self.assertContinues(fd, stream, 0)
            os.close(fd)

    def test_each_backend(self):
        """Every compiled variant that this processor can run gives the same bytes."""
        names = {word.strip("[]") for primitive in os.listdir(os.path.join(device.SYSFS, "backends"))
                 for word in device.attribute("backends/" + primitive).split()}
        streams = [self.stream(number) for number in device.SERVED]
        first = None
        for name in sorted(names):
            self.unload()
            self.load("backends=" + name)
            outputs = []
            for stream in streams:
                fd = device.open_device()
                stream.start(fd)
                outputs.append(os.read(fd, 3) + os.read(fd, 70000) + os.read(fd, 129))
                os.close(fd)
            first = first or outputs
            for stream, output, wanted in zip(streams, outputs, first):
                self.assertBytes(output, wanted, f"backends={name}: {stream}")

    def test_backends_unknown(self):
        """Named in the log, and ignored."""
        self.unload()
        self.messages()
        self.load("backends=portable,nonesuch,,sse9,")
        text = self.messages()
        for name in ("backends", "nonesuch", "sse9"):
            self.assertIn(name, text)
        self.assertIn("[portable]", device.attribute("backends/chacha").split())

    def test_only_unknown_backends(self):
        self.unload()
        self.load("backends=nonesuch")
        self.assertIn("nonesuch", self.messages())
        fd = device.open_device()
        self.assertFresh(os.read(fd, 5000))
        os.close(fd)

    def test_seeding_off(self):
        self.unload()
        self.load("allow_seeding=0")
        fd = device.open_device()
        try:
            with self.fails(EPERM):
                self.stream(CHACHA20).start(fd)
            self.assertFresh(os.read(fd, 1000))
        finally:
            os.close(fd)

    def test_reseed_seconds(self):
        """At that age an instance is rekeyed by its next use."""
        self.unload()
        self.load("reseed_seconds=1")
        fd = device.open_device()
        os.sched_setaffinity(0, {min(everywhere := os.sched_getaffinity(0))})
        try:
            os.read(fd, 10)
            before = int(device.attribute("statistics/reseeds"))
            os.read(fd, 10)
            time.sleep(1.1)
            os.read(fd, 10)
            self.assertEqual(int(device.attribute("statistics/reseeds")), before + 1)
        finally:
            os.sched_setaffinity(0, everywhere)
            os.close(fd)


@LOADABLE
class Unloading(LoadTest):
    def assertBusy(self):
        with self.fails(EAGAIN):
            device.unload_module("shakerandom")
        self.assertTrue(loaded())

    def test_programs(self):
        """What an administrator types, and is told."""
        fd = self.opened()
        done = command("rmmod", "shakerandom")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("in use", done.stdout)
        os.close(fd)
        self.unload()
        self.assertNotEqual(command("insmod", KO, "algorithm=foo").returncode, 0)
        self.assertEqual(command("insmod", KO, "algorithm=shake256").returncode, 0)
        self.assertEqual(device.attribute("algorithm"), "shake256\n")
        self.assertEqual(command("rmmod", "shakerandom").returncode, 0)
        self.assertGone()

    def test_refused_while_open(self):
        for prepare in (lambda fd: None, self.stream(CHACHA20).start, device.select_generator):
            fd = self.opened()
            prepare(fd)
            copy = os.dup(fd)
            self.assertBusy()
            os.close(fd)
            self.assertBusy()
            self.assertEqual(len(os.read(copy, 10)), 10)
            os.close(copy)
        self.unload()
        self.assertGone()

    def test_refused_while_mapped(self):
        fd = self.opened()
        memory = self.memory(PAGE, Memory.READ, Memory.SHARED, fd)
        os.close(fd)
        self.assertBusy()
        self.assertGreater(int.from_bytes(memory.get(0, 8), os.sys.byteorder), 0)
        memory.close()
        self.unload()
        self.assertGone()

    def test_generation_survives_as_a_number(self):
        """A new load starts with a generation, and a page that shows it."""
        self.unload()
        self.load()
        fd = device.open_device()
        seen = device.info(fd).generation
        self.assertGreater(seen, 0)
        self.assertEqual(int(device.attribute("generation")), seen)
        os.close(fd)

    def test_twice(self):
        with self.fails(EEXIST):
            device.load_module(KO)
        self.assertFresh(os.read(fd := device.open_device(), 1000))
        os.close(fd)


def memory_use():
    """Memory in KiB, by kind; what nobody accounts for comes last: bare pages and the like."""
    for what in "4343":     # 4: without a word in the log
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write(what)
        time.sleep(0.1)
    numbers = {line.split(":")[0]: int(line.split()[1]) for line in read("/proc/meminfo").splitlines()}
    use = {name: numbers[name] for name in ("Slab", "Percpu", "VmallocUsed", "KernelStack")}
    # each CPU keeps free pages of its own
    cached = sum(int(line.split()[1]) for line in read("/proc/zoneinfo").splitlines() if "count:" in line)
    known = ("MemFree", "Buffers", "Cached", "SwapCached", "AnonPages", "PageTables", *use)
    use["other"] = numbers["MemTotal"] - cached * PAGE // 1024 - sum(numbers[name] for name in known)
    return use


MEMORY_KIB = os.sysconf("SC_PHYS_PAGES") * PAGE // 1024


class LeakTest(LoadTest):
    # What the rest of the system may do meanwhile; each leak we look for is larger.
    ALLOWED = {"Slab": 500, "Percpu": 150, "VmallocUsed": 250, "KernelStack": 200, "other": 300}
    # But KASAN keeps what was freed, up to a part of the memory, and pages full of stack traces: there it is kmemleak
    # that finds leaks (test_debug).
    if device.configured("KASAN"):
        ALLOWED |= {"Slab": MEMORY_KIB // 32, "other": 3000}

    def assertNoLeak(self, before):
        after = memory_use()
        for name, allowed in self.ALLOWED.items():
            self.assertLess(after[name] - before[name], allowed,
                            f"{name} in KiB: {before[name]}, then {after[name]}")


class Files(LeakTest):
    def test_open_and_seed(self):
        """Thousands of files of each kind leave nothing behind."""
        arguments = []
        for number in device.SERVED:
            stream = self.stream(number)
            arguments.append(device.seed_struct(number, stream.seed, stream.nonce))
        rounds = 20000

        def use(rounds):
            for i in range(rounds):
                fd = os.open(device.PATH, os.O_RDWR)
                for _ in range(2):
                    device.ioctl(fd, device.IOC_SEED, arguments[i % len(arguments)][0])
                if i % 8 == 0:
                    os.read(fd, 300)
                    device.select_generator(fd)
                os.close(fd)
        use(1000)
        before = memory_use()
        use(rounds // 4)
        self.assertNoLeak(before)

    def test_refused_seeds(self):
        fd = self.opened()
        bad = [device.seed_struct(CHACHA20, bytes(3000)), device.seed_struct(99, bytes(4000)),
               device.seed_struct(SHAKE256, bytes(4000), b"\1" + bytes(15))]

        def use(rounds):
            for i in range(rounds):
                with contextlib.suppress(OSError):
                    device.ioctl(fd, device.IOC_SEED, bad[i % 3][0])
        use(100)
        before = memory_use()
        use(3000)
        self.assertNoLeak(before)


@LOADABLE
class Cycles(LeakTest):
    def cycle(self):
        """By system calls: two programs a cycle would take most of the time."""
        device.load_module(KO)
        fd = device.open_device()
        self.stream(device.SERVED[0]).start(fd)
        os.read(fd, 100)
        Memory(PAGE, Memory.READ, Memory.SHARED, fd).close()
        os.close(fd)
        device.unload_module("shakerandom")

    def test_100_times(self):
        self.unload()
        for _ in range(5):
            self.cycle()
        before = memory_use()
        self.messages()
        for _ in range(100):
            self.cycle()
        self.assertNoLeak(before)
        self.assertGone()
        self.assertQuiet(self.messages())

    def test_refused_loads_leak_nothing(self):
        self.unload()
        self.messages()
        for rounds in (2, 30):
            before = memory_use()
            for _ in range(rounds):
                with self.fails(EINVAL):
                    device.load_module(KO, "algorithm=foo")
        self.assertNoLeak(before)
        self.assertGone()

    def test_with_concurrent_opens(self):
        """Who opens while the module comes and goes gets a working file or none."""
        stop, failures, opens = threading.Event(), [], [0]

        def opener():
            while not stop.is_set():
                try:
                    fd = device.open_device()
                except OSError as error:
                    if error.errno not in (ENOENT, ENXIO, ENODEV):
                        failures.append(error)
                    continue
                try:
                    if len(os.read(fd, 64)) != 64:
                        failures.append("short")
                    opens[0] += 1
                except OSError as error:
                    failures.append(error)
                finally:
                    os.close(fd)
                time.sleep(0.001)       # on one processor it would else be open all the time
        threads = [threading.Thread(target=opener) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            unloaded = 0
            end = time.monotonic() + 6
            while time.monotonic() < end and unloaded < 20:
                with contextlib.suppress(BlockingIOError):
                    device.unload_module("shakerandom")
                    unloaded += 1
                    device.load_module(KO)
                time.sleep(0.02)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        self.assertGreater(opens[0], 20)
        self.assertGreater(unloaded, 0)
        self.assertQuiet(self.messages())
