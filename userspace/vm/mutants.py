# SPDX-License-Identifier: GPL-2.0
"""A test of security shows something only if it fails on a module that is not secure. Each row here takes
one protection away, and names the tests that must then fail. Usage: mutants.py [part of a name]...

Ends with one line, 'mutants: N passed, N failed, N skipped': passed is a mutant that was caught."""

import re
import subprocess
import sys
from dataclasses import dataclass

from broken import ROOT, mutated
from common import HERE, cache, environment, locked, short_hash


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    piece: str
    becomes: str
    tests: str          # all of these must fail
    outside: bool = False   # they are tests of trust.py


def outside(*fields):
    return Mutant(*fields, outside=True)


POOL, STREAM, DELIVER, CHARDEV = (f"driver/{name}.c" for name in ("pool", "stream", "deliver", "chardev"))

# Not here, for it is caught only now and then: RESEED without what tells clones apart (their kernel RNGs part
# by themselves as soon as one draws more than the other).
MUTANTS = (
    outside("delivered bytes stay in the pool", POOL,
            "\tsrnd_wipe(i->buffer + i->taken, len);\n", "", "Erasure.test_short_chacha20"),
    outside("the pool's key stays after a refill", POOL,
            "\tmemcpy(i->key, i->buffer, f->key_size);\n", "", "Erasure.test_short_aes256"),
    outside("the expanded key stays on the stack", POOL,
            "\tsrnd_wipe(&s, sizeof(s));\n\tmemcpy(i->key", "\tmemcpy(i->key", "Erasure.test_short_shake256"),
    outside("a long read's key stays", POOL,
            "\tsrnd_wipe(b, sizeof(*b));\n", "", "Erasure.test_long_aes256"),
    outside("the bounce buffer stays", DELIVER,
            "\tsrnd_wipe(b->data, b->size);\n", "", "Erasure.test_long_chacha20"),
    outside("a stream's memory is freed as it is", STREAM,
            "\tsrnd_wipe(&s->instance, sizeof(s->instance));\n", "", "Erasure.test_closed"),
    outside("nobody hears of a clone", POOL,
            "\tsrnd_pool_reseed();\n\treturn NOTIFY_DONE;", "\treturn NOTIFY_DONE;", "Clone.test_with_vmgenid"),
    outside("resume changes nothing", POOL,
            "\t\tsrnd_pool_reseed();\n\t\tWRITE_ONCE(in_transition, false);", "\t\tWRITE_ONCE(in_transition, false);",
            "Sleep.test_freezer"),
    outside("bytes before the kernel RNG is ready", POOL,
            "\treturn nowait ? -EAGAIN : wait_for_random_bytes();", "\treturn 0;", "Early.test_poll"),
    outside("buffers survive their generation", POOL,
            "of_generation != srnd_pool_generation() ||", "", "Clone.test_with_vmgenid"),
    Mutant("a CPU that left keeps its keys", POOL,
           "\tsrnd_wipe(p->instances, sizeof(p->instances));\n", "", "test_trust.Hotplug.test_starts_afresh"),
    Mutant("the buffer is given out again", POOL,
           "\ti->taken += len;\n", "", "test_trust.Repeats"),
    Mutant("no age renews a key", POOL,
           "get_jiffies_64() - born >= reseed_age ||", "", "test_module.Parameters.test_reseed_seconds"),
    Mutant("long reads hear no signal", DELIVER,
           "done + left > SRND_SMALL && signal_pending(current)", "false", "test_signal.Long.test_secure"),
    Mutant("short reads hear signals", DELIVER,
           "left && done + left > SRND_SMALL && ", "left && ", "test_signal.Short.test_seeded_over_a_boundary"),
    Mutant("a fault counts for nothing", DELIVER,
           "\t\tif (copied < n)\n\t\t\treturn done ? done : -EFAULT;\n\t\tif (interrupted(done, iov_iter_count(to)))",
           "\t\tif (copied < n)\n\t\t\treturn -EFAULT;\n\t\tif (interrupted(done, iov_iter_count(to)))",
           "test_fault.Seeded.test_partial"),
    Mutant("what was peeked counts as read", DELIVER,
           "srnd_cursor_took(c, b->data, n, copied)", "srnd_cursor_took(c, b->data, n, n)",
           "test_fault.Seeded.test_partial"),
    Mutant("a mismatch counts as a match", DELIVER,
           "srnd_cursor_took(c, expected->data, n, equal);", "srnd_cursor_took(c, expected->data, n, copied);",
           "test_write"),
    Mutant("INFO leaves the end of a longer structure", CHARDEV,
           "clear_user((u8 __user *)to + known, size - known)", "0", "test_ioctl.InfoCall.test_every_size"),
    Mutant("anybody may RESEED", CHARDEV,
           "static int ioctl_reseed(void)\n{\n\tif (!capable(CAP_SYS_ADMIN))\n\t\treturn -EPERM;\n",
           "static int ioctl_reseed(void)\n{\n", "test_ioctl.Privileged.test_as_anybody"),
    Mutant("the page may be written", CHARDEV,
           "\tif (vma->vm_flags & VM_WRITE)\n\t\treturn -EPERM;\n", "", "test_secure.Page.test_writing_is_refused"),
    Mutant("a seed is not charged to its group", STREAM,
           "kzalloc(f->window, GFP_KERNEL_ACCOUNT)", "kzalloc(f->window, GFP_KERNEL)",
           "test_trust.ShortOfMemory.test_files_are_charged"),
    Mutant("a file as opened has a position", CHARDEV,
           "FMODE_NOWAIT | FMODE_STREAM;", "FMODE_NOWAIT;", "test_position.Overtaken.test_secure_read"),
    Mutant("unloading while open", CHARDEV,
           "\t.owner = THIS_MODULE,\n", "", "test_module.Unloading.test_refused_while_open"),
)


def command(mutant):
    if mutant.outside:
        return [sys.executable, "-B", str(HERE / "trust.py"), *mutant.tests.split()]
    return [str(HERE / "vm"), "run", f"cd device && exec ./run {mutant.tests}"]


def output_of(mutant):
    """What the tests say of a module that is broken so, and their status."""
    tree = cache("broken", short_hash((ROOT, "mutants")))
    with locked(f"broken-{tree.name}"):
        mutated(tree, {row.file for row in MUTANTS}, mutant.file, mutant.piece, mutant.becomes)
        done = subprocess.run(command(mutant), cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace",
                              env=environment(SHAKERANDOM_SOURCE=str(tree), TIMEOUT="300", KERNEL="amd64-6.1",
                                              FILES="userspace/device userspace/native/reference.py"))
    return done.stdout, done.returncode


def caught(mutant):
    """By a test that failed, or because the guest did not survive it: not because something else went wrong."""
    text, status = output_of(mutant)
    if status and re.search(r"^FAIL: test_|^FAILED  test_|Kernel panic", text, re.M):
        return True
    print(f"FAILED  {mutant.name}: not caught by {mutant.tests}\n{text[-3000:]}", flush=True)
    return False


def main(words):
    rows = [row for row in MUTANTS if not words or any(word in row.name for word in words)]
    bad = 0
    for row in rows:
        good = caught(row)
        bad += not good
        if good:
            print(f"caught  {row.name}", flush=True)
    print(f"mutants: {len(rows) - bad} passed, {bad} failed, 0 skipped")
    return bad > 0 or not rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
