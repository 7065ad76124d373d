# SPDX-License-Identifier: GPL-2.0
"""The command against a live device, as root of a guest that is thrown away afterwards."""

import base64
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest
import uuid

import common
from common import GIB, KEY, MIB, NO, TOOL, TROUBLE, Case, on_terminal, run

HERE = os.path.dirname(os.path.abspath(__file__))
NOBODY = 65534
ZEROS = "00" * 16
PIECE = 12 * 65536      # of read and xof
SEEDED = ("--seed", "tuesday")
FORMATS = {"chacha20": 32, "chacha12": 32, "chacha8": 32, "aes256-ctr": 32, "aes128-ctr": 16, "aes128-le": 16,
           "shake256-ctr": 32, "shake256": 32, "shake128": 32, "turboshake256": 32, "turboshake128": 32,
           "shake256-ratchet": 136, "turboshake256-ratchet": 136, "aes256-erase": 32}


def openssl(cipher, key, nonce, length):
    """An independent stream."""
    command = "openssl enc -%s -K %s -iv %s </dev/zero 2>/dev/null | head -c %d" % (cipher, key, nonce, length)
    return subprocess.run(command, shell=True, capture_output=True, check=True).stdout


def shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout.strip()


def read(path, length=-1, offset=0):
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def write(path, data, offset=None):
    with open(path, "wb" if offset is None else "r+b") as file:
        file.seek(offset or 0)
        file.write(data)


def flip(path, offset, bit=0):
    write(path, bytes([read(path, 1, offset)[0] ^ 1 << bit]), offset)


def key_of(form):
    return (KEY * 5)[:2 * FORMATS[form]]


class Scratch(Case):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.file = self.path("file")

    def path(self, name):
        return os.path.join(self.directory, name)

    def mount(self, kind, options="", device="none"):
        where = self.path("mount")
        os.makedirs(where, exist_ok=True)
        subprocess.run(["mount", "-t", kind, *(["-o", options] if options else []), device, where], check=True,
                       capture_output=True)
        self.addCleanup(subprocess.run, ["umount", "-l", where], check=False, capture_output=True)
        return where

    def disk(self, size, file=None):
        """A block device of that size."""
        file = file or self.path("disk-%d" % size)
        with open(file, "ab") as image:
            image.truncate(size)
        subprocess.run(["modprobe", "loop"], check=False, capture_output=True)
        if not os.path.exists("/dev/loop-control"):
            self.skipTest("this kernel has no loop devices")
        device = shell("losetup --find --show " + file)
        self.addCleanup(subprocess.run, ["losetup", "--detach", device], check=False)
        return device

    def file_system(self, kind, size):
        device = self.disk(size)
        if kind not in open("/proc/filesystems").read() and \
                subprocess.run(["modprobe", kind], capture_output=True, check=False).returncode:
            self.skipTest("this kernel has no " + kind)
        shell("mkfs.%s -q %s 2>&1" % (kind, device))
        return device


