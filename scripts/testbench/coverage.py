# SPDX-License-Identifier: GPL-2.0
"""Which lines of the driver's own files the tests have run.

usage: coverage RESULTS GUEST

RESULTS is the folder of a run of the suites on the debug kernel: each of its
guests left its counts in gcov/. GUEST is that kernel's folder, which has the
list of lines in gcno/. A line counts as run when any guest ran it. Prints the
lines that none ran, by file and function, and ends with `TOTAL NN.N%`; fails if
that is less than it should be.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

# Code for hardware that the model is not.
APART = {"kfd_gpreempt_mes.c"}
OURS = "kfd_gpreempt"
ENOUGH = 90     # percent


def gcov(gcda, gcno):
    """What gcov says of one object of one guest."""
    with tempfile.TemporaryDirectory() as d:
        for f in gcda, gcno:
            (Path(d) / f.name).symlink_to(f.resolve())
        done = subprocess.run(["gcov", "--json-format", gcda.name], cwd=d, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        results = list(Path(d).glob("*.gcov.json.gz"))
        if done.returncode or not results or "stamp mismatch" in done.stderr:
            sys.exit(f"coverage: error: gcov on {gcda}: {done.stderr.strip() or 'no result'}")
        return json.loads(gzip.decompress(results[0].read_bytes()))


def collect(results, guest):
    """file name -> line -> [times it ran, its function]"""
    lines = defaultdict(dict)
    for gcda in sorted(results.glob("**/gcov/*.gcda")):
        gcno = guest / "gcno" / f"{gcda.stem}.gcno"
        for f in gcov(gcda, gcno)["files"]:
            name = os.path.basename(f["file"])
            if not name.startswith(OURS) or name.endswith("_kunit.c") or "_trace" in name:
                continue
            for line in f["lines"]:
                seen = lines[name].setdefault(line["line_number"], [0, ""])
                seen[0] += line["count"]
                seen[1] = line.get("function_name") or seen[1]
    return lines


def ranges(numbers):
    """[1, 2, 3, 7] -> "1-3, 7" """
    runs = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in runs)


def table(lines):
    """The report's lines; returns the total in percent."""
    total = ran = 0
    for name in sorted(lines, key=lambda n: (n in APART, n)):
        counts = lines[name]
        hit = sum(1 for n, _ in counts.values() if n)
        note = " (apart: hardware that the model is not)" if name in APART else ""
        yield f"{name}: {hit} of {len(counts)} lines, {100 * hit / len(counts):.1f}%{note}"
        if name not in APART:
            total += len(counts)
            ran += hit
        missed = defaultdict(list)
        for line, (n, function) in counts.items():
            if not n:
                missed[function].append(line)
        for function in sorted(missed, key=lambda f: missed[f][0]):
            yield f"    {function}: {ranges(missed[function])}"
    percent = 100 * ran / total if total else 0
    yield f"TOTAL {percent:.1f}%"
    return percent


def printed(report):
    """Print the report; its total."""
    while True:
        try:
            print(next(report))
        except StopIteration as end:
            return end.value


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    lines = collect(Path(sys.argv[1]), Path(sys.argv[2]))
    if not lines:
        sys.exit(f"coverage: error: no guest left counts in {sys.argv[1]}/**/gcov")
    percent = printed(table(lines))
    if percent < ENOUGH:
        sys.exit(f"coverage: error: {percent:.1f}%, less than {ENOUGH}%")

