# SPDX-License-Identifier: GPL-2.0
"""The guest's first file system: busybox, the few modules that reach the host, and ./init."""

import gzip
import lzma
import shutil
import stat

from archive import Archive
from common import HERE, cache, locked
from kernelfiles import extract

# In the order they are loaded; what a kernel has built in, or lacks, is left out.
MODULES = ("virtio_pci", "virtio_mmio", "virtio_console", "virtio_rng", "9pnet_virtio", "9p", "overlay")


def dependencies(modules):
    """modules.dep as a dictionary: name -> paths, what has to come first at the end."""
    table = {}
    for line in (modules / "modules.dep").read_text(encoding="ascii").splitlines():
        path, _, needed = line.partition(":")
        name = path.rsplit("/", 1)[-1].split(".ko")[0].replace("-", "_")
        table[name] = [path, *needed.split()]
    return table


def load_order(modules):
    table = dependencies(modules)
    order = []
    for name in MODULES:
        order += [path for path in reversed(table.get(name, ())) if path not in order]
    return order


def plain_module(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def cpio_entry(name, mode, data=b""):
    """One file in the newc format the kernel unpacks."""
    header = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % field for field in header) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def cpio(directories, files):
    entries = [cpio_entry(name, stat.S_IFDIR | 0o755) for name in directories]
    entries += [cpio_entry(name, stat.S_IFREG | 0o755, data) for name, data in files]
    return b"".join(entries) + cpio_entry("TRAILER!!!", 0)


def busybox(kernel):
    """The static busybox of the guest's architecture."""
    arch = kernel.arch.debian
    home = cache("busybox", arch) / "tree"
    with locked(f"busybox-{arch}"):
        if not home.exists():
            archive = Archive(arch, kernel.suites)
            archive.update()
            extract(archive, [f"busybox-static:{arch}"], home, lambda tree: None)
    return (home / "bin/busybox").read_bytes()


def ensure(kernel, files):
    """The initramfs of a kernel, made anew when ./init is newer."""
    result = files.home / "initramfs.gz"
    script = HERE / "init"
    with locked(f"initramfs-{kernel.name}"):
        if result.exists() and result.stat().st_mtime > script.stat().st_mtime:
            return result
        order = load_order(files.modules / files.release)
        contents = [("bin/busybox", busybox(kernel)), ("init", script.read_bytes())]
        for number, path in enumerate(order):
            name = f"modules/{number:02}-{path.rsplit('/', 1)[-1].split('.ko')[0]}.ko"
            contents.append((name, plain_module(files.modules / files.release / path)))
        image = cpio(("bin", "modules", "proc", "sys", "dev"), contents)
        scratch = result.with_suffix(".new")
        scratch.write_bytes(gzip.compress(image, 1))
        shutil.move(scratch, result)
    return result
