# SPDX-License-Identifier: GPL-2.0
"""What the checks share: the harness of ../vm, the files of the tree, running a tool on them."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent / "vm"))

from common import run      # noqa: E402 (the path above leads to it)

# The module is checked as built for this kernel.
MODULE_KERNEL = "amd64-6.1"
# checkpatch.pl is in the sources of this one.
SOURCE_KERNEL = "um-6.1"


class Failed(Exception):
    """What a tool found."""


class Skipped(Exception):
    """Why a check cannot be made here."""


def must_pass(*argv, hint="", **options):
    """What a tool printed; it has to be content."""
    done = run(argv, cwd=ROOT, **options)
    if done.returncode:
        raise Failed(done.stdout + hint)
    return done.stdout


def for_all(function, items):
    """Calls function(item) for all, on every processor; the failures together."""
    def attempt(item):
        try:
            function(item)
        except Failed as trouble:
            return str(trouble)
        return ""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        trouble = "".join(pool.map(attempt, items))
    if trouble:
        raise Failed(trouble)


def files(*tops, suffixes):
    """The files below some directories, relative to the tree. Not from git: what is new counts, and so does a
    tree that came in a tarball."""
    for top in tops:
        for directory, names, found in os.walk(ROOT / top):
            names[:] = sorted(name for name in names if name not in (".git", "build", "__pycache__"))
            for name in sorted(found):
                path = Path(directory, name).relative_to(ROOT)
                if path.suffix in suffixes:
                    yield path


def scripts(interpreter, suffixes):
    """The programs of one interpreter, by their first line or their name."""
    for path in files(".", suffixes=("", *suffixes)):
        with open(ROOT / path, "rb") as file:
            first = file.readline()
        if path.suffix in suffixes or first.startswith(b"#!") and interpreter.search(first):
            yield path


def listed(name):
    """The lines of a list of ours, without comments."""
    lines = (line.split("#")[0].strip() for line in (HERE / name).read_text(encoding="ascii").splitlines())
    return [line for line in lines if line]
