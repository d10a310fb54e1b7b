# SPDX-License-Identifier: GPL-2.0
"""Run AMD's kfdtest in the guest: on stock's amdgpu, and on the one with GPREEMPT,
disabled and enabled.

Leaves out/kfdtest/results.tsv (test, stock, built, enabled: pass, fail or skip, "-"
if it was not run), out/kfdtest/why.tsv (what a test that did not pass said), and both
as tables to read in out/kfdtest/table.rst. Fails when a test that passes on stock does
not with GPREEMPT built or enabled, or when the kernel then reports what it has not reported
on stock in the same run (out/kfdtest/reports.tsv); without stock in the run that is anything.

They are written after each test. What is run anew is replaced in them, the rest is
kept: so a part can be run, and an ended run resumed (--resume). A test that does not end on
stock, or ends the guest, is not run with the other two, which would compare nothing.
"""
import argparse
import collections
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading

from testbench.guest import splats
from testbench.paths import GUEST, OUT, ROCM, ROCM_ROOT, bench, in_guest, inside

DRIVERS = {
    "stock": ["--module", "stock"],
    "built": [],
    "enabled": ["--append", "amdgpu.gpreempt=1"],
}
# Another guest than the others', of more memory.
LARGER = {
    # With 1 GB of VRAM it skips, with 2 its processes are evicted for 0.1 s, with 4 for 57.
    "KFDEvictTest.QueueTest": ["--model", "--vram-mb 4096", "--memory", "6144"],
}
# Not tried: they need what is not here.
WITHOUT = {
    "KFDPMTest.*": "wants a person who puts the machine to sleep",
    "KFDRASTest.*": "wants memory that reports its errors",
}
# Why a test fails or is not run, where it says only that.
NOTES = {
    "KFDEventTest.MeasureInterruptConsumption": "measures in a loop without end",
    "KFDIPCTest.*": "its ioctl is not in Linux",
    "KFDPCSamplingTest.*": "its ioctl is not in Linux",
    "KFDQMTest.mGPUShareBO": "wants two GPUs",
}
# Of AMD's: tests that are not expected to pass, by GPU.
EXCLUDED = "/usr/src/rocr-runtime/libhsakmt/tests/kfdtest/scripts/kfdtest.exclude"
GPU = "aldebaran"
HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. written by bench kfdtest

====================
 Results of kfdtest
====================

Passed / failed / skipped / not run, on stock's amdgpu, with GPREEMPT built, and with
GPREEMPT enabled:
"""
OF_STOCK = "stock-reports"      # what the kernel reported on stock in this run
TIMEOUT = "did not end in time"
DIED = "the guest died or hung"
BOOT = 120      # seconds that a guest may take to start
# Seconds of ours that one of the guest's may take: a busy one takes about five.
PATIENCE = 20


def parse():
    about, *epilog = __doc__.split("\n\n")
    p = argparse.ArgumentParser(description=about, epilog=" ".join(epilog))
    p.add_argument("--limit", type=int, default=400,
                   help="seconds for a test, by the guest's clock (default %(default)s)")
    p.add_argument("--name", default="kfdtest", help="results go to out/NAME (default %(default)s)")
    p.add_argument("--driver", action="append", choices=DRIVERS,
                   help="only this one (default all; may be given twice)")
    p.add_argument("--resume", action="store_true", help="leave out what has a result already")
    p.add_argument("tests", nargs="*", default=["*"], help="names, as the shell's patterns")
    return p.parse_args()


def build():
    make = ["make", "-s", f"-j{os.cpu_count()}", "-f", "/repo/scripts/testbench/kfdtest/kfdtest.mk",
            "O=/build/kfdtest"]
    subprocess.run(bench("rocm", "sh", "-c", "mkdir -p $1; shift; exec \"$@\"", "sh",
                         "/build/kfdtest", *make), check=True)


def known():
    """Every test that kfdtest has."""
    text = subprocess.run(bench("rocm", "/build/kfdtest/kfdtest", "--gtest_list_tests"),
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    names, group = [], None
    for line in text.splitlines():
        if m := re.match(r"(\w[\w/]*\.)(?:\s|$)", line):
            group = m[1]
        elif (m := re.match(r"  (\S+)", line)) and group:
            names.append(group + m[1])
    return names


def excluded():
    """Patterns of the tests that AMD does not expect to pass on this GPU."""
    script = f". {ROCM_ROOT}{EXCLUDED} && echo ${{FILTER[{GPU}]}}"
    text = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return [p for p in re.split(r"[-:\s]+", text) if p]


def rst(rows):
    """A simple table; the first row is its heading."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    rule = "  ".join("=" * width for width in widths)
    head, *body = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join((rule, head, rule, *body, rule, ""))


