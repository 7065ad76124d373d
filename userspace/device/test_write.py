# SPDX-License-Identifier: GPL-2.0
"""What write does: mixes in secure mode, verifies a stream, absorbs a message."""

import errno
import os
import subprocess
from errno import EFAULT, EILSEQ, EINVAL, ESPIPE

import device
from device import (ABSORB, ABSORBING, CHACHA20, NAMES, NOBODY, PAGE, SEEDED, SEEKABLE, SHAKE128, SHAKE256,
                    TURBOSHAKE128, TURBOSHAKE256, XOFS, DeviceTest, Memory, formats)

ALL = tuple(NAMES)
RATE = {SHAKE256: 136, SHAKE128: 168, TURBOSHAKE256: 136, TURBOSHAKE128: 168}


class Mix(DeviceTest):
    def test_any_user_any_size(self):
        def use():
            fd = device.open_device()
            for length in (0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 65536, 100001, 1 << 20):
                self.assertEqual(os.write(fd, bytes(length)), length)
                self.assertEqual(os.pwrite(fd, bytes(length), 12345), length)
            self.assertEqual(os.writev(fd, [b"abc", b"", bytes(5000), b"d"]), 5004)
            self.assertEqual(device.position(fd), 0)
            return os.read(fd, 5000)
        self.assertFresh(device.in_child(use, NOBODY))

    def test_write_only(self):
        fd = self.opened(os.O_WRONLY)
        self.assertEqual(os.write(fd, b"hello"), 5)
        with self.fails(errno.EBADF):
            os.read(fd, 1)
        fd = self.opened(os.O_RDONLY)
        with self.fails(errno.EBADF):
            os.write(fd, b"hello")

    def test_same_input_other_output(self):
        seen = set()
        for _ in range(3):
            fd = self.opened()
            os.write(fd, b"the same each time")
            device.reseed(fd)
            seen.add(os.read(fd, 32))
        self.assertEqual(len(seen), 3)

    def test_programs(self):
        for command in ("echo hello > /dev/shakerandom", "head -c 300000 /dev/zero > /dev/shakerandom",
                        "dd if=/dev/zero of=/dev/shakerandom bs=1000 count=100 status=none",
                        "head -c 100000 /dev/zero | cat > /dev/shakerandom", "cp /etc/passwd /dev/shakerandom"):
            done = subprocess.run(["/bin/bash", "-c", command], stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)

    def test_splice_in(self):
        fd, (out, into) = self.opened(), self.pipe()
        os.write(into, bytes(50000))
        self.assertEqual(os.splice(out, fd, 50000), 50000)

    def test_fault(self):
        memory = self.memory(2 * PAGE)
        memory.protect(0, PAGE)
        fd = self.opened()
        for before in (1, 255, 300, PAGE):
            count = device.write_from(fd, memory.address + PAGE - before, 2 * PAGE - 10 - PAGE + before)
            self.assertEqual(count, before)
        with self.fails(EFAULT):
            device.write_from(fd, memory.address + PAGE, 10)

    def test_no_credit(self):
        with open("/proc/sys/kernel/random/entropy_avail", encoding="ascii") as file:
            before = int(file.read())
        os.write(self.opened(), bytes(100000))
        with open("/proc/sys/kernel/random/entropy_avail", encoding="ascii") as file:
            self.assertLessEqual(int(file.read()), max(before, 256))


