# SPDX-License-Identifier: GPL-2.0
"""Measure how fast "gpu-model exec" executes code, beside an older model: bench-model

For each kernel of tests/bench.cl prints the median of RUNS runs of the model as it was in
the commit OLD and as it is, one after the other, in millions of 64-lane wave instructions a
second of CPU time, and how many times as fast it is, with the spread. Then the growth with
host threads. Fails when a kernel is not WANTED times as fast, when a result or a count of
instructions is another, or when more threads do not help.
"""
import os
import statistics
import subprocess
import sys

from testbench.paths import BUILD, MODEL, ROOT

BUILT = BUILD / "gpu-model"
BEFORE = BUILD / "gpu-model-before"
# The last one that decoded and checked each instruction by itself, 64 lanes in SSE2.
OLD = "54cea0d0aade9bf1"
RUNS = 5
WANTED = 3
GROUPS = 64         # of one wave
BYTES = 1 << 18     # of the buffer
# Kernel, turns of its loop: half a second or more of the old model's.
KERNELS = {"integer_loop": 50000, "float_loop": 10000, "branch_loop": 25000,
           "memory_loop": 2000, "local_loop": 2500, "matrix_loop": 1000}


def error(text):
    sys.exit(f"bench-model: error: {text}")


def build_old():
    """The model of OLD, from git's history."""
    if (BEFORE / OLD / "gpu-model").exists():
        return BEFORE / OLD / "gpu-model"
    source = BEFORE / OLD / "source"
    source.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", OLD, MODEL.relative_to(ROOT)],
                             stdout=subprocess.PIPE, check=False)
    if archive.returncode:
        error(f"commit {OLD}, with which it is compared, is not in this copy's history")
    subprocess.run(["tar", "x", "-C", source], input=archive.stdout, check=True)
    subprocess.run(["make", "-s", "-C", source / MODEL.relative_to(ROOT), f"O={BEFORE / OLD}",
                    BEFORE / OLD / "gpu-model"], check=True)
    return BEFORE / OLD / "gpu-model"


class Run:
    """One run of a kernel: figures, and the contents of its buffer."""

    def __init__(self, model, kernel, turns, threads=1):
        out = BUILT / "bench.out"
        command = [model, "exec", BUILT / "bench.co", kernel,
                   "--grid", str(64 * GROUPS), "--workgroup", "64", "--threads", str(threads),
                   "--arg", f"buf:{BYTES}::{out}", "--arg", f"u32:{turns}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            text = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            error(f"{kernel}: {model} failed")
        figures = {name: int(value) for name, value in map(str.split, text.splitlines())}
        self.what = figures["instructions"], figures["model_time_us"], out.read_bytes()
        self.cpu = figures["instructions"] / 1e6 / (used.ru_utime + used.ru_stime)
        self.wall = figures["instructions"] / figures["host_time_us"]


def compare(old, new):
    """Print the table; return the kernels that are too slow."""
    print(f"million wave instructions a second of CPU time, {RUNS} runs each; before: {OLD}")
    print("kernel        before     now   times    min    max")
    slow = []
    for kernel, turns in KERNELS.items():
        pairs = [(Run(old, kernel, turns), Run(new, kernel, turns)) for _ in range(RUNS)]
        if any(a.what != b.what for a, b in pairs):
            error(f"{kernel}: its result, or its instructions, are not as before")
        times = [b.cpu / a.cpu for a, b in pairs]
        median = statistics.median(times)
        print(f"{kernel:12}  {statistics.median(a.cpu for a, _ in pairs):6.1f}  "
              f"{statistics.median(b.cpu for _, b in pairs):6.1f}  {median:6.2f} "
              f"{min(times):6.2f} {max(times):6.2f}", flush=True)
        if median < WANTED:
            slow.append(kernel)
    return slow


def grow(new):
    """Print the rates with more and more threads; return the last one's growth."""
    print("threads  million a second of time    min    max  growth")
    medians = []
    for threads in range(1, len(os.sched_getaffinity(0)) + 1):
        runs = [Run(new, "integer_loop", KERNELS["integer_loop"], threads).wall
                for _ in range(RUNS)]
        medians.append(statistics.median(runs))
        print(f"{threads:7}  {medians[-1]:24.1f} {min(runs):6.1f} {max(runs):6.1f} "
              f"{medians[-1] / medians[0]:7.2f}", flush=True)
    return medians[-1] / medians[0], len(medians)


def main():
    subprocess.run(["make", "-s", "-C", MODEL, f"O={BUILT}",
                    BUILT / "gpu-model", BUILT / "bench.co"], check=True)
    slow = compare(build_old(), BUILT / "gpu-model")
    growth, threads = grow(BUILT / "gpu-model")
    if slow:
        error(f"not {WANTED} times as fast as before: {', '.join(slow)}")
    if threads > 1 and growth < 1.2:
        error(f"{threads} threads are not faster than one")
