# SPDX-License-Identifier: GPL-2.0
"""The module: two compilers and sparse, the names it takes and gives, and what clang-tidy finds in it."""

import functools
import json
import re
import shlex
from fnmatch import fnmatch
from pathlib import Path

import kernelfiles
import kernels
from tools import HERE, MODULE_KERNEL, ROOT, Failed, Skipped, for_all, listed, must_pass

# What the kernel's makefiles add to every module.
OF_EVERY_MODULE = {"__this_module", "init_module", "cleanup_module"}
COMMAND = re.compile(r"(?:saved)?cmd_\S+ := (clang .* -o \S+ (\S+\.c))\s*$")


@functools.cache
def build(*settings):
    """The module; a warning is a failure."""
    printed = must_pass("env", f"KERNEL={MODULE_KERNEL}", "STRICT=1", *settings, HERE.parent / "vm/vm", "build")
    return next(Path(line) for line in printed.splitlines() if line.endswith("/shakerandom.ko"))


def sparse():
    build("SPARSE=1")


def clang():
    build("CLANG=1")


def built(*settings):
    """The same for checks of what was built: that it does not build is another's failure."""
    try:
        return build(*settings)
    except Failed as trouble:
        raise Skipped("the module does not build") from trouble


def symbols(*options):
    printed = must_pass("nm", "--format=posix", *options, built("SPARSE=1"))
    return {line.split()[0] for line in printed.splitlines()}


def imports():
    """The kernel's functions we live by: each may change under us, so each is chosen."""
    needed, allowed = symbols("--undefined-only"), listed("imports")
    new = sorted(name for name in needed if not any(fnmatch(name, pattern) for pattern in allowed))
    gone = [name for name in allowed if "*" not in name and name not in needed]
    lines = [f"{name}: a new import. Do without it; if it is long-lived, is no kernel crypto and all kernels from 6.1 "
             "export it to a GPL module, add it to userspace/lint/imports" for name in new]
    lines += [f"{name}: not imported any more: remove it from userspace/lint/imports" for name in gone]
    if lines:
        raise Failed("\n".join(lines))


def names():
    """In the kernel all global names are in one space, kallsyms and stack traces too."""
    strange = sorted(name for name in symbols("--defined-only", "--extern-only") - OF_EVERY_MODULE
                     if not name.startswith(("srnd_", "shakerandom_")))
    if strange:
        raise Failed("\n".join(f"{name}: make it static, or begin it with srnd_" for name in strange))


def headers():
    """The makefiles compile there; some of their paths are relative."""
    return kernelfiles.ensure(kernels.find(MODULE_KERNEL)).headers


def commands():
    """Where the makefiles compiled, and how: (source, command)."""
    for record in sorted(built("CLANG=1").parent.glob("driver/**/.*.o.cmd")):
        match = COMMAND.match(record.read_text(encoding="utf-8").split("\n", 1)[0])
        if match:
            yield Path(match[2]), match[1]


def kernel_names():
    """No name of ours is one of the kernel's own cryptography."""
    command = shlex.split(next(command for source, command in commands() if source.name == "pool.c"))
    keep = command[:command.index("-c")]
    must_pass("env", f"--chdir={headers()}", *keep, "-Werror", "-Wno-address-of-packed-member", "-fsyntax-only",
              ROOT / "kunit/names.c")


def tidy():
    directory = built("CLANG=1").parent
    database = [{"directory": str(headers()), "command": command, "file": str(source)}
                for source, command in commands()]
    (directory / "compile_commands.json").write_text(json.dumps(database), encoding="utf-8")
    for_all(lambda row: must_pass("clang-tidy", "--quiet", f"--config-file={HERE / 'clang-tidy'}", "-p", directory,
                                  row["file"]), database)
