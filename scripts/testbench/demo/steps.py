# SPDX-License-Identifier: GPL-2.0
"""Where the time of a preemption goes: from HIGH's submission to its first wave, step by step.

What the GPU does is in the model's event log, what the driver does in the kernel's trace, which
inside/demo records if it is told to.
"""
import bisect
import itertools
import re
from dataclasses import dataclass

# A time in the trace is cut off to this: it is taken for the middle.
TICK_NS = 1000
EVENT = re.compile(r"^\s*\S.*?\s(\d+)\.(\d{6}): (\w+): ")
TRACED = {"page_fault_user": "faults", "sched_switch": "switches", "kfd_gpreempt_scan": "scans",
          "kfd_gpreempt_preempt_begin": "asks", "kfd_gpreempt_preempt_end": "answers"}
STEPS = (
    ("submitted", "HIGH submits, and its thread faults at the doorbell"),
    ("faulted", "the page is mapped again, and the monitor gets a CPU"),
    ("woken", "scan and decision"),
    ("decided", "the driver's locks"),
    ("asked", "the packet is written, and firmware reads it"),
    ("begun", "grace period"),
    ("stopped", "firmware saves LOW's waves"),
    ("saved", "the driver sees the answer"),
    ("answered", "the next runlist is written, and firmware maps it"),
    ("mapped", "firmware launches HIGH's first wave"),
)
TIMES = [name for name, _ in STEPS] + ["launched"]


@dataclass
class Trace:
    """When the events were, in ns of the log's clock."""
    faults: list
    switches: list
    scans: list
    asks: list
    answers: list


def read_trace(text, log_time):
    """The kernel's trace, by the guest's monotonic clock."""
    found = {name: [] for name in TRACED.values()}
    for line in text.splitlines():
        m = EVENT.match(line)
        if m and m[3] in TRACED:
            found[TRACED[m[3]]].append(log_time(int(m[1]) * 10**9 + int(m[2]) * TICK_NS + TICK_NS // 2))
    return Trace(**found)


def first(times, since, until):
    """The first time of a sorted list that is in between, or None."""
    i = bisect.bisect_left(times, since)
    return times[i] if i < len(times) and times[i] <= until else None


def last(times, since, until):
    i = bisect.bisect_right(times, until) - 1
    return times[i] if i >= 0 and times[i] >= since else None


def times_of(submitted, launched, preemption, trace):
    """The time at which each step of a kernel's begins, and the end; None if one is unknown."""
    since = submitted - TICK_NS
    asked = last(trace.asks, since, preemption.begin + TICK_NS)
    if asked is None or not preemption.runlist:
        return None
    times = [submitted, first(trace.faults, since, asked), first(trace.switches, since, asked),
             last(trace.scans, since, asked), asked, preemption.begin, preemption.stop, preemption.end,
             first(trace.answers, preemption.end - TICK_NS, preemption.runlist + TICK_NS),
             preemption.runlist, launched]
    if None in times:
        return None
    ordered = list(itertools.accumulate(times, max))
    return ordered if all(b - a <= TICK_NS for a, b in zip(times, ordered)) else None


def first_waves(log, queue):
    """dispatch -> when its first wave began to run"""
    found = {}
    for run in log.runs:
        if run.queue is queue:
            number = run.dispatch.number
            found[number] = min(run.begin, found.get(number, run.begin))
    return found


def to_first_wave(kernels, waves):
    """From the submission to the first wave of each kernel, (packet, submitted), in ns."""
    return [waves[packet] - submitted for packet, submitted in kernels if packet in waves]


def mean_us(ns):
    return round(sum(ns) / max(len(ns), 1) / 1000, 1)


def spread(ns):
    return {"mean_us": mean_us(ns), "longest_us": round(max(ns, default=0) / 1000, 1)}


def evaluate(kernels, waves, preemptions, trace):
    """
    The steps of those kernels of HIGH's, (packet, submitted), that took LOW off: of how many they
    are known, and how long each takes.
    """
    begins = [p.begin for p in preemptions]
    found = []
    for packet, submitted in kernels:
        i = bisect.bisect_left(begins, submitted)
        if packet in waves and i < len(begins) and begins[i] < waves[packet]:
            times = times_of(submitted, waves[packet], preemptions[i], trace)
            found += [times] if times else []
    result = {"kernels": len(found), "of": len(kernels)}
    for i, (name, _) in enumerate(STEPS):
        result[name] = spread([times[i + 1] - times[i] for times in found])
    result["all"] = spread([times[-1] - times[0] for times in found])
    return result


def table(result, alone):
    """As it stands in benchmarks.rst; alone is HIGH's time to its first wave without LOW, in ns."""
    rows = [(text, result[name]) for name, text in STEPS] + [
        ("all: from the submission to the first wave", result["all"]),
        ("without LOW", spread(alone))]
    width = max(len(text) for text, _ in rows)
    line = f"{'=' * width}  =======  ======="
    return "\n".join([line, f"{'step':<{width}}  mean     longest", line,
                      *(f"{text:<{width}}  {r['mean_us']:<7.1f}  {r['longest_us']:.1f}" for text, r in rows),
                      line])
