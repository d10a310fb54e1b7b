# SPDX-License-Identifier: GPL-2.0
"""Tests of what a suite is made of: whose result counts, and how often it runs."""
import tempfile
import unittest
from pathlib import Path

from testbench.check import parts, tap
from testbench.paths import RESULTS, bench


def count(lines):
    tally = tap.Tally()
    for line in lines:
        tally.feed(line)
    tally.end(0)
    return tally


class Steps(unittest.TestCase):
    """As of the suites exact, bench and demo."""

    def test_a_status_counts(self):
        tally = count(parts.tests({"good": ["true"], "bad": ["sh", "-c", "exit 3"]}))
        self.assertEqual((tally.passed, tally.remarks), (1, ["bad"]))

    def test_a_guest_in_trouble_counts(self):
        tally = count(parts.tests({"a": ["echo", "guest: error: a: QEMU ended (1)"]}))
        self.assertEqual((tally.passed, tally.remarks), (1, ["a: QEMU ended (1)"]))


class Streams(unittest.TestCase):
    """As of the model's unit tests: one may fail behind its last result."""

    def failed(self, script):
        tally = count(parts.streams(["sh", "-c", script]))
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


class Parts(unittest.TestCase):
    def test_one_is_a_stream(self):
        """Its lines as they are, and its status."""
        stream, lines = parts.lines("s", [parts.host("sh", "-c", "echo ok 1 a; exit 3")]), []
        try:
            while True:
                lines.append(next(stream))
        except StopIteration as end:
            self.assertEqual((lines, end.value), (["ok 1 a"], 3))

    def test_a_skip_inside_is_one(self):
        tally = count(parts.tests({"a": ["echo", "ok 1 low # SKIP no GPU"]}))
        self.assertEqual((tally.passed, tally.skipped), (0, 1))

    def test_several_are_streams_and_tests(self):
        run = [parts.host("echo", "said", text="a step"), parts.host("printf", r"ok 1 - a\n1..1\n")]
        self.assertEqual([*parts.lines("s", run)],
                         ["# said", "ok 1 - a step", "1..1", "ok 1 - a", "1..1"])

    def test_a_verdict(self):
        """Whatever it says of its trouble, it runs once and its status counts."""
        for said in ("MISSED block-10ms: p99", "no result: 'gpreempt': GPREEMPT gave up",
                     "LOW failed, or computed something wrong, in 'stock'"):
            with tempfile.TemporaryDirectory() as folder:
                runs = Path(folder) / "runs"
                tally = count(parts.lines("s", [parts.host(
                    "sh", "-c", f'echo run >>{runs}; echo "{said}"; exit 1', text="its verdict")]))
                self.assertEqual((tally.passed, tally.failed), (0, 1))
                self.assertEqual(runs.read_text(), "run\n")

    def test_a_guest(self):
        """Its results are below the suite's, by the name of the part."""
        part = parts.Guest(["true"], ["--no-gpu"], 200, "one", real_time=False)
        command = [str(word) for word in part.argv("s")]
        self.assertEqual(command, [*map(str, bench("guest")), "--name", f"{RESULTS.name}/s/one", "--suite",
                                   "s", "--timeout", "200", "--no-gpu", "--", "true"])
        part = parts.Guest(["true"], real_time=True)
        command = [str(word) for word in part.argv("s")]
        self.assertEqual(command[:2], ["env", "REALTIME=1"])
        self.assertIn(f"{RESULTS.name}/s", command)
        self.assertIn("1200", command)
