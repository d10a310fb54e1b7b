# SPDX-License-Identifier: GPL-2.0
"""Tests of how bench soak judges segments and adds them up."""
import argparse
import contextlib
import io
import shutil
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from testbench.soak import main as soak
from testbench.soak.main import FEWEST, WARM_UP, Levels, Passed, Segment

SEGMENT = soak.SEGMENT[""]
SUM = "sum preemptions=1000 transactions=600 scans=4000 results=90 words=9000 wrong=0 ms=500 kill=2"
LEVEL = {"references": 0, "tasks": 22, "descriptors": 5, "files": 100, "ours": 9, "mms": 39,
         "vram": 1110016, "gtt": 10493952, "kmalloc": 15289, "kernfs": 13925, "unreclaimable_kb": 9104,
         "available_kb": 1888360}


def levels(periods, **growth):
    """What is said of so many periods; of some names more each time."""
    made = Levels()
    for n in range(periods):
        made.add({name: value + n * growth.get(name, 0) for name, value in LEVEL.items()})
        made.add({"scan_ns": 40000 + n * growth.get("scan_ns", 0)})
    return made


class Judge(unittest.TestCase):
    def test_flat(self):
        made = levels(30)
        self.assertEqual([*made.changed(), *made.grown()], [])

    def test_what_is_counted_may_not_change(self):
        for name in soak.EXACT:
            found = list(levels(WARM_UP + 1, **{name: 1}).changed())
            self.assertEqual(len(found), 1)
            self.assertIn(name, found[0])

    def test_the_first_period_may_differ(self):
        made = levels(WARM_UP + 1)
        made.seen["ours"][0] -= 1
        self.assertEqual(list(made.changed()), [])

    def test_growth(self):
        for name, (each, noise) in soak.FLAT.items():
            source = "available_kb" if name == "used_kb" else name
            step = 2 * each + noise / 10
            step = -step if name == "used_kb" else step
            found = list(levels(60, **{source: step}).grown())
            self.assertEqual(len(found), 1, name)
            self.assertIn(name, found[0])

    def test_dearer_scans(self):
        self.assertEqual(list(levels(60, scan_ns=50).grown()), [])
        self.assertIn("scan_ns", next(levels(60, scan_ns=400).grown()))

    def test_noise_is_no_growth(self):
        made = levels(30)
        for n in range(0, 30, 3):
            made.seen["kmalloc"][n] += 5000
        self.assertEqual(list(made.grown()), [])

    def test_few_periods_say_nothing(self):
        self.assertEqual(list(levels(WARM_UP + FEWEST - 1, kmalloc=10000).grown()), [])
        self.assertNotEqual(list(levels(WARM_UP + FEWEST, kmalloc=10000).grown()), [])


class Said(unittest.TestCase):
    def test_a_segment_that_passed(self):
        segment = Segment()
        self.assertFalse(segment.feed("# period 0: 300 ms, strict"))
        self.assertFalse(segment.feed("level references=0"))
        self.assertTrue(segment.feed(SUM))
        self.assertEqual(segment.sum["preemptions"], 1000)
        self.assertEqual(segment.verdict(0), [])

    def test_what_failed_is_named(self):
        segment = Segment()
        segment.feed("failed client 2: 1 of 9000 words are wrong")
        segment.feed(SUM)
        self.assertEqual(segment.verdict(1), ["client 2: 1 of 9000 words are wrong"])

    def test_a_guest_that_died(self):
        segment = Segment()
        segment.feed(SUM)
        self.assertEqual(segment.verdict(125), ["the guest ended with status 125"])

    def test_nothing_done_is_no_success(self):
        self.assertEqual(Segment().verdict(0), ["nothing was preempted"])


