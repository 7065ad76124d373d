# SPDX-License-Identifier: GPL-2.0
"""The self tests of the module must catch a broken generator: here are some, each in a copy of the tree.

A broken portable generator must keep the module from loading; a broken variant must be dropped and its
place taken by the next; the kernel's log names both."""

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import HERE, cache, environment, locked, short_hash

ROOT = HERE.parent.parent
# What to break: a file, a piece of it, what it becomes; then what the log must say and what a shell
# command in the guest must print.
CASES = {
    "portable ChaCha, one rotation": (
        "driver/core/chacha.c", "b = srnd_rol32(b ^ c, 7)", "b = srnd_rol32(b ^ c, 8)",
        "self test failed: format chacha20, variant portable of chacha", "insmod: no"),
    "portable AES, one gate": (
        "driver/core/aes.c", "y18 = x0 ^ y16;", "y18 = x0 ^ y15;",
        "self test failed: format aes256-ctr, variant portable of aes", "insmod: no"),
    "portable Keccak, one constant": (
        "driver/core/keccak.c", "0x000000000000800a, 0x800000008000000a", "0x000000000000800a, 0x800000008000000b",
        "self test failed: format shake256, variant portable of keccak", "insmod: no"),
    "AES-NI, the S-box of its key schedule": (
        "driver/core/aes_aesni.c", "_mm_aeskeygenassist_si128(v, 0)", "_mm_aeskeygenassist_si128(v, 1)) ^ (int)(x",
        "self test failed: format aes256-ctr, variant aesni of aes",
        "insmod: yes, aes vaes512 vaes256 aesni [portable]"),
    "AVX2 sectors, the high bits of the index": (
        "driver/core/keccak_sectors.h", "LANE_SHR(index, 24)", "LANE_SHR(index, 25)",
        "self test failed: format shake256-ctr, variant avx2 of sectors",
        "insmod: yes, sectors avx512 avx512vl avx2 [portable]"),
    "AVX2 ChaCha, the carry into the second word": (
        "driver/core/chacha_x86.h", "add	%r8, 48(STATE)", "addl	%r8d, 48(STATE)",
        "self test failed: format chacha20, variant avx2 of chacha",
        "insmod: yes, chacha avx512 avx512vl avx2 [portable]"),
}
# One guest for all: it loads one after the other.
COMMAND = r"""
for module in *.ko; do
	echo "case $module"
	dmesg -C
	if insmod $module; then
		for primitive in aes chacha sectors; do
			echo "insmod: yes, $primitive $(cat /sys/class/misc/shakerandom/backends/$primitive)"
		done
		head -c 100000 /dev/shakerandom | wc -c
		rmmod shakerandom
	else
		echo "insmod: no"
		[ -e /dev/shakerandom ] && echo "but there is a node"
	fi
	dmesg | grep "shakerandom: self test"
done
"""


def mutated(tree, files, file, piece, becomes):
    """One tree for all cases, which break these files, so that each compiles only what differs from the one
    before."""
    for name in ("Kbuild", "driver", "uapi", "kunit"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, dirs_exist_ok=True)
        else:
            shutil.copy2(ROOT / name, tree / name)
    if piece not in (ROOT / file).read_text(encoding="utf-8"):
        raise SystemExit(f"broken.py: {file} has no '{piece}' any more")
    for touched in files:
        text = (ROOT / touched).read_text(encoding="utf-8")
        # Written anew, not copied: make has to see a change back as well.
        (tree / touched).write_text(text.replace(piece, becomes) if touched == file else text, encoding="utf-8")


def build(case, module):
    """Puts the module there that is broken so."""
    tree = cache("broken", short_hash(ROOT))
    with locked(f"broken-{tree.name}"):
        mutated(tree, {row[0] for row in CASES.values()}, *case[:3])
        done = subprocess.run([str(HERE / "vm"), "build"], check=False, stdout=subprocess.PIPE, text=True,
                              env=environment(SHAKERANDOM_SOURCE=str(tree)))
        if done.returncode:
            raise SystemExit(f"broken.py: {case[0]} with '{case[2]}' does not build")
        shutil.copy2(done.stdout.splitlines()[0], module)


def output():
    """What the guest says of each case, by its number."""
    with tempfile.TemporaryDirectory(dir=cache("run")) as directory:
        modules = [Path(directory, f"{number}.ko") for number in range(len(CASES))]
        for case, module in zip(CASES.values(), modules):
            build(case, module)
        done = subprocess.run([str(HERE / "vm"), "run", COMMAND], check=False, stdout=subprocess.PIPE, text=True,
                              env=environment(INSMOD="0", TIMEOUT="300", FILES=shlex.join(map(str, modules))))
    parts = [part.partition(".ko\n") for part in done.stdout.split("case ")[1:]]
    return {int(number): text for number, _, text in parts}


def main():
    failed, said = 0, output()
    for number, (name, case) in enumerate(CASES.items()):
        text = said.get(number, "nothing")
        missing = [line for line in case[3:] if line not in text]
        if missing or "but there is a node" in text:
            failed += 1
            print(f"FAILED  {name}: wanted {missing}, got:\n{text}", flush=True)
    print(f"broken modules: {len(CASES) - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
