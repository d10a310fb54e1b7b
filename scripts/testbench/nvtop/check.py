# SPDX-License-Identifier: GPL-2.0
"""What was on nvtop's screen: is each process's use of the GPU there, in each refresh?

usage: check.py RESULTS

RESULTS has what inside/nvtop has left in a guest without GPREEMPT (stock) and in one
with it (gpreempt). Results are TAP.
"""
import functools
import itertools
import re
import sys
from pathlib import Path

from testbench.metrics.check import check, equal, result

ROWS, COLUMNS = 24, 100
# pid, user, device, type, share of the GPU
LINE = re.compile(r"^ *(\d+) +\S+ +\d+ +(\S+) +(N/A|\d+%) ")


class Screen:
    """A vt100, as far as curses uses it."""
    SEQUENCE = re.compile(r"\x1b(?:\[([?\d;]*)([A-Za-z])|[()][0-9A-Z]|[=>78])|(.)", re.S)

    def __init__(self):
        self.lines = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0

    def erase(self, first, last):
        for at in range(first, last):
            self.lines[at // COLUMNS][at % COLUMNS] = " "

    def control(self, numbers, what):
        values = [int(n or 0) for n in numbers.split(";")] if "?" not in numbers else []
        n = (values or [0])[0]
        here = self.row * COLUMNS + self.column
        if what == "H":
            self.row, self.column = (max(v, 1) - 1 for v in (values + [1, 1])[:2])
        elif what == "J":
            self.erase(here if n == 0 else 0, ROWS * COLUMNS)
        elif what == "K":
            begin = self.row * COLUMNS
            self.erase(here if n == 0 else begin, begin + (self.column + 1 if n == 1 else COLUMNS))
        elif what in "ABCD":
            down, right = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}[what]
            self.row += down * max(n, 1)
            self.column += right * max(n, 1)
        else:
            check(what in "mrhl", f"what is {what!r} to a vt100?")

    def write(self, text):
        for match in self.SEQUENCE.finditer(text):
            numbers, what, character = match.groups()
            if what:
                self.control(numbers, what)
            elif character == "\r":
                self.column = 0
            elif character == "\n":
                self.row += 1
            elif character == "\b":
                self.column -= 1
            elif character and character >= " ":
                self.lines[self.row][self.column] = character
                self.column = min(self.column + 1, COLUMNS - 1)

    def processes(self):
        """Of each that has a line its type and its share."""
        found = filter(None, (LINE.match("".join(line)) for line in self.lines))
        return {int(m[1]): (m[2], m[3]) for m in found}


def pieces(folder, name):
    """What the program wrote, piece by piece."""
    text = (folder / f"{name}.screen").read_bytes().split(b"\n", 1)[1]
    for line in (folder / f"{name}.timing").read_text().splitlines():
        size = int(line.split()[1])
        yield text[:size].decode("ascii", "replace")
        text = text[size:]


def refreshes(folder, name):
    """The processes on the screen, as they were after each piece that has changed them."""
    screen, seen = Screen(), []
    for piece in pieces(folder, name):
        screen.write(piece)
        now = screen.processes()
        if now and (not seen or now != seen[-1]):
            seen.append(now)
    return seen


def pids(folder):
    return {name: int(pid) for name, pid in
            (line.split() for line in (folder / "pids").read_text().splitlines())}


def shares(results, module, name, who):
    """A process's shares of the GPU in a scene, in per cent; None is N/A."""
    folder = results / module
    pid = pids(folder)[who]
    seen = [now[pid] for now in refreshes(folder, name) if pid in now]
    check(seen, f"{who}, {pid}, has no line")
    return [kind for kind, _ in seen], [None if share == "N/A" else int(share[:-1])
                                        for _, share in seen]


def none(results, module, name, who):
    """nobody knows"""
    _, found = shares(results, module, name, who)
    equal(set(found), {None})


def since_two(results, name, who):
    """A process's shares from when there are two refreshes to compare on."""
    kinds, found = shares(results, "gpreempt", name, who)
    check("Compute" in kinds, kinds)
    return list(itertools.dropwhile(lambda share: share is None, found))


def all_within(results, name, who, low, high):
    """In each refresh."""
    found = since_two(results, name, who)
    check(found and all(v is not None and low <= v <= high for v in found),
          f"{found}, not from {low} to {high}")


def never_idle(results, name, who):
    """All of the time. nvtop reads its clock before the file: where it took a little longer to come
    to that than the time before, there is more than all, and it shows no value."""
    found = since_two(results, name, who)
    check(found and all(v is None or 99 <= v <= 100 for v in found),
          f"{found}, not all of the time")


def stock(results):
    """without GPREEMPT nvtop does not know what a process has of the GPU"""
    none(results, "stock", "alone", "low")


def alone(results):
    """with it, one that is never idle has all of it"""
    never_idle(results, "alone", "low")


def preempted(results):
    """one that is preempted has nothing, and the other all"""
    all_within(results, "preempted", "low", 0, 0)
    never_idle(results, "preempted", "high")


def turns(results):
    """two that take turns have half of it each, less their saves, and together no more than all"""
    all_within(results, "turns", "low", 40, 55)
    all_within(results, "turns", "other", 40, 55)
    who = [pids(results / "gpreempt")[name] for name in ("low", "other")]
    both = [[int(now[pid][1][:-1]) for pid in who] for now in refreshes(results / "gpreempt", "turns")
            if all(pid in now and now[pid][1] != "N/A" for pid in who)]
    check(both and all(sum(pair) <= 100 for pair in both), both)


def disabled(results):
    """once GPREEMPT is disabled the time stands still"""
    all_within(results, "disabled", "low", 0, 0)


TESTS = (stock, alone, preempted, turns, disabled)


def main():
    results = Path(sys.argv[1])
    good = [result(n, functools.partial(test, results)) for n, test in enumerate(TESTS, 1)]
    print(f"1..{len(TESTS)}")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
