# SPDX-License-Identifier: GPL-2.0
"""Which lines of the driver the tests run: the native ones over the core, and KUnit with the device tests in
user-mode Linux over all of it. One table; the last line adds it up."""

import json
import shlex
import subprocess
from collections import defaultdict
from itertools import groupby
from pathlib import Path

import build
import check
import deps
import kernels
import uml
from check import ROOT, SHORT
from common import HERE, Failure, environment, must

KERNEL = "um-6.1-gcov"
PACKAGES = ("gcc-12", "make", "libc6-dev", "libcmocka-dev")
NATIVE = "userspace/native/build/coverage"
# Counts outlive their module. Where the kernel shows them, no file knows its size: they are read, not copied.
GUEST = """set -e
cd device
./kunit >&2
rmmod shakerandom_kunit
./run {words} >&2
rmmod shakerandom
cd /sys/kernel/debug/gcov{directory}
find driver -name '*.gcda' | while read -r name; do
	mkdir -p "/tmp/gcov/${{name%/*}}"
	cat "$name" >"/tmp/gcov/$name"
done
tar -C /tmp/gcov -c ."""
# Not what user-mode Linux cannot do: 32-bit callers, processors that leave, reads slow enough to meet a signal.
DEVICE = SHORT + (" test_ioctl. test_fault. test_write. test_secure. test_signal.Short. test_module."
                  " test_trust.Fuzz.test_64 test_trust.Repeats.")


def counted(directory):
    """(source, line, times it ran) of all that was compiled into a directory and ran."""
    for path in sorted(directory.rglob("*.gcda")):
        done = subprocess.run(["gcov-12", "--json-format", "--stdout", path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True, cwd=directory)
        for unit in map(json.loads, done.stdout.splitlines()):
            for file in unit["files"]:
                source = Path(unit["current_working_directory"], file["file"]).resolve()
                for line in file["lines"]:
                    yield source, line["line_number"], line["count"]


def add(total, directory, root):
    """Adds the counts of the driver's sources in a tree."""
    for source, number, count in counted(directory):
        if source.is_relative_to(root / "driver"):
            total[str(source.relative_to(root))][number] += count


def forget(directory):
    for path in directory.rglob("*.gcda"):
        path.unlink()


def native():
    directory = ROOT / NATIVE
    forget(directory)
    must(["make", "-s", "-C", ROOT / "userspace/native", "F=coverage", "CC=gcc-12", "build/coverage/cases"])
    must([directory / "cases"], cwd=directory)
    return directory, ROOT


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
    return directory, directory


def ranges(numbers):
    """As 3, 7-9."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        group = [number for _, number in group]
        yield f"{group[0]}-{group[-1]}" if group[1:] else f"{group[0]}"


def row(name, lines, covered, missing=""):
    print(f"{name:36} {lines:6} {covered:8} {100 * covered / lines:6.1f} %  {missing}".rstrip())


def main():
    deps.ensure([*PACKAGES, *deps.wanted(kernels.find(KERNEL))])
    total = defaultdict(lambda: defaultdict(int))
    for part in (native, guest):
        add(total, *part())
    print(f"\n{'file':36} {'lines':>6} {'covered':>8} {'':8}  not covered")
    for name, counts in sorted(total.items()):
        missing = sorted(number for number, count in counts.items() if not count)
        row(name, len(counts), len(counts) - len(missing), ", ".join(ranges(missing)))
    every = [count for counts in total.values() for count in counts.values()]
    row("all", len(every), sum(map(bool, every)))
    return 0
