# SPDX-License-Identifier: GPL-2.0
"""The streams against ciphers we had no hand in: the kernel's own, through AF_ALG and libkcapi."""

import contextlib
import ctypes
import errno
import os
import socket
import subprocess

from device import AES128_CTR, AES256_CTR, CHACHA20, LAST, DeviceTest, formats

# The guest's kernel finds no modprobe of its own accord.
MODULES = ("af_alg", "algif_skcipher", "crypto_user", "crypto-chacha20", "crypto-ctr")
NAMES = {CHACHA20: "chacha20", AES256_CTR: "ctr(aes)", AES128_CTR: "ctr(aes)"}
BLOCK = {CHACHA20: 64, AES256_CTR: 16, AES128_CTR: 16}
CASES = 300
LONGEST = 40000         # one request of AF_ALG takes 16 pages
WRAP = 2**32 * 64       # the kernel's ChaCha20 counts its blocks in 32 bits, without carry


class Library:
    """What we call of libkcapi.so.1."""

    def __init__(self):
        self.lib = ctypes.CDLL("libkcapi.so.1")
        self.lib.kcapi_cipher_init.argtypes = (ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_uint32)
        self.lib.kcapi_cipher_setkey.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32)
        self.lib.kcapi_cipher_encrypt.restype = ctypes.c_ssize_t
        self.lib.kcapi_cipher_encrypt.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                                  ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int)
        self.lib.kcapi_cipher_destroy.argtypes = (ctypes.c_void_p,)

    @contextlib.contextmanager
    def opened(self, name):
        """A cipher's handle, for one key; raises OSError."""
        handle = ctypes.c_void_p()
        self.check(self.lib.kcapi_cipher_init(ctypes.byref(handle), name.encode(), 0))
        try:
            yield handle
        finally:
            self.lib.kcapi_cipher_destroy(handle)

    def encrypt(self, name, key, iv, data):
        out = ctypes.create_string_buffer(len(data))
        with self.opened(name) as handle:
            self.check(self.lib.kcapi_cipher_setkey(handle, key, len(key)))
            self.check(self.lib.kcapi_cipher_encrypt(handle, data, len(data), iv, out, len(data), 0), len(data))
        return out.raw

    @staticmethod
    def check(result, wanted=0):
        if result < 0:
            raise OSError(-result, os.strerror(-result))
        assert result == wanted, f"libkcapi returned {result}, not {wanted}"


class KernelCrypto(DeviceTest):
    def setUp(self):
        super().setUp()
        for name in MODULES:
            subprocess.run(["modprobe", "-q", name], check=False)      # built in, or not there: we see below
        try:
            socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()
        except OSError as error:
            if error.errno != errno.EAFNOSUPPORT:
                raise
            self.skipTest("this kernel has no AF_ALG")
        try:
            self.library = Library()
        except OSError:
            self.skipTest("libkcapi.so.1 is not installed")

    def require(self, name):
        try:
            with self.library.opened(name):
                pass
        except OSError as error:
            # libkcapi asks the kernel about the cipher through crypto_user.
            if error.errno not in (errno.ENOENT, errno.EPROTONOSUPPORT):
                raise
            self.skipTest(f"this kernel has no {name if error.errno == errno.ENOENT else 'crypto_user'}")

    def keystream(self, stream, offset, length):
        """What the kernel makes of the stream's bytes, begun anew where its counter would have to carry."""
        block, key = BLOCK[stream.number], stream.key()
        out = b""
        while len(out) < length:
            at = offset + len(out)
            if stream.number == CHACHA20:
                counter = (int.from_bytes(stream.nonce[:8], "little") + at // block) % 2**64
                iv = counter.to_bytes(8, "little") + stream.nonce[8:]
                room = WRAP - counter % 2**32 * block - at % block
            else:
                iv = ((int.from_bytes(stream.nonce, "big") + at // block) % 2**128).to_bytes(16, "big")
                room = length
            part = min(length - len(out), room)
            out += self.library.encrypt(NAMES[stream.number], key, iv, bytes(at % block + part))[at % block:]
        return out

    def place(self):
        """(offset, length) somewhere in the stream, edges of the counters among them."""
        length = self.random.choice((1, 15, 16, 64, 4096, self.random.randrange(1, LONGEST)))
        about = self.random.choice((0, 2**16, WRAP, 4 * WRAP, 2**62, LAST, self.random.randrange(LAST)))
        offset = about + self.random.randrange(-length, length + 1)
        return min(max(offset, 0), LAST - length), length

    @formats(*NAMES)
    def test_same_stream(self, number):
        self.require(NAMES[number])
        fd = self.opened()
        for _ in range(CASES):
            stream = self.stream(number)
            stream.start(fd)
            offset, length = self.place()
            self.assertBytes(os.pread(fd, length, offset), self.keystream(stream, offset, length),
                             f"{stream} at {offset}")
