# SPDX-License-Identifier: GPL-2.0
"""Debian packages by apt, with a state of our own: nothing is installed or changed outside the cache."""

import re
import shutil
import tempfile
import time
from pathlib import Path

from common import Failure, Unreachable, cache, locked, must, run, say
from kernels import host_arch

TRIES = 4
UPDATE_SECONDS = 3600
SUITE = re.compile(r"(bookworm|trixie|forky|sid|(old){0,2}stable|testing|unstable)"
                   r"(-security|-updates|-backports)?$")


def deb822_entries(text):
    """The paragraphs of a .sources file, each a dictionary; continuation lines kept as they are."""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", text)):
        fields = re.findall(r"(?m)^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph)
        if fields:
            yield {name.lower(): value.strip() for name, value in fields}


def one_line_entries(text):
    """The lines of a sources.list, in the same shape."""
    for options, uri, suite in re.findall(r"(?m)^deb\s+(?:\[(.*?)\]\s*)?(\S+)\s+(\S+)", text):
        key = re.search(r"signed-by=(\S+)", options)
        yield {"types": "deb", "uris": uri, "suites": suite,
               **({"signed-by": key[1]} if key else {})}


def machine_sources():
    """The Debian archive entries of this machine: other people's archives are left alone."""
    base = Path("/etc/apt")
    entries = []
    for path in sorted(base.glob("sources.list.d/*.sources")):
        entries += deb822_entries(path.read_text(encoding="utf-8"))
    for path in [base / "sources.list", *sorted(base.glob("sources.list.d/*.list"))]:
        if path.exists():
            entries += one_line_entries(path.read_text(encoding="utf-8"))
    return [e for e in entries if "deb" in e.get("types", "").split() and "debian" in e.get("uris", "")
            and e.get("enabled", "yes") != "no" and any(map(SUITE.match, e["suites"].split()))]


def source_for(suite, sources):
    """The paragraph that serves a suite, made from the machine's nearest entry."""
    secure = suite.endswith("-security")
    same_kind = [e for e in sources if ("-security" in e["suites"]) == secure]
    if not (same_kind or sources):
        raise Failure("no Debian archive among the apt sources of this machine\n"
                      "    add one to /etc/apt/sources.list.d (see 'man sources.list')")
    entry = (same_kind or sources)[0]
    uris = entry["uris"]
    if secure and not same_kind:
        # Mirrors keep the security archive beside the main one.
        uris = " ".join(uri.rstrip("/") + "-security" for uri in uris.split())
    lines = ["Types: deb", f"URIs: {uris}", f"Suites: {suite}", "Components: main"]
    if "signed-by" in entry:
        lines.append(f"Signed-By: {entry['signed-by']}")
    return "\n".join(lines) + "\n"


class Archive:
    """The packages of some suites for one architecture, and for this machine's own."""

    def __init__(self, arch, suites, native=None):
        self.arch = arch
        self.native = native or host_arch()
        self.suites = suites
        self.home = cache("apt", "_".join((arch, *suites)))

    def options(self):
        settings = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": self.home / "etc",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::State": self.home / "state",
            "Dir::State::status": self.home / "status",
            "Dir::Cache": self.home / "cache",
            "APT::Architecture": self.native,
            "APT::Architectures::": self.native,
            "APT::Sandbox::User": "root",       # the sandbox user cannot read a cache in a home
            "Acquire::Languages": "none",
            "APT::Update::Error-Mode": "any",
        }
        flags = [f"-o={key}={value}" for key, value in settings.items()]
        if self.arch != self.native:
            flags.append(f"-o=APT::Architectures::={self.arch}")
        return ["-q", *flags]

    def update(self, patient=True):
        """Fetch the indexes. What could not be read is returned, not raised: a mirror in the middle
        of a sync lacks one suite, and what another or an older index offers may do."""
        stamp = self.home / "updated"
        with locked(f"apt-{self.home.name}"):
            if stamp.exists() and time.time() - stamp.stat().st_mtime < UPDATE_SECONDS:
                return None
            self.prepare()
            say(f"asking the Debian archive for {self.arch} packages of {', '.join(self.suites)}")
            try:
                self.retry(["apt-get", *self.options(), "update"], "read the package lists", TRIES if patient else 1)
            except Failure as error:
                return error
            stamp.touch()
        return None

    def prepare(self):
        for directory in ("etc", "state/lists/partial", "cache/archives/partial"):
            (self.home / directory).mkdir(parents=True, exist_ok=True)
        (self.home / "status").touch()
        sources = machine_sources()
        text = "\n".join(source_for(suite, sources) for suite in self.suites)
        (self.home / "etc" / "debian.sources").write_text(text, encoding="utf-8")

    def retry(self, argv, what, tries=TRIES, **options):
        for attempt in range(tries):
            if attempt:
                time.sleep(2 ** attempt)
            done = run(argv, **options)
            if done.returncode == 0:
                return
        raise Unreachable(f"could not {what} from the Debian archive; is the network up?\n" +
                          "\n".join("    " + line for line in done.stdout.splitlines()[-6:]))

    def names(self, prefix):
        return must(["apt-cache", *self.options(), "pkgnames", prefix]).split()

    def show(self, package):
        """The fields of the newest version of a package."""
        text = must(["apt-cache", *self.options(), "show", "--no-all-versions", package])
        return next(deb822_entries(text))

    def unpack(self, packages, destination):
        """Extract these packages into a directory that appears whole or not at all."""
        self.extract(["download", *packages], packages, destination)

    def unpack_with_dependencies(self, packages, destination):
        """The same with all they depend on, as if on an empty machine."""
        self.extract(["install", "-y", "--no-install-recommends", "--download-only", *packages],
                     packages, destination)

    def extract(self, command, packages, destination):
        """No script of a package is run: dpkg only unpacks."""
        destination.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache("tmp")) as scratch:
            debs, tree = Path(scratch, "debs"), Path(scratch, "tree")
            (debs / "partial").mkdir(parents=True)
            with locked(f"apt-{self.home.name}"):
                self.retry(["apt-get", *self.options(), f"-o=Dir::Cache::archives={debs}", *command],
                           "download " + " ".join(packages), cwd=debs)
            for deb in sorted(debs.glob("*.deb")):
                must(["dpkg", "-x", deb, tree])
                deb.unlink()
            tree.chmod(0o755)
            shutil.rmtree(destination, ignore_errors=True)
            tree.rename(destination)
