# SPDX-License-Identifier: GPL-2.0
"""Nonsense for the driver's ioctl and sysfs, millions of calls.

usage: [KERNEL=debug] fuzz-driver [--calls N] [--seed N]

The calls are fuzz_test's, while queues work. They are made in rounds, each in a guest of
its own and with the next seed. What passed is kept in out/fuzz-driver[-KERNEL]/passed,
so that a run that was interrupted, or that asks for more, goes on where the last one of
that very kernel ended. A round that fails ends it; its results are in the folder named
by its seed, and --seed repeats that round alone, in the same guest.
"""
import argparse
import os
import shutil
import subprocess
import sys
import time

from testbench.paths import GUEST, OUT, kselftest

CALLS = 10_000_000
ROUND = 1_000_000
LIMIT_S = 20000         # of a guest's time
# A small GPU that is asked rarely takes less of the host's time, and is asked for no less;
# its log would be larger than all else.
SMALL = ["--quantum-us", "100", "--no-log", "--model", "--cus-per-engine 1"]


def calls_round(name, seed, calls, kernel):
    """One guest; True if it passed and its kernel reported nothing."""
    command = [*GUEST, "--name", f"{name}/{seed}", "--kernel", kernel, "--seed", str(seed),
               "--timeout", str(LIMIT_S), *SMALL, "--",
               "env", f"GPREEMPT_FUZZ_CALLS={calls}", f"GPREEMPT_FUZZ_SEED={seed}",
               kselftest("control/fuzz_test")]
    return subprocess.run(command, check=False).returncode == 0


class Passed:
    """The rounds that passed on a kernel: a line for the kernel, one for each round."""

    def __init__(self, path, kernel):
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        if lines[:1] != [kernel]:
            lines = [kernel]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{kernel}\n")
        # seed, calls, seconds
        self.rounds = [tuple(map(int, line.split())) for line in lines[1:]]

    def add(self, *numbers):
        self.rounds.append(numbers)
        with self.path.open("a") as f:
            print(*numbers, file=f)

    def calls(self):
        return sum(calls for _, calls, _ in self.rounds)

    def next_seed(self):
        return max((seed for seed, _, _ in self.rounds), default=0) + 1

    def rate(self):
        """Calls a second, guests' boots included."""
        return self.calls() / max(sum(seconds for _, _, seconds in self.rounds), 1)


def run(passed, wanted, one_round):
    """
    Rounds until so many calls have passed; the seed that did not, or None. one_round(seed,
    calls) says whether it passed.
    """
    while (left := wanted - passed.calls()) > 0:
        seed, calls, begin = passed.next_seed(), min(ROUND, left), time.monotonic()
        if not one_round(seed, calls):
            return seed
        passed.add(seed, calls, round(time.monotonic() - begin))
        left -= calls
        print(f"{wanted - left} of {wanted} calls, {passed.rate():.0f}/s, "
              f"{left / passed.rate() / 60:.0f} min to go", flush=True)
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--calls", type=int, default=CALLS)
    p.add_argument("--seed", type=int)
    args = p.parse_args()
    kernel = os.environ.get("KERNEL", "")
    suffix = kernel and f"-{kernel}"
    name = f"fuzz-driver{suffix}"

    def one_round(seed, calls):
        good = calls_round(name, seed, calls, kernel)
        if good and args.seed is None:
            shutil.rmtree(OUT / name / str(seed))
        return good

    if args.seed is not None:
        failed = None if one_round(args.seed, min(args.calls, ROUND)) else args.seed
    else:
        # the guest's folder is named by all that it was built from
        passed = Passed(OUT / name / "passed", (OUT / f"guest{suffix}").resolve().name)
        failed = run(passed, args.calls, one_round)
    if failed is not None:
        sys.exit(f"fuzz-driver: error: seed {failed}: see {OUT / name / str(failed)}")
    if args.seed is None:
        seeds = [seed for seed, _, _ in passed.rounds]
        print(f"{passed.calls()} calls, seeds {min(seeds)} to {max(seeds)}, no report")
    else:
        print(f"seed {args.seed}, no report")
