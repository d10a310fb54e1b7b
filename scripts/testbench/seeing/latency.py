# SPDX-License-Identifier: GPL-2.0
"""Compare the driver's latencies with the GPU model's event log.

OUTPUT is what seeing_test printed: a window of time, and what the driver told of
its latencies in it. LOG is what the model saw. The driver measures from outside,
by the same clock: it can only measure more than was there. How much more depends
on how late it looks: on the time between two scans as it really was. What it
tells is not exact: up to a quarter more than a sample.
"""
import argparse
import re
import sys
from pathlib import Path

from testbench.events import eventlog

TOLD = {"p50": 50, "p99": 99, "max": 100}
NAMES = ("detection", "save")
TICK_NS = 10            # of the GPU's clock, which counts the model's time
CALL_NS = 20_000        # of the driver's own, around what the model sees
MAP_NS = 300_000        # now and then the scheduler still maps what came back just before


class Unusable(Exception):
    """What is compared is not there."""


def at(values, percent):
    """The shortest that so many per cent are no longer than."""
    return sorted(values)[-(-len(values) * percent // 100) - 1]


def parse(text):
    """Window in ns, mean time between two scans in ns, what is told by name."""
    clock = re.search(r"^# clock begin=(\d+) end=(\d+) scans=(\d+)$", text, re.M)
    if not clock:
        raise Unusable("seeing_test did not get as far as its latencies")
    begin, end, scans = (int(n) for n in clock.groups())
    told = {}
    for name in NAMES:
        line = re.search(rf"^# {name} p50=(\d+) p99=(\d+) max=(\d+)$", text, re.M)
        if not line:
            raise Unusable(f"nothing is told of {name}")
        told[name] = dict(zip(TOLD, map(int, line.groups())))
    begin, end = begin * TICK_NS, end * TICK_NS
    return begin, end, (end - begin) // max(scans, 1), told


def true_times(log, begin, end):
    """The same latencies as the model saw them, in ns."""
    saves = [p for p in log.preemptions if p.saved and begin <= p.begin <= end and p.end]
    # HIGH is never saved. Its MQD does not tell: Linux 7.3 writes no priority there.
    victims = {id(wave) for p in saves for wave, *_ in p.saved}
    rings = sorted(ns for q in log.queues if not any(
                       id(wave) in victims for d in q.dispatches.values()
                       for wave in d.waves.values())
                   for ns in q.rings.values() if begin <= ns <= end)
    detection = []
    for before, p in zip([None] + saves, saves):
        rung = [ns for ns in rings if ns < p.begin and (not before or ns > before.begin)]
        if rung:
            detection.append(p.begin - rung[-1])
    return {"detection": detection, "save": [p.end - p.begin for p in saves]}


def compare(told, truths, interval):
    """What is wrong, as lines; prints both."""
    wrong = []
    for name in NAMES:
        if not truths[name]:
            raise Unusable(f"the log shows no {name}")
        # the end of a save is an interrupt, what waits is looked for
        slack = CALL_NS if name == "save" else interval + CALL_NS
        for key, percent in TOLD.items():
            if name == "save" and key != "p50":
                slack = CALL_NS + MAP_NS
            shown, truth = told[name][key], at(truths[name], percent)
            print(f"{name} {key}: {shown} ns, in the log {truth} of {len(truths[name])}")
            if shown < truth:
                wrong.append(f"{name} {key}: the driver shows less than there was")
            if shown > (truth + slack) * 5 / 4:
                wrong.append(f"{name} {key}: the driver shows far more than there was")
    return wrong


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    p.add_argument("output", type=Path, metavar="OUTPUT")
    p.add_argument("log", type=Path, metavar="LOG")
    args = p.parse_args()
    try:
        begin, end, interval, told = parse(args.output.read_text())
        wrong = compare(told, true_times(eventlog.load(args.log), begin, end), interval)
    except (OSError, Unusable) as e:
        sys.exit(f"check-latency: {e}")
    for line in wrong:
        print(f"check-latency: {line}", file=sys.stderr)
    sys.exit(bool(wrong))
