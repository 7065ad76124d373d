# SPDX-License-Identifier: GPL-2.0
"""The ioctls: results, sizes, every error, and that an error changes nothing."""

import ctypes
import os
from errno import E2BIG, EFAULT, EINVAL, ENOTTY, EPERM

import device
from device import (ABSORB, ABSORBING, CHACHA20, EXPAND, EXPANDABLE, IOC_INFO, IOC_RESEED, IOC_SEED, IOC_SELECT,
                    IOC_SELFTEST, NAMES, NOBODY, NONE, ONES, PAGE, RANDOM, READ, SECURE, SEEDED, SHAKE128,
                    SHAKE256, SHAKE256_CTR, SHAKE256_RATCHET, WRITE, XOFS, DeviceTest, Info, Seed, formats, request)

ALL = tuple(NAMES)
TOO_LARGE = 16383       # the most an ioctl number can say


def raw(structure):
    return bytearray(bytes(structure))


class Header(DeviceTest):
    def test_sizes(self):
        self.assertEqual((ctypes.sizeof(Seed), ctypes.sizeof(Info)), (40, 72))
        self.assertEqual((IOC_INFO, IOC_SELECT, IOC_SEED, IOC_RESEED, IOC_SELFTEST),
                         (0x8048BB00, 0x4004BB01, 0x4028BB02, 0xBB03, 0xBB04))


class InfoCall(DeviceTest):
    def check_common(self, seen):
        self.assertEqual(seen.abi_version, 1)
        self.assertIn(seen.default_format, SECURE)
        self.assertGreater(seen.generation, 0)
        # tests of a format that is not served would be gone, not failed
        self.assertEqual(seen.formats, sum(1 << number for number in device.NAMES))
        self.assertEqual(seen.version.decode(), device.attribute("version").strip())
        self.assertTrue(seen.backend)

    def chosen(self, primitive):
        return device.attribute("backends/" + primitive).split("[")[1].split("]")[0].encode()

    def test_as_opened(self):
        seen = device.info(self.opened())
        self.check_common(seen)
        self.assertEqual((seen.mode, seen.position), (RANDOM, 0))
        self.assertEqual(seen.format, seen.default_format)
        self.assertEqual(NAMES[seen.default_format], device.attribute("algorithm").strip())

    @formats(*SECURE)
    def test_selected(self, number):
        fd = self.opened()
        device.select_generator(fd, number)
        os.read(fd, 1000)
        seen = device.info(fd)
        self.check_common(seen)
        self.assertEqual((seen.mode, seen.format, seen.position), (RANDOM, number, 0))

    @formats(*ALL)
    def test_seeded(self, number):
        fd = self.seeded(self.stream(number))
        for at in (0, 1, 4098):
            os.read(fd, at - device.info(fd).position)
            seen = device.info(fd)
            self.check_common(seen)
            self.assertEqual((seen.mode, seen.format, seen.position), (SEEDED, number, at))

    @formats(*XOFS)
    def test_absorbing(self, number):
        fd = self.opened()
        device.seed(fd, number, b"abc", flags=ABSORB)
        seen = device.info(fd)
        self.check_common(seen)
        self.assertEqual((seen.mode, seen.format, seen.position), (ABSORBING, number, 0))

    @formats(*EXPANDABLE)
    def test_backend(self, number):
        """It is the variant in brackets in sysfs."""
        primitive = "chacha" if NAMES[number].startswith("chacha") else "aes"
        self.assertEqual(device.info(self.seeded(self.stream(number))).backend, self.chosen(primitive))

    def test_every_size(self):
        """A reply is cut or followed by zeros; nothing is written past it."""
        fd = self.seeded(self.stream(CHACHA20))
        os.read(fd, 5)
        whole = bytes(device.info(fd))
        for size in (*range(1, 81), 100, 4096, TOO_LARGE):
            buffer = bytearray(b"\xa5" * (size + 64))
            device.ioctl(fd, request(READ, 0, size), buffer)
            wanted = whole[:size] + bytes(max(size - len(whole), 0))
            self.assertBytes(bytes(buffer), wanted + b"\xa5" * 64, f"size {size}")

    def test_bad_address(self):
        fd = self.opened()
        memory = self.memory(2 * PAGE)
        memory.protect(0, PAGE)
        for address in (0, 16, memory.address + PAGE, memory.address + PAGE - 8, 2**64 - 8, 2**63):
            with self.subTest(address=hex(address)), self.fails(EFAULT):
                device.ioctl(fd, IOC_INFO, address)

    def test_read_only_file(self):
        """INFO, SELECT and SEED work on any open file."""
        stream = self.stream(CHACHA20)
        fd = self.opened(os.O_RDONLY)
        device.select_generator(fd, SHAKE256)
        self.assertEqual(device.info(fd).format, SHAKE256)
        stream.start(fd)
        self.assertContinues(fd, stream, 0)


