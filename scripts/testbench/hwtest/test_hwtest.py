# SPDX-License-Identifier: GPL-2.0
"""Tests of what judges gpreempt-hwtest's reports, and of the page about it."""
import copy
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from testbench.benchmark.parameters import Parameter
from testbench.hwtest import costs, hwtest
from testbench.paths import MODEL as GPU_MODEL
from testbench.paths import ROOT, SELFTESTS

SOURCE = (SELFTESTS / "hwtest/hwtest.c").read_text()
PAGE = (ROOT / "Documentation/gpu/amdgpu/gpreempt-hwtest.rst").read_text()
STEPS = re.findall(r'^\t\{ "(\w+)", RISK', SOURCE, re.M)

FOUND = {
    "watch": {"register_access_ns": 2000},
    "index": {"read_index_at": "launch"},
    "registers": {"waves_launched": 8, "waves_counted": 8, "status_bits_are": "queues"},
    "offset": {"wave_offset_written_at": "each unmap"},
    "gws": {"preemptions": 10},
    "empty": {"unmap_fence_us": 20.9},
    "grace": {"found_us": 38, "us_for_each_us": 0.99, "save_without_us": 33,
              "proposed_us": 0},
    "cost": {"rows": [{"groups_a_unit": str(n), "waves": 8 * n, "vgprs": 128, "lds_bytes": 512,
                       "saved_mib": 0.26 * n, "save_us": 70 + n, "restore_us": 90 + n}
                      for n in range(1, 11)]},
    "doorbell": {"faults": 5},
    "detection": {"preemptions": 10, "detection_at_most_us": 1600.5},
    "exact": {"preemptions": 30, "low_words": 8192},
    "table": {"rows": [{"way": "HIGH alone", "p50_us": 336}, {"way": "stock, 48 ms", "p50_us": 31000},
                       {"way": "GPREEMPT, 48 ms", "p50_us": 462}]},
}


def report(last="table", **changes):
    """A report in which all is well, up to a step, but for changes."""
    end = STEPS.index(last)
    good = {"anomaly": None, "restored": True, "kernel_log": [],
            "steps": [{"name": name, "state": "ok" if n <= end else "not run", "seconds": 0.1,
                       "says": "", **FOUND.get(name, {})} for n, name in enumerate(STEPS)]}
    return copy.deepcopy(good) | changes


class Judged(unittest.TestCase):
    def good(self, wrong):
        self.assertEqual(list(wrong), [])

    def bad(self, wrong, text):
        self.assertRegex("\n".join(wrong), text)

    def test_complete(self):
        self.good(hwtest.complete(report()))
        self.good(hwtest.complete(report("index"), "index"))
        self.bad(hwtest.complete(report("exact")), "step table is 'not run'")
        self.bad(hwtest.complete(report(), "index"), "step preempt is 'ok'")
        self.bad(hwtest.complete(report(anomaly="in step exact: no")), "anomaly: in step exact")
        self.bad(hwtest.complete(report(restored=False)), "not put back")

    def test_anomalous(self):
        wrong = report("index", anomaly="in step preempt: WRONG RESULT: 1 value")
        self.bad(hwtest.anomalous(wrong, "preempt", "WRONG"), "preempt is 'not run'")
        hwtest.step(wrong, "preempt")["state"] = "ANOMALY"
        self.good(hwtest.anomalous(wrong, "preempt", "WRONG"))
        self.bad(hwtest.anomalous(wrong, "preempt", "never"), "not 'never': in step preempt")
        self.bad(hwtest.anomalous(wrong | {"restored": False}, "preempt", "WRONG"), "put back")

    def test_registers(self):
        self.good(hwtest.registers(report(), "1000 start rptr_at=launch\n"))
        self.bad(hwtest.registers(report(), "1000 start status=busy\n"), "'queues', not 'queues with")
        self.bad(hwtest.registers(report(), "1000 start state_offset=save\n"), "not 'saves only'")
        changed = report()
        hwtest.step(changed, "registers")["waves_counted"] = 7
        self.bad(hwtest.registers(changed, "1000 start\n"), "7 waves counted of 8")

    def test_index(self):
        self.good(hwtest.index(report(), "1000 start asic=mi210 rptr_at=launch\n"))
        self.bad(hwtest.index(report(), "1000 start asic=mi210 rptr_at=fetch\n"),
                 "advances at fetch, not launch")

    def cost(self, **changes):
        changed = report()
        hwtest.step(changed, "cost")["rows"][3].update(changes)
        return hwtest.cost(changed)

    def test_cost(self):
        self.good(self.cost())
        self.bad(self.cost(saved_mib=0.9), "0.900 MiB saved, 1.008 are allocated")
        self.bad(self.cost(vgprs=32), "0.258 are allocated")
        self.bad(self.cost(saved_mib=9, waves=280, save_us=70), "save_us: 71 for least, 70 for most")
        few = report()
        del hwtest.step(few, "cost")["rows"][1]
        self.bad(hwtest.cost(few), "9 loads")

    def test_grace(self):
        def changed(**figures):
            found = report()
            hwtest.step(found, "cost")["save_fixed_us"] = 70
            hwtest.step(found, "grace").update(figures)
            return hwtest.grace(found)
        self.good(changed())
        for what, value, text in (("us_for_each_us", 0.9, "0.9 us for each us"),
                                  ("us_for_each_us", 1.06, "1.06 us for each us"),
                                  ("save_without_us", 70, "70 us without a grace period, not 32"),
                                  ("found_us", 0, "33 us without a grace period, not 70"),
                                  ("proposed_us", 38, "38 us are proposed")):
            self.bad(changed(**{what: value}), text)

    def test_figures(self):
        self.good(hwtest.figures(report()))
        for name, what in (("doorbell", "faults"), ("exact", "preemptions"), ("watch",
                           "register_access_ns")):
            changed = report()
            hwtest.step(changed, name)[what] = 0
            self.bad(hwtest.figures(changed), f"{name}: {what} is 0")
        changed = report()
        hwtest.step(changed, "table")["rows"][2]["p50_us"] = 31001
        self.bad(hwtest.figures(changed), "HIGH with GPREEMPT, 48 ms: 31001 us")

    def test_secrets(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "report.json").write_text(json.dumps(report()))
            self.good(hwtest.secrets(folder))
            (folder / "report.txt").write_text("kernel 6.12 on secrethost")
            self.bad(hwtest.secrets(folder), "report.txt has 'secrethost'")
            (folder / "report.txt").write_text("Serial: 1234")
            self.bad(hwtest.secrets(folder), "report.txt has 'Serial'")


