# SPDX-License-Identifier: GPL-2.0
"""All that a guest is made of, in the cache: after this, a run needs no network."""

import initramfs
import kernelfiles
import kernelsource
import rootfs
import toolroot
import uml


def files_of(kernel):
    if kernel.uml:
        return uml.ensure(kernel)
    if kernel.config:
        return kernelfiles.BuiltFiles(kernelsource.ensure(kernel))
    return kernelfiles.ensure(kernel)


def everything(kernel):
    files = files_of(kernel)
    if kernel.newer:
        toolroot.ensure(kernel, files)
    if not kernel.uml:
        initramfs.ensure(kernel, files)
        rootfs.ensure(kernel)
