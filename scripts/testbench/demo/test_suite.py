# SPDX-License-Identifier: GPL-2.0
"""Tests of how the demo on a busy host is compared with the one on a quiet one."""
import copy
import unittest

from testbench.check.test_parts import count
from testbench.demo import suite


class Loaded(unittest.TestCase):
    QUIET = {"alone": {"p50_us": 324, "p99_us": 332}, "stock": {"p50_us": 30067, "p99_us": 44695},
             "gpreempt": {"p50_us": 434, "p99_us": 442}, "low_exact": True, "missed": []}

    def loaded(self, mode=None, **changes):
        loaded = copy.deepcopy(self.QUIET)
        (loaded[mode] if mode else loaded).update(changes)
        return count(suite.same_results(self.QUIET, loaded))

    def test_the_same(self):
        self.assertEqual((self.loaded().passed, self.loaded().failed), (8, 0))

    def test_within_two_percent(self):
        self.assertEqual(self.loaded("stock", p99_us=44695 * 0.981).failed, 0)
        self.assertEqual(self.loaded("gpreempt", p99_us=450).failed, 0)

    def test_slower_or_faster(self):
        self.assertEqual(self.loaded("gpreempt", p99_us=452).remarks,
                         ["gpreempt: p99_us 442, on a busy host 452"])
        self.assertEqual(self.loaded("alone", p50_us=317).failed, 1)

    def test_another_verdict(self):
        self.assertEqual(self.loaded(missed=["a goal"]).failed, 1)
        self.assertEqual(self.loaded(low_exact=False).failed, 1)
