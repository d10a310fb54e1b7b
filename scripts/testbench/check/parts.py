# SPDX-License-Identifier: GPL-2.0
"""What a suite is made of: commands of the host and in guests, and the lines of TAP that they give."""
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from testbench.paths import GUEST, KERNEL, RESULTS

# Races want threads, which only real time has. A limit then counts the host's
# seconds, in which the guest runs beside others: it is so many times as long. So it is
# for a kernel that checks itself, whatever time counts.
REAL_TIME = ["env", "REALTIME=1"]
LONGER = 4


@dataclass(frozen=True)
class Host:
    """A command on the host. With a text it is one test, by its status."""
    command: list
    text: str = ""

    def argv(self, _suite):
        return self.command


@dataclass(frozen=True)
class Guest:
    """A command in a guest, its limit in the guest's seconds. One of several has a name."""
    command: list
    options: list = ()
    limit: int = 300
    name: str = ""
    text: str = ""
    real_time: bool = KERNEL == "kcsan"

    def argv(self, suite):
        limit = self.limit * LONGER if self.real_time or KERNEL else self.limit
        return [*(REAL_TIME if self.real_time else ()), *GUEST,
                "--name", "/".join(filter(None, (RESULTS.name, suite, self.name))), "--suite", suite,
                "--timeout", str(limit), *self.options, "--", *self.command]


def host(*command, text=""):
    return Host(command, text)


def guest(*command, **how):
    return Guest(command, **how)


def tests(steps):
    """TAP: commands, each a test that fails when its command does, and skips what that skips."""
    for n, (text, command) in enumerate(steps.items(), 1):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        yield from ("# " + line for line in done.stdout.splitlines())
        skipped = re.search("# SKIP.*", done.stdout)
        yield (f"{'not ok' if done.returncode else 'ok'} {n} - {text}" +
               (f" {skipped[0]}" if skipped else ""))
    yield f"1..{len(steps)}"


def streams(*commands):
    """The TAP of several commands; one that fails and does not say so is a failure, too."""
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)
        yield from done.stdout.splitlines()
        if done.returncode and not re.search("^not ok", done.stdout, re.M):
            found = re.search(r"^SUMMARY: (\w+Sanitizer: .*)", done.stdout, re.M)
            yield (f"not ok 1 - {Path(command[0]).name} ended with status {done.returncode}" +
                   (f": {found[1]}" if found else ""))
            yield "1..1"


def lines(name, run):
    """What a suite prints, line by line; returns its exit status, if it is one command."""
    if callable(run):
        yield from run()
        return 0
    if len(run) > 1 or run[0].text:
        for part in run:
            command = part.argv(name)
            yield from tests({part.text: command}) if part.text else streams(command)
        return 0
    with subprocess.Popen(run[0].argv(name), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as p:
        for line in p.stdout:
            yield line.rstrip("\n")
    return p.returncode
