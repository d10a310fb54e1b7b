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
import shutil
import signal
import subprocess
import sys
import time

from testbench import suites
from testbench.check import parts, runner
from testbench.check.tap import Tally
from testbench.events import eventlog
from testbench.guest import splats
from testbench.jobs import jobs
from testbench.paths import BASE, KERNEL, RESULTS, bench

DURATIONS = "durations.json"    # of the last run of each suite, seconds
GUEST_GB = 3
LONGEST = 5                     # are shown
REPORT_LINES = 15               # of each report, likewise
WIDTH = max(map(len, suites.SUITES))


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
    with (RESULTS / f"{name}.tap").open("w", buffering=1) as log:
        stream = parts.lines(name, suites.SUITES[name].run)
        while True:
            try:
                line = next(stream)
                log.write(line + "\n")
                tally.feed(line)
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
    said = [f"  {name:{WIDTH}} {tally.passed} passed, {tally.failed} failed, "
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
    if not asked:
        asked = [s.name for s in suites.SUITES.values() if KERNEL in s.kernels and BASE not in s.not_on]
        for suite in suites.SUITES.values():
            if BASE in suite.not_on:
                print(f"  {suite.name:{WIDTH}} not on Linux {BASE}: {suite.not_on[BASE]}", flush=True)
    if unknown := [n for n in asked if n not in suites.SUITES]:
        sys.exit(f"check: error: no suite {' '.join(unknown)}; there are: "
                 + " ".join(suites.SUITES))
    for name in asked:
        kernels = suites.SUITES[name].kernels
        # for the plain kernel, or on request, it may be asked of any
        if kernels and not kernels & {"", KERNEL}:
            sys.exit(f"check: error: {name} is for KERNEL={' or '.join(sorted(kernels))}")
    needed = [suites.SUITES[n].needs for n in asked if suites.SUITES[n].needs]
    return list(dict.fromkeys(needed + asked))


def chains():
    """The lists of suites of which one runs after the other."""
    by = {}
    for suite in suites.SUITES.values():
        if suite.chain:
            by.setdefault(suite.chain, []).append(suite.name)
    return by.values()


def interrupted(number, _):
    for other in runner.SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    print(f"\ncheck: ended by {signal.Signals(number).name}", flush=True)
    sys.exit(128 + number)


def run_chosen(names, at_once):
    """The tallies; None if there is nothing to run them on."""
    begin = time.monotonic()
    if runner.Child(lambda: subprocess.call(bench("kernel"))).result() != 0:
        return None
    print(f"  {'build':{WIDTH}} {time.monotonic() - begin:.0f} s", flush=True)
    durations = known_durations()
    expected = {s.name: s.seconds and durations.get(s.name, s.seconds) for s in suites.SUITES.values()}
    tallies = runner.run_all(names, run, told, at_once, expected.get, chains())
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

