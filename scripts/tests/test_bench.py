# SPDX-License-Identifier: GPL-2.0
"""Tests of what scripts/bench reads from its runs, and of what it calls missed."""
import copy
import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

PATH = str(Path(__file__).resolve().parent.parent / "bench")
LOADER = importlib.machinery.SourceFileLoader("bench", PATH)
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", LOADER))
sys.modules["bench"] = bench        # for its dataclasses
LOADER.exec_module(bench)

MS = 1000000
BEGIN = 1000 * MS       # of a run, by the guest's clock
AHEAD = 5000 * MS       # the event log's clock is


class Runs(unittest.TestCase):
    """A run of two requests, at 0 and 100 ms, which take 3 ms and 4 ms."""

    def setUp(self):
        dir_ = tempfile.TemporaryDirectory()
        self.addCleanup(dir_.cleanup)
        self.folder = Path(dir_.name)
        self.events = ["0 queue-map queue=0x10 pasid=1 priority=15"]
        for packet, end in (0, 3), (1, 104):
            self.events.append(f"{BEGIN + AHEAD + end * MS} dispatch-end queue=0x10 pasid=1 "
                               f"disp={packet}")
        self.write("alone-0.at", "0\n100000\n")
        self.write("alone-0.rounds", "2\n")
        self.write("low-0.rounds", "2\n")
        self.high = [f"gpu_clock_begin={(BEGIN + AHEAD) // 10}", f"clock_begin={BEGIN}",
                     f"request packet=0 kernels=1 at={BEGIN} end={BEGIN + 5 * MS}",
                     f"request packet=1 kernels=1 at={BEGIN + 100 * MS} end={BEGIN + 105 * MS}",
                     "cpu_ns=0", f"gpu_clock_end={(BEGIN + AHEAD + 200 * MS) // 10}",
                     f"clock_end={BEGIN + 200 * MS}"]
        self.write("low-0.low", "running\n" + "".join(
            f"done {BEGIN - 1000 * MS + n * 10 * MS}\n" for n in range(11)))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def read(self, run):
        self.write("alone-0.high", "\n".join(self.high) + "\n")
        self.write("events.log", "\n".join(self.events) + "\n")
        return bench.read_run(self.folder, run, bench.Log(self.folder / "events.log", 15))

    def test_latencies_are_those_of_the_event_log(self):
        run = self.read("alone-0")
        self.assertEqual([round(v) for v in run.latencies], [3000, 4000])
        self.assertEqual(run.guest, [5000, 5000])
        self.assertEqual(run.behind, 0)

    def test_lows_queue_is_not_highs(self):
        self.events[0] = self.events[0].replace("priority=15", "priority=0")
        with self.assertRaisesRegex(bench.NoResult, "not in the event log"):
            self.read("alone-0")

    def test_a_request_that_was_not_made(self):
        del self.high[3]
        with self.assertRaisesRegex(bench.NoResult, "1 of 2 requests"):
            self.read("alone-0")

    def test_the_model_fell_behind(self):
        self.events.append(f"{BEGIN + AHEAD + 50 * MS} behind ns=1")
        self.assertEqual(self.read("alone-0").behind, 1)
        self.assertEqual(self.read("low-0").behind, 0)

    def test_low_alone(self):
        run = self.read("low-0")
        self.assertAlmostEqual(run.low, 2 * 100)    # every 10 ms, two rounds
        self.events.append(f"{BEGIN + AHEAD - 950 * MS} behind ns=1")
        self.assertEqual(self.read("low-0").behind, 1)
        self.assertEqual(self.read("alone-0").behind, 0)

    def test_low_that_did_nothing(self):
        self.write("low-0.low", "running\n")
        with self.assertRaisesRegex(bench.NoResult, "no dispatch ended"):
            self.read("low-0")


class Summaries(unittest.TestCase):
    def test_what_fell_behind_is_discarded(self):
        runs = [bench.Run(latencies=[1, 2], guest=[1, 2], low=10, cpu=0.1),
                bench.Run(latencies=[9, 9], guest=[9, 9], low=1, behind=1)]
        good = bench.undisturbed("stock", runs, 1)
        found = bench.summary(good, 1, 10)
        self.assertEqual((found["requests"], found["discarded"], found["max_us"], found["low"]),
                         (2, 1, 2, 1))
        with self.assertRaisesRegex(bench.NoResult, "in 1 of 2 repetitions, and 2 are needed"):
            bench.undisturbed("stock", runs, 2)

    def test_half_of_the_repetitions_are_needed(self):
        # whatever was made up for, in whichever way
        runs = [f"{mode}-{n}" for n in range(5) for mode in ("low", "alone", "stock")]
        self.assertEqual(bench.needed(runs), 3)
        self.assertEqual(bench.needed(runs + ["alone-1.1", "alone-1.2", "stock-0.1"]), 3)
        self.assertEqual(bench.needed(["low-0", "alone-0"]), 1)

    def test_spreads_are_of_repetitions(self):
        runs = [bench.Run(latencies=[10 * n, 50], guest=[1], cpu=0.01 * n) for n in (1, 3)]
        found = bench.summary(runs, 0, 1)
        self.assertEqual((found["p50_spread_us"], found["p99_spread_us"], found["cpu_spread"]),
                         (20, 0, 0.02))

    def test_percentiles(self):
        self.assertEqual([bench.percentile(range(1, 1001), p) for p in (50, 99, 99.9)],
                         [500, 990, 999])
        self.assertEqual(bench.percentile([7], 99.9), 7)


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.mix = bench.Mix("", 1000, lows=2, disb=True, limit_us=5000)
        base = {"p50_us": 1000, "p50_spread_us": 10, "p99_us": 2000, "p99_spread_us": 50,
                "max_us": 3000, "cpu": 0.1, "cpu_spread": 0.01, "low_of_left_over": 0.9}
        self.found = {m: copy.copy(base) for m in bench.TITLES}
        self.found["daemon"]["p99_us"] = 2100

    def missed(self, **changes):
        for key, value in changes.items():
            mode, _, what = key.partition("_")
            self.found[mode][what] = value
        return list(bench.verdict("mix", self.mix, self.found))

    def test_all_kept(self):
        self.assertEqual(self.missed(), [])

    def test_each_promise(self):
        for changes, text in (
                ({"gpreempt_p99_us": 2200}, "p99 of 'GPREEMPT'"),
                ({"gpreempt_p99_us": 2100}, "not better, with several processes"),
                ({"hint_p99_us": 2051}, "p99 of 'GPREEMPT, HINT'"),
                ({"gpreempt_cpu": 0.111}, "takes 11.10% of a core"),
                ({"hint_p50_us": 1051}, "p50 with a HINT"),
                ({"gpreempt_low_of_left_over": 0.87}, "LOW keeps 87.0%"),
                ({"hint_max_us": 5001}, "took 5001 us")):
            with self.subTest(text):
                self.setUp()
                self.assertRegex("\n".join(self.missed(**changes)), text)

    def test_as_near_as_two_runs_are(self):
        self.assertEqual(self.missed(gpreempt_cpu=0.11, hint_p50_us=1050, hint_p99_us=2050), [])

    def test_faster_than_alone(self):
        self.assertEqual(self.missed(hint_p50_us=800), [])

    def test_one_low_process_may_be_as_good(self):
        self.mix.lows = 1
        self.assertEqual(self.missed(gpreempt_p99_us=2140), [])
