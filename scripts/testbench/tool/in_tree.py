# SPDX-License-Identifier: GPL-2.0
"""What tests of the operator's tool share: a sysfs that is not the kernel's."""
import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from testbench.metrics import metrics
from testbench.paths import HEADERS, ROOT, TESTBENCH

UAPI = ROOT / "include/uapi"


def folder_for_all():
    """A folder that others than root can enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    return folder


@functools.cache
def tool():
    """The tool that reads the folder sys/ of where it runs, and asks a fake KFD if FAKE_LOG is in its
    environment; built once."""
    folder = folder_for_all()
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["cc", "-O1", "-g", "-Wall", "-Wextra", "-c", "-I", UAPI, "-isystem", HEADERS,
                    "-o", folder / "fake_kfd.o", TESTBENCH / "tool/fake_kfd.c"], check=True)
    return metrics.build(folder, f"{folder}/fake_kfd.o -Wl,--wrap=open,--wrap=ioctl")


def without_rights():
    """Options of a process that may not read what is root's."""
    nobody = 65534
    return {"user": nobody, "group": nobody, "extra_groups": []} if os.getuid() == 0 else {}


class InTree(unittest.TestCase):
    def setUp(self):
        self.folder = folder_for_all()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = metrics.Tree(self.folder)
