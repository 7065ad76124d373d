# SPDX-License-Identifier: GPL-2.0
"""Boots a kernel in QEMU and runs one command in it; its streams and status come back intact."""

import contextlib
import ctypes
import os
import secrets
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from common import FAILED, TIMED_OUT, Failure, cache, environment, say

BOOTS = 3               # at most, of a guest whose kernel dies by itself
BOOT_SECONDS = 300      # generous: an emulated machine on a busy host
KEPT_LOGS = 20
DAY = 24 * 3600
CHUNK = 1 << 16
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


@dataclass
class Options:
    command: str = ""
    files: list = field(default_factory=list)
    params: str = ""
    cpu: str = ""
    smp: int = 2
    memory: int = 1024
    timeout: float = 0
    insmod: bool = True


def accelerator():
    """KVM only where the processor says it can: elsewhere the device may open and then hang."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        flags = info.read().split()
    if {"svm", "vmx"} & set(flags) and os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "kvm"
    return "tcg,thread=multi"


def copy_file(source, directory):
    """Copy a file, directory or program of the user into the guest's working directory."""
    source = Path(source)
    try:
        if source.is_dir():
            shutil.copytree(source, directory / source.resolve().name, symlinks=True)
        else:
            shutil.copy2(source, directory / source.name)
    except (OSError, shutil.Error) as error:
        raise Failure(f"cannot copy '{source}' of FILES into the guest: {error}") from error


def stage(directory, modules, options, mark):
    """What the guest finds in the directory shared with it."""
    for name in ("files", "modules"):
        (directory / name).mkdir()
    for module in modules:
        shutil.copy2(module, directory / "modules")
    for name in options.files:
        copy_file(name, directory / "files")
    (directory / "command").write_text(options.command + "\n", encoding="utf-8", errors="surrogateescape")
    (directory / "params").write_text(options.params + "\n", encoding="utf-8", errors="surrogateescape")
    (directory / "mark").write_bytes(mark)


def share(tag, path):
    where = str(path).replace(",", ",,")
    return ["-virtfs", f"local,path={where},mount_tag={tag},security_model=none,readonly=on,multidevs=remap"]


def port(name, fd):
    return ["-chardev", f"socket,id={name},fd={fd}",
            "-device", f"virtserialport,chardev={name},name={name}"]


# A guest ends where its kernel finds a mistake; and one with KUnit runs what it loads, whatever it was built to do.
STERN = ("panic=-1", "panic_on_warn=1", "oops=panic", "kunit.enable=1", "kunit.autorun=1")


def machine(kernel, files, initramfs, staging, root, options, append):
    """The arguments common to every guest."""
    accel = os.environ.get("ACCEL") or accelerator()
    extra = shlex.split(os.environ.get("QEMU", ""))
    # In sockets: the tables that firmware has beside ACPI list no cores.
    words = (f"console={kernel.arch.console} {' '.join(STERN)} "
             f"vm_insmod={int(options.insmod)} {append}")
    return [kernel.arch.qemu, *kernel.arch.machine, "-accel", accel, "-cpu", options.cpu or kernel.arch.cpu,
            "-smp", f"{options.smp},sockets={options.smp}", "-m", str(options.memory), "-nodefaults", "-no-user-config",
            "-no-reboot", "-display", "none", "-kernel", str(files.image), "-initrd", str(initramfs),
            "-append", words, "-object", "rng-random,id=rng,filename=/dev/urandom", "-device", "virtio-rng,rng=rng",
            *share("root", root), *share("run", staging), *share("modules", files.modules), *extra]


