# SPDX-License-Identifier: GPL-2.0
"""A guest with what clusters run: its kernel, and a root with some of Debian's packages."""
import os
import subprocess
import sys

from testbench.paths import TESTBENCH, bench


def prepare(subject):
    """Build the kernel, and the root that SUBJECT/root makes."""
    for command in bench("kernel"), [TESTBENCH / subject / "root"]:
        done = subprocess.run(command, env={**os.environ, "KERNEL": "cluster"}, check=False)
        if done.returncode:
            sys.exit(done.returncode)
