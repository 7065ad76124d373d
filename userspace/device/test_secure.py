# SPDX-License-Identifier: GPL-2.0
"""Secure mode: bytes that never come twice, readiness, poll, and the page of mmap."""

import ctypes
import errno
import faulthandler
import os
import select
import signal
import threading
import time
from errno import EACCES, EFAULT, EINVAL, EPERM
from select import POLLIN, POLLOUT, POLLPRI

import device
from device import CHACHA20, PAGE, SECURE, SHAKE128, DeviceTest, Memory, formats


class Bytes(DeviceTest):
    def selected(self, number, flags=os.O_RDWR):
        fd = self.opened(flags)
        device.select_generator(fd, number)
        return fd

    def test_as_opened(self):
        fd, other = self.opened(), self.opened(os.O_RDONLY)
        self.assertFresh(b"".join(os.read(file, 64) for file in (fd, other) * 20))

    @formats(*SECURE)
    def test_small_reads(self, number):
        """Over several buffers, and beside reads that are a little too long for them."""
        fd, data = self.selected(number), b""
        for length in (*range(257), *range(250, 270), 1, 16, 32, 4095, 4096, 4097, 16, 256, 8192):
            part = os.read(fd, length)
            self.assertEqual(len(part), length)
            data += part
        self.assertFresh(data)

    @formats(*SECURE)
    def test_large_reads(self, number):
        fd = self.selected(number)
        data = os.read(fd, 1 << 20)
        self.assertEqual(len(data), 1 << 20)
        data += os.read(fd, 300001) + os.read(self.selected(number), 300001)
        self.assertFresh(data)
        self.assertFresh(data[1:])

    @formats(*SECURE)
    def test_vectors(self, number):
        fd = self.selected(number)
        buffers = [bytearray(length) for length in (0, 1, 16, 100, 256, 4096, 70000)]
        self.assertEqual(os.readv(fd, buffers), sum(map(len, buffers)))
        data = b"".join(buffers)
        self.assertEqual(os.preadv(fd, buffers, 5), len(data))
        self.assertFresh(data + b"".join(buffers) + os.pread(fd, 1000, 5) + os.pread(fd, 1000, 5))

    @formats(*SECURE)
    def test_reseed(self, number):
        fd, data = self.selected(number), b""
        for length in (16, 64, 300, 5000) * 5:
            data += os.read(fd, length)
            device.reseed(fd)
        self.assertFresh(data)

    @formats(*SECURE)
    def test_two_opens_at_once(self, number):
        files = [self.selected(number) for _ in range(8)]
        self.assertFresh(b"".join(os.read(fd, 32) for _ in range(20) for fd in files))

    @formats(*SECURE)
    def test_readers_on_every_cpu(self, number):
        """Threads, forks and a shared descriptor: no 16 bytes twice."""
        fd, parts = self.selected(number), []

        def reader(file):
            return b"".join(os.read(file, length) for _ in range(60) for length in (16, 32, 160, 256, 272, 4096))

        threads = [threading.Thread(target=lambda: parts.append(reader(fd))) for _ in range(2)]
        threads.append(threading.Thread(target=lambda: parts.append(reader(self.selected(number)))))
        for thread in threads:
            thread.start()
        parts.append(device.in_child(lambda: reader(fd)))
        parts.append(device.in_child(lambda: reader(device.open_device()), device.NOBODY))
        for thread in threads:
            thread.join()
        self.assertEqual(len(parts), 5)
        self.assertFresh(b"".join(parts))

    @formats(*SECURE)
    def test_every_bit_moves(self, number):
        """Over many reads each bit of them is both 0 and 1."""
        fd = self.selected(number)
        for length in (1, 16, 17, 64, 256, 257, 5000):
            every = (1 << 8 * length) - 1
            ones, zeros = 0, 0
            for _ in range(60):
                value = int.from_bytes(os.read(fd, length), "big")
                ones, zeros = ones | value, zeros | (value ^ every)
            self.assertEqual(hex(ones), hex(every), "a bit is always 0")
            self.assertEqual(hex(zeros), hex(every), "a bit is always 1")

    def test_nothing_is_written_past_the_count(self):
        memory = self.memory(3 * PAGE)
        for fd in (self.opened(), self.seeded(self.stream(CHACHA20))):
            for length in (0, 1, 255, 256, 257, 4096, 5000):
                memory.put(b"\xa5" * memory.length)
                self.assertEqual(device.read_to(fd, memory.address + 64, length), length)
                self.assertEqual(memory.get(0, 64), b"\xa5" * 64)
                rest = memory.get(64 + length)
                self.assertBytes(rest, b"\xa5" * len(rest), f"after {length} bytes")

    def test_nonblocking(self):
        """Once the kernel's RNG is ready it never says EAGAIN."""
        for number in (*SECURE, 0):
            fd = self.selected(number, os.O_RDWR | os.O_NONBLOCK)
            for length in (1, 256, 257, 100000):
                self.assertEqual(len(os.read(fd, length)), length)
            self.assertEqual(os.preadv(fd, [bytearray(5000)], 0, os.RWF_NOWAIT), 5000)
            self.assertEqual(os.write(fd, bytes(5000)), 5000)

    def test_nonblocking_seeded(self):
        for number in device.SERVED:
            stream = self.stream(number)
            fd = self.seeded(stream, os.O_RDWR | os.O_NONBLOCK)
            self.assertContinues(fd, stream, 0)
            at, buffer = device.position(fd), bytearray(5000)
            self.assertEqual(os.preadv(fd, [buffer], at, os.RWF_NOWAIT), 5000)
            whole = os.read(self.seeded(stream), at + 5000)
            self.assertBytes(bytes(buffer), whole[at:], repr(stream))

    def test_whole_vector_limits(self):
        """The largest number of vectors, and one more."""
        fd = self.opened()
        memory = self.memory(PAGE)
        self.assertEqual(device.readv_to(fd, [(memory.address, 4)] * 1024), 4096)
        with self.fails(EINVAL):
            device.readv_to(fd, [(memory.address, 4)] * 1025)


