# SPDX-License-Identifier: GPL-2.0
"""Tests of how results are counted."""
import unittest

from testbench.check import tap


def count(text, status=0):
    tally = tap.Tally()
    for line in text.splitlines():
        tally.feed(line)
    tally.end(status)
    return tally.passed, tally.failed, tally.skipped


class Tally(unittest.TestCase):
    def test_flat(self):
        self.assertEqual(count("1..3\nok 1 - a\nnot ok 2 b\nok 3 c # SKIP no GPU", 1), (1, 1, 1))

    def test_plan_at_the_end(self):
        self.assertEqual(count("ok 1 a\nok 2 b\n1..2"), (2, 0, 0))

    def test_programs_one_after_another(self):
        self.assertEqual(count("1..1\nok 1 a\nTAP version 13\n1..2\nok 1 a\nok 2 b"), (3, 0, 0))

    def test_nested_results_count_once(self):
        ktap = "KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 a\n  ok 2 b\nok 1 suite"
        self.assertEqual(count(ktap), (2, 0, 0))

    def test_suite_fails_as_a_whole(self):
        ktap = "1..1\n  1..1\n  ok 1 a\nnot ok 1 suite"
        self.assertEqual(count(ktap)[1], 1)

    def test_a_test_that_never_ended(self):
        self.assertEqual(count("1..3\nok 1 a\nok 2 b")[1], 1)

    def test_dies_after_its_results(self):
        self.assertEqual(count("1..1\nok 1 a", 139), (1, 1, 0))

    def test_nothing_tested(self):
        self.assertEqual(count("no results here")[1], 1)

    def test_zero_planned(self):
        self.assertEqual(count("1..0 # SKIP nothing")[1], 1)

    def test_parameters_without_a_plan(self):
        ktap = ("KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n    KTAP version 1\n"
                "    ok 1 x\n    ok 2 y\n  ok 1 a\n  ok 2 b\nok 1 suite")
        self.assertEqual(count(ktap), (3, 0, 0))

    def test_nested_test_that_never_ended(self):
        self.assertEqual(count("1..1\n  1..2\n  ok 1 a\nok 1 suite")[1], 1)

    def test_no_plan(self):
        self.assertEqual(count("ok 1 a")[1], 1)

    def test_kernel_time_stamps(self):
        self.assertEqual(count("[    1.5] 1..1\n[    1.6] ok 1 a"), (1, 0, 0))

    def test_the_reason_of_a_failure(self):
        tally = tap.Tally()
        for line in ("1..4", "# a_test.c:7:one:only a word", "ok 1 a.one",
                     "# a_test.c:8:two:only a word",
                     "# queue/a_test.c:9:two:Expected 1 (1) == n (2)",
                     "# a_test.c:10:two:Expected 3 (3) == n (2)", "not ok 2 a.two",
                     "[    1.5]     # three: EXPECTATION FAILED at b_kunit.c:5", "not ok 3 b",
                     "# four: Test terminated by timeout", "not ok 4 a.four"):
            tally.feed(line)
        self.assertEqual(tally.remarks,
                         ["a.two: queue/a_test.c:9:two:Expected 1 (1) == n (2)",
                          "b: three: EXPECTATION FAILED at b_kunit.c:5",
                          "a.four: four: Test terminated by timeout"])

    def test_figures(self):
        tally = tap.Tally()
        for line in ("# report: 12 us", "    # some_case: report: 64 queues", "# no report: 1",
                     "[    1.000000]     # a: report: 3"):
            tally.feed(line)
        self.assertEqual(tally.figures, ["12 us", "64 queues", "3"])

    def test_chatter_is_not_a_result(self):
        self.assertEqual(count("1..1\n# ok 2 in a comment\nokay 3\nok 1 a"), (1, 0, 0))

    def test_guest_without_a_clock(self):
        for before in "", "# ":
            tally = tap.Tally()
            for line in "1..1", f"{before}guest: real time, no evidence: no plugins", "ok 1 a":
                tally.feed(line)
            tally.end(0)
            self.assertEqual((tally.passed, tally.failed, tally.skipped), (1, 0, 1))
            self.assertEqual(tally.remarks, ["skipped: real time, no evidence: no plugins"])

    def test_trouble_of_a_guest(self):
        for before in "", "# ", "  ", "block-10ms: ":
            for said in "kfd: the kernel failed:", "the GPU model did not start: no socket":
                tally = tap.Tally()
                for line in "1..1", "ok 1 a", f"{before}guest: error: {said}":
                    tally.feed(line)
                tally.end(0)
                self.assertEqual((tally.passed, tally.remarks), (1, [said.rstrip(":")]))
