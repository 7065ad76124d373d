# SPDX-License-Identifier: GPL-2.0
"""A stream is the same bytes however it is read: by any length, cut, call or program."""

import contextlib
import os
import resource
import socket
import subprocess
from errno import EAGAIN, ESPIPE

import device
from device import NAMES, SECURE, SEEKABLE, DeviceTest, formats

ALL = tuple(NAMES)
LENGTHS = (*range(1101), 4095, 4096, 4097, 65535, 65536, 65537)


def read_all(fd, length):
    """As a careful user reads; nothing here interrupts it, so no read may be short."""
    data = os.read(fd, length)
    if len(data) != length:
        raise AssertionError(f"a read of {length} gave {len(data)}")
    return data


def random_size(rng, limit):
    return min(limit, rng.choice((1, rng.randrange(17), rng.randrange(300), rng.randrange(5000), 4096,
                                  rng.randrange(70000), 136, 168, 512, 64)))


class Lengths(DeviceTest):
    @formats(*ALL)
    def test_consecutive(self, number):
        """Reads of every length, one after the other, are one read."""
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), sum(LENGTHS))
        self.assertBytes(whole[:stream.sample()], stream.expected(0, stream.sample()), repr(stream))
        fd, at = self.seeded(stream), 0
        for length in LENGTHS:
            self.assertBytes(read_all(fd, length), whole[at:at + length], f"{length} bytes at {at} of {stream}")
            at += length

    @formats(*ALL)
    def test_from_the_start(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        whole = read_all(fd, max(LENGTHS))
        for length in LENGTHS:
            if number in SEEKABLE:
                data = os.pread(fd, length, 0)
            else:
                stream.start(fd)
                data = read_all(fd, length)
            self.assertBytes(data, whole[:length], f"{length} bytes of {stream}")


class Cuts(DeviceTest):
    SIZE = 150000

    @formats(*ALL)
    def test_read(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), self.SIZE)
        for _ in range(6):
            fd, at = self.seeded(stream), 0
            while at < self.SIZE:
                data = read_all(fd, random_size(self.random, self.SIZE - at))
                self.assertBytes(data, whole[at:at + len(data)], f"{len(data)} at {at} of {stream}")
                at += len(data)

    @formats(*SEEKABLE)
    def test_pread(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        whole = read_all(fd, self.SIZE)
        for _ in range(200):
            at = self.random.randrange(self.SIZE)
            length = random_size(self.random, self.SIZE - at)
            self.assertBytes(os.pread(fd, length, at), whole[at:at + length], f"{length} at {at} of {stream}")
        self.assertEqual(device.position(fd), self.SIZE, "pread moved the position")

    def buffers(self, limit):
        sizes = []
        while sum(sizes) < limit and len(sizes) < 30:
            sizes.append(random_size(self.random, limit - sum(sizes)))
        return [bytearray(size) for size in sizes]

    @formats(*ALL)
    def test_readv(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), self.SIZE)
        fd, at = self.seeded(stream), 0
        while at < self.SIZE:
            buffers = self.buffers(self.SIZE - at)
            count = os.readv(fd, buffers)
            data = b"".join(buffers)
            self.assertEqual(count, len(data))
            self.assertBytes(data, whole[at:at + count], f"readv at {at} of {stream}")
            at += count
        self.assertEqual(device.position(fd), self.SIZE)

    @formats(*SEEKABLE)
    def test_preadv(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), self.SIZE)
        fd = self.seeded(stream)
        for _ in range(20):
            at = self.random.randrange(self.SIZE)
            buffers = self.buffers(self.SIZE - at)
            count = os.preadv(fd, buffers, at)
            data = b"".join(buffers)
            self.assertEqual(count, len(data))
            self.assertBytes(data, whole[at:at + count], f"preadv at {at} of {stream}")
        self.assertEqual(device.position(fd), 0, "preadv moved the position")


def drain(fd, length):
    """length bytes of a pipe or socket."""
    parts = []
    while length:
        parts.append(os.read(fd, length))
        if not parts[-1]:
            break
        length -= len(parts[-1])
    return b"".join(parts)


