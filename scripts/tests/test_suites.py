# SPDX-License-Identifier: GPL-2.0
"""Tests of the suites that judge others' results."""
import copy
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench import suites, tap


def count(lines):
    tally = tap.Tally()
    for line in lines:
        tally.feed(line)
    tally.end(0)
    return tally


class Demo(unittest.TestCase):
    QUIET = {"alone": {"p50_us": 324, "p99_us": 332}, "stock": {"p50_us": 30067, "p99_us": 44695},
             "gpreempt": {"p50_us": 434, "p99_us": 442}, "low_exact": True, "missed": []}

    def loaded(self, mode=None, **changes):
        loaded = copy.deepcopy(self.QUIET)
        (loaded[mode] if mode else loaded).update(changes)
        return count(suites.same_results(self.QUIET, loaded))

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


class Steps(unittest.TestCase):
    """As of the suites exact, bench and demo."""

    def test_a_status_counts(self):
        tally = count(suites.steps_tap({"good": ["true"], "bad": ["sh", "-c", "exit 3"]}))
        self.assertEqual((tally.passed, tally.remarks), (1, ["bad"]))

    def test_a_guest_in_trouble_counts(self):
        tally = count(suites.steps_tap({"a": ["echo", "guest: error: a: QEMU ended (1)"]}))
        self.assertEqual((tally.passed, tally.remarks), (1, ["a: QEMU ended (1)"]))


class Streams(unittest.TestCase):
    """As of the model's unit tests: one may fail behind its last result."""

    def failed(self, script):
        tally = count(suites.streams(["sh", "-c", script]))
        return tally.passed, tally.remarks

    def test_a_sanitizer_is_quoted(self):
        self.assertEqual(
            self.failed("echo ok 1; echo 1..1; echo SUMMARY: ThreadSanitizer: data race a.c:1 in b; "
                        "exit 2"),
            (1, ["sh ended with status 2: ThreadSanitizer: data race a.c:1 in b"]))

    def test_a_status_counts(self):
        self.assertEqual(self.failed("echo ok 1; echo 1..1; exit 2"),
                         (1, ["sh ended with status 2"]))

    def test_a_named_failure_counts_once(self):
        self.assertEqual(self.failed("echo not ok 1 - a; echo 1..1; exit 1"), (0, ["a"]))


class Bench(unittest.TestCase):
    """Whatever it says of its trouble, it runs once and its status counts."""

    def test_its_verdict(self):
        for said in ("MISSED block-10ms: p99", "no result: 'gpreempt': GPREEMPT gave up",
                     "LOW failed, or computed something wrong, in 'stock'"):
            with tempfile.TemporaryDirectory() as folder:
                script = Path(folder) / "bench"
                script.write_text(f'#!/bin/sh\necho run >>"$0.runs"\necho "{said}"\nexit 1\n')
                script.chmod(0o755)
                with mock.patch.object(suites, "SCRIPTS", Path(folder)):
                    tally = count(suites.bench())
                self.assertEqual((tally.passed, tally.failed), (0, 1))
                self.assertEqual((Path(folder) / "bench.runs").read_text(), "run\n")


class Tables(unittest.TestCase):
    def test_name_suites(self):
        every = suites.SUITES.keys() | suites.LONG
        for names in (*suites.CHAINS, suites.NEEDS, suites.NEEDS.values(), suites.SECONDS,
                      suites.HOST | suites.STOCK):
            self.assertLessEqual(set(names), every)
