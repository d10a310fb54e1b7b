# SPDX-License-Identifier: GPL-2.0
"""Patch a kernel tree: apply TREE [PART]

Copies the new files and applies the hook patches. Safe to run again: a tree
that has the patches gets what changed in our own files since, and files that
are right already keep their time stamps. On any error the tree is untouched.
PART is a part of patches/series: that and those before it. The first is stock: faults that amdkfd
has without GPREEMPT.
"""
import sys
import tempfile
from pathlib import Path

from testbench.series import patchset


def run():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: apply TREE [PART]")
    tree = Path(sys.argv[1])
    patches = patchset.load(patchset.supported(tree), part="".join(sys.argv[2:]))
    with tempfile.TemporaryDirectory() as scratch:
        hooked = patchset.patched_hooks(patches, tree, scratch)
        wanted = [(hooked / h, h) for h in patchset.hooked_files(patches)]
        wanted += patchset.own_files(patches, scratch)
        changed = [dst for src, dst in wanted if patchset.write_changed(src, tree / dst)]
    for name in changed:
        print(f"  PATCH    {name}")
    print(f"{tree}: {len(changed)} of {len(wanted)} files changed")


def main():
    patchset.main(run)
