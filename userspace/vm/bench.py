# SPDX-License-Identifier: GPL-2.0
"""The whole benchmark: the cores natively, the device and the kernel's inside in user-mode Linux, and
instruction counts under QEMU; one table in the end."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import deps
from common import HERE, Failure, cache, environment, say

ROOT = HERE.parent.parent
PACKAGES = ("gcc", "make", "libc6-dev", "python3", "libssl-dev", "libgcrypt20-dev", "libipsec-mb-dev",
            "python3-matplotlib")
DEVICE = "userspace/device userspace/native/reference.py"


def measured(kernel, command, **variables):
    """The lines of JSON that a command in a guest prints."""
    say(f"measuring in {kernel}: {command}")
    done = subprocess.run([str(HERE / "vm"), "run", command], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True,
                          env=environment(KERNEL=kernel, FILES=DEVICE, TIMEOUT="600", **variables))
    if done.returncode:
        raise Failure(f"the benchmark failed in {kernel} with status {done.returncode}")
    return re.findall(r"(?m)\{.*\}$", done.stdout)


def everything():
    yield from measured("um-6.1", "python3 device/bench.py speed")
    yield from measured("um-6.1", "insmod /run/vm/shakerandom_kunit.ko bench=1; dmesg | grep 'bench {'")
    yield from measured("um-7", "python3 device/bench.py readers", SMP="2")
    yield from counted()


def counted():
    """With one instruction a nanosecond, times are instructions. The emulator counts each iteration of a
    rep movsb, which a processor retires as one; without ERMS the kernel copies eight bytes in each."""
    for line in measured("amd64-6.1", "python3 device/bench.py overhead", SMP="1", ACCEL="tcg,thread=single",
                         CPU="max,-vaes,-erms", QEMU="-icount shift=0,sleep=off"):
        record = json.loads(line)
        record["instructions"] = record.pop("ns")
        yield json.dumps(record)


def place():
    """Where the results go is there before anything is measured."""
    try:
        Path(os.environ["OUT"]).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"OUT={os.environ['OUT']} cannot be the directory of the results: {error.strerror}") from error
    return ["--out", os.environ["OUT"]]


def main(quick):
    out = place() if os.environ.get("OUT") else []
    deps.ensure(PACKAGES)
    path = Path(cache("bench")) / "device.jsonl"
    path.write_text("\n".join(everything()) + "\n", encoding="utf-8")
    return subprocess.run([str(ROOT / "userspace/native/bench/run"), "--with", str(path),
                           *(["--quick"] if quick else []), *out], check=False).returncode


if __name__ == "__main__":
    try:
        sys.exit(main("--quick" in sys.argv))
    except Failure as problem:
        say(str(problem))
        sys.exit(1)
