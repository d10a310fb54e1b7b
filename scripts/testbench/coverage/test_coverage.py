# SPDX-License-Identifier: GPL-2.0
"""Tests of how bench coverage counts."""
import contextlib
import io
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.coverage import main as coverage
from testbench.coverage.main import Line

DIFF = """\
--- a/drivers/kfd_queue.c
+++ b/drivers/kfd_queue.c
@@ -3 +3,2 @@ int two(int a)
-	return 7;
+	if (a)
+		return 7;
@@ -9,2 +9,0 @@
-gone
-too
"""
# Line 3 and 4 are the patch's, 8 is Linux's.
QUEUE = """\
int two(int a)
{
	if (a)
		return 7;
	return 2;
}

int three(void) { return 3; }
"""
OURS = """\
int two(int a);

int main(void)
{
	return two(1) != 7;
}
"""


class Counts(unittest.TestCase):
    LINES = {
        "kfd_queue.c": {40: Line("q", 0, [0, 0])},
        "gpreempt/run/node.c": {1: Line("f", 3, [3, 0]), 2: Line("f"), 3: Line("f"),
                                9: Line("g", 1, [1, 1])},
        "gpreempt/single/mes.c": {1: Line("m")},
    }

    def setUp(self):
        self.report = list(coverage.table(self.LINES))

    def test_total_counts_all(self):
        """The file for MES and the changed lines of Linux's files, too."""
        self.assertEqual(self.report[-1], "TOTAL 33.3% of lines, 50.0% of branches")

    def test_lists_what_did_not_run(self):
        self.assertIn("    f: 2-3", self.report)
        self.assertIn("    f, not every way: 1", self.report)
        self.assertFalse([line for line in self.report if line.startswith("    g")])
        self.assertIn("gpreempt/single/mes.c: 0 of 1 lines, 0.0%; 0 of 0 branches, 100.0%",
                      self.report)
        self.assertIn("kfd_queue.c: 0 of 1 lines, 0.0%; 0 of 2 branches, 0.0% (of the changed lines)",
                      self.report)

    def test_guests_add_up(self):
        line = Line()
        for branches in [1, 0], [0, 2, 0]:
            line.add({"count": 1, "function_name": "f",
                      "branches": [{"count": n} for n in branches]})
        self.assertEqual(line, Line("f", 2, [1, 2, 0]))

    def test_ranges(self):
        self.assertEqual(coverage.ranges([7, 1, 2, 3]), "1-3, 7")

    def test_nothing(self):
        self.assertEqual(list(coverage.table({})), ["TOTAL 0.0% of lines, 100.0% of branches"])

    def test_changes(self):
        self.assertEqual(coverage.changes(DIFF), {"kfd_queue.c": {3, 4}})


class Floor(unittest.TestCase):
    def test_the_document_states_one(self):
        lines, branches = coverage.floor(coverage.DOCUMENT.read_text())
        self.assertTrue(50 < branches < lines < 100)

    def test_not_stated(self):
        with self.assertRaises(SystemExit):
            coverage.floor("fails below 90 %")

    def test_compared(self):
        self.assertIsNone(coverage.too_low((95, 80), (95, 80)))
        self.assertIn("94.9% of the lines", coverage.too_low((94.9, 80), (95, 80)))
        self.assertIn("79.9% of the branches", coverage.too_low((95, 79.9), (95, 80)))


class Whole(unittest.TestCase):
    """The compiler's own counts of a program of two files, one of them Linux's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "gpreempt/run").mkdir(parents=True)
        for name, text in ("gpreempt/run/node.c", OURS), ("kfd_queue.c", QUEUE):
            (self.folder / name).write_text(text)
            subprocess.run(["gcc", "--coverage", "-c", name], cwd=self.folder, check=True)
        subprocess.run(["gcc", "--coverage", "-o", "program", "node.o", "kfd_queue.o"],
                       cwd=self.folder, check=True)
        subprocess.run(["./program"], cwd=self.folder, check=True)
        for name, pattern in ("gcno", "*.gcno"), ("results/suite/gcov", "*.gcda"):
            (self.folder / name).mkdir(parents=True)
            for f in self.folder.glob(pattern):
                shutil.move(f, self.folder / name)
        (self.folder / "changes.diff").write_text(DIFF)

    def run_main(self, document):
        (self.folder / "document").write_text(document)
        said = io.StringIO()
        argv = ["coverage", str(self.folder / "results"), str(self.folder)]
        with mock.patch.object(coverage, "DOCUMENT", self.folder / "document"), \
             mock.patch("sys.argv", argv), contextlib.redirect_stdout(said):
            coverage.main()
        return said.getvalue().splitlines()

    def test_counts(self):
        """Three lines ran of node.c, both changed ones of kfd_queue.c, and one way of two."""
        report = self.run_main("fails below 100 % of the lines or 50 % of the branches")
        self.assertIn("kfd_queue.c: 2 of 2 lines, 100.0%; 1 of 2 branches, 50.0% "
                      "(of the changed lines)", report)
        self.assertEqual(report[-1], "TOTAL 100.0% of lines, 50.0% of branches")

    def test_fails_below(self):
        with self.assertRaisesRegex(SystemExit, "50.0% of the branches, less than 51.0%"):
            self.run_main("fails below 100 % of the lines or 51 % of the branches")
