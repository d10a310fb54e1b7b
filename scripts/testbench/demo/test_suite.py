# SPDX-License-Identifier: GPL-2.0
"""Tests of how the demo on a busy host is compared with the one on a quiet one."""
import copy
import unittest

from testbench.check.test_parts import count
from testbench.demo import boots, suite, timeline
from testbench.gpu import GPUS, SIZES


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


class Sizes(unittest.TestCase):
    """What the model is told of a GPU's size."""

    def units(self, gpu, size):
        words = GPUS[gpu].sized(size).split()
        told = {k.removeprefix("--").replace("-", "_"): v for k, v in zip(words[::2], words[1::2])}
        # gpu-model's own, of what it is not told
        return timeline.units({"xccs": 1, "engines": 2, "cus_per_engine": 2} | told)

    def test_units(self):
        self.assertEqual([len(self.units(gpu, size)) for gpu in GPUS for size in SIZES],
                         [4, 8, 104, 4, 32, 304, 4, 12, 96])

    def test_engines(self):
        """All of them have units, also where one has fewer than the others."""
        for gpu, engines in ("mi210", 8), ("mi300x", 32):
            for size in "engines", "full":
                self.assertEqual(len({cu[:2] for cu in self.units(gpu, size)}), engines)

    def test_each_size_is_known(self):
        for table in boots.SAMPLES, boots.LOW, boots.LIMIT_S:
            self.assertEqual(set(table), set(SIZES))
