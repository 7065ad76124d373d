#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is built and installed: needs nothing but the C library, exports what the header declares."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.dirname(HERE)
SHARED = os.path.join(LIB, "build", "libshakerandom.so")
STATIC = os.path.join(LIB, "build", "libshakerandom.a")
HEADER = os.path.join(LIB, "shakerandom.h")
UAPI = os.path.join(LIB, "build", "include")
PROGRAM = """
#include <shakerandom.h>
int main(void) { return shakerandom_strerror(0) ? 0 : 1; }
"""


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert not done.returncode, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


def declared():
    """Functions of the header."""
    text = output("gcc", "-E", "-P", "-I" + UAPI, HEADER)
    return set(re.findall(r"\b(shakerandom_\w+)\s*\(", text))


class Library(unittest.TestCase):
    def test_needs_the_c_library_alone(self):
        self.assertEqual(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", SHARED)), ["libc.so.6"])

    def test_exports_what_is_declared(self):
        rows = [line.split() for line in output("nm", "-D", "--defined-only", SHARED).splitlines()]
        names = {row[2] for row in rows if row[1] != "A"}
        self.assertEqual(names, {name + "@@SHAKERANDOM_1.0" for name in declared()})

    def test_no_other_names_in_the_static_one(self):
        """A program that links it can have any name that does not start as ours do."""
        rows = [line.split() for line in output("nm", "-g", "--defined-only", STATIC).splitlines()]
        names = {row[2] for row in rows if len(row) == 3}
        self.assertLessEqual(declared(), names)
        self.assertEqual([name for name in names if not name.startswith(("shakerandom_", "srnd_"))], [])

    def test_includes_nothing_but_the_interface(self):
        """Of the project; the rest is the C library's."""
        for name in sorted(os.listdir(LIB)):
            if name.endswith((".c", ".h", ".hpp")):
                with open(os.path.join(LIB, name), encoding="ascii") as file:
                    for found in re.findall(r'#include "(.*)"', file.read()):
                        self.assertIn(found, ("shakerandom.h", "internal.h", "normal_table.h"), name)


class Headers(unittest.TestCase):
    def compiles(self, *words):
        with tempfile.NamedTemporaryFile() as file:
            output(*words, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I" + UAPI, "-I" + LIB, "-c", "-o", file.name)

    def test_c(self):
        for compiler in ("gcc", "clang"):
            for standard in ("c11", "c17"):
                self.compiles(compiler, "-std=" + standard, "-x", "c", HEADER)

    def test_cpp(self):
        for header in (HEADER, HEADER + "pp"):
            for standard in ("c++17", "c++20"):
                self.compiles("g++", "-std=" + standard, "-x", "c++", header)


class Build(unittest.TestCase):
    def make(self, *words):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run(["make", "-s", "-C", LIB, "BUILD=" + directory, *words], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_clang(self):
        self.make("CC=clang")

    def test_one_optimizes_nothing_one_all(self):
        self.make("CFLAGS=-O0 -Werror")
        self.make("CFLAGS=-O3 -flto -Werror", "AR=gcc-ar")


class Install(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.words = ["make", "-s", "-C", LIB, "BUILD=" + directory.name + "/b", "PREFIX=" + directory.name + "/usr"]
        self.usr = directory.name + "/usr"
        output(*self.words, "install")

    def test_a_program_of_a_user(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        environment = {**os.environ, "PKG_CONFIG_PATH": self.usr + "/lib/pkgconfig"}
        for kind in ([], ["--static"]):
            flags = output("pkg-config", "--cflags", "--libs", *kind, "shakerandom", env=environment).split()
            source = os.path.join(self.usr, "program.c")
            with open(source, "w", encoding="ascii") as file:
                file.write(PROGRAM)
            program = source[:-2]
            output("gcc", "-o", program, source, *flags, *(["-static"] if kind else []))
            output(program, env={**environment, "LD_LIBRARY_PATH": self.usr + "/lib"})

    def test_uninstall(self):
        output(*self.words, "uninstall")
        left = [name for _, _, names in os.walk(self.usr) for name in names]
        self.assertEqual(left, ["shakerandom.h"])
        self.assertTrue(os.path.exists(self.usr + "/include/linux/shakerandom.h"))


def main():
    done = unittest.main(exit=False, verbosity=0).result
    for test, reason in done.skipped:
        print(f"skipped {test}: {reason}")
    bad = len(done.failures) + len(done.errors)
    print(f"test_build: {done.testsRun - bad - len(done.skipped)} passed, {bad} failed, {len(done.skipped)} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
