# SPDX-License-Identifier: GPL-2.0
"""Tests of how scripts/coverage counts."""
import unittest

from testbench import coverage


class Coverage(unittest.TestCase):
    LINES = {
        "kfd_gpreempt.c": {1: [3, "f"], 2: [0, "f"], 3: [0, "f"], 9: [1, "g"]},
        "kfd_gpreempt_mes.c": {1: [0, "m"]},
    }

    def test_total_leaves_out_what_is_apart(self):
        self.assertEqual(list(coverage.table(self.LINES))[-1], "TOTAL 50.0%")

    def test_lists_what_did_not_run(self):
        text = "\n".join(coverage.table(self.LINES))
        self.assertIn("    f: 2-3\n", text)
        self.assertNotIn("    g:", text)
        self.assertIn("kfd_gpreempt_mes.c: 0 of 1 lines, 0.0% (apart", text)

    def test_ranges(self):
        self.assertEqual(coverage.ranges([7, 1, 2, 3]), "1-3, 7")

    def test_nothing(self):
        self.assertEqual(list(coverage.table({})), ["TOTAL 0.0%"])
