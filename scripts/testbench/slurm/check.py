# SPDX-License-Identifier: GPL-2.0
"""Debian's Slurm in the guest, with the SPANK plugin. Results are TAP.

Real munge, slurmctld and slurmd on one node, whose GPU is modelled. Three guests: who gets
which priority and who is refused it, by inside/rules; nodes that cannot do it, by
inside/stock; and two jobs that share the GPU, measured, by inside/latency: HIGH
alone, beside LOW without GPREEMPT and with it. Then one gets what the policy strict says:
HIGH waits for a save and a scan at most, and LOW keeps what HIGH leaves.
"""
import re
import subprocess
import sys

from testbench.events import code_object
from testbench.demo import report
from testbench.gpu import GPUS
from testbench.guest import cluster
from testbench.paths import BUILD, GUEST, OUT, PROGRAMS, TOOL, in_guest, inside

RESULTS = OUT / "slurm"
ROOT = OUT / "slurm-root"
PLUGIN = BUILD / "slurm" / "gpreempt.so"
TIMEOUT_S = 900
SAMPLES = (200, 100, 300)       # of HIGH: alone, stock, GPREEMPT
POINTS = 0.03                   # of all, that LOW's share may differ from the policy's
STOCK_FACTOR = 20               # HIGH's p99 on stock is so many times higher, at least
RESULT = re.compile(r"(not )?ok \d+ - (.*)")


class Tap:
    """Lines of TAP, numbered through."""

    def __init__(self):
        self.count, self.failed = 0, 0
        print("TAP version 13", flush=True)

    def result(self, good, name):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        return self.failed != 0


def guest(name, *arguments, options=()):
    """Lines of a script in the guest; the last is its exit status."""
    command = [*GUEST, "--kernel", "cluster", "--name", f"{RESULTS.name}/{name}", "--timeout",
               str(TIMEOUT_S), "--memory", "3072", "--root", ROOT, *options, "--",
               inside("slurm/slurm"), in_guest(PLUGIN), inside(f"slurm/{name}"), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            yield line.rstrip()
    yield run.returncode


def judged(tap, name, *arguments, options=()):
    """A script of tests; one more than it has is whether it got to its end."""
    plan = seen = status = 0
    for line in guest(name, *arguments, options=options):
        if isinstance(line, int):
            status = line
        elif found := RESULT.fullmatch(line):
            seen += 1
            tap.result(not found[1], f"{name}: {found[2]}")
        elif line.startswith("1.."):
            plan = int(line[3:])
        else:
            print(line if line.startswith("#") else f"# {line}", flush=True)
    tap.result(plan == seen > 0 and status in (0, 1), f"{name}: {seen} results of {plan}")


def busy(log, queue, run):
    """The part of a run's time in which a queue's waves were on the GPU."""
    spans = sorted((r.begin, r.end) for r in log.runs if r.queue is queue)
    ns, last = 0, run.begin
    for begin, end in spans:
        ns += max(0, min(end, run.end) - max(begin, last))
        last = max(last, end)
    return ns / (run.end - run.begin)


def measured(tap):
    """Two jobs share the GPU."""
    status = None
    for line in guest("latency", in_guest(PROGRAMS), *map(str, SAMPLES)):
        status = line
        print(f"# {line}", flush=True)
    if status:
        raise report.NoResult(f"the guest's runs failed ({status})")
    folder = RESULTS / "latency"
    boots, runs, r = report.evaluate(
        report.one_boot(folder), code_object.CodeObject(GPUS["mi210"].disassembly()), {})
    if not report.virtual(r):
        raise report.NoResult("in real time no figure counts")
    high, log, queues = runs["gpreempt"], boots["gpreempt"].log, boots["gpreempt"].queues
    save = max(p.end - p.begin for p in log.preemptions
               if p.saved and p.end and high.begin <= p.begin <= high.end) / 1000
    scan = int((folder / "poll_interval_us").read_text())
    p99 = {name: r[name]["p99_us"] for name in report.RUNS}
    left = 1 - busy(log, queues["high", "gpreempt"], high)
    share = r["gpreempt"]["low_rate"]
    print(f"# HIGH's p99 in us: {p99}; a save {save:.0f} at most, a scan {scan}; "
          f"{r['preemptions_in_midloop']} saves in mid-loop")
    print(f"# HIGH leaves {left:.1%}, LOW has {share:.1%} of what it has alone, "
          f"{r['stock']['low_rate']:.1%} on stock")
    tap.result(r["low_exact"], "latency: LOW's result is exact")
    tap.result(r["preemptions"] == r["resumes"] > 0, "latency: every preempted queue was resumed")
    tap.result(p99["gpreempt"] <= p99["alone"] + save + scan,
               f"latency: HIGH's p99 {p99['gpreempt']:.0f} us, alone {p99['alone']:.0f}")
    tap.result(p99["stock"] >= STOCK_FACTOR * p99["gpreempt"],
               f"latency: HIGH's p99 {p99['stock']:.0f} us on stock")
    tap.result(abs(left - share) <= POINTS, f"latency: LOW has {share:.1%} of {left:.1%}")


def main():
    cluster.prepare("slurm")
    tap = Tap()
    judged(tap, "rules", in_guest(TOOL), in_guest(PROGRAMS))
    judged(tap, "stock", options=["--module", "stock"])
    try:
        measured(tap)
    except (report.NoResult, OSError, code_object.Unreadable) as e:
        tap.result(False, f"latency: no result: {e}")
    sys.exit(tap.end())
