# SPDX-License-Identifier: GPL-2.0
"""The guests: one row an architecture, one row a kernel. No package version stands here."""

from dataclasses import dataclass

from common import Failure, must


@dataclass(frozen=True)
class Arch:
    debian: str         # Debian's name
    qemu: str           # the emulator, and the package it comes in
    package: str
    machine: tuple      # arguments of the emulator
    console: str
    kernel: str         # ARCH= of the kernel's makefiles
    cross: str          # prefix of the compiler on a machine of another architecture
    cpu: str = "max"    # QEMU's processor model


@dataclass(frozen=True)
class Kernel:
    name: str
    arch: Arch
    suites: tuple       # where Debian keeps it
    release: str        # pattern of `uname -r`; the highest match in the suites is taken
    gcc: str = "12"     # the compiler Debian built it with, which its makefiles ask for
    newer: bool = False     # of a newer Debian than this machine: built with that one's tools, see toolroot.py
    uml: bool = False   # a program, see uml.py
    words: tuple = ()   # for the makefiles that build the module
    config: tuple = ()  # files with its configuration: built from the source package of that name


ARCHES = {row.debian: row for row in (
    Arch("amd64", "qemu-system-x86_64", "qemu-system-x86",
         ("-machine", "pc"), "ttyS0", "x86", "x86_64-linux-gnu-",
         # QEMU 7.2 computes the upper half of a 256-bit VAESENC wrongly (our self tests found it).
         "max,-vaes"),
    # qemu-system-i386's largest processor is an Athlon the kernel warns about when there are two.
    Arch("i386", "qemu-system-x86_64", "qemu-system-x86",
         ("-machine", "pc"), "ttyS0", "x86", ""),        # amd64's compiler serves both
    Arch("arm64", "qemu-system-aarch64", "qemu-system-arm",
         ("-machine", "virt"), "ttyAMA0", "arm64", "aarch64-linux-gnu-",
         # Debian's kernels sign pointers; the architecture's own way of doing so takes the emulator most of its time.
         "max,pauth-impdef=on"),
    Arch("armhf", "qemu-system-arm", "qemu-system-arm",
         ("-machine", "virt,highmem=off"), "ttyAMA0", "arm", "arm-linux-gnueabihf-"),
    Arch("s390x", "qemu-system-s390x", "qemu-system-misc",
         ("-machine", "s390-ccw-virtio"), "ttysclp0", "s390", "s390x-linux-gnu-"),
)}

# User-mode Linux runs on this machine's own processor.
USER_MODE = Arch("amd64", "", "", (), "", "um", "")

KUNIT = "../../.kunitconfig"
BOOKWORM = ("bookworm", "bookworm-security")
TRIXIE = ("trixie", "trixie-security")
BACKPORTS = ("trixie", "trixie-backports")


def row(arch, version, suites, release, **more):
    return Kernel(f"{arch}-{version}", ARCHES[arch], suites, release, **more)


KERNELS = {kernel.name: kernel for kernel in (
    row("amd64", "6.1", BOOKWORM, r"6\.1\.\d+-\d+-amd64"),
    row("amd64", "6.1-rt", BOOKWORM, r"6\.1\.\d+-\d+-rt-amd64"),
    row("amd64", "6.12", BOOKWORM, r"6\.12\.\d+\+deb12-amd64"),
    row("amd64", "6.12-rt", BOOKWORM, r"6\.12\.\d+\+deb12-rt-amd64"),
    row("amd64", "6.12-deb13", TRIXIE, r"6\.12\.\d+\+deb13-amd64", newer=True),
    row("amd64", "7.x", BACKPORTS, r"7\.\d+\.\d+\+deb13-amd64", newer=True),
    row("amd64", "sid", ("sid",), r"\d+\.\d+\.\d+\+deb\d+-amd64", newer=True),
    row("arm64", "7.x", BACKPORTS, r"7\.\d+\.\d+\+deb13-arm64", newer=True),
    row("arm64", "6.1", BOOKWORM, r"6\.1\.\d+-\d+-arm64"),
    row("s390x", "6.1", ("bookworm",), r"6\.1\.\d+-\d+-s390x"),
    row("armhf", "6.1", ("bookworm",), r"6\.1\.\d+-\d+-armmp"),
    row("i386", "6.1", ("bookworm",), r"6\.1\.\d+-\d+-686-pae"),
    Kernel("um-6.1", USER_MODE, BOOKWORM, r"linux-source-6\.1", uml=True, config=(KUNIT, "uml.config")),
    Kernel("um-7", USER_MODE, ("trixie-backports",), r"linux-source-7\.\d+", uml=True,
           config=("kunit-module.config", "uml.config")),
    Kernel("um-6.1-gcov", USER_MODE, BOOKWORM, r"linux-source-6\.1", uml=True, words=("GCOV_PROFILE=y",),
           config=("gcov.config", KUNIT, "uml.config")),
    row("amd64", "6.1-debug", BOOKWORM, r"linux-source-6\.1", config=("debug.config", "kasan.config")),
    row("amd64", "6.1-kcsan", BOOKWORM, r"linux-source-6\.1", config=("debug.config", "kcsan.config")),
)}


def host_arch():
    return must(["dpkg", "--print-architecture"]).strip()


def find(name):
    """The kernel of that name; a bare version means the machine's own architecture."""
    for candidate in (name, f"{host_arch()}-{name}", f"amd64-{name}"):
        if candidate in KERNELS:
            return KERNELS[candidate]
    raise Failure(f"KERNEL={name} is not known; these are:\n    " + "\n    ".join(KERNELS))
