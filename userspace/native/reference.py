# SPDX-License-Identifier: GPL-2.0
"""Every stream format again, from the standards and from other people's code.

Nothing here shares a line with driver/core: SHAKE is Python's hashlib, AES is
the openssl command, ChaCha, TurboSHAKE and the ratchets are written out from
RFC 8439 and FIPS 202. Slow on purpose; the tests and the generators of vectors
compare with it.
"""

import hashlib
import struct
import subprocess

CHACHA20, CHACHA12, CHACHA8 = 1, 2, 3
AES256_CTR, AES128_CTR, AES128_LE = 4, 5, 6
SHAKE256_CTR, SHAKE256, SHAKE128 = 7, 8, 9
TURBOSHAKE256, TURBOSHAKE128 = 10, 11
SHAKE256_RATCHET, TURBOSHAKE256_RATCHET, AES256_ERASE = 12, 13, 14

NAMES = {
    CHACHA20: "chacha20", CHACHA12: "chacha12", CHACHA8: "chacha8",
    AES256_CTR: "aes256-ctr", AES128_CTR: "aes128-ctr",
    AES128_LE: "aes128-le", SHAKE256_CTR: "shake256-ctr",
    SHAKE256: "shake256", SHAKE128: "shake128",
    TURBOSHAKE256: "turboshake256", TURBOSHAKE128: "turboshake128",
    SHAKE256_RATCHET: "shake256-ratchet",
    TURBOSHAKE256_RATCHET: "turboshake256-ratchet",
    AES256_ERASE: "aes256-erase",
}
# Lengths of seeds. A format in neither takes any.
KEY_SIZES = {CHACHA20: 32, CHACHA12: 32, CHACHA8: 32, AES256_CTR: 32,
             AES128_CTR: 16, AES128_LE: 16, AES256_ERASE: 32}
SEED_SIZES = {SHAKE256_RATCHET: (16, 24, 32, 136),
              TURBOSHAKE256_RATCHET: (136,)}
SEEKABLE = (CHACHA20, CHACHA12, CHACHA8, AES256_CTR, AES128_CTR, AES128_LE,
            SHAKE256_CTR)
UNPUBLISHED = (SHAKE256_CTR,)   # ours alone: nobody else has known answers
SEED_MAX = 4096
ZERO_NONCE = bytes(16)


def openssl(cipher, key, data, iv=None):
    """`openssl enc` of data, without padding."""
    command = ["openssl", "enc", "-" + cipher, "-nopad", "-K", key.hex()]
    if iv is not None:
        command += ["-iv", iv.hex()]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE,
                          check=True).stdout


# ---- ChaCha, RFC 8439 section 2.3 with a 64-bit counter ----

def _chacha_block(key, words, rounds):
    def quarter(a, b, c, d):
        for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8),
                           (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xffffffff
            v = s[z] ^ s[x]
            s[z] = (v << n | v >> (32 - n)) & 0xffffffff

    start = list(struct.unpack("<4I", b"expand 32-byte k"))
    start += struct.unpack("<8I", key) + tuple(words)
    s = list(start)
    for _ in range(rounds // 2):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) & 0xffffffff
                                 for a, b in zip(s, start)))


def chacha(key, nonce, offset, length, rounds=20):
    counter, tail = int.from_bytes(nonce[:8], "little"), nonce[8:]
    first, last = offset // 64, (offset + length + 63) // 64
    out = b"".join(
        _chacha_block(key, struct.unpack(
            "<4I", ((counter + i) % 2**64).to_bytes(8, "little") + tail),
            rounds)
        for i in range(first, last))
    return out[offset - 64 * first:][:length]


# ---- AES ----

def aes_blocks(key, counters):
    """AES of many 16-byte blocks at once."""
    return openssl("aes-%d-ecb" % (8 * len(key)), key, b"".join(counters))


def aes_ctr(key, nonce, offset, length, order="big"):
    start = int.from_bytes(nonce, order)
    first, last = offset // 16, (offset + length + 15) // 16
    out = aes_blocks(key, [((start + i) % 2**128).to_bytes(16, order)
                           for i in range(first, last)])
    return out[offset - 16 * first:][:length]


def aes256_erase(key, length):
    out = b""
    while len(out) < length:
        batch = aes_blocks(key, [i.to_bytes(16, "big") for i in range(512)])
        key, out = batch[:32], out + batch[32:]
    return out[:length]


# ---- Keccak, FIPS 202 section 3 ----

def _rol(x, n):
    n %= 64
    return (x << n | x >> (64 - n)) & (2**64 - 1) if n else x


