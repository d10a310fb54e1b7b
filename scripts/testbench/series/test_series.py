# SPDX-License-Identifier: GPL-2.0
"""Tests of how the list of patches is read: what each brings, and what is refused."""
import tempfile
import unittest
from pathlib import Path

from testbench.series import patchset

SERIES = """# a comment
one.patch
    ours/a.c
    top.h => ours/b.h

two.patch
    ours/core/c.c    # in a folder of its own
three.patch
"""
MESSAGE = "From: x <x@example.com>\nSubject: a patch\n\nIt does.\n\n---\n"
HUNK = """--- a/{0}
+++ b/{0}
@@ -1,1 +1,2 @@
 line 1
+line 2
"""


class Series(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.write("patches/series", SERIES)
        for name in "one", "two":
            self.write(f"patches/common/{name}.patch", MESSAGE)
        self.write("patches/linux-6.12/three.patch", MESSAGE + HUNK.format("linux.c"))
        for name in "ours/a.c", "ours/core/c.c", "top.h":
            self.write(name, name)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def patches(self, base="6.12", **kwargs):
        return patchset.load(base, self.root, **kwargs)

    def test_files_arrive_with_their_patch(self):
        self.assertEqual([(p.name, [dst for _, dst in p.added]) for p in self.patches()],
                         [("one.patch", ["ours/a.c", "ours/b.h"]),
                          ("two.patch", ["ours/core/c.c"]), ("three.patch", [])])

    def test_own_files(self):
        self.assertEqual(patchset.own_files(self.patches()[:1]),
                         [(self.root / "ours/a.c", "ours/a.c"), (self.root / "top.h", "ours/b.h")])

    def test_hooked_files(self):
        self.assertEqual(patchset.hooked_files(self.patches()), ["linux.c"])
        self.assertEqual(patchset.hooked_files(self.patches()[:2]), [])

    def test_a_base_without_the_patch(self):
        with self.assertRaisesRegex(patchset.Refused, "names three.patch; for Linux 7.3 there is no"):
            self.patches("7.3")

    def test_a_patch_of_one_base(self):
        self.write("patches/series", SERIES + "four.patch 7.3\n    ours/d.c\n")
        self.write("patches/linux-7.3/three.patch", MESSAGE)
        self.write("patches/linux-7.3/four.patch", MESSAGE)
        self.write("ours/d.c", "")
        self.assertEqual([p.name for p in self.patches()], ["one.patch", "two.patch", "three.patch"])
        self.assertNotIn("ours/d.c", [dst for p in self.patches() for _, dst in p.added])
        self.assertEqual([p.name for p in self.patches("7.3")][-1], "four.patch")

    def test_a_driver_file_of_one_base_is_named(self):
        self.write("patches/series", f"{SERIES}four.patch 7.3\n    {patchset.DRIVER}/d.c\n")
        self.write(f"{patchset.DRIVER}/d.c", "")
        self.assertEqual(len(self.patches()), 3)
        self.write(f"{patchset.DRIVER}/e.c", "")
        with self.assertRaisesRegex(patchset.Refused, "e.c is a driver file that .* not name"):
            self.patches()

    def test_a_part(self):
        self.write("patches/series", "[first]\n" + SERIES.replace("two.patch", "[second]\ntwo.patch"))
        self.assertEqual([p.name for p in self.patches()], ["one.patch", "two.patch", "three.patch"])
        self.assertEqual([p.name for p in self.patches(part="first")], ["one.patch"])
        self.assertEqual([p.name for p in self.patches(part="second")], ["two.patch", "three.patch"])
        with self.assertRaisesRegex(patchset.Refused, "has no part third"):
            self.patches(part="third")

    def test_a_file_that_the_series_names_in_vain(self):
        (self.root / "top.h").unlink()
        with self.assertRaisesRegex(patchset.Refused, "top.h is named by the series"):
            patchset.own_files(self.patches())

    def test_a_file_that_arrives_twice(self):
        self.write("patches/series", SERIES + "    ours/a.c\n")
        with self.assertRaisesRegex(patchset.Refused, "has ours/a.c arrive twice, .* three.patch"):
            self.patches()

    def test_a_hunk_for_a_file_of_ours(self):
        for name in "ours/a.c", "ours/b.h":
            self.write("patches/common/two.patch", MESSAGE + HUNK.format(name))
            with self.assertRaisesRegex(patchset.Refused, f"two.patch changes {name}, which arrives"):
                self.patches()


if __name__ == "__main__":
    unittest.main()
