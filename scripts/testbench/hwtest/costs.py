# SPDX-License-Identifier: GPL-2.0
"""What gpreempt-hwtest measured, as options of the GPU model.

usage: bench hwtest-costs REPORT.json, for the --model of bench guest. A figure that is a sum of
costs is held against what the same program reports of the model at its default costs, and the
difference is added to one of them. A
figure that says nothing, and a cost outside its range, are told on stderr: the model refuses
the latter, and gets the end of the range.
"""
import json
import sys
from pathlib import Path

from testbench.benchmark import parameters
from testbench.hwtest import hwtest

# A report's figures on the model at its default costs, ns: an MI210 of four units, Linux 6.12,
# guest and model at most 2 us apart.
SAVE_FIXED, DOORBELL, UNMAP_FIXED, READ = 72200, 183, 7900, 1047
# Ways of firmware, and registers: a step's finding, and the model's option for it.
FIRMWARE = {
    "rptr-at": ("index", "read_index_at", {"fetch": "fetch", "launch": "launch"}),
    "status": ("registers", "status_bits_are", {"queues": "queues", "queues with waves": "busy"}),
    "state-offset": ("offset", "wave_offset_written_at",
                     {"each unmap": "unmap", "saves only": "save"}),
}
QUEUES = 2      # that are mapped while a save is measured


def figure(report, name, key):
    """Of a step, or None: -1 says that nothing was seen."""
    found = hwtest.step(report, name).get(key, -1)
    return None if found == -1 else found


def ns(report, name, key):
    """Such a figure, of us, in ns."""
    us = figure(report, name, key)
    return None if us is None else us * 1000


def more(found, than, cost):
    """A cost that is larger by as much as a figure is than the model's."""
    return None if found is None else cost + found - than


def bandwidth(report):
    """A compute unit's share of the bytes that are saved, bytes a us."""
    gib, simds, of_unit = (figure(report, *key) for key in (
        ("cost", "save_gib_per_s"), ("read", "simd_count"), ("read", "simd_per_cu")))
    return gib * 2**30 / 1e6 / (simds // of_unit) if gib and simds and of_unit else None


def unmap_more(report, default):
    """By how many ns an unmap takes longer than the model's; 0 if the report does not tell."""
    fixed, queue = (ns(report, "queues", key) for key in ("unmap_fixed_us", "unmap_queue_us"))
    if fixed is None or queue is None:
        return 0
    return fixed - UNMAP_FIXED + QUEUES * (queue - default["unmap_queue_ns"])


def measured(report, default):
    """The costs by their names; None where the report has no figure. default: the model's."""
    return {
        "mmio_read_ns": more(figure(report, "registers", "register_read_ns"), READ,
                             default["mmio_read_ns"]),
        "mmio_write_ns": more(ns(report, "doorbell", "plain_p50_us"), DOORBELL,
                              default["mmio_write_ns"]),
        "unmap_fixed_ns": more(ns(report, "queues", "unmap_fixed_us"), UNMAP_FIXED,
                               default["unmap_fixed_ns"]),
        "unmap_queue_ns": ns(report, "queues", "unmap_queue_us"),
        "runlist_queue_ns": ns(report, "queues", "map_queue_us"),
        # a save's time has the unmap's in it
        "save_fixed_ns": more(ns(report, "cost", "save_fixed_us"),
                              SAVE_FIXED + unmap_more(report, default), default["save_fixed_ns"]),
        "cwsr_cu_bytes_per_us": bandwidth(report),
    }


def options(report, of_model):
    """The model's options, and what there is to say of them. of_model: its parameters."""
    rows = {p.name: p for p in of_model}
    told, said = [], []
    for option, (name, key, values) in FIRMWARE.items():
        found = figure(report, name, key)
        if found in values:
            told.append(f"--{option} {values[found]}")
        else:
            said.append(f"{key}: the model has no '{found}'")
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
