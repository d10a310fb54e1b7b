# SPDX-License-Identifier: GPL-2.0
"""Tests of the benchmark: its runs, what it reads from them, and what it calls missed."""
import contextlib
import copy
import gzip
import io
import json
import os
import re
import signal
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.benchmark import (about, corners, figures, main, mixes, parameters, reading, runs,
                                 sensitivity, tables, tenants)
from testbench.gpu import GPUS
from testbench.guest import inputs
from testbench.paths import MODEL

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
modes, levels = (line.split() for line in (given / "plan").read_text().split("\n")[:2])
if "benchmark/inside/tenants" in " ".join(sys.argv):
    # of eight with the same work, the first has a half with the others, all others a sixteenth
    for mode in ["alone", *modes]:
        for n in range(1, 9):
            part = 1 if mode == "alone" else 8 if mode == "fair" else 2 if n == 1 else 14
            (out / f"{mode}.{n}").write_text("running\n" + "".join(
                f"done {10 ** 9 + t * part * 10 ** 7}\n" for t in range(1500 // part)))
    modes = []
(out / "clock").write_text(f"mode={os.environ.get('FAKE_CLOCK', 'virtual')}\n"
                           "insns_per_ns=1\nquantum_us=50\n")
took = 400 if "SAVE=2" in option["--model"] else 200
events = []
for n, (mode, level) in enumerate((m, l) for m in modes for l in levels):
    at = [int(t) for t in (given / f"at-{level}").read_text().split()]
    begin = (n + 1) * 10 ** 12
    ring, us = 65536 * int(level), took + (int(level) if len(levels) > 1 else 0)
    high = [f"ring={ring}", f"gpu_clock_begin={begin // 10}", f"clock_begin={begin}", "cpu_ns=1000",
            "own_cpu_ns=1000"]
    events.append(f"0 queue-map queue=0x{level} pasid=1 priority=0 ring={ring:#x}")
    for packet, time_ in enumerate(at):
        ns = begin + time_ * 1000
        high.append(f"request packet={packet} kernels=1 at={ns} end={ns + us * 1000}")
        events.append(f"{ns + us * 1000} dispatch-end queue=0x{level} pasid=1 disp={packet}")
    last = begin + at[-1] * 1000 + 10 ** 9
    high += [f"gpu_clock_end={last // 10}", f"clock_end={last}"]
    low = ["running"] + [f"done {t}" for t in range(begin - 10 ** 10, last, 10 ** 7)]
    if mode != "low":
        high += low if mode[:4] == "coop" else []
        (out / f"{mode}.high-{level}").write_text("\n".join(high) + "\n")
    if mode != "alone" and level == levels[0]:
        for wg, ns in enumerate(range(begin - 10 ** 10, last, 10 ** 8)):
            wave = f"queue=0x99 pasid=1 disp=0 wg={wg} wave=0 pc=0"
            events += [f"{ns} wave-start {wave} insns=0", f"{ns + 10 ** 8} wave-end {wave} insns=9"]
    if mode != "alone" and mode[:4] != "coop":
        with (out / f"{mode}.low").open("a") as f:
            f.write("\n".join(low) + "\n")
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
        self.write("at-15", "0\n100000\n")
        self.high = ["ring=65536", f"gpu_clock_begin={(BEGIN + AHEAD) // 10}",
                     f"clock_begin={BEGIN}",
                     f"request packet=0 kernels=1 at={BEGIN} end={BEGIN + 5 * MS}",
                     f"request packet=1 kernels=1 at={BEGIN + 100 * MS} end={BEGIN + 105 * MS}",
                     "cpu_ns=1000000", "own_cpu_ns=500000",
                     f"gpu_clock_end={(BEGIN + AHEAD + 200 * MS) // 10}",
                     f"clock_end={BEGIN + 200 * MS}"]
        self.write("low.low", "running\n" + "".join(
            f"done {BEGIN - 1000 * MS + n * 10 * MS}\n" for n in range(11)))

    def read(self, mode):
        for which in mode, "alone":
            self.write(f"{which}.high-15", "\n".join(self.high) + "\n")
        with gzip.open(self.folder / "events.log.gz", "wt") as f:
            f.write("\n".join(self.events) + "\n")
        return reading.read_run(self.folder, [mode, "alone"], [15])[15][mode]

    def wave(self, ms, event, insns, wg=0, queue="0x20"):
        """Of LOW's, by HIGH's clock."""
        self.events.append(f"{BEGIN + AHEAD + ms * MS} wave-{event} queue={queue} pasid=1 disp=7 "
                           f"wg={wg} wave=0 pc=0x1000 insns={insns}")

    def test_latencies_are_those_of_the_event_log(self):
        found = self.read("alone")
        self.assertEqual([round(v) for v in found.latencies], [3000, 4000])
        self.assertEqual(found.guest, [5000, 5000])
        self.assertEqual((found.cpu, found.own_cpu), (1 / 105, 0.5 / 105))

    def test_highs_on_all_levels_leave_less(self):
        self.write("at-9", (self.folder / "at-15").read_text())
        self.events += [line.replace("queue=0x10", "queue=0x11").replace("ring=0x1", "ring=0x2")
                        for line in self.events]
        self.read("alone")
        self.write("alone.high-9", "\n".join(["ring=131072", *self.high[1:]]))
        found = reading.read_run(self.folder, ["alone"], [15, 9])
        for level in 15, 9:
            self.assertAlmostEqual(found[level]["alone"].high_seconds, 2 * 0.007)

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

    def test_lows_work_counts_while_its_waves_run(self):
        # HIGH's requests are from 0 to 105 ms
        self.wave(-50, "start", 0)
        self.wave(50, "save", 1000)             # half of them before the first request
        self.wave(90, "resume", 1000)
        self.wave(120, "end", 1600)             # and of these half after the last one
        self.assertAlmostEqual(self.read("stock").low, (500 + 300) / 0.105, 3)

    def test_highs_waves_are_not_lows(self):
        self.wave(10, "start", 0, queue="0x10")
        self.wave(20, "end", 1000, queue="0x10")
        self.assertEqual(self.read("stock").low, 0)

    def test_low_alone(self):
        for n in range(20):                     # it is measured from -1000 ms to -900
            self.wave(-1050 + n * 10, "start", 0, wg=n)
            self.wave(-1042 + n * 10, "save" if n % 2 else "end", 500, wg=n)
            if n % 2:
                self.wave(-1042 + n * 10, "resume", 500, wg=n)
                self.wave(-1040 + n * 10, "end", 600, wg=n)
        found = self.read("low")
        self.assertAlmostEqual(found.low, 10 * 550 / 0.1)
        # of half of them 8 ms, and 10 of those that were off for a while
        self.assertEqual(found.block_us, 9000)

    def test_low_that_did_nothing(self):
        self.write("low.low", "running\n")
        self.write("alone.high-15", "\n".join(self.high) + "\n")
        with self.assertRaisesRegex(about.NoResult, "fewer than two"):
            self.read("low")


def measured(**modes):
    """What a run measured: latencies by mode, beside LOW at 80 a second, alone at 100."""
    return {"low": reading.Measured(low=100, block_us=10000),
            **{mode: reading.Measured(latencies=us, guest=us, low=80, cpu=0.1, seconds=1,
                                      high_seconds=sum(us) / 1e6)
               for mode, us in {"stock": [1], **modes}.items()}}


class Mixes(unittest.TestCase):
    def test_one_process_cannot_switch_off_anothers_queue(self):
        coop = {name for name, mix in mixes.MIXES.items() if "coop" in mix.modes()}
        self.assertEqual(coop & {"block-10ms", "processes-8", "levels"}, {"block-10ms"})

    def test_the_daemon_has_notice_of_one_high(self):
        self.assertIn("daemon-notice", mixes.MIXES["processes-8"].modes())
        self.assertNotIn("daemon-notice", mixes.MIXES["levels"].modes())

    def test_levels_are_measured_where_it_is_asked_for(self):
        self.assertFalse(any("levels" in mix.modes() for mix in mixes.MIXES.values()))
        for given, modes in ([], mixes.MIXES["bursts"].modes()), (["--levels"], mixes.LEVELS):
            with tempfile.TemporaryDirectory() as folder:
                args = main.parse(["bursts", "--asic", "gfx1100", *given])
                args.out = Path(folder)
                self.assertEqual(main.Bench(args).modes("bursts"), modes)

    def test_each_high_has_requests_of_its_own(self):
        at = mixes.times("levels", 1, 9)
        self.assertEqual((list(at), len(set(at.values()))), ([15, 12, 9], 3))

    def test_in_a_burst_low_is_back_for_less_than_min_residency(self):
        at = [int(t) for t in mixes.times("bursts", 1, 40)[15].split()]
        gaps = [later - sooner for sooner, later in zip(at, at[1:])]
        # a request takes 324 us or more; residency is 500
        self.assertEqual([gap < 324 + 500 + 100 for gap in gaps],
                         [n % 4 != 0 for n in range(1, 40)])


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

    def test_what_high_does_for_it_is_billed(self):
        run = measured(alone=[1], gpreempt=[1])
        run["stock"].own_cpu, run["gpreempt"].own_cpu = 0.25, 0.5
        r, _ = figures.of_mix([run])
        self.assertEqual((r["stock"]["cpu"], r["gpreempt"]["cpu"]), (0.1, 0.35))

    def test_percentiles(self):
        self.assertEqual([figures.percentile(range(1, 1001), p) for p in (50, 99, 99.9)],
                         [500, 990, 999])
        self.assertEqual(figures.percentile([7], 99.9), 7)


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.mix = mixes.Mix("", 1000, adds_us=1000, limit_us=5000)
        base = {"p50_us": 1200, "p99_us": 1500, "max_us": 2000, "cpu": 0.1, "low_of_left_over": 0.9}
        self.found = {m: copy.copy(base) for m in mixes.TITLES}
        self.found["alone"].update(p50_us=1000, p99_us=1000, max_us=1000)

    def change(self, *changes):
        for mode, what, value in changes:
            self.found[mode][what] = value

    def worse(self, *changes):
        self.change(*changes)
        return list(figures.worse(self.found))

    def missed(self, *changes):
        self.change(*changes)
        return list(figures.missed("mix", self.mix, self.found))

    def test_nothing_is_worse(self):
        self.assertEqual(self.worse(), [])
        self.assertEqual(self.missed(), [])

    def test_is_told_in_words(self):
        for what, value, text in (
                ("p50_us", 1179, "adds to HIGH's p50 200 us: 21 us more than"),
                ("p99_us", 1449, "adds to HIGH's p99 500 us: 51 us more than"),
                ("max_us", 1899, "adds to HIGH's longest request 1000 us: 101 us more than"),
                ("low_of_left_over", 0.911, "loses of LOW's work 10.0%: 1.1 points more than"),
                ("cpu", 0.08, "takes of a core 10.00%: 2.00 points more than")):
            for ours, theirs in ("gpreempt", "daemon-100"), ("hint", "daemon-notice"):
                with self.subTest(f"{ours}, {what}"):
                    self.setUp()
                    self.assertEqual(self.worse((theirs, what, value)), [
                        f"'{mixes.TITLES[ours]}' {text} '{mixes.TITLES[theirs]}'"])

    def test_what_is_added_counts(self):
        # what HIGH takes alone hides nothing
        for m in self.found.values():
            m.update({key: m[key] + 1000000 for key in ("p50_us", "p99_us", "max_us")})
        self.assertEqual(len(self.worse(("stock", "p50_us", 1001179))), 1)

    def test_what_is_better_is_not_told(self):
        self.assertEqual(self.worse(("stock", "p50_us", 9000), ("daemon-100", "cpu", 0.5),
                                    ("coop-notice", "low_of_left_over", 0.5)), [])

    def test_within_the_tolerance(self):
        # a tenth of what the other costs, or a quantum where that is less
        for what, inside, outside in (
                ("p50_us", 1182, 1181), ("p99_us", 1455, 1454), ("max_us", 1910, 1909),
                ("low_of_left_over", 0.909, 0.9092), ("cpu", 0.091, 0.0909)):
            self.setUp()
            self.assertEqual(self.worse(("stock", what, inside), ("daemon-100", what, inside)), [])
            self.assertEqual(len(self.worse(("daemon-100", what, outside))), 1)
        for what, ours, inside, outside in (
                ("p50_us", 1020, 1010, 1009), ("low_of_left_over", 0.99, 0.9949, 0.9951),
                ("low_of_left_over", 1.2, 1.2049, 1.2051), ("cpu", 0.002, 0.0011, 0.0009)):
            self.setUp()
            self.change(*((m, what, ours) for m in self.found if m != "alone"))
            self.assertEqual(self.worse(("daemon-100", what, inside)), [])
            self.assertEqual(len(self.worse(("daemon-100", what, outside))), 1)

    def test_all_with_as_much_notice(self):
        blind = ("stock", "cu-mask", "hpf", "daemon-1000", "daemon-100", "coop")
        for ours, others in ("gpreempt", blind), ("hint", ("daemon-notice", "coop-notice")):
            self.setUp()
            worse, = self.worse(*((m, "p99_us", 1001) for m in others))
            self.assertRegex(worse, f"^'{mixes.TITLES[ours]}'")
            self.assertEqual([f"499 us more than '{mixes.TITLES[m]}'" in worse for m in others],
                             [True] * len(others))

    def test_cpu_of_those_that_look(self):
        self.assertEqual(self.worse(*((m, "cpu", 0) for m in ("stock", "cu-mask", "hpf", "coop",
                                                              "coop-notice"))), [])

    def test_a_mix_without_a_cooperative_client(self):
        del self.found["coop"], self.found["coop-notice"]
        self.assertEqual(self.worse(), [])

    def test_limits(self):
        for mode in "gpreempt", "hint":
            for what, kept, value, text in (("p99_us", 2000, 2001, "adds 1001 us to HIGH's p99"),
                                            ("low_of_left_over", 0.88, 0.879, "LOW keeps 87.9%"),
                                            ("max_us", 5000, 5001, "a request took 5001 us")):
                with self.subTest(f"{mode}, {what}"):
                    self.setUp()
                    self.assertEqual(self.missed((mode, what, kept)), [])
                    missed, = self.missed((mode, what, value))
                    self.assertIn(text, missed)
                    self.assertIn(f"'{mixes.TITLES[mode]}'", missed)


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
        self.patch(runs, OUT=out, PROGRAMS=out / "build/programs", PAUSE=0.01,
                   GUEST=[self.folder / "bench"])
        self.patch(inputs, OUT=out, BUILD=out / "build", QEMU=self.folder / "cache/qemu",
                   TESTBENCH=self.folder / "testbench",
                   guests_scripts=lambda: [self.folder / "testbench/inside/bench"])
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
        """A model that knows four parameters."""
        self.write("out/build/gpu-model/gpu-model", f"#!/bin/sh\n{text}\ncat <<END\n"
                   "FIXED 3 ns 1 9 source a data sheet\nSAVE 1 ns 1 2 guess nobody knows\n"
                   "RATE 15.4 bytes/ns 5 50 guess\nPACE 4 ns 1 9 chosen\nEND\n").chmod(0o755)

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
        self.patch(figures, LEFT_OVER=2)
        _, said, _ = self.whole_bench("block-1ms", "--seeds", "1,2")
        self.assertRegex(said, "MISSED    block-1ms, fetch: LOW keeps .* with 'GPREEMPT'")
        for option in "--short", "--sensitivity":
            calls = self.whole_bench(option)[2]
            self.assertEqual([c for c in calls if "--rptr-at launch" not in c], [])

    def test_other_ways_of_firmware(self):
        """The model is told, and neither results nor runs of the usual ones are touched."""
        self.bench("block-1ms", "--seeds", "1")
        usual = (self.folder / "out/bench/results.json").read_text()
        self.patch(figures, LEFT_OVER=2)
        status, said, calls = self.whole_bench("block-1ms", "--seeds", "1", "--rptr-at", "launch",
                                               "--model", "--connect pipe")
        self.assertEqual([c.strip() for c in calls],
                         ["1 --asic mi210 --rptr-at launch --connect pipe"])
        self.assertEqual((status, "over      " in said), (False, True))
        self.assertEqual(list(self.firmware()), ["--connect pipe"])
        self.assertEqual((self.folder / "out/bench/results.json").read_text(), usual)
        self.assertEqual(self.bench("block-1ms", "--seeds", "1")[2], [])

    def firmware(self):
        """Of each value of --model the results that are there, and where."""
        return {json.loads(path.read_text())["model"]: path
                for path in self.folder.glob("out/bench/firmware/*/results.json")}

    def test_each_value_of_model_has_its_results(self):
        values = "--connect pipe", "--connect-pipe", "--connect pipe --rotate all", "--" + 99 * "a", \
            "--" + 99 * "a" + "b"
        for value in values:
            calls = self.bench("block-1ms", "--seeds", "1", f"--model={value}")[2]
            self.assertEqual(calls, ["1"], value)
        self.assertEqual(self.firmware().keys(), set(values))
        kept = {value: path.read_text() for value, path in self.firmware().items()}
        # spelt in another way it is the same value
        self.assertEqual(self.bench("block-1ms", "--seeds", "1", "--model", " --connect   pipe")[2], [])
        self.assertEqual({value: path.read_text() for value, path in self.firmware().items()}, kept)

    def test_highs_on_several_levels(self):
        _, _, calls = self.bench("levels", "--seeds", "1")
        self.assertEqual(calls, ["1"])
        found = self.results()
        # the fake's requests last by their level
        self.assertEqual({name: r["gpreempt"]["p50_us"] for name, r in found.items()},
                         {"levels-15": 215, "levels-12": 212, "levels-9": 209})

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

    def test_all_of_a_gpu(self):
        _, _, calls = self.whole_bench("--asic", "mi300x", "--size", "full", "--short", "full")
        self.assertEqual(calls, [f"1 {GPUS['mi300x'].full} --rptr-at launch "])
        found = json.loads((self.folder / "out/bench-short-mi300x-full/results.json").read_text())
        self.assertEqual((found["asic"], found["size"], list(found["mixes"])),
                         ("mi300x", "full", ["full"]))

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
        # all modes are alike here
        self.assertIn("no means with as much notice is better", said)
        self.assertEqual(status, 0, said)
        found = json.loads((self.folder / "out/bench-short/results.json").read_text())
        self.assertEqual(found["mixes"]["block-10ms"]["launch"]["gpreempt"]["requests"], 30)
        self.patch(figures, LEFT_OVER=2)
        self.assertEqual(self.bench("--short", "block-10ms")[:1], (1,))

    def test_a_loss_is_told_and_is_no_failure(self):
        self.patch(figures, worse=lambda r: ["it is worse"])
        status, said, _ = self.bench("block-1ms", "--seeds", "1")
        self.assertEqual(status, 0)
        self.assertIn("\n  it is worse\n", said)
        self.assertEqual(self.results()["block-1ms"]["worse"], ["it is worse"])
        self.assertIn("- block-1ms: it is worse\n",
                      (self.folder / "out/bench/tables.rst").read_text())

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


    def test_tenants(self):
        self.patch(tenants, EVEN=0.2)
        status, said, calls = self.bench("tenants-8", "--seeds", "1")
        self.assertEqual((status, calls), (0, ["1"]), said)
        found = json.loads((self.folder / "out/bench/results.json").read_text())
        self.assertEqual(found["tenants"]["launch"]["ways"]["fair"],
                         {"slowdown": [8] * 8, "jain": 1, "together": 1})
        self.assertEqual(found["tenants"]["launch"]["ways"]["stock"]["slowdown"], [2] + [14] * 7)
        self.assertRegex(said, r"\nfair +(8.0 +){8}1.000 +100.0 %\n")
        self.assertIn("'fair' slows down tenants more than stock, by blocks: 0.1 ms 8.0 times, "
                      "not 2.0\n", said)
        self.assertRegex((self.folder / "out/bench/tables.rst").read_text(), r"\nfair +(8.0 +){8}1.0")
        self.patch(tenants, EVEN=0.95)
        status, said, calls = self.bench("tenants-8", "--seeds", "1")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("MISSED    launch: tenants-8: Jain's index is 0.437 with 'timeslice'", said)

    def test_corners(self):
        status, said, calls = self.whole_bench("--corners", "--short", "block-1ms")
        self.assertEqual(status, 0, said)
        at = "1 --asic mi210 --rptr-at launch "
        self.assertEqual(calls, [at, at + "--param FIXED=1 --param SAVE=1 --param RATE=50",
                                 at + "--param FIXED=9 --param SAVE=2 --param RATE=5"])
        # the fake's requests last twice as long with SAVE=2
        out = self.folder / "out/bench-short"
        row = next(line for line in (out / "corners.rst").read_text().splitlines()
                   if line.startswith("block-1ms  HIGH alone"))
        self.assertIn("200; 200 to 400", row)
        self.assertIn(row, said)
        found = [json.loads((out / end / "results.json").read_text())
                 for end in ("", "cheap", "dear")]
        self.assertEqual([f["mixes"]["block-1ms"]["launch"]["gpreempt"]["p99_us"] for f in found],
                         [200, 200, 400])
        self.assertEqual(found[2]["model"], "--param FIXED=9 --param SAVE=2 --param RATE=5")
        # what is there is not run again, the default not by another name either
        self.assertEqual(self.whole_bench("--corners", "--short", "block-1ms")[2], [])
        self.assertEqual(self.whole_bench("--short", "block-1ms")[2], [])
        self.assertEqual([c.split()[0] for c in self.whole_bench("--corners", "block-1ms")[2]],
                         list("12345" * 3))

    def test_limits_are_for_the_default_costs(self):
        self.patch(figures, missed=lambda name, mix, r:
                   [f"{name} is slow"] if r["gpreempt"]["p99_us"] > 200 else [])
        status, said, _ = self.whole_bench("--corners", "--short", "block-1ms")
        self.assertEqual(status, 0)
        self.assertIn("\n  over      block-1ms, launch is slow\n", said)
        self.patch(figures, missed=lambda name, mix, r: [f"{name} is slow"])
        self.assertEqual(self.whole_bench("--corners", "--short", "block-1ms")[0], 1)

    def test_a_corner_without_a_result_is_missed(self):
        status, said, _ = self.whole_bench("--corners", "--short", "block-1ms", FAKE_FAIL="1")
        self.assertEqual(status, 1)
        self.assertEqual(said.count("MISSED"), 3)


class Tenants(InFolder):
    def test_jain(self):
        self.assertEqual([tenants.jain(shares) for shares in ([0.5] * 8, [0.5] + [0] * 7)],
                         [1, 1 / 8])

    def run(self, result=None):
        with mock.patch.object(tenants, "BLOCKS_US", (100, 1000)):
            super().run(result)

    def dones(self, name, begin, gap, count):
        self.write(name, "running\n" + "".join(f"done {begin + n * gap}\n" for n in range(count)))

    def test_what_each_has_left(self):
        """Of the time in which all are at work alone."""
        for n in 1, 2:
            self.dones(f"alone.{n}", BEGIN, 10 * MS, 101)
        # the other one begins later; before that the first one had all
        self.write("fair.1", "".join(
            f"done {BEGIN + (n * 10 if n < 100 else n * 20 - 1000) * MS}\n" for n in range(201)))
        self.dones("fair.2", BEGIN + 1000 * MS, 40 * MS, 51)
        found = tenants.read_run(self.folder, ["fair"])["fair"]
        self.assertEqual([round(s, 6) for s in found], [0.5, 0.25])

    def test_no_result(self):
        for n in 1, 2:
            self.dones(f"alone.{n}", BEGIN, 10 * MS, 101)
            self.dones(f"fair.{n}", BEGIN, 20 * MS, 101)
        tenants.read_run(self.folder, ["fair"])
        self.write("fair.state", "bypassed\n")
        with self.assertRaisesRegex(about.NoResult, "gave up"):
            tenants.read_run(self.folder, ["fair"])
        (self.folder / "fair.state").unlink()
        self.dones("fair.2", BEGIN + 9000 * MS, 20 * MS, 2)
        with self.assertRaisesRegex(about.NoResult, "not at work at the same time"):
            tenants.read_run(self.folder, ["fair"])
        self.dones("fair.2", BEGIN, 20 * MS, 1)
        with self.assertRaisesRegex(about.NoResult, "fewer than two"):
            tenants.read_run(self.folder, ["fair"])

    def test_one_that_hardly_gets_on(self):
        """Of its dispatches none need end in the time."""
        for n in 1, 2:
            self.dones(f"alone.{n}", BEGIN, 10 * MS, 101)
        self.dones("fair.1", BEGIN + 1000 * MS, 20 * MS, 101)
        self.dones("fair.2", BEGIN, 4000 * MS, 3)
        found = tenants.read_run(self.folder, ["fair"])["fair"]
        self.assertEqual([round(s, 6) for s in found], [0.5, 0.0025])

    def test_limits(self):
        for fair, texts in (([0.5, 0.5], []), ([0.6, 0.3], ["Jain's index is 0.900 with 'fair'"]),
                            ([0.4, 0.4], ["all together do 80.0% with 'fair'"])):
            r = tenants.of_runs([{"stock": [0.9, 0.1], "fair": fair}])
            self.assertEqual([text.removeprefix("tenants-8: ") for text in tenants.missed(r)], texts)

    def test_worse(self):
        r = tenants.of_runs([{"stock": [0.6, 0.42], "timeslice": [0.5, 0.5]}])
        self.assertEqual(list(tenants.worse(r)), [
            "'timeslice' slows down tenants more than stock, by blocks: 0.1 ms 2.0 times, not 1.7",
            "'timeslice': all together do 2.0 points less than on stock"])
        self.assertEqual(list(tenants.worse(tenants.of_runs([{"stock": [0.5], "fair": [0.5]}]))), [])


class Corners(unittest.TestCase):
    MODES = ("alone", "stock", "daemon-100", "gpreempt", "hint", "daemon-notice")

    def figures(self, **p50):
        """All add 100 us, but for those that are named."""
        r = {mode: dict.fromkeys(("p50_us", "p99_us", "max_us"), 1000 + p50.get(mode, 100))
             | {"low_of_left_over": 0.9, "cpu": 0.01} for mode in self.MODES}
        r["alone"].update(p50_us=1000, p99_us=1000, max_us=1000)
        return r

    def test_what_is_cheap_and_what_is_dear(self):
        time = parameters.Parameter("t", "2", "ns", "1", "9", "source")
        rate = parameters.Parameter("r", "2", "bytes/us", "1", "9", "guess")
        pace = parameters.Parameter("p", "2", "ns", "1", "9", "chosen")
        self.assertEqual([[p.at(end) for end in ("cheap", "dear")] for p in (time, rate)],
                         [["1", "9"], ["9", "1"]])
        self.assertEqual(parameters.corner([time, rate, pace], "dear"), "--param t=9 --param r=1")

    def test_of_the_model(self):
        """Each cost of hardware is in a corner, and what the model chose is in none."""
        rows = re.findall(r'^PARAM\((\w+), \d+, "\S+", (\d+), (\d+), (\w+),',
                          (MODEL / "host/params.def").read_text(), re.M)
        said = [parameters.Parameter(name, "", "ns", low, high, kind)
                for name, low, high, kind in rows]
        dear = parameters.corner(said, "dear")
        self.assertEqual(dear.count("--param"), sum(kind != "chosen" for *_, kind in rows))
        self.assertIn("--param mmio_read_ns=2000", dear)
        self.assertNotIn("issue_ns", dear)

    def test_spans(self):
        ends = {"default": self.figures(), "cheap": self.figures(gpreempt=50),
                "dear": self.figures(gpreempt=300)}
        rows = {re.split("  +", line)[1]: line
                for line in corners.spans({"m": ends}).splitlines()}
        self.assertRegex(rows["GPREEMPT"], r"^m +GPREEMPT +(100; 50 to 300 +){3}10.0 % +1.0 %$")
        ends["cheap"] = self.figures(stock=-0.4)
        ends["cheap"]["stock"]["cpu"] = -0.0001
        self.assertIn("100; 0 to 100", corners.spans({"m": ends}))
        self.assertIn("1.0 %; 0.0 to 1.0 %", corners.spans({"m": ends}))
        self.assertRegex(rows["HIGH alone"], r"^m +HIGH alone +1000 +1000 +1000 +\\- +\\-$")

    def test_verdicts(self):
        ends = {"default": self.figures(), "cheap": self.figures(stock=50),
                "dear": self.figures(hint=300)}
        rows = [re.split("  +", line) for line in corners.verdicts({"m": ends}).splitlines()[3:-1]]
        self.assertEqual(rows, [["m", ours, figure, "\\-", *at]
                                for ours, at in (("GPREEMPT", ("stock", "\\-")),
                                                 ("GPREEMPT, HINT", ("\\-", "daemon")))
                                for figure in ("p50", "p99", "longest")])

    def test_pays_from(self):
        for shorter, longer, us in ((0, 200, 550), (80, 300, 182), (100, 300, 100),
                                    (101, 300, 0), (0, 100, None)):
            lengths = {1000: self.figures(stock=longer), 100: self.figures(stock=shorter)}
            self.assertEqual(corners.pays_from(lengths, "p50_us"), us)

    def test_paying(self):
        found = {"block-0.1ms": {end: self.figures(stock=0) for end in corners.ENDS},
                 "block-1ms": {end: self.figures(stock=us) for end, us in
                               zip(corners.ENDS, (200, 300, 90))}}
        self.assertEqual([re.split("  +", line)[1:] for line in
                          corners.paying(found).splitlines()[3:-1]],
                         [["550 us", "400 us", "none measured"]] * 2)
        del found["block-1ms"]
        self.assertEqual(corners.paying(found), "")

    def test_a_mix_without_a_result_at_an_end(self):
        whole = {"launch": self.figures()}
        said = corners.text({"default": {"one": whole, "two": whole}, "cheap": {"one": whole},
                             "dear": {"one": whole, "two": whole}}, "launch")
        self.assertIn("\none  stock", said)
        self.assertNotIn("two", said)
        self.assertEqual(corners.text({end: {} for end in corners.ENDS}, "launch"), "")


class Tables(unittest.TestCase):
    MODES = ("alone", "stock", "daemon-1000", "daemon-100", "gpreempt", "hint")

    def test_a_mix_in_a_setting(self):
        r = {mode: {"p50_us": 10.4 * n, "p99_us": 20.6 * n, "max_us": 30.0 * n,
                    "low_of_left_over": .9 + n / 1000, "cpu": n / 1000}
             for n, mode in enumerate(self.MODES, 1)}
        r["worse"] = ["it is " + "much " * 20 + "worse: 5%"]
        found = {"one": {"title": "One", "launch": r}}
        rows = [table.splitlines()[3].split("  ") for table in tables.setting(found, "launch")]
        self.assertEqual([[cell.strip() for cell in row if cell] for row in rows], [
            ["one", "10", "10/21", "\\-", "\\-", "21/41", "31/62", "\\-", "42/82"],
            ["one", "30", "\\-", "\\-", "60", "90", "\\-", "120"],
            ["one", "\\-", "\\-", "52/103/150"],
            ["one", "9.8 %", "\\-", "\\-", "9.7 %", "9.6 %", "\\-", "9.5 %"],
            ["one", "\\-", "\\-", "9.4 %"],
            ["one", "0.30 %", "0.40 %", "0.50 %", "\\-", "0.60 %"]])
        self.assertRegex(tables.losses(found, "launch"), r"^- one: it is( much)*\n  (much )*worse: 5 %$")
        self.assertEqual(tables.setting(found, "fetch"), [])
        self.assertEqual(tables.losses(found, "fetch"), "")

    def test_columns_are_as_wide_as_what_is_in_them(self):
        self.assertEqual(tables.simple(["a", "bb"], [["ccc", "d"], ["e", "ffff"]]),
                         "===  ====\na    bb\n===  ====\nccc  d\ne    ffff\n===  ====\n")


class Sensitivity(unittest.TestCase):
    def test_a_whole_number_stays_one(self):
        for value, half, double in ("21500", "10750", "43000"), ("15.4", "7.7", "30.8"), \
                ("5", "2", "10"):
            guess = parameters.Parameter("NAME", value, "ns", "1", "2", "guess")
            self.assertEqual([sensitivity.option(guess, f) for f in (0.5, None, 2)],
                             [f"--param NAME={half}", "", f"--param NAME={double}"])

    def test_without_a_result(self):
        guess = parameters.Parameter("SAVE", "4", "ns", "1", "9", "guess")
        good = sensitivity.middle([{"p99_us": 10, "low": 0.5}, {"p99_us": 30, "low": 0.7}])
        found = {"--param SAVE=2": good, "": good, "--param SAVE=8": sensitivity.middle([])}
        self.assertEqual(sensitivity.table([guess], found).splitlines()[-1].split(),
                         ["SAVE", "4", "ns", "1-9", "20", "20", "-", "60.0%", "60.0%", "-"])
