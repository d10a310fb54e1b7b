# SPDX-License-Identifier: GPL-2.0
"""The demo's figures, limits and checker against runs made up here, good ones and bad ones."""
import contextlib
import io
import json
import struct
import tempfile
import unittest
import zlib
from pathlib import Path
from unittest import mock

from testbench.events import eventlog
from testbench.demo import check as demo_check
from testbench.demo import report as demo_report
from testbench.demo import timeline

US, MS = 1000, 1000000
GROUP = 50 * MS             # a workgroup of LOW's
PERIOD = 20 * MS            # of HIGH's kernels
DETECTION, SAVE, KERNEL, RESTORE = 15 * US, 90 * US, 320 * US, 40 * US
RUNLIST = 2 * US            # after a save
SAMPLES = {"alone": 20, "stock": 12, "gpreempt": 60}
UNIT_BYTES = 300000         # of LOW's on a compute unit
SAVE_US = 24                # the model needs for them
LOCKS, SCAN, FENCE = 9 * US, 40 * US, 105 * US     # for a kernel of HIGH's; the first for a count of waves


class Machine:
    """Writes the event log of a machine on which LOW and HIGH do as they are told."""

    def __init__(self, xccs=1):
        self.start = {"asic": "test", "xccs": xccs, "engines": 2, "cus_per_engine": 2 // xccs,
                      "rptr_at": "launch"}
        self.units = timeline.units(self.start)
        self.lines = []
        self.now = MS           # when the last run was over
        self.queues = 0
        self.say(0, "start " + " ".join(f"{k}={v}" for k, v in self.start.items()))

    def say(self, ns, text):
        self.lines.append((ns, text))

    def text(self):
        lines = sorted(self.lines, key=lambda line: line[0])
        return "".join(f"{ns} {text}\n" for ns, text in
                       [*lines, (lines[-1][0] + 1, "machine-stop insns=1")])


class Queue:
    def __init__(self, machine, priority):
        self.machine, self.priority = machine, priority
        machine.queues += 1
        self.doorbell = machine.queues * 0x100
        self.name = f"queue={self.doorbell:#x} pasid={machine.queues}"
        self.seat = f"mqd={self.doorbell:#x} xcc=0 pipe=0 slot={machine.queues}"
        self.map(machine.now, 0)

    def map(self, ns, read):
        self.machine.say(ns, f"queue-map {self.name} {self.seat} priority={self.priority} read={read}")

    def dispatch(self, ns, number, groups):
        self.machine.say(ns, f"doorbell dw={self.doorbell:#x} value={number}")
        self.machine.say(ns, f"dispatch-begin {self.name} disp={number} wgs={groups} waves=1 kernel=0xf00")

    def end(self, ns, number):
        self.machine.say(ns, f"dispatch-end {self.name} disp={number}")

    def wave(self, ns, event, number, group, cu, pc, insns):
        x, e, c = cu
        self.machine.say(ns, f"wave-{event} {self.name} disp={number} wg={group} wave=0 xcc={x} engine={e} "
                         f"cu={c} simd={self.priority // 15} slot=0 pc={pc:#x} last={pc:#x} insns={insns}")


