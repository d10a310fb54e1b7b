# SPDX-License-Identifier: GPL-2.0
"""Tests of how scripts/check counts."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

PATH = str(Path(__file__).resolve().parent.parent / "check")
LOADER = importlib.machinery.SourceFileLoader("check", PATH)
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", LOADER))
LOADER.exec_module(check)


def count(text, status=0):
    tally = check.Tally()
    for line in text.splitlines():
        tally.feed(line)
    tally.end(status)
    return tally.passed, tally.failed, tally.skipped


class Beside(unittest.TestCase):
    def test_a_suite_beside_the_others_counts(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(check, "RESULTS", Path(folder)), \
                mock.patch.object(check, "BESIDE", {"b"}), \
                mock.patch.dict(check.SUITES, {"a": ["sh", "-c", "echo 'ok 1 a'; echo 1..1"],
                                               "b": ["sh", "-c", "echo 'not ok 1 b'; echo 1..1"]}):
            tallies = check.run_all(["b", "a"])
        self.assertEqual({n: (t.passed, t.failed) for n, t in tallies.items()},
                         {"a": (1, 0), "b": (0, 1)})


class Late(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.out = Path(self.dir.name)
        self.addCleanup(setattr, check, "RESULTS", check.RESULTS)
        check.RESULTS = self.out
        (self.out / "s").mkdir()

    def suite(self, events, status="exit 1", first="", guest="s"):
        """A suite that fails at its first run, and does as told at the next."""
        script = (f"printf '%b' '{events}' >{self.out}/{guest}/events.log; echo 1..1; "
                  f"[ ! -e {self.out}/again ] || {{ {status}; }}; touch {self.out}/again; "
                  f"{first}echo 'not ok 1 a'; exit 1")
        check.SUITES["s"] = ["sh", "-c", script]
        self.addCleanup(check.SUITES.pop, "s")
        with contextlib.redirect_stdout(io.StringIO()):
            return check.run("s")

    def test_a_late_failure_is_no_result(self):
        tally = self.suite("1 behind us=9000\n2 machine-stop behind=1\n", "echo 'ok 1 a'; exit 0")
        self.assertEqual((tally.passed, tally.failed), (2, 0))
        self.assertTrue((self.out / "s-late.tap").exists())

    def test_in_a_guest_of_several(self):
        (self.out / "s" / "stock").mkdir()
        tally = self.suite("1 behind us=9000\n2 machine-stop behind=1\n",
                           "echo 'ok 1 a'; exit 0", guest="s/stock")
        self.assertEqual((tally.passed, tally.failed), (2, 0))

    def test_a_second_failure_counts(self):
        tally = self.suite("1 behind us=9000\n2 machine-stop behind=1\n",
                           "echo 'not ok 1 a'; exit 1")
        self.assertEqual((tally.passed, tally.failed), (1, 1))

    def test_a_broken_rule_counts(self):
        tally = self.suite("1 behind us=9000\n", "echo 'ok 1 a'; exit 0")
        self.assertEqual((tally.passed, tally.failed), (0, 2))
        self.assertFalse((self.out / "s-late.tap").exists())

    def test_the_kernel_reported(self):
        said = "guest: error: s: the kernel reported 2:"
        tally = self.suite("1 behind us=9000\n2 machine-stop behind=1\n",
                           f"echo 'ok 1 a'; echo '{said}'; exit 125")
        self.assertEqual((tally.passed, tally.failed), (2, 1))
        self.assertIn("the kernel reported 2", tally.remarks)

    def test_a_report_beside_a_late_failure_counts(self):
        tally = self.suite("1 behind us=9000\n2 machine-stop behind=1\n", "exit 0",
                           "echo guest: error: s: the kernel reported 2:; ")
        self.assertEqual((tally.passed, tally.failed), (1, 2))

    def test_a_failure_in_time_counts(self):
        tally = self.suite("2 machine-stop behind=0\n", "echo 'ok 1 a'; exit 0")
        self.assertEqual((tally.passed, tally.failed), (1, 1))


class Bench(unittest.TestCase):
    """The suite bench, by what scripts/bench leaves each time."""

    WAYS = {m: {"requests": 60, "p50_us": 900} for m in
            ("alone", "stock", "daemon", "coop", "gpreempt", "hint")}

    def results(self, *left):
        left = list(left)

        def leave(*_, **__):
            out = folder / "bench-short"
            out.mkdir(exist_ok=True)
            mixes = {"block-10ms": {"title": "", "low_block_us": 1, **left.pop(0)}}
            (out / "results.json").write_text(json.dumps(
                {"mixes": mixes if len(mixes["block-10ms"]) > 2 else {}}))
            (out / "block-10ms.png").touch()
            return mock.Mock(stdout="")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with mock.patch.object(check, "OUT", folder), \
                    mock.patch.object(check.subprocess, "run", leave):
                return [line.split()[0] for line in check.bench() if " - " in line]

    def test_all_measured(self):
        self.assertEqual(self.results({**self.WAYS, "stock": {"requests": 60, "p50_us": 5000}}),
                         ["ok"] * 3)

    def test_gpreempt_is_no_better(self):
        self.assertEqual(self.results(self.WAYS), ["ok", "not", "ok"])

    def test_a_way_is_missing(self):
        ways = {**self.WAYS, "stock": {"requests": 60, "p50_us": 5000}}
        del ways["coop"]
        self.assertEqual(self.results(ways), ["not", "ok", "ok"])

    def test_a_busy_host_gets_another_try(self):
        ways = {**self.WAYS, "stock": {"requests": 60, "p50_us": 5000}}
        self.assertEqual(self.results({}, ways), ["ok"] * 3)
        self.assertEqual(self.results({}, {}), ["not", "not", "ok"])


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

    def test_figures(self):
        tally = check.Tally()
        for line in ("# report: 12 us", "    # some_case: report: 64 queues", "# no report: 1",
                     "[    1.000000]     # a: report: 3"):
            tally.feed(line)
        self.assertEqual(tally.figures, ["12 us", "64 queues", "3"])

    def test_chatter_is_not_a_result(self):
        self.assertEqual(count("1..1\n# ok 2 in a comment\nokay 3\nok 1 a"), (1, 0, 0))
