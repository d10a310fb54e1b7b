# SPDX-License-Identifier: GPL-2.0
"""Tests of what bench kfdtest keeps of a run, and of what it calls worse."""
import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

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
            table.put("stock", test, "pass", "")
        table.reports["stock"] = {"WARNING: a"}
        table.forget(["stock"], TESTS[:2])
        self.assertEqual([self.table().result("stock", t) for t in TESTS], ["-", "-", "pass"])
        self.assertEqual(self.table().reports["stock"], {"WARNING: a"})
        table.forget(["stock"], TESTS)
        self.assertEqual(self.table().reports["stock"], set())

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
        table.reports["stock"] = {"WARNING: a"}
        table.reports["enabled"] = {"WARNING: a", "WARNING: b"}
        self.assertEqual(list(table.worse()), ["KFDA.One (built)", "WARNING: b (enabled)"])


class Runs(InFolder):
    """Guests as a script: the tests that they end, then they die."""

    def setUp(self):
        super().setUp()
        for name in "boot", "reported":
            self.addCleanup(setattr, kfdtest, name, getattr(kfdtest, name))
        kfdtest.reported = lambda *_: {f"WARNING: {len(self.guests)}"}
        kfdtest.boot = self.boot
        (self.folder / "stock").mkdir()
        (self.folder / "stock" / "console.log").write_text("the end")
        self.guests = []

    def boot(self, _folder, _driver, tests, _limit):
        self.guests.append(tests)
        for test in tests[:self.ends]:
            yield test, 0, 1, "[       OK ]"

    def go(self, ends, tests=None):
        self.ends = ends
        table = self.table()
        with contextlib.redirect_stdout(io.StringIO()):
            kfdtest.run(table, "stock", tests or TESTS, 1)
        return [table.result("stock", t) for t in TESTS]

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
        self.assertEqual(self.table().reports["stock"], {"WARNING: 1", "WARNING: 2"})

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
    def test_what_names_gpreempt_is_not_as_on_stock(self):
        for driver, function in ("stock", "a"), ("built", "b"), ("enabled", "kfd_gpreempt_a"):
            (self.folder / driver).mkdir()
            (self.folder / driver / "console.log").write_text("BUG: slept at 0x12\n"
                                                              f" {function}+0x1/0x2\n")
        stock, built, enabled = (kfdtest.reported(self.folder, d) for d in kfdtest.DRIVERS)
        self.assertEqual(len(stock), 1)
        self.assertEqual(stock, built)
        self.assertFalse(enabled & stock)


class Lines(unittest.TestCase):
    def test_a_silent_guest_is_killed(self):
        with subprocess.Popen(["sh", "-c", "echo a; exec sleep 60"], text=True,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(list(kfdtest.lines_of(process, 2)), ["a"])
