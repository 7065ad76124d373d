# SPDX-License-Identifier: GPL-2.0
"""The sources as they stand: layers, versions, and a tool for each language."""

import re
import shutil
import sys

import kernels
import kernelsource
from common import cache
from tools import HERE, ROOT, SOURCE_KERNEL, Failed, files, for_all, listed, must_pass, scripts

C = (".c", ".h")
# Programs see the headers where they will be installed.
PROGRAM = ("-std=gnu11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-D_TIME_BITS=64", "-Iuserspace/lib",
           "-Iuserspace/native")
# They want the headers of libraries that only the benchmark needs.
PEERS = ("userspace/native/bench/gcrypt.c", "userspace/native/bench/openssl.c")
# Where a version stands, and how; the first is what the others have to equal.
VERSION = r"(\d+\.\d+\.\d+)"
VERSIONS = (
    ("uapi/shakerandom.h", rf'#define SHAKERANDOM_VERSION "{VERSION}"'),
    ("dkms.conf", rf'PACKAGE_VERSION="{VERSION}"'),
    ("userspace/lib/Makefile", rf"VERSION := {VERSION}"),
)
# Those that take it from the header.
DERIVED = (("driver/module.c", "MODULE_VERSION(SHAKERANDOM_VERSION)"),
           ("userspace/tool/main.c", '"shakerandom " SHAKERANDOM_VERSION'))

# What tells of every format, by its constant in the header of the user interface or by its name.
FORMAT = re.compile(r"^\tSHAKERANDOM_(\w+) = \d+,$", re.M)
TELLING = ("driver/core/format.c", "kunit/cases_format.c", "userspace/lib/formats.c", "userspace/lint/layout.c",
           "userspace/device/golden.json", "userspace/tool/test/live.py", "userspace/man/shakerandom.4", "README.md")


def arrows():
    must_pass(sys.executable, "-B", HERE / "arrows.py")


def versions():
    found = []
    for path, pattern in VERSIONS:
        matches = re.findall(pattern, (ROOT / path).read_text(encoding="utf-8")) or ["none"]
        found += [(path, version) for version in matches]
    wrong = [f"{path}: version {version}, not {found[0][1]}" for path, version in found if version != found[0][1]]
    wrong += [f"{path}: does not say {text}" for path, text in DERIVED
              if text not in (ROOT / path).read_text(encoding="utf-8")]
    if wrong:
        raise Failed("\n".join(wrong))


def formats():
    header = (ROOT / "uapi/shakerandom.h").read_text(encoding="utf-8")
    constants = FORMAT.findall(re.search(r"(?s)enum shakerandom_format \{.*?\};", header)[0])
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in TELLING}
    wrong = []
    for constant in constants:
        said = re.compile(rf"\bSHAKERANDOM_{constant}\b|(?<![\w-]){constant.lower().replace('_', '-')}(?![\w-])")
        wrong += [f"{path}: not a word of {constant}" for path, text in texts.items() if not said.search(text)]
    if wrong or not constants:
        raise Failed("\n".join(wrong) or "no formats found")


def python():
    must_pass("flake8", f"--config={HERE / 'flake8'}", *scripts(re.compile(rb"python"), (".py",)))


def shell():
    # -x: a script it sources is a script of ours.
    must_pass("shellcheck", "-x", "--format=gcc", *scripts(re.compile(rb"\b(ba|da|a)?sh\b"), (".sh", ".bash")))


def chosen(names, *left):
    """Without the files, or directories, of a list."""
    return [path for path in names if not f"{path}".startswith(left)]


def formatted():
    def attempt(path):
        text = re.sub(r"(?m)(?<=\S)[ \t]+/\*.*\*/$", "", (ROOT / path).read_text(encoding="utf-8"))
        must_pass("clang-format", "--dry-run", "-Werror", "--style=file", f"--assume-filename={path}", input=text)
    for_all(attempt, chosen(files("driver", "uapi", "kunit", "userspace/lib", suffixes=C), *listed("by-hand")))


def tidy():
    include = cache("lint", "include", "linux")
    shutil.copy(ROOT / "uapi/shakerandom.h", include)

    def attempt(path):
        must_pass("clang-tidy", "--quiet", f"--config-file={HERE / 'clang-tidy'}", path, "--", *PROGRAM,
                  "-isystem", include.parent)
    cases = [path for path in files("kunit", suffixes=(".c",)) if path.name.startswith("cases")]
    for_all(attempt, [*cases, *chosen(files("userspace", suffixes=(".c",)), *PEERS)])


def checkpatch():
    ignored = listed("checkpatch")
    types = [word for word in ignored if "/" not in word]
    script = kernelsource.ensure(kernels.find(SOURCE_KERNEL)) / "scripts/checkpatch.pl"
    sources = chosen(files("driver", "uapi", "kunit", suffixes=(*C, ".S")), *(set(ignored) - set(types)))
    must_pass("perl", script, "--no-tree", "--strict", "--terse", "--show-types", "--no-summary",
              "--max-line-length=80", f"--ignore={','.join(types)}", "--file", *sources)
