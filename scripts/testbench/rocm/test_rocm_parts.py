# SPDX-License-Identifier: GPL-2.0
"""Tests of how a root becomes one that has more packages."""
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.rocm import parts as rocm_parts
from testbench.rocm.parts import NoPart, Package


class Named(unittest.TestCase):
    def test_the_file(self):
        text = "# what\n\na: forky one two  # why\nb: sid three\n"
        self.assertEqual(list(rocm_parts.parts(text).values()),
                         [("a", "forky", ["one", "two"]), ("b", "sid", ["three"])])

    def test_what_is_no_part(self):
        for text in "a forky one", "a: forky", "a:", "a: sid b\na: sid b":
            with self.assertRaisesRegex(NoPart, "has the line 'a"):
                rocm_parts.parts(text)

    def test_ours_is_as_it_should_be(self):
        rocm_parts.parts(rocm_parts.PARTS.read_text())

    def test_code_for_other_gpus(self):
        folder = "./usr/lib/x86_64-linux-gnu/rocblas/4.4.1/library/"
        for name in ("Kernels.so-000-gfx1030.hsaco", "TensileLibrary_gfx908.co", "a_gfx906.dat"):
            self.assertTrue(rocm_parts.of_another_gpu(folder + name), name)
        for name in ("Kernels.so-000-gfx90a-xnack+.hsaco", "TensileLibrary_gfx942.co", "a.dat",
                     "gfx1030/a"):
            self.assertFalse(rocm_parts.of_another_gpu(folder + name), name)


class Room(unittest.TestCase):
    packages = [Package("", "a", "1", 3 * 10**6, "", 50 * 10**6),
                Package("", "b", "1", 2 * 10**6, "", 40 * 10**6)]

    def test_is_said(self):
        self.assertEqual(rocm_parts.check_space("p", self.packages, 93 * 10**6),
                         "2 packages, 5 MB to download and at most 93 MB of disk")

    def test_there_is_too_little(self):
        with self.assertRaisesRegex(NoPart, "no space for the part p: .* 93 MB .* has 92 MB$"):
            rocm_parts.check_space("p", self.packages, 92 * 10**6)


class Made(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_package_without_code_for_others(self):
        files = self.folder / "deb"
        for name in ("DEBIAN", "usr/lib/a"):
            (files / name).mkdir(parents=True)
        (files / "DEBIAN/control").write_text("Package: a\nVersion: 1\nArchitecture: all\n"
                                              "Maintainer: x <x@y.z>\nDescription: x\n")
        names = ["k-gfx90a[1].co", "k-gfx1030[1].co", "k"]
        for name in names:
            (files / "usr/lib/a" / name).write_text(name)
        deb = self.folder / "a.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", files, deb], check=True,
                       stdout=subprocess.DEVNULL)
        rocm_parts.unpack(deb, self.folder / "tree")
        self.assertEqual({f.name for f in (self.folder / "tree/usr/lib/a").iterdir()},
                         {"k-gfx90a[1].co", "k"})

    def test_the_folder_is_its_contents(self):
        part = rocm_parts.Part("p", "forky", ["a"])
        one = rocm_parts.folder_of(part, Path("/x/root"))
        self.assertEqual(one, rocm_parts.folder_of(part, Path("/y/root")))
        for other in (part._replace(release="sid"), part._replace(packages=["a", "b"])):
            self.assertNotEqual(one, rocm_parts.folder_of(other, Path("/x/root")))
        self.assertNotEqual(one, rocm_parts.folder_of(part, Path("/x/newer")))

    def test_what_is_replaced_stays_in_the_root(self):
        for name in "root", "tree", "whole":
            (self.folder / name / "usr").mkdir(parents=True)
        (self.folder / "root/usr/a").write_text("old")
        (self.folder / "tree/usr/a").write_text("new")
        for source in "root", "tree":
            rocm_parts.link(self.folder / source, self.folder / "whole")
        self.assertEqual((self.folder / "whole/usr/a").read_text(), "new")
        self.assertEqual((self.folder / "root/usr/a").read_text(), "old")

    def test_a_mirror_without_the_package(self):
        part = rocm_parts.Part("p", "forky", ["there", "gone"])
        apt = object.__new__(rocm_parts.Apt)
        apt.part = part
        with mock.patch.object(rocm_parts.Apt, "run", return_value="there\n"):
            with self.assertRaisesRegex(NoPart, "part p: the mirror's forky has no package gone$"):
                list(apt.needed())

    def test_what_fails_says_why(self):
        with self.assertRaisesRegex(NoPart, "(?s)x: 'sh -c echo no; exit 3...' failed:\nno$"):
            rocm_parts.said("x", "sh", "-c", "echo no; exit 3")


if __name__ == "__main__":
    unittest.main()