def _round_constants():
    """The LFSR of FIPS 202, algorithm 5."""
    constants, r = [], 1
    for _ in range(24):
        value = 0
        for j in range(7):
            if r & 1:
                value |= 1 << (2**j - 1)
            r = r << 1 ^ (0x171 if r & 0x80 else 0)
        constants.append(value)
    return constants


CONSTANTS = _round_constants()


def keccak(state, rounds):
    """Keccak-p[1600, rounds] on 200 bytes."""
    a = list(struct.unpack("<25Q", state))
    for constant in CONSTANTS[24 - rounds:]:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]
             for x in range(5)]
        a = [a[i] ^ c[(i + 4) % 5] ^ _rol(c[(i + 1) % 5], 1)
             for i in range(25)]
        b, x, y = [a[0]] + 24 * [0], 1, 0
        for t in range(24):
            source = a[x + 5 * y]
            x, y = y, (2 * x + 3 * y) % 5
            b[x + 5 * y] = _rol(source, (t + 1) * (t + 2) // 2)
        a = [b[i] ^ (~b[i - i % 5 + (i + 1) % 5] & b[i - i % 5 + (i + 2) % 5])
             for i in range(25)]
        a[0] ^= constant
    return struct.pack("<25Q", *a)


def absorb(message, rate, rounds, domain=0x1f):
    """The state after the padded message, not yet permuted for output."""
    padded = bytearray(message + bytes([domain]))
    padded += bytes(-len(padded) % rate)
    padded[-1] ^= 0x80
    state = bytes(200)
    for i in range(0, len(padded), rate):
        if i:
            state = keccak(state, rounds)
        block = bytes(padded[i:i + rate]) + bytes(200 - rate)
        state = bytes(p ^ q for p, q in zip(state, block))
    return keccak(state, rounds)


def sponge(message, length, rate, rounds):
    state, out = absorb(message, rate, rounds), b""
    while len(out) < length:
        out += state[:rate]
        state = keccak(state, rounds)
    return out[:length]


def ratchet(seed, length, rounds):
    zeros = {16: 16, 24: 24}.get(len(seed), 32)
    state, out = absorb(seed, 136, rounds), b""
    while len(out) < length:
        for _ in range(8):
            out += state[:136]
            state = keccak(state, rounds)
        state = keccak(bytes(zeros) + state[zeros:], rounds)
    return out[:length]


def shake256_ctr(seed, nonce, offset, length):
    key = hashlib.shake_256(b"shakerandom-key-v1" + seed).digest(64)
    first, last = offset // 512, (offset + length + 511) // 512
    out = b"".join(hashlib.shake_256(
        b"shakerandom-sector-v1" + key + nonce
        + (i % 2**64).to_bytes(8, "little")).digest(512)
        for i in range(first, last))
    return out[offset - 512 * first:][:length]


# ---- the formats ----

def expand(number, text):
    """SHAKERANDOM_SEED_EXPAND."""
    return hashlib.shake_256(b"shakerandom-seed-v1\0" + NAMES[number].encode()
                             + b"\0" + text).digest(KEY_SIZES[number])


def stream(number, seed, nonce=ZERO_NONCE, offset=0, length=64):
    """Bytes offset .. offset + length - 1 of a format."""
    rounds = {CHACHA20: 20, CHACHA12: 12, CHACHA8: 8}
    end = offset + length
    if number in rounds:
        return chacha(seed, nonce, offset, length, rounds[number])
    if number in (AES256_CTR, AES128_CTR):
        return aes_ctr(seed, nonce, offset, length)
    if number == AES128_LE:
        return aes_ctr(seed, nonce, offset, length, "little")
    if number == SHAKE256_CTR:
        return shake256_ctr(seed, nonce, offset, length)
    if number == SHAKE256:
        return hashlib.shake_256(seed).digest(end)[offset:]
    if number == SHAKE128:
        return hashlib.shake_128(seed).digest(end)[offset:]
    if number == TURBOSHAKE256:
        return sponge(seed, end, 136, 12)[offset:]
    if number == TURBOSHAKE128:
        return sponge(seed, end, 168, 12)[offset:]
    if number == SHAKE256_RATCHET:
        return ratchet(seed, end, 24)[offset:]
    if number == TURBOSHAKE256_RATCHET:
        return ratchet(seed, end, 12)[offset:]
    if number == AES256_ERASE:
        return aes256_erase(seed, end)[offset:]
    raise ValueError("no format %d" % number)