class Unknown(DeviceTest):
    def test_numbers(self):
        stream = self.stream(CHACHA20)
        fd = self.seeded(stream)
        os.read(fd, 100)
        memory = self.memory(1 << 16)
        numbers = [request(direction, number, size) for direction in range(4) for number in (5, 6, 7, 77, 255)
                   for size in (0, 4, 40, 72)]
        # known numbers with another direction, and other magics
        numbers += [request(WRITE, 0, 72), request(NONE, 0, 0), request(READ, 2, 40), request(3, 2, 40),
                    request(READ, 1, 4), request(3, 0, 72)]
        numbers += [IOC_INFO ^ 0x100, IOC_SEED ^ 0xff00, 0x5401, 0x5201, 0x5207, 0]
        for number in numbers:
            with self.subTest(hex(number)), self.fails(ENOTTY):
                device.ioctl(fd, number, memory.address)
        self.assertContinues(fd, stream, 100)


class Select(DeviceTest):
    def test_errors(self):
        stream = self.stream(CHACHA20)
        fd = self.seeded(stream)
        os.read(fd, 100)
        for number in (2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 100, 2**32 - 1, 2**31):
            with self.subTest(number=number), self.fails(EINVAL):
                device.select_generator(fd, number)
        for size, at in ((5, 4), (8, 7), (4096, 4095), (TOO_LARGE, 4)):
            argument = bytearray(size)
            argument[at] = 1
            with self.subTest(size=size), self.fails(E2BIG):
                device.ioctl(fd, request(WRITE, 1, size), argument)
        for address in (0, 16, 2**63):
            with self.subTest(address=address), self.fails(EFAULT):
                device.ioctl(fd, IOC_SELECT, address)
        self.assertContinues(fd, stream, 100)

    def test_errors_in_secure_mode(self):
        fd = self.opened()
        device.select_generator(fd, SHAKE256)
        with self.fails(EINVAL):
            device.select_generator(fd, SHAKE128)
        self.assertEqual(device.info(fd).format, SHAKE256)

    def test_sizes(self):
        fd = self.opened()
        for size in (1, 2, 3, 4, 5, 8, 100, TOO_LARGE):
            for number in (*SECURE, 0):
                device.select_generator(fd, SHAKE256 if number == CHACHA20 else CHACHA20)
                argument = bytearray(size)
                argument[0] = number
                if os.sys.byteorder == "big" and size < 4:
                    continue
                device.ioctl(fd, request(WRITE, 1, size), argument)
                self.assertEqual(device.info(fd).format, number or device.info(fd).default_format)


