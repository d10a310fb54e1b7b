# SPDX-License-Identifier: GPL-2.0
"""One boot for each row of the demo's table.

A row that has ended stays in out/NAME/ROW, and is not made again until something changes that goes
into it. So a demo that was ended in between goes on with the rows that it lacks.
"""
import hashlib
import json
import os
import shutil

from testbench.benchmark import about
from testbench.demo import boots, report
from testbench.guest import inputs
from testbench.paths import KERNEL, OUT, PROGRAMS

UNFINISHED = "unfinished"       # in out/NAME: the row that is being made
MADE = "made.json"              # of what, when, and in how long; only a whole row has it


def key(args, row, given):
    """What goes into a row."""
    went_in = [inputs.contents([PROGRAMS / "low", PROGRAMS / "high"], KERNEL), KERNEL,
               os.environ.get("REALTIME", ""), boots.options(args), boots.command(args, [row], given)]
    return hashlib.sha256(json.dumps(went_in).encode()).hexdigest()


def made(folder):
    """Of a row that is there, else nothing."""
    try:
        return json.loads((folder / MADE).read_text())
    except (OSError, ValueError):
        return {}


def make(args, row, given, folder):
    """A row that is whole, and only such a one, gets its place."""
    unfinished, of = folder.parent / UNFINISHED, key(args, row, given)
    seconds = boots.run(args, f"{args.name}/{UNFINISHED}", [row], given)
    (unfinished / MADE).write_text(json.dumps(
        {"key": of, "wall_s": round(seconds, 1), "commit": about.commit()}, indent=1) + "\n")
    (folder / MADE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def of_low_alone(folder):
    """What the other rows need of it: how long LOW's loop is, and the speed of the GPU's clock."""
    return {"ITERATIONS": report.values(folder / "low-alone.txt")["iterations"],
            "TICKS": report.values(folder / "high-alone.txt")["ticks_per_us"]}


def run(args):
    """All rows: the folder of each, and what is known of it."""
    folders = {row: OUT / args.name / row for row in report.RUNS}
    given = {}
    for n, (row, folder) in enumerate(folders.items(), 1):
        there = not args.anew and made(folder).get("key") == key(args, row, given)
        print(f"  ROW     {n} of {len(folders)}, {report.RUNS[row]}" + ": is there already" * there,
              flush=True)
        if not there:
            make(args, row, given, folder)
        if row == "alone":
            given = of_low_alone(folder)
    return folders, {row: made(folder) for row, folder in folders.items()}
