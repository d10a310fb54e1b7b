# SPDX-License-Identifier: GPL-2.0
"""Tests of what bench kfdtest keeps of a run, and of what it calls worse."""
import argparse
import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.guest import watch
from testbench.kfdtest import main as kfdtest

TESTS = ["KFDA.One", "KFDA.Two", "KFDB/Three.x/0"]


class InFolder(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.folder = Path(self.dir.name)

    def table(self):
        return kfdtest.Table(self.folder, TESTS, ["KFDB/*"])


class Kept(InFolder):
    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def test_a_second_call_adds(self):
        self.table().put("stock", "KFDA.One", "pass", "")
        self.table().put("enabled", "KFDB/Three.x/0", "fail", "two\tlines\nof it")
        self.assertEqual(self.lines("results.tsv"), [
            "test\tstock\tbuilt\tenabled", "KFDA.One\tpass\t-\t-", "KFDA.Two\t-\t-\t-",
            "KFDB/Three.x/0\t-\t-\tfail"])
        self.assertEqual(self.lines("why.tsv"),
                         ["KFDB/Three.x/0\tenabled\tfail\ttwo lines of it"])
        self.assertEqual(self.table().results["enabled", "KFDB/Three.x/0"],
                         ("fail", "two lines of it"))

    def test_what_is_run_anew_is_forgotten(self):
        table = self.table()
        for test in TESTS:
            table.put("built", test, "pass", "")
        table.reports["built"] = {"WARNING: a"}
        table.forget(["built"], TESTS[:2])
        self.assertEqual([self.table().result("built", t) for t in TESTS], ["-", "-", "pass"])
        self.assertEqual(self.table().reports["built"], {"WARNING: a"})
        table.forget(["built"], TESTS)
        self.assertEqual(self.table().reports["built"], set())

    def test_a_test_that_kfdtest_lost_goes(self):
        self.table().put("stock", "KFDA.One", "pass", "")
        self.assertEqual(kfdtest.Table(self.folder, ["KFDA.Two"], []).results, {})

    def test_to_read(self):
        table = self.table()
        table.put("stock", "KFDA.One", "pass", "")
        table.put("stock", "KFDB/Three.x/0", "fail", "expected 1, got 2.")
        text = (self.folder / "table.rst").read_text().splitlines()
        self.assertIn("all         3      1 / 1 / 0 / 1  0 / 0 / 0 / 3  0 / 0 / 0 / 3", text)
        self.assertIn("KFDB/Three.x/0  fail   -      -        expected 1, got 2; on AMD's list",
                      text)
        # not even tried
        self.assertIn("KFDA.Two        -      -      -        not run", text)

    def test_not_run_elsewhere(self):
        table = self.table()
        table.put("stock", "KFDA.One", "fail", kfdtest.TIMEOUT)
        table.put("stock", "KFDA.Two", "fail", "expected 1, got 2")
        self.assertEqual(table.futile("KFDA.One"), kfdtest.TIMEOUT)
        self.assertIsNone(table.futile("KFDA.Two"))
        self.assertIsNone(table.futile("KFDB/Three.x/0"))

    def test_worse(self):
        table = self.table()
        for driver in kfdtest.DRIVERS:
            table.put(driver, "KFDA.One", "pass", "")
        table.put("stock", "KFDA.Two", "fail", "x")
        table.put("enabled", "KFDA.Two", "fail", "x")
        self.assertEqual(list(table.worse()), [])
        table.put("built", "KFDA.One", "skip", "x")
        table.reports["enabled"] = {"WARNING: b"}
        self.assertEqual(list(table.worse()), ["KFDA.One (built)", "WARNING: b (enabled)"])


class Runs(InFolder):
    """Guests as a script: the tests that they end, then they die."""

    def setUp(self):
        super().setUp()
        for name in "boot", "reported":
            self.addCleanup(setattr, kfdtest, name, getattr(kfdtest, name))
        kfdtest.reported = lambda _, driver: {f"WARNING: {driver} {len(self.guests)}"}
        kfdtest.boot = self.boot
        (self.folder / "stock").mkdir()
        (self.folder / "stock" / "console.log").write_text("the end")
        self.guests = []

    def boot(self, _folder, _driver, tests, _limit):
        self.guests.append(tests)
        for test in tests[:self.ends]:
            yield test, 0, 1, "[       OK ]"

    def go(self, ends, tests=None, driver="stock"):
        self.ends = ends
        table = self.table()
        with contextlib.redirect_stdout(io.StringIO()):
            kfdtest.run(table, driver, tests or TESTS, 1)
        return [table.result(driver, t) for t in TESTS]

    def test_all_in_one_guest(self):
        self.assertEqual(self.go(3), ["pass"] * 3)
        self.assertEqual(self.guests, [TESTS])

    def test_only_what_has_no_result(self):
        self.table().put("stock", "KFDA.One", "skip", "x")
        self.assertEqual(self.go(3), ["skip", "pass", "pass"])
        self.assertEqual(self.guests, [TESTS[1:]])

    def test_another_guest_for_some(self):
        with mock.patch.dict(kfdtest.LARGER, {"KFDA.Two": ["--memory", "4096"]}):
            self.assertEqual(self.go(3), ["pass"] * 3)
        self.assertEqual(self.guests, [[TESTS[0], TESTS[2]], [TESTS[1]]])

    def test_a_guest_that_dies(self):
        self.assertEqual(self.go(1), ["pass", "fail", "pass"])
        self.assertEqual(self.guests, [TESTS, TESTS[2:]])
        self.assertEqual((self.folder / "stock-KFDA.Two.console").read_text(), "the end")
        self.assertEqual(self.table().reports, {"built": set(), "enabled": set()})

    def test_what_each_guest_reported(self):
        (self.folder / "stock").rename(self.folder / "built")
        self.go(1, driver="built")
        self.assertEqual(self.table().reports,
                         {"built": {"WARNING: built 1", "WARNING: built 2"}, "enabled": set()})

    def test_guests_that_die_at_once(self):
        with self.assertRaises(SystemExit):
            self.go(0)
        self.assertEqual(len(self.guests), 2)


class Boot(InFolder):
    """What a guest prints, which is a script's here."""

    def test_what_each_test_said(self):
        guest = self.folder / "guest"
        guest.write_text("""#!/bin/sh
            while [ "$1" != --input ]; do shift; done
            cp "$2/tests" "$2/seen"
            printf '| a\\n|\\n| [       OK ]\\nKFDA.One 0 3\\ndmesg\\nKFDB/Three.x/0 137 9\\n'
        """)
        guest.chmod(0o755)
        with mock.patch.object(kfdtest, "GUEST", [guest]), \
                contextlib.redirect_stdout(io.StringIO()) as out:
            found = list(kfdtest.boot(self.folder, "stock", TESTS, 1))
        self.assertEqual(found, [("KFDA.One", 0, 3, "a\n\n[       OK ]\n"),
                                 ("KFDB/Three.x/0", 137, 9, "")])
        self.assertEqual(out.getvalue(), "  dmesg\n")
        self.assertEqual((self.folder / "stock.in" / "seen").read_text().split(), TESTS)


class Reported(InFolder):
    """The guests are scripts that let their watch judge a console."""

    CONSOLE = "BUG: slept at {}\n {}+0x1/0x2 [amdgpu]\n"

    def guest(self, driver, function, number):
        (self.folder / driver).mkdir(exist_ok=True)
        (self.folder / driver / "output").touch()
        seen = watch.Watch(self.folder / driver)
        seen.feed(self.CONSOLE.format(number, function).encode())
        option = dict(zip(self.words[::2], self.words[1::2]))
        with contextlib.closing(seen.output), contextlib.closing(seen.console):
            seen.reports(argparse.Namespace(kernel="", suite="", splat_ok=option["--splat-ok"],
                                            module=option.get("--module", "gpreempt")),
                         self.folder / driver)

    def run_of(self, *guests, resume=False):
        """What is worse than on stock after some guests' runs, of a driver and a function each."""
        table = self.table()
        if not resume:
            table.forget([driver for driver, _ in guests], TESTS)
        for number, (driver, function) in enumerate(guests):
            def popen(command, _driver=driver, _function=function, _number=number, **_):
                self.words = command[len(kfdtest.GUEST):command.index("--")]
                self.guest(_driver, _function, _number)
                return mock.MagicMock(__enter__=lambda _: mock.Mock(stdout=io.StringIO(
                    "".join(f"| [       OK ]\n{t} 0 1\n" for t in TESTS))))
            with mock.patch("subprocess.Popen", popen), contextlib.redirect_stdout(io.StringIO()):
                kfdtest.run(table, driver, TESTS, 1)
        return list(table.worse())

    def setUp(self):
        super().setUp()
        self.words = []
        patch = mock.patch.object(kfdtest, "OUT", self.folder.parent)
        patch.start()
        self.addCleanup(patch.stop)

    def test_what_stock_reported_in_the_same_run(self):
        self.assertEqual(self.run_of(("stock", "a"), ("built", "a"), ("enabled", "a")), [])
        self.assertEqual(self.run_of(("stock", "a"), ("built", "a"), ("enabled", "b")),
                         ["BUG: slept at #: b (enabled)"])
        # it is told until its tests have run again
        self.assertEqual(self.run_of(("stock", "b"), ("built", "b")), ["BUG: slept at #: b (enabled)"])
        self.assertEqual(self.run_of(("stock", "b"), ("enabled", "b")), [])

    def test_what_stock_reported_in_another_run(self):
        self.run_of(("stock", "a"))
        self.assertEqual(self.run_of(("built", "a")), ["BUG: slept at #: a (built)"])
        self.run_of(("stock", "a"))
        self.assertEqual(self.run_of(("stock", "b"), ("built", "a")), ["BUG: slept at #: a (built)"])

    def test_a_run_that_goes_on(self):
        self.run_of(("stock", "a"))
        self.assertEqual(self.run_of(("built", "a"), resume=True), [])

    def test_what_names_gpreempt_is_not_as_on_stock(self):
        self.assertEqual(self.run_of(("stock", "kfd_gpreempt_a"), ("built", "kfd_gpreempt_a")),
                         ["BUG: slept at #: kfd_gpreempt_a, gpreempt is in it (built)"])


class Lines(unittest.TestCase):
    def test_a_silent_guest_is_killed(self):
        with subprocess.Popen(["sh", "-c", "echo a; exec sleep 60"], text=True,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(list(kfdtest.lines_of(process, 2)), ["a"])
