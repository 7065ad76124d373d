# SPDX-License-Identifier: GPL-2.0
"""Builds the module for a kernel in a copy of the sources, so that the work tree stays clean."""

import os
import re
import shutil
from pathlib import Path

import deps
import toolroot
from common import Failure, cache, locked, run, say, short_hash, source_root
from kernels import host_arch

SOURCES = ("Kbuild", "driver", "uapi", "kunit")
TROUBLE = re.compile(r"(?mi)^.*\b(warning|error)\b.*$")
# Debian's kernels are configured for gcc. Clang takes their headers when what only gcc can do is left out, and
# objtool with it, which misses just that.
CLANG = ("CC=clang", "CONFIG_CC_IS_GCC=", "CONFIG_GCC_VERSION=0", "CONFIG_CC_IS_CLANG=y", "CONFIG_CLANG_VERSION=140000",
         "CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough", "CONFIG_CC_HAS_AUTO_VAR_INIT_ZERO_ENABLER=y",
         "CONFIG_RETHUNK=", "CONFIG_FTRACE_MCOUNT_USE_CC=", "CONFIG_DEBUG_INFO=", "CONFIG_OBJTOOL=",
         "KCFLAGS=-Wno-address-of-packed-member")   # the kernel's own headers do


def mirror(source, destination):
    """Copy what changed, keeping times so that make rebuilds no more; remove what went away."""
    ours = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for relative in ours:
        copy_if_changed(source / relative, destination / relative)
    for path in destination.rglob("*.[chS]"):
        if path.relative_to(destination) not in ours and not path.name.endswith(".mod.c"):
            path.unlink()


def copy_if_changed(source, destination):
    before = source.stat()
    after = destination.stat() if destination.exists() else None
    if after and (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size):
        return
    destination.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, destination)


def copy_sources(root, directory):
    for name in SOURCES:
        path = root / name
        if path.is_dir():
            (directory / name).mkdir(exist_ok=True)
            mirror(path, directory / name)
        elif path.exists():
            copy_if_changed(path, directory / name)
    if not (directory / "Kbuild").exists():
        raise Failure(f"no Kbuild in {root}: this is not the source tree of the module")


def sparse_wrapper(directory):
    """Runs sparse on all but the variants: it knows no vector types."""
    wrapper = directory / "run-sparse"
    wrapper.write_text("""#!/bin/sh
for source; do :; done
case $source in */driver/core/*_*.c) exit 0 ;; esac
exec sparse "$@"
""", encoding="ascii")
    wrapper.chmod(0o755)
    return wrapper


def forget_objects(directory):
    """What was warned about once would not be compiled, and so not be mentioned, by the next build."""
    for path in Path(directory).rglob("*.o"):
        path.unlink()


def compile_module(kernel, files, directory):
    # Type information for tracers would need pahole, and serves nobody here.
    argv = ["make", "-C", files.headers, f"M={directory}", "W=1", f"-j{os.cpu_count()}",
            f"ARCH={kernel.arch.kernel}", "CONFIG_DEBUG_INFO_BTF_MODULES=", *kernel.words, "modules"]
    if os.environ.get("SPARSE"):
        argv[-1:] = ["C=2", f"CHECK={sparse_wrapper(directory)}", "modules"]
    if os.environ.get("CLANG"):
        argv[-1:-1] = CLANG
    if kernel.arch.debian != host_arch():
        argv.insert(-1, f"CROSS_COMPILE={kernel.arch.cross}")
    if kernel.newer:
        argv = toolroot.inside(toolroot.ensure(kernel, files), argv)
    done = run(argv)
    if done.returncode:
        raise Failure(f"the module does not build for {kernel.name}:\n{done.stdout}")
    if TROUBLE.search(done.stdout):
        forget_objects(directory)
        text = f"the compiler has something to say about {kernel.name}:\n{done.stdout}"
        if os.environ.get("STRICT"):
            raise Failure(text)
        say(text)


def module(kernel, files):
    """The modules built from the sources, ready to load into that kernel."""
    deps.ensure(deps.wanted(kernel))
    root = source_root()
    name = kernel.name + ("-clang" if os.environ.get("CLANG") else "")
    directory = cache("build", name, short_hash(f"{root} {files.home}"))
    with locked(f"build-{name}-{directory.name}"):
        copy_sources(root, directory)
        compile_module(kernel, files, directory)
        modules = sorted(Path(directory).glob("*.ko"))
    if not modules:
        raise Failure(f"the build for {kernel.name} made no .ko file; see {root}/Kbuild")
    return modules