class Read(Scratch):
    def test_forms(self):
        for length in (0, 1, 2, 3, 4, 3071, 3072, 3073, PIECE - 1, PIECE, PIECE + 1):
            data = self.ok("read", length, *SEEDED)
            self.assertEqual(len(data), length)
            self.assertEqual(self.ok("read", length, *SEEDED, "--raw"), data)
            self.assertEqual(self.ok("read", length, *SEEDED, "--hex"), data.hex().encode() + b"\n")
            self.assertEqual(self.ok("read", length, *SEEDED, "--base64"), base64.b64encode(data) + b"\n")

    def test_random_bytes_differ(self):
        seen = {self.ok("read", 16) for _ in range(20)}
        self.assertEqual(len(seen), 20)

    def test_sizes(self):
        for text, size in (("0x10", 16), ("2K", 2048), ("1KiB", 1024), ("1kB", 1000), ("3MB", 3000000), ("1M", MIB)):
            self.assertEqual(len(self.ok("read", text)), size)

    def test_openssl(self):
        for cipher, form in (("aes-256-ctr", "aes256-ctr"), ("aes-128-ctr", "aes128-ctr"), ("chacha20", "chacha20")):
            key, nonce = key_of(form), "f0e1d2c3b4a5968778695a4b3c2d1eff"
            if form == "chacha20":
                nonce = "05000000" + nonce[8:]      # OpenSSL counts in 32 bits
            expected = openssl(cipher, key, nonce, 100000)
            words = ("--format", form, "--key", key, "--nonce", nonce)
            self.assertEqual(self.ok("read", 100000, *words), expected)
            self.assertEqual(self.ok("read", 999, *words, "--offset", 77777), expected[77777:78776])

    def test_text(self):
        key = hashlib.shake_256(b"shakerandom-seed-v1\0aes256-ctr\0tuesday").hexdigest(32)
        self.assertEqual(self.ok("read", 1000, *SEEDED), openssl("aes-256-ctr", key, ZEROS, 1000))
        self.assertEqual(self.ok("read", 1000, *SEEDED, "-f", "shake256"),
                         hashlib.shake_256(b"tuesday").digest(1000))

    def test_substreams(self):
        for form, nonce in (("aes256-ctr", "000000000000030a" + "00" * 8), ("chacha8", "00" * 8 + "0a03" + "00" * 6),
                            ("aes128-le", "00" * 8 + "0a03" + "00" * 6), ("shake256-ctr", "0a03" + "00" * 14)):
            words = ("read", 100, "--key", key_of(form), "--format", form)
            self.assertEqual(self.ok(*words, "--stream", 778), self.ok(*words, "--nonce", nonce))
            self.assertEqual(self.ok(*words, "--stream", 0), self.ok(*words))

    def test_seeds_from_files(self):
        expected = self.ok("read", 100, *SEEDED)
        for text in (b"tuesday", b"tuesday\n"):
            write(self.file, text)
            self.assertEqual(self.ok("read", 100, "--seed-file", self.file), expected)
            self.assertEqual(self.ok("read", 100, "--seed-file", "-", stdin=text), expected)
        write(self.file, b"tuesday\n\n")
        self.assertNotEqual(self.ok("read", 100, "--seed-file", self.file), expected)
        write(self.file, bytes.fromhex(KEY))
        self.assertEqual(self.ok("read", 100, "--key-file", self.file), self.ok("read", 100, "--key", KEY))
        # A key of text, whose last byte is a newline, is that key.
        write(self.file, b"k" * 31 + b"\n")
        self.assertEqual(self.ok("read", 100, "--key-file", self.file), self.ok("read", 100, "--key", "6b" * 31 + "0a"))
        self.bad(TROUBLE, "read", 1, "--key-file", "-", stdin=b"", says="takes a key of 32 bytes, not 0")

    def test_offsets(self):
        for form in FORMATS:
            words = ("--format", form, "--key", key_of(form))
            start = self.ok("read", 20000, *words)
            self.assertEqual(self.ok("read", 100, *words, "--offset", 12345), start[12345:12445], form)
        self.assertEqual(len(self.ok("read", 7, *SEEDED, "--offset", 2**63 - 8)), 7)

    def test_a_new_file(self):
        self.ok("read", 100000, *SEEDED, "--output", self.file)
        self.assertEqual(read(self.file), self.ok("read", 100000, *SEEDED))
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o644)
        self.bad(TROUBLE, "read", 5, "--output", self.file, says="exists: --force replaces it")
        self.assertEqual(len(read(self.file)), 100000)
        self.ok("read", 5, "--output", self.file, "--force")
        self.assertEqual(len(read(self.file)), 5)
        self.assertEqual(os.listdir(self.directory), ["file"])

    def test_a_link_stays_one(self):
        """The file it points to is replaced, as by a shell's >: /dev/stdout of root's is such a link."""
        link, target = self.path("link"), self.path("target")
        os.symlink("target", link)
        self.bad(TROUBLE, "read", 5, "--output", link, says="is a link to what does not exist")
        self.assertEqual(os.listdir(self.directory), ["link"])
        write(target, b"old")
        self.bad(TROUBLE, "read", 5, "--output", link, says="exists: --force replaces it")
        self.ok("read", 100, *SEEDED, "--output", link, "--force")
        self.assertEqual(os.readlink(link), "target")
        self.assertEqual(read(target), self.ok("read", 100, *SEEDED))
        os.unlink(link)
        os.symlink("/proc/self/fd/1", link)
        with open(target, "wb") as out:
            subprocess.run([TOOL, "read", "50", *SEEDED, "--output", link, "--force"], stdout=out, check=True)
        self.assertEqual(os.readlink(link), "/proc/self/fd/1")
        self.assertEqual(read(target), self.ok("read", 50, *SEEDED))
        self.assertEqual(sorted(os.listdir(self.directory)), ["link", "target"])

    def test_who_may_read_the_new_file(self):
        for mode in (0o600, 0o640, 0o444):
            write(self.file, b"secret")
            os.chmod(self.file, mode)
            self.ok("read", 32, "--output", self.file, "--force")
            self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), mode)

    def test_where_it_cannot_write(self):
        self.bad(TROUBLE, "read", 5, "--output", self.path("no/such"), says="cannot create a file beside")
        self.bad(TROUBLE, "read", 5, "--output", self.directory, says="Is a directory")
        self.ok("read", 5, "--output", "/dev/null")
        self.bad(TROUBLE, "read", 5, "--output", "/dev/full", says="No space left")

    def test_full_disk(self):
        full = self.mount("tmpfs", "size=1m")
        write(os.path.join(full, "old"), b"old")
        for name in ("new", "old"):
            self.bad(TROUBLE, "read", "5M", "--force", "--output", os.path.join(full, name), says="No space left")
        self.assertEqual(os.listdir(full), ["old"])
        self.assertEqual(read(os.path.join(full, "old")), b"old")

    def test_stopped(self):
        process = subprocess.Popen([TOOL, "read", "200G", "--output", self.file, "--quiet"], stderr=subprocess.PIPE)
        while not os.listdir(self.directory):
            time.sleep(0.01)
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(os.listdir(self.directory), [])

    def test_nobody_watches_its_progress_any_more(self):
        """That is the end of it, as of any that writes to a closed pipe; what it had begun goes, too."""
        process = subprocess.Popen([TOOL, "read", "200G", "--output", self.file, "--progress"], stderr=subprocess.PIPE)
        while not os.listdir(self.directory):
            time.sleep(0.001)
        time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)
        process.stderr.close()
        time.sleep(1.5)     # the next line is due by then
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(common.SECONDS), -signal.SIGPIPE)
        self.assertEqual(os.listdir(self.directory), [])

    def test_closed_pipe(self):
        for words in ("read inf", "read 1T --hex", "int 6 -n 1G", "uuid 1G"):
            said = shell('bash -o pipefail -c "%s %s | head -c 10 >/dev/null; echo \\$?" 2>&1' % (TOOL, words))
            self.assertEqual(said, "141", words)        # SIGPIPE, as of any other program; not a word
            said = shell("trap '' PIPE; (%s %s; echo $? >&2) 2>&1 >/dev/full | tail -1" % (TOOL, words))
            self.assertEqual(said, "2", words)
            done = shell("trap '' PIPE; { %s %s; echo $? >%s; } 2>%s | head -c 10 >/dev/null; cat %s %s" % (
                TOOL, words, self.path("s"), self.path("e"), self.path("s"), self.path("e")))
            self.assertRegex(done, r"^2\n.*Broken pipe")

    def test_terminal(self):
        data = self.ok("read", 16, *SEEDED)
        status, shown, _ = on_terminal(["read", 16, *SEEDED])
        self.assertEqual((status, shown.strip()), (0, data.hex().encode()))
        for words in (["read", 16, "--raw"], ["xof", "--raw", "/bin/sh"]):
            status, shown, said = on_terminal(words)
            self.assertEqual((status, shown), (TROUBLE, b""))
            self.assertIn(b"give --raw twice", said)
        status, shown, _ = on_terminal(["read", 16, "--raw", "--raw"])
        self.assertEqual(status, 0)
        self.assertGreaterEqual(len(shown), 16)

    def test_no_progress(self):
        self.assertEqual(on_terminal(["read", "1M", "--quiet", "--output", "/dev/null"], "stderr")[1], b"")

    def test_other_users_do_not_see_the_seed(self):
        process = subprocess.Popen([TOOL, "read", "inf", "--seed", "hush"], stdout=subprocess.PIPE)
        process.stdout.read(1)
        arguments = read("/proc/%d/cmdline" % process.pid)
        process.stdout.close()
        process.wait()
        self.assertIn(b"--seed", arguments)
        self.assertNotIn(b"hush", arguments)


