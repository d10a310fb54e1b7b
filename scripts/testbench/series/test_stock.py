# SPDX-License-Identifier: GPL-2.0
"""Tests of the part of the series that needs no GPREEMPT, on the host: see stock.c."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from testbench.paths import BASE, TESTBENCH
from testbench.series import patchset

MANAGER = f"{patchset.DRIVER}/kfd_device_queue_manager.c"
# In the order in which they are to stand; what a base does not have is left out.
FUNCTIONS = """increment_queue_count decrement_queue_count set_queue_as_reset
    find_queue_by_doorbell_offset remove_queue_mes_on_reset_option remove_queue_mes
    reset_queue_mes kfd_reset_queue_mes reset_queues_mes evict_process_queues_cpsch
    update_queue_locked update_queue set_perfcount {}"""
OWN = {"6.12": "reset_queues_on_hws_hang",
       "7.3": "reset_hung_queues add_queue_mes suspend_single_queue kfd_dqm_suspend_bad_queue_mes"}


def source(base):
    """The folder of its pristine source; of no name if there is none."""
    found = subprocess.run(["bash", "-c", f". '{TESTBENCH}/lib.sh'; pristine"],
                           text=True, capture_output=True, check=False,
                           env={**os.environ, "BASE": base})
    return found.stdout.strip()


def function(text, name):
    """Its definition, or nothing."""
    found = re.search(rf"^[a-z][\w *]*\b{name}\([^;{{}}]*\)\n{{\n.*?^}}\n", text, re.M | re.S)
    return found[0] if found else ""


class Stock(unittest.TestCase):
    def check(self, base, tree):
        with tempfile.TemporaryDirectory() as folder:
            files = patchset.patched_hooks(patchset.load(base, part="stock"), tree, folder)
            text = (files / MANAGER).read_text()
            (Path(folder) / "functions.h").write_text(
                "\n".join(function(text, name) for name in FUNCTIONS.format(OWN[base]).split()))
            flags = ["-std=gnu11", "-Wall", "-Werror", "-Wno-unused-function", "-Wno-unused-variable",
                     "-Wno-unused-but-set-variable", "-fsanitize=address,undefined", f"-I{folder}",
                     f"-DLINUX_{base.replace('.', '_')}"]
            subprocess.run(["gcc", *flags, "-o", f"{folder}/stock", TESTBENCH / "series/stock.c"],
                           check=True)
            done = subprocess.run([f"{folder}/stock"], text=True, capture_output=True, check=False)
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))

    def test_mended(self):
        """For each base whose source is there, as the one that is tested has to be."""
        for base in patchset.bases():
            tree = source(base)
            if tree or base == BASE:
                with self.subTest(base=base):
                    self.check(base, tree)


if __name__ == "__main__":
    unittest.main()
