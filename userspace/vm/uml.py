# SPDX-License-Identifier: GPL-2.0
"""User-mode Linux: a kernel that is a program, with the real processor at native speed.

Built once from Debian's kernel source into the cache, keyed by version and configuration. Its root is
this machine's, read-only; a command's output comes back through files in the staging directory."""

import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from archive import Archive
from common import HERE, TIMED_OUT, Failure, cache, environment, locked, must, say, short_hash
from guest import BOOT_SECONDS, die_with_parent, new_log, stage
from kernelfiles import natural
from kernels import host_arch


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


def newest_source(kernel, archive):
    names = [name for name in archive.names("linux-source-") if re.fullmatch(kernel.release, name)]
    if not names:
        raise Failure(f"no source of {kernel.name} in the Debian suites {', '.join(kernel.suites)}")
    return max(names, key=natural)


def unpack_source(archive, package, scratch):
    """The package holds a tarball."""
    packed = scratch.with_name(scratch.name + ".deb")
    archive.unpack([package], packed)
    tarball = next((packed / "usr/src").glob("linux-source-*.tar.xz"))
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    must(["tar", "-xf", tarball, "-C", scratch, "--strip-components=1"])
    shutil.rmtree(packed)


def check_configuration(tree, wanted):
    """Kconfig drops what it cannot have without a word; we would rather know."""
    have = set((tree / ".config").read_text(encoding="ascii").splitlines())
    missing = [line for line in wanted.splitlines() if line.startswith("CONFIG_") and line not in have]
    if missing:
        raise Failure("this kernel source does not take its configuration:\n    " + "\n    ".join(missing))


def compile_kernel(tree, config):
    (tree / "vm.config").write_text(config, encoding="ascii")
    must(["make", "-C", tree, "ARCH=um", "KCONFIG_ALLCONFIG=vm.config", "allnoconfig"])
    check_configuration(tree, config)
    must(["make", "-C", tree, "ARCH=um", f"-j{os.cpu_count()}"])


def build_kernel(kernel, record):
    archive = Archive(host_arch(), kernel.suites)
    trouble = archive.update()
    if trouble:
        say(str(trouble).splitlines()[0])
    package = newest_source(kernel, archive)
    config = configuration(package)
    home = cache("kernels", kernel.name) / f"{archive.show(package)['version']}-{short_hash(config)}"
    if not home.exists():
        say(f"building {kernel.name} from {package}: a few minutes, once")
        scratch = home.with_name(home.name + ".new")
        unpack_source(archive, package, scratch)
        compile_kernel(scratch, config)
        scratch.rename(home)
    record.write_text(str(home), encoding="utf-8")


def configuration(package):
    """The options for this version: those after '# from N.M:' are for newer kernels only."""
    lines, wanted = [], True
    ours = tuple(map(int, package.removeprefix("linux-source-").split(".")))
    for line in (HERE / "uml.config").read_text(encoding="ascii").splitlines():
        rule = re.match(r"# from (\d+)\.(\d+):", line)
        if rule:
            wanted = ours >= (int(rule[1]), int(rule[2]))
        elif wanted and line.startswith("CONFIG_"):
            lines.append(line)
    return "\n".join(lines) + "\n"


def ensure(kernel):
    """The built kernel. Its version is settled when it is first built: building takes minutes."""
    record = cache("kernels", kernel.name) / f"built-{short_hash((HERE / 'uml.config').read_text())}"
    with locked(f"kernel-{kernel.name}"):
        if not (record.exists() and (Path(record.read_text(encoding="utf-8")) / "linux").exists()):
            build_kernel(kernel, record)
        return UmlFiles(Path(record.read_text(encoding="utf-8")))


def has_smp(files):
    return "CONFIG_SMP=y" in (files.home / ".config").read_text(encoding="ascii").splitlines()


def arguments(kernel, files, staging, options):
    """UML's own command line; words it does not know go to init's environment."""
    argv = [files.image, "rootfstype=hostfs", "ro", f"mem={options.memory}M", f"init={HERE / 'uml-init'}",
            "con=null", "con0=null,fd:1", "ssl=null", "quiet", "panic=-1", "panic_on_warn=1", "oops=panic", "kunit.enable=1",
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
        process = subprocess.Popen(arguments(kernel, files, staging, options), stdin=subprocess.DEVNULL,
                                   stdout=console, stderr=console, env=environment(TMPDIR="/dev/shm"),
                                   start_new_session=True, preexec_fn=die_with_parent)
        finished = wait(process, options)
        forward(1, read_output(staging, "stdout"))
        forward(2, read_output(staging, "stderr"))
        return verdict(staging, log) if finished else TIMED_OUT
