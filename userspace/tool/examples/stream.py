#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A seeded stream with nothing but Python's standard library: read, seek, verify."""

import ctypes
import errno
import fcntl
import os
import struct

AES256_CTR = 4
EXPAND = 1                  # the seed is any text
IOC_SEED = 0x4028BB02       # SHAKERANDOM_IOC_SEED


def open_stream(form, seed, flags=0, nonce=bytes(16)):
    """A descriptor that reads the stream of this seed."""
    fd = os.open("/dev/shakerandom", os.O_RDWR | os.O_CLOEXEC)
    memory = ctypes.create_string_buffer(seed, len(seed) or 1)
    try:
        fcntl.ioctl(fd, IOC_SEED, struct.pack("=IIQII16s", form, flags, ctypes.addressof(memory), len(seed), 0, nonce))
    except OSError:
        os.close(fd)
        raise
    return fd


def main():
    with open("/dev/shakerandom", "rb", buffering=0) as random:
        print("random ", random.read(16).hex())

    fd = open_stream(AES256_CTR, b"monday", EXPAND)
    start = os.read(fd, 4096)
    print("stream ", start[:16].hex())

    # Any offset, at once.
    print("at 1 TB", os.pread(fd, 16, 10**12).hex())
    assert os.pread(fd, 100, 1000) == start[1000:1100]

    # Writing compares.
    assert os.pwrite(fd, start, 0) == 4096
    damaged = bytearray(start)
    damaged[77] ^= 1
    assert os.pwrite(fd, damaged, 0) == 77
    try:
        os.pwrite(fd, damaged[77:], 77)
        raise AssertionError("the difference was not found")
    except OSError as error:
        assert error.errno == errno.EILSEQ
    print("byte 77 differs, as it should")


if __name__ == "__main__":
    main()