class Fill(Scratch):
    def fill_and_verify(self, size, *words):
        self.ok("fill", self.file, "--length", size, "--quiet", *words)
        self.assertEqual(os.path.getsize(self.file), size)
        self.assertEqual(self.ok("verify", self.file, *words).decode(), "%s: verified %d bytes\n" % (self.file, size))

    def test_sizes(self):
        for size in (1, 511, 512, 4097, MIB - 1, MIB, MIB + 1, 3 * MIB + 8):
            self.fill_and_verify(size, *SEEDED)
            self.assertEqual(read(self.file), self.ok("read", size, *SEEDED))
            os.unlink(self.file)

    def test_formats(self):
        for form in FORMATS:
            words = ("--format", form, "--key", key_of(form))
            self.fill_and_verify(2 * MIB + 5, *words)
            self.assertEqual(read(self.file), self.ok("read", 2 * MIB + 5, *words), form)
            flip(self.file, MIB + 77)
            self.bad(NO, "verify", self.file, *words, says="byte %d (" % (MIB + 77))

    def test_jobs(self):
        for jobs in (1, 2, 5, 64):
            self.fill_and_verify(9 * MIB + 3, *SEEDED, "--jobs", jobs)
            os.unlink(self.file)

    def test_offset_and_substream(self):
        words = (*SEEDED, "--offset", "1T", "--stream", 9)
        self.fill_and_verify(MIB + 9, *words)
        self.assertEqual(read(self.file), self.ok("read", MIB + 9, *words))
        self.bad(NO, "verify", self.file, *SEEDED, "--offset", "1T", says="byte 0 (0x0)")

    def test_random(self):
        self.ok("fill", self.file, "--length", "3M", "--quiet")
        data = read(self.file)
        self.assertEqual(len({data[i:i + 512] for i in range(0, len(data), 512)}), 3 * 2048)

    def test_a_part(self):
        write(self.file, bytes(3 * MIB))
        self.ok("fill", self.file, *SEEDED, "--skip", 1000, "--length", MIB + 50, "--quiet")
        stream = self.ok("read", 3 * MIB, *SEEDED)
        end = 1000 + MIB + 50
        self.assertEqual(read(self.file), bytes(1000) + stream[1000:end] + bytes(3 * MIB - end))
        self.ok("verify", self.file, *SEEDED, "--skip", 1000, "--length", MIB + 50)
        self.bad(NO, "verify", self.file, *SEEDED, says="byte 0 (0x0)")
        self.bad(NO, "verify", self.file, *SEEDED, "--skip", 1000, says="byte %d (" % end)
        # To the end of a file, if nothing else is said.
        self.ok("fill", self.file, *SEEDED, "--skip", 2 * MIB, "--quiet")
        self.assertEqual(read(self.file, offset=2 * MIB), stream[2 * MIB:])
        self.ok("fill", self.file, "--length", 0, "--quiet")
        self.bad(TROUBLE, "fill", self.file, "--skip", "4M", says="--skip leaves out more")

    def test_the_tail_past_4_gib_of_a_sparse_file(self):
        size = 4 * GIB + 8
        with open(self.file, "wb") as file:
            file.truncate(size)
        self.ok("fill", self.file, *SEEDED, "--skip", 4 * GIB - MIB - 3, "--quiet")
        self.assertEqual(os.path.getsize(self.file), size)
        self.assertEqual(read(self.file, 8, 4 * GIB), self.ok("read", 8, *SEEDED, "--offset", "4G"))
        self.assertEqual(read(self.file, 16, 4 * GIB - MIB - 3 - 16), bytes(16))
        self.ok("verify", self.file, *SEEDED, "--skip", 4 * GIB - MIB - 3)
        flip(self.file, size - 1, 7)
        self.bad(NO, "verify", self.file, *SEEDED, "--skip", "4G", says="byte %d (" % (size - 1))

    def test_all_of_4_gib_and_8_bytes(self):
        available = int(re.search(r"MemAvailable: +(\d+)", open("/proc/meminfo").read())[1]) * 1024
        if available < 4.4 * GIB:
            self.skipTest("needs 4.4 GiB of memory, there are %.1f" % (available / GIB))
        where = self.mount("tmpfs", "size=4200m")
        file = os.path.join(where, "large")
        size = 4 * GIB + 8
        said = self.ok("fill", file, *SEEDED, "--length", size).decode()
        self.assertEqual(said, "%s: filled %d bytes\n" % (file, size))
        self.assertEqual(os.path.getsize(file), size)
        self.assertEqual(read(file, 16, 4 * GIB - 8), self.ok("read", 16, *SEEDED, "--offset", 4 * GIB - 8))
        self.ok("verify", file, *SEEDED)
        for offset in (size - 1, 4 * GIB, 3 * GIB + 12345):
            flip(file, offset)
            self.bad(NO, "verify", file, *SEEDED, says="byte %d (" % offset)

    def test_full_disk(self):
        where = self.mount("tmpfs", "size=2m")
        file = os.path.join(where, "file")
        said = self.bad(TROUBLE, "fill", file, *SEEDED, "--length", "10M", says="nothing was written")
        self.assertIn("free: 2.0 MiB", said)
        self.assertEqual(os.listdir(where), [])
        # An old file keeps its size and its bytes.
        write(file, b"x" * 1000)
        self.bad(TROUBLE, "fill", file, *SEEDED, "--length", "10M", says="nothing was written")
        self.assertEqual(read(file), b"x" * 1000)

    def test_full_disk_that_cannot_reserve(self):
        where = self.mount("ext2", "", self.file_system("ext2", 4 * MIB))
        file = os.path.join(where, "file")
        self.bad(TROUBLE, "fill", file, *SEEDED, "--length", "20M", says="No space left on device")
        self.assertFalse(os.path.exists(file))

    def test_file_size_limit(self):
        done = subprocess.run("ulimit -f 100; %s fill %s --length 1M" % (TOOL, self.file), shell=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, TROUBLE)
        self.assertIn(b"File too large", done.stderr)
        self.assertFalse(os.path.exists(self.file))

    def test_what_it_does_not_take(self):
        os.mkfifo(self.path("pipe"))
        write(self.file, b"")
        for command, more in (("fill", ()), ("verify", SEEDED)):
            self.bad(TROUBLE, command, self.directory, *more, says="is a directory")
            self.bad(TROUBLE, command, self.path("pipe"), *more, says="neither a file nor a block device")
            self.bad(TROUBLE, command, "/dev/shakerandom", *more, says="neither a file nor a block device")
            self.bad(TROUBLE, command, self.file, *more, says="is empty: say how much with --length")
        self.bad(TROUBLE, "fill", self.path("new"), says="for a new file say how much with --length")
        self.bad(TROUBLE, "verify", self.path("new"), *SEEDED, says="No such file")
        self.bad(TROUBLE, "fill", self.path("no/new"), "--length", 5, says="No such file")
        self.bad(TROUBLE, "fill", self.file, "--length", "16383P", says="go past 2^63 - 1")
        self.bad(TROUBLE, "fill", self.file, "--length", 7 * 2**60, "--offset", 7 * 2**60, *SEEDED,
                 says="the stream ends at 2^63 - 1")
        self.bad(TROUBLE, "fill", self.path("new"), "--length", 7 * 2**60, says="nothing was written")
        self.assertEqual(sorted(os.listdir(self.directory)), ["file", "pipe"])

    def test_verifying_changes_nothing(self):
        self.ok("fill", self.file, "--length", "1M", *SEEDED, "--quiet")
        os.chmod(self.file, 0o400)
        before = (os.stat(self.file).st_mtime_ns, read(self.file))
        self.ok("verify", self.file, *SEEDED)
        self.bad(NO, "verify", self.file, "--seed", "wednesday", says="byte 0 (0x0)")
        self.assertEqual((os.stat(self.file).st_mtime_ns, read(self.file)), before)