# As the model's.
PARAMETERS = [Parameter(name, str(value), unit, str(low), str(high), "guess") for
              name, value, unit, low, high in (
                  ("mmio_read_ns", 1000, "ns", 600, 2000), ("mmio_write_ns", 100, "ns", 20, 300),
                  ("save_fixed_ns", 21500, "ns", 5000, 60000),
                  ("unmap_fixed_ns", 5000, "ns", 2000, 50000),
                  ("unmap_queue_ns", 2000, "ns", 500, 65000),
                  ("runlist_queue_ns", 2000, "ns", 500, 10000),
                  ("cwsr_cu_bytes_per_us", 12500, "bytes/us", 6000, 15400))]


class Costs(unittest.TestCase):
    def report(self, **changes):
        """One of the model at its default costs, but for changes by STEP__FIGURE."""
        found = report()
        for key, value in {"doorbell__plain_p50_us": 0.183, "cost__save_fixed_us": 72.2,
                           "registers__register_read_ns": 1046.7, "queues__unmap_fixed_us": 7.9,
                           "queues__unmap_queue_us": 2.0, "queues__map_queue_us": 2.0,
                           "cost__save_gib_per_s": 46.57, "read__simd_count": 16,
                           "read__simd_per_cu": 4, **changes}.items():
            name, what = key.split("__")
            hwtest.step(found, name)[what] = value
        return found

    def options(self, **changes):
        told, said = costs.options(self.report(**changes), PARAMETERS)
        return dict(o.removeprefix("param ").replace("=", " ").split() for o in
                    told.removeprefix("--").split(" --")), said

    DEFAULT = {"rptr-at": "launch", "status": "queues", "state-offset": "unmap", "mmio_read_ns": "1000", "mmio_write_ns": "100",
               "unmap_fixed_ns": "5000", "unmap_queue_ns": "2000", "runlist_queue_ns": "2000",
               "save_fixed_ns": "21500", "cwsr_cu_bytes_per_us": "12501"}

    def test_of_the_model_at_its_default_costs(self):
        self.assertEqual(self.options(), (self.DEFAULT, []))

    def test_each_figure_is_of_one_cost(self):
        for change, cost, value in (
                ({"doorbell__plain_p50_us": 0.233}, "mmio_write_ns", "150"),
                ({"cost__save_fixed_us": 82.2}, "save_fixed_ns", "31500"),
                ({"registers__register_read_ns": 1646.7}, "mmio_read_ns", "1600"),
                ({"queues__map_queue_us": 4.0}, "runlist_queue_ns", "4000"),
                # of a save's time as much more is an unmap's
                ({"queues__unmap_fixed_us": 17.9, "cost__save_fixed_us": 82.2}, "unmap_fixed_ns", "15000"),
                ({"queues__unmap_queue_us": 3.0, "cost__save_fixed_us": 74.2}, "unmap_queue_ns", "3000"),
                ({"cost__save_gib_per_s": 23.28}, "cwsr_cu_bytes_per_us", "6249"),
                ({"read__simd_count": 32, "cost__save_gib_per_s": 93.14},
                 "cwsr_cu_bytes_per_us", "12501"),
                ({"registers__status_bits_are": "queues with waves"}, "status", "busy"),
                ({"offset__wave_offset_written_at": "saves only"}, "state-offset", "save"),
                ({"index__read_index_at": "fetch"}, "rptr-at", "fetch")):
            self.assertEqual(self.options(**change), ({**self.DEFAULT, cost: value}, []))

    def test_outside_the_range(self):
        told, said = self.options(doorbell__plain_p50_us=20, cost__save_gib_per_s=1)
        self.assertEqual(told, {**self.DEFAULT, "mmio_write_ns": "300",
                                "cwsr_cu_bytes_per_us": "6000"})
        self.assertEqual(said, ["mmio_write_ns: 19917 ns is outside 20 to 300",
                                "cwsr_cu_bytes_per_us: 268 bytes/us is outside 6000 to 15400"])

    def test_without_a_figure(self):
        told, said = self.options(cost__save_fixed_us=-1, index__read_index_at="first launch",
                                  registers__status_bits_are=-1)
        self.assertEqual(set(told), set(self.DEFAULT) - {"rptr-at", "status", "save_fixed_ns"})
        self.assertEqual(said, ["read_index_at: the model has no 'first launch'",
                                "status_bits_are: the model has no 'None'",
                                "save_fixed_ns: the report has no figure for it"])
        self.assertEqual(costs.options(report("read"), PARAMETERS)[0].count("--param"), 0)

    def test_the_model_has_each_of_them(self):
        text = (GPU_MODEL / "host/params.def").read_text()
        for p in PARAMETERS:
            self.assertIn(f'PARAM({p.name}, {p.value}, "{p.unit}", {p.low}, {p.high},', text)

    def test_are_as_the_model_had_them(self):
        told = ("--rptr-at launch --param save_fixed_ns=29000 --param mmio_write_ns=104 "
                "--param cwsr_cu_bytes_per_us=12364")
        log = "1000 start asic=mi210\n1000 params unmap_fixed_ns=6000 save_fixed_ns=29000\n"
        self.good(told, log)
        self.bad(told.replace("29000", "21500"), log, "save_fixed_ns is 29000, the report makes it 21500")
        self.bad(told.replace("104", "106"), log, "mmio_write_ns is 100, the report makes it 106")
        self.bad(told, "1000 start asic=mi210\n", "save_fixed_ns is 21500, the report makes it 29000")

    def good(self, told, log):
        self.assertEqual(list(hwtest.costs_as_told(told, log, PARAMETERS)), [])

    def bad(self, told, log, text):
        self.assertEqual(list(hwtest.costs_as_told(told, log, PARAMETERS)), [text])