class Low:
    """One dispatch that keeps the units busy; each ends its workgroups at a time of its own."""

    def __init__(self, machine, length=GROUP):
        self.machine, self.queue, self.length = machine, Queue(machine, 0), length
        self.groups = 0
        self.on = {}            # cu -> [group, when it will end, its instructions]
        self.queue.dispatch(machine.now, 0, "{groups}")
        self.begin = machine.now
        for i, cu in enumerate(machine.units):
            self.group(machine.now, cu, length * (i + 1) // len(machine.units))

    def group(self, ns, cu, length=None):
        self.queue.wave(ns, "start", 0, self.groups, cu, 0x100, 0)
        self.on[cu] = [self.groups, ns + (length or self.length), 0]
        self.groups += 1

    def off(self, cu):
        """A unit's workgroup ends; returns when."""
        group, ns, insns = self.on.pop(cu)
        self.queue.wave(ns, "end", 0, group, cu, 0x300, insns + 1)
        return ns

    def run(self, until):
        """Workgroup after workgroup."""
        for cu in self.machine.units:
            while self.on[cu][1] <= until:
                self.group(self.off(cu), cu)

    def save(self, ns, end):
        self.machine.say(ns, "preempt-begin xcc=0 queues=1")
        for cu, state in self.on.items():
            state[2] += 100
            self.queue.wave(ns, "save", 0, state[0], cu, 0x204, state[2])
        self.machine.say(end, f"queue-unmap {self.queue.name} {self.queue.seat} read=1")
        self.machine.say(end, f"preempt-end xcc=0 queues=1 bytes={UNIT_BYTES * len(self.machine.units)}")

    def restore(self, ns, end, away):
        self.queue.map(ns, 1)
        self.machine.say(ns, f"queue-restore {self.queue.name} dispatches=1")
        for cu, state in self.on.items():
            self.queue.wave(ns, "restore", 0, state[0], cu, 0x204, state[2])
            self.queue.wave(end, "resume", 0, state[0], cu, 0x204, state[2])
            state[1] += end - away

    def finish(self, ns):
        self.run(ns)
        self.machine.now = max(self.off(cu) for cu in self.machine.units) + MS
        self.queue.end(self.machine.now, 0)
        self.machine.lines = [(ns, text.replace("{groups}", str(self.groups)))
                              for ns, text in self.machine.lines]


class Demo:
    """The four runs, in one boot or apart, and what inside/demo leaves of them."""

    def __init__(self, folder, detection=DETECTION, save=SAVE, kernel=KERNEL, restore=RESTORE,
                 alone_ms=50, alone_saved=False, xccs=1, apart=False):
        self.folder, self.machine = folder, Machine(xccs)
        self.folders = {run: folder / run if apart else folder for run in SAMPLES}
        self.detection, self.save, self.length, self.restore = detection, save, kernel, restore
        for run, place in self.folders.items():
            place.mkdir(exist_ok=True)
            if apart:
                self.machine = Machine(xccs)
            if run == "alone":
                self.low_alone(alone_ms * MS, alone_saved)
            self.both(run)
            (place / "events.log").write_text(self.machine.text())
            (place / "clock").write_text("mode=virtual\ninsns_per_ns=1\nquantum_us=10\n")
        (place / "state").write_text("active\n")
        (place / "stats-before.txt").write_text("stats/preemptions:3\nstats/resumes:3\nstats/scans:0\n")
        self.stats()

    def stats(self, resumes=SAMPLES["gpreempt"], locks=LOCKS, scan=SCAN):
        n = SAMPLES["gpreempt"]
        (self.folders["gpreempt"] / "stats-after.txt").write_text(
            f"stats/preemptions:{3 + n}\nstats/resumes:{3 + resumes}\nstats/scans:9\n"
            f"stats/register_ns_total:{2 * locks * n}\nstats/scan_ns_total:{scan * n}\n"
            f"stats/fence_wait_ns_total:{FENCE * n}\n")

    def low(self, run, wrong=0):
        (self.folders[run] / f"low-{run}.txt").write_text(
            f"iterations=7\ngpu_clock_begin={self.begin // 10}\nrunning\n"
            f"gpu_clock_end={self.machine.now // 10}\nwords=4096\nwrong={wrong}\n")

    def low_alone(self, length, saved):
        self.begin = self.machine.now
        low = Low(self.machine, length)
        if saved:
            low.save(self.begin + MS, self.begin + 2 * MS)
            low.restore(self.begin + 3 * MS, self.begin + 4 * MS, self.begin + MS)
        low.finish(self.begin + 20 * GROUP)
        self.low("alone")

    def both(self, run):
        low = Low(self.machine) if run != "alone" else None
        high = Queue(self.machine, 15)
        text = "gpu_clock_begin=0\nclock_begin=5000\ngpu_clock_end=100000\nclock_end=1005000\n"
        at = self.machine.now + PERIOD
        for number in range(SAMPLES[run]):
            at += number * 7 % 5 * MS
            high.dispatch(at, number, len(self.machine.units))
            end = getattr(self, run)(low, high, at, number)
            high.end(end, number)
            text += f"sample packet={number} at={at + 5000} ns={end - at}\n"
            at += -(-(end - at) // PERIOD) * PERIOD
        self.machine.now = at
        (self.folders[run] / f"high-{run}.txt").write_text(text)
        if low:
            low.finish(at)
            self.low(run)

    def kernel(self, high, begin, number):
        for group, cu in enumerate(self.machine.units):
            high.wave(begin, "start", number, group, cu, 0x100, 0)
            high.wave(begin + self.length, "end", number, group, cu, 0x300, 9)
        return begin + self.length

    def alone(self, _, high, at, number):
        return self.kernel(high, at, number)

    def stock(self, low, high, at, number):
        """Each unit takes HIGH's workgroup when it is done with one of LOW's."""
        low.run(at)
        ends = []
        for group, cu in enumerate(self.machine.units):
            begin = low.off(cu)
            high.wave(begin, "start", number, group, cu, 0x100, 0)
            ends.append(begin + self.length)
            high.wave(ends[-1], "end", number, group, cu, 0x300, 9)
            low.group(ends[-1], cu)
        return max(ends)

    def gpreempt(self, low, high, at, number):
        begin = at + self.detection
        low.run(begin)
        low.save(begin, begin + self.save)
        self.machine.say(begin + self.save + RUNLIST, "runlist xcc=0 processes=1")
        end = self.kernel(high, begin + self.save + RUNLIST, number)
        low.restore(end + 100 * US, end + 100 * US + self.restore, begin)
        return end

    def results(self):
        """Everything but the guest, as bench demo does it."""
        boots, runs, results = demo_report.evaluate(
            self.folders, None, {"seed": 1, "wall_s": 9.0,
                                 "host": {"cpu": "a", "cores": 2, "kernel": "b", "load": 0.1}})
        (self.folder / "results.json").write_text(json.dumps(results))
        demo_report.picture(self.folder, boots, runs, results)
        with contextlib.redirect_stdout(io.StringIO()):
            demo_report.table(results)
        return results


def found(folder):
    """What the checker finds wrong, by what it checked."""
    return {text: wrong for text, wrong in demo_check.checks(folder) if wrong}


def found_in(folder, part):
    """What it finds in one part; those behind it are not looked at, pictures take a second."""
    return next(wrong for text, wrong in demo_check.checks(folder) if text == part)


class Folder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)


class Driver(Folder):
    """What a driver or a model did that does not do what it should."""

    LIMITS = "each limit is kept"

    def test_good(self):
        results = Demo(self.folder).results()
        self.assertEqual(results["missed"], [])
        self.assertEqual(found(self.folder), {})
        self.assertEqual(results["detection_us"], DETECTION / US)
        self.assertEqual(results["preemption_us"], (SAVE + RUNLIST) / US)
        self.assertEqual(results["gpreempt"]["p99_us"],
                         (DETECTION + SAVE + RUNLIST + KERNEL) / US)
        self.assertEqual(results["all_units_busy"], {"stock": 1.0, "gpreempt": 1.0})

    def test_a_boot_for_each_row(self):
        """The same figures as in one boot, but for the machine's own time."""
        results = Demo(self.folder, apart=True).results()
        self.assertEqual(found(self.folder), {})
        with tempfile.TemporaryDirectory() as other:
            together = Demo(Path(other)).results()
        self.assertLess(abs(results.pop("virtual_s") - together.pop("virtual_s")), 0.2)
        self.assertEqual(results.keys(), together.keys())
        for run in SAMPLES:
            self.assertEqual({k: v for k, v in results[run].items() if "low" not in k},
                             {k: v for k, v in together[run].items() if "low" not in k})
        for name in "preemptions_in_midloop", "detection_us", "preemption_us", "low_words", "missed":
            self.assertEqual(results[name], together[name])

    def test_how_much_is_read(self):
        demo, told = Demo(self.folder, apart=True), []
        demo_report.read(demo.folders, None, lambda *bytes_: told.append(bytes_))
        size = {run: (folder / "events.log").stat().st_size for run, folder in demo.folders.items()}
        total = sum(size.values())
        self.assertEqual(told, [(0, total), (size["alone"], total), (total - size["gpreempt"], total)])

    def test_boots_of_several_clocks(self):
        demo = Demo(self.folder, apart=True)
        (self.folder / "stock/clock").write_text("mode=real\n")
        self.no_result(demo, "not all boots had the same clock")

    def test_several_xccs(self):
        results = Demo(self.folder, xccs=2).results()
        self.assertEqual(found(self.folder), {})
        self.assertEqual(demo_report.machine(results["model"]),
                         "2 dies of 2 shader engines of 1 compute unit")
        self.assertIn('"CU 1.1.0" 3', (self.folder / "timeline.gp").read_text())

    def missed(self, *texts, **changed):
        Demo(self.folder, **changed).results()
        missed = found_in(self.folder, self.LIMITS)
        self.assertEqual(len(missed), len(texts), missed)
        for said, text in zip(missed, texts):
            self.assertIn(text, said)

    def test_detection_twice_as_long(self):
        self.missed("detection of HIGH took 30 us", detection=2 * DETECTION)

    def test_more_to_count_waves_on(self):
        """Each engine and die has its share of what a count takes, and nothing else has."""
        results = Demo(self.folder).results()
        what = ("detection of HIGH", "HIGH's p50, both, GPREEMPT", "HIGH's p99, both, GPREEMPT",
                "the registers' locks, each time",
                "the monitor, for a kernel of HIGH's", "a preemption")

        def limits(rptr_at, xccs, engines):
            model = {**results["model"], "rptr_at": rptr_at, "xccs": xccs, "engines": engines}
            found = {name: us for name, _, us in demo_report.limits({**results, "model": model})}
            return [found[name] for name in what], demo_report.stock_factor({**results, "model": model})
        for machine, wanted in (
                (("launch", "1", "2"), ([25, 499, 509, 9, 192, 114], 80)),
                (("fetch", "1", "2"), ([34, 508, 518, 9, 201, 114], 79)),
                (("launch", "1", "8"), ([25, 499, 509, 21, 216, 114], 80)),
                (("fetch", "1", "8"), ([46, 520, 530, 21, 237, 114], 77)),
                (("fetch", "2", "2"), ([43, 517, 536, 9, 228, 114], 76)),
                (("launch", "8", "4"), ([25, 499, 600, 13, 382, 114], 68)),
                (("fetch", "8", "4"), ([129, 603, 704, 13, 486, 114], 58))):
            self.assertEqual(limits(*machine), wanted, machine)

    def test_a_delay_on_a_full_machine(self):
        """One in all of its kernels."""
        results = Demo(self.folder).results()
        results["gpreempt"]["samples"] = 30

        def limits(**more):
            found = {name: us for name, _, us in demo_report.limits({**results, **more})}
            return [found[name] for name in ("the registers' locks, each time",
                                             "the monitor, for a kernel of HIGH's")]
        self.assertEqual(limits(size="engines"), [9, 192])
        self.assertEqual(limits(size="full"), [14, 202])
        self.assertEqual(limits(size="full", model={**results["model"], "rptr_at": "fetch", "xccs": "2"}),
                         [9 + round(300 / 180, 1), 238])

    def test_few_samples(self):
        """Of few p99 is the longest, and by the event log."""
        late = {"p50_us": 1, "p99_us": 900, "samples": 30, "event_log": {"p50_us": 2, "p99_us": 490}}
        self.assertEqual([demo_report.seen(late, k) for k in ("p50_us", "p99_us")], [1, 490])
        self.assertEqual(demo_report.seen(late | {"samples": 100}, "p99_us"), 900)
        results = Demo(self.folder).results()
        for run, what in demo_report.RUNS.items():
            if run != "stock":
                found = {name: us for name, us, _ in demo_report.limits({**results, run: late})}
                self.assertEqual(found[f"HIGH's p99, {what}"], 490)

    def test_more_to_save(self):
        """A unit's bytes, and an engine's waves."""
        results = Demo(self.folder).results()
        self.assertEqual(results["save_us"], SAVE_US)
        log = eventlog.EventLog()
        log.start = {"xccs": 1, "engines": 2, "cus_per_engine": 2}
        saved = [(None, True, (0, e, c)) for e in range(2) for c in range(2) for _ in range(32)] \
            + [(None, True, (0, 1, 0))]
        self.assertEqual(demo_report.save_us(log, eventlog.Preemption(0, bytes=4 * 12500, saved=saved)),
                         65 * 0.02 + 1)
        more = {**results, "save_us": SAVE_US + 33}
        self.assertEqual([us for what, _, us in demo_report.limits(more)
                          if what in ("HIGH's p99, both, GPREEMPT", "a preemption")], [542, 147])

    def test_registers_locked_too_long(self):
        demo = Demo(self.folder)
        demo.stats(locks=12 * US)
        self.assertEqual(demo.results()["missed"],
                         ["the registers' locks, each time took 12 us, more than 9"])

    def test_monitor_takes_too_much(self):
        demo = Demo(self.folder)
        demo.stats(scan=80 * US)
        self.assertEqual(demo.results()["missed"],
                         ["the monitor, for a kernel of HIGH's took 203 us, more than 192"])

    def test_debian_detects_later(self):
        for us, missed in (30, []), (33, ["detection of HIGH took 33 us, more than 32"]):
            demo = Demo(self.folder, detection=us * US)
            with (self.folder / "clock").open("a") as clock:
                clock.write("kernel=debian\n")
            self.assertEqual(demo.results()["missed"], missed)

    def test_save_twice_as_long(self):
        self.missed("HIGH's p50, both, GPREEMPT took 517 us", "HIGH's p99, both, GPREEMPT took 517 us",
                    "a preemption took 182 us", save=2 * SAVE)

    def test_guest_or_model_slow(self):
        self.missed("HIGH's p50, HIGH alone took 420 us", "HIGH's p99, HIGH alone took 420 us",
                    "HIGH's p50, both, GPREEMPT took 527 us", "HIGH's p99, both, GPREEMPT took 527 us",
                    kernel=420 * US)

    def test_low_stays_away(self):
        self.missed("LOW kept 8", restore=2 * MS)

    def test_low_wrong(self):
        demo = Demo(self.folder)
        demo.low("stock", wrong=1)
        self.assertEqual(demo.results()["missed"], ["LOW's result is wrong"])
        self.assertEqual(found_in(self.folder, "LOW's result is exact"), ["it is not"])

    def test_resume_missing(self):
        demo = Demo(self.folder)
        demo.stats(resumes=SAMPLES["gpreempt"] - 1)
        self.assertEqual(demo.results()["missed"], ["not every preempted queue was resumed"])

    def test_wave_not_resumed(self):
        demo = Demo(self.folder)
        log = self.folder / "events.log"
        log.write_text("".join(
            line for line in log.read_text().splitlines(keepends=True)
            if " wave-resume " not in line or not line.split(" wg=")[1].startswith("99 ")))
        self.no_result(demo, "waves were lost, repeated or displaced")

    def no_result(self, demo, why):
        with self.assertRaisesRegex(demo_report.NoResult, why):
            demo.results()

    def test_bypassed(self):
        demo = Demo(self.folder)
        (self.folder / "state").write_text("bypassed\n")
        self.no_result(demo, "gave up")

    def test_low_alone_is_no_reference(self):
        self.no_result(Demo(self.folder, alone_saved=True), "LOW alone was preempted")
        # half of one of its seven iterations is 3.9 ms then
        Demo(self.folder, alone_ms=53).results()
        self.no_result(Demo(self.folder, alone_ms=54), "a workgroup of LOW lasts 54.0 ms")

    def test_low_not_everywhere(self):
        with mock.patch.object(demo_report, "found_busy", lambda *_: 0.5):
            self.no_result(Demo(self.folder), "only 50% of HIGH's kernels found every compute unit busy")

    def test_too_good_or_too_few(self):
        results = Demo(self.folder).results()
        self.assertEqual(demo_report.verdict(results | {"times_below_stock": 40}),
                         ["HIGH's p99 with GPREEMPT is less than 80 times below stock"])
        for iterations, wanted in (33, 51), (6, 36):
            few = results | {"low_iterations": iterations, "preemptions_in_midloop": wanted - 1}
            self.assertEqual(demo_report.verdict(few),
                             [f"fewer than {wanted} preemptions saved waves in mid-loop"])
            self.assertEqual(demo_report.verdict(few | {"preemptions_in_midloop": wanted}), [])

    def test_traced(self):
        """No figure of a driver that is traced has a limit, and its work has to be right."""
        results = Demo(self.folder, detection=2 * DETECTION).results() | {"traced": True}
        self.assertEqual(demo_report.verdict(results), [])
        self.assertEqual(demo_report.verdict(results | {"low_exact": False}), ["LOW's result is wrong"])

    def test_comparison(self):
        results = Demo(self.folder).results()
        text = demo_report.comparison([results | {"grace_us": 19}, results | {"grace_us": None}])
        self.assertEqual(["19", "stock"], [line.split()[0] for line in text.splitlines()[3:5]])
        self.assertIn(f"{results['gpreempt']['event_log']['p99_us']:.0f}", text)

    def test_real_time(self):
        demo = Demo(self.folder, save=2 * SAVE)
        (self.folder / "clock").write_text("mode=real\n")
        self.assertEqual(demo.results()["missed"], [])
        self.assertEqual(found(self.folder), {"the figures count": ["guest and model had no common clock"]})


class Parts(unittest.TestCase):
    """Of evaluate()."""

    def test_found_busy(self):
        log, low = eventlog.EventLog(), object()
        log.start = {"xccs": 1, "engines": 1, "cus_per_engine": 2}

        def run(cu, begin, end):
            return eventlog.Run(low, None, (0, 0), (0, 0, cu), begin, end)
        log.runs = [run(0, 0, 100)]
        self.assertEqual(demo_report.found_busy(log, low, [10, 60]), 0)
        log.runs += [run(1, 0, 50), run(1, 70, 100)]
        self.assertEqual(demo_report.found_busy(log, low, [10, 60]), 0.5)

    def test_rate(self):
        """What of a workgroup is in that time counts, over its breaks; of its waves the first."""
        log, low = eventlog.EventLog(), object()
        dispatch = eventlog.Dispatch(low, 0, 1, 2, 0, 0)

        def run(wg, wave, begin, end, queue=low):
            return eventlog.Run(queue, dispatch, (wg, wave), (0, 0, 0), begin, end)
        log.runs = [run(0, 0, 0, 100), run(0, 1, 0, 100), run(1, 0, 100, 130), run(1, 0, 150, 220),
                    run(2, 0, 0, 0), run(3, 0, 60, 100, object())]
        self.assertEqual(demo_report.rate(log, low, 50, 160), (0.5 + 0.4) / (110 / 1e9))

    def test_rows(self):
        """Of a large machine the first unit of each engine; one that does not work has none."""
        full = {"xccs": 8, "engines": 4, "cus_per_engine": 10, "inactive_cus": 2}
        self.assertEqual(len(timeline.units(full)), 304)
        self.assertEqual((7, 1, 9) in timeline.units(full), True)
        self.assertEqual((7, 2, 9) in timeline.units(full), False)
        self.assertEqual(len(timeline.labels(full)), 33)
        self.assertEqual(timeline.labels(full)[-2:], ["CU 7.3.0", "HIGH"])
        self.assertEqual(demo_report.machine(full), "8 dies of 4 shader engines of 10 compute units, "
                         "2 of a die's switched off: 304")

    def test_boxes_of_units_without_a_row(self):
        log, low, high = eventlog.EventLog(), object(), mock.Mock(dispatches={}, rings={})
        log.runs = [eventlog.Run(low, None, (0, 0), (0, 0, cu), 0, 100) for cu in range(2)]
        log.waits = [((0, 0, cu), 0, 10) for cu in range(2)]
        log.preemptions = [eventlog.Preemption(0, end=10, saved=[(None, True, (0, 0, cu)) for cu in range(2)])]
        found = timeline.boxes(timeline.Panel(log, "", low, high, 0, 1), {(0, 0, 0): 0})
        self.assertEqual([len(found[kind]) for kind in ("low", "saving")], [1, 2])

    def test_detections(self):
        run = demo_report.Run.__new__(demo_report.Run)
        run.times = [(0, 10), (20, 30)]     # the first one preempted nobody
        self.assertEqual(run.detections([eventlog.Preemption(25), eventlog.Preemption(40)]), [5])


def png(lines, kind=0, bits=8, height=None):
    """A PNG of lines of (red, green, blue), not filtered and of 8 bits whatever it says."""
    def part(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    data = b"".join(bytes([kind]) + bytes(c for pixel in line for c in pixel) for line in lines)
    head = struct.pack(">IIBBBBB", len(lines[0]), height or len(lines), bits, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(data)) + part(b"IEND", b"")


class Picture(Folder):
    """A demo that was good but for its picture, or its file of results."""

    STOCK = "the picture on stock: LOW everywhere while HIGH waits"
    GPREEMPT = "the picture with GPREEMPT: HIGH between save and restore"
    ONE = "the picture of one kernel: HIGH between save and restore"
    SEEN = "the picture can be seen"

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.made.cleanup)
        folder = Path(cls.made.name)
        Demo(folder).results()
        cls.files = {name: (folder / name).read_bytes()
                     for name in ("results.json", "timeline.gp", "timeline.png")}

    def setUp(self):
        super().setUp()
        for name, data in self.files.items():
            (self.folder / name).write_bytes(data)

    def drawn(self, *changes):
        """timeline.gp after (old, new) text."""
        text = self.files["timeline.gp"].decode()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.folder / "timeline.gp").write_text(text)

    def redraw(self, change):
        """The picture after a change to its boxes."""
        log = eventlog.EventLog()
        log.start = json.loads(self.files["results.json"])["model"]
        pic = demo_check.Picture(self.files["timeline.gp"].decode())
        change(pic.boxes)
        panels = [timeline.Panel(log, title, None, None, 0, view.span_ms)
                  for title, view in zip(pic.titles, demo_report.VIEWS)]

        def boxes(panel, _):
            n = next(n for n, p in enumerate(panels) if p is panel)
            return {kind: [(b.begin * MS, b.end * MS, b.row) for b in pic.boxes[kind, n]]
                    for kind in timeline.COLOURS}
        with mock.patch.object(timeline, "boxes", boxes):
            timeline.draw(panels, "", self.folder / "timeline.png")

    def wrong(self, part):
        return "\n".join(found_in(self.folder, part))

    def test_good(self):
        self.redraw(lambda boxes: None)
        self.assertEqual(found(self.folder), {})

    def test_empty(self):
        self.redraw(lambda boxes: boxes.clear())
        self.assertEqual(self.wrong(self.STOCK), "HIGH waits for 0 ms in all")
        for part in self.GPREEMPT, self.ONE:
            self.assertIn("HIGH runs on no unit", self.wrong(part))
        # The legend has all the colours, but is not where they are looked for.
        self.drawn()
        for panel, colour in (0, "#4477aa"), (1, "#ee6677"), (2, "#bbbbbb"), (2, "#f5c542"):
            self.assertIn(f"panel {panel}: nothing in {colour}", self.wrong(self.SEEN))

    def test_no_saves(self):
        def change(boxes):
            boxes["saving", 1], boxes["saving", 2] = [], []
        self.redraw(change)
        for part in self.GPREEMPT, self.ONE:
            self.assertRegex(self.wrong(part), "HIGH runs on CU 0.0 at .* without a save before it")
            self.assertIn("CU 1.1 has no save", self.wrong(part))

    def test_no_restores(self):
        def change(boxes):
            boxes["saving", 2] = [b for b in boxes["saving", 2] if b.begin < 0.6]
        self.redraw(change)
        self.assertRegex(self.wrong(self.ONE), "HIGH runs on CU 1.0 at .* without a restore after it")

    def test_high_before_the_save_is_over(self):
        def change(boxes):
            boxes["saving", 2] = [demo_check.Box(0.5, 0.7, row) for row in range(4)] \
                + [b for b in boxes["saving", 2] if b.begin > 0.6]
        self.redraw(change)
        self.assertRegex(self.wrong(self.ONE), "HIGH runs on CU 0.0 at .* without a save before it")

    def test_cut_off(self):
        """What was saved before the panel's begin, or comes back after its end, is not missed."""
        def change(boxes):
            boxes["high", 1] += [demo_check.Box(*at, row) for row in range(4)
                                 for at in ((0, 0.3), (99.8, 100))]
            boxes["low", 1] = [demo_check.Box(max(b.begin, 0.5), min(b.end, 99), b.row)
                               for b in boxes["low", 1]]
        self.redraw(change)
        self.assertEqual(self.wrong(self.GPREEMPT), "")

    def test_beside_low(self):
        def change(boxes):
            boxes["low", 1].append(demo_check.Box(0, 100, 3))
        self.redraw(change)
        self.assertRegex(self.wrong(self.GPREEMPT), "HIGH runs on CU 1.1 at .* beside LOW's waves")

    def test_low_not_on_every_unit(self):
        def change(boxes):
            boxes["low", 0] = [b for b in boxes["low", 0] if b.row != 2]
        self.redraw(change)
        self.assertIn("CU 1.0 is in LOW's hands for 0.00 of", self.wrong(self.STOCK))

    def test_save_on_stock(self):
        def change(boxes):
            boxes["saving", 0].append(demo_check.Box(3, 4, 0))
        self.redraw(change)
        self.assertEqual(self.wrong(self.STOCK), "there are saves")

    def test_rows(self):
        self.drawn(('"CU 1.0" 2, ', ""))
        self.assertIn("the rows are CU 0.0, CU 0.1, CU 1.1, HIGH, not", self.wrong("the picture's rows"))

    def test_labels(self):
        for old, new in ("HIGH's p50 0.4", "HIGH's p50 0.5"), ('"milliseconds"', '"seconds"'), \
                ("$saving1 using", "$low1 using"), ("title \"HIGH's waves", "title \"LOW's waves"):
            with self.subTest(old):
                self.drawn((old, new))
                self.assertTrue(self.wrong("the picture's labels"))

    def test_blank(self):
        (self.folder / "timeline.png").write_bytes(
            png([[(255, 255, 255)] * timeline.WIDTH] * timeline.HEIGHT))
        self.assertIn("panel 1: nothing in #bbbbbb, the colour of 'waves saved or restored'",
                      self.wrong(self.SEEN))

    def test_size(self):
        (self.folder / "timeline.png").write_bytes(png([[(1, 2, 3)] * 2]))
        self.assertIn("it has 2 times 1 pixels", self.wrong(self.SEEN))

    def test_damaged(self):
        good = self.files["timeline.png"]
        for bad, why in ((good[:-12], "no end"), (good[:1000], "damaged"), (good[:1000] + b"!" + good[1001:], "damaged"),
                         (b"", "not a PNG"), (png([[(0, 0, 0)]], kind=5), "filter 5"),
                         (png([[(0, 0, 0)]], bits=16), "not of 8 bits"),
                         (png([[(0, 0, 0)]], height=2), "4 bytes are not 1 times 2 pixels")):
            (self.folder / "timeline.png").write_bytes(bad)
            self.assertIn(why, self.wrong(self.SEEN))

    def test_results(self):
        results = json.loads(self.files["results.json"])
        del results["stock"]["p99_us"], results["clock"]["quantum_us"]
        results["low_exact"] = "yes"
        (self.folder / "results.json").write_text(json.dumps(results))
        self.assertEqual(found(self.folder), {
            "results.json is complete": ["there is no " + name for name in (
                "stock.p99_us", "low_exact", "clock.quantum_us")]})
        for text in "{", "{}":
            (self.folder / "results.json").write_text(text)
            self.assertIn("results.json can be read", found(self.folder))


class Png(unittest.TestCase):
    def test_filters(self):
        # the four guesses of the specification, for a pixel with 10 left, 20 above, 5 across
        for kind, byte, value in (1, 1, 11), (2, 1, 21), (3, 1, 16), (4, 1, 21):
            above = bytes([5, 5, 5, 20, 20, 20])
            left = {1: 10, 2: 246, 3: 8, 4: 5}[kind]    # leaves 10
            line = demo_check.unfilter(kind, bytes([left & 255] * 3 + [byte] * 3), above, 3)
            self.assertEqual(list(line), [10 if kind != 2 else 251] * 3 + [value] * 3, kind)


if __name__ == "__main__":
    unittest.main()
