# SPDX-License-Identifier: GPL-2.0
"""Long fuzzing of the core: what was learnt stays in the cache, and the next run begins with it."""

import os
import subprocess

import deps
from check import ROOT
from common import cache, environment

PACKAGES = ("clang", "libclang-rt-14-dev", "make", "libc6-dev")


def main():
    deps.ensure(PACKAGES)
    return subprocess.run([ROOT / "userspace/native/run", "fuzz"], check=False,
                          env=environment(FUZZ_SECONDS=os.environ.get("FUZZ_SECONDS") or "600",
                                          FUZZ_CORPUS=str(cache("corpus")))).returncode
