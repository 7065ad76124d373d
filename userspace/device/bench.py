#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Measures a live /dev/shakerandom; prints lines of JSON for userspace/native/bench/report.py.

    bench.py speed      32 MiB reads of every generator and format, against /dev/urandom and /dev/zero;
                        a message of 78 MB for SHAKE128, against OpenSSL
    bench.py readers    one reader, then two on two processors
    bench.py overhead   nanoseconds of a 4 KiB read, and of it outside the core; under an emulator that
                        counts instructions as nanoseconds (qemu -icount shift=0), instructions. One processor

All that is compared takes turns; each line is the median."""

import functools
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import device

READ = 32 << 20
MESSAGE = 78_000_000
DIGEST = 16         # bytes: what 'openssl dgst -shake128' gives
REQUEST = 4096
ROUNDS = 15
SECONDS = 2


def emit(what, variant, size, peer=False, **value):
    print(json.dumps({"part": "device", "what": what, "variant": variant, "size": size, "peer": peer, **value}),
          flush=True)


def backend(fd):
    return device.info(fd).backend.decode()


def rate(fd, buffer):
    """GB/s of one read into the buffer, which may be cut short by a signal."""
    start = time.perf_counter()
    got = os.readv(fd, [buffer])
    return got / (time.perf_counter() - start) / 1e9


def contenders():
    """(what, variant, peer, file) of everything with a speed; those that are compared take turns side by side."""
    for number in device.NAMES:
        if number in device.SECURE:
            fd = os.open(device.PATH, os.O_RDONLY)
            device.select_generator(fd, number)
            yield "secure " + device.NAMES[number], backend(fd), False, fd
        fd = os.open(device.PATH, os.O_RDONLY)
        device.seed(fd, number, bytes(136 if number == device.TURBOSHAKE256_RATCHET else
                                      device.KEY_SIZES.get(number, 32)))
        yield "seeded " + device.NAMES[number], backend(fd), False, fd
    for path in ("/dev/urandom", "/dev/zero"):
        yield "read", path, True, os.open(path, os.O_RDONLY)


def absorb(fd, message):
    """The digest that the device makes, of writes as long as it takes."""
    device.seed(fd, device.SHAKE128, flags=device.ABSORB)
    done = 0
    while done < len(message):
        done += os.write(fd, message[done:])
    return os.read(fd, DIGEST).hex()


def openssl_command(path):
    return subprocess.run(["openssl", "dgst", "-shake128", path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()[-1]


def hashing_rate(make_digest, wanted, size):
    start = time.perf_counter()
    digest = make_digest()
    seconds = time.perf_counter() - start
    if digest != wanted:
        raise RuntimeError(f"{make_digest} made {digest}, not {wanted}")
    return size / seconds / 1e9


def absorbers(file):
    """(what, variant, size, peer, function that returns GB/s) of SHAKE128 of a message, also in that file."""
    message = memoryview(bytes(range(256)) * (MESSAGE // 256 + 1))[:MESSAGE]
    file.write(message)
    file.flush()
    wanted = hashlib.shake_128(message).hexdigest(DIGEST)
    fd = os.open(device.PATH, os.O_RDWR)
    device.seed(fd, device.SHAKE128, flags=device.ABSORB)
    for variant, peer, make_digest in (
            (backend(fd), False, functools.partial(absorb, fd, message)),
            ("openssl dgst", True, functools.partial(openssl_command, file.name)),
            ("libcrypto", True, lambda: hashlib.shake_128(message).hexdigest(DIGEST))):
        yield "shake128 absorb", variant, MESSAGE, peer, functools.partial(hashing_rate, make_digest, wanted, MESSAGE)


def speed():
    buffer = bytearray(READ)
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        everyone = [(what, variant, READ, peer, functools.partial(rate, fd, buffer))
                    for what, variant, peer, fd in contenders()] + list(absorbers(file))
        rates = {entry: [] for entry in everyone}
        for _ in range(ROUNDS):
            for entry in everyone:
                rates[entry].append(entry[-1]())
    for (what, variant, size, peer, _), values in rates.items():
        emit(what, variant, size, peer, gbps=round(statistics.median(values), 3))


def read_for(seconds, fd):
    buffer = bytearray(READ)
    end = time.monotonic() + seconds
    total = 0
    while time.monotonic() < end:
        total += os.readv(fd, [buffer])
    return total


def together(readers):
    """GB/s of so many processes at once."""
    pipes = []
    start = time.monotonic()
    for cpu in range(readers):
        back, forth = os.pipe()
        if os.fork() == 0:
            os.sched_setaffinity(0, {cpu})
            os.write(forth, b"%d" % read_for(SECONDS, os.open(device.PATH, os.O_RDONLY)))
            os._exit(0)
        os.close(forth)
        pipes.append(back)
    total = sum(int(os.read(back, 40)) for back in pipes)
    for back in pipes:
        os.close(back)
        os.wait()
    return total / (time.monotonic() - start) / 1e9


def readers():
    fd = os.open(device.PATH, os.O_RDONLY)
    if len(os.sched_getaffinity(0)) < 2:
        print(json.dumps({"part": "device", "what": "two readers", "variant": backend(fd),
                          "missing": "one processor"}))
        return
    names = {1: "one reader", 2: "two readers"}
    rates = {count: [] for count in names}
    for _ in range(5):
        for count, values in rates.items():
            values.append(together(count))
    for count, values in rates.items():
        emit(names[count], backend(fd), READ, gbps=round(statistics.median(values), 3))


TRACING = "/sys/kernel/tracing"
# The core of each device: what is traced to count it. Key set-up is not in it.
CORES = {True: "chacha_block_generic", False: "srnd_format_read"}
NEAR_EMPTY = "srnd_format"      # a few instructions long: its duration is the tracer's own


def nanoseconds(fd, buffer, calls=200):
    start = time.perf_counter_ns()
    for _ in range(calls):
        os.readv(fd, buffer)
    return (time.perf_counter_ns() - start) / calls


def tracing(name, value):
    with open(f"{TRACING}/{name}", "w", encoding="ascii") as file:
        file.write(value)


def durations(function, fd, buffer, calls):
    """Nanoseconds of each call of a kernel function during so many reads, as ftrace sees them."""
    tracing("set_ftrace_filter", function)
    tracing("trace", "")
    tracing("current_tracer", "function_graph")
    for _ in range(calls):
        os.readv(fd, buffer)
    with open(f"{TRACING}/trace", encoding="ascii") as file:
        found = re.findall(rf"([0-9.]+) us +\|  {function}(?: \[\w+\])?\(\);", file.read())
    tracing("current_tracer", "nop")
    if len(found) < calls:
        raise RuntimeError(f"ftrace saw {len(found)} calls of {function} in {calls} reads")
    return [float(microseconds) * 1000 for microseconds in found]


def overhead():
    """The loop around the calls costs the same for each; it is measured with /dev/null and taken off."""
    if not os.path.exists(TRACING + "/tracing_on"):
        subprocess.run(["mount", "-t", "tracefs", "none", TRACING], check=True)
    buffer, calls = [bytearray(REQUEST)], 50
    null = os.open("/dev/null", os.O_RDONLY)
    files = [entry for entry in contenders() if entry[0].startswith("secure") or entry[1] == "/dev/urandom"]
    tracer = statistics.median(durations(NEAR_EMPTY, files[0][3], buffer, calls))
    for what, variant, peer, fd in files:
        loop = statistics.median(nanoseconds(null, buffer) for _ in range(5))
        whole = statistics.median(nanoseconds(fd, buffer) for _ in range(5)) - loop
        core = sum(ns - tracer for ns in durations(CORES[peer], fd, buffer, calls)) / calls
        emit("request " + what if not peer else "request", variant, REQUEST, peer, ns=round(whole))
        emit("overhead", variant, REQUEST, peer, ns=round(whole - core))


if __name__ == "__main__":
    {"speed": speed, "readers": readers, "overhead": overhead}[sys.argv[1]]()
