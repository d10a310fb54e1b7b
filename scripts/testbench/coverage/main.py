# SPDX-License-Identifier: GPL-2.0
"""Which lines and branches of the driver the tests have run.

usage: coverage RESULTS GUEST

Counted are GPREEMPT's own files and, in the files of Linux that the patches change,
the lines that they change. RESULTS is the folder of a run of the suites on the
kernel that counts: each of its guests left its counts in gcov/. GUEST is that kernel's folder,
which has the list of lines in gcno/ and the patches' changes in changes.diff. What
any guest ran counts as run; hardware that the model is not counts as well, as not
run. Prints what none ran, by file and function, and ends with `TOTAL NN.N% of lines,
NN.N% of branches`; fails if either is less than the documentation says (FLOOR).
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from testbench.paths import ROOT

FOLDER = "gpreempt"
# a file there by its path from there, each other one by its name
IN_FOLDER = re.compile(rf"(?:^|/)({FOLDER}/\w+/[^/]+|[^/]+)$")
DOCUMENT = ROOT / "tools/testing/gpreempt/testing.rst"
FLOOR = re.compile(r"fails\s+below\s+([\d.]+) % of the lines or\s+([\d.]+) % of the\s+branches")


@dataclass
class Line:
    """How often a line ran, and each way out of it: all guests together."""
    function: str = ""
    count: int = 0
    branches: list = field(default_factory=list)

    def add(self, seen):
        """What gcov says of it. An inline function has fewer branches in some objects."""
        self.function = seen.get("function_name") or self.function
        self.count += seen["count"]
        counts = [b["count"] for b in seen["branches"]]
        self.branches += [0] * (len(counts) - len(self.branches))
        for n, count in enumerate(counts):
            self.branches[n] += count


def gcov(gcda, gcno):
    """What gcov says of one object of one guest."""
    with tempfile.TemporaryDirectory() as d:
        for f in gcda, gcno:
            (Path(d) / f.name).symlink_to(f.resolve())
        done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", gcda.name], cwd=d,
                              check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
        results = list(Path(d).glob("*.gcov.json.gz"))
        if done.returncode or not results or "stamp mismatch" in done.stderr:
            sys.exit(f"coverage: error: gcov on {gcda}: {done.stderr.strip() or 'no result'}")
        return json.loads(gzip.decompress(results[0].read_bytes()))


def changes(diff):
    """Of a diff without context: file name -> the numbers of the lines that it adds or changes."""
    lines, name = defaultdict(set), None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = os.path.basename(line)
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines[name] |= set(range(first, first + count))
    return lines


def is_ours(name):
    """A file that Linux does not have, but for the tracepoints."""
    return name.startswith(f"{FOLDER}/") and name != f"{FOLDER}/run/trace.h"


def counted(name, changed):
    """The lines of a file that count, as a test of a line's number; None: it is not counted."""
    if is_ours(name):
        return lambda n: True
    return changed[name].__contains__ if name in changed else None


def collect(results, guest):
    """file name -> number -> Line"""
    lines = defaultdict(dict)
    changed = changes((guest / "changes.diff").read_text())
    for gcda in sorted(results.glob("**/gcov/*.gcda")):
        for f in gcov(gcda, guest / "gcno" / f"{gcda.stem}.gcno")["files"]:
            name = IN_FOLDER.search(f["file"])[1]
            if not (counts := counted(name, changed)):
                continue
            for line in f["lines"]:
                if counts(line["line_number"]):
                    lines[name].setdefault(line["line_number"], Line()).add(line)
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


class Sum:
    """Of what is counted, and of what ran of it."""

    def __init__(self, lines):
        ways = [n for line in lines for n in line.branches]
        self.lines, self.lines_run = len(lines), sum(1 for line in lines if line.count)
        self.branches, self.branches_run = len(ways), sum(1 for n in ways if n)

    def percent(self):
        """Of lines and of branches."""
        return (100 * self.lines_run / self.lines if self.lines else 0,
                100 * self.branches_run / self.branches if self.branches else 100)

    def __str__(self):
        return (f"{self.lines_run} of {self.lines} lines, {self.percent()[0]:.1f}%; "
                f"{self.branches_run} of {self.branches} branches, {self.percent()[1]:.1f}%")


def missed(lines):
    """What did not run of a file: lines by function, and lines that did not go every way."""
    never, partly = defaultdict(list), defaultdict(list)
    for number, line in sorted(lines.items()):
        if not line.count:
            never[line.function].append(number)
        elif not all(line.branches):
            partly[line.function].append(number)
    for function in sorted({**never, **partly}, key=lambda f: min(never[f] + partly[f])):
        if never[function]:
            yield f"    {function}: {ranges(never[function])}"
        if partly[function]:
            yield f"    {function}, not every way: {ranges(partly[function])}"


def table(lines):
    """The report's lines; returns the percentages of lines and of branches."""
    for name in sorted(lines, key=lambda n: (not is_ours(n), n)):
        note = "" if is_ours(name) else " (of the changed lines)"
        yield f"{name}: {Sum(lines[name].values())}{note}"
        yield from missed(lines[name])
    percent = Sum([line for counts in lines.values() for line in counts.values()]).percent()
    yield "TOTAL {:.1f}% of lines, {:.1f}% of branches".format(*percent)
    return percent


def floor(text):
    """The least percentages of lines and of branches, as the documentation states them."""
    stated = FLOOR.findall(text)
    if len(stated) != 1:
        sys.exit(f"coverage: error: {DOCUMENT} states {len(stated)} figures, not one")
    return tuple(map(float, stated[0]))


def too_low(percent, least):
    """What is said of figures that are, or None."""
    found = [f"{got:.1f}% of the {what}, less than {low}%"
             for what, got, low in zip(("lines", "branches"), percent, least) if got < low]
    return " and ".join(found) or None


def printed(report):
    """Print the report; its percentages."""
    while True:
        try:
            print(next(report))
        except StopIteration as end:
            return end.value


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    least = floor(DOCUMENT.read_text())
    lines = collect(Path(sys.argv[1]), Path(sys.argv[2]))
    if not lines:
        sys.exit(f"coverage: error: no guest left counts in {sys.argv[1]}/**/gcov")
    if why := too_low(printed(table(lines)), least):
        sys.exit(f"coverage: error: {why}")
