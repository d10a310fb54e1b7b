# SPDX-License-Identifier: GPL-2.0
"""Tests of the benchmark: its runs, what it reads from them, and what it calls missed."""
import contextlib
import copy
import io
import json
import os
import signal
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.benchmark import (about, figures, main, mixes, reading, runs, sensitivity,
                                 tables)
from testbench.gpu import GPUS

MS = 1000000
BEGIN = 1000 * MS       # of a mode, by the guest's clock
AHEAD = 5000 * MS       # the event log's clock is

# Leaves what a guest leaves, but for seeds that hang (after they ended the benchmark), wait
# for another or fail. Each call writes a line of its seed and the model's options.
GUEST = r"""#!/usr/bin/env python3
import os, shutil, sys, time
from pathlib import Path
option = dict(zip(sys.argv[1::2], sys.argv[2::2]))
out = Path(os.environ["FAKE_OUT"]) / option["--name"]
given = Path(option["--input"])
with open(os.environ["FAKE_OUT"] + "/called", "a") as f:
    f.write(option["--seed"] + " " + option["--model"] + "\n")
if option["--seed"] in os.environ.get("FAKE_HANG", "").split():
    os.kill(int(os.environ["FAKE_BENCH"]), 15)
    time.sleep(60)
if os.environ.get("FAKE_WAIT") == option["--seed"]:
    for _ in range(1000):
        if len(Path(f.name).read_text().splitlines()) > 1:
            break
        time.sleep(0.01)
    else:
        sys.exit("guest: error: alone for 10 s")
if option["--seed"] in os.environ.get("FAKE_FAIL", "").split():
    sys.exit("guest: error: it died")
shutil.copytree(given, out)
modes = (given / "plan").read_text().split("\n")[0].split()
at = [int(t) for t in (given / "at").read_text().split()]
(out / "clock").write_text(f"mode={os.environ.get('FAKE_CLOCK', 'virtual')}\n"
                           "insns_per_ns=1\nquantum_us=50\n")
(out / "rounds").write_text("2\n")
took = 400 if "SAVE=2" in option["--model"] else 200
events = ["0 wave-start x=1", "0 queue-map queue=0x10 pasid=1 priority=0 ring=0x10000"]
for n, mode in enumerate(modes):
    begin = (n + 1) * 10 ** 12
    high = ["ring=65536", f"gpu_clock_begin={begin // 10}", f"clock_begin={begin}", "cpu_ns=1000"]
    for packet, us in enumerate(at):
        ns = begin + us * 1000
        high.append(f"request packet={packet} kernels=1 at={ns} end={ns + took * 1000}")
        events.append(f"{ns + took * 1000} dispatch-end queue=0x10 pasid=1 disp={packet}")
    last = begin + at[-1] * 1000 + 10 ** 9
    high += [f"gpu_clock_end={last // 10}", f"clock_end={last}"]
    low = ["running"] + [f"done {t}" for t in range(begin, last, 10 ** 7)]
    if mode != "low":
        high += low if mode[:4] == "coop" else []
        (out / f"{mode}.high").write_text("\n".join(high) + "\n")
    if mode != "alone" and mode[:4] != "coop":
        (out / f"{mode}.low").write_text("\n".join(low) + "\n")
(out / "events.log").write_text("\n".join(events) + "\n")
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        dir_ = tempfile.TemporaryDirectory()
        self.addCleanup(dir_.cleanup)
        self.folder = Path(dir_.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Reading(InFolder):
    """Two requests, at 0 and 100 ms, which take 3 ms and 4 ms."""

    def setUp(self):
        super().setUp()
        self.events = ["0 queue-map queue=0x10 pasid=1 priority=0 ring=0x10000"]
        for packet, end in (0, 3), (1, 104):
            self.events.append(f"{BEGIN + AHEAD + end * MS} dispatch-end queue=0x10 pasid=1 "
                               f"disp={packet}")
        self.write("at", "0\n100000\n")
        self.write("rounds", "2\n")
        self.high = ["ring=65536", f"gpu_clock_begin={(BEGIN + AHEAD) // 10}", f"clock_begin={BEGIN}",
                     f"request packet=0 kernels=1 at={BEGIN} end={BEGIN + 5 * MS}",
                     f"request packet=1 kernels=1 at={BEGIN + 100 * MS} end={BEGIN + 105 * MS}",
                     "cpu_ns=0", f"gpu_clock_end={(BEGIN + AHEAD + 200 * MS) // 10}",
                     f"clock_end={BEGIN + 200 * MS}"]
        self.write("low.low", "running\n" + "".join(
            f"done {BEGIN - 1000 * MS + n * 10 * MS}\n" for n in range(11)))

    def read(self, mode):
        self.write(f"{mode}.high", "\n".join(self.high) + "\n")
        self.write("ends.log", "\n".join(self.events) + "\n")
        return reading.read_run(self.folder, [mode])[mode]

    def test_latencies_are_those_of_the_event_log(self):
        found = self.read("alone")
        self.assertEqual([round(v) for v in found.latencies], [3000, 4000])
        self.assertEqual(found.guest, [5000, 5000])

    def test_lows_queue_is_not_highs(self):
        self.events[0] = self.events[0].replace("ring=0x1", "ring=0x2")
        with self.assertRaisesRegex(about.NoResult, "not in the event log"):
            self.read("alone")

    def test_a_request_that_was_not_made(self):
        del self.high[4]
        with self.assertRaisesRegex(about.NoResult, "1 of 2 requests"):
            self.read("alone")

    def test_gpreempt_that_gave_up(self):
        self.write("hint.state", "active\n")
        self.read("hint")
        self.write("hint.state", "bypassed\n")
        with self.assertRaisesRegex(about.NoResult, "gave up"):
            self.read("hint")

    def test_low_alone(self):
        self.assertAlmostEqual(self.read("low").low, 2 * 100)   # every 10 ms, two rounds

    def test_low_that_did_nothing(self):
        self.write("low.low", "running\n")
        with self.assertRaisesRegex(about.NoResult, "fewer than two"):
            self.read("low")


def measured(**modes):
    """What a run measured: latencies by mode, beside LOW at 80 a second, alone at 100."""
    return {"low": reading.Measured(low=100),
            **{mode: reading.Measured(latencies=us, guest=us, low=80, cpu=0.1, seconds=1)
               for mode, us in modes.items()}}


class Figures(unittest.TestCase):
    def test_of_a_mix_are_the_medians_of_its_seeds(self):
        seeds = [[10, 20], [30, 40], [1000, 2000]]
        r, block = figures.of_mix([measured(alone=[1000, 1000], gpreempt=us) for us in seeds])
        found = r["gpreempt"]
        self.assertEqual((found["p50_us"], found["p99_us"], found["p50_spread_us"],
                          found["p99_spread_us"]), (30, 40, 990, 1980))
        self.assertEqual((found["requests"], found["max_us"], found["p999_us"]), (6, 2000, 2000))
        self.assertEqual(block, 10000)

    def test_what_high_leaves(self):
        # HIGH takes 0.2 s of a second
        r, _ = figures.of_mix([measured(alone=[100000, 100000], gpreempt=[1])])
        self.assertEqual((r["gpreempt"]["low"], r["gpreempt"]["low_of_left_over"]), (0.8, 1))

    def test_percentiles(self):
        self.assertEqual([figures.percentile(range(1, 1001), p) for p in (50, 99, 99.9)],
                         [500, 990, 999])
        self.assertEqual(figures.percentile([7], 99.9), 7)


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.mix = mixes.Mix("", 1000, lows=2, disb=True, limit_us=5000)
        # a seed that is far from the others changes nothing
        base = {"p50_us": 1000, "p50_spread_us": 900, "p99_us": 2000, "p99_spread_us": 1900,
                "max_us": 3000, "cpu": 0.1, "low_of_left_over": 0.95}
        self.found = {m: copy.copy(base) for m in mixes.TITLES}

    def missed(self, *changes):
        for mode, what, value in changes:
            self.found[mode][what] = value
        return list(figures.verdict("mix", self.mix, self.found))

    def test_all_kept(self):
        self.assertEqual(self.missed(), [])

    def test_each_promise(self):
        self.mix.lows = 1
        for mode, what, value, text in (
                ("gpreempt", "p99_us", 2061, "p99 with 'GPREEMPT' 2061 us, with 'stock' 2000 us"),
                ("gpreempt", "low_of_left_over", 0.92,
                 "LOW's share with 'GPREEMPT' 92.0%, with 'daemon, 1 ms' 95.0%"),
                ("gpreempt", "cpu", 0.1031,
                 "CPU with 'GPREEMPT' 10.31% of a core, with 'daemon, 1 ms' 10.00%"),
                ("hint", "p99_us", 2061, "p99 with 'GPREEMPT, HINT' 2061 us, with 'daemon"),
                ("hint", "p50_us", 1031, "p50 with 'GPREEMPT, HINT' 1031 us, with 'HIGH alone'"),
                ("hint", "low_of_left_over", 0.92, "LOW's share with 'GPREEMPT, HINT'"),
                ("hint", "cpu", 0.1031, "CPU with 'GPREEMPT, HINT'"),
                ("hint", "max_us", 5001, "took 5001 us")):
            with self.subTest(text):
                self.setUp()
                missed = self.missed((mode, what, value))
                self.assertEqual(len(missed), 1, missed)
                self.assertIn(text, missed[0])

    def test_the_best_of_the_others_counts(self):
        self.mix.lows = 1
        for ours, what, value, others in (
                ("gpreempt", "p99_us", 1900, ("stock", "daemon-1000", "daemon-100")),
                ("gpreempt", "cpu", 0.09, ("daemon-1000", "daemon-100")),
                ("gpreempt", "low_of_left_over", 0.99, ("daemon-1000", "daemon-100")),
                ("hint", "p99_us", 1900, ("daemon-1000", "daemon-100", "coop-notice")),
                ("hint", "p50_us", 900, ("alone",)),
                ("hint", "cpu", 0.09, ("daemon-1000", "daemon-100")),
                ("hint", "low_of_left_over", 0.99, ("coop-notice",))):
            for other in others:
                with self.subTest(f"{ours}, {what}, {other}"):
                    self.setUp()
                    missed = self.missed((other, what, value))
                    self.assertTrue([m for m in missed if f"'{mixes.TITLES[ours]}'" in m
                                     and f"'{mixes.TITLES[other]}'" in m], missed)

    def test_without_notice_is_not_compared_with_notice(self):
        self.assertEqual(self.missed(("coop", "p99_us", 1), ("coop", "low_of_left_over", 1)), [])
        missed = self.missed(("coop-notice", "p99_us", 1), ("coop-notice", "low_of_left_over", 1))
        self.assertEqual(["'GPREEMPT, HINT'" in m for m in missed], [True, True])

    def test_a_mix_without_a_cooperative_client(self):
        del self.found["coop"], self.found["coop-notice"]
        self.assertEqual(self.missed(), [])
        self.assertEqual(len(self.missed(("hint", "p99_us", 2001))), 1)
        # it costs LOW what a daemon cannot give
        self.assertEqual(self.missed(("hint", "p99_us", 2000), ("hint", "low_of_left_over", 0.9)),
                         [])

    def test_within_the_tolerance(self):
        self.mix.lows = 1
        self.assertEqual(self.missed(
            ("gpreempt", "cpu", 0.103), ("gpreempt", "p99_us", 2060), ("hint", "p50_us", 1030),
            ("hint", "p99_us", 2060), ("hint", "low_of_left_over", 0.922)), [])

    def test_several_processes_have_no_tolerance(self):
        self.assertEqual(len(self.missed(("gpreempt", "p99_us", 2001))), 1)

    def test_low_in_the_mixes_after_disb(self):
        for m in self.found.values():
            m["low_of_left_over"] = 0.87
        self.assertEqual([m for m in self.missed() if "LOW keeps 87.0%" not in m], [])
        self.assertEqual(len(self.missed()), 2)
        self.mix.disb = False
        self.assertEqual(self.missed(), [])

    def test_faster_than_alone(self):
        self.assertEqual(self.missed(("hint", "p50_us", 800)), [])


class Benches(InFolder):
    """The whole benchmark, with guests that cost nothing."""

    def setUp(self):
        super().setUp()
        for path in ("out/guest", *(f"out/build/programs/{p}" for p in
                                    ("bench_low", "bench_high", "bench_daemon"))):
            self.write(path, "")
        self.model("")
        self.write("cache/qemu", "")
        self.write("testbench/inside/bench", "")
        self.write("bench", GUEST).chmod(0o755)
        out = self.folder / "out"
        self.patch(runs, OUT=out, BUILD=out / "build", PROGRAMS=out / "build/programs",
                   QEMU=self.folder / "cache/qemu", PAUSE=0.01, TESTBENCH=self.folder / "testbench",
                   guests_scripts=lambda: [self.folder / "testbench/inside/bench"],
                   GUEST=[self.folder / "bench"])
        self.patch(main.report, picture=lambda *_: None)
        environment = mock.patch.dict(os.environ, {
            "FAKE_OUT": str(out), "JOBS": "1",
            "FAKE_BENCH": str(os.getpid())})
        environment.start()
        self.addCleanup(environment.stop)
        for number in signal.SIGTERM, signal.SIGINT:
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def patch(self, module, **names):
        for name, value in names.items():
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def model(self, text):
        """A model that knows three parameters."""
        self.write("out/build/gpu-model/gpu-model", f"#!/bin/sh\n{text}\ncat <<END\n"
                   "FIXED 3 ns 1 9 source a data sheet\nSAVE 1 ns 1 2 guess nobody knows\n"
                   "RATE 15.4 bytes/ns 5 50 guess\nEND\n").chmod(0o755)

    def bench(self, *arguments, rptr_at="launch", **environment):
        """Its status, what it printed, and the seeds of the guests that it started."""
        status, said, calls = self.whole_bench("--rptr-at", rptr_at, *arguments, **environment)
        return status, said, [c.split()[0] for c in calls]

    def whole_bench(self, *arguments, **environment):
        """The same, but a guest's options of the model are told as well."""
        called = self.folder / "out/called"
        called.unlink(missing_ok=True)
        with mock.patch.dict(os.environ, environment), \
                contextlib.redirect_stdout(io.StringIO()) as out, \
                self.assertRaises(SystemExit) as end:
            main.main(arguments)
        calls = called.read_text().splitlines() if called.exists() else []
        return end.exception.code, out.getvalue(), calls

    def results(self, rptr_at="launch"):
        """By mix."""
        mixes_ = json.loads((self.folder / "out/bench/results.json").read_text())["mixes"]
        return {mix: found.get(rptr_at) for mix, found in mixes_.items()}

    def test_a_run_that_is_there_is_not_repeated(self):
        _, first, calls = self.bench("block-1ms", "--seeds", "1,2")
        self.assertEqual(calls, ["1", "2"])
        _, again, calls = self.bench("block-1ms", "--seeds", "1,2,3")
        self.assertEqual(calls, ["3"])
        self.assertEqual(self.results()["block-1ms"]["seeds"], [1, 2, 3])
        self.assertEqual(self.bench("block-1ms", "--seeds", "1,2")[2], [])
        self.assertEqual(self.bench("block-1ms", "--seeds", "1,2", "--anew")[2], ["1", "2"])
        row = next(line for line in first.splitlines() if "HIGH alone" in line)
        self.assertIn(row.split("(")[0], again)

    def test_what_is_run_makes_another_run(self):
        self.bench("block-1ms", "--seeds", "1")
        for change in (lambda: self.model("# another"),
                       lambda: self.write("out/build/gpu-model/qemu/vtime.so", "another"),
                       lambda: self.write("out/build/programs/bench_low", "another"),
                       lambda: self.write("testbench/inside/bench", "another"),
                       lambda: self.write("testbench/guest/qemu.py", "another"),
                       lambda: self.write("cache/qemu", "another"),
                       lambda: self.patch(mixes.MIXES["block-1ms"], us=100),
                       lambda: self.patch(mixes.MIXES["block-1ms"], requests=90)):
            change()
            self.assertEqual(self.bench("block-1ms", "--seeds", "1")[2], ["1"])
            self.assertEqual(self.bench("block-1ms", "--seeds", "1")[2], [])
        for option in ["--quantum-us", "5"], ["--short"]:
            self.assertEqual(self.bench("block-1ms", "--seeds", "1", *option)[2], ["1"])
        self.assertEqual(self.bench("block-1ms", "--seeds", "1", rptr_at="fetch")[2], ["1"])

    def test_both_settings_of_the_read_index(self):
        _, said, calls = self.whole_bench("block-1ms", "--seeds", "1,2")
        self.assertEqual([c.strip() for c in calls], [
            f"{run} --asic mi210 --rptr-at {at}" for run, at in
            ((1, "launch"), (2, "launch"), (1, "fetch"))])
        self.assertRegex(said, r"(?s)advances at launch.*; seeds 1, 2\n"
                               r".*advances at fetch\n.*; seeds 1\n")
        self.assertEqual([self.results(at)["block-1ms"]["seeds"] for at in ("launch", "fetch")],
                         [[1, 2], [1]])
        self.patch(figures, TOLERANCE=-0.1)
        _, said, _ = self.whole_bench("block-1ms", "--seeds", "1,2")
        self.assertIn("MISSED    block-1ms, fetch: p99 with 'GPREEMPT'", said)
        for option in "--short", "--sensitivity":
            calls = self.whole_bench(option)[2]
            self.assertEqual([c for c in calls if "--rptr-at launch" not in c], [])

    def test_another_gpu(self):
        self.bench("block-1ms", "--seeds", "1")
        mi210 = (self.folder / "out/bench/results.json").read_text()
        _, said, calls = self.whole_bench("--asic", "mi300x", "--rptr-at", "launch", "--seeds", "1",
                                          "block-1ms")
        self.assertEqual(len(calls), 1)
        self.assertIn(f"1 {GPUS['mi300x'].options} --rptr-at launch", calls[0])
        self.assertIn("an MI300X, not of a GPU", said)
        found = json.loads((self.folder / "out/bench-mi300x/results.json").read_text())
        self.assertEqual([found["asic"], json.loads(mi210)["asic"]], ["mi300x", "mi210"])
        self.assertEqual((self.folder / "out/bench/results.json").read_text(), mi210)

    def test_stopped(self):
        status, said, calls = self.bench("block-1ms", "--seeds", "1,2,3", FAKE_HANG="2")
        self.assertEqual((status, calls), (1, ["1", "2"]))
        self.assertIn("2 of 3 runs were not made: stopped", said)
        self.assertEqual(self.results()["block-1ms"]["seeds"], [1])
        self.assertEqual(self.bench("block-1ms", "--seeds", "1,2,3")[2], ["2", "3"])

    def test_a_guest_that_fails(self):
        status, said, _ = self.bench("block-1ms", "--seeds", "1,2", FAKE_FAIL="1")
        self.assertEqual(status, 1)
        self.assertRegex(said, "MISSED    block-1ms, launch, seed 1: the guest failed: .*it died")
        self.assertEqual(self.results()["block-1ms"]["seeds"], [2])
        self.assertEqual(self.bench("block-1ms", "--seeds", "1,2")[2], ["1"])

    def test_real_time_does_not_count(self):
        status, said, _ = self.bench("block-1ms", "--seeds", "1", FAKE_CLOCK="real")
        self.assertEqual(status, 1)
        self.assertIn("the guest ran in real time", said)
        self.assertEqual(self.results(), {})

    def test_guests_beside_each_other(self):
        # the first waits for the second
        self.bench("block-1ms", "--seeds", "1,2", FAKE_WAIT="1", JOBS="2")
        self.assertEqual(self.results()["block-1ms"]["seeds"], [1, 2])

    def test_short(self):
        status, said, calls = self.bench("--short", "block-10ms")
        self.assertEqual(calls, ["1"])
        # all modes are alike here, and one LOW process may be as good: nothing is missed
        self.assertEqual(status, 0, said)
        found = json.loads((self.folder / "out/bench-short/results.json").read_text())
        self.assertEqual(found["mixes"]["block-10ms"]["launch"]["gpreempt"]["requests"], 30)
        self.patch(figures, TOLERANCE=-0.1)
        self.assertEqual(self.bench("--short", "block-10ms")[:1], (1,))

    def test_says_how_it_was_measured(self):
        self.patch(about, commit=lambda: "abc123")
        _, said, _ = self.bench("block-1ms", "--seeds", "1,2")
        self.assertRegex(said, r"CPU of 1 instructions a ns, quantum 50 us; \d{4}-\d\d-\d\d, "
                               "commit abc123; seeds 1, 2")
        found = self.results()["block-1ms"]
        self.assertEqual([found[k] for k in ("insns_per_ns", "quantum_us", "commit", "seeds")],
                         [1, 50, "abc123", [1, 2]])
        self.assertRegex(found["date"], r"^\d{4}-\d\d-\d\d$")

    def test_sensitivity(self):
        status, said, calls = self.bench("--sensitivity")
        self.assertEqual(status, 0)
        self.assertEqual(len(calls), 5)         # the default, and two guesses twice
        rows = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.strip()}
        # the fake's p99 doubles with SAVE
        self.assertEqual(rows["SAVE"][3:6], ["200", "200", "400"])
        self.assertEqual(rows["RATE"][3:6], ["200", "200", "200"])
        self.assertEqual(rows["RATE"][:3], ["15.4", "bytes/ns", "5-50"])
        self.assertNotIn("FIXED", rows)
        found = json.loads((self.folder / "out/bench/sensitivity.json").read_text())
        self.assertEqual(found["parameters"]["SAVE"]["double"]["p99_us"], 400)
        self.assertEqual(self.bench("--sensitivity")[2], [])


