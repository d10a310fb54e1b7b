# SPDX-License-Identifier: GPL-2.0
"""Tests of what is made of nvtop's screen, on screens that are not nvtop's."""
import contextlib
import functools
import io
import shutil
import tempfile
import unittest
from pathlib import Path

from testbench.nvtop import check

LOW, HIGH, OTHER = 101, 102, 103
NEVER_IDLE = ("N/A", "99%", "N/A", "100%", "N/A")
HALF = ("N/A", "49%", "50%", "49%")
NOTHING = ("N/A", "0%", "0%")


class Shares(unittest.TestCase):
    def setUp(self):
        self.results = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.results)
        self.scene("stock", "alone", {LOW: ("N/A", "N/A")})
        self.scene("gpreempt", "alone", {LOW: NEVER_IDLE})
        self.scene("gpreempt", "preempted", {LOW: NOTHING, HIGH: NEVER_IDLE})
        self.scene("gpreempt", "turns", {LOW: HALF, OTHER: HALF})
        self.scene("gpreempt", "disabled", {LOW: NOTHING})

    def scene(self, module, name, shares):
        """Each refresh is a screen, written at once."""
        folder = self.results / module
        folder.mkdir(exist_ok=True)
        (folder / "pids").write_text(f"low {LOW}\nhigh {HIGH}\nother {OTHER}\n")
        screens = []
        for n in range(max(map(len, shares.values()))):
            lines = [f"{pid} root 0 Compute {of[min(n, len(of) - 1)]} 1MiB\r\n"
                     for pid, of in shares.items()]
            screens.append("\x1b[H\x1b[J" + "".join(lines))
        (folder / f"{name}.screen").write_text("Script started\n" + "".join(screens), newline="")
        (folder / f"{name}.timing").write_text("".join(f"0.5 {len(s)}\n" for s in screens))

    def failed(self):
        """The tests that do."""
        names = []
        for test in check.TESTS:
            with contextlib.redirect_stdout(io.StringIO()):
                good = check.result(1, functools.partial(test, self.results))
            if not good:
                names.append(test.__name__)
        return names

    def test_good(self):
        self.assertEqual(self.failed(), [])

    def test_not_all(self):
        """Of one that is never idle: a value is wrong once, or none is ever shown."""
        for wrong in ("50%",), ("0%",), ("98%",), ("101%",), ("N/A", "N/A"), ("100%", "50%", "100%"):
            self.scene("gpreempt", "alone", {LOW: wrong})
            self.scene("gpreempt", "preempted", {LOW: NOTHING, HIGH: wrong})
            self.assertEqual(self.failed(), ["alone", "preempted"], wrong)

    def test_not_preempted(self):
        self.scene("gpreempt", "preempted", {LOW: ("N/A", "0%", "3%"), HIGH: NEVER_IDLE})
        self.assertEqual(self.failed(), ["preempted"])

    def test_turns(self):
        for low, other in (("30%",), ("60%",)), (("55%",), ("55%",)), (("N/A",), ("50%",)):
            self.scene("gpreempt", "turns", {LOW: low, OTHER: other})
            self.assertEqual(self.failed(), ["turns"])

    def test_not_disabled(self):
        self.scene("gpreempt", "disabled", {LOW: ("N/A", "1%")})
        self.assertEqual(self.failed(), ["disabled"])

    def test_stock_knows(self):
        self.scene("stock", "alone", {LOW: ("N/A", "5%")})
        self.assertEqual(self.failed(), ["stock"])
