# SPDX-License-Identifier: GPL-2.0
"""A kernel's files in the cache: image, modules and headers, extracted and never installed."""

import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from archive import Archive
from common import Failure, cache, locked, must, say

FRESH_SECONDS = 24 * 3600
PARTS = r"linux-(base|binary|modules|headers|kbuild)-"


@dataclass(frozen=True)
class KernelFiles:
    release: str        # what `uname -r` says
    home: Path          # a directory of this very package version

    @property
    def image(self):
        return next(p for p in (self.home / "image/boot" / f"vmlinuz-{self.release}",
                                self.modules / self.release / "vmlinuz") if p.exists())

    @property
    def modules(self):
        return self.home / "image" / "usr/lib/modules"

    @property
    def headers(self):
        return next((self.home / "headers/usr/src").glob(f"linux-headers-{self.release}"))


@dataclass(frozen=True)
class BuiltFiles:
    home: Path          # the tree it was built in

    @property
    def release(self):
        return (self.home / "include/config/kernel.release").read_text(encoding="ascii").strip()

    @property
    def image(self):
        return self.home / "arch/x86/boot/bzImage"

    @property
    def modules(self):
        """It has all it needs built in."""
        path = self.home / "modules"
        (path / self.release).mkdir(parents=True, exist_ok=True)
        (path / self.release / "modules.dep").touch()
        return path

    @property
    def headers(self):
        return self.home


def natural(text):
    """Sort key: numbers by value."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def newest_release(kernel, archive):
    found = {kind: {name.removeprefix(f"linux-{kind}-") for name in archive.names(f"linux-{kind}-")}
             for kind in ("image", "headers")}
    releases = [r for r in found["image"] & found["headers"] if re.fullmatch(kernel.release, r)]
    if not releases:
        raise Failure(f"no kernel {kernel.name} in the Debian suites {', '.join(kernel.suites)}")
    return max(releases, key=natural)


def closure(archive, package):
    """A package and those it needs that are parts of the same kernel."""
    wanted, found = [package], {}
    while wanted:
        name = wanted.pop()
        fields = archive.show(name)
        found[name] = fields["version"]
        needed = re.split(r"[,|]\s*", fields.get("depends", ""))
        names = [dependency.split()[0] for dependency in needed if re.match(PARTS, dependency)]
        wanted += [n for n in names if n not in found]
    return found


def lay_flat(tree):
    """One place for modules and sources, whichever side of the /usr merge a package stands on."""
    old, new = tree / "lib/modules", tree / "usr/lib/modules"
    if old.is_dir():
        shutil.copytree(old, new, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(old)


def repoint(tree):
    """Make the absolute /usr paths inside extracted headers mean this tree."""
    for top, directories, files in os.walk(tree):
        for name in directories + files:
            path = Path(top, name)
            if path.is_symlink() and os.readlink(path).startswith(("/usr/", "/lib/")):
                target = tree / os.readlink(path).lstrip("/")
                path.unlink()
                path.symlink_to(os.path.relpath(target, path.parent))
    for makefile in tree.glob("usr/src/linux-headers-*/Makefile"):
        text = makefile.read_text(encoding="utf-8")
        here = "$(dir $(abspath $(lastword $(MAKEFILE_LIST))))../"
        text = text.replace("include /usr/src/", f"include {here}")
        # Now, because the last word is another one once that file has been read.
        makefile.write_text(text.replace("KBUILD_OUTPUT=/usr/src/", f"KBUILD_OUTPUT := {here}"), encoding="utf-8")


def extract(archive, packages, destination, finish):
    if destination.exists():
        return
    scratch = destination.with_name(destination.name + ".new")
    archive.unpack(packages, scratch)
    finish(scratch)
    scratch.rename(destination)


def finish_image(tree, release):
    lay_flat(tree)
    must(["depmod", "-b", tree / "usr", release])


def finish_headers(tree):
    lay_flat(tree)
    repoint(tree)


def resolve(kernel, record, patient):
    """Ask the archive which kernel is the newest, have its files in the cache, and note it."""
    archive = Archive(kernel.arch.debian, kernel.suites)
    unread = archive.update(patient)
    try:
        release = newest_release(kernel, archive)
    except Failure as error:
        raise unread or error
    if unread:
        say(f"{unread}\n    going on with what is known: {release}")
    image = closure(archive, f"linux-image-{release}:{kernel.arch.debian}")
    headers = closure(archive, f"linux-headers-{release}:{kernel.arch.debian}")
    version = next(iter(image.values()))
    home = cache("kernels", kernel.name, f"{release}_{version}")
    if not (home / "image").exists():
        say(f"fetching {kernel.name}: Linux {release}, Debian version {version}")
    extract(archive, image, home / "image", lambda tree: finish_image(tree, release))
    extract(archive, headers, home / "headers", finish_headers)
    record.write_text(json.dumps({"release": release, "home": str(home)}), encoding="utf-8")


def cached(record):
    try:
        noted = json.loads(record.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    files = KernelFiles(noted["release"], Path(noted["home"]))
    complete = all((files.home / part).is_dir() for part in ("image", "headers"))
    return files if complete else None


def ensure(kernel):
    """The files of a kernel; the network is needed the first time only."""
    record = cache("kernels", kernel.name) / "newest.json"
    with locked(f"kernel-{kernel.name}"):
        files = cached(record)
        if files and time.time() - record.stat().st_mtime < FRESH_SECONDS:
            return files
        try:
            resolve(kernel, record, patient=not files)
        except Failure as error:
            if not files:
                raise
            say(f"using the cached {files.release}, as looking for a newer one failed: "
                + str(error).splitlines()[0])
            os.utime(record)        # do not keep an offline user waiting for every run
        return cached(record)