def first(table, test):
    """What a table says of the tests that match a pattern, or None."""
    return next((text for pattern, text in table.items() if fnmatch.fnmatch(test, pattern)), None)


def judge(text, status):
    """Result of a test, and why it is none or a bad one."""
    if status == 137:
        return "fail", TIMEOUT
    if status > 128:
        return "fail", f"died of signal {status - 128}"
    if status:
        found = re.search(r": Failure\n((?:.*\n){1,4})", text)
        return "fail", " ".join((found[1] if found else text[-300:]).split())
    if m := re.search(r"(?i)skipping test[^:\n]*:? *(.*)", text):
        return "skip", m[1].strip() or m[0].strip()
    if "[       OK ]" not in text:
        return "fail", "ended without a result"
    return "pass", ""


class Table:
    """
    What is known of each test, by driver, and what the kernel reported meanwhile that it had not
    reported on stock. What it reported there in this run is in a file.
    """

    def __init__(self, folder, everything, hopeless):
        self.folder = folder
        self.everything = everything
        self.hopeless = hopeless    # patterns, see excluded()
        self.results = {}       # (driver, test) -> pass, fail or skip, and why
        self.reports = {d: set() for d in DRIVERS if d != "stock"}
        self.of_stock = folder / OF_STOCK
        folder.mkdir(parents=True, exist_ok=True)
        why = {(driver, test): text for test, driver, _, text in self.rows("why.tsv")}
        for test, *cells in self.rows("results.tsv"):
            for driver, result in zip(DRIVERS, cells):
                if result != "-" and test in everything:
                    self.results[driver, test] = result, why.get((driver, test), "")
        for driver, report in self.rows("reports.tsv"):
            if driver in self.reports:
                self.reports[driver].add(report)

    def rows(self, name):
        path = self.folder / name
        lines = path.read_text().splitlines() if path.exists() else []
        return (line.split("\t") for line in lines if line.partition("\t")[0] != "test")

    def write(self, name, rows):
        new = self.folder / f"{name}.new"
        new.write_text("".join("\t".join(row) + "\n" for row in rows))
        new.replace(self.folder / name)

    def save(self):
        self.write("results.tsv", [
            ("test", *DRIVERS), *((t, *(self.result(d, t) for d in DRIVERS))
                                  for t in self.everything)])
        self.write("why.tsv", [(t, d, *self.results[d, t]) for t in self.everything
                               for d in DRIVERS if self.results.get((d, t), ("", ""))[1]])
        self.write("reports.tsv", [(d, r) for d, of in self.reports.items() for r in sorted(of)])

        (self.folder / "table.rst").write_text(self.text())

    def counts(self, driver, tests):
        count = collections.Counter(self.result(driver, t) for t in tests)
        return [str(count[r]) for r in ("pass", "fail", "skip", "-")]

    def text(self):
        """How many of each group passed, failed, were skipped, were not run; and why."""
        groups = collections.defaultdict(list)
        for test in self.everything:
            groups[test.partition(".")[0]].append(test)
            groups["all"].append(test)
        groups["all"] = groups.pop("all")
        counts = [[name, str(len(tests)), *(" / ".join(self.counts(d, tests)) for d in DRIVERS)]
                  for name, tests in groups.items()]
        whys = [[t, *(self.result(d, t) for d in DRIVERS), self.why(t)] for t in self.everything
                if any(self.result(d, t) != "pass" for d in DRIVERS)]
        return "\n".join((HEAD, rst([["group", "tests", *DRIVERS], *counts]),
                          "What did not pass, or was not run:\n",
                          rst([["test", *DRIVERS, "why"], *whys])))

    def why(self, test):
        """Of the driver on which it first did not pass: a note, or what it said."""
        result, why = next(self.results.get((d, test), ("-", "not run")) for d in DRIVERS
                           if self.result(d, test) != "pass")
        if result != "skip":
            why = first(NOTES, test) or why
        amd = any(fnmatch.fnmatch(test, p) for p in self.hopeless)
        return textwrap.shorten(why, 80, placeholder="...").rstrip(".") + "; on AMD's list" * amd

    def result(self, driver, test):
        return self.results.get((driver, test), "-")[0]

    def put(self, driver, test, result, why):
        self.results[driver, test] = result, " ".join(why.split())
        self.save()

    def forget(self, drivers, tests):
        """These are run anew, and nothing has been reported on stock yet."""
        self.of_stock.write_text("")
        for driver in drivers:
            for test in tests:
                self.results.pop((driver, test), None)
            # else nobody could say which test it was
            if driver in self.reports and not any(d == driver for d, _ in self.results):
                self.reports[driver].clear()
        self.save()

    def futile(self, test):
        """Why it is not worth while to run it elsewhere than on stock, or None."""
        result, why = self.results.get(("stock", test), ("", ""))
        return why if result == "fail" and why in (TIMEOUT, DIED) else None

    def worse(self):
        """What passes on stock and not with GPREEMPT, and what is only reported with that."""
        for test in self.everything:
            for driver in DRIVERS:
                if self.result("stock", test) == "pass" and \
                   self.result(driver, test) in ("fail", "skip"):
                    yield f"{test} ({driver})"
        for driver, of in self.reports.items():
            yield from (f"{report} ({driver})" for report in sorted(of))


