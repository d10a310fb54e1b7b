# SPDX-License-Identifier: GPL-2.0
"""bench check-shares with shares that are right and that are not."""
import unittest
from types import SimpleNamespace

from testbench.shares import check

OUTPUT = """
ok 1 something else
# shares of fair begin=100 end=200
# share alone pasid=7 percent=25.00
# share alone pasid=8 percent=75.00
"""

TOGETHER = """
# shares of fair begin=100 end=200
# share together pasid=7 percent=60.00
# share alone pasid=8 percent=40.00
# share together pasid=9 percent=60.00
"""


def run(pasid, begin, end):
    return SimpleNamespace(queue=SimpleNamespace(pasid=pasid), begin=begin, end=end)


class Shares(unittest.TestCase):
    def good(self, *runs, output=OUTPUT):
        return [good for good, _ in check.results(check.parse(output), runs)]

    def test_right(self):
        # what lies outside of the window does not count
        self.assertEqual(self.good(run(7, 500, 1240), run(8, 1240, 1960), run(9, 10, 900)),
                         [True, True])

    def test_more_than_two_points(self):
        self.assertEqual(self.good(run(7, 1000, 1280), run(8, 1280, 2000)), [False, False])

    def test_one_that_had_nothing(self):
        self.assertEqual(self.good(run(8, 1000, 2000)), [False, False])

    def test_a_stranger(self):
        self.assertEqual(self.good(run(7, 1000, 1240), run(8, 1240, 1970), run(9, 1970, 1990)),
                         [True, True, False])

    def test_together(self):
        self.assertEqual(self.good(run(7, 1000, 1100), run(8, 1100, 1500), run(9, 1500, 2000),
                                   output=TOGETHER), [True, True])
        self.assertEqual(self.good(run(7, 1000, 1600), run(8, 1600, 2000), output=TOGETHER),
                         [True, True])
        self.assertEqual(self.good(run(7, 1000, 1300), run(8, 1300, 1700), run(9, 1700, 1800),
                                   output=TOGETHER), [False, False])
