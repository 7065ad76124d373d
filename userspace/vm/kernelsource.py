# SPDX-License-Identifier: GPL-2.0
"""Kernels we build ourselves, from Debian's source package: once, into the cache, keyed by version and
configuration."""

import os
import re
import shutil
from pathlib import Path

from archive import Archive
from common import HERE, Failure, cache, locked, must, say, short_hash
from kernelfiles import natural
from kernels import host_arch


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


def texts(kernel):
    """The configuration files of a kernel, one after the other."""
    return "".join((HERE / name).read_text(encoding="ascii") for name in kernel.config)


def configuration(kernel, package):
    """The options for this version: those after '# from N.M:' are for newer kernels only."""
    lines, wanted = [], True
    ours = tuple(map(int, package.removeprefix("linux-source-").split(".")))
    for line in texts(kernel).splitlines():
        rule = re.match(r"# from (\d+)\.(\d+):", line)
        if rule:
            wanted = ours >= (int(rule[1]), int(rule[2]))
        elif wanted and line.startswith("CONFIG_"):
            lines.append(line)
    return "\n".join(lines) + "\n"


def check_configuration(tree, wanted):
    """Kconfig drops what it cannot have without a word; we would rather know."""
    have = set((tree / ".config").read_text(encoding="ascii").splitlines())
    missing = [line for line in wanted.splitlines()
               if line not in have and (not line.endswith("=n") or line[:-2] + "=y" in have)]
    if missing:
        raise Failure("this kernel source does not take its configuration:\n    " + "\n    ".join(missing))


def compile_kernel(kernel, tree, config):
    make = ["make", "-C", tree, f"ARCH={kernel.arch.kernel}"]
    (tree / "vm.config").write_text(config, encoding="ascii")
    must([*make, "KCONFIG_ALLCONFIG=vm.config", "allnoconfig"])
    check_configuration(tree, config)
    must([*make, f"-j{os.cpu_count()}"])


def build_kernel(kernel, record):
    archive = Archive(host_arch(), kernel.suites)
    trouble = archive.update()
    if trouble:
        say(str(trouble).splitlines()[0])
    package = newest_source(kernel, archive)
    config = configuration(kernel, package)
    home = cache("kernels", kernel.name) / f"{archive.show(package)['version']}-{short_hash(config)}"
    if not home.exists():
        say(f"building {kernel.name} from {package}: some minutes, once")
        scratch = home.with_name(home.name + ".new")
        unpack_source(archive, package, scratch)
        compile_kernel(kernel, scratch, config)
        scratch.rename(home)
    record.write_text(str(home), encoding="utf-8")


def ensure(kernel):
    """The built tree. Its version is settled when it is first built: building takes minutes."""
    record = cache("kernels", kernel.name) / f"built-{short_hash(texts(kernel))}"
    with locked(f"kernel-{kernel.name}"):
        if not (record.exists() and Path(record.read_text(encoding="utf-8")).is_dir()):
            build_kernel(kernel, record)
        return Path(record.read_text(encoding="utf-8"))
