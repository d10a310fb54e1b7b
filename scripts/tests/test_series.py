# SPDX-License-Identifier: GPL-2.0
"""Tests of the stages of the series: what a patch adds before later ones change it."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from testbench import patchset, stage

SERIES = """
[A]
one.patch
    ours/a.c
    top.h => ours/b.h
[B]
two.patch
    ours/c.c
three.patch
"""
MESSAGE = "From: x <x@example.com>\nSubject: a patch\n\nIt does.\n\n---\n"
LAST = "".join(f"line {n}\n" for n in range(1, 21))
TWO = """--- a/ours/a.c
+++ b/ours/a.c
@@ -1,4 +1,5 @@
 line 1
 line 2
+line 3
 line 4
 line 5
"""
THREE = """--- a/ours/a.c
+++ b/ours/a.c
@@ -13,5 +13,5 @@
 line 13
 line 14
-line fifteen
+line 15
 line 16
 line 17
"""


class Stages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name) / "root"
        self.tree = Path(scratch.name) / "tree"
        self.scratch = Path(scratch.name)
        self.write("patches/series", SERIES)
        for name in "one", "two", "three":
            self.write(f"patches/common/{name}.patch", MESSAGE)
        self.write("ours/a.c", LAST)
        self.write("ours/c.c", "new\n")
        self.write("top.h", "header\n")
        self.write("patches/grow/two.patch", TWO)
        self.write("patches/grow/three.patch", THREE)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def patches(self):
        return patchset.load("6.12", self.root)

    def after(self, upto):
        patchset.own_files(self.patches(), upto, self.tree)
        return {str(p.relative_to(self.tree)): p.read_text()
                for p in self.tree.rglob("*") if p.is_file()}

    def test_parts(self):
        self.assertEqual([(p.name, p.part) for p in self.patches()],
                         [("one.patch", "A"), ("two.patch", "B"), ("three.patch", "B")])

    def test_the_last_is_the_repositorys(self):
        self.assertEqual(self.after(3), {"ours/a.c": LAST, "ours/b.h": "header\n",
                                         "ours/c.c": "new\n"})

    def test_first(self):
        first = LAST.replace("line 3\n", "", 1).replace("line 15\n", "line fifteen\n")
        self.assertEqual(self.after(1), {"ours/a.c": first, "ours/b.h": "header\n"})

    def test_in_between(self):
        self.assertEqual(self.after(2)["ours/a.c"], LAST.replace("line 15\n", "line fifteen\n"))

    def test_lines_may_move(self):
        self.write("ours/a.c", "line 0\n" + LAST)
        self.assertNotIn("line 3\n", self.after(1)["ours/a.c"])

    def test_a_hunk_that_does_not_fit(self):
        self.write("ours/a.c", LAST.replace("line 2\n", "another\n", 1))
        self.assertIn("line 15\n", self.after(3)["ours/a.c"])
        with self.assertRaises(patchset.Refused) as refused:
            self.after(1)
        for part in "patches/grow/two.patch", "ours/a.c", "scripts/stage --refresh":
            self.assertIn(part, str(refused.exception))

    def test_a_file_that_is_not_there_yet(self):
        self.write("patches/grow/two.patch", TWO.replace("a.c", "c.c"))
        with self.assertRaisesRegex(patchset.Refused, "two.patch changes ours/c.c, which no earlier"):
            self.patches()

    def test_a_file_that_the_series_names_in_vain(self):
        (self.root / "top.h").unlink()
        with self.assertRaisesRegex(patchset.Refused, "top.h is named by the series"):
            self.after(1)

    def test_number(self):
        self.assertEqual(patchset.number(self.patches(), "two"), 2)
        self.assertEqual(patchset.number(self.patches(), "two.patch"), 2)
        with self.assertRaises(patchset.Refused):
            patchset.number(self.patches(), "four")

    def record(self, upto, text):
        patchset.own_files(self.patches(), upto - 1, self.tree)
        (self.tree / "ours/a.c").write_text(text)
        with contextlib.redirect_stdout(io.StringIO()):
            stage.record(self.patches(), upto, self.tree)

    def test_record(self):
        before = LAST.replace("line 9\n", "")
        self.record(2, before)
        self.assertEqual(self.after(1)["ours/a.c"], before)
        self.assertEqual(self.after(2)["ours/a.c"], LAST.replace("line 15\n", "line fifteen\n"))

    def test_record_of_nothing(self):
        self.record(3, LAST)
        self.assertFalse((self.root / "patches/grow/three.patch").exists())

    def refresh(self, text):
        """Change a file, and refresh; returns what is said."""
        then = self.scratch / "then"
        for path in [p for p in self.root.rglob("*") if p.is_file()]:
            copy = then / path.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
        self.write("ours/a.c", text)
        patchset.own_files(self.patches(), 3, self.scratch / "now")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            stage.refresh(self.patches(), patchset.load("6.12", then), self.scratch / "now",
                          self.scratch)
        return said.getvalue()

    def test_refresh_of_what_all_stages_have(self):
        said = self.refresh(LAST.replace("line 2\n", "another\n", 1))
        self.assertNotIn("LEFT", said)
        first = self.after(1)["ours/a.c"]
        self.assertTrue(first.startswith("line 1\nanother\nline 4\n"))
        self.assertIn("line fifteen\n", first)

    def test_refresh_of_what_a_patch_adds(self):
        said = self.refresh(LAST.replace("line 3\n", "line three\n", 1))
        self.assertIn("LEFT     ours/a.c before two.patch", said)
        self.assertTrue(self.after(1)["ours/a.c"].startswith("line 1\nline 2\nline 4\n"))
        self.assertIn("line three\n", self.after(2)["ours/a.c"])


if __name__ == "__main__":
    unittest.main()
