# SPDX-License-Identifier: GPL-2.0
"""The ioctls of /dev/shakerandom, an independent idea of its streams, and what the tests share."""

import contextlib
import ctypes
import errno
import functools
import gzip
import os
import pickle
import platform
import random
import select
import sys
import traceback
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
for _directory in (HERE, os.path.dirname(HERE), os.path.join(HERE, "..", "native")):
    if os.path.exists(os.path.join(_directory, "reference.py")):
        sys.path.insert(0, _directory)
        break
import reference  # noqa: E402  (userspace/native/reference.py, wherever it was copied)
from reference import (  # noqa: E402,F401
    AES128_CTR, AES128_LE, AES256_CTR, AES256_ERASE, CHACHA8, CHACHA12, CHACHA20, KEY_SIZES, NAMES, SEEKABLE,
    SHAKE128, SHAKE256, SHAKE256_CTR, SHAKE256_RATCHET, TURBOSHAKE128, TURBOSHAKE256, TURBOSHAKE256_RATCHET)

PATH = "/dev/shakerandom"
SYSFS = "/sys/class/misc/shakerandom"
PARAMETERS = "/sys/module/shakerandom/parameters"
RANDOM_SEED = os.environ.get("DEVICE_SEED") or str(random.SystemRandom().getrandbits(32))

RANDOM, SEEDED, ABSORBING = 0, 1, 2             # enum shakerandom_mode
EXPAND, ABSORB = 1, 2                           # flags of a seed
SEED_MAX = 4096
SECURE = (CHACHA20, SHAKE256, AES256_CTR)       # what SELECT takes
XOFS = (SHAKE256, SHAKE128, TURBOSHAKE256, TURBOSHAKE128)
EXPANDABLE = tuple(KEY_SIZES)
ONES = b"\xff"
LAST = 2**63 - 1                                # the largest file position
PAGE = os.sysconf("SC_PAGE_SIZE")
X86 = platform.machine() == "x86_64"
PROGRAMS = os.path.join(HERE, "build", platform.machine())   # what the Makefile compiled for this machine
BUILD_FIRST = f"build it first: make -C userspace/device MACHINE={platform.machine()}"


