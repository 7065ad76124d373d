# SPDX-License-Identifier: GPL-2.0
"""The header of the user interface: compiles alone, anywhere, to the same numbers."""

import itertools
import platform

from common import run
from tools import HERE, Skipped, must_pass

STRICT = ("-Wall", "-Wextra", "-Wpadded", "-Wconversion", "-Werror", "-pedantic", "-fsyntax-only")
COMPILERS = (*((compiler, f"-std={standard}") for compiler in ("gcc", "clang") for standard in ("c99", "c11", "gnu17")),
             *((compiler, f"-std=c++{year}") for compiler in ("g++", "clang++") for year in (11, 14, 17, 20)))


def widths():
    """-m32 needs no 32-bit library: the kernel's headers are the same for both."""
    directory = run(["gcc", "-print-multiarch"]).stdout.strip()
    return [("-m64",), ("-m32", "-isystem", f"/usr/include/{directory}")]


def check():
    if platform.machine() != "x86_64":
        raise Skipped("-m32 is a thing of x86-64")

    for (compiler, standard), width in itertools.product(COMPILERS, widths()):
        language = "c++" if "++" in compiler else "c"
        must_pass(compiler, standard, *width, *STRICT, "-x", language, HERE / "layout.c")
