# SPDX-License-Identifier: GPL-2.0
"""The main job on the modelled GPU, measured.

Two processes share the GPU. LOW (priority 0) fills every compute unit with
workgroups of 50 ms; HIGH (priority 15) has a 200 us kernel every 20 ms, at a
random phase. One boot, four runs: LOW alone, HIGH alone, both without GPREEMPT
and both with it. Prints a table; leaves results.json, timeline.png and the raw
data in out/NAME. Fails if a run did not measure what it should, if a figure is
above its limit, or if preemption lost or repeated anything.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from testbench.events import code_object
from testbench.demo import report, steps
from testbench.gpu import GPUS, SIZES
from testbench.paths import GUEST, OUT, PROGRAMS, in_guest, inside

# Of a larger machine fewer, as the host has to execute all its waves.
SAMPLES = {
    "small": {"alone": 300, "stock": 200, "gpreempt": 400},
    "engines": {"alone": 40, "stock": 20, "gpreempt": 60},
    "full": {"alone": 30, "stock": 30, "gpreempt": 30},
}
LONG_SAMPLES = 1200
# LOW: how long it is measured alone, in s, and what else it is told. Without --full it leaves most
# of a compute unit's registers and wave slots free.
LOW = {"small": ("4",), "engines": ("1",), "full": ("1", "--full")}
# Virtual seconds of the guest; 40 are usual, 60 with --long. The host is given four times as many,
# and it has all waves of a full machine to execute.
LIMIT_S = {"small": 120, "engines": 120, "full": 1800}


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                epilog=__doc__.split("\n\n", maxsplit=1)[1])
    p.add_argument("--name", help="results go to out/NAME (default demo, demo-engines or demo-full)")
    p.add_argument("--asic", choices=GPUS, default="mi210",
                   help="which GPU the model is (default %(default)s)")
    p.add_argument("--size", choices=SIZES, default="small",
                   help="how much of it: four compute units, all shader engines with a unit each, "
                   "or all units, which LOW fills with all waves that they hold (default %(default)s)")
    p.add_argument("--rptr-at", choices=["fetch", "launch"], default="launch",
                   help="when the model's firmware advances a queue's read index")
    p.add_argument("--long", action="store_true",
                   help=f"{LONG_SAMPLES} kernels of HIGH with GPREEMPT, for a thousand preemptions")
    p.add_argument("--seed", type=int, default=1,
                   help="of the guest and of HIGH's random phase (default %(default)s)")
    p.add_argument("--grace-us", type=int, help="GPREEMPT's grace_us (default: stock's)")
    p.add_argument("--compare", nargs="+", metavar="NAME",
                   help="run nothing: a table of the results in out/NAME, by grace period")
    p.add_argument("--steps", action="store_true",
                   help="trace the driver, and show where the time of a preemption goes: the figures "
                   "include the trace's cost, and have no limits")
    p.add_argument("--quantum-us", type=float,
                   help="how far guest and model may be apart (default: bench guest's)")
    args = p.parse_args()
    args.name = args.name or "demo" + ("" if args.size == "small" else f"-{args.size}")
    return args


def virtual_time(path):
    """How far the event log is, in s."""
    with path.open("rb") as f:
        f.seek(max(0, path.stat().st_size - 4096))
        return int(f.read().splitlines()[-2].split()[0]) / 1e9


def progress(log, begin, done):
    """Show the guest's time on a terminal while it works."""
    while not done.wait(0.5):
        try:
            text = f"{virtual_time(log):.1f} virtual seconds"
        except (OSError, ValueError, IndexError):
            text = ""           # no log yet, or that of an earlier demo is being removed
        print(f"\r  {time.monotonic() - begin:5.1f} s  {text:<40}\r", end="", file=sys.stderr)


def run_guest(args, folder):
    """The four runs; returns how long they took."""
    quantum = ["--quantum-us", f"{args.quantum_us:g}"] if args.quantum_us else []
    samples = SAMPLES[args.size] | ({"gpreempt": LONG_SAMPLES} if args.long else {})
    gpu = GPUS[args.asic]
    command = [*GUEST, "--name", args.name, "--timeout", str(LIMIT_S[args.size]),
               "--seed", str(args.seed), *quantum, "--append", gpu.append,
               "--model", f"{gpu.sized(args.size)} --rptr-at {args.rptr_at}", "--",
               "env", *(["TRACE=1"] if args.steps else []),
               *([f"GRACE_US={args.grace_us}"] if args.grace_us is not None else []),
               inside("demo/demo"), in_guest(PROGRAMS), str(args.seed),
               *(str(n) for n in samples.values()), *LOW[args.size]]
    begin, done = time.monotonic(), threading.Event()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as guest:
        print("  BOOT    the guest, with the modelled GPU", flush=True)
        if sys.stderr.isatty():
            threading.Thread(target=progress, args=(folder / "events.log", begin, done),
                             daemon=True).start()
        try:
            for line in guest.stdout:
                print(f"  {time.monotonic() - begin:5.1f} s  {line.rstrip():<50}", flush=True)
        finally:
            done.set()
    if guest.returncode:
        raise report.NoResult("the guest's runs failed (see above)")
    return time.monotonic() - begin


def steps_of(folder, log, queues, runs):
    """The table of a preemption's steps."""
    waves = {run: steps.first_waves(log, queues["high", run]) for run in ("alone", "gpreempt")}
    trace = steps.read_trace((folder / "trace").read_text(),
                             report.to_log_time(folder / "high-gpreempt.txt"))
    found = steps.evaluate(runs["gpreempt"].kernels, waves["gpreempt"], log.preemptions, trace)
    table = steps.table(found, steps.to_first_wave(runs["alone"].kernels, waves["alone"]))
    (folder / "steps.json").write_text(json.dumps(found, indent=2) + "\n")
    return f"The steps of {found['kernels']} of HIGH's {found['of']} kernels, us:\n\n{table}\n"


def host():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*: (.*)$", text, re.M)
    return {"cpu": model[1] if model else os.uname().machine, "cores": os.cpu_count(),
            "kernel": os.uname().release, "load": round(os.getloadavg()[0], 2)}


def main():
    args = parse()
    if args.compare:
        print(report.comparison([json.loads((OUT / name / "results.json").read_text())
                                 for name in args.compare]))
        return
    folder, kernels = OUT / args.name, GPUS[args.asic].disassembly()
    for need in PROGRAMS / "low", PROGRAMS / "high", kernels:
        if not need.exists():
            sys.exit(f"demo: error: {need} is missing: run 'make kernel'")
    try:
        wall = run_guest(args, folder)
        code = code_object.CodeObject(kernels)
        log, queues, runs, results = report.evaluate(
            folder, code, {"seed": args.seed, "wall_s": round(wall, 1), "host": host(), "traced": args.steps,
                           "grace_us": args.grace_us})
        (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
        report.table(results)
        if args.steps:
            print(steps_of(folder, log, queues, runs))
        report.picture(folder, log, queues, runs, results)
    except (report.NoResult, OSError, code_object.Unreadable) as e:
        sys.exit(f"demo: no result: {e}")
    except subprocess.CalledProcessError as e:
        sys.exit(f"demo: gnuplot failed: {e.stderr}")
    print(f"  results   {folder / 'results.json'}\n  picture   {folder / 'timeline.png'}")
    if results["missed"]:
        sys.exit("demo: FAILED: " + "; ".join(results["missed"]))