class InKernel(DeviceTest):
    """sendfile, splice, tee."""

    def target(self):
        fd = os.open("/tmp", os.O_TMPFILE | os.O_RDWR)
        self.addCleanup(self.close, fd)
        return fd

    @formats(*ALL)
    def test_sendfile(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 400000)
        fd, file, at = self.seeded(stream), self.target(), 0
        for length in (1, 4095, 4096, 4097, 12345, 65536, 200000):
            sent = 0
            while sent < length:
                sent += os.sendfile(file, fd, None, length - sent)
            self.assertEqual(sent, length)
            at += length
            self.assertEqual(device.position(fd), at)
        self.assertBytes(os.pread(file, at, 0), whole[:at], f"sendfile of {stream}")
        self.assertBytes(read_all(fd, 100), whole[at:at + 100], "the read that follows")

    @formats(*SEEKABLE)
    def test_sendfile_at(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 100000)
        fd, (left, right) = self.seeded(stream), socket.socketpair()
        with left, right:
            for at in (0, 1, 4097, 77777):
                sent = os.sendfile(left.fileno(), fd, at, 20000)
                self.assertGreater(sent, 0)
                self.assertBytes(drain(right.fileno(), sent), whole[at:at + sent], f"at {at} of {stream}")
        self.assertEqual(device.position(fd), 0)

    @formats(*ALL)
    def test_splice(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 300000)
        fd, (out, into), at = self.seeded(stream), self.pipe(), 0
        for length in (1, 100, 4096, 4097, 65536, 65536, 3, 50000):
            count = os.splice(fd, into, length)
            self.assertGreater(count, 0)
            self.assertBytes(drain(out, count), whole[at:at + count], f"splice of {length} at {at} of {stream}")
            at += count
        self.assertEqual(device.position(fd), at)
        self.assertBytes(read_all(fd, 100), whole[at:at + 100], "the read that follows")

    @formats(*SEEKABLE)
    def test_splice_at(self, number):
        stream = self.stream(number)
        fd, (out, into) = self.seeded(stream), self.pipe()
        for at in (0, 5, 4095, 2**40 + 1):
            count = os.splice(fd, into, 5000, offset_src=at)
            self.assertBytes(drain(out, count), os.pread(fd, count, at), f"splice at {at} of {stream}")
        self.assertEqual(device.position(fd), 0)

    @formats(*ALL)
    def test_sendfile_to_a_full_socket(self, number):
        """What was read for a socket that has no room is lost to formats that only go forward: no gap is sent."""
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 3000000)
        fd, data, refused = self.seeded(stream), b"", False
        left, right = socket.socketpair()
        self.addCleanup(left.close)
        self.addCleanup(right.close)
        left.setblocking(False)
        right.setblocking(False)
        while len(data) < 2000000 and not refused:
            try:
                while os.sendfile(left.fileno(), fd, None, 300000):
                    pass
            except OSError as error:
                refused = error.errno == ESPIPE
                self.assertIn(error.errno, (EAGAIN, ESPIPE))
            with contextlib.suppress(BlockingIOError):
                while True:
                    data += right.recv(1 << 20)
        self.assertBytes(data, whole[:len(data)], f"sendfile of {stream}")
        self.assertEqual(refused, number not in SEEKABLE)
        if refused:
            # Who knows what that means reads on.
            at = device.position(fd)
            self.assertBytes(os.read(fd, 100), whole[at:at + 100], f"read after sendfile of {stream}")

    @formats(*ALL)
    def test_splice_to_a_full_pipe(self, number):
        """What a pipe has no room for is not lost."""
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 300000)
        fd, (out, into), data = self.seeded(stream), self.pipe(), b""
        os.set_blocking(into, False)
        for _ in range(4):
            with self.fails(11):
                while True:
                    os.splice(fd, into, 30000)
            os.set_blocking(out, False)
            with self.fails(11):
                while True:
                    data += os.read(out, 10000)
        self.assertGreater(len(data), 100000)
        self.assertBytes(data, whole[:len(data)], f"splices of {stream}")
        self.assertEqual(device.position(fd), len(data))

    @formats(*ALL)
    def test_tee(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 20000)
        fd, (out, into), (copy_out, copy_into) = self.seeded(stream), self.pipe(), self.pipe()
        count = os.splice(fd, into, 20000)
        self.assertEqual(device.tee(out, copy_into, count), count)
        self.assertBytes(drain(out, count), whole[:count], "the original")
        self.assertBytes(drain(copy_out, count), whole[:count], "the copy")

    @formats(*SECURE)
    def test_secure(self, number):
        fd, (out, into), (copy_out, copy_into) = self.opened(), self.pipe(), self.pipe()
        device.select_generator(fd, number)
        data = b""
        for length in (1, 256, 4097, 65536):
            count = os.splice(fd, into, length)
            self.assertEqual(device.tee(out, copy_into, count), count)
            part = drain(out, count)
            self.assertBytes(drain(copy_out, count), part, "the copy")
            data += part
        file = self.target()
        count = 0
        while count < 200000:
            count += os.sendfile(file, fd, None, 200000 - count)
        self.assertEqual(os.fstat(file).st_size, 200000)
        data += os.pread(file, 200000, 0)
        self.assertFresh(data)
        self.assertEqual(device.position(fd), 0)


