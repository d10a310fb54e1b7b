# SPDX-License-Identifier: GPL-2.0
"""Tests of the demo with a boot for each row: which rows it makes, and what it tells meanwhile."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.demo import boots, main, report, rows
from testbench.demo.progress import Progress, Reading, left
from testbench.guest import inputs


class Rows(unittest.TestCase):
    """With boots that cost nothing."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name)
        self.iterations = 9
        self.ends_at = None         # a row
        for name in "build/gpu-model/gpu-model", "programs/low", "programs/high", "qemu", "guest/init":
            self.write(name, "")
        for module, names in (
                (inputs, {"OUT": self.out, "BUILD": self.out / "build", "QEMU": self.out / "qemu",
                          "TESTBENCH": self.out, "guests_scripts": lambda: [self.out / "guest/init"]}),
                (rows, {"OUT": self.out, "PROGRAMS": self.out / "programs"}), (boots, {"run": self.boot})):
            for name, value in names.items():
                patch = mock.patch.object(module, name, value)
                patch.start()
                self.addCleanup(patch.stop)

    def write(self, name, text):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def boot(self, _args, name, of, given):
        row, = of
        self.calls.append((row, given))
        self.write(f"{name}/of", row)
        self.write(f"{name}/low-alone.txt", f"iterations={self.iterations}\n")
        self.write(f"{name}/high-alone.txt", "ticks_per_us=98.7\n")
        if row == self.ends_at:
            raise KeyboardInterrupt
        return 7

    def demo(self, *options):
        """The rows that were made."""
        self.calls = []
        with mock.patch("sys.argv", ["bench demo", "--size", "full", *options]), \
                contextlib.redirect_stdout(io.StringIO()) as self.said:
            folders, made = rows.run(main.parse())
        self.assertEqual([(folder / "of").read_text() for folder in folders.values()], list(report.RUNS))
        self.assertEqual([row["wall_s"] for row in made.values()], [7, 7, 7])
        return [row for row, _ in self.calls]

    def test_each_is_made_once(self):
        self.assertEqual(self.demo(), ["alone", "stock", "gpreempt"])
        self.assertEqual([given for _, given in self.calls],
                         [{}, *2 * [{"ITERATIONS": "9", "TICKS": "98.7"}]])
        self.assertEqual(self.demo(), [])
        self.assertEqual(self.said.getvalue().count("is there already"), 3)
        self.assertEqual(self.demo("--anew"), ["alone", "stock", "gpreempt"])

    def test_ended_in_between(self):
        self.ends_at = "stock"
        with self.assertRaises(KeyboardInterrupt):
            self.demo()
        self.assertEqual((self.out / "demo-full/unfinished/of").read_text(), "stock")
        self.ends_at = None
        self.assertEqual(self.demo(), ["stock", "gpreempt"])
        self.assertEqual(self.demo(), [])

    def test_ended_while_a_row_is_replaced(self):
        self.demo()
        (self.out / "demo-full/stock" / rows.MADE).unlink()
        self.assertEqual(self.demo(), ["stock"])

    def test_what_goes_in(self):
        self.demo()
        for change in (lambda: self.write("programs/low", "another"),
                       lambda: self.write("programs/high", "another"),
                       lambda: self.write("build/gpu-model/gpu-model", "another"),
                       lambda: self.write("build/gpu-model/vtime.so", "another"),
                       lambda: self.write("guest/init", "another"),
                       lambda: self.write("guest/qemu.py", "another"),
                       lambda: self.write("qemu", "another")):
            change()
            self.assertEqual(self.demo(), ["alone", "stock", "gpreempt"])
            self.assertEqual(self.demo(), [])
        for options in (["--seed", "2"], ["--rptr-at", "fetch"], ["--quantum-us", "5"], ["--steps"],
                        ["--grace-us", "0"], ["--long"]):
            self.assertEqual(self.demo(*options), ["alone", "stock", "gpreempt"], options)
        with mock.patch.dict("os.environ", {"REALTIME": "1"}):
            self.assertEqual(self.demo("--long"), ["alone", "stock", "gpreempt"])
        # each GPU has rows of its own
        self.demo()
        self.demo("--asic", "mi300x")
        self.assertEqual(self.demo(), [])

    def test_what_low_alone_found(self):
        self.demo()
        (self.out / "demo-full/alone" / rows.MADE).unlink()
        self.assertEqual(self.demo(), ["alone"])
        (self.out / "demo-full/alone" / rows.MADE).unlink()
        self.iterations = 10
        self.assertEqual(self.demo(), ["alone", "stock", "gpreempt"])

    def test_what_changes_meanwhile(self):
        """A row is known by what its boot began with."""
        boot = self.boot

        def changed(_, *words):
            if words[1] == ["stock"]:
                self.write("programs/low", "another")
            return boot(_, *words)
        with mock.patch.object(boots, "run", changed):
            self.demo()
        self.assertEqual(self.demo(), ["alone", "stock"])


