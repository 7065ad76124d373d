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
from collections import Counter
from concurrent import futures
from dataclasses import dataclass, field

import deps
import fetch
import kernels
from common import HERE, Failure, Unreachable, environment, say

ROOT = HERE.parent.parent
# For programs("aarch64"), and the library on machines of other widths and byte orders.
CROSS = tuple(package for gcc, libc in (("i686", "i386"), ("aarch64", "arm64"), ("s390x", "s390x"))
              for package in (f"gcc-{gcc}-linux-gnu", f"libc6-dev-{libc}-cross"))
# The library and the command: compiled, for other machines too; their tests, and the disks of these.
USERS = ("gcc", "g++", "make", "libc6-dev", "libcmocka-dev", "e2fsprogs", *CROSS)
NATIVE = (*USERS, "clang", "libclang-rt-14-dev", "valgrind", "openssl", "python3", "python3-cryptography-vectors",
          # Installing the library; manual pages; modules on probation.
          "pkg-config", "mandoc", "groff-base", "dkms", "udev")
LINT = ("gcc", "g++", "clang", "clang-tidy", "clang-format", "sparse", "shellcheck", "flake8", "binutils", "perl",
        "libc6-dev", "libcmocka-dev")
DEVICE = "userspace/device userspace/native/reference.py"
# What a slow guest has time for: the bytes of every format, and all ways to read them.
SHORT = "test_formats. test_read. test_position. test_registers. test_streams."
SHORTEST = "Golden KnownAnswers Lengths"
MOST_AT_ONCE = 4        # guests need memory
DEFAULT = "6.1"         # kernel of suites that name none
LINE = re.compile(r"^[\w -]+: (\d+) passed, (\d+) failed, (\d+) skipped$")
SKIPPED = re.compile(r"^skipped +\S+(?: \([\d.]+ s\))?: (.*)$")


@dataclass
class Suite:
    name: str
    command: list
    variables: dict = field(default_factory=dict)
    first: bool = False     # others need what it makes


@dataclass
class Outcome:
    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: Counter = field(default_factory=Counter)   # of what was skipped
    seconds: float = 0
    output: list = field(default_factory=list)
    live: bool = False      # whether it is shown as it comes: else when it has ended

    def say(self, text):
        self.output.append(text)
        if self.live:
            print(text, end="", flush=True)


def guest_suite(kernel, words="", **variables):
    """The device tests in a guest of that kernel."""
    return Suite(f"device on {kernel} {' '.join(variables.values())}".strip(),
                 [str(HERE / "vm"), "run", f"cd device && exec ./run {words}"],
                 {"KERNEL": kernel, "FILES": DEVICE, "TIMEOUT": "1500",
                  "STRICT": "1", **variables})


def library_suite(kernel, words=""):
    """The library's tests in a guest of that kernel; they were built by a suite before."""
    return Suite(f"library on {kernel}", [str(HERE / "vm"), "run", f"cd test && exec ./run-guest {words}"],
                 {"KERNEL": kernel, "FILES": "userspace/lib/test userspace/lib/build userspace/native/reference.py",
                  "TIMEOUT": "1500", "STRICT": "1"})


def command_suite(kernel):
    """The command's tests in a guest of that kernel."""
    return Suite(f"command on {kernel}", ["userspace/tool/test/run-guest", kernel], {"STRICT": "1"})


def kunit_suite(kernel, **variables):
    return Suite(f"KUnit on {kernel}", [str(HERE / "vm"), "run", "./kunit"],
                 {"KERNEL": kernel, "FILES": "userspace/device/kunit", "TIMEOUT": "300", "STRICT": "1", **variables})


def dkms_suite(*names):
    """Installing through DKMS for those kernels, or for all that it is tried with."""
    return Suite("DKMS", [sys.executable, "-B", str(HERE / "dkms.py"), *names])


def built(what, *targets):
    """Compiled parts of tests."""
    return Suite(what, ["sh", "-ec", "; ".join(f"make -s -C {target}" for target in targets)], first=True)


def programs(machine=""):
    """The compiled parts of the device tests."""
    return built(f"programs for {machine or 'the'} guests",
                 "userspace/device" + (f" MACHINE={machine}" if machine else ""))


def programs_of_users():
    return built("library and command", "userspace/lib/test", "userspace/tool", "userspace/tool/examples")


def on_this_machine():
    yield Suite("native", ["userspace/native/run"])
    yield Suite("lint", [sys.executable, "-B", "userspace/lint/run"])
    yield Suite("library", ["userspace/lib/test/run-guest"])
    yield Suite("command", ["userspace/tool/test/run-native"])