class Segments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.folder = self.out / "soak" / "key"
        self.made = []

    def run_segments(self, wanted, fails=(), jobs=1, meanwhile=lambda seed: None):
        """What was said of segments of which some seeds fail."""
        def one(_args, name, _kernel, seed, size, progress):
            self.made.append((seed, size))
            (self.out / name).mkdir(parents=True)
            segment = Segment()
            segment.feed(SUM.replace("=1000 ", f"={size} ", 1))
            progress(segment.sum)
            meanwhile(seed)
            begun = 100 * ((seed - 1) // jobs)
            return (segment, ["why"] if seed in fails else [],
                    {"begun": begun, "ended": begun + 100, "cpu": 80})

        args = argparse.Namespace(preemptions=wanted, minutes=0, jobs=jobs)
        said = io.StringIO()
        with mock.patch.object(soak, "OUT", self.out), mock.patch.object(soak, "run_segment", one), \
             contextlib.redirect_stdout(said):
            self.run_of_all = soak.Run(args, Passed(self.folder), self.folder, "")
            self.run_of_all.run()
        return said.getvalue()

    def test_until_enough(self):
        said = self.run_segments(SEGMENT + 10)
        self.assertEqual(self.made, [(1, SEGMENT), (2, 10)])
        self.assertIn(f"{SEGMENT} of {SEGMENT + 10} preemptions", said)
        self.assertEqual(list(self.folder.glob("[0-9]*")), [])

    def test_goes_on(self):
        self.run_segments(SEGMENT)
        self.run_segments(2 * SEGMENT)
        self.assertEqual([seed for seed, _ in self.made], [1, 2])

    def test_one_that_failed_does_not_count(self):
        said = self.run_segments(2 * SEGMENT, fails={1})
        self.assertEqual([seed for seed, _ in self.made], [1, 2, 3])
        self.assertIn(f"seed 1: why: see {self.folder / '1'}", said)
        self.assertTrue((self.folder / "1").exists())
        passed = Passed(self.folder)
        self.assertEqual(passed.total("preemptions"), 2 * SEGMENT)
        self.assertEqual(passed.failed_seeds(), [1])

    def test_not_for_ever(self):
        self.run_segments(SEGMENT, fails=set(range(100)))
        self.assertEqual(len(self.made), soak.FAILURES)
        self.assertEqual(Passed(self.folder).total("preemptions"), 0)

    def test_two_at_once(self):
        both = threading.Barrier(2, timeout=60)
        self.run_segments(2 * SEGMENT, jobs=2, meanwhile=lambda seed: both.wait())
        self.assertEqual(sorted(self.made), [(1, SEGMENT), (2, SEGMENT)])
        passed = Passed(self.folder)
        self.assertEqual(passed.seeds(), {1, 2})
        # a second is one, also when two segments run in it
        self.assertEqual(passed.seconds(), 100)

    def interrupted(self, first):
        """
        An interrupt ends the guests as well, of which one ends with a failure then. It may come to
        the segment that began first, or to the other.
        """
        both = threading.Barrier(2, timeout=60)

        def interrupt(seed):
            both.wait()
            if seed == first:
                raise KeyboardInterrupt
            while not self.run_of_all.over:
                time.sleep(0.001)
        with self.assertRaises(KeyboardInterrupt):
            self.run_segments(3 * SEGMENT, fails={3 - first}, jobs=2, meanwhile=interrupt)
        self.assertEqual(Passed(self.folder).seeds(), set())
        shutil.rmtree(self.folder)
        self.run_segments(2 * SEGMENT)
        self.assertEqual([seed for seed, _ in self.made[2:]], [1, 2])

    def test_the_first_was_interrupted(self):
        self.interrupted(1)

    def test_the_second_was_interrupted(self):
        self.interrupted(2)

    def test_a_guest_that_does_not_start(self):
        """It leaves no console."""
        with mock.patch.object(soak, "OUT", self.out), \
             mock.patch.object(soak, "guest_command", lambda *_: ["sh", "-c", "exit 125"]):
            _, why, times = soak.run_segment(None, "none", "", 1, 10, print)
        self.assertEqual(why, ["the guest ended with status 125"])
        self.assertLessEqual(times["begun"], times["ended"])

    def test_a_report_that_stock_is_known_for(self):
        """Where a preemption hung; nowhere else."""
        text = ("[ 1.1] soak: period 0\n[ 1.2] fine\n[ 2.1] soak: period 1, one hangs\n{}"
                "[ 4.1] soak: period 2\n{}[ 4.3] fine\n")
        report = ("[ 2.2] WARNING: CPU: 0 PID: 25 at kfd.c:1 restore_process_queues_cpsch+0x1/0x2\n"
                  "[ 2.3]  restore_process_worker+0x3\n[ 2.4] ---[ end trace 0 ]---\n")
        self.assertEqual(list(soak.unexplained(text.format(report, ""))), [])
        found, = soak.unexplained(text.format(report, report))
        self.assertTrue(found.startswith("period 2: WARNING: CPU: 0"))

    def test_summary(self):
        self.run_segments(2 * SEGMENT)
        said = "\n".join(soak.summary(Passed(self.folder)))
        self.assertIn(f"{2 * SEGMENT} preemptions", said)
        self.assertIn("4 kill", said)
        self.assertIn("2500 a second of the host's time", said)
        self.assertIn("3125 a second of its CPUs' time", said)


if __name__ == "__main__":
    unittest.main()
