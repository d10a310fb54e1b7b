# SPDX-License-Identifier: GPL-2.0
"""Tests of what a guest gets of the repository, and of what is said of its end."""
import argparse
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench import paths
from testbench.check import tap
from testbench.guest import initramfs, splats, watch

SCRIPTS = ["scripts/testbench/check/tap.sh", "scripts/testbench/demo/inside/demo"]


class Packed(unittest.TestCase):
    """Nothing else may change a guest's memory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in (*SCRIPTS, "scripts/bench", "scripts/testbench/check/tap.py",
                     "out/build/programs/low", "out/build/gpreempt/gpreempt",
                     "out/build/gpu-model/gpu-model"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
            path.chmod(0o755)
        (self.root / "out/build/programs/low.o").write_text("")
        (self.root / "out/build/programs/kernels.co").write_text("")
        for patch in (mock.patch.multiple(initramfs, ROOT=self.root, BUILD=self.root / "out/build"),
                      mock.patch.object(paths, "TESTBENCH", self.root / "scripts/testbench")):
            patch.start()
            self.addCleanup(patch.stop)

    def packed(self, *command):
        return [str(path.relative_to(self.root)) for path in initramfs.packed(command)]

    def test_no_script_of_the_host(self):
        self.assertEqual(self.packed("true"), SCRIPTS)

    def test_programs_that_are_named(self):
        programs = ["out/build/programs/kernels.co", "out/build/programs/low",
                     *SCRIPTS]
        for command in (["/repo/out/build/programs/low", "--ms", "5"],
                        ["sh", "-c", "cd out/build/programs; ./low | grep ok"]):
            self.assertEqual(self.packed(*command), programs)

    def test_over(self):
        """Files that lie over the guest's own come after them."""
        (self.root / "initramfs").write_bytes(b"first")
        over = self.root / "over/lib/gpreempt"
        over.mkdir(parents=True)
        (over / "amdgpu.ko").write_text("another")
        args = argparse.Namespace(input=None, over=self.root / "over", command=["true"],
                                  shell=False)
        with mock.patch.object(initramfs, "in_guest", lambda path: f"/repo/{path.name}"), \
                os.fdopen(initramfs.initramfs(args, self.root), "rb") as archive:
            archive.seek(0)
            text = archive.read()
        self.assertLess(text.index(b"first"), text.index(b"lib/gpreempt/amdgpu.ko"))
        self.assertIn(b"another", text)

    def test_a_shell_has_all_programs_and_no_model(self):
        self.assertEqual(self.packed(), [
            "out/build/gpreempt/gpreempt", "out/build/programs/kernels.co",
            "out/build/programs/low", *SCRIPTS])
        self.assertEqual(self.packed("out/build/gpu-model/gpu-model"), SCRIPTS)


class Told(unittest.TestCase):
    """One line tells what went wrong: of a failure that is all that some logs show."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        (self.out / "output").touch()

    def remark(self, said):
        tally = tap.Tally()
        for line in f"guest: error: bypass: {said}".splitlines():
            tally.feed(line)
        return tally.remarks

    def test_reports(self):
        found = splats.reports("[    1.000000] WARNING: CPU: 1 PID: 2 at x.c:1 f+0x1/0x2\n"
                               "[    1.000001] Call Trace:\n[    1.000001]  g+0x1/0x2\n"
                               "[    1.000001] ---[ end trace 0 ]---\n"
                               "[    2.000000] UBSAN: shift in y.c:1\n")
        self.assertEqual(self.remark(watch.reported(found)),
                         ["bypass: the kernel reported 2: WARNING: CPU: 1 PID: 2 at x.c:1 f+0x1/0x2"])

    def test_the_end_of_the_kernel(self):
        seen = watch.Watch(self.out)
        seen.feed(b"[    1.5] fine\n[    2.5] Oops: 0002 [#1]\n[    2.6] Kernel panic - not")
        self.assertEqual(self.remark(seen.failed()), ["bypass: the kernel failed: Oops: 0002 [#1]"])

    def test_what_is_let_pass(self):
        seen = watch.Watch(self.out)
        seen.feed(b"BUG: KCSAN: data-race in node_show [amdgpu] / node_show [amdgpu]\n"
                  b"write to 0x1 of 4 bytes by task 123 on cpu 1:\n"
                  b" a+0x1/0x2\n==============================\n")
        def left(**options):
            return len(seen.reports(argparse.Namespace(**options), self.out))
        stock = {"kernel": "kcsan", "suite": "selftests-gpus", "splat_ok": None, "module": "gpreempt"}
        self.assertEqual(left(**stock), 0)
        self.assertEqual(left(**stock | {"suite": ""}), 1)
        seen.feed(b"WARNING: CPU: 0 at gpreempt/run/node.c:1\n")
        self.assertEqual(left(**stock), 1)

    def test_what_stock_reported_in_the_same_run(self):
        report = (b"WARNING: CPU: %d PID: %d at kfd_x.c:%d kfd_x+0x1%x/0x20 [amdgpu]\n"
                  b"Modules linked in: amdgpu\nCall Trace:\n"
                  b" kfd_%s+0x1/0x2 [amdgpu]\n---[ end trace 0 ]---\n")
        like, seen = self.out / "like", watch.Watch(self.out)

        def left(console, **options):
            seen.console.seek(0)
            seen.console.truncate()
            seen.feed(console)
            return len(seen.reports(argparse.Namespace(
                **{"kernel": "", "suite": "", "module": "gpreempt", "splat_ok": like} | options),
                                    self.out))
        again = report % (1, 98, 13, 0xa, b"a")
        self.assertEqual(left(again), 1)
        # stock's are let pass, of as many guests as it takes
        self.assertEqual(left(report % (0, 91, 12, 0xf, b"a"), module="stock"), 0)
        self.assertEqual(left(b"UBSAN: shift in y.c:1\n", module="stock"), 0)
        self.assertEqual([left(again), left(b"UBSAN: shift in y.c:2\n")], [0, 0])
        self.assertEqual(left(again + b"UBSAN: shift in z.c:1\n"), 1)
        self.assertEqual(left(again.replace(b"kfd_x+", b"kfd_y+")), 1)
        self.assertEqual(left(again.replace(b"kfd_a", b"kfd_gpreempt_a")), 1)
        self.assertEqual(left(again.replace(b"kfd_a", b"kfd_gpreempt_a"), module="stock"), 1)
        self.assertEqual(left(again, splat_ok=None), 1)
        self.assertEqual(left(again, splat_ok=self.out / "of another run"), 1)