class Commands(unittest.TestCase):
    def test_each_rows_guest_is_told_its_row(self):
        with mock.patch("sys.argv", ["bench demo", "--size", "full"]):
            args = main.parse()
        words = boots.command(args, ["stock"], {"ITERATIONS": "9"})
        self.assertEqual(words[:3], ["env", "ROWS=stock", "ITERATIONS=9"])
        self.assertEqual(words[-6:], ["1", "30", "30", "30", "1", "--full"])


class Told(unittest.TestCase):
    """The log grows, the host's clock goes on."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.log = Path(scratch.name) / "events.log"
        self.host = 0

    def progress(self, low_s=2.0, kernels=4):
        return Progress(self.log, low_s, kernels, lambda: self.host)

    def grow(self, *lines, end="\n"):
        with self.log.open("a") as log:
            log.write("\n".join(lines) + end)

    def dispatch(self, ms, event, pasid, number=0):
        self.grow(f"{ms * 1000000} dispatch-{event} queue=0x800 pasid={pasid} disp={number}")

    def both(self):
        self.grow("5 queue-map queue=0x800 pasid=7 mqd=0x1 xcc=0 pipe=0 slot=0 priority=0 read=0",
                  "6 queue-map queue=0x800 pasid=8 mqd=0x2 xcc=0 pipe=0 slot=1 priority=15 read=0")

    def test_before_anything_works(self):
        progress = self.progress()
        self.assertEqual(progress.text(), "boots, and LOW gets ready")
        self.both()
        self.grow("7200000000 pipe-connect xcc=0")
        self.assertEqual(progress.text(), "boots, and LOW gets ready, 7.2 virtual seconds")
        self.assertEqual(progress.text(), "boots, and LOW gets ready, 7.2 virtual seconds")

    def test_low_alone(self):
        progress = self.progress()
        self.both()
        # it calibrates itself
        self.dispatch(100, "begin", 7)
        self.dispatch(200, "end", 7)
        self.dispatch(1000, "begin", 7)
        self.assertEqual(progress.text(), "boots, and LOW gets ready, 1.0 virtual seconds")
        self.dispatch(1000, "begin", 7)
        self.assertEqual(progress.text(), "LOW alone, 0.0 of 2.0 virtual seconds")
        self.dispatch(1500, "end", 7)
        self.assertEqual(progress.text(), "LOW alone, 0.5 of 2.0 virtual seconds")
        self.host = 100
        self.dispatch(2000, "end", 7)
        self.assertEqual(progress.text(), "LOW alone, 1.0 of 2.0 virtual seconds, some 3 minutes left")

    def test_highs_kernels(self):
        progress = self.progress(low_s=0)
        self.both()
        self.dispatch(1000, "begin", 7)
        self.dispatch(1500, "end", 7)
        self.host = 50
        self.dispatch(2000, "end", 8)
        self.assertEqual(progress.text(), "1 of 4 kernels of HIGH's")
        self.host = 60
        self.dispatch(2100, "end", 8, 1)
        # what has no end yet is read when it has
        self.grow("2200000000 dispatch-end queue=0x800 pas", end="")
        self.assertEqual(progress.text(), "2 of 4 kernels of HIGH's, some 20 s left")
        self.grow("id=8 disp=2")
        self.assertEqual(progress.text(), "3 of 4 kernels of HIGH's, some 10 s left")

    def test_reading(self):
        reading, mb = Reading(lambda: self.host), 1 << 20
        with contextlib.redirect_stdout(io.StringIO()) as said:
            reading(0, 300 * mb)
            self.host = 50
            reading(100 * mb, 300 * mb)
        self.assertEqual(said.getvalue(), "  READ    the event logs: 0 of 300 MB\n"
                         "  READ    the event logs: 100 of 300 MB, some 2 minutes left\n")

    def test_how_long(self):
        self.assertEqual([left(s) for s in (0, 34, 59, 61, 89, 100, 3600)],
                         ["some 10 s", "some 30 s", "some 60 s", "some 1 minute", "some 1 minute",
                          "some 2 minutes", "some 60 minutes"])


if __name__ == "__main__":
    unittest.main()
