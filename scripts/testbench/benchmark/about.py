# SPDX-License-Identifier: GPL-2.0
"""What a figure has to say of itself: the clock it was taken by, when, and of which commit."""
import datetime
import re
import subprocess

from testbench.paths import ROOT


class NoResult(Exception):
    """What was measured does not mean anything; the text says why."""


def values(path):
    """The KEY=VALUE lines of a file."""
    return dict(re.findall(r"^(\w+)=(\S+)$", path.read_text(), re.M))


def clock(folder):
    """The CPU's speed and the quantum of a guest's run, as bench guest left them."""
    path = folder / "clock"
    if not path.exists():
        raise NoResult(f"{path} is missing: by which clock did the guest run?")
    found = values(path)
    if found["mode"] != "virtual":
        raise NoResult("the guest ran in real time: its figures do not count")
    return {key: float(found[key]) for key in ("insns_per_ns", "quantum_us")}


def commit():
    found = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT,
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return found.stdout.strip() or "unknown"


def of_run(folder):
    """Of a guest's run that has just ended."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return {**clock(folder), "date": now.strftime("%Y-%m-%d"), "commit": commit()}


def together(each):
    """Of several runs: a value where all have the same, else the values."""
    return {key: same[0] if len(same := sorted({a[key] for a in each})) == 1 else same
            for key in each[0]}


def text(about):
    def one(key, form="{}"):
        value = about[key] if isinstance(about[key], list) else [about[key]]
        return ", ".join(form.format(v) for v in value)
    return (f"CPU of {one('insns_per_ns', '{:g}')} instructions a ns, quantum "
            f"{one('quantum_us', '{:g}')} us; {one('date')}, commit {one('commit')}")
