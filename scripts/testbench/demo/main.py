# SPDX-License-Identifier: GPL-2.0
"""The main job on the modelled GPU, measured.

Two processes share the GPU. LOW (priority 0) fills every compute unit with
workgroups of 50 ms; HIGH (priority 15) has a 200 us kernel every 20 ms, at a
random phase. Four runs: LOW alone, HIGH alone, both without GPREEMPT and both with
it. They are one boot; with --size full a boot for each row of the table, and a row that is
there is not repeated until something changes that goes into it. Prints a table; leaves
results.json, timeline.png and the raw data in out/NAME. Fails if a run did not measure
what it should, if a figure is above its limit, or if preemption lost or repeated anything.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from testbench.events import code_object
from testbench.demo import boots, report, rows, steps
from testbench.demo.progress import Reading
from testbench.gpu import GPUS, SIZES
from testbench.paths import OUT, PROGRAMS


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                epilog=__doc__.split("\n\n", maxsplit=1)[1])
    p.add_argument("--name", help="results go to out/NAME (default demo; demo-full-mi300x and so on)")
    p.add_argument("--asic", choices=GPUS, default="mi210",
                   help="which GPU the model is (default %(default)s)")
    p.add_argument("--size", choices=SIZES, default="small",
                   help="how much of it: four compute units, all shader engines with a unit each, "
                   "or all units, which LOW fills with all waves that they hold (default %(default)s)")
    p.add_argument("--rptr-at", choices=["fetch", "launch"], default="launch",
                   help="when the model's firmware advances a queue's read index")
    p.add_argument("--long", action="store_true",
                   help=f"{boots.LONG_SAMPLES} kernels of HIGH with GPREEMPT, for a thousand preemptions")
    p.add_argument("--seed", type=int, default=1,
                   help="of the guest and of HIGH's random phase (default %(default)s)")
    p.add_argument("--grace-us", type=int, help="GPREEMPT's grace_us (default: stock's)")
    p.add_argument("--compare", nargs="+", metavar="NAME",
                   help="run nothing: a table of the results in out/NAME, by grace period")
    p.add_argument("--anew", action="store_true",
                   help="with --size full: repeat the rows that are there")
    p.add_argument("--steps", action="store_true",
                   help="trace the driver, and show where the time of a preemption goes: the figures "
                   "include the trace's cost, and have no limits")
    p.add_argument("--quantum-us", type=float,
                   help="how far guest and model may be apart (default: bench guest's)")
    args = p.parse_args()
    args.name = args.name or "-".join(["demo", *(getattr(args, name) for name in ("size", "asic")
                                                 if getattr(args, name) != p.get_default(name))])
    return args


def steps_of(folder, of_run, runs):
    """The table of a preemption's steps."""
    waves = {run: steps.first_waves(of_run[run].log, of_run[run].queues["high", run])
             for run in ("alone", "gpreempt")}
    preempted = of_run["gpreempt"]
    trace = steps.read_trace((preempted.folder / "trace").read_text(),
                             report.to_log_time(preempted.folder / "high-gpreempt.txt"))
    found = steps.evaluate(runs["gpreempt"].kernels, waves["gpreempt"], preempted.log.preemptions, trace)
    table = steps.table(found, steps.to_first_wave(runs["alone"].kernels, waves["alone"]))
    (folder / "steps.json").write_text(json.dumps(found, indent=2) + "\n")
    return f"The steps of {found['kernels']} of HIGH's {found['of']} kernels, us:\n\n{table}\n"


def host():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*: (.*)$", text, re.M)
    return {"cpu": model[1] if model else os.uname().machine, "cores": os.cpu_count(),
            "kernel": os.uname().release, "load": round(os.getloadavg()[0], 2)}


def measure(args, folder):
    """Where each run's results are, and how they were made."""
    if args.size == "full":
        folders, made = rows.run(args)
        return folders, {"wall_s": round(sum(row["wall_s"] for row in made.values()), 1),
                         "commits": sorted({row["commit"] for row in made.values()})}
    return report.one_boot(folder), {"wall_s": round(boots.run(args, args.name), 1)}


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
    for old in "results.json", "timeline.png", "timeline.gp":
        (folder / old).unlink(missing_ok=True)
    try:
        folders, how = measure(args, folder)
        of_run, runs, results = report.evaluate(
            folders, code_object.CodeObject(kernels),
            {"seed": args.seed, "size": args.size, "host": host(), "traced": args.steps,
             "grace_us": args.grace_us, **how},
            **({"tell": Reading()} if args.size == "full" else {}))
        (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
        report.table(results)
        if args.steps:
            print(steps_of(folder, of_run, runs))
        report.picture(folder, of_run, runs, results)
    except KeyboardInterrupt:
        sys.exit("demo: stopped" + "; the rows that have ended stay, and the same command goes on "
                 "from there" * (args.size == "full"))
    except (report.NoResult, OSError, code_object.Unreadable) as e:
        sys.exit(f"demo: no result: {e}")
    except subprocess.CalledProcessError as e:
        sys.exit(f"demo: gnuplot failed: {e.stderr}")
    print(f"  results   {folder / 'results.json'}\n  picture   {folder / 'timeline.png'}")
    if results["missed"]:
        sys.exit("demo: FAILED: " + "; ".join(results["missed"]))
