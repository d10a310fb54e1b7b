# SPDX-License-Identifier: GPL-2.0
"""Tenants of one priority: what each has left of what it does alone, and how even that is.

There is no HIGH. A tenant's slowdown is its work a second alone over that beside the others.
Jain's index of n tenants' shares is 1 where all are the same, 1/n where one has all.
"""
import bisect
from dataclasses import dataclass

from testbench.benchmark import reading, runs, tables
from testbench.benchmark.about import NoResult

# In us: a tenant's workgroups, so how long it keeps a compute unit that stock gave it.
BLOCKS_US = (100, 200, 500, 1000, 2000, 5000, 10000, 20000)
TITLES = {"stock": "stock", "fair": "fair", "timeslice": "timeslice"}
SECONDS_ALONE, SECONDS = 1, 6
NAME = "tenants-8"
# Of a policy, at least: how even it is, and what all do together of what one alone does.
EVEN, TOGETHER = 0.95, 0.85


@dataclass(frozen=True)
class Job(runs.Job):
    """A run of them."""
    script = "benchmark/tenants"

    def plan(self):
        return (f"{' '.join(self.modes)}\n{' '.join(map(str, BLOCKS_US))}\n"
                f"{SECONDS_ALONE} {SECONDS}\n")

    def times(self):
        return {}

    def read(self):
        return read_run(self.folder(), self.modes)


def progress(done, at):
    """How many dispatches had ended, and of the next one the part of its time that had passed."""
    n = bisect.bisect_right(done, at)
    return n if n == len(done) else n + (at - done[n - 1]) / (done[n] - done[n - 1])


def rate(done, begin, end):
    """Dispatches a second. One has ended by the time's begin, and one ends at its end or later."""
    return (progress(done, end) - progress(done, begin)) / ((end - begin) / 1e9)


def read_run(folder, modes):
    """By the mode, each tenant's share of what it does alone."""
    def dones(mode):
        return [reading.dones((folder / f"{mode}.{n}").read_text())
                for n in range(1, len(BLOCKS_US) + 1)]
    found, alone = {}, []
    for mode in ("alone", *modes):
        reading.gave_up(folder, mode)
        each = dones(mode)
        if any(len(done) < 2 for done in each):
            raise NoResult(f"'{mode}': fewer than two dispatches of a tenant ended")
        if mode == "alone":
            alone = [rate(done, done[0], done[-1]) for done in each]
            continue
        # all of them are at work between the last one's first and the first one's last
        begin, end = max(d[0] for d in each), min(d[-1] for d in each)
        if end <= begin:
            raise NoResult(f"'{mode}': the tenants were not at work at the same time")
        found[mode] = [rate(d, begin, end) / a for d, a in zip(each, alone)]
    return found


def jain(shares):
    return sum(shares) ** 2 / (len(shares) * sum(s * s for s in shares))


def of_runs(measured):
    """Of the runs, one a seed, the means of each tenant, and what they say together."""
    found = {}
    for mode in measured[0]:
        shares = [sum(each) / len(each) for each in zip(*(run[mode] for run in measured))]
        found[mode] = {"slowdown": [round(1 / s, 2) for s in shares],
                       "jain": round(jain(shares), 3), "together": round(sum(shares), 3)}
    return found


def missed(r):
    """The limits that a policy did not keep."""
    for mode in r:
        if mode != "stock" and r[mode]["jain"] < EVEN:
            yield f"{NAME}: Jain's index is {r[mode]['jain']:.3f} with '{mode}'"
        if mode != "stock" and r[mode]["together"] < TOGETHER:
            yield f"{NAME}: all together do {r[mode]['together']:.1%} with '{mode}'"


def worse(r):
    """Where a policy costs more than stock, in words."""
    for mode in r:
        if mode == "stock":
            continue
        slower = [f"{us / 1000:g} ms {here:.1f} times, not {there:.1f}" for us, here, there in
                  zip(BLOCKS_US, r[mode]["slowdown"], r["stock"]["slowdown"]) if here > 1.1 * there]
        if slower:
            yield f"'{mode}' slows down tenants more than stock, by blocks: {'; '.join(slower)}"
        if (less := r["stock"]["together"] - r[mode]["together"]) > 0.005:
            yield f"'{mode}': all together do {less * 100:.1f} points less than on stock"


def table(r):
    """The documentation's."""
    return tables.simple(["way", *(f"{us / 1000:g} ms" for us in BLOCKS_US), "Jain", "together"], [
        [TITLES[mode], *(f"{s:.1f}" for s in of["slowdown"]), f"{of['jain']:.3f}",
         f"{of['together']:.1%}".replace("%", " %")] for mode, of in r.items()])


def tell(r, told, rptr_at):
    print("\nEight tenants of one priority; each one's slowdown, by the length of its blocks; the "
          f"read index advances at {rptr_at}\n"
          f"{told}\n\n{table(r)}",
          flush=True)
    for text in worse(r):
        print(f"  {text}", flush=True)