class Verify(DeviceTest):
    @formats(*ALL)
    def test_match(self, number):
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 300000)
        fd, at = self.seeded(stream), 0
        for length in (1, 7, 8, 9, 255, 256, 257, 4095, 4096, 4097, 65536, 100000):
            self.assertEqual(os.write(fd, whole[at:at + length]), length)
            at += length
            self.assertEqual(device.position(fd), at)
        self.assertBytes(os.read(fd, 1000), whole[at:at + 1000], "the read that follows")
        at += 1000
        self.assertEqual(os.writev(fd, [whole[at:at + 10], b"", whole[at + 10:at + 9000]]), 9000)

    @formats(*ALL)
    def test_mismatch(self, number):
        """The count before it; at it, EILSEQ, as often as one likes; with the right byte it goes on."""
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 30000)
        for good in (1, 2, 7, 8, 9, 15, 63, 64, 255, 256, 300, 4095, 4096, 4097, 9000, 20000):
            for start in (0, 1, 4090):
                fd = self.seeded(stream)
                os.read(fd, start)
                data = bytearray(whole[start:])
                data[good] ^= 1 << self.random.randrange(8)
                self.assertEqual(os.write(fd, data), good)
                self.assertEqual(device.position(fd), start + good)
                for length in (1, 8, 5000):
                    with self.fails(EILSEQ):
                        os.write(fd, data[good:good + length])
                    self.assertEqual(device.info(fd).position, start + good)
                end = start + good
                self.assertEqual(os.write(fd, whole[end:end + 10]), 10)
                self.assertBytes(os.read(fd, 100), whole[end + 10:end + 110], f"{stream}, after {end}")
                os.close(fd)

    @formats(*ALL)
    def test_short_mismatch(self, number):
        """Every place of a mismatch in a short write."""
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 200)
        for length in (1, 8, 17, 64, 137):
            for bad in range(length):
                fd = self.seeded(stream)
                data = bytearray(whole[:length])
                data[bad] ^= 0x80
                if bad:
                    self.assertEqual(os.write(fd, data), bad)
                else:
                    with self.fails(EILSEQ):
                        os.write(fd, data)
                self.assertEqual(device.position(fd), bad)
                self.assertBytes(os.read(fd, 20), whole[bad:bad + 20], f"{stream} after {bad}")
                os.close(fd)

    @formats(*SEEKABLE)
    def test_at_an_offset(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        for offset in (0, 1, 4095, 2**40 + 3):
            data = bytearray(os.pread(fd, 5000, offset))
            self.assertEqual(os.pwrite(fd, data, offset), 5000)
            data[4321] ^= 1
            self.assertEqual(os.pwrite(fd, data, offset), 4321)
            with self.fails(EILSEQ):
                os.pwrite(fd, data[4321:], offset + 4321)
            os.lseek(fd, offset, os.SEEK_SET)
            self.assertEqual(os.write(fd, data), 4321)
            self.assertEqual(device.position(fd), offset + 4321)
            os.lseek(fd, 0, os.SEEK_SET)
        self.assertEqual(device.position(fd), 0)

    @formats(*SEEKABLE)
    def test_the_end(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        data = os.pread(fd, 100, device.LAST - 100)
        os.lseek(fd, -100 + device.LAST, os.SEEK_SET)
        with self.fails(EINVAL, errno.EFBIG, errno.EOVERFLOW):
            os.write(fd, data + b"x")
        self.assertEqual(os.write(fd, data), 100)
        self.assertEqual(device.position(fd), device.LAST)

    @formats(*ALL)
    def test_fault(self, number):
        """Matched bytes before a fault count; the position is after them, exactly."""
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 30000)
        memory = self.memory(3 * PAGE)
        for before in (1, 100, 256, 257, PAGE, PAGE + 1):
            for start in (0, 4000):
                memory.protect(Memory.READ | Memory.WRITE)
                memory.put(whole[start:start + before], 2 * PAGE - before)
                memory.protect(0, 2 * PAGE)
                fd = self.seeded(stream)
                os.read(fd, start)
                self.assertEqual(device.write_from(fd, memory.address + 2 * PAGE - before, before + 500), before)
                with self.fails(EFAULT):
                    device.write_from(fd, memory.address + 2 * PAGE, 100)
                self.assertEqual(device.info(fd).position, start + before)
                end = start + before
                self.assertBytes(os.read(fd, 200), whole[end:end + 200], f"{stream} after {end}")

    @formats(CHACHA20, SHAKE128)
    def test_splice_in(self, number):
        stream = self.stream(number)
        whole = os.read(self.seeded(stream), 60000)
        fd, (out, into) = self.seeded(stream), self.pipe()
        os.write(into, whole[:50000])
        self.assertEqual(os.splice(out, fd, 50000), 50000)
        self.assertEqual(device.position(fd), 50000)
        bad = bytearray(whole[50000:])
        bad[6000] ^= 1
        os.write(into, bad)
        matched = 0
        while matched < 6000:
            matched += os.splice(out, fd, 10000)
        self.assertEqual(matched, 6000)
        with self.fails(EILSEQ):
            os.splice(out, fd, 10000)
        self.assertEqual(device.position(fd), 56000)

    @formats(CHACHA20, device.AES256_CTR, SHAKE128)
    def test_programs(self, number):
        """cat verifies a file: its success says that it matches."""
        stream = self.stream(number)
        whole = bytearray(os.read(self.seeded(stream), 300000))
        name = f"/tmp/verify-{os.getpid()}"
        self.addCleanup(os.unlink, name)

        def cat(command):
            with open(name, "wb") as file:
                file.write(whole)
            fd = self.seeded(stream)
            done = subprocess.run(command, stdout=fd, stderr=subprocess.PIPE, shell=True, check=False)
            return done.returncode, device.position(fd)
        for command in (f"cat {name}", f"dd if={name} bs=12345 status=none", f"cat < {name}"):
            self.assertEqual(cat(command), (0, 300000), command)
        whole[222222] ^= 4
        self.assertEqual(cat(f"cat {name}"), (1, 222222))


class Absorb(DeviceTest):
    def expected(self, number, message, length=300):
        return device.reference.stream(number, message, length=length)

    def absorbing(self, number, start=b""):
        fd = self.opened()
        device.seed(fd, number, start, flags=ABSORB)
        return fd

    def write_cut(self, fd, message):
        at = 0
        while at < len(message):
            length = self.random.choice((1, self.random.randrange(1, 300), 136, 168, self.random.randrange(1, 20000)))
            at += os.write(fd, message[at:at + length])

    @formats(*XOFS)
    def test_lengths(self, number):
        rate = RATE[number]
        lengths = [0, 1, rate - 1, rate, rate + 1, 2 * rate - 1, 4097]
        if number in (SHAKE256, SHAKE128):
            lengths += [rate - 2, 2 * rate, 4096, 10000]
        for length in lengths:
            message = self.random.randbytes(length)
            for first in {0, 1, min(length, rate), min(length, device.SEED_MAX)}:
                fd = self.absorbing(number, message[:first])
                self.write_cut(fd, message[first:])
                self.assertEqual(device.info(fd).mode, ABSORBING)
                self.assertBytes(os.read(fd, 300), self.expected(number, message), f"message of {length}, {first}")
                seen = device.info(fd)
                self.assertEqual((seen.mode, seen.format, seen.position), (SEEDED, number, 300))
                os.close(fd)

    @formats(SHAKE256, SHAKE128)
    def test_long_message(self, number):
        message = b"a" * 1000000
        fd = self.absorbing(number)
        self.assertEqual(os.write(fd, message), len(message))
        self.assertBytes(os.read(fd, 20000), self.expected(number, message, 20000), "one write")
        fd = self.absorbing(number, message[:1000])
        self.write_cut(fd, message[1000:])
        self.assertBytes(os.read(fd, 300), self.expected(number, message), "many")

    @formats(*XOFS)
    def test_then_it_verifies(self, number):
        fd = self.absorbing(number, b"one ")
        os.write(fd, b"two")
        wanted = self.expected(number, b"one two")
        self.assertBytes(os.read(fd, 10), wanted[:10], "read")
        self.assertEqual(os.write(fd, wanted[10:110]), 100)
        with self.fails(EILSEQ):
            os.write(fd, bytes([wanted[110] ^ 1]))
        self.assertEqual(os.write(fd, wanted[110:115] + b"xxxxx" if wanted[115:116] != b"x" else wanted[110:115]), 5)
        self.assertBytes(os.read(fd, 100), wanted[115:215], "read")

    @formats(*XOFS)
    def test_without_the_flag_it_verifies(self, number):
        fd = self.opened()
        device.seed(fd, number, b"abc")
        wanted = self.expected(number, b"abc")
        self.assertEqual(device.info(fd).mode, SEEDED)
        with self.fails(EILSEQ):
            os.write(fd, bytes([wanted[0] ^ 1]))
        self.assertEqual(os.write(fd, wanted[:50]), 50)

    @formats(SHAKE256, SHAKE128)
    def test_other_calls(self, number):
        message = self.random.randbytes(30000)
        fd, (out, into) = self.absorbing(number, message[:10]), self.pipe()
        copy = os.dup(fd)
        self.addCleanup(self.close, copy)
        os.write(into, message[10:20000])
        self.assertEqual(os.splice(out, fd, 19990), 19990)
        self.assertEqual(os.writev(copy, [message[20000:20001], b"", message[20001:25000]]), 5000)
        self.assertEqual(device.in_child(lambda: os.write(fd, message[25000:])), 5000)
        self.assertEqual(device.position(fd), 0)
        self.assertEqual(device.info(copy).mode, ABSORBING)
        self.assertBytes(os.read(copy, 300), self.expected(number, message), "message")

    @formats(SHAKE256, SHAKE128)
    def test_positions(self, number):
        fd = self.absorbing(number, b"a")
        with self.fails(ESPIPE):
            os.pread(fd, 10, 1)
        with self.fails(ESPIPE):
            os.pwrite(fd, b"no", 1)
        with self.fails(ESPIPE):
            os.lseek(fd, 1, os.SEEK_SET)
        self.assertEqual(os.pwrite(fd, b"b", 0), 1)
        self.assertEqual(os.write(fd, b"c"), 1)
        self.assertEqual(device.info(fd).mode, ABSORBING)
        self.assertBytes(os.pread(fd, 300, 0), self.expected(number, b"abc"), "pread")

    @formats(SHAKE256, SHAKE128)
    def test_fault(self, number):
        """What could be read of the source is part of the message, and is what the count says."""
        memory = self.memory(2 * PAGE)
        memory.put(self.random.randbytes(PAGE))
        text = memory.get(0, PAGE)
        memory.protect(0, PAGE)
        for before in (1, 137, 300, PAGE):
            fd = self.absorbing(number, b"start")
            count = device.write_from(fd, memory.address + PAGE - before, before + 300)
            self.assertEqual(count, before)
            with self.fails(EFAULT):
                device.write_from(fd, memory.address + PAGE, 10)
            os.write(fd, b"end")
            self.assertBytes(os.read(fd, 300), self.expected(number, b"start" + text[PAGE - before:] + b"end"),
                             f"{before} bytes before the fault")

    @formats(SHAKE256, SHAKE128)
    def test_again(self, number):
        fd = self.absorbing(number, b"a")
        os.write(fd, b"b")
        device.seed(fd, number, b"c", flags=ABSORB)
        os.write(fd, b"d")
        self.assertBytes(os.read(fd, 300), self.expected(number, b"cd"), "SEED forgets the message")
        device.seed(fd, number, b"e", flags=ABSORB)
        device.select_generator(fd)
        self.assertEqual(os.write(fd, b"mixed"), 5)
        self.assertNotEqual(os.read(fd, 64), self.expected(number, b"emixed", 64))

    @formats(SHAKE128)
    def test_programs(self, number):
        """The hash of a file by redirections alone."""
        with open("/etc/services" if os.path.exists("/etc/services") else device.__file__, "rb") as file:
            text = file.read()
            file.seek(0)
            fd = self.absorbing(number)
            subprocess.run(["cat"], stdin=file, stdout=fd, check=True)
        done = subprocess.run(["head", "-c", "64"], stdin=fd, stdout=subprocess.PIPE, check=True)
        self.assertBytes(done.stdout, self.expected(number, text, 64), "cat file >&3; head -c 64 <&3")
