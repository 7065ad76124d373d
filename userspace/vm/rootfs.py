# SPDX-License-Identifier: GPL-2.0
"""The guest's root file system: this machine's own, or packages of another architecture."""

from archive import Archive
from common import cache, locked, say, short_hash
from kernels import host_arch

PACKAGES = ("bash", "dash", "coreutils", "diffutils", "findutils", "grep", "sed", "mawk", "gzip", "util-linux",
            "procps", "kmod", "mount", "openssl", "python3", "bsdextrautils", "xxd", "e2fsprogs")
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}


def finish(tree):
    """What the packages' own scripts would have made, as far as a command needs it."""
    for name, text in FILES.items():
        (tree / name).write_text(text, encoding="ascii")
    links = (("bin/sh", "dash"), ("usr/bin/awk", "mawk"))
    for name, target in links:
        if not (tree / name).exists():
            (tree / name).symlink_to(target)


def ensure(kernel):
    """The directory that becomes the guest's root."""
    arch = kernel.arch.debian
    if arch == host_arch():
        return "/"
    home = cache("roots", arch) / f"{kernel.suites[0]}-{short_hash(PACKAGES)}"
    with locked(f"root-{arch}"):
        if not home.exists():
            archive = Archive(arch, kernel.suites, native=arch)
            archive.update()
            say(f"fetching a small {arch} system")
            fetch(archive, home)
    return home


def fetch(archive, home):
    scratch = home.with_name(home.name + ".new")
    archive.unpack_with_dependencies(PACKAGES, scratch)
    finish(scratch)
    scratch.rename(home)
