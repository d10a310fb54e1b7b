# SPDX-License-Identifier: GPL-2.0
"""How old is the last whole run of each target? usage: bench runs

The table of last runs is testing.rst's. Beside each stands how many commits since have changed the
driver, and how many anything at all.
"""
import argparse
import re
import subprocess
from typing import NamedTuple

from testbench.paths import ROOT

DRIVER = ["drivers", "include", "patches", "Kconfig.gpreempt"]
# Instead of a date: nobody knows the commit.
NO_RUN = ("never", "older")


class Run(NamedTuple):
    target: str
    run_by: str
    date: str
    commit: str
    suites: str     # of its own


def last_runs(text):
    """The rows of the table in testing.rst."""
    rows = re.findall(r"^make ([a-z-]+) +(CI|release) +(\S+) +(\S+) +(\S.*)$", text, re.M)
    return [Run(*row) for row in rows]


def commits_since(commit, *paths):
    """How many; "?" where git does not have them all."""
    done = subprocess.run(["git", "-C", ROOT, "rev-list", "--count", f"{commit}..HEAD", "--", *paths],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() or "?"


def line(run):
    if run.date in NO_RUN:
        return f"{run.target:<18} {run.date:<11} {'-':<8} {'-':>6} {'-':>6}"
    return (f"{run.target:<18} {run.date:<11} {run.commit:<8} {commits_since(run.commit, *DRIVER):>6} "
            f"{commits_since(run.commit):>6}")


def main():
    argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n", maxsplit=1)[0]).parse_args()
    print(f"{'command':<18} {'last run':<11} {'commit':<8} {'driver':>6} {'all':>6}  commits since")
    for run in last_runs((ROOT / "tools/testing/gpreempt/testing.rst").read_text()):
        print(line(run))


if __name__ == "__main__":
    main()
