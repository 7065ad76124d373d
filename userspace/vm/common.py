# SPDX-License-Identifier: GPL-2.0
"""What every part of the harness needs: messages, the cache, locks, running programs."""

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAILED, TIMED_OUT = 125, 124

# What the make above us says is meant for it, not for the programs we start.
PRIVATE_VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "MAKEFILES",
                     "CMD", "FILES", "PARAMS", "KERNEL", "CPU", "SMP", "MEM", "TIMEOUT",
                     "INSMOD", "KDIR", "ARCH", "CROSS_COMPILE")


class Failure(Exception):
    """A problem the user can read and act on."""


class Unreachable(Failure):
    """The Debian archive did not give what was asked of it."""


def say(text):
    print(f"vm: {text}", file=sys.stderr, flush=True)


def source_root():
    """The tree the module is built from; another one can be named for trials."""
    named = os.environ.get("SHAKERANDOM_SOURCE")
    return Path(named).resolve() if named else HERE.parent.parent


def cache(*parts):
    """A directory of the cache, made if it is missing."""
    named = os.environ.get("SHAKERANDOM_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = (Path(named) if named else Path(base) / "shakerandom").absolute().joinpath(*parts)
    if len(str(path).split()) != 1:
        raise Failure(f"the kernel's makefiles cannot build in a path with spaces, as the cache's: {path}\n"
                      "    name another one in SHAKERANDOM_CACHE")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"cannot make the cache directory {path}: {error.strerror}\n"
                      "    free it, or name another one in SHAKERANDOM_CACHE") from error
    return path


@contextlib.contextmanager
def locked(name):
    """One process at a time fills a part of the cache; the others wait."""
    path = cache("locks") / (name.replace("/", "_") + ".lock")
    with open(path, "w", encoding="ascii") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another run to finish with {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k not in PRIVATE_VARIABLES}
    # depmod lives in sbin, which an ordinary user's PATH leaves out.
    path = kept.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
    return {**kept, "PATH": path, "LC_ALL": "C", **more}


def run(argv, **options):
    """Run a program quietly; its output is returned, standard error among it."""
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    try:
        return subprocess.run([str(a) for a in argv], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=environment(), **options)
    except FileNotFoundError as error:
        raise Failure(f"{error.filename} is missing: run 'make deps'") from error


def must(argv, **options):
    """Run a program that has to succeed; returns what it printed."""
    done = run(argv, **options)
    if done.returncode:
        command = " ".join(str(a) for a in argv)
        raise Failure(f"'{command}' failed with status {done.returncode}:\n{done.stdout}")
    return done.stdout


def short_hash(text):
    return hashlib.sha256(str(text).encode()).hexdigest()[:12]
