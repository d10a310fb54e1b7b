# SPDX-License-Identifier: GPL-2.0
"""The figures of a mix, and whether they are what was promised.

A seed has its own figures; the mix's are their medians. Those that ask for the rarest
request, p99.9 and the maximum, are of all seeds' requests.
"""
from statistics import median
from typing import NamedTuple

from testbench.benchmark.mixes import DAEMONS, RIVALS, TITLES

LEFT_OVER = 0.88            # LOW's share of what HIGH leaves, at least
TOLERANCE = 0.1             # of what another means costs: no more than that is as good


class Cost(NamedTuple):
    """What HIGH, LOW or the CPU pays for a means, by a figure of its; less is better."""
    what: str
    least: float            # a smaller difference is none
    form: str               # of a number
    of: object              # of a figure, and that of HIGH alone


COSTS = {
    # 10 us: a quantum, by which guest and model may be apart
    **{f"{key}_us": Cost(f"adds to HIGH's {what}", 10, "{:.0f} us", lambda us, alone: us - alone)
       for key, what in (("p50", "p50"), ("p99", "p99"), ("max", "longest request"))},
    "low_of_left_over": Cost("loses of LOW's work", 0.005, "{:.1%}", lambda share, _: 1 - share),
    "cpu": Cost("takes of a core", 0.001, "{:.2%}", lambda share, _: share),
}


def percentile(numbers, p):
    """Nearest rank."""
    ordered = sorted(numbers)
    return ordered[max(0, -(-int(len(ordered) * p * 10) // 1000) - 1)]


def of_seed(modes):
    """Of what each mode of a run measured."""
    low_alone = modes["low"].low
    found = {mode: {"p50_us": percentile(m.latencies, 50), "p99_us": percentile(m.latencies, 99),
                    "guest_p50_us": percentile(m.guest, 50),
                    "guest_p99_us": percentile(m.guest, 99),
                    "low": m.low / low_alone, "cpu": m.cpu}
             for mode, m in modes.items() if mode != "low"}
    if "alone" in modes:
        # what HIGH leaves of the machine: its requests cannot be shorter than alone
        alone = modes["alone"]
        left = 1 - alone.high_seconds / alone.seconds
        for mode, figures in found.items():
            figures["low_of_left_over"] = figures["low"] / left
            # what HIGH itself does for it: ioctls, faults of doorbells
            figures["cpu"] += modes[mode].own_cpu - modes["stock"].own_cpu
    return found


DIGITS = {"low": 4, "low_of_left_over": 4, "cpu": 5}


def of_mode(mode, runs, seeds):
    """What a mode's runs, and the figures of each seed, say together."""
    pooled = sorted(v for run in runs for v in run[mode].latencies)

    def of(key):
        return [figures[mode][key] for figures in seeds]
    return {
        "requests": len(pooled),
        **{key: round(median(of(key)), DIGITS.get(key, 1)) for key in seeds[0][mode]},
        **{f"{key}_spread_us": round(max(of(f"{key}_us")) - min(of(f"{key}_us")), 1)
           for key in ("p50", "p99")},
        "p999_us": round(percentile(pooled, 99.9), 1), "max_us": round(pooled[-1], 1),
        "latencies_us": [round(v, 1) for v in pooled],
    }


def of_mix(runs):
    """Of a mix's runs, one a seed: each mode's figures; and how long LOW's block is, us."""
    seeds = [of_seed(run) for run in runs]
    block = median(run["low"].block_us for run in runs)
    return {mode: of_mode(mode, runs, seeds) for mode in seeds[0]}, round(block)


def cost(r, mode, key):
    return COSTS[key].of(r[mode][key], r["alone"][key])


def losing(r):
    """Of GPREEMPT and HINT, each cost by which they are worse, and than what, by how much."""
    for ours, rivals in RIVALS.items():
        for key, c in COSTS.items():
            here = cost(r, ours, key)
            # of the others the daemons alone have a process that looks
            there = {m: cost(r, m, key) for m in rivals
                     if m in r and (key != "cpu" or m in DAEMONS)}
            more = {m: here - base for m, base in there.items()
                    if here - base > max(c.least, TOLERANCE * base)}
            if more:
                yield ours, key, more


def worse(r):
    """Where GPREEMPT costs more than what has as much notice of a request, in words."""
    for ours, key, more in losing(r):
        c = COSTS[key]
        than = [f"{c.form.format(us).replace('%', ' points')} more than '{TITLES[m]}'"
                for m, us in more.items()]
        yield f"'{TITLES[ours]}' {c.what} {c.form.format(cost(r, ours, key))}: {', '.join(than)}"


def missed(name, mix, r):
    """The limits that were not kept."""
    for mode in RIVALS:
        if (adds := cost(r, mode, "p99_us")) > mix.adds_us:
            yield f"{name}: '{TITLES[mode]}' adds {adds:.0f} us to HIGH's p99"
        if (keeps := r[mode]["low_of_left_over"]) < LEFT_OVER:
            yield f"{name}: LOW keeps {keeps:.1%} with '{TITLES[mode]}'"
        if mix.limit_us and r[mode]["max_us"] > mix.limit_us:
            yield f"{name}: a request took {r[mode]['max_us']:.0f} us with '{TITLES[mode]}'"
