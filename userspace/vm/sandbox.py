# SPDX-License-Identifier: GPL-2.0
"""Programs in a view of the file system of their own, which nobody else sees and which ends with them."""

import os
import shlex
from pathlib import Path


def command(argv, binds=(), root="/", directory="/"):
    """argv, run in a directory below another root, with directories of ours (pairs: ours, its place)
    laid over those that are there. Needs no root: a user becomes one in a user namespace."""
    lines = ["set -e"]
    for ours, place in binds:
        inside = Path(root, str(place).lstrip("/"))
        lines += [f"mkdir -p {shlex.quote(str(inside))}",
                  f"mount --rbind {shlex.quote(str(ours))} {shlex.quote(str(inside))}"]
    inner = f"cd {shlex.quote(str(directory))} && exec " + shlex.join(map(str, argv))
    lines.append(shlex.join(["exec", "chroot", str(root), "/bin/sh", "-c", inner]))
    return ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--mount", "sh", "-c", "\n".join(lines)]
