# SPDX-License-Identifier: GPL-2.0
"""Known answers from elsewhere: kunit/vectors/*.json and NIST's files.

load() gives the streams of the JSON files in terms of our formats: which
format, seed and nonce a system's parameters stand for.
"""

import glob
import importlib.util
import json
import os
from typing import NamedTuple, Optional

import reference as ref

HERE = os.path.dirname(os.path.abspath(__file__))
DIRECTORY = os.path.join(HERE, "../../kunit/vectors")


class Vector(NamedTuple):
    source: str
    format: int
    seed: bytes
    nonce: bytes
    offset: int
    output: bytes
    sha256: Optional[tuple] = None      # (n, hex digest of the first n bytes)


def read(name):
    with open(os.path.join(DIRECTORY, name + ".json")) as f:
        return json.load(f)["vectors"]


def primitives(system):
    return [v for v in read("primitives") if v["system"] == system]


def _pattern(n):
    """ptn(n) of RFC 9861."""
    return (bytes(range(251)) * (n // 251 + 1))[:n]


def _seed(v):
    if v["seed_hex"] is not None:
        return bytes.fromhex(v["seed_hex"])
    text = v["parameters"]["input"]
    return {"ptn(17^3)": _pattern(17**3),
            "one million a": 1000000 * b"a"}[text]


def _ietf_nonce(p):
    return (p["counter_u32"].to_bytes(4, "little")
            + bytes.fromhex(p["nonce_hex"]))


def _djb_nonce(p):
    return (p["initial_counter_u64"].to_bytes(8, "little")
            + p["nonce_u64"].to_bytes(8, "little"))


CHACHA = {20: ref.CHACHA20, 12: ref.CHACHA12, 8: ref.CHACHA8}
XOF = {"SHAKE256": ref.SHAKE256, "SHAKE128": ref.SHAKE128,
       "TurboSHAKE256": ref.TURBOSHAKE256, "TurboSHAKE128": ref.TURBOSHAKE128}
RATCHET = {24: ref.SHAKE256_RATCHET, 12: ref.TURBOSHAKE256_RATCHET}
CTR = {128: ref.AES128_CTR, 256: ref.AES256_CTR}


def _meaning(v):
    """Format and nonce of a vector; None where no format of ours has it."""
    p, system, zero = v["parameters"], v["system"], ref.ZERO_NONCE
    if system == "chacha20-ietf":
        return ref.CHACHA20, _ietf_nonce(p)
    if system in ("chachaciphers", "chacha-reduced-reference"):
        return CHACHA[p["rounds"]], _djb_nonce(p)
    if system == "aes-ctr" and p["key_bits"] in CTR:
        return CTR[p["key_bits"]], bytes.fromhex(p["initial_counter_hex"])
    if system == "aes-prng" and p["calls"].startswith("fill_bytes"):
        return ref.AES128_LE, zero
    if system in ("plain-xof", "turboshake"):
        return XOF[p["xof"]], zero
    if system in ("randomshake-v1", "randomshake-v2"):
        return RATCHET[p["rounds"]], zero
    fixed = {"shake128-cli": ref.SHAKE128,
             "cryptorandom-seeded": ref.AES256_ERASE}
    return (fixed[system], zero) if system in fixed else None


def _source(name, v):
    p = v["parameters"]
    detail = (p.get("source") or p.get("constructor") or p.get("input")
              or "seed %s..." % v["seed_hex"][:8])
    return "%s.json: %s, %s" % (name, v["system"], detail)


def load():
    """Every vector of every JSON file that one of our formats must give."""
    for path in sorted(glob.glob(os.path.join(DIRECTORY, "*.json"))):
        name = os.path.basename(path)[:-len(".json")]
        for v in read(name):
            meaning = _meaning(v)
            if not meaning:
                continue
            source, seed = _source(name, v), _seed(v)
            first = v.get("sha256_of_first_N")
            digest = (first["N"], first["sha256"]) if first else None
            if "sha256_of_all" in v:
                digest = (v["length"], v["sha256_of_all"])
            yield Vector(source, meaning[0], seed, meaning[1], v["offset"],
                         bytes.fromhex(v["output_hex"]), digest)
            for w in v.get("windows", []):
                yield Vector(source + ", at %d" % w["offset"], meaning[0],
                             seed, meaning[1], w["offset"],
                             bytes.fromhex(w["output_hex"]))


# ---- NIST's files, from Debian's python3-cryptography-vectors ----

def nist_directory():
    """Where they are, or None."""
    spec = importlib.util.find_spec("cryptography_vectors")
    for path in ((os.path.dirname(spec.origin) if spec else ""),
                 "/usr/lib/python3/dist-packages/cryptography_vectors"):
        if os.path.isdir(os.path.join(path, "hashes/SHAKE")):
            return path
    return None


def nist(name):
    """The records of a file as dictionaries: a blank line ends one."""
    record = {}
    with open(os.path.join(nist_directory(), name)) as f:
        for line in list(f) + [""]:
            key, equals, value = line.strip().strip("[]").partition(" = ")
            if equals:
                record[key.upper()] = value
            elif record:
                yield record
                record = {}