def on_debian():
    """The real kernels, other architectures among them; longest first, so that workers end together."""
    yield guest_suite("amd64-6.1")
    yield Suite("broken modules", [sys.executable, "-B", str(HERE / "broken.py")])
    yield guest_suite("arm64-6.1", SHORT)
    yield guest_suite("amd64-6.12", SHORT)
    yield guest_suite("s390x-6.1", SHORTEST)        # the other byte order
    yield dkms_suite("amd64-6.1", "amd64-7.x")
    yield guest_suite("amd64-7.x", SHORT)
    yield guest_suite("i386-6.1", SHORTEST)         # 32 bits
    yield library_suite("amd64-6.1", "calls-i686")
    for kernel in ("arm64-6.1", "s390x-6.1"):
        yield library_suite(kernel)


def at_native_speed():
    """User-mode Linux, and with it all that this processor has."""
    yield command_suite("um-6.1")
    yield library_suite("um-6.1")
    yield guest_suite("um-6.1", SHORT + " test_kcapi.")
    yield Suite("a file of 1 GiB on um-6.1",
                [str(HERE / "vm"), "run", "cd device && DEVICE_DISK=1024 exec ./run streams.Disk"],
                {"KERNEL": "um-6.1", "FILES": DEVICE, "TIMEOUT": "600", "MEM": "2560", "STRICT": "1"})
    for backends in ("portable", "avx2,aesni,bmi", "avx512vl,vaes256"):
        yield guest_suite("um-6.1", "test_formats. test_streams.", PARAMS=f"backends={backends}")
    yield kunit_suite("um-6.1")


def suites():
    yield programs()
    yield programs("aarch64")
    yield programs_of_users()
    yield from on_debian()
    yield from at_native_speed()
    yield from on_this_machine()


def packages():
    """What all suites need: asked for once, not suite by suite."""
    named = {suite.variables.get("KERNEL", DEFAULT) for suite in suites()}
    return [*NATIVE, *LINT, *(package for name in sorted(named) for package in deps.wanted(kernels.find(name)))]


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


def run_suite(suite, outcome):
    """Keeps a suite's output; returns its last line and status."""
    with subprocess.Popen(suite.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          env=environment(**suite.variables)) as process:
        for line in process.stdout:
            outcome.say(line)
    lines = [line.strip() for line in outcome.output if line.strip()]
    outcome.reasons.update(found[1] for found in map(SKIPPED.match, lines) if found)
    return lines[-1] if lines else "", process.returncode


def judge(suite, outcome):
    """How much passed, failed and was skipped."""
    last, status = run_suite(suite, outcome)
    line = LINE.match(last)
    if line:
        outcome.passed, outcome.failed, outcome.skipped = map(int, line.groups())
        outcome.failed += bool(status) != bool(outcome.failed)
    else:
        # What only builds says nothing; tests that say nothing were not run.
        outcome.passed = int(suite.first and not status)
        outcome.failed = 1 - outcome.passed


def attempt(suite, outcome, lenient):
    """A suite whose kernel the archive does not give is skipped, or failed where kernels are what is tested."""
    try:
        if "KERNEL" in suite.variables:
            fetch.everything(kernels.find(suite.variables["KERNEL"]))
    except Unreachable as error:
        outcome.say(f"{error}\n")
        outcome.reasons[str(error).splitlines()[0]] += 1
        outcome.skipped, outcome.failed = int(lenient), int(not lenient)
    except Failure as error:
        outcome.say(f"{error}\n")
        outcome.failed = 1
    else:
        judge(suite, outcome)


def table(outcomes):
    print("\n%-52s %8s %8s %8s %8s" % ("suite", "passed", "failed", "skipped", "seconds"))
    for one in outcomes:
        print("%-52s %8d %8d %8d %8.0f" % (one.name, one.passed, one.failed, one.skipped, one.seconds))
        for reason, count in one.reasons.most_common():
            print(f"    {count} {'skipped' if one.skipped else 'failed'}: {reason}")


def timed(suite, outcome, lenient):
    start = time.monotonic()
    if outcome.live:
        print(f"\n== {suite.name}", flush=True)
    attempt(suite, outcome, lenient)
    outcome.seconds = time.monotonic() - start
    return outcome


def report(listed, workers=1, lenient=True):
    """Runs suites, so many at once, and sums up; whether one failed."""
    outcomes, pending = [], []
    with futures.ThreadPoolExecutor(workers) as pool:
        for suite in listed:
            outcomes.append(Outcome(suite.name, live=workers == 1 or suite.first))
            pending.append(pool.submit(timed, suite, outcomes[-1], lenient))
            if suite.first:
                futures.wait(pending)
        for ended in futures.as_completed(pending):
            outcome = ended.result()
            if not outcome.live:
                print(f"\n== {outcome.name}\n{''.join(outcome.output)}", end="", flush=True)
    table(outcomes)
    passed, failed, skipped = (sum(getattr(one, what) for one in outcomes) for what in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return failed > 0


def at_once():
    return min(os.cpu_count() or 1, MOST_AT_ONCE)


def main():
    deps.ensure(packages())
    with built_ahead("um-6.1"):
        return report(suites(), at_once())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as problem:
        say(str(problem))
        sys.exit(1)
