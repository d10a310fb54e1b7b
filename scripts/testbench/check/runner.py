# SPDX-License-Identifier: GPL-2.0
"""Runs suites beside each other, and ends all that they started.

A suite runs in a process of its own. Whatever it started ends with it: when it is
done, and when the runner goes, however that dies. For that the suite's process is a
subreaper: what its children leave behind becomes its child, whatever its group.
"""
import ctypes
import os
import pickle
import select
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

from testbench.check import tap

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
PATIENCE_S = 60         # without a line
TICK_S = 1              # of the line on a terminal


def prctl(option, value):
    if ctypes.CDLL(None, use_errno=True).prctl(option, value):
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")


def adopt():
    """Be the parent of what the processes below this one leave behind."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def of_processes(name):
    """(its id, what its file of that name holds) for each process, if it has not ended meanwhile.

    Not by Path.glob(): in Python 3.11 that fails when a process ends before its file is found.
    """
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            yield int(pid), Path("/proc", pid, name).read_bytes()
        except OSError:
            continue        # it ended


def descendants(pid):
    children = {}
    for child, stat in of_processes("stat"):
        parent = int(stat.rpartition(b")")[2].split()[1])
        children.setdefault(parent, []).append(child)
    found = children.get(pid, [])
    for child in found:     # it grows meanwhile
        found += children.get(child, [])
    return found


def end_descendants():
    """Kill all below this process, which has adopted them; back when they are gone."""
    while True:
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


class Child:
    """A function in a process of its own."""

    def __init__(self, function, *args):
        self.begin = time.monotonic()
        read, write = os.pipe()
        sys.stdout.flush()
        parent = os.getpid()
        # none reaches the child while it has the runner's handlers
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.pid = os.fork()
        if not self.pid:
            self.inside(parent, write, lambda: function(*args))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.close(write)
        self.pipe = os.fdopen(read, "rb")

    @staticmethod
    def inside(parent, write, function):
        """Does not return."""
        status = 1
        try:
            os.setsid()         # Ctrl-C is the runner's
            adopt()
            for number in SIGNALS:
                signal.signal(number, lambda *_: (end_descendants(), os._exit(1)))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() == parent:
                value = function()
                with os.fdopen(write, "wb") as pipe:
                    pickle.dump(value, pipe)
                status = 0
        except BaseException:   # never back into what the parent does
            traceback.print_exc()
        finally:
            end_descendants()
            sys.stdout.flush()
            os._exit(status)

    def fileno(self):
        """Is readable when it is over."""
        return self.pipe.fileno()

    def seconds(self):
        return time.monotonic() - self.begin

    def result(self):
        """Wait for it: what the function returned, or None if it died."""
        with self.pipe:
            data = self.pipe.read()
        os.waitpid(self.pid, 0)
        return pickle.loads(data) if data else None


class Progress:
    """What is printed: of each suite a text at its end, and now and then what runs."""

    def __init__(self):
        self.terminal = sys.stdout.isatty()
        self.printed = time.monotonic()

    def say(self, text):
        print("\r\x1b[K" * self.terminal + text, flush=True)
        self.printed = time.monotonic()

    def tick(self, running, left):
        """running: name -> seconds"""
        text = "  " + ", ".join(f"{n} {s:.0f} s" for n, s in running.items()) + f"; {left} left"
        if self.terminal:
            text = text[:shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[K{text}", end="", flush=True)
        elif time.monotonic() - self.printed >= PATIENCE_S:
            self.say(text)


def in_chains(names, chains):
    """Lists of names that run one after the other; most are alone in theirs."""
    lists = [[n for n in chain if n in names] for chain in chains]
    chained = {n for found in lists for n in found}
    return [found for found in lists if found] + [[n] for n in names if n not in chained]


def run_all(names, run, told, jobs, seconds, chains=()):
    """
    Run suites, so many at once, those first that take longest with what is chained to
    them; their tallies, in the order of the names. run(name) returns a tally, told(name,
    tally) what to print of it, seconds(name) how long it may take.
    """
    waiting = in_chains(names, chains)
    running = {}        # Child -> its name and those that wait for it
    tallies = {}
    progress = Progress()
    while waiting or running:
        waiting.sort(key=lambda chain: -sum(map(seconds, chain)))
        while waiting and len(running) < jobs:
            chain = waiting.pop(0)
            running[Child(run, chain[0])] = chain
        for child in select.select(list(running), [], [], TICK_S)[0]:
            name, *rest = running.pop(child)
            tally = child.result()
            if not tally:
                tally = tap.Tally()
                tally.fail("its process died")
            tally.seconds = child.seconds()
            tallies[name] = tally
            progress.say(told(name, tally))
            if rest:
                waiting.append(rest)
        if running:
            progress.tick({chain[0]: child.seconds() for child, chain in running.items()},
                          len(names) - len(tallies))
    return {name: tallies[name] for name in names}
