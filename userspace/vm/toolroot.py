# SPDX-License-Identifier: GPL-2.0
"""The headers of a newer Debian bring programs that need its C library, and ask for its compiler: a small system
of that suite, in the cache, in which modules for its kernels are built."""

import re

import rootfs
from archive import Archive
from common import Failure, cache, locked, say, short_hash
from kernels import host_arch
from sandbox import command

PACKAGES = ("base-files", "bash", "dash", "coreutils", "diffutils", "dpkg", "findutils", "grep", "gzip", "kmod",
            "libc-bin", "libelf1t64", "make", "mawk", "openssl", "perl-base", "sed", "tar", "util-linux", "xz-utils",
            "libc6-dev", "dkms", "pahole")


def compiler(kernel, files):
    """The package of the compiler that the headers name."""
    text = (files.headers / ".kernelvariables").read_text(encoding="ascii")
    found = re.search(r"\bgcc-\d+\b", text)
    if not found:
        raise Failure(f"the headers of {kernel.name} name no compiler")
    foreign = kernel.arch.debian != host_arch() and kernel.arch.cross
    return found[0] + ("-" + kernel.arch.cross.rstrip("-").replace("_", "-") if foreign else "")


def ensure(kernel, files):
    """The root directory to build in."""
    packages = (*PACKAGES, compiler(kernel, files))
    home = cache("tools", kernel.suites[0]) / short_hash(packages)
    with locked(f"tools-{home.name}"):
        if not home.exists():
            archive = Archive(host_arch(), kernel.suites[:1], native=host_arch())
            archive.update()
            say(f"fetching the {packages[-1]} of {kernel.suites[0]}")
            archive.unpack_with_dependencies(packages, home.with_name(home.name + ".new"))
            rootfs.finish(home.with_name(home.name + ".new"))
            home.with_name(home.name + ".new").rename(home)
    return home


def inside(root, argv, *trees, binds=(), directory="/"):
    """argv in that root, where the cache, these trees and the machine's devices have the places they have outside."""
    same = [(path, path) for path in ("/proc", "/dev", cache(), *trees)]
    return command(argv, [*same, *binds], root, directory)
