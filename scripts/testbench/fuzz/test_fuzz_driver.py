# SPDX-License-Identifier: GPL-2.0
"""Tests of the rounds that bench fuzz-driver makes of many calls."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from testbench.fuzz import driver as fuzz_driver
from testbench.fuzz.driver import ROUND, Passed


class Rounds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "fuzz-driver" / "passed"
        self.made = []

    def run_rounds(self, wanted, kernel="a", fails=None):
        """The seed that failed, and what was said."""
        passed = Passed(self.path, kernel)

        def one_round(seed, calls):
            self.made.append((seed, calls))
            return seed != fails

        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            return fuzz_driver.run(passed, wanted, one_round), said.getvalue()

    def test_all_calls(self):
        failed, said = self.run_rounds(2 * ROUND + 10)
        self.assertIsNone(failed)
        self.assertEqual(self.made, [(1, ROUND), (2, ROUND), (3, 10)])
        self.assertIn(f"{ROUND} of {2 * ROUND + 10} calls", said)

    def test_goes_on_with_the_next_seed(self):
        self.run_rounds(2 * ROUND)
        self.run_rounds(3 * ROUND)
        self.assertEqual(self.made, [(1, ROUND), (2, ROUND), (3, ROUND)])

    def test_a_failure_ends_it_and_comes_first_again(self):
        self.assertEqual(self.run_rounds(3 * ROUND, fails=2)[0], 2)
        self.assertIsNone(self.run_rounds(2 * ROUND)[0])
        self.assertEqual([seed for seed, _ in self.made], [1, 2, 2])

    def test_another_kernel_begins_anew(self):
        self.run_rounds(ROUND)
        self.run_rounds(ROUND, kernel="b")
        self.assertEqual([seed for seed, _ in self.made], [1, 1])


if __name__ == "__main__":
    unittest.main()