class SeedErrors(DeviceTest):
    """Each leaves the file as it was, in every mode it can be in."""

    def files(self):
        """(file, a check that it is as it was)"""
        seekable, forward = self.stream(SHAKE256_CTR), self.stream(SHAKE256)
        fd = self.seeded(seekable)
        os.lseek(fd, 12345, os.SEEK_SET)
        yield fd, lambda fd=fd: self.assertContinues(fd, seekable, 12345)
        fd2 = self.seeded(forward)
        os.read(fd2, 777)
        yield fd2, lambda: self.assertContinues(fd2, forward, 777)
        fd3 = self.opened()
        device.seed(fd3, SHAKE128, b"abc", flags=ABSORB)
        os.write(fd3, b"def")
        yield fd3, lambda: self.check_absorbing(fd3)
        fd4 = self.opened()
        device.select_generator(fd4, SHAKE256)
        yield fd4, lambda: self.check_secure(fd4)

    def check_absorbing(self, fd):
        self.assertEqual(device.info(fd).mode, ABSORBING)
        self.assertEqual(os.write(fd, b"ghi"), 3)
        self.assertBytes(os.read(fd, 50), device.reference.stream(SHAKE128, b"abcdefghi", length=50), "absorbed")

    def check_secure(self, fd):
        seen = device.info(fd)
        self.assertEqual((seen.mode, seen.format), (RANDOM, SHAKE256))
        self.assertFresh(os.read(fd, 500))

    def check(self, cases, *numbers):
        """cases: (what, arguments of device.seed)"""
        for fd, unchanged in self.files():
            for what, arguments in cases:
                with self.subTest(what), self.fails(*numbers):
                    device.seed(fd, *arguments)
            unchanged()

    def test_unknown_format(self):
        unknown = [number for number in (*range(64), 2**31, 2**32 - 1) if number not in device.SERVED]
        self.check([(f"format {n}, {length} bytes", (n, bytes(length))) for n in unknown for length in (16, 32)],
                   EINVAL)

    def test_flags(self):
        cases = [(f"flags {flags:#x}", (number, bytes(32), bytes(16), flags))
                 for number in (CHACHA20, SHAKE256, SHAKE256_CTR)
                 for flags in (4, 8, 0x80000000, 5, 6, 7, 0xffffffff, 1 << 16)]
        cases += [(f"both flags, {number}", (number, bytes(32), bytes(16), EXPAND | ABSORB))
                  for number in device.SERVED]
        cases += [(f"EXPAND {NAMES[number]}", (number, bytes(device.seed_lengths(number)[-1]), bytes(16), EXPAND))
                  for number in device.SERVED if number not in EXPANDABLE]
        cases += [(f"ABSORB {NAMES[number]}", (number, bytes(device.seed_lengths(number)[-1]), bytes(16), ABSORB))
                  for number in device.SERVED if number not in XOFS]
        self.check(cases, EINVAL)

    def test_seed_length(self):
        cases = []
        for number in device.SERVED:
            right = device.seed_lengths(number)
            wrong = {4097, 4098, 65536}
            if max(right) < 4096:
                wrong |= {0, 1, 15, 17, 31, 33, 64, 135, 137, 4096} | {16, 24, 32, 136} - set(right)
            cases += [(f"{NAMES[number]} with {length}", (number, bytes(length))) for length in sorted(wrong)]
        cases += [(f"expanding {length}", (CHACHA20, bytes(length), bytes(16), EXPAND)) for length in (4097, 10000)]
        cases += [("absorbing 4097", (SHAKE256, bytes(4097), bytes(16), ABSORB))]
        self.check(cases, EINVAL)

    def test_huge_length(self):
        """The length is looked at before memory is."""
        for fd, unchanged in self.files():
            for length in (2**31, 2**32 - 1):
                arguments, keep = device.seed_struct(SHAKE256, b"abc")
                arguments.seed_len = length
                with self.fails(EINVAL):
                    device.ioctl(fd, IOC_SEED, arguments)
            unchanged()

    def test_reserved(self):
        self.check([(f"reserved {value}", (number, bytes(32), bytes(16), 0, value))
                    for number in (CHACHA20, SHAKE256) for value in (1, 2**31)], EINVAL)

    def test_nonce(self):
        """Formats without one want zeros, every byte of it."""
        cases = [(f"{NAMES[number]}, byte {at}", (number, bytes(device.seed_lengths(number)[-1]),
                                                  bytes(at) + ONES[:1] + bytes(15 - at)))
                 for number in device.FORWARD for at in range(16)]
        self.check(cases, EINVAL)

    def test_too_big(self):
        arguments, keep = device.seed_struct(CHACHA20, bytes(32))
        for fd, unchanged in self.files():
            for size, at in ((41, 40), (44, 43), (48, 40), (4096, 4095), (TOO_LARGE, TOO_LARGE - 1)):
                longer = raw(arguments) + bytes(size - 40)
                longer[at] = 1
                with self.subTest(size=size), self.fails(E2BIG):
                    device.ioctl(fd, request(WRITE, 2, size), longer)
            unchanged()

    def test_struct_fault(self):
        memory = self.memory(2 * PAGE)
        memory.protect(0, PAGE)
        arguments, keep = device.seed_struct(SHAKE256, b"")
        memory.put(bytes(arguments)[:39], PAGE - 39)
        longer = self.memory(2 * PAGE)
        longer.protect(0, PAGE)
        longer.put(bytes(arguments), PAGE - 104)
        for fd, unchanged in self.files():
            for address in (0, 8, memory.address + PAGE, memory.address + PAGE - 39, 2**63, 2**64 - 40):
                with self.subTest(hex(address)), self.fails(EFAULT):
                    device.ioctl(fd, IOC_SEED, address)
            # the known part is there, a longer structure is not
            with self.fails(EFAULT):
                device.ioctl(fd, request(WRITE, 2, 200), longer.address + PAGE - 104)
            unchanged()

    def test_seed_fault(self):
        memory = self.memory(2 * PAGE)
        memory.protect(0, PAGE)
        for fd, unchanged in self.files():
            for address in (0, 8, memory.address + PAGE, memory.address + PAGE - 31, 2**63, 2**64 - 16):
                arguments = Seed(CHACHA20, 0, address, 32)
                with self.subTest(hex(address)), self.fails(EFAULT):
                    device.ioctl(fd, IOC_SEED, arguments)
            unchanged()

    def test_not_allowed(self):
        name = device.PARAMETERS + "/allow_seeding"
        with open(name, encoding="ascii") as file:
            before = file.read()

        def allow(value):
            with open(name, "w", encoding="ascii") as file:
                file.write(value)
        self.addCleanup(allow, before)
        stream = self.stream(CHACHA20)
        for fd, unchanged in self.files():
            allow("0")
            for what in (stream, self.stream(SHAKE256)):
                with self.fails(EPERM):
                    what.start(fd)
            device.ioctl(fd, IOC_INFO, Info())
            unchanged()
            device.select_generator(fd)
            allow("1")
            stream.start(fd)
            self.assertContinues(fd, stream, 0)

    def test_only_root_allows(self):
        name = device.PARAMETERS + "/allow_seeding"
        self.assertEqual(os.stat(name).st_mode & 0o777, 0o644)


