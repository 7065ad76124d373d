# SPDX-License-Identifier: GPL-2.0
"""'make dkms-install' and 'make dkms-remove' for some kernels, and the module that they leave there in a guest of each:
dkms.py [kernel...]. DKMS sees directories of ours in place of the machine's, which is left as it is."""

import functools
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import deps
import kernelfiles
import kernels
import toolroot
from common import HERE, Failure, Unreachable, cache, environment, run, say, short_hash, source_root
from sandbox import command

KERNELS = ("amd64-6.1", "amd64-6.12", "amd64-7.x")
WITH_KUNIT = "um-6.1"
PACKAGES = ("dkms", "udev", "openssl", "util-linux")
# Where an installation leaves anything.
PLACES = {"source": "/usr/src", "state": "/var/lib/dkms", "modules": "/usr/lib/modules", "settings": "/etc/dkms",
          "header": "/usr/include/linux"}
# DKMS forgets that it built for this kernel, and then does what the kernel's package asks of it.
AS_NEW = "dkms unbuild shakerandom/{0} -k {1} && ! dkms status -k {1} | grep installed && dkms autoinstall -k {1}"


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def step(self, name, good, detail=""):
        self.passed += bool(good)
        self.failed += not good
        print(f"ok      {name}" if good else f"FAILED  {name}:\n{detail}", flush=True)
        return good


class Machine:
    """What DKMS sees: a kernel with its modules and headers, and nothing installed."""

    def __init__(self, kernel, home):
        self.kernel, self.home = kernel, home
        self.files = kernelfiles.ensure(kernel)
        self.root = toolroot.ensure(kernel, self.files) if kernel.newer else Path("/")
        self.binds = [(home / name, place) for name, place in PLACES.items()]
        for name in PLACES:
            (home / name).mkdir()
        shutil.copytree(self.root / "etc/dkms", home / "settings", dirs_exist_ok=True)
        self.modules = home / "modules" / self.files.release
        self.modules.mkdir()
        for path in (self.files.modules / self.files.release).iterdir():
            if path.name.startswith("modules."):
                shutil.copy2(path, self.modules)
        (self.modules / "kernel").symlink_to(self.files.modules / self.files.release / "kernel")
        (self.modules / "build").symlink_to(self.files.headers)

    def make(self, target, *more, kdir=None):
        """A target of the Makefile, by root, in this machine's view."""
        return self.run(["make", target, f"KDIR={kdir or f'/lib/modules/{self.files.release}/build'}", *more])

    def run(self, argv):
        if self.kernel.newer:
            argv = toolroot.inside(self.root, argv, source_root(), binds=self.binds, directory=source_root())
        else:
            argv = command(argv, self.binds, directory=source_root())
        return run(argv)

    def traces(self):
        """All that is ours by name."""
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*shakerandom*"))

    def installed(self):
        return sorted((self.modules / "updates/dkms").glob("shakerandom.ko*"))


def version():
    """The user interface's."""
    text = (source_root() / "uapi/shakerandom.h").read_text(encoding="ascii")
    return re.search(r'(?m)^#define SHAKERANDOM_VERSION "(.*?)"', text)[1]


def boot(tally, machine, module):
    """That very file in a guest."""
    variables = {"KERNEL": machine.kernel.name, "INSMOD": "0", "TIMEOUT": "600",
                 "FILES": f"'{module}' userspace/vm/dkms-guest userspace/device userspace/native/reference.py"}
    done = subprocess.run([str(HERE / "vm"), "run", f"VERSION={version()} ./dkms-guest"], check=False,
                          cwd=source_root(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          errors="replace", env=environment(**variables))
    steps = re.findall(r"(?m)^(ok|FAILED) (.*(?:\n(?!ok |FAILED ).*)*)", done.stdout)
    for word, text in steps:
        tally.step(f"{machine.kernel.name}: {text.splitlines()[0]}", word == "ok", text)
    tally.step(f"{machine.kernel.name}: the guest ended well", done.returncode == 0 and steps, done.stdout)


def cycle(tally, machine):
    """Installed, installed again (by a user over itself, or by DKMS as for a new kernel), booted, removed."""
    name, release = machine.kernel.name, machine.files.release
    as_new = functools.partial(machine.run, ["sh", "-c", AS_NEW.format(version(), release)])
    install = functools.partial(machine.make, "dkms-install")
    again = ("installs over itself", install) if name == KERNELS[0] else ("is there for a new kernel", as_new)
    for words, action in (("installs", install), again):
        done = action()
        found = machine.installed()
        if not tally.step(f"{name}: {words}", done.returncode == 0 and len(found) == 1, done.stdout):
            for log in machine.home.glob("state/**/make.log"):
                say(log.read_text(errors="replace"))
            return
    listed = sorted(path.name for path in (machine.home / "state/shakerandom").glob("[0-9]*"))
    tally.step(f"{name}: DKMS has version {version()}", listed == [version()], f"it has {listed}")
    signer = run(["modinfo", "-F", "signer", found[0]]).stdout.strip()
    tally.step(f"{name}: signed by DKMS's own key", "DKMS" in signer, f"signer: '{signer}'\n{done.stdout}")
    boot(tally, machine, found[0])
    if name == KERNELS[0]:
        without_tests(tally, machine)
    done = machine.make("dkms-remove")
    tally.step(f"{name}: removes", done.returncode == 0 and not machine.traces(),
               "\n".join([done.stdout, *machine.traces()]))


def without_tests(tally, machine):
    """What DKMS has is no repository: kernels with KUnit, as many distributions ship them, take it, too."""
    tree = cache("broken", short_hash((source_root(), "dkms")))
    shutil.rmtree(tree)
    shutil.copytree(machine.home / "source" / f"shakerandom-{version()}", tree)
    done = subprocess.run([str(HERE / "vm"), "build"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace",
                          env=environment(KERNEL=WITH_KUNIT, STRICT="1", SHAKERANDOM_SOURCE=str(tree)))
    built = re.findall(r"(?m)[^/]+\.ko$", done.stdout)
    tally.step(f"{WITH_KUNIT}: builds where there is KUnit", built == ["shakerandom.ko"], done.stdout)


def complaints(tally, machine):
    """What is missing is named, and nothing done."""
    as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    user = run([*as_user, "make", "-C", source_root(), "dkms-install"])
    for name, done, wanted in (
            ("by a user", user, "sudo make dkms-install"),
            ("without DKMS", machine.make("dkms-install", "PATH=/usr/bin:/bin"), "apt-get install dkms"),
            ("without headers", machine.make("dkms-install", kdir="/nowhere"), "apt-get install linux-headers")):
        tally.step(f"refused {name}", done.returncode and wanted in done.stdout and not machine.traces(), done.stdout)


def main(names):
    tally = Tally()
    listed = [kernels.find(name) for name in names or KERNELS]
    deps.ensure([*PACKAGES, *(package for kernel in listed for package in deps.wanted(kernel))])
    for kernel in listed:
        with tempfile.TemporaryDirectory(dir=cache("run")) as home:
            try:
                machine = Machine(kernel, Path(home))
            except Unreachable as error:
                tally.skipped += 1
                print(f"skipped {kernel.name}: {str(error).splitlines()[0]}", flush=True)
                continue
            if kernel is listed[0]:
                complaints(tally, machine)
            cycle(tally, machine)
    print(f"DKMS: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return tally.failed > 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as problem:
        say(str(problem))
        sys.exit(1)
