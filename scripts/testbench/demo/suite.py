# SPDX-License-Identifier: GPL-2.0
"""The demo on a busy host has the results of a quiet one's."""
import contextlib
import json
import subprocess

from testbench.check.parts import Host, lines
from testbench.paths import RESULTS, bench

MODES = ("alone", "stock", "gpreempt")
FIGURES = ("p50_us", "p99_us")
VERDICTS = ("low_exact", "missed")
TOLERANCE = 0.02        # of a figure, from one run of the demo to another
LOOPS = 4               # on the host of the loaded demo


def parts(name, *options):
    """The whole demo, and what it left."""
    return [Host(bench("demo", "--seed", "1", "--name", f"{RESULTS.name}/{name}", *options),
                 text="the demo reaches its goals"),
            Host(bench("check-demo", RESULTS / name))]


@contextlib.contextmanager
def busy_host():
    """Loops that want more CPUs than there may be."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def same_results(quiet, loaded):
    """TAP: two results of the demo, one of a host that was busy."""
    tests = [(f"{mode}: {figure} {quiet[mode][figure]:g}, on a busy host {loaded[mode][figure]:g}",
              abs(loaded[mode][figure] - quiet[mode][figure]) <= TOLERANCE * quiet[mode][figure])
             for mode in MODES for figure in FIGURES]
    tests += [(f"{verdict}: {quiet[verdict]}, on a busy host {loaded[verdict]}",
               quiet[verdict] == loaded[verdict]) for verdict in VERDICTS]
    for n, (text, good) in enumerate(tests, 1):
        yield f"{'ok' if good else 'not ok'} {n} - {text}"
    yield f"1..{len(tests)}"


def loaded():
    with busy_host():
        yield from lines("demo-loaded", parts("demo-loaded"))
    yield from same_results(*(json.loads((RESULTS / name / "results.json").read_text())
                              for name in ("demo", "demo-loaded")))
