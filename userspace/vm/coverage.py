# SPDX-License-Identifier: GPL-2.0
"""Which lines of the driver the tests run: the native ones over the core, and KUnit with the device tests in
user-mode Linux over all of it. One table; the last line adds it up."""

import re
import shlex
import subprocess

import build
import check
import deps
import kernels
import uml
from check import ROOT, SHORT
from common import HERE, Failure, cache, environment, must

KERNEL = "um-6.1-gcov"
PACKAGES = ("gcovr", "gcc", "make", "libc6-dev", "libcmocka-dev")
NATIVE = "userspace/native/build/coverage"
# Where a kernel keeps its counts, no file knows its size: they are read, not copied.
GUEST = """set -e
cd device
./kunit >&2
./run {words} >&2
rmmod shakerandom shakerandom_kunit
cd /sys/kernel/debug/gcov{directory}
find driver -name '*.gcda' | while read -r name; do
	mkdir -p "/tmp/gcov/${{name%/*}}"
	cat "$name" >"/tmp/gcov/$name"
done
tar -C /tmp/gcov -c ."""
DEVICE = SHORT + " test_ioctl. test_fault. test_write. test_secure. test_signal. test_module. test_trust."
TOTAL = re.compile(r"^TOTAL +(\d+) +(\d+) ", re.M)


def record(root, directory, name):
    """The counts that lie in a directory, by source below a root; the file they are written to."""
    out = cache("coverage") / name
    must(["gcovr", "--root", root, "--filter", f"{root}/driver/", "--gcov-executable", "gcov-12",
          "--json", out, directory])
    return out


def forget(directory):
    for path in directory.rglob("*.gcda"):
        path.unlink()


def native():
    directory = ROOT / NATIVE
    forget(directory)
    must(["make", "-s", "-C", ROOT / "userspace/native", "F=coverage", "CC=gcc-12", "build/coverage/cases"])
    must([directory / "cases"], cwd=directory)
    return record(ROOT, directory, "native.json")


def guest():
    kernel = kernels.find(KERNEL)
    directory = build.module(kernel, uml.ensure(kernel))[0].parent
    forget(directory)
    must(["make", "-s", "-C", ROOT / "userspace/device"])
    command = GUEST.format(words=DEVICE, directory=shlex.quote(str(directory)))
    done = subprocess.run([HERE / "vm", "run", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          env=environment(KERNEL=KERNEL, FILES=check.DEVICE, TIMEOUT="1800"), check=False)
    if done.returncode:
        raise Failure(f"a test failed in {KERNEL}, see above: no count is worth much then")
    subprocess.run(["tar", "-x", "-C", directory], input=done.stdout, check=True)
    return record(directory, directory, "guest.json")


def main():
    deps.ensure([*PACKAGES, *deps.wanted(kernels.find(KERNEL))])
    words = [word for part in (native(), guest()) for word in ("--add-tracefile", part)]
    table = must(["gcovr", "--root", ROOT, *words, "--txt", "-"])
    print(table)
    lines, covered = map(int, TOTAL.search(table).groups())
    print(f"coverage: {covered} of {lines} lines, {100 * covered / lines:.1f} %")
    return 0
