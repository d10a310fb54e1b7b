# SPDX-License-Identifier: GPL-2.0
"""Measure how fast "gpu-model exec" executes an integer loop: bench-model

Prints, for 1 to as many host threads as this process may use, the median of
RUNS runs and their spread, in millions of 64-lane wave instructions a second.
Fails when one thread stays below WANTED, or when more threads do not help.
"""
import os
import statistics
import subprocess
import sys

from testbench.paths import BUILD, MODEL

BUILT = BUILD / "gpu-model"
RUNS = 5
WANTED = 10         # million wave instructions a second on one thread
GROUPS = 64         # of one wave
TURNS = 50000


def rate(threads):
    """Million instructions a second of one run."""
    command = [BUILT / "gpu-model", "exec", BUILT / "bench.co", "integer_loop",
               "--grid", str(64 * GROUPS), "--workgroup", "64", "--threads", str(threads),
               "--arg", f"buf:{4 * 64 * GROUPS}", "--arg", f"u32:{TURNS}"]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    figures = dict(line.split() for line in text.splitlines())
    return int(figures["instructions"]) / int(figures["host_time_us"])


def main():
    subprocess.run(["make", "-s", "-C", MODEL, f"O={BUILT}",
                    BUILT / "gpu-model", BUILT / "bench.co"], check=True)
    print(f"million wave instructions a second, {RUNS} runs each")
    print("threads  median    min    max  growth")
    medians = []
    for threads in range(1, len(os.sched_getaffinity(0)) + 1):
        runs = [rate(threads) for _ in range(RUNS)]
        medians.append(statistics.median(runs))
        print(f"{threads:7}  {medians[-1]:6.1f} {min(runs):6.1f} {max(runs):6.1f} "
              f"{medians[-1] / medians[0]:7.2f}", flush=True)
    if medians[0] < WANTED:
        sys.exit(f"bench-model: error: {medians[0]:.1f} on one thread, {WANTED} are wanted")
    if len(medians) > 1 and medians[-1] < 1.2 * medians[0]:
        sys.exit(f"bench-model: error: {len(medians)} threads are not faster than one")

