# SPDX-License-Identifier: GPL-2.0
"""What is measured: the mixes of LOW and HIGH, and when HIGH's requests come."""
import random
from dataclasses import dataclass

HINT_US = 4500              # ahead of a request; less than any gap between two
MARGIN_US = 500             # and for so much earlier than it comes
SHORT_REQUESTS = 30         # at most, if short
LOW_SECONDS = 4             # LOW alone
TITLES = {"alone": "HIGH alone", "stock": "stock", "cu-mask": "CU mask", "hpf": "HPF",
          "daemon-1000": "daemon, 1 ms", "daemon-100": "daemon, 0.1 ms",
          "daemon-notice": "daemon, notice",
          "coop": "cooperative", "coop-notice": "cooperative, notice", "levels": "levels of MES",
          "gpreempt": "GPREEMPT", "hint": "GPREEMPT, HINT"}
# A daemon's number is its interval, us.
DAEMONS = ("daemon-1000", "daemon-100", "daemon-notice")
# What knows of a request when it comes, and what knows of it ahead.
# Of levels, which only a driver with mes-levels.patch has: what they are measured beside.
LEVELS = ("low", "alone", "stock", "levels", "gpreempt", "hint")
RIVALS = {"gpreempt": ("stock", "cu-mask", "hpf", "daemon-1000", "daemon-100", "coop"),
          "hint": ("daemon-notice", "coop-notice")}


# ---- when HIGH's requests come, us from the start; each leaves the hint its time ----

def gaps(rng, count, one):
    at = 20000
    for _ in range(count):
        at += one(rng)
        yield at


def random_gaps(rng, count):
    """Every 5 to 50 ms."""
    return gaps(rng, count, lambda r: r.randrange(5000, 50000))


def periodic(rng, count):
    """DISB's uniform clients: a fixed frequency, here with the phase of the start."""
    return gaps(rng, count, lambda r: 25000)


def trace(rng, count):
    """
    DISB's trace-driven mix replays a car's sensors. That trace is not free, so this
    is one of the same make: a camera (25 Hz), a lidar (10 Hz) and a radar (13 Hz),
    each with jitter, whose requests bunch up now and then.
    """
    sensors = [(1e6 / hz, rng.uniform(0, 1e6 / hz)) for hz in (25, 10, 13)]
    times = sorted(phase + n * period + rng.gauss(0, 0.02 * period)
                   for period, phase in sensors for n in range(count))
    return [20000 + max(0, int(t)) for t in times[:count]]


def bursts(rng, count):
    """Four at a time, each soon after the one before it: LOW has then been back for a moment."""
    at = 20000
    for n in range(count):
        at += rng.randrange(500, 900) if n % 4 else rng.randrange(15000, 40000)
        yield at


def steady(rng, count):
    """An inference server under steady load."""
    return gaps(rng, count, lambda r: r.randrange(60000, 80000))


@dataclass
class Mix:
    """LOW processes with blocks of a length, and HIGH's requests."""
    title: str
    block_us: int
    lows: int = 1
    low_kernels: int = 0        # of an iteration of LOW's, which ends before the next begins
    low_priority: int = 0
    low_options: str = ""       # what else bench_low is told
    levels: tuple = (15,)       # a HIGH on each, with requests of its own
    kernels: int = 1
    us: int = 200
    lds_kb: int = 48            # HIGH's workgroups; with so much they find no room beside LOW's
    arrivals: object = random_gaps
    requests: int = 100         # of a seed; from so many on p99 is not the longest
    adds_us: int = 200          # to p99, at most; 135 was with one LOW process, 168 on Linux 7.3
    limit_us: int = 0           # each request's

    def modes(self):
        """
        One process cannot switch off others' queues; it has one of its own, of the usual kind. The
        daemon has notice of one HIGH.
        """
        others = [m for m in TITLES
                  if m == "levels" or m.startswith("coop") and (self.lows > 1 or self.low_options)
                  or m in ("coop", "coop-notice", "daemon-notice") and len(self.levels) > 1]
        return [m for m in ("low", *TITLES) if m not in others]


MIXES = {
    "block-0.1ms": Mix("LOW blocks of 0.1 ms", 100),
    "block-1ms": Mix("LOW blocks of 1 ms", 1000),
    "block-10ms": Mix("LOW blocks of 10 ms", 10000),
    "block-100ms": Mix("LOW blocks of 100 ms", 100000),
    "processes-8": Mix("8 processes, LOW blocks of 10 ms", 10000, lows=7, adds_us=500),
    "processes-32": Mix("32 processes, LOW blocks of 10 ms", 10000, lows=31, adds_us=1200),
    "queues-32": Mix("LOW of 32 queues, blocks of 10 ms", 10000, low_options="--queues 32",
                     adds_us=500),
    "gws": Mix("LOW with global wave sync, blocks of 10 ms", 10000, low_options="--gws"),
    "full": Mix("LOW of all waves and registers, blocks of 23 ms", 10000, low_options="--full"),
    "disb-periodic": Mix("DISB-like, periodic: HIGH 10 kernels at 40 Hz, 2 LOW", 10000, lows=2,
                         kernels=10, us=200, arrivals=periodic, adds_us=300),
    "disb-trace": Mix("DISB-like, trace-driven: HIGH 10 kernels, 2 LOW", 10000, lows=2,
                      kernels=10, us=200, arrivals=trace, adds_us=500),
    "fits": Mix("HIGH that fits beside LOW, blocks of 10 ms", 10000, lds_kb=0),
    "levels": Mix("HIGH on three levels, LOW blocks of 10 ms", 10000, levels=(15, 12, 9),
                  adds_us=2500),     # a hint at 15 or 12 keeps 9 off as well
    "bursts": Mix("HIGH in bursts of 4, LOW blocks of 10 ms", 10000, arrivals=bursts,
                  adds_us=800),
    "two-models": Mix("training (3) and inference (12: 50 kernels, limit 30 ms)", 5000,
                      low_kernels=100, low_priority=3, levels=(12,), kernels=50, us=250,
                      arrivals=steady, requests=50, limit_us=30000),
}
SHORT = ("block-10ms", "two-models")
SENSITIVE = "block-10ms"        # whose figures are looked at when a parameter changes
# where all of them are cheap, or dear
CORNERS = ("block-0.1ms", "block-1ms", "processes-32", "two-models")


def plan(mix, modes):
    """What inside/bench is to do."""
    return (" ".join(modes) + "\n" + " ".join(map(str, mix.levels)) + "\n"
            f"{mix.block_us} {mix.lows} {mix.low_kernels} {mix.low_priority} {mix.kernels} "
            f"{mix.us} {mix.lds_kb} {HINT_US} {MARGIN_US} {LOW_SECONDS} {mix.low_options}\n")


def times(name, seed, requests):
    """Each HIGH's times, the same in all modes, one a line, by its level."""
    mix = MIXES[name]
    return {level: "".join(f"{t}\n" for t in
                           mix.arrivals(random.Random(f"{seed} {name}" + " again" * n), requests))
            for n, level in enumerate(mix.levels)}