class Limits(unittest.TestCase):
    """Of the kselftests, on a GPU whose save was measured."""

    def test_times(self):
        lib = SELFTESTS / "lib"
        calls = [(1, 1, "0", 1), (1, 0, '"900"', 1), (0, 1, '"72"', 100), (0, 0, "0", 100),
                 (0, 0, '"many"', 100), (0, 0, '"-5"', 100), (0, 0, '"30"', 1), (0, 0, '"72.2"', 2), (0, 0, '"900"', 13)]
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "times.c")
            source.write_text('#include <stdio.h>\n#include "gpu_model.h"\nint main(void)\n{\n' + "".join(
                f'\tprintf("%u\\n", gpu_model_times({figures}, {model}, {save}));\n'
                for figures, model, save, _ in calls) + "}\n")
            subprocess.run(["cc", "-D_GNU_SOURCE", f"-I{lib}", "-o", f"{folder}/times", source,
                            lib / "gpu_model.c", lib / "file.c"], check=True)
            found = subprocess.run([f"{folder}/times"], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual([int(n) for n in found.stdout.split()], [times for *_, times in calls])


class Page(unittest.TestCase):
    """It is true of the program."""

    def test_steps(self):
        listed = PAGE.split("\nThe steps\n")[1].split("\nThe report\n")[0]
        self.assertEqual(STEPS, re.findall(r"^``(\w+)``$", listed, re.M))

    def test_status(self):
        said = re.findall(r'"  (\d)  (.*?)\\n"', SOURCE)
        self.assertEqual([n for n, _ in said], ["0", "1", "2"])
        for n, text in said:
            self.assertRegex(PAGE, rf"\n{n} +{re.escape(text)}\n")

    def test_options(self):
        there = set(re.findall(r'^\t\t\{ "(\w+)", (?:no|required)_argument', SOURCE, re.M))
        self.assertEqual(there - {"help"}, set(re.findall(r"--(\w+)", PAGE)))

    def test_anomalies(self):
        """What the page explains is said."""
        said = "".join(p.read_text() for p in (SELFTESTS / "hwtest").glob("*.c"))
        table = PAGE.split("an anomaly says")[1].split("\n====")[1]
        rows = re.findall(r"^(\w.*?)  ", table.split("\n", 1)[1], re.M)
        self.assertTrue(rows)
        for text in rows:
            self.assertTrue(text in said, text)


if __name__ == "__main__":
    unittest.main()
