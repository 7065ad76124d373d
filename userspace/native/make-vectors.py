#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes known answers from kunit/vectors/*.json and the reference.

    make-vectors.py             write them
    make-vectors.py --check     say whether they are what would be written

For the cases kunit/vectors/*.h, for the module driver/selftest_answers.h, for
the device tests userspace/device/vectors.json. The JSON files it reads are of
independent implementations, the replaced generators among them; they are never
made here.
"""

import json
import os
import sys

import answers
import reference as ref
import vectors

TOP = os.path.join(vectors.HERE, "../..")
LENGTHS = 340       # of messages: past two blocks of SHAKE128
SHOWN = 192         # bytes of a stream: over a boundary two blocks away
# Where counters of both byte orders run over every boundary soon.
EDGE = b"\xc0" + 14 * b"\xff" + b"\xf0"


def text(data):
    """Bytes as a C string, 16 a line."""
    if not data:
        return '""'
    rows = [data[i:i + 16] for i in range(0, len(data), 16)]
    return "\n\t  ".join(
        '"%s"' % "".join("\\x%02x" % b for b in row) for row in rows)


def entry(*fields):
    """A row of a table, a field a line but for numbers, which share one."""
    lines, numbers = [], []
    for f in fields:
        if isinstance(f, int):
            numbers.append("%dULL" % f if f >= 2**31 else "%d" % f)
            continue
        lines += [", ".join(numbers)] if numbers else []
        numbers = []
        lines.append(text(f) if isinstance(f, bytes) else '"%s"' % f)
    lines += [", ".join(numbers)] if numbers else []
    return "\t{ %s },\n" % ",\n\t  ".join(lines)


def table(kind, name, rows):
    return "static const struct %s %s[] = {\n%s};\n" % (kind, name, "".join(rows))


def chacha():
    for v in vectors.load():
        if v.format in ref.SEEKABLE[:3] and v.offset == 0:
            rounds = {ref.CHACHA20: 20, ref.CHACHA12: 12}.get(v.format, 8)
            out = v.output[:SHOWN]
            yield entry(v.source, rounds, v.seed, v.nonce, out, len(out))


def aes():
    for v in vectors.load():
        if v.format in (ref.AES128_CTR, ref.AES256_CTR):
            yield entry(v.source, len(v.seed), v.seed, v.nonce, v.output,
                        len(v.output))
    for v in vectors.primitives("aes-block"):
        p, key = v["parameters"], bytes.fromhex(v["seed_hex"])
        if len(key) != 24:
            yield entry(p["source"], len(key), key,
                        bytes.fromhex(p["plaintext_hex"]),
                        bytes.fromhex(v["output_hex"]), v["length"])


def permutations():
    for v in (vectors.primitives("keccak-f1600")
              + vectors.primitives("keccak-p1600-12")):
        times = 2 if "2 application" in v["parameters"]["input"] else 1
        yield entry(v["parameters"]["rounds"], times,
                    bytes.fromhex(v["output_hex"]))


SPONGES = {ref.SHAKE256: (136, 24), ref.SHAKE128: (168, 24),
           ref.TURBOSHAKE256: (136, 12), ref.TURBOSHAKE128: (168, 12)}


def small(v):
    """Whether a header has room for a vector's message."""
    return len(v.seed) <= 512


def sponges():
    for v in vectors.load():
        if v.format in SPONGES and small(v):
            out = v.output[:SHOWN]
            yield entry(v.source, *SPONGES[v.format], v.seed, len(v.seed),
                        v.offset, out, len(out))


def lengths():
    message = bytes((7 * i + 1) % 256 for i in range(LENGTHS))
    for number, (rate, rounds) in SPONGES.items():
        all_digests = b"".join(ref.stream(number, message[:n], length=32)
                               for n in range(LENGTHS + 1))
        yield entry(rate, rounds, ref.stream(number, all_digests, length=32))


def streams():
    for v in vectors.load():
        if small(v):
            out = v.output[:SHOWN]
            yield entry(v.source, v.format, v.seed, len(v.seed), v.nonce,
                        v.offset, out, len(out))
    # Far away, and over the edges of every counter.
    for number in ref.SEEKABLE:
        seed = bytes(range(ref.KEY_SIZES.get(number, 33)))
        for offset in (0, 511, 2**32 - 40, 2**38 - 40, 2**49 - 40,
                       2**63 - 100):
            out = ref.stream(number, seed, EDGE, offset, 96)
            yield entry("reference.py", number, seed, len(seed), EDGE, offset,
                        out, len(out))


def expansions():
    for number in ref.KEY_SIZES:
        for words in (b"", b"a", b"correct horse battery staple",
                      bytes(range(256))):
            key = ref.expand(number, words)
            yield entry(number, words, len(words), key, len(key))


def device():
    """The streams of the JSON files: of each seed, what is known of it."""
    known = {}
    for v in vectors.load():
        if len(v.seed) > ref.SEED_MAX:
            continue
        entry = known.setdefault((v.format, v.seed, v.nonce), {
            "format": v.format, "seed": v.seed.hex(), "nonce": v.nonce.hex(),
            "source": v.source, "checks": []})
        entry["checks"].append([v.offset, v.output.hex()])
        # Of a long one: the tests read the first of each format to there.
        if v.sha256 and v.sha256[0] >= 2**20:
            entry["sha256"] = v.sha256
    return "[\n%s\n]\n" % ",\n".join(map(json.dumps, known.values()))


def headers():
    yield "kunit/vectors/chacha.h", table("chacha_vector", "chacha_vectors", chacha())
    yield "kunit/vectors/aes.h", table("aes_vector", "aes_vectors", aes())
    yield "kunit/vectors/keccak.h", (
        "#define LENGTHS %d\t/* of messages, see struct lengths_vector */\n\n"
        % LENGTHS
        + table("keccak_vector", "keccak_vectors", permutations()) + "\n"
        + table("sponge_vector", "sponge_vectors", sponges()) + "\n"
        + table("lengths_vector", "lengths_vectors", lengths()))
    yield "kunit/vectors/format.h", (
        table("format_vector", "format_vectors", streams()) + "\n"
        + table("expand_vector", "expand_vectors", expansions()))
    yield "driver/selftest_answers.h", answers.table()


def made():
    """Path and contents of every file."""
    for name, body in headers():
        yield os.path.join(TOP, name), (
            "/* SPDX-License-Identifier: GPL-2.0 */\n"
            "/* Made by userspace/native/make-vectors.py; do not edit. */\n"
            + body)
    yield os.path.join(TOP, "userspace/device/vectors.json"), device()


def stale():
    """The files that differ from what would be written."""
    wrong = []
    for path, body in made():
        with open(path) as f:
            if f.read() != body:
                wrong.append(os.path.normpath(path))
    return wrong


def main():
    if sys.argv[1:] == ["--check"]:
        wrong = stale()
        sys.exit("stale: " + " ".join(wrong) if wrong else 0)
    for path, body in made():
        with open(path, "w") as f:
            f.write(body)


if __name__ == "__main__":
    main()
