#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Checks the one rule of the layout: a file includes only lower levels.

Each line of LEVELS stands on those before it; files of one line do not include
each other. A file may always include what shares its own stem (pool.c, pool.h).
"""

import os
import re
import sys
from fnmatch import fnmatch

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "../.."))
LEVELS = [
    ["uapi/shakerandom", "driver/compat"],
    ["driver/core/portable", "driver/core/assembly"],
    ["driver/core/intrinsics_*"],
    ["driver/core/chacha", "driver/core/keccak", "driver/core/aes"],
    ["driver/core/chacha_x86", "driver/core/keccak_round",
     "driver/core/aes_x86"],
    ["driver/core/keccak_scalar", "driver/core/keccak_sectors"],
    ["driver/core/keccak_ymm", "driver/core/keccak_neon"],
    ["driver/core/chacha_*", "driver/core/keccak_*", "driver/core/aes_*"],
    ["driver/core/backend"],
    ["driver/core/format"],
    ["driver/cpu", "driver/simd"],
    ["driver/engine"],
    ["driver/selftest_answers"],
    ["driver/pool", "driver/selftest"],
    ["driver/pool_inside"],
    ["driver/stream"],
    ["driver/deliver"],
    ["driver/chardev", "driver/sysfs"],
    ["driver/module"],
    ["kunit/*", "kunit/vectors/*"],
    ["userspace/native/*", "userspace/native/kunit/*",
     "userspace/native/bench/*"],
]
# Only these may see a kernel header, so that the core builds anywhere; and
# only compat.h may ask which kernel it is.
KERNEL_HEADERS = ["driver/core/portable.h", "driver/core/assembly.h",
                  "driver/core/intrinsics_neon.h"]
VERSION_TESTS = ["driver/compat.h"]
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
VERSION = re.compile(r"\bLINUX_VERSION_CODE\b|\bKERNEL_VERSION\b")


def level(stem):
    for number, patterns in enumerate(LEVELS):
        if any(fnmatch(stem, pattern) and "/" not in stem[len(pattern):]
               for pattern in patterns):
            return number
    return None


def sources():
    for top in ("uapi", "driver", "kunit", "userspace/native"):
        for directory, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(directory, name), ROOT)
                if name.endswith((".c", ".h", ".S")) and "/build/" not in path:
                    yield path


def same_stem(a, b):
    """pool.c and pool.h; selftest.c and selftest_answers.h."""
    return a == b or b.startswith(a + "_")


def wrong_include(path, kind, target):
    """What is wrong with one include, or None."""
    if kind == "<":
        if (path.startswith("driver/core/") and path not in KERNEL_HEADERS
                and target.startswith(("linux/", "asm/"))):
            return "kernel header <%s> in the core" % target
        return None
    found = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if not os.path.exists(os.path.join(ROOT, found)):
        return None if "/" not in target else "no file " + found
    stem, other = os.path.splitext(path)[0], os.path.splitext(found)[0]
    mine, theirs = level(stem), level(other)
    if same_stem(stem, other) or mine is None:
        return None
    if theirs is None:
        return "%s stands on no level" % found
    if theirs > mine or (theirs == mine and not path.startswith(
            ("kunit/", "userspace/"))):
        return "includes %s, which is not below it" % found
    return None


def complaints(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if level(os.path.splitext(path)[0]) is None:
        yield "stands on no level (see LEVELS in arrows.py)"
    for kind, target in INCLUDE.findall(text):
        wrong = wrong_include(path, kind, target)
        if wrong:
            yield wrong
    if path not in VERSION_TESTS and VERSION.search(text):
        yield "tests the kernel version, which only compat.h may"


def main():
    bad = ["%s: %s" % (path, wrong) for path in sources()
           for wrong in complaints(path)]
    print("\n".join(bad) if bad else "arrows: all includes point down")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