class Tables(unittest.TestCase):
    MODES = ("alone", "stock", "daemon-1000", "daemon-100", "gpreempt", "hint")

    def test_a_mix_in_a_setting(self):
        r = {mode: {"p50_us": 10.4 * n, "p99_us": 20.6 * n, "max_us": 30.0 * n,
                    "low_of_left_over": .9 + n / 1000, "cpu": n / 1000}
             for n, mode in enumerate(self.MODES, 1)}
        found = tables.setting({"one": {"title": "One", "launch": r}}, "launch")
        rows = [table.splitlines()[3].split("  ") for table in found]
        self.assertEqual([[cell.strip() for cell in row if cell] for row in rows], [
            ["one", "10/21", "21/41", "31/62", "42/82", "\\-", "52/103", "150"],
            ["one", "10/21", "\\-", "62/124", "180"],
            ["one", "90.2 %", "90.3 %", "90.4 %", "\\-", "90.5 %", "\\-", "90.6 %"],
            ["one", "0.30 %", "0.40 %", "0.50 %", "0.60 %"]])
        self.assertEqual(tables.setting({"one": {"title": "One", "launch": r}}, "fetch"), [])

    def test_columns_are_as_wide_as_what_is_in_them(self):
        self.assertEqual(tables.simple(["a", "bb"], [["ccc", "d"], ["e", "ffff"]]),
                         "===  ====\na    bb\n===  ====\nccc  d\ne    ffff\n===  ====\n")


class Sensitivity(unittest.TestCase):
    def test_a_whole_number_stays_one(self):
        for value, half, double in ("21500", "10750", "43000"), ("15.4", "7.7", "30.8"), \
                ("5", "2", "10"):
            guess = sensitivity.Guess("NAME", value, "ns", "1", "2")
            self.assertEqual([guess.option(f) for f in (0.5, None, 2)],
                             [f"--param NAME={half}", "", f"--param NAME={double}"])

    def test_without_a_result(self):
        guess = sensitivity.Guess("SAVE", "4", "ns", "1", "9")
        good = sensitivity.middle([{"p99_us": 10, "low": 0.5}, {"p99_us": 30, "low": 0.7}])
        found = {"--param SAVE=2": good, "": good, "--param SAVE=8": sensitivity.middle([])}
        self.assertEqual(sensitivity.table([guess], found).splitlines()[-1].split(),
                         ["SAVE", "4", "ns", "1-9", "20", "20", "-", "60.0%", "60.0%", "-"])
