# SPDX-License-Identifier: GPL-2.0
"""The figures of a mix, and whether they are what was promised.

A seed has its own figures; the mix's are their medians. Those that ask for the rarest
request, p99.9 and the maximum, are of all seeds' requests.
"""
from statistics import median

from testbench.benchmark.mixes import TITLES

TOLERANCE = 0.03            # no more than so much above another figure is as good
LEFT_OVER = 0.88            # LOW's share of what HIGH leaves, in the DISB-like mixes


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
        left = 1 - sum(alone.latencies) / 1e6 / alone.seconds
        for figures in found.values():
            figures["low_of_left_over"] = figures["low"] / left
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
    # however many LOW processes share the machine
    block = median(1e6 / run["low"].low for run in runs)
    return {mode: of_mode(mode, runs, seeds) for mode in seeds[0]}, round(block)


def verdict(name, mix, r):
    """What was promised and is not so."""
    def above(ours, base, key):
        return r[ours][key] > r[base][key] * (1 + TOLERANCE)

    def worse(ours, base, key="p99_us"):
        return (f"{name}: {key[:3]} of '{TITLES[ours]}' {r[ours][key]:.0f} us, "
                f"of '{TITLES[base]}' {r[base][key]:.0f}")
    if above("gpreempt", "daemon", "p99_us"):
        yield worse("gpreempt", "daemon")
    elif mix.lows > 1 and r["gpreempt"]["p99_us"] >= r["daemon"]["p99_us"]:
        yield worse("gpreempt", "daemon") + ": not better, with several processes"
    if "coop" in r and above("hint", "coop", "p99_us"):
        yield worse("hint", "coop")
    # it may be less: a machine that LOW keeps awake answers sooner than an idle one
    if above("hint", "alone", "p50_us"):
        yield worse("hint", "alone", "p50_us")
    if above("gpreempt", "daemon", "cpu"):
        yield (f"{name}: the monitor takes {r['gpreempt']['cpu']:.2%} of a core, the daemon "
               f"{r['daemon']['cpu']:.2%}")
    for mode in ("gpreempt", "hint"):
        if mix.disb and r[mode]["low_of_left_over"] < LEFT_OVER:
            yield f"{name}: LOW keeps {r[mode]['low_of_left_over']:.1%} with '{TITLES[mode]}'"
        if mix.limit_us and r[mode]["max_us"] > mix.limit_us:
            yield f"{name}: a request took {r[mode]['max_us']:.0f} us with '{TITLES[mode]}'"
