# SPDX-License-Identifier: GPL-2.0
"""overlay PRISTINE DIR: write to DIR only the files that applying would change
or add in the pristine kernel tree, as they would then be. With PATCHES=N in the
environment: by the first N patches."""
import os
import sys
import tempfile
from pathlib import Path

from testbench.series import patchset


def run():
    pristine, target = sys.argv[1:]
    patches = patchset.load(patchset.supported(pristine))
    patches = patches[:int(os.environ.get("PATCHES", len(patches)))]
    with tempfile.TemporaryDirectory() as scratch:
        hooked = patchset.patched_hooks(patches, pristine, scratch)
        wanted = [(hooked / h, h) for h in patchset.hooked_files(patches)]
        for src, dst in wanted + patchset.own_files(patches, scratch):
            patchset.write_changed(src, Path(target) / dst)


def main():
    patchset.main(run)
