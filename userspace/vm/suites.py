# SPDX-License-Identifier: GPL-2.0
"""The suites that 'make check' leaves out, for they take hours or prove little: in kernels that look for
mistakes, and statistics. They report as check.py says."""

import sys

import check
import deps
import kernels
from check import Suite, guest_suite
from common import HERE

# The checkers make a guest many times slower.
SLOW = {"MEM": "3072", "TIMEOUT": "10800"}
PATIENCE = "env DEVICE_HANGS=3000 DEVICE_REPEATS=8 "


def patient(suite):
    suite.command[-1] = suite.command[-1].replace("exec ", "exec " + PATIENCE)
    return suite


def debug():
    yield patient(guest_suite("amd64-6.1-debug", **SLOW))
    yield patient(guest_suite("amd64-6.1-kcsan", "test_trust test_secure test_signal test_module test_debug", **SLOW))
    yield Suite("latency on amd64-6.1-rt", [str(HERE / "vm"), "run", "exec device/latency"],
                {"KERNEL": "amd64-6.1-rt", "FILES": "userspace/device", "TIMEOUT": "900"})


def trust():
    yield Suite("trust", [sys.executable, "-B", str(HERE / "trust.py")], {"KERNEL": "amd64-6.1", "STRICT": "1"})


def statistics():
    """At native speed."""
    yield Suite("statistics", [str(HERE / "vm"), "run", "cd device && exec ./statistics"],
                {"KERNEL": "um-6.1", "FILES": "userspace/device userspace/native/reference.py", "TIMEOUT": "3600"})


KINDS = {"check-trust": (trust, ("libc6-dev",)), "check-debug": (debug, ("rt-tests",)),
         "statistics": (statistics, ("rng-tools5", "dieharder"))}


def main(kind):
    suites, packages = KINDS[kind]
    named = [kernels.find(suite.variables["KERNEL"]) for suite in suites()]
    deps.ensure(sorted({*packages, "gcc", "make", "libc6-dev"}.union(*map(deps.wanted, named))))
    return check.report([check.Suite("programs for the guests", ["make", "-s", "-C", "userspace/device"]), *suites()])
