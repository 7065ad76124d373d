#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws against model.py and against the values of the generators that are replaced.

golden.py CALLS [PART]...  CALLS is the program built from calls.c. Stream bytes come from the
device, read here with nothing but ioctl and pread. Without a device, files of bytes that the
reference implementation makes stand in for it; there more draws are tried, as an emulated
guest is slow."""

import ctypes
import fcntl
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

import model

HERE = os.path.dirname(os.path.abspath(__file__))
# In a guest it was copied beside us.
sys.path += [os.path.join(HERE, "../../native"), os.path.join(HERE, "..")]
import reference    # noqa: E402

DEVICE = "/dev/shakerandom"
CALLS = "calls"
IOC_SEED = 0x4028bb02
CHACHA20, AES128_LE, AES256_ERASE = 1, 6, 14
RATCHET, TURBO_RATCHET = 12, 13
FORGETS = (RATCHET, TURBO_RATCHET, AES256_ERASE)
ALL, SEEKABLE = tuple(reference.NAMES), reference.SEEKABLE
SEED_LENS = {**reference.KEY_SIZES, **{fmt: sizes[-1] for fmt, sizes in reference.SEED_SIZES.items()}}
NAMED_NONCE = {**dict.fromkeys(SEEKABLE, 8), 4: -8, 5: -8, 7: 0}
HAVE_DEVICE = os.path.exists(DEVICE)
MANY = 1 if HAVE_DEVICE else 10
ERR_SEEDING, ERR_ARGUMENT, ERR_FORWARD, ERR_FORGOTTEN = -5, -6, -10, -11

SINGLE = ["u8", "u16", "u32", "u64", "u128", "bool", "float", "double", "normal", "uuid4"]
BOUNDS32 = [0, 1, 2, 3, 5, 10, 100, 2**31 - 1, 2**31, 2**31 + 1, 3 << 30, 2**32 - 1]
BOUNDS64 = BOUNDS32 + [2**32, 2**32 + 1, 10**12, 2**63 - 1, 2**63, 2**63 + 1, 3 << 62, 2**64 - 1]
PAIRS32 = [(0, 0), (-5, 5), (5, -5), (-2**31, 2**31 - 1), (-2**31, 2**31 - 2), (7, 8), (-1, -1)]
PAIRS64 = PAIRS32 + [(-2**63, 2**63 - 1), (-2**63, 2**63 - 2), (-2**62, 2**62), (10**15, -3)]


def random_draws(rng, count):
    """Names with arguments, every kind of draw and every edge among them."""
    for _ in range(count):
        kind = rng.randrange(12)
        if kind < 5:
            yield (rng.choice(SINGLE),)
        elif kind == 5:
            yield "below32", rng.choice(BOUNDS32)
        elif kind == 6:
            yield "below64", rng.choice(BOUNDS64)
        elif kind == 7:
            yield ("range32",) + rng.choice(PAIRS32)
        elif kind == 8:
            yield ("range64",) + rng.choice(PAIRS64)
        elif kind == 9:
            a, b = rng.choice(PAIRS64)
            yield rng.choice([("urange64", a % 2**64, b % 2**64),
                              ("urange32", a % 2**32, b % 2**32)])
        elif kind == 10:
            yield rng.choice([("bits", rng.randrange(70)), ("uuid7", rng.randrange(2**48)),
                              ("fill", rng.randrange(300))])
        else:
            k = rng.randrange(40)
            yield rng.choice([("shuffle", rng.randrange(50), rng.choice([1, 3, 100])),
                              ("sample", k, k + rng.choice([0, 1, 50, 2**40]))])


def text_of(call, value):
    """As calls.c prints it."""
    name = call[0]
    if name in ("float", "double", "normal"):
        return value
    if name == "u128":
        return f"{value:032x}"
    if name in ("fill", "shuffle", "pread"):
        return value.hex()
    if name == "sample":
        return "".join(f"{v}," for v in value)
    return str(value)


def expect(stream, calls):
    out = []
    for name, *args in calls:
        value = getattr(stream, name)(*args)
        out.append((text_of((name,), value), stream.position))
    return out


def run(lines):
    """[(value, position)] of each line."""
    done = subprocess.run([CALLS], input="".join(line + "\n" for line in lines), text=True,
                          stdout=subprocess.PIPE, check=True)
    out = []
    for line in done.stdout.splitlines():
        value, _, position = line.rpartition(" @")
        out.append((value, int(position)))
    assert len(out) == len(lines), "the program ended early"
    return out


def line_of(call):
    return " ".join(str(word) for word in call)


def seed_hex(seed):
    return seed.hex() or "-"


class DeviceBytes:
    """A seeded descriptor of our own; for forward-only formats all that was read is kept."""

    def __init__(self, fmt, seed, nonce=bytes(16), flags=0):
        self.fd = os.open(DEVICE, os.O_RDWR)
        self.seekable, self.kept = fmt in SEEKABLE, b""
        keep = ctypes.create_string_buffer(seed, max(len(seed), 1))
        fcntl.ioctl(self.fd, IOC_SEED, struct.pack("=IIQII16s", fmt, flags, ctypes.addressof(keep),
                                                   len(seed), 0, nonce))

    def __call__(self, offset, length):
        if self.seekable:
            return os.pread(self.fd, length, offset)
        while len(self.kept) < offset + length:
            self.kept += os.read(self.fd, 65536)
        return self.kept[offset:offset + length]

    def __del__(self):
        os.close(self.fd)


class FileBytes:
    """A file of bytes that the library takes for a stream."""

    def __init__(self, data):
        self.data = data
        with tempfile.NamedTemporaryFile(delete=False) as f:
            f.write(self.data)
        self.path = f.name

    def __call__(self, offset, length):
        return self.data[offset:offset + length]

    def __del__(self):
        os.unlink(self.path)


def open_line(fmt, seed, rules=0, flags=0, nonce=b"", number=0):
    return f"open {fmt} {rules} {flags} {seed_hex(seed)} {seed_hex(nonce)} {number}"


def opened(fmt, seed, rules=0, nonce=bytes(16), size=20000):
    """(function of bytes, lines that open the same in the library)."""
    line = open_line(fmt, seed, rules, nonce=nonce if fmt in NAMED_NONCE else b"")
    if HAVE_DEVICE:
        return DeviceBytes(fmt, seed, nonce), [line]
    if fmt == CHACHA20 and size > 20000:    # which the reference would take minutes for
        data = reference.openssl("chacha20", seed, bytes(size), nonce)
    else:
        data = reference.stream(fmt, seed, nonce, 0, size)
    stand_in = FileBytes(data)
    return stand_in, [f"device {stand_in.path} 4", line]


def seed_for(fmt, text):
    return hashlib.shake_256(text.encode()).digest(SEED_LENS.get(fmt, 20))


class Case(unittest.TestCase):
    def same_values(self, calls, got, want):
        for call, (value, position), (wanted, at) in zip(calls, got, want):
            if isinstance(wanted, float):
                value = float.fromhex(value)
            self.assertEqual((value, position), (wanted, at), line_of(call))
        self.assertEqual(len(got), len(want))

    def check(self, read, lines, calls, rules=0):
        got = run(lines + [line_of(c) for c in calls])[len(lines):]
        self.same_values(calls, got, expect(model.Stream(read, rules), calls))


class Draws(Case):
    def test_all_draws_by_every_rule(self):
        for rules in range(4):
            with self.subTest(rules=rules):
                seed = seed_for(CHACHA20, f"all {rules}")
                read, lines = opened(CHACHA20, seed, rules, size=1 << 20)
                calls = list(random_draws(random.Random(rules), 400 * MANY))
                self.check(read, lines, calls, rules)

    def test_normal_tails_and_wedges(self):
        """Enough of them that every branch is met (the tail: once in 3,800)."""
        n = 8000 * MANY
        seed = seed_for(CHACHA20, "normal")
        read, lines = opened(CHACHA20, seed, size=1 << 20)
        want = expect(model.Stream(read), [("normal",)] * n)
        self.assertGreater(sum(abs(v) > 3.6541528853610088 for v, _ in want), 0)
        got = run(lines + ["normal"] * n)[-n:]
        self.same_values([("normal",)] * n, got, want)

    def test_normal_moments(self):
        n = 10000 * MANY
        _, lines = opened(CHACHA20, seed_for(CHACHA20, "moments"), size=1 << 20)
        x = [float.fromhex(v) for v, _ in run(lines + ["normal"] * n)[-n:]]
        for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
            found = sum(v**power for v in x) / n
            self.assertLess(abs(found - mean), 5 * (variance / n) ** 0.5, f"moment {power}")

    def test_frozen(self):
        """Values written down once: they may never change, not even with the model."""
        data = FileBytes(hashlib.shake_256(b"frozen").digest(10000))
        calls = [(n,) for n in SINGLE] + [("below32", 1000), ("below64", 10**12), ("range64", -9, 9)]
        got = run([f"device {data.path} 4", open_line(CHACHA20, bytes(32))] + [line_of(c) for c in calls])
        text = " ".join(v for v, _ in got[2:])
        self.assertEqual(text, FROZEN)


FROZEN = ("140 62686 2774379124 15519045533288032261 584f18f2d700be16c9408f2566d59c13 0 "
          "0x1.8c7ee6p-1 0x1.103b1c0cbf014p-3 -0x1.89ec7e09d1e5p-1 "
          "b1dff923-9a7b-425a-a66b-7137daed51d1 792 916508798037 8")


class Secure(Case):
    """What a 32-bit program gets; test_secure.c has the rest."""

    def test_different(self):
        numbers = FileBytes(struct.pack("<40000Q", *range(1, 40001)))
        for lines in [[]] if HAVE_DEVICE else [[f"device {numbers.path} 4"]]:
            out = run(lines + ["secure 5000", "secure 5000"])[len(lines):]
            drawn = [value for text, _ in out for value in text.split(",")[:-1]]
            self.assertEqual(len(set(drawn)), 10000)

    def test_in_order(self):
        # Of this machine's byte order: random numbers need none.
        numbers = FileBytes(struct.pack("=40000Q", *range(1, 40001)))
        out = run([f"device {numbers.path} 4", "secure 3000"])[1][0]
        self.assertEqual([int(v, 16) for v in out.split(",")[:-1]], list(range(1, 3001)))


def replaced(name):
    with open(os.path.join(HERE, "replaced.json"), encoding="utf-8") as f:
        return json.load(f)[name]


class Replaced(Case):
    """What the other generators gave: replaced.json was made by running them."""

    SIZES = {"bool": 1, "u8": 1, "u16": 2, "u32": 4, "u64": 8}

    def output(self, lines, calls):
        """The bytes that the calls' numbers and fills make up."""
        out = []
        for call, (value, _) in zip(calls, run(lines + [line_of(c) for c in calls])[len(lines):]):
            if call[0] == "fill":
                out.append(bytes.fromhex(value))
            elif call[0] == "u128":
                out.append(int(value, 16).to_bytes(16, "little"))
            else:
                out.append(int(value).to_bytes(self.SIZES[call[0]], "little"))
        return b"".join(out)

    def test_aes_prng(self):
        calls = {
            "fill_bytes, any chunking": [("fill", 1), ("fill", 200), ("fill", 55)],
            "fill_bytes": [("fill", 256)],
            "next_u32 only, little-endian": [("u32",)] * 64,
            "next_u64 only, little-endian": [("u64",)] * 32,
            "get_bit only, one byte (0/1) per bit": [("bool",)] * 256,
            "repeat: next_u32, next_u64, fill 5, next_u32, fill 120":
                [("u32",), ("u64",), ("fill", 5), ("u32",), ("fill", 120)] * 2,
        }
        for v in replaced("aes-prng"):
            with self.subTest(v["parameters"]["calls"], seed=v["seed_hex"]):
                # Of this format no other length is needed: 1 MiB, and what is skipped.
                _kept, lines = opened(AES128_LE, bytes.fromhex(v["seed_hex"]), model.AES_PRNG,
                                      size=1 << 21)
                some = calls[v["parameters"]["calls"]]
                out = self.output(lines, some)[:v["length"]]
                self.assertEqual(out.hex(), v["output_hex"])
                if not HAVE_DEVICE:
                    many = v["sha256_of_first_N"]
                    out = self.output(lines, some * (many["N"] // len(out) + 1))[:many["N"]]
                    self.assertEqual(hashlib.sha256(out).hexdigest(), many["sha256"])

    def test_chachaciphers(self):
        mixed = [("u8",), ("u16",), ("u32",), ("u64",)]
        calls = {
            "1000 scalar u8": [("u8",)] * 1000,
            "1000 scalar u64": [("u64",)] * 1000,
            "one u8 then": [("u8",)] + [("u64",)] * 999,
            "repeat 200x": mixed * 200,
            "repeat 100x": [("fill", 5), ("u64",)] * 100,
            "repeat 10x": [("fill", 100), ("u32",), ("fill", 64), ("u128",)] * 10,
        }
        for v in replaced("chachaciphers"):
            p = v["parameters"]
            with self.subTest(p["pattern"], seed=v["seed_hex"]):
                some = next(c for start, c in calls.items() if p["pattern"].startswith(start))
                nonce = bytes(8) + p["nonce_u64"].to_bytes(8, "little")
                _kept, lines = opened(CHACHA20, bytes.fromhex(v["seed_hex"]), model.CHACHACIPHERS,
                                      nonce)
                out = self.output(lines, some)
                self.assertEqual(len(out), v["length"])
                self.assertEqual(hashlib.sha256(out).hexdigest(), v["sha256_of_all"])

    # Each method of CryptoRandom as shakerandom.h says to write it: the call, what is added.
    CRYPTORANDOM = {
        "Next()": (("range32", 0, 2**31 - 2), 0),
        "Next(100)": (("below32", 100), 0),
        "Next(-5,6)": (("below32", 11), -5),
        "Next(-2147483648,2147483647)": (("below32", 2**32 - 1), -2**31),
        "Next(7,7)": (("below32", 0), 7),
        "Next(7,8)": (("below32", 1), 7),
        "Next(0)": (("below32", 0), 0),
        "NextInt64()": (("range64", 0, 2**63 - 2), 0),
        "NextInt64(10**12)": (("below64", 10**12), 0),
        "NextInt64(7,7)": (("below64", 0), 7),
        "NextDouble()": (("double",), None),
        "NextSingle()": (("float",), None),
        "NextGuid() raw 16 bytes": (("fill", 16), None),
    }

    def test_cryptorandom(self):
        for v in replaced("cryptorandom"):
            _kept, lines = opened(AES256_ERASE, bytes.fromhex(v["seed_hex"]), model.CRYPTORANDOM)
            for method, (call, plus) in self.CRYPTORANDOM.items():
                with self.subTest(method, seed=v["seed_hex"]):
                    want = v[method]
                    got = run(lines + [line_of(call)] * len(want["values"]))[len(lines):]
                    values = [value for value, _ in got]
                    if plus is not None:
                        values = [int(value) + plus for value in values]
                    elif call[0] != "fill":
                        values = [float.fromhex(value) for value in values]
                        want["values"] = [float.fromhex(w) for w in want["values"]]
                    self.assertEqual(values, want["values"])
                    self.assertEqual(got[-1][1], want["bytes_consumed"])
            self.assertEqual(len(self.CRYPTORANDOM), len(v) - 3, "a method nobody tests")

    def test_randomshake(self):
        calls = [("u8",), ("u16",), ("u32",), ("u64",), ("fill", 241)]
        for v in replaced("randomshake"):
            fmt = RATCHET if v["parameters"]["xof"] == "SHAKE256" else TURBO_RATCHET
            with self.subTest(fmt=fmt, seed=v["seed_hex"][:40]):
                _kept, lines = opened(fmt, bytes.fromhex(v["seed_hex"]))
                self.assertEqual(self.output(lines, calls).hex(), v["output_hex"])
                window = v["windows"][1]
                got = run(lines + [f"seek {window['offset']}", f"fill {window['length']}"])
                self.assertEqual(got[-1][0], window["output_hex"])


@unittest.skipUnless(HAVE_DEVICE, "needs /dev/shakerandom")
class Streams(Case):
    def test_every_format(self):
        for fmt in ALL:
            with self.subTest(fmt=fmt):
                seed = seed_for(fmt, "formats")
                calls = [("fill", n) for n in (0, 1, 4095, 4096, 4097, 100000, 3)] + [("u64",)] * 9
                self.check(DeviceBytes(fmt, seed), [open_line(fmt, seed)], calls)

    def test_text_seeds(self):
        for fmt in set(ALL) - set(FORGETS):
            with self.subTest(fmt=fmt):
                read = DeviceBytes(fmt, b"any text", flags=1 if fmt in SEED_LENS else 0)
                self.check(read, [open_line(fmt, b"any text", flags=1)], [("fill", 200)])
        for fmt in FORGETS:
            self.assertEqual(run([open_line(fmt, b"any text", flags=1)])[0][0], f"error {ERR_ARGUMENT}")

    def test_substreams_and_nonces(self):
        number = 0x0123456789abcdef
        for fmt, place in NAMED_NONCE.items():
            with self.subTest(fmt=fmt):
                nonce = {8: bytes(8) + number.to_bytes(8, "little"),
                         0: number.to_bytes(8, "little") + bytes(8),
                         -8: number.to_bytes(8, "big") + bytes(8)}[place]
                seed = seed_for(fmt, "substreams")
                read = DeviceBytes(fmt, seed, nonce)
                self.check(read, [open_line(fmt, seed, number=number)], [("fill", 200)])
                self.check(read, [open_line(fmt, seed, nonce=nonce)], [("fill", 200)])
                both = open_line(fmt, seed, nonce=nonce, number=1)
                self.assertEqual(run([both])[0][0], f"error {ERR_ARGUMENT}")
        for fmt in set(ALL) - set(SEEKABLE):
            line = open_line(fmt, seed_for(fmt, ""), number=1)
            self.assertEqual(run([line])[0][0], f"error {ERR_ARGUMENT}")

    def test_bad_seed_lengths(self):
        for fmt, length in SEED_LENS.items():
            for wrong in (0, length - 1, length + 1, 4096):
                self.assertEqual(run([open_line(fmt, bytes(wrong))])[0][0], f"error {ERR_ARGUMENT}")

    def test_seek_pread_and_end(self):
        for fmt in SEEKABLE:
            with self.subTest(fmt=fmt):
                seed = seed_for(fmt, "seek")
                read = DeviceBytes(fmt, seed)
                lines = [open_line(fmt, seed)]
                want = [None]
                position = 0
                rng = random.Random(fmt)
                end = 2**63 - 1
                for _ in range(60):
                    to = rng.choice([min(position + rng.randrange(5000), end), rng.randrange(20000), 2**40 + 7,
                                     max(position - rng.randrange(5000), 0), end - 10000])
                    length = min(rng.choice([0, 1, 8, 300, 4096, 9000]), end - to)
                    lines += [f"seek {to}", f"fill {length}", f"pread {length} {to}"]
                    data = read(to, length).hex()
                    want += [("", to), (data, to + length), (data, to + length)]
                    position = to + length
                lines += [f"seek {end - 5}", "fill 5", "fill 1", f"seek {end + 1}", f"pread 6 {end - 5}"]
                want += [("", end - 5), (read(end - 5, 5).hex(), end)] + [("error -9", end)] * 3
                got = run(lines)
                self.assertEqual(got[1:], want[1:])

    def test_forward_only(self):
        for fmt in set(ALL) - set(SEEKABLE):
            with self.subTest(fmt=fmt):
                seed = seed_for(fmt, "forward")
                read = DeviceBytes(fmt, seed)
                got = run([open_line(fmt, seed), "seek 70000", "fill 10", "seek 69999", "pread 1 0", "fill 2"])
                self.assertEqual(got[2], (read(70000, 10).hex(), 70010))
                self.assertEqual([v for v, _ in got[3:5]], [f"error {ERR_FORWARD}"] * 2)
                self.assertEqual(got[5], (read(70010, 2).hex(), 70012))

    def test_save_and_restore_anywhere(self):
        for fmt in ALL:
            rules = fmt % 4
            with self.subTest(fmt=fmt, rules=rules):
                seed = seed_for(fmt, "save")
                calls = list(random_draws(random.Random(fmt), 60)) + [("bool",)] * 5
                lines = [open_line(fmt, seed, rules)]
                for call in calls:
                    lines += [line_of(call), "reload"]
                got = run(lines)[1:]
                if fmt in FORGETS:
                    self.assertEqual(got[1][0], f"error {ERR_FORGOTTEN}")
                else:
                    self.assertEqual([v for v, _ in got[1::2]], [""] * len(calls))
                want = expect(model.Stream(DeviceBytes(fmt, seed), rules), calls)
                self.same_values(calls, got[::2], want)

    def test_absorb(self):
        for fmt, digest in ((8, hashlib.shake_256), (9, hashlib.shake_128)):
            message = bytes(range(256)) * 40
            lines = [open_line(fmt, b"start", flags=2)]
            lines += [f"absorb {message[i:i + 999].hex()}" for i in range(0, len(message), 999)]
            got = run(lines + ["fill 50", "absorb 00", "reload", "fill 5000"])
            want = digest(b"start" + message).digest(5050)
            self.assertEqual([v for v, _ in got[-4:]],
                             [want[:50].hex(), f"error {ERR_ARGUMENT}", f"error {ERR_FORGOTTEN}",
                              want[50:].hex()])
        self.assertEqual(run([open_line(8, b"x"), "absorb 00"])[1][0], f"error {ERR_ARGUMENT}")
        for fmt in (1, 7, 12, 14):
            line = open_line(fmt, seed_for(fmt, ""), flags=2)
            self.assertEqual(run([line])[0][0], f"error {ERR_ARGUMENT}")

    def test_seeding_forbidden(self):
        knob = "/sys/module/shakerandom/parameters/allow_seeding"
        with open(knob, "w", encoding="ascii") as f:
            f.write("0")
        try:
            got = run([open_line(CHACHA20, bytes(32))])
        finally:
            with open(knob, "w", encoding="ascii") as f:
                f.write("1")
        self.assertEqual(got[0][0], f"error {ERR_SEEDING}")
        self.assertEqual(run([open_line(CHACHA20, bytes(32))])[0][0], "")


class Result(unittest.TextTestResult):
    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed = getattr(self, "passed", 0) + 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skipped {test}: {reason}", flush=True)


def main():
    global CALLS
    CALLS = sys.argv.pop(1)
    done = unittest.main(exit=False, testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=0)).result
    bad = len({str(test) for test, _ in done.failures + done.errors})
    print(f"{os.path.basename(CALLS)}: {getattr(done, 'passed', 0)} passed, {bad} failed, "
          f"{len(done.skipped)} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
