# SPDX-License-Identifier: GPL-2.0
"""All the tests, one row a suite; the last line adds them up.

A suite is a command whose last line is 'NAME: N passed, N failed, N skipped'. One that ends otherwise, or
whose exit status contradicts its line, counts as one failure more."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

import deps
import kernels
from common import HERE, Failure, environment, say

ROOT = HERE.parent.parent
NATIVE = ("gcc", "g++", "clang", "libclang-rt-14-dev", "make", "libc6-dev", "libcmocka-dev", "valgrind", "openssl",
          "python3", "python3-cryptography-vectors", "sparse",
          # The library, for other machines too; the command's manual pages and disks.
          "pkg-config", *(package for gcc, libc in (("i686", "i386"), ("aarch64", "arm64"), ("s390x", "s390x"))
                          for package in (f"gcc-{gcc}-linux-gnu", f"libc6-dev-{libc}-cross")),
          "mandoc", "groff-base", "e2fsprogs")
DEVICE = "userspace/device userspace/native/reference.py"
DEFAULT = "6.1"         # kernel of suites that name none
LINE = re.compile(r"^[\w -]+: (\d+) passed, (\d+) failed, (\d+) skipped$")


@dataclass
class Suite:
    name: str
    command: list
    variables: dict = field(default_factory=dict)


def guest_suite(kernel, words="", **variables):
    """The device tests in a guest of that kernel."""
    return Suite(f"device on {kernel} {' '.join(variables.values())}".strip(),
                 [str(HERE / "vm"), "run", f"cd device && exec ./run {words}"],
                 {"KERNEL": kernel, "FILES": DEVICE, "TIMEOUT": "1500",
                  "STRICT": "1", **variables})


def library_suite(kernel):
    """The library's tests in a guest of that kernel; they were built by a suite before."""
    return Suite(f"library on {kernel}", [str(HERE / "vm"), "run", "cd test && exec ./run-guest"],
                 {"KERNEL": kernel, "FILES": "userspace/lib/test userspace/lib/build userspace/native/reference.py",
                  "TIMEOUT": "1500", "STRICT": "1"})


def suites():
    yield Suite("arrows", [sys.executable, "-B", "userspace/native/arrows.py"])
    yield Suite("build, sparse", [str(HERE / "vm"), "build"], {"STRICT": "1", "SPARSE": "1", "KERNEL": "amd64-6.1"})
    yield Suite("native", ["userspace/native/run"])
    yield Suite("library", ["sh", "-c", "make -s -C userspace/lib/test && exec userspace/lib/test/run-guest"])
    yield Suite("command", ["userspace/tool/test/run-native"])
    yield Suite("programs for the guests", ["make", "-s", "-C", "userspace/device"])
    yield guest_suite("amd64-6.1")
    yield Suite("broken modules", [sys.executable, "-B", str(HERE / "broken.py")])
    yield guest_suite("amd64-6.12")
    yield guest_suite("um-6.1", "test_formats. test_read. test_position. test_registers. test_streams.")
    yield Suite("a file of 1 GiB on um-6.1",
                [str(HERE / "vm"), "run", "cd device && DEVICE_DISK=1024 exec ./run streams.Disk"],
                {"KERNEL": "um-6.1", "FILES": DEVICE, "TIMEOUT": "600", "MEM": "2560", "STRICT": "1"})
    for backends in ("portable", "avx2,aesni,bmi", "avx512vl,vaes256"):
        yield guest_suite("um-6.1", "test_formats. test_streams.", PARAMS=f"backends={backends}")
    for kernel in ("amd64-6.1", "um-6.1"):
        yield library_suite(kernel)
        yield Suite(f"command on {kernel}", ["userspace/tool/test/run-guest", kernel], {"STRICT": "1"})
    for kernel in ("arm64-6.1", "s390x-6.1"):       # the other byte order, another compiler
        yield library_suite(kernel)
    yield Suite("KUnit on um-6.1", [str(HERE / "vm"), "run", "./kunit /run/vm/shakerandom_kunit.ko"],
                {"KERNEL": "um-6.1", "FILES": "userspace/device/kunit", "TIMEOUT": "300", "STRICT": "1"})


def packages():
    """What all suites need: asked for once, not suite by suite."""
    named = {suite.variables.get("KERNEL", DEFAULT) for suite in suites()}
    return [*NATIVE, *(package for name in sorted(named) for package in deps.wanted(kernels.find(name)))]


@contextlib.contextmanager
def built_ahead(kernel):
    """A kernel we build ourselves takes minutes: they pass while the first suites wait for their guests.
    Should it fail, the suite that needs it tries again, and says so."""
    process = subprocess.Popen(["nice", str(HERE / "vm"), "build"], env=environment(KERNEL=kernel),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def run_suite(suite):
    """Shows a suite's output as it comes; returns its last line and status."""
    last = ""
    with subprocess.Popen(suite.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          env=environment(**suite.variables)) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return last, process.returncode


def judge(suite):
    """How many passed, failed and were skipped."""
    last, status = run_suite(suite)
    line = LINE.match(last)
    if line:
        passed, failed, skipped = map(int, line.groups())
        return passed, failed + (bool(status) != bool(failed)), skipped
    return (0, 1, 0) if status else (1, 0, 0)


def table(results):
    print("\n%-42s %8s %8s %8s %8s" % ("suite", "passed", "failed", "skipped", "seconds"))
    for name, counts, seconds in results:
        print("%-42s %8d %8d %8d %8.0f" % (name, *counts, seconds))


def report(listed):
    """Runs suites, and sums up; whether one failed."""
    results = []
    for suite in listed:
        print(f"\n== {suite.name}", flush=True)
        start = time.monotonic()
        results.append((suite.name, judge(suite), time.monotonic() - start))
    table(results)
    totals = [sum(counts[i] for _, counts, _ in results) for i in range(3)]
    print("%d passed, %d failed, %d skipped" % tuple(totals), flush=True)
    return totals[1] > 0


def main():
    deps.ensure(packages())
    with built_ahead("um-6.1"):
        return report(suites())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as problem:
        say(str(problem))
        sys.exit(1)