def lines_of(process, patience):
    """What it prints; it is killed once nothing comes for so many seconds."""
    while True:
        timer = threading.Timer(patience, process.kill)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            return
        yield line.rstrip()


def boot(folder, driver, tests, limit):
    """Run tests until they are done or the guest died; yields name, status, seconds, text."""
    given = folder / f"{driver}.in"
    given.mkdir(exist_ok=True)
    (given / "tests").write_text("".join(t + "\n" for t in tests))
    command = [*GUEST, "--name", os.path.relpath(folder / driver, OUT),
               *DRIVERS[driver], "--memory", "3072", *(first(LARGER, tests[0]) or ()),
               "--root", ROCM_ROOT, "--timeout", str(BOOT + len(tests) * limit),
               "--splat-ok", folder / OF_STOCK, "--input", given, "--",
               inside("kfdtest/kfdtest"), in_guest(ROCM / "kfdtest/kfdtest"), str(limit)]
    said = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as guest:
        for line in lines_of(guest, PATIENCE * (BOOT + limit)):
            if line.startswith("|"):
                said.append(line[2:] + "\n")
            elif m := re.match(r"(KFD\S+) (\d+) (\d+)$", line):
                yield m[1], int(m[2]), int(m[3]), "".join(said)
                said.clear()
            else:
                print("  " + line)


def reported(table, driver):
    """
    What the kernel's checkers reported in a guest and is like none of stock's of this run; each in
    a line. What names gpreempt never is.
    """
    return {r.likeness + ", gpreempt is in it" * r.ours
            for r in splats.beyond(splats.of_guest(table.folder / driver), table.of_stock)}


def run(table, driver, tests, limit):
    """Run tests, in as many guests as it takes."""
    alive = True
    while left := [t for t in tests if table.result(driver, t) == "-"]:
        left = [t for t in left if first(LARGER, t) == first(LARGER, left[0])]
        ended = 0
        for ended, (test, status, seconds, said) in enumerate(
                boot(table.folder, driver, left, limit), 1):
            result, why = judge(said, status)
            table.put(driver, test, result, why)
            if result != "pass":
                (table.folder / f"{driver}-{test.replace('/', '-')}.txt").write_text(said)
            print(f"  {driver:8}{result:6}{seconds:4} s  {test}  {why[:100]}", flush=True)
        if driver != "stock":
            table.reports[driver] |= reported(table, driver)
        if not (alive or ended):
            sys.exit("kfdtest: error: two guests one after the other died at their first test")
        alive = ended
        # Its guest died of it; the others get another one.
        if dead := [t for t in left if table.result(driver, t) == "-"]:
            table.put(driver, dead[0], "fail", DIED)
            shutil.copy(table.folder / driver / "console.log",
                        table.folder / f"{driver}-{dead[0].replace('/', '-')}.console")
            print(f"  {driver:8}fail         {dead[0]}  {DIED}", flush=True)
    table.save()


def main():
    args = parse()
    build()
    everything = known()
    table = Table(OUT / args.name, everything, excluded())
    tests = [t for t in everything if any(fnmatch.fnmatch(t, p) for p in args.tests)]
    if not tests:
        sys.exit(f"kfdtest: error: no test is named {' '.join(args.tests)}")
    drivers = [d for d in DRIVERS if d in (args.driver or DRIVERS)]
    if not args.resume:
        table.forget(drivers, tests)
    for test in tests:
        for driver in drivers:
            if why := first(WITHOUT, test):
                table.put(driver, test, "skip", why)
    for driver in drivers:
        run(table, driver, [t for t in tests if driver == "stock" or not table.futile(t)],
            args.limit)

    for driver in drivers:
        print("{}: {} pass, {} fail, {} skip, {} not run".format(
            driver, *table.counts(driver, tests)))
    if worse := list(table.worse()):
        sys.exit("kfdtest: FAILED: worse than stock: " + ", ".join(worse))

