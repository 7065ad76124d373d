# SPDX-License-Identifier: GPL-2.0
"""The suites that 'make check' leaves out, for they take long or prove little: in kernels that look for
mistakes, in all kinds of kernels, and statistics. They report as check.py says."""

import sys

import check
import deps
import kernels
from check import SHORT, Suite, guest_suite, kunit_suite, programs
from common import HERE

# The checkers make a guest many times slower.
SLOW = {"MEM": "3072", "TIMEOUT": "10800"}
PATIENCE = "env DEVICE_HANGS=3000 DEVICE_REPEATS=8 "


def patient(suite):
    suite.command[-1] = suite.command[-1].replace("exec ", "exec " + PATIENCE)
    return suite


def debug():
    # Here the vector unit refuses, and processors leave.
    yield kunit_suite("amd64-6.1-debug", MEM="2048", TIMEOUT="1800")
    yield patient(guest_suite("amd64-6.1-debug", **SLOW))
    races = patient(guest_suite("amd64-6.1-kcsan", "test_trust test_secure test_signal test_module test_debug", **SLOW))
    # The kernel has races of its own, at which it shall not panic: the last test looks for ours in the log.
    races.command[-1] = "echo 0 >/proc/sys/kernel/panic_on_warn && " + races.command[-1]
    yield races
    yield Suite("latency on amd64-6.1-rt", [str(HERE / "vm"), "run", "exec device/latency"],
                {"KERNEL": "amd64-6.1-rt", "FILES": "userspace/device", "TIMEOUT": "900"})


# QEMU's processors with AES and SHA3, and with AES alone. It has none without AES: a module kept from using vector
# code stands for them.
ARM64 = ({}, {"CPU": "cortex-a72"}, {"PARAMS": "backends=portable"})


def all_kernels():
    """The device tests wherever we say that the module works: whole where that takes minutes."""
    yield kunit_suite("um-7")       # two processors
    yield programs("aarch64")
    yield check.programs_of_users()
    for kernel in ("amd64-6.1", "amd64-6.1-rt", "amd64-6.12", "amd64-6.12-deb13", "amd64-7.x", "amd64-sid"):
        yield guest_suite(kernel)
    yield check.dkms_suite()
    yield check.library_suite("amd64-6.1")
    yield check.command_suite("amd64-6.1")
    yield guest_suite("amd64-6.1", SHORT, CPU="qemu64")
    for kernel in ("arm64-6.1", "arm64-7.x"):
        for variables in ARM64:
            yield patient(guest_suite(kernel, SHORT, **variables))
    for kernel in ("s390x-6.1", "armhf-6.1", "i386-6.1"):
        yield patient(guest_suite(kernel, SHORT))
    for kernel in ("um-6.1", "um-7"):
        yield guest_suite(kernel, SHORT)


def trust():
    yield Suite("trust", [sys.executable, "-B", str(HERE / "trust.py")], {"KERNEL": "amd64-6.1", "STRICT": "1"})


def statistics():
    """At native speed."""
    yield Suite("statistics", [str(HERE / "vm"), "run", "cd device && exec ./statistics"],
                {"KERNEL": "um-6.1", "FILES": "userspace/device userspace/native/reference.py", "TIMEOUT": "3600"})


KINDS = {"check-kernels": (all_kernels, check.USERS), "check-trust": (trust, ("libc6-dev",)),
         "check-debug": (debug, ("rt-tests",)), "statistics": (statistics, ("rng-tools5", "dieharder"))}


def main(kind):
    suites, packages = KINDS[kind]
    named = [kernels.find(suite.variables["KERNEL"]) for suite in suites() if "KERNEL" in suite.variables]
    deps.ensure(sorted({*packages, "gcc", "make", "libc6-dev"}.union(*map(deps.wanted, named))))
    if kind == "check-kernels":
        return check.report([programs(), *suites()], check.at_once(), lenient=False)
    return check.report([programs(), *suites()])