class Poll(DeviceTest):
    def test_secure(self):
        fd = self.opened()
        for _ in range(3):
            self.assertEqual(device.events(fd), POLLIN | POLLOUT)
            os.read(fd, 1000)
        device.reseed(fd)
        for _ in range(3):
            self.assertEqual(device.events(fd), POLLIN | POLLOUT | POLLPRI)
            os.read(fd, 10)
        device.info(fd)
        self.assertEqual(device.events(fd), POLLIN | POLLOUT)

    def test_each_file_for_itself(self):
        first, second = self.opened(), self.opened()
        device.reseed(first)
        device.info(first)
        self.assertEqual(device.events(first), POLLIN | POLLOUT)
        self.assertEqual(device.events(second), POLLIN | POLLOUT | POLLPRI)
        self.assertEqual(device.events(self.opened()), POLLIN | POLLOUT)

    def test_failed_info_does_not_count(self):
        fd = self.opened()
        device.reseed(fd)
        with self.fails(EFAULT):
            device.ioctl(fd, device.IOC_INFO, 8)
        self.assertEqual(device.events(fd), POLLIN | POLLOUT | POLLPRI)

    @formats(CHACHA20, SHAKE128)
    def test_seeded(self, number):
        fd = self.seeded(self.stream(number))
        self.assertEqual(device.events(fd), POLLIN | POLLOUT)
        device.reseed(fd)
        self.assertEqual(device.events(fd), POLLIN | POLLOUT)

    def test_select(self):
        self.assertEqual(select.select([fd := self.opened()], [fd], [fd], 0), ([fd], [fd], []))
        device.reseed(fd)
        self.assertEqual(select.select([fd], [fd], [fd], 0), ([fd], [fd], [fd]))

    def test_waiting_for_a_generation(self):
        """A sleeper wakes when the generation changes, and not before."""
        fd = self.opened()
        poll = select.poll()
        poll.register(fd, POLLPRI)
        self.assertEqual(poll.poll(100), [])
        timer = threading.Timer(0.2, device.reseed, (self.opened(),))
        timer.start()
        begun = time.monotonic()
        self.assertEqual(poll.poll(20000), [(fd, POLLPRI)])
        self.assertLess(time.monotonic() - begun, 10, "nobody woke it")
        timer.join()

    def test_epoll_level(self):
        fd, epoll = self.opened(), select.epoll()
        with epoll:
            epoll.register(fd, select.EPOLLIN | select.EPOLLPRI)
            for _ in range(3):
                self.assertEqual(epoll.poll(0), [(fd, select.EPOLLIN)])
            device.reseed(fd)
            for _ in range(3):
                self.assertEqual(epoll.poll(0), [(fd, select.EPOLLIN | select.EPOLLPRI)])
            device.info(fd)
            self.assertEqual(epoll.poll(0), [(fd, select.EPOLLIN)])

    def test_epoll_edge(self):
        """One event a change."""
        fd, epoll = self.opened(), select.epoll()
        with epoll:
            epoll.register(fd, select.EPOLLPRI | select.EPOLLET)
            self.assertEqual(epoll.poll(0), [])
            for _ in range(3):
                device.reseed(fd)
                self.assertEqual(epoll.poll(1), [(fd, select.EPOLLPRI)])
                self.assertEqual(epoll.poll(0), [])
                device.info(fd)
                self.assertEqual(epoll.poll(0), [])
            epoll.modify(fd, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
            self.assertEqual(epoll.poll(0), [(fd, select.EPOLLIN | select.EPOLLOUT)])
            self.assertEqual(epoll.poll(0), [])


class Page(DeviceTest):
    """mmap of the generation."""

    def mapped(self, fd, protection=Memory.READ, flags=Memory.SHARED, length=PAGE, offset=0):
        return self.memory(length, protection, flags, fd, offset)

    @staticmethod
    def generation(memory):
        return ctypes.c_uint64.from_address(memory.address).value

    def test_shows_the_generation(self):
        for fd in (self.opened(), self.opened(os.O_RDONLY), self.seeded(self.stream(CHACHA20))):
            for flags in (Memory.SHARED, Memory.PRIVATE):
                memory = self.mapped(fd, flags=flags)
                for _ in range(3):
                    self.assertEqual(self.generation(memory), device.info(fd).generation)
                    self.assertEqual(memory.get(8), bytes(PAGE - 8))
                    device.reseed(fd)

    def test_writing_is_refused(self):
        fd = self.opened()
        for flags in (Memory.SHARED, Memory.PRIVATE):
            for protection in (Memory.WRITE, Memory.READ | Memory.WRITE):
                with self.fails(EPERM):
                    self.mapped(fd, protection, flags)
            memory = self.mapped(fd, flags=flags)
            for protection in (Memory.WRITE, Memory.READ | Memory.WRITE):
                with self.fails(EACCES):
                    memory.protect(protection)
            self.assertEqual(self.generation(memory), device.info(fd).generation)

    def test_a_store_is_killed(self):
        memory = self.mapped(self.opened())
        pid = os.fork()
        if not pid:
            faulthandler.disable()
            ctypes.c_uint64.from_address(memory.address).value = 0
            os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), -signal.SIGSEGV)

    def test_the_kernel_does_not_store_either(self):
        """Not for a read() into it, nor for another process."""
        fd = self.opened()
        memory = self.mapped(fd)
        with open("/dev/zero", "rb") as zero, self.fails(EFAULT):
            device.read_to(zero.fileno(), memory.address, 8)
        with open("/proc/self/mem", "r+b", buffering=0) as own:
            own.seek(memory.address)
            try:
                own.write(bytes(8))
            except OSError as error:
                self.assertIn(error.errno, (errno.EIO, EFAULT))
        self.assertEqual(self.generation(self.mapped(fd)), device.info(fd).generation)
        self.assertEqual(int(device.attribute("generation")), device.info(fd).generation)

    def test_other_sizes(self):
        fd = self.opened()
        for length in (2 * PAGE, 3 * PAGE, 1 << 20):
            with self.fails(EINVAL):
                self.mapped(fd, length=length)
        for offset in (PAGE, 2 * PAGE, 1 << 30):
            with self.fails(EINVAL):
                self.mapped(fd, offset=offset)
        # mmap rounds up
        self.assertEqual(self.generation(self.mapped(fd, length=8)), device.info(fd).generation)

    def test_cannot_grow(self):
        memory = self.mapped(self.opened())
        with self.fails(EFAULT, EINVAL):
            memory.resize(2 * PAGE)

    def test_stays_after_close(self):
        fd = self.opened()
        memory = self.mapped(fd)
        os.close(fd)
        other = self.opened()
        device.reseed(other)
        self.assertEqual(self.generation(memory), device.info(other).generation)

    def test_is_inherited(self):
        fd = self.opened()
        memory = self.mapped(fd)
        self.assertEqual(device.in_child(lambda: self.generation(memory)), device.info(fd).generation)

    def test_cannot_be_dropped(self):
        """After MADV_DONTNEED it is still the page: not a zero, not a SIGBUS."""
        fd = self.opened()
        for flags in (Memory.SHARED, Memory.PRIVATE):
            memory = self.mapped(fd, flags=flags)

            def look():
                faulthandler.disable()
                try:
                    memory.advise(4)
                except OSError:
                    pass
                return self.generation(memory)
            self.assertEqual(device.in_child(look), device.info(fd).generation)

    def test_write_only_file(self):
        with self.fails(EACCES):
            self.mapped(self.opened(os.O_WRONLY))