def die_with_parent():
    """A harness that is killed takes its guest along."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def new_log(kernel):
    """A file for the console; the oldest ones go, but none of a guest that may still run."""
    ages = sorted((path.stat().st_mtime, path) for path in cache("log").glob("*.log"))
    for old in [path for age, path in ages[:-KEPT_LOGS] if time.time() - age > DAY]:
        old.unlink(missing_ok=True)
        Path(f"{old}.qemu").unlink(missing_ok=True)
    return cache("log") / f"{time.strftime('%Y%m%d-%H%M%S')}-{kernel.name}-{os.getpid()}.log"


@contextlib.contextmanager
def staging_directory():
    """The directory of one run; those of runs that were killed go after a week."""
    for left in cache("run").iterdir():
        if time.time() - left.stat().st_mtime > 7 * DAY:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=cache("run")) as path:
        yield Path(path)


class ReaderLeft(Exception):
    """Nobody reads our standard output any more."""


class StillBorn(Failure):
    """The kernel died before it was asked to load anything."""


class Stream:
    """One output of the guest, forwarded to a descriptor of ours up to the mark."""

    def __init__(self, target, mark):
        self.target, self.mark = target, mark
        self.held = b""
        self.ended = False

    def feed(self, data):
        data = self.held + data
        self.ended = data.endswith(self.mark)
        keep = len(self.mark) if self.ended else self.mark_begun(data)
        self.held = b"" if self.ended else data[len(data) - keep:]
        self.write(memoryview(data)[:len(data) - keep])

    def mark_begun(self, data):
        """How many bytes at the end may be the beginning of the mark."""
        longest = min(len(self.mark) - 1, len(data))
        return next((n for n in range(longest, 0, -1) if data.endswith(self.mark[:n])), 0)

    def write(self, data):
        while data:
            try:
                data = data[os.write(self.target, data):]
            except BlockingIOError:
                select.select([], [self.target], [])
            except BrokenPipeError as error:
                raise ReaderLeft from error


class Guest:
    """A running guest: its process, its ports and what is known of its fate."""

    def __init__(self, argv, log, mark, timeout):
        self.log, self.timeout = log, timeout
        self.streams = {"stdout": Stream(1, mark), "stderr": Stream(2, mark)}
        self.sockets = {}
        self.verdict = None
        self.messages = b""
        self.deadline = time.monotonic() + BOOT_SECONDS
        self.booted = self.started = False
        self.start(argv)

    def start(self, argv):
        argv = [*argv, "-serial", "file:" + str(self.log).replace(",", ",,"), "-device", "virtio-serial"]
        theirs = []
        for name in ("status", "stdout", "stderr"):
            self.sockets[name], other = socket.socketpair()
            theirs.append(other)
            argv += port(name, other.fileno())
        with open(f"{self.log}.qemu", "wb") as errors:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                            pass_fds=[s.fileno() for s in theirs], env=environment(),
                                            start_new_session=True, preexec_fn=die_with_parent)
        for other in theirs:
            other.close()

    def complete(self):
        return self.verdict is not None and all(stream.ended for stream in self.streams.values())

    def hear_status(self, data):
        self.messages += data
        *lines, self.messages = self.messages.split(b"\n")
        for line in lines:
            word, _, rest = line.decode(errors="replace").partition(" ")
            if word == "booted":
                self.booted = True
            elif word == "started":
                self.started = True
                self.deadline = time.monotonic() + self.timeout if self.timeout else None
            elif word == "exited":
                self.verdict = int(rest)
            elif word == "failed":
                raise Failure(f"the guest could not get ready: {rest}\n{self.last_words()}")

    def last_words(self):
        console = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        lines = [line for line in console[:-40] if "Kernel panic" in line] + console[-40:]
        lines += Path(f"{self.log}.qemu").read_text(errors="replace").splitlines()[-10:]
        return f"    the end of its console ({self.log}):\n" + "\n".join("    | " + line for line in lines)

    def wait_milliseconds(self):
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            limit = f"{self.timeout:g} seconds" if self.started else f"{BOOT_SECONDS} seconds of booting"
            raise TimeoutError(f"the guest was stopped after {limit}\n{self.last_words()}")
        return left * 1000 + 1

    def follow(self):
        """Forward everything until the guest has told its status and all of its output."""
        poll = select.poll()
        names = {sock.fileno(): name for name, sock in self.sockets.items()}
        for number in names:
            poll.register(number, select.POLLIN)
        poll.register(1, 0)     # nothing to wait for but the news that its reader left
        while not self.complete():
            for number, _ in poll.poll(self.wait_milliseconds()):
                if number not in names:
                    raise ReaderLeft
                self.hear(names[number])
        return self.verdict

    def hear(self, name):
        data = self.sockets[name].recv(CHUNK)
        if not data:
            self.process.wait()
            when = " while the command ran" if self.started else " while booting"
            raise (Failure if self.booted else StillBorn)(f"the guest died{when}\n{self.last_words()}")
        if name == "status":
            self.hear_status(data)
        else:
            self.streams[name].feed(data)

    def stop(self):
        self.process.kill()
        self.process.wait()
        for sock in self.sockets.values():
            sock.close()


def boot(argv, mark, kernel, timeout):
    """One guest, followed to its end."""
    guest = Guest(argv, new_log(kernel), mark, timeout)
    try:
        return guest.follow()
    except ReaderLeft:
        return 0
    except TimeoutError as error:
        say(str(error))
        return TIMED_OUT
    finally:
        guest.stop()


def run_command(kernel, files, initramfs, root, modules, options):
    """Run options.command in a fresh guest; returns the exit status for our own caller."""
    mark = secrets.token_bytes(16)
    with staging_directory() as staging:
        stage(staging, modules, options, mark)
        argv = machine(kernel, files, initramfs, staging, root, options, "quiet")
        # A kernel that patches its own code may, on another emulated processor, meet a breakpoint it has taken away.
        for _ in range(BOOTS - 1):
            try:
                return boot(argv, mark, kernel, options.timeout)
            except StillBorn as error:
                say(f"{error}\n    before it had anything of ours: it boots again")
        return boot(argv, mark, kernel, options.timeout)


def run_shell(kernel, files, initramfs, root, modules, options):
    """An interactive guest on this terminal."""
    if not (os.isatty(0) and os.isatty(1)):
        say("'shell' needs a terminal; for scripts there is 'run'")
        return FAILED
    with staging_directory() as staging:
        stage(staging, modules, options, b"")
        size = os.get_terminal_size()
        argv = machine(kernel, files, initramfs, staging, root, options,
                       f"quiet vm_mode=shell vm_term={os.environ.get('TERM', 'dumb')} "
                       f"vm_rows={size.lines or 24} vm_columns={size.columns or 80}")
        return subprocess.run([*argv, "-serial", "mon:stdio"], check=False, env=environment()).returncode
