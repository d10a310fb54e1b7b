# SPDX-License-Identifier: GPL-2.0
"""What a guest's run is made of: while it is the same, what was measured need not be again."""
import hashlib

from testbench.paths import BUILD, OUT, QEMU, TESTBENCH, guests_scripts


def model():
    return BUILD / "gpu-model" / "gpu-model"


def kernel(variant):
    """Of the guest, with its modules and initramfs."""
    return OUT / ("guest" + (variant and f"-{variant}"))


def contents(programs, variant=""):
    """
    A hash of all that runs. The guest's kernel, modules and initramfs are in a folder
    named by theirs; with the model go its plugins for QEMU.
    """
    found = hashlib.sha256(kernel(variant).resolve().name.encode())
    for path in (QEMU, model(), *sorted(model().parent.glob("**/*.so")), *programs,
                 *sorted((TESTBENCH / "guest").glob("*.py")), *guests_scripts()):
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def missing(programs, variant=""):
    """What has to be built before."""
    return [p for p in (kernel(variant), QEMU, model(), *programs) if not p.exists()]
