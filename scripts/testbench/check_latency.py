# SPDX-License-Identifier: GPL-2.0
"""Compare the driver's latency histograms with the GPU model's event log.

OUTPUT is what seeing_test printed: a window of time and the samples that the
driver put into each histogram in it. LOG is what the model saw. The driver
measures from outside, by the same clock: it can only measure more than was
there. So no quartile of the driver's may lie below that of the log. How much
more depends on how late it looks, and on a busy host that is late: so its
shortest sample is compared with the log's, with the time between two scans as
it really was for slack.
"""
import argparse
import re
import sys
from pathlib import Path

from testbench import eventlog

QUARTILES = (0.25, 0.5, 0.75)
NAMES = ("detection", "save", "restore")
TICK_NS = 10            # of the GPU's clock, which counts the model's time


class Unusable(Exception):
    """What is compared is not there."""


def bounds(histogram, quantile):
    """The bucket, in ns, that holds a quantile of the driver's samples."""
    rank = quantile * (sum(histogram) - 1)
    seen = 0
    for i, count in enumerate(histogram):
        seen += count
        if seen > rank:
            return (1000 * 2 ** (i - 1) if i else 0), 1000 * 2 ** i
    raise Unusable("a histogram is empty")


def at(values, quantile):
    return sorted(values)[round(quantile * (len(values) - 1))]


def parse(text):
    """Window in ns, mean time between two scans in ns, histograms by name."""
    clock = re.search(r"^# clock begin=(\d+) end=(\d+) scans=(\d+)$", text, re.M)
    if not clock:
        raise Unusable("seeing_test did not get as far as its histograms")
    begin, end, scans = (int(n) for n in clock.groups())
    histograms = {}
    for name in NAMES:
        line = re.search(rf"^# {name}((?: \d+)+)$", text, re.M)
        if not line:
            raise Unusable(f"no histogram of {name}")
        histograms[name] = [int(n) for n in line[1].split()]
    begin, end = begin * TICK_NS, end * TICK_NS
    return begin, end, (end - begin) // max(scans, 1), histograms


def true_times(log, begin, end):
    """The same three latencies as the model saw them, in ns."""
    saves = [p for p in log.preemptions if p.saved and begin <= p.begin <= end and p.end]
    # HIGH is never saved. Its MQD does not tell: Linux 7.3 writes no priority there.
    victims = {id(wave) for p in saves for wave, *_ in p.saved}
    rings = sorted(ns for q in log.queues if not any(
                       id(wave) in victims for d in q.dispatches.values()
                       for wave in d.waves.values())
                   for ns in q.rings.values() if begin <= ns <= end)
    detection, restore = [], []
    runlists = sorted(p.runlist for p in log.preemptions if p.runlist)
    restored = sorted(since for _, since, _ in log.waits)
    for before, p in zip([None] + saves, saves):
        rung = [ns for ns in rings if ns < p.begin and (not before or ns > before.begin)]
        if rung:
            detection.append(p.begin - rung[-1])
        back = next((ns for ns in restored if ns > p.end), None)
        if back:
            restore.append(back - max((ns for ns in runlists if ns <= back), default=back))
    return {"detection": detection, "save": [p.end - p.begin for p in saves],
            "restore": restore}


def compare(histograms, truths, slack):
    """What is wrong, as lines; prints the quartiles."""
    wrong = []
    for name in NAMES:
        if not truths[name]:
            raise Unusable(f"the log shows no {name}")
        for q in QUARTILES:
            low, high = bounds(histograms[name], q)
            truth = at(truths[name], q)
            print(f"{name}: {sum(histograms[name])} samples, {len(truths[name])} in the log; "
                  f"{q:.0%} below {low // 1000} to {high // 1000} us, "
                  f"in the log {truth // 1000} us")
            if high < truth:
                wrong.append(f"{name}: the driver shows less than there was")
        low, truth = bounds(histograms[name], 0)[0], min(truths[name])
        print(f"{name}: shortest from {low // 1000} us, in the log {truth // 1000} us, "
              f"slack {slack // 1000} us")
        if low > truth + slack:
            wrong.append(f"{name}: the driver shows far more than there was")
    return wrong


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    p.add_argument("output", type=Path, metavar="OUTPUT")
    p.add_argument("log", type=Path, metavar="LOG")
    args = p.parse_args()
    try:
        begin, end, interval, histograms = parse(args.output.read_text())
        log = eventlog.load(args.log)
        truths = true_times(log, begin, end)
        wrong = compare(histograms, truths, interval)
    except (OSError, Unusable) as e:
        sys.exit(f"check-latency: {e}")
    for line in wrong:
        print(f"check-latency: {line}", file=sys.stderr)
    sys.exit(bool(wrong))