class Programs(DeviceTest):
    """A shell's redirections hand a seeded descriptor on."""

    def output(self, command, fd=None):
        done = subprocess.run(["/bin/bash", "-c", command], stdin=fd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stderr.decode()}")
        return done.stdout

    @formats(device.CHACHA20, device.SHAKE128)
    def test_seeded(self, number):
        stream = self.stream(number)
        whole = read_all(self.seeded(stream), 300000)
        for command, start, length in (
                ("head -c 100000", 0, 100000),
                ("exec 3<&0; cat <&3 | head -c 70000", 0, 70000),
                ("dd bs=777 count=9 status=none", 0, 6993),
                ("dd bs=1000 count=7 iflag=skip_bytes skip=12345 status=none", 12345, 7000),
                ("dd bs=64K count=2 skip=1 iflag=fullblock status=none", 65536, 131072),
                ("dd bs=100 count=1 status=none; head -c 50; dd bs=1 count=3 status=none", 0, 153)):
            fd = self.seeded(stream)
            self.assertBytes(self.output(command, fd), whole[start:start + length], f"{command}, {stream}")

    @formats(device.CHACHA20, device.SHAKE128)
    def test_position_after_programs(self, number):
        """dd reads no more than it was told, so the next program goes on where it stopped."""
        stream = self.stream(number)
        fd = self.seeded(stream)
        self.output("dd bs=1000 count=3 status=none of=/dev/null", fd)
        self.assertEqual(device.position(fd), 3000)
        self.assertEqual(device.info(fd).position, 3000)

    def test_secure(self):
        for command, length in (
                ("head -c 100000 /dev/shakerandom", 100000),
                ("cat /dev/shakerandom | head -c 70000", 70000),
                ("dd if=/dev/shakerandom bs=1000 count=7 iflag=skip_bytes skip=12345 status=none", 7000),
                ("dd if=/dev/shakerandom bs=64K count=3 skip=2 iflag=fullblock status=none", 196608),
                ("exec 3</dev/shakerandom; head -c 5000 <&3; head -c 5000 <&3", 10000)):
            data = self.output(command)
            self.assertEqual(len(data), length, command)
            self.assertFresh(data, command)

    def test_copy(self):
        """cp fills whatever it is given."""
        name = f"/tmp/copy-{os.getpid()}"
        self.addCleanup(os.unlink, name)
        done = subprocess.run(
            ["cp", device.PATH, name], stderr=subprocess.PIPE, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        self.assertNotEqual(done.returncode, 0)
        with open(name, "rb") as file:
            data = file.read()
        self.assertEqual(len(data), 1 << 20, done.stderr.decode())
        self.assertFresh(data)

    def test_new_open_of_a_seeded_descriptor(self):
        """/dev/fd/N opens the device afresh: secure mode."""
        stream = self.stream(device.CHACHA20)
        fd = self.seeded(stream)
        self.assertNotEqual(self.output("head -c 64 /dev/fd/0", fd), stream.expected(0, 64))
        self.assertEqual(device.position(fd), 0)
