# SPDX-License-Identifier: GPL-2.0
"""Tests of what is run for a part of the series."""
import tempfile
import unittest
from pathlib import Path

from testbench import parts, patchset

MAKEFILE = """
TEST_GEN_PROGS := one_test two_test \\
	three_test
TEST_GEN_PROGS += four_test
TEST_GEN_PROGS_EXTENDED := five_test
"""


class Patch:
    def __init__(self, part, added=(), grows=()):
        self.part = part
        self.added = [(name, name) for name in added]
        self.grows = dict.fromkeys(grows, "")


PATCHES = [Patch("A", [parts.TESTS + "one_test.c", parts.TESTS + "lib.c"]),
           Patch("A", [parts.TESTS + "two_test.c"]),
           Patch("B", [parts.TESTS + "three_test.c"], [parts.TESTS + "one_test.c"])]


class Parts(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(parts.parts(PATCHES), {"A": 2, "B": 3})

    def test_programs_are_those_added_or_changed(self):
        there = {"one_test", "two_test", "three_test"}
        self.assertEqual(parts.programs(PATCHES, "A", there), ["one_test", "two_test"])
        self.assertEqual(parts.programs(PATCHES, "B", there), ["one_test", "three_test"])

    def test_no_program_that_runs_alone(self):
        self.assertEqual(parts.programs(PATCHES, "A", {"two_test"}), ["two_test"])

    def test_makefile(self):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write(MAKEFILE)
            f.flush()
            self.assertEqual(parts.gen_progs(f.name),
                             {"one_test", "two_test", "three_test", "four_test"})

    def test_each_part_has_something_to_boot(self):
        patches = patchset.load("7.3")
        for part in parts.parts(patches):
            with tempfile.TemporaryDirectory() as folder:
                stage = Path(folder) / "stage"
                patchset.own_files(patches, parts.parts(patches)[part], stage)
                names = [name for name, _, _ in parts.guests(patches, part, stage)]
                self.assertEqual(names[0], "kunit")
                self.assertEqual("no-hws" in names, part == "E", part)

    def test_skips_and_failures(self):
        for text, good in (("ok 1 - x", True), ("ok 1 - x # SKIP no GPU", False),
                           ("not ok 1 - x", False), ("    not ok 1 - x\nok 1 - y", False)):
            self.assertEqual(parts.run(None, ["echo", text])[1], good, text)
        self.assertFalse(parts.run(None, ["false"])[1])


if __name__ == "__main__":
    unittest.main()
