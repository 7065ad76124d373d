# SPDX-License-Identifier: GPL-2.0
"""The Debian packages this machine needs; installed by apt-get when they are missing."""

import os
import shutil
import subprocess
import time

from common import Failure, environment, run, say
from kernels import host_arch

BUILD = ("make", "libc6-dev", "libelf1", "kmod")
# The guest sees this machine's own programs.
GUEST = ("python3", "openssl", "bsdextrautils", "xxd", "libkcapi1")
SOURCE = ("gcc", "flex", "bison", "bc", "xz-utils", "libelf-dev", "libssl-dev")
TRIES = 4
LOCK_SECONDS = 300      # a new machine may be at its own upgrades


def compiler(kernel):
    """The package of the compiler for a guest's module."""
    if kernel.arch.debian == host_arch() or not kernel.arch.cross:
        return f"gcc-{kernel.gcc}"
    return f"gcc-{kernel.gcc}-{kernel.arch.cross.rstrip('-').replace('_', '-')}"


def wanted(kernel):
    emulator = (kernel.arch.package,) if kernel.arch.package else ()
    tools = ("util-linux",) if kernel.newer else (compiler(kernel),)
    return [*BUILD, *GUEST, *tools, *emulator, *(SOURCE if kernel.config else ())]


def missing(packages):
    listing = run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"]).stdout
    installed = {line.split()[0] for line in listing.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in installed]


def as_root():
    """What to put before a command that needs root, or None when we cannot be root."""
    if os.geteuid() == 0:
        return []
    # Ask for a password only where somebody can type one.
    quiet = [] if os.isatty(0) else ["-n"]
    return ["sudo", *quiet] if shutil.which("sudo") else None


def apt_get(prefix, *arguments):
    """Run apt-get with its output on our standard error, where progress belongs."""
    argv = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y",
            "-o", "Acquire::Retries=3", "-o", "Dpkg::Use-Pty=0", "-o", f"DPkg::Lock::Timeout={LOCK_SECONDS}",
            *arguments]
    return subprocess.run(argv, check=False, stdout=2, env=environment()).returncode == 0


def install(packages):
    """Bring packages onto this machine, or say what the user has to type."""
    remedy = f"    as root:  apt-get update && apt-get install --no-install-recommends {' '.join(packages)}"
    prefix = as_root()
    if prefix is None:
        raise Failure(f"these Debian packages are missing, and there is no sudo to install them:\n{remedy}")
    say(f"installing the Debian packages {' '.join(packages)}")
    for attempt in range(TRIES):
        if attempt:
            time.sleep(2 ** attempt)
        apt_get(prefix, "update")       # its failure may concern another archive: let install judge
        # Debian's gcc-multilib and cross compilers exclude each other: nobody's are taken away.
        if apt_get(prefix, "install", "--no-remove", "--no-install-recommends", *packages):
            return
        if os.geteuid() and run(["sudo", "-n", "true"]).returncode:
            break                       # no permission: trying again cannot help
    raise Failure("could not install the Debian packages that are missing (network or permission, see above):\n"
                  + remedy)


def ensure(packages):
    absent = missing(dict.fromkeys(packages))
    if absent:
        install(absent)
