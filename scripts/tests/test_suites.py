# SPDX-License-Identifier: GPL-2.0
"""Tests of the suites that judge others' results."""
import unittest

import suites
import tap


def count(lines):
    tally = tap.Tally()
    for line in lines:
        tally.feed(line)
    tally.end(0)
    return tally


class Steps(unittest.TestCase):
    """As of the suites exact and bench."""

    def test_a_status_counts(self):
        tally = count(suites.steps_tap({"good": ["true"], "bad": ["sh", "-c", "exit 3"]}))
        self.assertEqual((tally.passed, tally.remarks), (1, ["bad"]))

    def test_a_guest_in_trouble_counts(self):
        tally = count(suites.steps_tap({"a": ["echo", "guest: error: a: QEMU ended (1)"]}))
        self.assertEqual((tally.passed, tally.remarks), (1, ["a: QEMU ended (1)"]))


class Tables(unittest.TestCase):
    def test_name_suites(self):
        every = suites.SUITES.keys() | suites.LONG
        for names in (*suites.CHAINS, suites.SECONDS,
                      suites.HOST | suites.STOCK):
            self.assertLessEqual(set(names), every)
