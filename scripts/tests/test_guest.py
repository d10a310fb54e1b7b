# SPDX-License-Identifier: GPL-2.0
"""Tests of what a guest gets of the repository: nothing else may change its memory."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.guest import initramfs


class Packed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("scripts/check", "scripts/testbench/tap.py", "scripts/inside/demo",
                     "out/build/selftests/low", "out/build/gpreempt/gpreempt",
                     "out/build/gpu-model/gpu-model"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
            path.chmod(0o755)
        (self.root / "out/build/selftests/low.o").write_text("")
        (self.root / "out/build/selftests/kernels.co").write_text("")
        paths = mock.patch.multiple(
            initramfs, ROOT=self.root, BUILD=self.root / "out/build",
            INSIDE=self.root / "scripts/inside", ELSEWHERE=())
        paths.start()
        self.addCleanup(paths.stop)

    def packed(self, *command):
        return [str(path.relative_to(self.root)) for path in initramfs.packed(command)]

    def test_no_script_of_the_host(self):
        self.assertEqual(self.packed("true"), ["scripts/inside/demo"])

    def test_programs_that_are_named(self):
        selftests = ["out/build/selftests/kernels.co", "out/build/selftests/low",
                     "scripts/inside/demo"]
        for command in (["/repo/out/build/selftests/low", "--ms", "5"],
                        ["sh", "-c", "cd out/build/selftests; ./low | grep ok"]):
            self.assertEqual(self.packed(*command), selftests)

    def test_a_shell_has_all_programs_and_no_model(self):
        self.assertEqual(self.packed(), [
            "out/build/gpreempt/gpreempt", "out/build/selftests/kernels.co",
            "out/build/selftests/low", "scripts/inside/demo"])
        self.assertEqual(self.packed("out/build/gpu-model/gpu-model"), ["scripts/inside/demo"])
