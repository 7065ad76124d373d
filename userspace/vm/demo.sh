#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What the device does, in five steps. Runs in the guest; read it as an example of use.
set -eu

device=/dev/shakerandom
title() { printf '\n== %s\n' "$*"; }
hex() { od -An -v -tx1; }

key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
iv=f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff

# A shell cannot make an ioctl: this runs a command with a seeded device as its standard input.
cat >seeded.py <<'PYTHON'
import ctypes, fcntl, os, struct, sys

AES256_CTR = 4                              # enum shakerandom_format
SEED = 1 << 30 | 40 << 16 | 0xBB << 8 | 2   # _IOW(0xBB, 2, struct shakerandom_seed)

key, nonce = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2])
memory = ctypes.create_string_buffer(key, len(key))
device = os.open("/dev/shakerandom", os.O_RDONLY)
# format, flags, address and length of the seed, reserved, nonce
fcntl.ioctl(device, SEED, struct.pack("=IIQII16s", AES256_CTR, 0, ctypes.addressof(memory), len(key), 0, nonce))
os.dup2(device, 0)
os.execvp(sys.argv[3], sys.argv[3:])
PYTHON

# Describes the file on standard input.
cat >info.py <<'PYTHON'
import fcntl, struct

INFO = 2 << 30 | 72 << 16 | 0xBB << 8       # _IOR(0xBB, 0, struct shakerandom_info)
FIELDS = ("ABI version", "mode", "format", "default format", "generation", "formats", "position", "version", "backend")
MODES = ("random", "seeded", "absorbing")
values = struct.unpack("=IIIIQQQ16s16s", fcntl.ioctl(0, INFO, bytes(72)))
for name, value in zip(FIELDS, values):
    if isinstance(value, bytes):
        value = value.rstrip(b"\0").decode()
    print(f"   {name:15} {MODES[value] if name == 'mode' else hex(value) if name == 'formats' else value}")
PYTHON

title "Linux $(uname -r): 32 random bytes, twice: head -c 32 $device"
head -c 32 $device | hex
head -c 32 $device | hex

title "A seeded stream (AES-256-CTR), and what openssl makes of the same key and iv"
python3 seeded.py $key $iv head -c 48 | hex
head -c 48 /dev/zero | openssl enc -aes-256-ctr -K $key -iv $iv | hex

title "The same stream from byte 1,000,000: dd skip=1000000, beside openssl's"
python3 seeded.py $key $iv dd bs=16 count=1 skip=1000000 iflag=skip_bytes status=none | hex
head -c 1000016 /dev/zero | openssl enc -aes-256-ctr -K $key -iv $iv | tail -c 16 | hex

title "10 MiB of both, compared"
python3 seeded.py $key $iv head -c 10485760 | sha256sum
head -c 10485760 /dev/zero | openssl enc -aes-256-ctr -K $key -iv $iv | sha256sum

title "What the device says about a fresh file, and about a seeded one"
python3 info.py <$device
echo
python3 seeded.py $key $iv sh -c 'head -c 48 >/dev/null; exec python3 info.py'
echo
