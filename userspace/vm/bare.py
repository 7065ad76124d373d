# SPDX-License-Identifier: GPL-2.0
"""A guest that has nothing but its initramfs, so that QEMU can freeze, clone and search it: a shell on a
serial line, and QEMU's monitor."""

import gzip
import json
import re
import shlex
import socket
import subprocess
import time

from common import HERE, Failure, environment
from guest import accelerator, die_with_parent
from initramfs import busybox, cpio

SECONDS = 120       # any one answer may take


def ramdisk(kernel, module, programs, target):
    """An initramfs with the module and static programs, whatever they are called."""
    files = [("bin/busybox", busybox(kernel)), ("init", (HERE / "init-bare").read_bytes()),
             ("shakerandom.ko", module.read_bytes())]
    files += [(f"bin/{path.name}", path.read_bytes()) for path in programs]
    target.write_bytes(gzip.compress(cpio(("bin", "proc", "sys", "dev", "tmp"), files), 1))
    return target


class Lines:
    """One end of a socket, read up to a pattern."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + SECONDS
        while True:
            try:
                return self.socket.connect(str(path))
            except (FileNotFoundError, ConnectionRefusedError) as error:
                if time.monotonic() > end:
                    raise Failure(f"QEMU does not open {path}") from error
                time.sleep(0.05)

    held = ""

    def send(self, text):
        self.socket.sendall(text.encode())

    def until(self, pattern, seconds=SECONDS):
        """The match, with what stood before it in .string[:start]."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.held)):
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError as error:
                raise Failure(f"no '{pattern}' in {seconds} s; got: {self.held[-2000:]}") from error
            if not data:
                raise Failure(f"the guest ended before '{pattern}'; got: {self.held[-2000:]}")
            self.held += data.decode(errors="replace")
        before, self.held = self.held[:found.start()], self.held[found.end():]
        return before, found


class BareGuest:
    """With 'incoming', the guest whose state was saved in that file, as it was."""

    def __init__(self, kernel, image, ramdisk_path, directory, append="", cpu=None, devices=(), incoming=None, mem=256):
        self.directory, self.count = directory, 0
        self.log = directory / "console"
        argv = [kernel.arch.qemu, *kernel.arch.machine, "-accel", accelerator(), "-cpu", cpu or kernel.arch.cpu,
                "-smp", "2", "-m", str(mem), "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
                "-kernel", str(image), "-initrd", str(ramdisk_path), *devices,
                "-append", f"console={kernel.arch.console} panic=-1 panic_on_warn=1 oops=panic vm_insmod=1 {append}",
                "-serial", f"file:{self.log}",
                "-chardev", f"socket,id=shell,path={directory}/shell,server=on,wait=off", "-serial", "chardev:shell",
                "-qmp", f"unix:{directory}/monitor,server=on,wait=off"]
        if incoming:
            argv += ["-incoming", f"exec:cat {shlex.quote(str(incoming))}"]
        for name in ("shell", "monitor"):
            (directory / name).unlink(missing_ok=True)
        with open(directory / "qemu", "wb") as errors:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                            env=environment(), start_new_session=True, preexec_fn=die_with_parent)
        try:
            self.shell = Lines(directory / "shell")
            self.monitor = Lines(directory / "monitor")
            self.monitor.until(r'"QMP".*\n')
            self.qmp("qmp_capabilities")
            if not incoming:
                self.shell.until("ready\r?\n", 300)
        except Failure as error:
            self.stop()
            raise Failure(f"{error}\n{self.last_words()}") from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.kill()
        self.process.wait()

    def last_words(self):
        return "\n".join((self.directory / name).read_text(errors="replace")[-3000:] for name in ("console", "qemu")
                         if (self.directory / name).exists())

    def qmp(self, name, **arguments):
        self.monitor.send(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        _, found = self.monitor.until(r'\{"(return|error)": (.*)\}\r?\n')
        if found[1] == "error":
            raise Failure(f"QEMU refuses {name}: {found[2]}")
        return json.loads(found[2])

    def type(self, command):
        self.shell.send(command + "\n")

    def run(self, command, seconds=SECONDS):
        """What a command printed; it must succeed."""
        self.count += 1
        self.type(f"{{ {command}; }} </dev/null 2>&1; echo \"<$?:{self.count}>\"")
        text, found = self.shell.until(rf"<(\d+):{self.count}>\r?\n", seconds)
        if found[1] != "0":
            raise Failure(f"'{command}' in the guest: status {found[1]}: {text}")
        return text

    def dump(self, path, mem=256):
        """All of its memory in a file, as it is at this moment."""
        self.qmp("stop")
        self.qmp("pmemsave", val=0, size=mem << 20, filename=str(path))

    def save(self, path):
        """Its whole state in a file; it stays stopped."""
        self.qmp("stop")
        self.qmp("migrate", uri=f"exec:cat > {shlex.quote(str(path))}")
        end = time.monotonic() + SECONDS
        while (status := self.qmp("query-migrate").get("status")) != "completed":
            if status == "failed" or time.monotonic() > end:
                raise Failure(f"the guest cannot be saved: {self.qmp('query-migrate')}")
            time.sleep(0.2)

    def wait_restored(self):
        end = time.monotonic() + SECONDS
        while self.qmp("query-status")["status"] != "running":
            if time.monotonic() > end:
                raise Failure("the saved guest does not run")
            if self.qmp("query-status")["status"] == "paused":
                self.qmp("cont")
            time.sleep(0.1)
