# SPDX-License-Identifier: GPL-2.0
"""Run every test, from a bare machine: check [SUITE...]

Each suite prints TAP or KTAP, kept in out/check/SUITE.tap. The last line is
the sum: N passed, N failed, N skipped. A suite that dies, ends early or finds
nothing to run has failed, and on the model no test may skip. The event log of
each guest's GPU has to obey the rules (eventlog.py): one more test. As many
suites as there are cores run beside each other, or JOBS of the environment, the
longest first; their order and the load of the host change no result.

With KERNEL=debug or KERNEL=kcsan in the environment, the suites that boot a
guest run on a kernel that checks itself, and its reports fail them; with
KERNEL=cov on one that counts which lines it runs. Results are in
out/check-$KERNEL.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from testbench import eventlog, runner, splats, suites
from testbench.jobs import jobs
from testbench.paths import BASE, SCRIPTS
from testbench.suites import KERNEL, RESULTS
from testbench.tap import Tally

DURATIONS = "durations.json"    # of the last run of each suite, seconds
UNKNOWN_S = 30
GUEST_GB = 3
LONGEST = 5                     # are shown
REPORT_LINES = 15               # of each report, likewise


def lines_of(suite, log):
    """What a suite prints, line by line; returns its exit status."""
    if callable(suite):
        for line in suite():
            log.write(line + "\n")
            yield line
        return 0
    with subprocess.Popen(suite, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as p:
        for line in p.stdout:
            log.write(line)
            log.flush()
            yield line.rstrip("\n")
    return p.returncode


def check_events(tally, folder):
    """The event logs that a suite's guests left."""
    for path in sorted(folder.glob("**/events*.log")):
        errors = eventlog.load(path, clean=False).errors
        if errors:
            tally.fail(f"{path}: {errors[0]}")
        else:
            tally.passed += 1


def reports(folder):
    """The beginnings of what the kernel reported in a suite's guests, and where."""
    for console in sorted(folder.glob("**/console.log")):
        for report in splats.of_guest(console.parent):
            if report.known(KERNEL, folder.name):
                continue
            yield f"{console.parent}: the kernel reported"
            yield from ("  " + line for line in report.text.splitlines()[:REPORT_LINES])


def run(name):
    """The tally of a suite."""
    tally = Tally()
    shutil.rmtree(RESULTS / name, ignore_errors=True)
    with (RESULTS / f"{name}.tap").open("w") as log:
        stream = lines_of(suites.SUITES[name], log)
        while True:
            try:
                tally.feed(next(stream))
            except StopIteration as end:
                tally.end(end.value)
                break
            except (OSError, LookupError, ValueError) as e:     # of what a guest should have left
                tally.fail(f"{type(e).__name__}: {e}")
                tally.end(0)
                break
    check_events(tally, RESULTS / name)
    if tally.failed:
        tally.details += reports(RESULTS / name)
    return tally


def told(name, tally):
    """What is printed of a suite."""
    said = [f"  {name:13} {tally.passed} passed, {tally.failed} failed, "
            f"{tally.skipped} skipped  ({tally.seconds:.0f} s)"]
    said += ["      " + text for text in tally.figures + tally.remarks]
    if tally.remarks:
        said.append(f"      see {RESULTS / name}.tap")
    said += ["      " + text for text in tally.details]
    return "\n".join(said)


def known_durations():
    try:
        return json.loads((RESULTS / DURATIONS).read_text())
    except (OSError, ValueError):
        return {}


def chosen(asked):
    """The suites to run, those that are asked for or all of a plain run."""
    left_out = suites.NOT_ON.get(BASE, {})
    names = asked or [n for n in suites.SUITES if n not in left_out and
                      not (KERNEL and n in suites.HOST | suites.STOCK)]
    for name, why in left_out.items():
        if not asked:
            print(f"  {name:13} not on Linux {BASE}: {why}", flush=True)
    suites.SUITES.update(suites.LONG)
    if unknown := [n for n in names if n not in suites.SUITES]:
        sys.exit(f"check: error: no suite {' '.join(unknown)}; there are: "
                 + " ".join(suites.SUITES))
    needed = [suites.NEEDS[n] for n in names if n in suites.NEEDS]
    return list(dict.fromkeys(needed + names))


def interrupted(number, _):
    for other in runner.SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    print(f"\ncheck: ended by {signal.Signals(number).name}", flush=True)
    sys.exit(128 + number)


def run_chosen(names, at_once):
    """The tallies; None if there is nothing to run them on."""
    begin = time.monotonic()
    if runner.Child(lambda: subprocess.call([SCRIPTS / "kernel"])).result() != 0:
        return None
    print(f"  {'build':13} {time.monotonic() - begin:.0f} s", flush=True)
    durations = known_durations()
    expected = suites.SECONDS | durations
    expected |= dict.fromkeys(suites.LAST, 0)
    tallies = runner.run_all(names, run, told, at_once, lambda n: expected.get(n, UNKNOWN_S),
                             suites.CHAINS)
    durations |= {name: round(tally.seconds) for name, tally in tallies.items()}
    (RESULTS / DURATIONS).write_text(json.dumps(durations, indent=2) + "\n")
    return tallies


def main():
    names, at_once = chosen(sys.argv[1:]), jobs("check", GUEST_GB)
    begin = time.monotonic()
    RESULTS.mkdir(parents=True, exist_ok=True)
    runner.adopt()
    for number in runner.SIGNALS:
        signal.signal(number, interrupted)
    try:
        tallies = run_chosen(names, at_once)
    finally:
        runner.end_descendants()
    if not tallies:
        print("the build failed\n0 passed, 1 failed, 0 skipped")
        sys.exit(1)
    for name, tally in tallies.items():     # again: the last lines are what is read
        for text in tally.remarks:
            print(f"  {name}: {text}")
    longest = sorted(tallies, key=lambda n: -tallies[n].seconds)[:LONGEST]
    print("longest: " + ", ".join(f"{n} {tallies[n].seconds:.0f} s" for n in longest))
    print(f"in {time.monotonic() - begin:.0f} s; logs in {RESULTS}")
    passed, failed, skipped = (sum(getattr(t, k) for t in tallies.values())
                               for k in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(bool(failed or skipped))

