# SPDX-License-Identifier: GPL-2.0
"""What tests of the operator's tool share: a sysfs that is not the kernel's."""
import atexit
import functools
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from testbench.metrics import metrics


def folder_for_all():
    """A folder that others than root can enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    return folder


@functools.cache
def tool():
    """The tool that reads the folder sys/ of where it runs, built once."""
    folder = folder_for_all()
    atexit.register(shutil.rmtree, folder)
    return metrics.build(folder)


def without_rights():
    """Options of a process that may not read what is root's."""
    nobody = 65534
    return {"user": nobody, "group": nobody, "extra_groups": []} if os.getuid() == 0 else {}


class InTree(unittest.TestCase):
    def setUp(self):
        self.folder = folder_for_all()
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = metrics.Tree(self.folder)
