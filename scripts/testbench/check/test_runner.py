# SPDX-License-Identifier: GPL-2.0
"""Tests of how suites run beside each other, and of what is left of them."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from testbench.check import runner, tap
from testbench.paths import SCRIPTS


def one_passed():
    tally = tap.Tally()
    tally.passed = 1
    return tally


class Order(unittest.TestCase):
    """Which suites run when, by the times that fake ones leave."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def suite(self, name):
        begin = time.monotonic_ns()
        time.sleep(0.05)
        (self.folder / name).write_text(f"{begin} {time.monotonic_ns()}")
        return one_passed()

    def times(self, names, jobs=1, seconds=None, chains=()):
        """name -> begin and end, in the order of their begin; and the tallies"""
        with contextlib.redirect_stdout(io.StringIO()):
            tallies = runner.run_all(names, self.suite, lambda name, _: name, jobs,
                                     lambda name: (seconds or {}).get(name, 1), chains)
        found = {n: tuple(map(int, (self.folder / n).read_text().split())) for n in names}
        return dict(sorted(found.items(), key=lambda item: item[1])), tallies

    def test_the_longest_begins(self):
        times, tallies = self.times("abc", seconds={"a": 1, "b": 3, "c": 2})
        self.assertEqual(list(times), ["b", "c", "a"])
        self.assertEqual(list(tallies), ["a", "b", "c"])

    def test_one_at_a_time(self):
        times, _ = self.times("abc")
        begins, ends = zip(*times.values())
        self.assertTrue(all(end < begin for end, begin in zip(ends, begins[1:])))

    def test_beside_each_other(self):
        def meet(name):
            (self.folder / name).touch()
            deadline = time.monotonic() + 10
            while len(list(self.folder.iterdir())) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            return one_passed() if time.monotonic() < deadline else None
        with contextlib.redirect_stdout(io.StringIO()):
            tallies = runner.run_all("ab", meet, lambda name, _: name, 2, len)
        self.assertEqual([t.passed for t in tallies.values()], [1, 1])

    def test_a_chain_keeps_its_order(self):
        times, _ = self.times("cab", jobs=3, seconds={"a": 9}, chains=["ca", "xy"])
        self.assertLess(times["c"][1], times["a"][0])

    def test_a_chain_counts_as_a_whole(self):
        times, _ = self.times("abc", seconds={"b": 3, "c": 2, "a": 2}, chains=["ca"])
        self.assertEqual(list(times), ["c", "b", "a"])


class Results(unittest.TestCase):
    def run_all(self, run, names="ab"):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            tallies = runner.run_all(names, run, lambda name, t: f"{name} {t.passed} {t.failed}",
                                     2, len)
        return {n: (t.passed, t.failed) for n, t in tallies.items()}, said.getvalue().split("\n")

    def test_each_counts_and_is_printed(self):
        tallies, said = self.run_all(lambda _: one_passed())
        self.assertEqual(tallies, {"a": (1, 0), "b": (1, 0)})
        self.assertEqual(sorted(said), ["", "a 1 0", "b 1 0"])

    def test_one_that_dies_has_failed(self):
        def die(name):
            if name == "a":
                os.kill(os.getpid(), signal.SIGKILL)
            return one_passed()
        self.assertEqual(self.run_all(die)[0], {"a": (0, 1), "b": (1, 0)})

    def test_one_that_raises_has_failed(self):
        with mock.patch.object(runner.traceback, "print_exc"):
            self.assertEqual(self.run_all(lambda name: {"b": one_passed()}[name])[0],
                             {"a": (0, 1), "b": (1, 0)})

    def test_many_remarks(self):
        def many(_):
            tally = tap.Tally()
            for n in range(20000):
                tally.fail(f"test {n} failed")
            return tally
        self.assertEqual(self.run_all(many, "a")[0], {"a": (0, 20000)})


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Progress(unittest.TestCase):
    def said(self, out, *ticks):
        """What is printed at these times; a suite ends at 100 s."""
        with contextlib.redirect_stdout(out), \
                mock.patch.object(runner.time, "monotonic", return_value=0) as clock:
            progress = runner.Progress()
            for clock.return_value in ticks:
                if clock.return_value == 100:
                    progress.say("c 1 passed")
                progress.tick({"a": clock.return_value, "b": 7}, 3)
        return out.getvalue()

    def test_long_silence_is_broken(self):
        self.assertEqual(self.said(io.StringIO(), 1, 59, 61, 100, 159, 160),
                         "  a 61 s, b 7 s; 3 left\nc 1 passed\n  a 160 s, b 7 s; 3 left\n")

    def test_one_line_of_a_terminal(self):
        with mock.patch.dict(os.environ, {"COLUMNS": "15"}):
            self.assertEqual(self.said(Terminal(), 1, 100).split("\r\x1b[K"),
                             ["", "  a 1 s, b 7 s", "c 1 passed\n", "  a 100 s, b 7"])


# Has two suites whose processes hide in groups and sessions of their own.
FAKE = """
import signal, subprocess, sys
sys.path.insert(0, sys.argv[1])
from testbench.check import runner
def suite(name):
    subprocess.run(["sh", "-c", "setsid sleep 1000 & timeout 1000 sleep 1000 & echo up; wait"])
runner.adopt()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    runner.run_all("ab", suite, None, 2, len)
finally:
    runner.end_descendants()
"""


class Gone(unittest.TestCase):
    def test_another_ends_meanwhile(self):
        def read(path):
            if path.parent.name == str(os.getppid()):
                raise ProcessLookupError
            return b""
        with mock.patch("os.listdir", return_value=["1", str(os.getppid()), "self"]), \
             mock.patch.object(Path, "read_bytes", read):
            self.assertEqual([pid for pid, _ in runner.of_processes("stat")], [1])
        self.assertIn(os.getpid(), [pid for pid, _ in runner.of_processes("stat")])

    def end(self, number):
        """What is left of FAKE after a signal; and its status."""
        with subprocess.Popen([sys.executable, "-c", FAKE, SCRIPTS], stdout=subprocess.PIPE,
                              text=True) as fake:
            for _ in range(2):
                self.assertEqual(fake.stdout.readline(), "up\n")
            deadline = time.monotonic() + 10
            # two suites; of each the shell, setsid's sleep, timeout and its sleep
            while len(below := runner.descendants(fake.pid)) < 10 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(below), 10)
            fake.send_signal(number)
            status = fake.wait()
        while left := [pid for pid in below if alive(pid)]:
            if time.monotonic() > deadline:
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                break
            time.sleep(0.01)
        return left, status

    def test_when_it_is_ended(self):
        self.assertEqual(self.end(signal.SIGTERM), ([], 143))

    def test_when_it_is_killed(self):
        self.assertEqual(self.end(signal.SIGKILL), ([], -signal.SIGKILL))

    def test_when_a_suite_is_over(self):
        leave = ["sh", "-c", "setsid sleep 1000 >/dev/null & echo $!"]
        pid = int(runner.Child(subprocess.check_output, leave).result())
        self.assertFalse(alive(pid))


def alive(pid):
    """A zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
