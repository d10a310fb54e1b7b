# SPDX-License-Identifier: GPL-2.0
"""The figures of a mix, and whether they are what was promised.

A seed has its own figures; the mix's are their medians. Those that ask for the rarest
request, p99.9 and the maximum, are of all seeds' requests.
"""
from statistics import median

from testbench.benchmark.mixes import DAEMONS, TITLES

TOLERANCE = 0.03            # what is worse than another figure by no more is as good
LEFT_OVER = 0.88            # LOW's share of what HIGH leaves, in the DISB-like mixes

# A mode, a figure of its, and the modes the best of which it must reach: GPREEMPT what has
# no notice of a request either, and sees it from outside; a HINT what has the same notice.
COMPARED = (
    ("gpreempt", "p99_us", ("stock", *DAEMONS)),
    ("gpreempt", "low_of_left_over", DAEMONS),
    ("gpreempt", "cpu", DAEMONS),
    ("hint", "p99_us", (*DAEMONS, "coop-notice")),
    # it may be less: a machine that LOW keeps awake answers sooner than an idle one
    ("hint", "p50_us", ("alone",)),
    ("hint", "low_of_left_over", ("coop-notice",)),
    ("hint", "cpu", DAEMONS),
)
WHAT = {"p50_us": "p50", "p99_us": "p99", "low_of_left_over": "LOW's share", "cpu": "CPU"}
MORE_IS_BETTER = ("low_of_left_over",)


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


def form(key, value):
    return {"cpu": f"{value:.2%} of a core",
            "low_of_left_over": f"{value:.1%}"}.get(key, f"{value:.0f} us")


def best(r, key, modes):
    """Of those modes that the mix has; None of none."""
    better = max if key in MORE_IS_BETTER else min
    return better((m for m in modes if m in r), key=lambda m: r[m][key], default=None)


def is_worse(key, ours, base, tolerance):
    if key in MORE_IS_BETTER:
        return ours < base * (1 - tolerance)
    return ours > base * (1 + tolerance)


def verdict(name, mix, r):
    """What was promised and is not so."""
    for ours, key, others in COMPARED:
        base = best(r, key, others)
        # a daemon has to suspend one process after the other
        tolerance = 0 if mix.lows > 1 and key == "p99_us" else TOLERANCE
        if base and is_worse(key, r[ours][key], r[base][key], tolerance):
            yield (f"{name}: {WHAT[key]} with '{TITLES[ours]}' {form(key, r[ours][key])}, "
                   f"with '{TITLES[base]}' {form(key, r[base][key])}")
    for mode in ("gpreempt", "hint"):
        if mix.disb and r[mode]["low_of_left_over"] < LEFT_OVER:
            yield f"{name}: LOW keeps {r[mode]['low_of_left_over']:.1%} with '{TITLES[mode]}'"
        if mix.limit_us and r[mode]["max_us"] > mix.limit_us:
            yield f"{name}: a request took {r[mode]['max_us']:.0f} us with '{TITLES[mode]}'"
