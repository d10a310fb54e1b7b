# SPDX-License-Identifier: GPL-2.0
"""The policy that gpreempt-policies.rst writes is built from its text, and decides."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from testbench.paths import ROOT

PAGE = ROOT / "Documentation/gpu/amdgpu/gpreempt-policies.rst"
DRIVER = "drivers/gpu/drm/amd/amdkfd"
PURE = "scripts/testbench/pure"
BLOCK = re.compile(r"::\n\n((?:\t.*\n|\n)+)")
LIMIT = 60      # lines of a policy


def blocks():
    """The page's literal blocks: the policy, its declaration, its line of the list, and the
    tests' two."""
    return ["".join(line.removeprefix("\t") for line in text.splitlines(keepends=True)).strip("\n")
            + "\n" for text in BLOCK.findall(PAGE.read_text())]


def insert(path, before, text):
    """Put @text before the first line that begins with @before."""
    lines = path.read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.startswith(before))
    lines.insert(at, text)
    path.write_text("".join(lines))


class Tutorial(unittest.TestCase):
    def setUp(self):
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        for folder in (DRIVER, PURE):
            shutil.copytree(ROOT / folder, self.tree / folder)
        policy, declaration, entry, of_tests = blocks()
        rooms = self.tree / DRIVER / "gpreempt"
        (rooms / "turns/policy_least.c").write_text(policy)
        insert(rooms / "core/policy.h", "const struct gpreempt_policy *gpreempt_policy_find", declaration)
        insert(rooms / "core/policy.c", "\t&gpreempt_timeslice", entry)
        # several suites take the rooms in: each has names of its own
        names = self.tree / DRIVER / "tests/gpreempt_rooms.h"
        define, include = of_tests.splitlines(keepends=True)
        insert(names, "#define gpreempt_fair", define)
        insert(names, '#include "../gpreempt/turns/policy_fair.c"', include)

    def test_short(self):
        self.assertLess(blocks()[0].count("\n"), LIMIT)

    def test_decides(self):
        pure = self.tree / "out/pure"
        subprocess.run(["make", "-s", "-C", self.tree / PURE, f"O={pure.parent}", pure], check=True)
        done = subprocess.run([pure, "policy_every"], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("policy least: 6 machines", done.stdout)