class Verify(Scratch):
    SIZE = 9 * MIB + 100

    def setUp(self):
        super().setUp()
        self.ok("fill", self.file, *SEEDED, "--length", self.SIZE, "--quiet")

    def test_one_bit(self):
        for place in (0, 1, 511, MIB - 1, MIB, 5 * MIB + 4321, self.SIZE - 101, self.SIZE - 1):
            for bit in (0, 7):
                flip(self.file, place, bit)
                said = self.bad(NO, "verify", self.file, *SEEDED)
                self.assertEqual(said, "%s: byte %d (0x%x) is the first that differs" % (self.file, place, place))
                flip(self.file, place, bit)
        self.ok("verify", self.file, *SEEDED)

    def test_the_first_of_many(self):
        places = [MIB * i + 1000 - i for i in range(8, 0, -1)]
        for place in places:
            flip(self.file, place)
            for jobs in (1, 8):
                self.bad(NO, "verify", self.file, *SEEDED, "--jobs", jobs, says="byte %d (" % place)

    def test_quiet(self):
        self.assertEqual(self.ok("verify", self.file, *SEEDED, "--quiet"), b"")
        flip(self.file, 5)
        self.assertEqual(self.bad(NO, "verify", self.file, *SEEDED, "--quiet"), "")

    def test_a_file_too_short(self):
        os.truncate(self.file, 2 * MIB + 7)
        self.ok("verify", self.file, *SEEDED)
        self.bad(NO, "verify", self.file, *SEEDED, "--length", self.SIZE,
                 says="ends at byte %d, all before match" % (2 * MIB + 7))
        flip(self.file, 2 * MIB + 3)
        self.bad(NO, "verify", self.file, *SEEDED, "--length", self.SIZE, says="byte %d (" % (2 * MIB + 3))

    def test_a_part(self):
        flip(self.file, 4 * MIB)
        self.ok("verify", self.file, *SEEDED, "--length", "4M")
        self.ok("verify", self.file, *SEEDED, "--skip", 4 * MIB + 1)
        self.bad(NO, "verify", self.file, *SEEDED, "--skip", 4 * MIB, "--length", 1, says="byte 4194304 (")


