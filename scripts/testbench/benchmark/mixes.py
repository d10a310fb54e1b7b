# SPDX-License-Identifier: GPL-2.0
"""What is measured: the mixes of LOW and HIGH, and when HIGH's requests come."""
import random
from dataclasses import dataclass

HINT_US = 4500              # ahead of a request; less than any gap between two
MARGIN_US = 500             # and for so much earlier than it comes
SHORT_REQUESTS = 30         # at most, if short
LOW_SECONDS = 4             # LOW alone
TITLES = {"alone": "HIGH alone", "stock": "stock",
          "daemon-1000": "daemon, 1 ms", "daemon-100": "daemon, 0.1 ms",
          "coop": "cooperative", "coop-notice": "cooperative, notice",
          "gpreempt": "GPREEMPT", "hint": "GPREEMPT, HINT"}
DAEMONS = ("daemon-1000", "daemon-100")     # the number is its interval, us


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
    high_priority: int = 15
    kernels: int = 1
    us: int = 200
    arrivals: object = random_gaps
    requests: int = 100         # of a seed; from so many on p99 is not the longest
    disb: bool = False
    limit_us: int = 0           # each request's

    def modes(self):
        """One process cannot switch off others' queues."""
        return [m for m in ("low", *TITLES) if not m.startswith("coop") or self.lows == 1]


MIXES = {
    "block-0.1ms": Mix("LOW blocks of 0.1 ms", 100),
    "block-1ms": Mix("LOW blocks of 1 ms", 1000),
    "block-10ms": Mix("LOW blocks of 10 ms", 10000),
    "block-100ms": Mix("LOW blocks of 100 ms", 100000),
    "processes-8": Mix("8 processes, LOW blocks of 10 ms", 10000, lows=7),
    "processes-32": Mix("32 processes, LOW blocks of 10 ms", 10000, lows=31),
    "disb-periodic": Mix("DISB-like, periodic: HIGH 10 kernels at 40 Hz, 2 LOW", 10000, lows=2,
                         kernels=10, us=200, arrivals=periodic, disb=True),
    "disb-trace": Mix("DISB-like, trace-driven: HIGH 10 kernels, 2 LOW", 10000, lows=2,
                      kernels=10, us=200, arrivals=trace, disb=True),
    "two-models": Mix("training (3) and inference (12: 50 kernels, limit 30 ms)", 5000,
                      low_kernels=100, low_priority=3, high_priority=12, kernels=50, us=250,
                      arrivals=steady, requests=50, limit_us=30000),
}
SHORT = ("block-10ms", "two-models")
SENSITIVE = "block-10ms"        # whose figures are looked at when a parameter changes


def plan(mix, modes):
    """What inside/bench is to do."""
    return (" ".join(modes) + "\n"
            f"{mix.block_us} {mix.lows} {mix.low_kernels} {mix.low_priority} {mix.high_priority} "
            f"{mix.kernels} {mix.us} {HINT_US} {MARGIN_US} {LOW_SECONDS}\n")


def times(name, seed, requests):
    """HIGH's times, the same in all modes, one a line."""
    at = MIXES[name].arrivals(random.Random(f"{seed} {name}"), requests)
    return "".join(f"{t}\n" for t in at)
