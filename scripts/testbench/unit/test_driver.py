# SPDX-License-Identifier: GPL-2.0
"""Rules of the driver's source that no run can be made to show."""
import re
import unittest

from testbench.paths import ROOT, SELFTESTS
from testbench.series import patchset

AMDKFD = ROOT / "drivers/gpu/drm/amd/amdkfd"
FUNCTION = re.compile(r"^\w[^;=\n]*\b(\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.M | re.S)
NODE = re.compile(r"\b(?:node|dev|device)->gpreempt\b")

# Called by the node, or with a queue or a mapping for which stock follows the node as well.
MAY_FOLLOW = {"kfd_gpreempt_init", "kfd_gpreempt_fini", "kfd_gpreempt_stop", "kfd_gpreempt_start",
              "kfd_gpreempt_runlist_changed", "kfd_gpreempt_answered", "kfd_gpreempt_queue_init",
              "kfd_gpreempt_doorbell_mmap",
              "kfd_gpreempt_doorbell_zapped"}

# Stock zaps doorbells before a reset since 7.3.
NOT_CALLED = {"6.12": {"kfd_gpreempt_doorbell_zapped"}, "7.3": set()}


class Hooks(unittest.TestCase):
    def test_each_is_called_by_each_base(self):
        """No compiler misses a hook that a base's patch forgets."""
        text = (AMDKFD / "gpreempt/hooks.h").read_text()
        declared = set(re.findall(r"^[a-z].*?\b\**(kfd_gpreempt_\w+)\(", text, re.M))
        for base in patchset.bases():
            added = "\n".join(line for patch in patchset.load(base)
                              for file, hunk in patch.hunks.items() if "/gpreempt/" not in file
                              for line in hunk.splitlines() if line.startswith("+"))
            called = set(re.findall(r"\b(kfd_gpreempt_\w+)\(", added))
            self.assertEqual(declared - called, NOT_CALLED[base], base)


class Node(unittest.TestCase):
    def test_who_follows_it(self):
        """A process may outlive a node: all others ask kfd_gpreempt_get(), for a reference."""
        follow = {name for file in AMDKFD.rglob("*.c")
                  for name, body in FUNCTION.findall(file.read_text()) if NODE.search(body)}
        self.assertEqual(follow, MAY_FOLLOW)


class Power(unittest.TestCase):
    def test_gfxoff_is_held_off_while_registers_are_read(self):
        """One place, off and on again, and no way out in between: a chip with GFXOFF is no model."""
        uses = [body for file in AMDKFD.rglob("*.c")
                for _, body in FUNCTION.findall(file.read_text()) if "amdgpu_gfx_off_ctrl" in body]
        self.assertEqual(len(uses), 1)
        _, reads, _ = re.split(r"amdgpu_gfx_off_ctrl\(adev, (?:false|true)\);", uses[0])
        self.assertEqual(re.findall(r"gfx_off_ctrl\(adev, (\w+)\)", uses[0]), ["false", "true"])
        self.assertRegex(reads, r"^\s*scan->registers = gp->hw->read_waves\([^;]*\);\s*$")


class Tunables(unittest.TestCase):
    NUMBER = r"Unsigned integer,(?: \w+,)? (?:0 or )?(\d+) to (\d+), default\s+(\d+)\."
    ROW = re.compile(r'^\t\{ "(\w+)", (\d+), (\d+), (\d+) \},$', re.M)

    def test_who_knows_a_range_knows_the_documented_one(self):
        """The kernel has no file of it; sysfs_test compares the kernel with its own table."""
        abi = (ROOT / "Documentation/ABI/testing/sysfs-class-kfd-gpreempt").read_text()
        documented = {(name, *numbers) for name, *numbers in re.findall(
            rf"^What:.*<gpu_id>/(?:level<n>/)?(\w+)\n(?:(?!What:).+\n)*?\t\t\(RW\) {self.NUMBER}",
            abi, re.M)}
        self.assertEqual(len(documented), 10)
        tool = (ROOT / "tools/gpreempt/tunable.c").read_text()
        self.assertEqual(set(self.ROW.findall(tool)), documented)
        tests = (SELFTESTS / "lib/gpreempt.c").read_text()
        self.assertEqual(set(self.ROW.findall(tests)),
                         {row for row in documented if row[0] != "timeslice_us"})
