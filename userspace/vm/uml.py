# SPDX-License-Identifier: GPL-2.0
"""User-mode Linux: a kernel that is a program, with the real processor at native speed.

Its root is this machine's, read-only; a command's output comes back through files in the staging directory."""

import os
import secrets
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import kernelsource
from common import HERE, TIMED_OUT, Failure, cache, environment, say
from guest import BOOT_SECONDS, STERN, die_with_parent, new_log, stage


@dataclass(frozen=True)
class UmlFiles:
    home: Path

    @property
    def headers(self):
        """The built tree: what a module is compiled against."""
        return self.home

    @property
    def image(self):
        return self.home / "linux"

    @property
    def own_modules(self):
        """Modules of the kernel's own that tests load: KUnit, where it is one."""
        return sorted(self.home.glob("lib/kunit/kunit.ko"))


def ensure(kernel):
    return UmlFiles(kernelsource.ensure(kernel))


def has_smp(files):
    return "CONFIG_SMP=y" in (files.home / ".config").read_text(encoding="ascii").splitlines()


def arguments(kernel, files, staging, options):
    """UML's own command line; words it does not know go to init's environment."""
    argv = [files.image, "rootfstype=hostfs", "ro", f"mem={options.memory}M", f"init={staging}/init",
            "con=null", "con0=null,fd:1", "ssl=null", "quiet", *STERN,
            f"vm_staging={staging}", f"vm_insmod={int(options.insmod)}"]
    if options.smp > 1 and has_smp(files):
        argv += ["seccomp=on", f"ncpus={options.smp}"]
    return [str(word) for word in argv]


def read_output(staging, name):
    path = Path(staging, name)
    return path.read_bytes() if path.exists() else b""


def forward(target, data):
    try:
        while data:
            data = data[os.write(target, data):]
    except BrokenPipeError:
        pass


def verdict(staging, log):
    text = read_output(staging, "status").decode(errors="replace").strip()
    if text.isdigit():
        return int(text)
    console = log.read_text(errors="replace").splitlines()[-40:]
    raise Failure(f"the guest died{': ' + text if text else ''}\n    the end of its console ({log}):\n"
                  + "\n".join("    | " + line for line in console))


def wait(process, options):
    """A guest that hangs fails by its time; the command's own limit comes on top of booting."""
    limit = BOOT_SECONDS + options.timeout if options.timeout else None
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        say(f"the guest was stopped after {limit:g} seconds")
        return False
    finally:
        # Its helper processes are of its group.
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()
    return True


def run_command(kernel, files, modules, options):
    log = new_log(kernel)
    with tempfile.TemporaryDirectory(dir=cache("run")) as staging, open(log, "wb") as console:
        stage(Path(staging), modules, options, secrets.token_bytes(64))
        # There, because a path on the command line cannot have spaces.
        shutil.copy2(HERE / "uml-init", Path(staging, "init"))
        process = subprocess.Popen(arguments(kernel, files, staging, options), stdin=subprocess.DEVNULL,
                                   stdout=console, stderr=console, env=environment(TMPDIR="/dev/shm"),
                                   start_new_session=True, preexec_fn=die_with_parent)
        finished = wait(process, options)
        forward(1, read_output(staging, "stdout"))
        forward(2, read_output(staging, "stderr"))
        return verdict(staging, log) if finished else TIMED_OUT
