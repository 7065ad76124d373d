# SPDX-License-Identifier: GPL-2.0
"""Builds shakerandom for a Debian kernel, boots that kernel in QEMU and runs a command in it.

The exit status is the command's own (128 + N when signal N ended it), 124 when it ran out of
time, 125 when the harness or the guest failed. Every option can also come from the environment
variable of its name in capitals, which is how the Makefile hands it over."""

import argparse
import os
import shlex
import signal
import subprocess
import sys

import bench
import build
import check
import coverage
import deps
import fuzz
import guest
import initramfs
import kernels
import rootfs
import suites
import uml
from common import FAILED, HERE, Failure, cache, say
from fetch import files_of


def parse(arguments):
    env = os.environ.get
    parser = argparse.ArgumentParser(prog="vm", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("run", "shell", "build", "check", "lint", *suites.KINDS, "bench", "coverage",
                                           "deps", "fuzz", "list"),
                        help="run a command; a shell; build the module; all tests; static ones; others; benchmarks; "
                             "install packages; list the kernels")
    parser.add_argument("command", nargs="?", default=env("CMD"), help="shell command; a demonstration if none")
    parser.add_argument("--kernel", default=env("KERNEL") or "6.1", help="one of 'vm list' (%(default)s)")
    parser.add_argument("--files", default=env("FILES") or "", help="copied into the guest's working directory")
    parser.add_argument("--params", default=env("PARAMS") or "", help="parameters of the module")
    parser.add_argument("--cpu", default=env("CPU"), help="QEMU's processor model, if not the kernel's usual")
    parser.add_argument("--smp", default=env("SMP") or 2, type=int, help="processors (%(default)s)")
    parser.add_argument("--mem", default=env("MEM") or 1024, type=int, help="MiB of memory (%(default)s)")
    parser.add_argument("--timeout", default=env("TIMEOUT") or 0, type=float,
                        help="seconds the command may take, 0 = any (%(default)s)")
    parser.add_argument("--insmod", default=env("INSMOD") or "1", choices=("0", "1"),
                        help="0: boot without loading the module")
    return parser.parse_intermixed_args(arguments)


def split_files(text):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Failure(f"FILES={text} cannot be split into words: {error}") from error


def options_from(given):
    options = guest.Options(given.command or "", split_files(given.files), given.params, given.cpu,
                            given.smp, given.mem, given.timeout, given.insmod == "1")
    if not given.command:
        options.command = "sh ./demo.sh"
        options.files.append(str(HERE / "demo.sh"))
    return options


def boot_program(kernel, action, options):
    if action == "shell":
        raise Failure(f"there is no shell in {kernel.name}: use 'run'")
    files = files_of(kernel)
    return uml.run_command(kernel, files, [*build.module(kernel, files), *files.own_modules], options)


def boot(kernel, action, options):
    deps.ensure(deps.wanted(kernel))
    if kernel.uml:
        return boot_program(kernel, action, options)
    start = guest.run_command if action == "run" else guest.run_shell
    files = files_of(kernel)
    modules = build.module(kernel, files)
    return start(kernel, files, initramfs.ensure(kernel, files), rootfs.ensure(kernel), modules, options)


def act(given):
    if given.action == "list":
        print("\n".join(kernels.KERNELS))
        return 0
    if given.action == "check":
        return check.main()
    if given.action == "lint":
        return subprocess.call([sys.executable, "-B", str(HERE.parent / "lint/run")])
    if given.action in suites.KINDS:
        return suites.main(given.action)
    if given.action == "coverage":
        return coverage.main()
    if given.action == "fuzz":
        return fuzz.main()
    if given.action == "bench":
        return bench.main(quick=False)
    kernel = kernels.find(given.kernel)
    if given.action == "deps":
        deps.ensure([*check.packages(), *deps.wanted(kernel)])
        return 0
    if given.action == "build":
        deps.ensure(deps.wanted(kernel))
        print("\n".join(map(str, build.module(kernel, files_of(kernel)))))
        return 0
    return boot(kernel, given.action, options_from(given))


def main():
    # A polite request to end unwinds like any failure, so that the guest and its files go.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        return act(parse(sys.argv[1:]))
    except Failure as error:
        say(str(error))
        return FAILED
    except OSError as error:
        say(f"{error.strerror or error}" + (f": {error.filename}" if error.filename else "")
            + f"\n    free disk for the cache, {cache()}, or name another place in SHAKERANDOM_CACHE")
        return FAILED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
