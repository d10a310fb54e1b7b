# SPDX-License-Identifier: GPL-2.0
"""What gpreempt-hwtest measured, as options of the GPU model.

usage: bench hwtest-costs REPORT.json, for the --model of bench guest. A figure that is a sum of
costs is held against what the same program reports of the model at its default costs, and the
difference is added to one of them: the time of a save, for what an unmap takes as well. A
figure that says nothing, and a cost outside its range, are told on stderr: the model refuses
the latter, and gets the end of the range.
"""
import json
import sys
from pathlib import Path

from testbench.benchmark import parameters
from testbench.hwtest import hwtest

# A report's figures on the model at its default costs: an MI210 of four units, Linux 6.12.
SAVE_FIXED_US, DOORBELL_US = 72.1, 0.183


def figure(report, name, key):
    """Of a step, or None: -1 says that nothing was seen."""
    found = hwtest.step(report, name).get(key, -1)
    return None if found == -1 else found


def more_ns(us, than, cost):
    """A cost that is larger by as much as a figure is than the model's."""
    return None if us is None else cost + (us - than) * 1000


def bandwidth(report):
    """A compute unit's share of the bytes that are saved, bytes a us."""
    gib, simds, of_unit = (figure(report, *key) for key in (
        ("cost", "save_gib_per_s"), ("read", "simd_count"), ("read", "simd_per_cu")))
    return gib * 2**30 / 1e6 / (simds // of_unit) if gib and simds and of_unit else None


def measured(report, default):
    """The costs by their names; None where the report has no figure. default: the model's."""
    return {
        "mmio_write_ns": more_ns(figure(report, "doorbell", "plain_p50_us"), DOORBELL_US,
                                 default["mmio_write_ns"]),
        "save_fixed_ns": more_ns(figure(report, "cost", "save_fixed_us"), SAVE_FIXED_US,
                                 default["save_fixed_ns"]),
        "cwsr_cu_bytes_per_us": bandwidth(report),
    }


def options(report, of_model):
    """The model's options, and what there is to say of them. of_model: its parameters."""
    rows = {p.name: p for p in of_model}
    told, said = [], []
    at = figure(report, "index", "read_index_at")
    if at in ("fetch", "launch"):
        told.append(f"--rptr-at {at}")
    else:
        said.append(f"the model has no read index that advances at '{at}'")
    for name, value in measured(report, {n: int(p.value) for n, p in rows.items()}).items():
        if value is None:
            said.append(f"{name}: the report has no figure for it")
            continue
        row, value = rows[name], round(value)
        inside = min(max(value, int(row.low)), int(row.high))
        if inside != value:
            said.append(f"{name}: {value} {row.unit} is outside {row.low} to {row.high}")
        told.append(row.option(inside))
    return " ".join(told), said


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: bench hwtest-costs REPORT.json")
    report = json.loads(Path(sys.argv[1]).read_text())
    told, said = options(report, parameters.of_model())
    for text in said:
        print(f"hwtest-costs: {text}", file=sys.stderr)
    print(told)