class Resume(Scratch):
    """A slow format, so that there is something to stop."""

    SLOW = ("--format", "shake256-ratchet", "--key", KEY)

    def setUp(self):
        super().setUp()
        self.note = self.path("note")

    @staticmethod
    def catches(pid, number):
        try:
            caught = re.search(r"SigCgt:\s+(\w+)", open("/proc/%d/status" % pid).read())
        except OSError:
            return False
        return caught and int(caught[1], 16) >> (number - 1) & 1

    def stop(self, command, size, *words):
        """Starts it and stops it on the way; returns how far it came."""
        for pause in (0.5, 0.2, 0.1, 0.05, 0.02, 0):
            process = subprocess.Popen([TOOL, command, self.file, "--length", str(size), *map(str, words)],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while process.poll() is None and not self.catches(process.pid, signal.SIGTERM):
                time.sleep(0.001)
            time.sleep(pause)
            process.terminate()
            _, said = process.communicate(timeout=common.SECONDS)
            if process.returncode:
                break
        else:
            self.skipTest("this machine was done before it could be stopped")
        self.assertEqual(process.returncode, -signal.SIGTERM)
        return int(re.search(r"stopped at byte (\d+) of %d: " % size, said.decode())[1]), said.decode()

    def largest(self):
        """What takes this machine about two seconds."""
        probe = self.path("probe")
        start = time.monotonic()
        self.ok("fill", probe, "--length", 4 * MIB, *self.SLOW, "--quiet")
        seconds = time.monotonic() - start
        os.unlink(probe)
        return min(max(int(2 / seconds), 2), 75) * 4 * MIB

    def test_progress(self):
        for words in (("read", "--output", "/dev/null"), ("fill", self.file, "--length"),
                      ("verify", self.file, "--length")):
            size, shown = self.largest(), b""
            while b" left" not in shown:        # other guests may have slowed the machine when it was tried
                size *= 2
                self.assertLess(size, GIB)
                if words[0] == "verify":
                    self.ok("fill", self.file, "--length", size, *self.SLOW, "--quiet")
                _, shown, _ = on_terminal([*words, size, *self.SLOW], "stderr")
            self.assertRegex(shown, rb"MiB of %d(\.0)? MiB, \d+ %%, .*B/s, \d:\d\d left" % (size // MIB), words)

    def test_fill(self):
        size = self.largest()
        done, said = self.stop("fill", size, *self.SLOW, "--resume", self.note)
        self.assertIn("the same command goes on from there", said)
        self.assertEqual(stat.S_IMODE(os.stat(self.note).st_mode), 0o600)
        self.assertIn("done %d\n" % done, read(self.note).decode())
        self.assertNotIn(KEY, read(self.note).decode())
        words = ("fill", self.file, "--length", size, "--resume", self.note)
        for other in (("--format", "shake256-ratchet", "--key", KEY.replace("1f", "1e")), SEEDED, ()):
            self.bad(TROUBLE, *words, *other, says="remembers another job")
        self.bad(TROUBLE, "fill", self.file, "--length", size + 1, "--resume", self.note, *self.SLOW,
                 says="there 'end %d', now 'end %d'" % (size, size + 1))
        # What it says is done is not done again.
        marked = done - 1 if done else None
        if marked is not None:
            flip(self.file, marked)
        finished = run(*words, *self.SLOW)
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertIn(b"going on at byte %d\n" % done, finished.stderr)
        self.assertFalse(os.path.exists(self.note))
        if marked is not None:
            self.bad(NO, "verify", self.file, *self.SLOW, says="byte %d (" % marked)
            flip(self.file, marked)
        self.ok("verify", self.file, *self.SLOW)

    def test_verify(self):
        size = self.largest()
        self.ok("fill", self.file, "--length", size, *self.SLOW, "--quiet")
        done, _ = self.stop("verify", size, *self.SLOW, "--resume", self.note)
        finished = run("verify", self.file, "--length", size, *self.SLOW, "--resume", self.note)
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertIn(b"going on at byte %d\n" % done, finished.stderr)
        self.assertFalse(os.path.exists(self.note))

    def test_stopped_before_the_first_byte(self):
        """However early the signal comes, no empty file stays, or it can be gone on with."""
        for pause in (0, 0.005, 0.01, 0.02, 0.05):
            process = subprocess.Popen([TOOL, "fill", self.file, "--length", str(self.largest())],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(pause)
            process.terminate()
            _, said = process.communicate(timeout=common.SECONDS)
            if os.path.exists(self.file) and process.returncode:
                self.assertRegex(said, rb"stopped at byte [1-9]")

    def test_without_a_note(self):
        size = self.largest()
        done, said = self.stop("fill", size, *self.SLOW, "--quiet")
        words = re.search(r"go on with (--skip \d+ --length \d+)", said)[1].split()
        self.assertEqual(words, ["--skip", str(done), "--length", str(size - done)])
        self.ok("fill", self.file, *self.SLOW, *words, "--quiet")
        self.ok("verify", self.file, *self.SLOW)

    def test_parallel(self):
        """What all workers have left undone is done by the next run."""
        size = self.largest()
        done, _ = self.stop("fill", size, *SEEDED, "--jobs", 8, "--resume", self.note)
        self.ok("verify", self.file, *SEEDED, "--length", done, "--quiet")
        self.ok("fill", self.file, *SEEDED, "--length", size, "--resume", self.note, "--quiet")
        self.ok("verify", self.file, *SEEDED)

    def test_killed(self):
        """Nothing can be noted then, but the last note holds."""
        job = "command fill\ntarget %s\nskip 0\nend %d\noffset 0\nstream random\n" % (self.file, 4 * MIB)
        write(self.file, bytes(4 * MIB))
        write(self.note, ("shakerandom resume 1\n%sdone %d\n" % (job, 3 * MIB)).encode())
        self.ok("fill", self.file, "--resume", self.note, "--quiet")
        data = read(self.file)
        self.assertEqual(data[:3 * MIB], bytes(3 * MIB))
        self.assertNotIn(bytes(16), data[3 * MIB:])
        self.assertFalse(os.path.exists(self.note))

    def test_notes_that_are_none(self):
        write(self.file, bytes(MIB))
        job = "command fill\ntarget %s\nskip 0\nend %d\noffset 0\nstream random\n" % (self.file, MIB)
        for text, says in (("", "is no file that --resume wrote"), ("dear diary\n", "is no file that --resume wrote"),
                           ("shakerandom resume 1\n", "remembers another job"),
                           ("shakerandom resume 1\n" + job, "is damaged"),
                           ("shakerandom resume 1\n" + job + "done x\n", "is damaged"),
                           ("shakerandom resume 1\n" + job + "done 5", "is damaged"),
                           ("shakerandom resume 1\n" + job + "done %d\n" % (MIB + 1), "is damaged"),
                           ("shakerandom resume 1\n" + job + "done 5\nmore\n", "is damaged")):
            write(self.note, text.encode())
            self.bad(TROUBLE, "fill", self.file, "--resume", self.note, says=says)
            self.assertEqual(read(self.note), text.encode())
            self.assertEqual(read(self.file), bytes(MIB))

    def test_a_note_takes_nobody_elses_name(self):
        """However the new note is called while it is written, it is no file of the user, least of all the target."""
        target = self.note + ".new"
        self.ok("fill", target, "--length", 2 * MIB, *SEEDED, "--resume", self.note, "--quiet")
        self.assertEqual(os.listdir(self.directory), ["note.new"])
        self.ok("verify", target, *SEEDED, "--length", 2 * MIB, "--resume", self.note, "--quiet")
        self.assertEqual(os.listdir(self.directory), ["note.new"])

    def test_a_note_of_what_is_gone(self):
        """What a note says is done must be there: not in a new file, nor in one that was cut."""
        size = self.largest()
        done, _ = self.stop("fill", size, *self.SLOW, "--resume", self.note)
        if not done:
            self.skipTest("stopped before the first piece was done")
        words = ("fill", self.file, "--length", size, *self.SLOW, "--resume", self.note)
        os.truncate(self.file, done - 1)
        self.bad(TROUBLE, *words, says="but '%s' has %d" % (self.file, done - 1))
        os.unlink(self.file)
        self.bad(TROUBLE, *words, says="but '%s' has 0" % self.file)
        self.assertEqual(os.listdir(self.directory), ["note"])
        os.unlink(self.note)
        self.ok(*words, "--quiet")
        self.ok("verify", self.file, *self.SLOW)

    def test_a_note_that_can_no_longer_be_written(self):
        """What is in the new file by then stays, as the last note speaks of it."""
        notes = self.path("notes")
        os.mkdir(notes)
        process = subprocess.Popen([TOOL, "fill", self.file, "--length", str(4 * self.largest()), *self.SLOW,
                                    "--resume", os.path.join(notes, "note")], stderr=subprocess.PIPE)
        while not os.path.exists(os.path.join(notes, "note")):
            time.sleep(0.01)
        time.sleep(0.5)     # now it works
        process.send_signal(signal.SIGSTOP)
        shutil.rmtree(notes)
        time.sleep(6)       # the next note is due by then
        process.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=common.SECONDS)
        self.assertEqual(process.returncode, TROUBLE, said)
        self.assertIn(b"cannot write '%s/note'" % notes.encode(), said)
        self.assertTrue(os.path.exists(self.file))

    def test_a_note_that_cannot_be_written(self):
        self.bad(TROUBLE, "fill", self.file, "--length", "1M", "--resume", self.path("no/note"), says="cannot write")
        self.assertEqual(os.listdir(self.directory), [])


class Disk(Scratch):
    def test_fill_and_verify(self):
        for size in (3 * MIB + 512, 4 * MIB):
            disk = self.disk(size)
            said = self.ok("fill", disk, *SEEDED).decode()
            self.assertEqual(said, "%s: filled %d bytes\n" % (disk, size))
            self.ok("verify", disk, *SEEDED)
            self.assertEqual(read(disk), self.ok("read", size, *SEEDED))
            flip(disk, size - 1)
            self.bad(NO, "verify", disk, *SEEDED, says="byte %d (" % (size - 1))
            self.ok("fill", disk, *SEEDED, "--skip", size - 512, "--quiet")
            self.ok("verify", disk, *SEEDED)

    def test_too_small(self):
        disk = self.disk(MIB)
        self.bad(TROUBLE, "fill", disk, "--length", "2M", says="has 1048576 bytes, --skip and --length go to 2097152")
        self.bad(TROUBLE, "fill", disk, "--skip", "2M", says="--skip leaves out more")
        self.assertEqual(read(disk), bytes(MIB))

    def test_mounted(self):
        disk = self.file_system("ext2", 4 * MIB)
        before = read(disk)
        where = self.mount("ext2", "ro", disk)
        self.bad(TROUBLE, "fill", disk, says="is mounted on '%s': unmount it first" % where)
        self.bad(TROUBLE, "verify", disk, *SEEDED, says="is mounted on '%s'" % where)
        self.assertEqual(read(disk), before)
        self.bad(TROUBLE, "read", "1M", "--output", disk, says="is a block device: use 'shakerandom fill'")
        self.ok("fill", disk, *SEEDED, "--force", "--quiet")
        self.ok("verify", disk, *SEEDED, "--force")

    def test_used_otherwise(self):
        disk = self.disk(4 * MIB)
        shell("mkswap %s 2>&1" % disk)
        if subprocess.run(["swapon", disk], capture_output=True, check=False).returncode:
            self.skipTest("this kernel cannot swap")
        self.addCleanup(subprocess.run, ["swapoff", disk], check=False)
        self.bad(TROUBLE, "fill", disk, says="is in use")

    def test_read_only(self):
        disk = self.disk(MIB)
        shell("blockdev --setro " + disk)
        self.addCleanup(shell, "blockdev --setrw " + disk)
        self.bad(TROUBLE, "fill", disk, says="is read-only; if that is not meant: blockdev --setrw")
        self.bad(NO, "verify", disk, *SEEDED, says="byte 0 (")

    def test_a_disk_that_fails(self):
        """Its medium is a sparse file in a file system with no room."""
        where = self.mount("tmpfs", "size=2m")
        disk = self.disk(8 * MIB, os.path.join(where, "medium"))
        said = self.bad(TROUBLE, "fill", disk, *SEEDED, says="cannot write '%s' at byte" % disk)
        self.assertRegex(said, "Input/output error|No space left")


class Xof(Scratch):
    def test_vectors_of_the_shake128_command(self):
        with open(os.path.join(HERE, "shake128-cli.json"), encoding="ascii") as file:
            rows = json.load(file)
        self.assertEqual(len(rows), 25)
        for row in rows:
            data = b"a" * 1000000 if row["input_hex"] is None else bytes.fromhex(row["input_hex"])
            write(self.file, data)
            words = ("xof", "--shake128", "--length", row["length"])
            said = self.ok(*words, stdin=data)
            self.assertEqual(said, self.ok(*words, self.file))
            self.assertTrue(said.decode().startswith(row["output_hex"]), row["input"])
            digest = hashlib.sha256(bytes.fromhex(said.decode())).hexdigest()
            self.assertEqual(digest, row["sha256"])

    def test_hashlib(self):
        for length in (0, 1, 135, 136, 137, 168, 4096, 4097, PIECE, PIECE + 1, 3 * MIB):
            data = (b"0123456789abcdef" * (length // 16 + 1))[:length]
            self.assertEqual(self.ok("xof", "--shake256", stdin=data),
                             hashlib.shake_256(data).hexdigest(64).encode() + b"\n")
            self.assertEqual(self.ok("xof", "--length", length, "--raw", stdin=data),
                             hashlib.shake_128(data).digest(length))

    def test_turboshake(self):
        """RFC 9861, section 5: M empty, D = 0x1f."""
        self.assertEqual(self.ok("xof", "--turboshake128"),
                         b"1e415f1c5983aff2169217277d17bb538cd945a397ddec541f1ce41af2c1b74c\n")
        self.assertEqual(self.ok("xof", "--turboshake256"),
                         b"367a329dafea871c7802ec67f905ae13c57695dc2c6663c61035f59a18f8e7db"
                         b"11edc0e12e91ea60eb6b32df06dd7f002fbafabb6e13ec1cc20d995547600db0\n")

    def test_input(self):
        self.bad(TROUBLE, "xof", self.directory, says="Is a directory")
        self.bad(TROUBLE, "xof", self.file, says="No such file")
        self.assertEqual(self.ok("xof", "-", stdin=b"abc"), self.ok("xof", stdin=b"abc"))

    def test_forms(self):
        digest = hashlib.shake_128(b"abc").digest(10)
        self.assertEqual(self.ok("xof", "-l", 10, "-b", stdin=b"abc"), base64.b64encode(digest) + b"\n")
        self.ok("xof", "-l", 10, "-r", "-o", self.file, stdin=b"abc")
        self.assertEqual(read(self.file), digest)
        self.assertEqual(self.ok("xof", "-l", 0, stdin=b"abc"), b"\n")


class Numbers(Case):
    def test_uuids(self):
        texts = self.ok("uuid", 1000).decode().split()
        self.assertEqual(len(set(texts)), 1000)
        for text in texts:
            self.assertEqual((str(uuid.UUID(text)), uuid.UUID(text).version), (text, 4))
            self.assertEqual(uuid.UUID(text).variant, uuid.RFC_4122)
        self.assertEqual(self.ok("uuid", 0), b"")

    def test_sorted_uuids(self):
        before = int(time.time() * 1000)
        texts = self.ok("uuid", "--sorted", 1000).decode().split()
        self.assertEqual(sorted(set(texts)), texts)
        for text in texts:
            self.assertEqual(uuid.UUID(text).int >> 76 & 15, 7)
            self.assertLess(abs((uuid.UUID(text).int >> 80) - before), 600000)

    def test_seeded_uuids(self):
        said = self.ok("uuid", 3, *SEEDED)
        self.assertEqual(self.ok("uuid", 3, *SEEDED), said)
        stream = self.ok("read", 48, *SEEDED)
        for i, text in enumerate(said.decode().split()):
            self.assertEqual(text, str(uuid.UUID(bytes=stream[16 * i:16 * i + 16], version=4)))
        said = self.ok("uuid", "--sorted", "--time", 0x123456789abc, *SEEDED).decode()
        self.assertTrue(said.startswith("12345678-9abc-7"), said)

    def numbers(self, *words):
        return [int(line) for line in self.ok("int", *words).split()]

    def test_ranges(self):
        self.assertEqual(set(self.numbers(1, 6, "-n", 300)), set(range(1, 7)))
        self.assertEqual(set(self.numbers(-3, 3, "-n", 300)), set(range(-3, 4)))
        self.assertEqual(set(self.numbers(-6, -3, "-n", 300)), set(range(-6, -2)))
        self.assertEqual(set(self.numbers(2, "-n", 300)), {0, 1, 2})
        self.assertEqual(self.numbers(7, 7), [7])
        self.assertEqual(self.numbers(0), [0])
        self.assertEqual(self.numbers(-2**63, -2**63), [-2**63])
        self.assertEqual(self.numbers(2**64 - 1, 2**64 - 1), [2**64 - 1])
        self.assertEqual(self.numbers(6, "-n", 0), [])
        self.assertTrue(any(n > 2**63 for n in self.numbers(2**64 - 1, "-n", 100)))
        wide = self.numbers(-2**63, 2**63 - 1, "-n", 100)
        self.assertTrue(min(wide) < -2**60 and max(wide) > 2**60)

    def test_what_is_no_number_though_it_looks_like_a_negative_one(self):
        """An option's argument is taken as it is, and hidden from other users as ever."""
        self.assertEqual(self.numbers(10**9, "--seed", "-5"), self.numbers(10**9, "--seed=-5"))
        self.assertEqual(self.numbers(-10**9, "-2", "--seed", "-5"), self.numbers("--seed=-5", "--", -10**9, -2))
        self.bad(TROUBLE, "int", 6, "--key-file", "-5", says="cannot open '-5'")
        self.bad(TROUBLE, "int", 6, "--device", "-5", "--count", "-5", says="--count '-5' is not")
        process = subprocess.Popen([TOOL, "int", "6", "--count", "1000000", "--seed", "-5hush"],
                                   stdout=subprocess.PIPE)
        process.stdout.read(1)
        self.assertNotIn(b"hush", read("/proc/%d/cmdline" % process.pid))
        process.kill()
        process.stdout.close()
        process.wait()

    def test_distinct(self):
        self.assertEqual(sorted(self.numbers(1, 49, "-n", 49, "--distinct")), list(range(1, 50)))
        self.assertEqual(sorted(self.numbers(-5, 5, "-n", 11, "--distinct")), list(range(-5, 6)))
        self.assertEqual(len(set(self.numbers(2**64 - 2, "-n", 1000, "--distinct"))), 1000)
        self.bad(TROUBLE, "int", 2**64 - 1, "-n", 5, "--distinct", says="narrow the range by one")
        self.bad(TROUBLE, "int", 2**63, "-n", 2**62, "--distinct", says="memory")

    def test_seeded(self):
        self.assertEqual(self.numbers(1, 10**6, "-n", 50, *SEEDED), self.numbers(1, 10**6, "-n", 50, *SEEDED))
        self.assertNotEqual(self.numbers(1, 10**6, "-n", 50, *SEEDED),
                            self.numbers(1, 10**6, "-n", 50, *SEEDED, "--stream", 1))
        word = int.from_bytes(self.ok("read", 8, *SEEDED), "little")
        self.assertEqual(self.numbers(2**64 - 1, *SEEDED), [word])


class Facts(Scratch):
    def test_info(self):
        text = self.ok("info").decode()
        self.assertRegex(text, r"(?m)^version +\d+\.\d+\.\d+ \(interface 1\)$")
        self.assertRegex(text, r"(?m)^random bytes +(aes256-ctr|chacha20|shake256), by \w+$")
        self.assertRegex(text, r"(?m)^  aes +.*\[\w+\]")
        self.assertRegex(text, r"(?m)^self tests +passed$")
        for form in FORMATS:
            self.assertIn(" " + form, text)

    def test_bench(self):
        text = self.ok("bench", "--time", 2).decode()
        lines = text.splitlines()[2:]
        self.assertEqual(len(lines), 1 + 3 + len(FORMATS))
        self.assertNotIn("not measured", text)
        rates = [float(line[48:57]) for line in lines]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertRegex(text, r"/dev/urandom +kernel +\d+ +1\.00 +\d+ +1\.00")
        self.assertEqual(len(self.ok("bench", "--time", 1, "--jobs", 3).splitlines()), 20)

    def test_doctor(self):
        self.assertIn(b"all is well: version", self.ok("doctor"))

    @contextlib.contextmanager
    def changed_node(self):
        """The node may be changed; afterwards it is as before."""
        before = os.stat("/dev/shakerandom")
        try:
            yield before
        finally:
            if os.path.lexists("/dev/shakerandom"):
                os.unlink("/dev/shakerandom")
            os.mknod("/dev/shakerandom", before.st_mode, before.st_rdev)
            os.chmod("/dev/shakerandom", stat.S_IMODE(before.st_mode))

    def cure(self, problem):
        done = run("doctor")
        found, remedy = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, NO)
        self.assertIn(problem, found)
        shell(remedy.removeprefix("remedy:").split("   ")[0])
        self.assertIn(b"all is well", self.ok("doctor"))

    def test_doctor_mends_the_node(self):
        # The guest's root is that of the host, which may be a container: there the advice is another.
        for mark in ("/.dockerenv", "/run/.containerenv"):
            with contextlib.suppress(OSError):
                os.unlink(mark)
            if os.path.exists(mark):
                self.skipTest("this looks like a container: there is %s, and it cannot be removed" % mark)
        with self.changed_node():
            os.unlink("/dev/shakerandom")
            self.cure("is missing")
            os.unlink("/dev/shakerandom")
            os.mknod("/dev/shakerandom", 0o20666, os.makedev(1, 3))
            self.bad(TROUBLE, "read", 5, says="not a shakerandom device")
            self.cure("is something else")

    def test_doctor_and_permission(self):
        tool = shutil.copy(shutil.which(TOOL), "/tmp")
        with self.changed_node():
            os.chmod("/dev/shakerandom", 0o600)
            done = subprocess.run([tool, "read", "5"], user=NOBODY, capture_output=True, check=False)
            self.assertEqual(done.returncode, TROUBLE)
            self.assertIn(b"no permission", done.stderr)
            done = subprocess.run([tool, "doctor"], user=NOBODY, capture_output=True, check=False)
            self.assertEqual(done.returncode, NO)
            self.assertIn(b"problem: you have no permission to open", done.stdout)
            self.assertIn(b"remedy:  sudo chmod 666 /dev/shakerandom", done.stdout)

    def test_everybody_may(self):
        tool = shutil.copy(shutil.which(TOOL), "/tmp")
        for words in (["read", "5"], ["read", "5", *SEEDED], ["doctor"], ["bench", "--time", "1"]):
            subprocess.run([tool, *words], user=NOBODY, capture_output=True, check=True)

    def test_no_descriptors(self):
        # The file takes the last one; fewer would not do for the C library.
        done = subprocess.run("ulimit -n 4; %s xof /bin/sh" % TOOL, shell=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, TROUBLE)
        self.assertIn(b"too many open files", done.stderr)


class Examples(Scratch):
    def example(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=os.path.join(HERE, "examples"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def test_secrets(self):
        self.assertRegex(self.example("./secrets.sh"), r"(?s)key +[0-9a-f]{64}\npassword .*uuid .*dice .*lottery")

    def test_wipe_a_file(self):
        text = self.example("./wipe.sh", self.file, "5M")
        self.assertEqual(text.count("is as it was written"), 10)
        self.assertEqual(os.path.getsize(self.file), 5 * MIB)

    def test_wipe_a_disk(self):
        self.assertIn("verified 3145728 bytes", self.example("./wipe.sh", self.disk(3 * MIB)))

    def test_damage(self):
        self.assertIn("byte 123457 ", self.example("./damage.sh", self.file))

    def test_machines(self):
        self.assertIn("image: verified 1048576 bytes", self.example("./machines.sh", self.directory))

    def test_python(self):
        self.assertIn("byte 77 differs", self.example("./stream.py"))

    def test_c(self):
        text = self.example("../dice")
        self.assertEqual(len(re.findall(r"game 4 [1-6]$", text, re.M)), 5)
        self.assertEqual(re.findall(r"game 4 .", text), re.findall(r"game 4 .", self.example("../dice")))

    def test_cpp(self):
        self.assertRegex(self.example("../cards"), r"([A2-9TJQK][CDHS] ){5}\nheight \d+")


if __name__ == "__main__":
    unittest.util._MAX_LENGTH = 2000
    common.main()