class Seed(ctypes.Structure):
    _fields_ = [("format", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("seed", ctypes.c_uint64),
                ("seed_len", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("nonce", ctypes.c_uint8 * 16)]


class Info(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("mode", ctypes.c_uint32), ("format", ctypes.c_uint32),
                ("default_format", ctypes.c_uint32), ("generation", ctypes.c_uint64), ("formats", ctypes.c_uint64),
                ("position", ctypes.c_uint64), ("version", ctypes.c_char * 16), ("backend", ctypes.c_char * 16)]


def configured(option):
    """Whether the kernel was built with it, as far as the kernel tells."""
    try:
        with gzip.open("/proc/config.gz", "rt", encoding="ascii") as file:
            return f"CONFIG_{option}=y\n" in file.read()
    except FileNotFoundError:
        return False


def request(direction, number, size):
    return direction << 30 | size << 16 | 0xBB << 8 | number


NONE, WRITE, READ = 0, 1, 2
IOC_INFO = request(READ, 0, 72)
IOC_SELECT = request(WRITE, 1, 4)
IOC_SEED = request(WRITE, 2, 40)
IOC_RESEED = request(NONE, 3, 0)
IOC_SELFTEST = request(NONE, 4, 0)


# ---- system calls that Python lacks, or repeats after a signal ----

libc = ctypes.CDLL(None, use_errno=True)
_ADDRESS, _SIZE = ctypes.c_void_p, ctypes.c_size_t


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def _declare(name, result, *arguments):
    function = getattr(libc, name)
    function.restype, function.argtypes = result, arguments
    return function


_ioctl = _declare("ioctl", ctypes.c_int, ctypes.c_int, ctypes.c_ulong, _ADDRESS)
_read = _declare("read", ctypes.c_ssize_t, ctypes.c_int, _ADDRESS, _SIZE)
_write = _declare("write", ctypes.c_ssize_t, ctypes.c_int, _ADDRESS, _SIZE)
_readv = _declare("readv", ctypes.c_ssize_t, ctypes.c_int, _ADDRESS, ctypes.c_int)
_preadv = _declare("preadv", ctypes.c_ssize_t, ctypes.c_int, _ADDRESS, ctypes.c_int, ctypes.c_long)
_writev = _declare("writev", ctypes.c_ssize_t, ctypes.c_int, _ADDRESS, ctypes.c_int)
_tee = _declare("tee", ctypes.c_ssize_t, ctypes.c_int, ctypes.c_int, _SIZE, ctypes.c_uint)
_mmap = _declare("mmap", _ADDRESS, _ADDRESS, _SIZE, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_munmap = _declare("munmap", ctypes.c_int, _ADDRESS, _SIZE)
_mprotect = _declare("mprotect", ctypes.c_int, _ADDRESS, _SIZE, ctypes.c_int)
_mremap = _declare("mremap", _ADDRESS, _ADDRESS, _SIZE, _SIZE, ctypes.c_int)
_madvise = _declare("madvise", ctypes.c_int, _ADDRESS, _SIZE, ctypes.c_int)
FAILED = ctypes.c_void_p(-1).value


def checked(result, failed=-1):
    if result == failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def ioctl(fd, number, argument=None):
    """argument: an address, or a ctypes object or a bytearray to point to."""
    if isinstance(argument, bytearray):
        argument = (ctypes.c_char * len(argument)).from_buffer(argument)
    # argument keeps the memory alive during the call
    is_object = isinstance(argument, (ctypes.Structure, ctypes.Array, ctypes._SimpleCData))
    return checked(_ioctl(fd, number, ctypes.addressof(argument) if is_object else argument))


def read_to(fd, address, length):
    return checked(_read(fd, address, length))


def write_from(fd, address, length):
    return checked(_write(fd, address, length))


def iovecs(pairs):
    return (Iovec * len(pairs))(*(Iovec(base, length) for base, length in pairs))


def readv_to(fd, pairs):
    vector = iovecs(pairs)
    return checked(_readv(fd, vector, len(pairs)))


def preadv_to(fd, pairs, offset):
    vector = iovecs(pairs)
    return checked(_preadv(fd, vector, len(pairs), offset))


def writev_from(fd, pairs):
    vector = iovecs(pairs)
    return checked(_writev(fd, vector, len(pairs)))


def tee(source, target, length):
    return checked(_tee(source, target, length, 0))


def load_module(path, parameters=""):
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        number = {"x86_64": 313, "s390x": 344}.get(platform.machine(), 273)
        checked(libc.syscall(number, file, parameters.encode(), 0))
    finally:
        os.close(file)


def unload_module(name):
    number = {"x86_64": 176, "s390x": 129}.get(platform.machine(), 106)
    checked(libc.syscall(number, name.encode(), os.O_NONBLOCK))


class Memory:
    """A mapping whose address is known. fd -1: anonymous."""

    READ, WRITE, NONE = 1, 2, 0
    SHARED, PRIVATE = 1, 2

    def __init__(self, length, protection=3, flags=None, fd=-1, offset=0):
        if flags is None:
            flags = self.PRIVATE
        self.length = length
        self.address = checked(_mmap(None, length, protection, flags | (0x20 if fd < 0 else 0), fd, offset), FAILED)

    def protect(self, protection, offset=0, length=None):
        checked(_mprotect(self.address + offset, self.length - offset if length is None else length, protection))

    def resize(self, length):
        self.address = checked(_mremap(self.address, self.length, length, 1), FAILED)
        self.length = length

    def advise(self, advice):
        checked(_madvise(self.address, self.length, advice))

    def get(self, offset=0, length=None):
        return ctypes.string_at(self.address + offset, self.length - offset if length is None else length)

    def put(self, data, offset=0):
        ctypes.memmove(self.address + offset, data, len(data))

    def close(self):
        if self.address:
            _munmap(self.address, self.length)
            self.address = None


# ---- the ioctls ----

def open_device(flags=os.O_RDWR):
    return os.open(PATH, flags | os.O_CLOEXEC)


def seed_struct(number, seed, nonce=bytes(16), flags=0, reserved=0):
    """The structure and the buffer it points to, which the caller keeps alive."""
    data = ctypes.create_string_buffer(bytes(seed), max(len(seed), 1))
    return Seed(number, flags, ctypes.addressof(data), len(seed), reserved, (ctypes.c_uint8 * 16)(*nonce)), data


def seed(fd, number, seed=b"", nonce=bytes(16), flags=0, reserved=0):
    arguments, keep = seed_struct(number, seed, nonce, flags, reserved)
    ioctl(fd, IOC_SEED, arguments)
    del keep


def info(fd):
    result = Info()
    ctypes.memset(ctypes.addressof(result), 0xA5, ctypes.sizeof(result))
    ioctl(fd, IOC_INFO, result)
    return result


def select_generator(fd, number=0):
    ioctl(fd, IOC_SELECT, ctypes.c_uint32(number))


def reseed(fd):
    ioctl(fd, IOC_RESEED)


def events(fd, timeout=0):
    """What poll reports."""
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLOUT | select.POLLPRI)
    return dict(poll.poll(timeout)).get(fd, 0)


def position(fd):
    return os.lseek(fd, 0, os.SEEK_CUR)


def attribute(name):
    with open(os.path.join(SYSFS, name), encoding="ascii") as file:
        return file.read()


def served_formats():
    try:
        fd = open_device(os.O_RDONLY)
    except OSError:
        return ()
    bits = info(fd).formats
    os.close(fd)
    return tuple(number for number in NAMES if bits >> number & 1)


SERVED = served_formats()
FORWARD = tuple(number for number in SERVED if number not in SEEKABLE)
SEEKABLE_SERVED = tuple(number for number in SERVED if number in SEEKABLE)


# ---- what the streams ought to be ----

class Libcrypto:
    """What `openssl enc` does, without a process a time."""

    def __init__(self):
        self.lib = ctypes.CDLL("libcrypto.so.3")
        for name in ("EVP_CIPHER_CTX_new", "EVP_get_cipherbyname"):
            getattr(self.lib, name).restype = ctypes.c_void_p

    def encrypt(self, cipher, key, iv, data):
        lib = self.lib
        context = ctypes.c_void_p(lib.EVP_CIPHER_CTX_new())
        out, length = ctypes.create_string_buffer(len(data) + 64), ctypes.c_int()
        kind = ctypes.c_void_p(lib.EVP_get_cipherbyname(cipher.encode()))
        assert lib.EVP_EncryptInit_ex(context, kind, None, key, iv) == 1
        lib.EVP_CIPHER_CTX_set_padding(context, 0)
        assert lib.EVP_EncryptUpdate(context, out, ctypes.byref(length), data, len(data)) == 1
        lib.EVP_CIPHER_CTX_free(context)
        assert length.value == len(data)
        return out.raw[:len(data)]


@functools.lru_cache(None)
def libcrypto():
    return Libcrypto()


def _chacha20(key, nonce, offset, length):
    counter = (int.from_bytes(nonce[:8], "little") + offset // 64) % 2**64
    skip = offset % 64
    return libcrypto().encrypt("chacha20", key, counter.to_bytes(8, "little") + nonce[8:], bytes(skip + length))[skip:]


def _aes_ctr(key, nonce, offset, length):
    counter = (int.from_bytes(nonce, "big") + offset // 16) % 2**128
    skip = offset % 16
    return libcrypto().encrypt(f"aes-{8 * len(key)}-ctr", key, counter.to_bytes(16, "big"), bytes(skip + length))[skip:]


def _aes128_le(key, nonce, offset, length):
    start, first, last = int.from_bytes(nonce, "little"), offset // 16, (offset + length + 15) // 16
    blocks = b"".join(((start + i) % 2**128).to_bytes(16, "little") for i in range(first, last))
    return libcrypto().encrypt("aes-128-ecb", key, None, blocks)[offset % 16:][:length]


class Stream:
    """A format with its seed: what to give to SEED, and the bytes to expect."""

    SLOW = (CHACHA12, CHACHA8, TURBOSHAKE256, TURBOSHAKE128, SHAKE256_RATCHET, TURBOSHAKE256_RATCHET)

    def __init__(self, number, seed, nonce=bytes(16), flags=0):
        self.number, self.seed, self.nonce, self.flags = number, seed, nonce, flags

    def key(self):
        return reference.expand(self.number, self.seed) if self.flags & EXPAND else self.seed

    def expected(self, offset, length):
        if not length:
            return b""
        fast = {CHACHA20: _chacha20, AES256_CTR: _aes_ctr, AES128_CTR: _aes_ctr, AES128_LE: _aes128_le}
        if self.number in fast:
            return fast[self.number](self.key(), self.nonce, offset, length)
        return reference.stream(self.number, self.key(), self.nonce, offset, length)

    def sample(self):
        """How much of it is reasonable to compute in Python, under emulation."""
        return 200 if self.number in self.SLOW else 20000

    def start(self, fd):
        seed(fd, self.number, self.seed, self.nonce, self.flags)

    def __repr__(self):
        return f"{NAMES[self.number]} seed={self.seed.hex()} nonce={self.nonce.hex()} flags={self.flags}"


def seed_lengths(number):
    """Lengths of a seed that the format takes."""
    if number in KEY_SIZES:
        return (KEY_SIZES[number],)
    return reference.SEED_SIZES.get(number, (0, 1, 16, 32, 135, 136, 137, 167, 168, 169, 1000, SEED_MAX))


def random_stream(rng, number):
    """Counters are often close to where they carry."""
    nonce = bytes(16)
    if number in SEEKABLE:
        nonce = rng.choice((bytes(16), rng.randbytes(16), rng.randbytes(8) + ONES * 8, ONES * 8 + rng.randbytes(8),
                            b"\xfe" + ONES * 15, ONES * 15 + b"\xfe", b"\xfd\xff\xff\xff" + rng.randbytes(12),
                            rng.randbytes(12) + b"\xff\xff\xff\xfd"))
    return Stream(number, rng.randbytes(rng.choice(seed_lengths(number))), nonce)


# ---- tests ----

def formats(*numbers):
    """A test method with an argument, the format: one test for each that the module serves."""
    def mark(function):
        function.formats = numbers
        return function
    return mark


def in_child(function, uid=None):
    """The result (or failure) of function in a forked process, of another user if uid is given."""
    source, target = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            if uid is not None:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            reply = (True, function())
        except BaseException:
            reply = (False, traceback.format_exc())
        with os.fdopen(target, "wb") as pipe:
            pickle.dump(reply, pipe)
        os._exit(0)
    os.close(target)
    with os.fdopen(source, "rb") as pipe:
        data = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not data:
        raise AssertionError(f"the child ended with status {status}")
    worked, reply = pickle.loads(data)
    if not worked:
        raise AssertionError("in the child:\n" + reply)
    return reply


NOBODY = 65534


class DeviceTest(unittest.TestCase):
    """Files are closed after each test; random choices repeat with DEVICE_SEED."""

    longMessage = True

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name, function in list(vars(cls).items()):
            for number in getattr(function, "formats", ()):
                if number in SERVED:
                    test = functools.partialmethod(function, number)
                    setattr(cls, f"{name}_{NAMES[number].replace('-', '_')}", test)
            if hasattr(function, "formats"):
                delattr(cls, name)

    def setUp(self):
        self.random = random.Random(f"{RANDOM_SEED} {self.id()}")

    def opened(self, flags=os.O_RDWR):
        fd = open_device(flags)
        self.addCleanup(self.close, fd)
        return fd

    @staticmethod
    def close(fd):
        with contextlib.suppress(OSError):
            os.close(fd)

    def seeded(self, stream, flags=os.O_RDWR):
        fd = self.opened(flags)
        stream.start(fd)
        return fd

    def stream(self, number):
        return random_stream(self.random, number)

    def memory(self, *arguments, **named):
        mapping = Memory(*arguments, **named)
        self.addCleanup(mapping.close)
        return mapping

    def pipe(self):
        ends = os.pipe()
        for fd in ends:
            self.addCleanup(self.close, fd)
        return ends

    @contextlib.contextmanager
    def fails(self, *numbers):
        """The block raises an OSError with one of these errnos."""
        names = " or ".join(errno.errorcode[number] for number in numbers)
        got = 0
        try:
            yield
        except OSError as error:
            got = error.errno
        if got not in numbers:
            self.fail(f"wanted {names}, got {errno.errorcode.get(got, got)}" if got else f"wanted {names}; it worked")

    def assertBytes(self, got, expected, what=""):
        if got == expected:
            return
        at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
        self.fail(f"{what}: {len(got)} bytes, {len(expected)} expected; the first difference is at {at}: "
                  f"{got[at:at + 16].hex()}, expected {expected[at:at + 16].hex()}")

    def assertContinues(self, fd, stream, offset):
        """The stream goes on at offset, which is the position."""
        self.assertEqual(info(fd).position, offset, "position")
        length = min(stream.sample(), 300)
        self.assertBytes(os.read(fd, length), stream.expected(offset, length), f"{stream} at {offset}")

    def assertFresh(self, data, what="random bytes"):
        """No 16-byte block occurs twice, and there are about as many ones as zeros."""
        blocks = [data[i:i + 16] for i in range(0, len(data) - 15, 16)]
        self.assertEqual(len(set(blocks)), len(blocks), f"{what}: a block repeats")
        ones = int.from_bytes(data, "little").bit_count()
        # 10 standard deviations
        self.assertLess(abs(ones - 4 * len(data)), 10 * (2 * len(data)) ** 0.5 + 1, f"{what}: {ones} ones")