class SeedSizes(DeviceTest):
    def test_longer_with_zeros(self):
        stream = self.stream(CHACHA20)
        arguments, keep = device.seed_struct(stream.number, stream.seed, stream.nonce)
        fd = self.opened()
        for size in (41, 48, 100, 4096, 8192, TOO_LARGE):
            device.select_generator(fd)
            device.ioctl(fd, request(WRITE, 2, size), raw(arguments) + bytes(size - 40))
            self.assertContinues(fd, stream, 0)

    @formats(CHACHA20, SHAKE256)
    def test_shorter_is_followed_by_zeros(self, number):
        seed = self.random.randbytes(32)
        fd = self.opened()
        for size in (24, 25, 32, 39):
            nonce = bytes(16)
            if number == CHACHA20:
                nonce = self.random.randbytes(size - 24) + bytes(40 - size)
            arguments, keep = device.seed_struct(number, seed, nonce)
            # whatever lies behind it is not looked at
            buffer = raw(arguments)[:size] + ONES * 4
            device.select_generator(fd)
            device.ioctl(fd, request(WRITE, 2, size), buffer)
            self.assertContinues(fd, device.Stream(number, seed, nonce), 0)

    def test_much_shorter(self):
        """8 bytes say: format 8, no flags, no seed."""
        fd = self.opened()
        device.ioctl(fd, request(WRITE, 2, 8), raw(Seed(SHAKE256)))
        self.assertContinues(fd, device.Stream(SHAKE256, b""), 0)
        with self.fails(EINVAL):
            device.ioctl(fd, request(WRITE, 2, 8), raw(Seed(CHACHA20)))

    def test_no_seed_no_address(self):
        fd = self.opened()
        for address in (0, 1, 2**63, 2**64 - 1):
            device.ioctl(fd, IOC_SEED, Seed(SHAKE256, 0, address, 0))
            self.assertContinues(fd, device.Stream(SHAKE256, b""), 0)

    def test_seed_at_a_page_end(self):
        memory = self.memory(2 * PAGE)
        memory.protect(0, PAGE)
        seed = self.random.randbytes(SHAKE256_SEED)
        memory.put(seed, PAGE - len(seed))
        fd = self.opened()
        device.ioctl(fd, IOC_SEED, Seed(SHAKE256, 0, memory.address + PAGE - len(seed), len(seed)))
        self.assertContinues(fd, device.Stream(SHAKE256, seed), 0)

    def test_input_is_not_written(self):
        stream = self.stream(SHAKE256_CTR)
        arguments, keep = device.seed_struct(stream.number, stream.seed, stream.nonce)
        before = bytes(arguments), keep.raw
        device.ioctl(self.opened(), IOC_SEED, arguments)
        self.assertEqual((bytes(arguments), keep.raw), before)


SHAKE256_SEED = 100


class Privileged(DeviceTest):
    def test_as_root(self):
        fd = self.opened()
        before = device.info(fd).generation
        device.reseed(fd)
        self.assertEqual(device.info(fd).generation, before + 1)
        self.assertEqual(int(device.attribute("generation")), before + 1)
        device.ioctl(fd, IOC_SELFTEST)
        self.assertEqual(device.attribute("selftests").strip(), "passed")

    @formats(CHACHA20, SHAKE256)
    def test_streams_do_not_change(self, number):
        stream = self.stream(number)
        fd = self.seeded(stream)
        os.read(fd, 33)
        device.reseed(fd)
        device.ioctl(fd, IOC_SELFTEST)
        self.assertContinues(fd, stream, 33)

    def test_as_anybody(self):
        fd = self.opened()

        def attempt():
            own = device.open_device()
            for descriptor in (fd, own):
                for number in (IOC_RESEED, IOC_SELFTEST):
                    with self.fails(EPERM):
                        device.ioctl(descriptor, number)
            return device.info(own).generation
        before = device.info(fd).generation
        self.assertEqual(device.in_child(attempt, NOBODY), before)

    @formats(CHACHA20, SHAKE256_RATCHET)
    def test_anybody_reads_and_seeds(self, number):
        stream = self.stream(number)

        def use():
            fd = device.open_device()
            first = os.read(fd, 64)
            stream.start(fd)
            return first, os.read(fd, 64), device.info(fd).position
        first, second, position = device.in_child(use, NOBODY)
        self.assertEqual(len(first), 64)
        self.assertBytes(second, stream.expected(0, 64), repr(stream))
        self.assertEqual(position, 64)
        self.assertEqual(os.stat(device.PATH).st_mode & 0o777, 0o666)
