# SPDX-License-Identifier: GPL-2.0
"""Tests of how the list of patches is read: what each brings, and what is refused."""
import tempfile
import unittest
from pathlib import Path

from testbench.paths import PATCHES
from testbench.series import parts, patchset, series

SERIES = """# a comment
one.patch
    ours/a.c
    top.h => ours/b.h

two.patch
    ours/core/c.c    # in a folder of its own
three.patch
"""
MESSAGE = "Subject: a patch\n\nIt does.\n\n---\n"
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
        self.assertEqual(len(self.patches(part="second")), 3)
        with self.assertRaisesRegex(patchset.Refused, "has no part third"):
            self.patches(part="third")

    def test_parts_and_their_tests(self):
        tests = "tools/testing/selftests/kfd_gpreempt"
        self.write("patches/series", "[first]\n" + SERIES.replace(
            "two.patch", f"    {tests}/queue/a_test.c\n    {tests}/machine/device_test.c\n"
            f"[second]\ntwo.patch\n    {patchset.DRIVER}/tests/kfd_gpreempt_b_kunit.c"))
        self.assertEqual(parts.parts(self.patches()),
                         [("first", 1, ["queue/a_test"]), ("second", 3, ["b"])])

    def test_a_file_that_the_series_names_in_vain(self):
        (self.root / "top.h").unlink()
        with self.assertRaisesRegex(patchset.Refused, "top.h is named by the series"):
            patchset.own_files(self.patches())

    def test_a_file_that_arrives_twice(self):
        self.write("patches/series", SERIES + "    ours/a.c\n")
        with self.assertRaisesRegex(patchset.Refused, "has ours/a.c arrive twice, .* three.patch"):
            self.patches()

    def test_a_hunk_for_a_file_of_the_same_part(self):
        for name in "ours/a.c", "ours/b.h":
            self.write("patches/common/two.patch", MESSAGE + HUNK.format(name))
            with self.assertRaisesRegex(patchset.Refused, f"two.patch changes {name}, which arrives"):
                self.patches()

    def grow(self, hunk=HUNK):
        """A second part changes ours/b.h."""
        self.write("top.h", "line 1\nline 2\n")
        self.write("patches/series", SERIES.replace("two.patch", "[later]\ntwo.patch"))
        self.write("patches/common/two.patch", MESSAGE + hunk.format("ours/b.h"))
        return self.patches()

    def test_a_file_arrives_without_what_a_later_part_adds(self):
        patches = self.grow()
        scratch = self.root / "scratch"
        self.assertEqual(dict(map(reversed, patchset.own_files(patches)))["ours/b.h"], self.root / "top.h")
        for some in patches[:1], self.patches()[:1]:
            made = dict(map(reversed, patchset.own_files(some, scratch)))["ours/b.h"]
            self.assertEqual(made.read_text(), "line 1\n")
        self.assertEqual((self.root / "top.h").read_text(), "line 1\nline 2\n")
        self.assertEqual(patchset.hooked_files(patches), ["linux.c"])

    def test_a_hunk_that_is_not_how_a_file_came_about(self):
        patches = self.grow()
        self.write("top.h", "line 1\nline 3\n")
        with self.assertRaisesRegex(patchset.Refused, "two.patch is not how .*top.h came about"):
            patchset.own_files(patches[:1], self.root / "scratch")

    def test_a_hunk_for_a_file_that_is_to_come(self):
        self.grow()
        self.write("patches/common/one.patch", MESSAGE + HUNK.format("ours/core/c.c"))
        with self.assertRaisesRegex(patchset.Refused, "one.patch changes ours/core/c.c, which is still"):
            self.patches()

    def test_hunks_for_own_files_are_few(self):
        with self.assertRaisesRegex(patchset.Refused, f"more than {patchset.GROWTH_MAX}"):
            self.grow(HUNK + "+a line\n" * patchset.GROWTH_MAX)

    def test_a_message(self):
        self.assertEqual(series.message(self.patches()[0]), "a patch\n\nIt does.\n")

    def test_an_author_who_does_not_sign(self):
        self.write("patches/common/one.patch", "From: x <x@example.com>\n" + MESSAGE)
        with self.assertRaisesRegex(patchset.Refused, "one.patch does not begin with its Subject"):
            series.message(self.patches()[0])

    def test_a_mail_that_is_too_long(self):
        self.write("short", "x" * series.MAIL_MAX)
        self.write("long", "x" * (series.MAIL_MAX + 1))
        series.check_sizes([self.root / "short"])
        with self.assertRaisesRegex(patchset.Refused, "long has 100001 bytes, more than 100000"):
            series.check_sizes([self.root / "short", self.root / "long"])

    def test_a_cover(self):
        self.assertTrue(series.cover("7.3", "turns", "7.3.4-1", ["stock", "core"]).endswith(
            "\n\nBased on Linux 7.3.4 (Debian's source, 7.3.4-1), with the parts before\nthis one: stock, core.\n"))
        self.assertNotEqual(series.cover("7.3", "stock", "7.3.4-1", []),
                            series.cover("6.12", "stock", "7.3.4-1", []))

    def test_the_covers_lines(self):
        for path in PATCHES.glob("*/cover*"):
            for line in path.read_text().splitlines():
                self.assertLessEqual(len(line), 75, f"{path}: {line}")


if __name__ == "__main__":
    unittest.main()
