# SPDX-License-Identifier: GPL-2.0
"""Compare what processes had of the GPU model's time with what they had to get.

OUTPUT is what shares_test printed: for each case a window of time and the share of each
process in it, or of several together. LOG is what the model saw: the share is that of the time
that waves executed, saves and restores not among it. As TAP, a test for each share.
"""
import argparse
import re
import sys
from pathlib import Path

from testbench.events import eventlog

TICK_NS = 10            # of the GPU's clock, which counts the model's time
POINTS = 2              # so many percent of all may be missing, or too much
CASE = re.compile(r"^# shares of (\w+) begin=(\d+) end=(\d+)$")
SHARE = re.compile(r"^# share (alone|together) pasid=(\d+) percent=(\S+)$")


def parse(text):
    """The cases: (policy, begin and end in ns, the (PASIDs, percent) by name)."""
    cases = []
    for line in text.splitlines():
        if m := CASE.match(line):
            cases.append((m[1], int(m[2]) * TICK_NS, int(m[3]) * TICK_NS, {}))
        elif m := SHARE.match(line):
            name = m[1] if m[1] == "together" else m[2]
            pasids, _ = cases[-1][3].get(name, ((), 0))
            cases[-1][3][name] = (*pasids, int(m[2])), float(m[3])
    return cases


def had(runs, begin, end):
    """What each process had of the window, in percent of what all had."""
    ns = {}
    for run in runs:
        of_window = min(run.end, end) - max(run.begin, begin)
        if of_window > 0:
            ns[run.queue.pasid] = ns.get(run.queue.pasid, 0) + of_window
    return {pasid: 100 * some / sum(ns.values()) for pasid, some in ns.items()}


def results(cases, runs):
    """(good, text) for each process of each case."""
    for number, (policy, begin, end, wanted) in enumerate(cases, 1):
        got = had(runs, begin, end)
        for pasids, percent in wanted.values():
            share = sum(got.pop(pasid, 0) for pasid in pasids)
            yield (abs(share - percent) <= POINTS,
                   f"case {number}, {policy}: {share:.1f} % of {percent:g} %")
        if got:
            yield False, f"case {number}: others had {sum(got.values()):.1f} %"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    p.add_argument("output", type=Path, metavar="OUTPUT")
    p.add_argument("log", type=Path, metavar="LOG")
    args = p.parse_args()
    try:
        cases = parse(args.output.read_text())
        found = list(results(cases, eventlog.load(args.log).runs))
    except OSError as e:
        sys.exit(f"check-shares: error: {e}")
    for n, (good, text) in enumerate(found, 1):
        print(f"{'ok' if good else 'not ok'} {n} - {text}")
    print(f"1..{len(found)}")
    sys.exit(not found or not all(good for good, _ in found))
