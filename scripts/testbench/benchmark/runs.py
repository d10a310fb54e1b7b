# SPDX-License-Identifier: GPL-2.0
"""The runs: each is a boot of the guest, and leaves what it measured in a folder of its own.

The folder's name tells what went into the run: mix and seed, and a hash of its
requests, its options and the contents of all that ran. So a run that is there need not
be repeated, and one whose inputs changed has another name. A run gets its folder whole,
when it has ended; until then it is in another one.
"""
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from testbench.benchmark import about, mixes, reading
from testbench.benchmark.about import NoResult
from testbench.gpu import GPUS
from testbench.guest import inputs
from testbench.paths import GUEST, OUT, PROGRAMS, in_guest, inside

FOLDER = "bench/runs"           # of OUT
UNFINISHED = "bench/unfinished"
# Seconds of the guest. The host has all waves of a full machine to execute.
TIMEOUT = {"small": 900, "engines": 1800, "full": 7200}
PAUSE = 0.2                     # seconds, between two looks at the guests


STOPPED = "not made: stopped"


class Stop:
    """Whether somebody wants us to end. The runs that go on are given up then."""

    def __init__(self):
        self.asked = False
        for number in signal.SIGTERM, signal.SIGINT:
            signal.signal(number, self.ask)

    def ask(self, *_):
        self.asked = True


def programs():
    return [PROGRAMS / p for p in ("bench_low", "bench_high", "bench_daemon")]


def contents():
    """A hash of all that runs."""
    return inputs.contents(programs())


def missing():
    """What has to be built before."""
    return inputs.missing(programs())


@dataclass(frozen=True)
class Job:
    """What a run is to be."""
    mix: str
    seed: int
    modes: tuple
    requests: int
    contents: str
    asic: str
    size: str               # how much of it
    rptr_at: str            # when the model advances a read index
    model: str = ""         # more options of the model
    quantum_us: str = ""    # of guest and model; empty: the default

    script = "benchmark/bench"      # the guest's

    def plan(self):
        return mixes.plan(mixes.MIXES[self.mix], self.modes)

    def times(self):
        return mixes.times(self.mix, self.seed, self.requests)

    def read(self):
        """What each mode measured, by HIGH's level."""
        return reading.read_run(self.folder(), self.modes, mixes.MIXES[self.mix].levels)

    def key(self):
        went_in = json.dumps([asdict(self), self.plan(), self.times()])
        return (f"{self.mix}-{self.asic}-{self.size}-{self.rptr_at}-{self.seed}-"
                + hashlib.sha256(went_in.encode()).hexdigest()[:12])

    def folder(self):
        return OUT / FOLDER / self.key()

    def title(self):
        return ", ".join(filter(None, (self.mix, self.rptr_at, f"seed {self.seed}", self.model)))

    def about(self):
        return json.loads((self.folder() / "run.json").read_text())["about"]


class Run:
    """A job in a guest."""

    def __init__(self, job):
        self.job = job
        self.name = f"{UNFINISHED}/{job.key()}"
        self.folder = OUT / self.name
        # bench guest empties that folder: what goes in is beside it
        given = self.beside("in")
        shutil.rmtree(given, ignore_errors=True)
        given.mkdir(parents=True)
        (given / "plan").write_text(job.plan())
        for level, times in job.times().items():
            (given / f"at-{level}").write_text(times)
        self.begin = time.monotonic()
        with self.beside("said").open("w") as said:
            self.process = subprocess.Popen(self.command(given), stdin=subprocess.DEVNULL,
                                            stdout=said, stderr=said)

    def beside(self, kind):
        return self.folder.parent / f"{self.folder.name}.{kind}"

    def command(self, given):
        quantum = ["--quantum-us", self.job.quantum_us] if self.job.quantum_us else []
        return [*GUEST, "--name", self.name, "--kernel", "", "--seed", str(self.job.seed), *quantum,
                "--timeout", str(TIMEOUT[self.job.size]), "--append", GPUS[self.job.asic].append,
                "--model",
                f"{GPUS[self.job.asic].sized(self.job.size)} --rptr-at {self.job.rptr_at} {self.job.model}",
                "--input", given, "--", inside(self.job.script), in_guest(PROGRAMS)]

    def doing(self):
        """The mode that is measured now."""
        said = self.beside("said").read_text(errors="replace")
        return said.rpartition("run: ")[2].strip() if "run: " in said else "boot"

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def finish(self):
        """Give what it left its place; NoResult if it is worth nothing."""
        said = self.beside("said")
        if self.process.returncode:
            raise NoResult("the guest failed: " + (said.read_text(errors="replace").strip()[-2000:]
                                                   or f"status {self.process.returncode}"))
        subprocess.run(["gzip", "-1", self.folder / "events.log"], check=True)
        made_of = {**asdict(self.job), "about": about.of_run(self.folder)}
        (self.folder / "run.json").write_text(json.dumps(made_of, indent=1) + "\n")
        said.unlink()
        shutil.rmtree(self.beside("in"))
        shutil.rmtree(self.job.folder(), ignore_errors=True)
        self.job.folder().parent.mkdir(exist_ok=True)
        self.folder.rename(self.job.folder())


def outcome(run):
    """Why a run that has ended has no result, or None."""
    try:
        return run.finish()
    except (NoResult, OSError, subprocess.CalledProcessError) as e:
        return str(e)


def measure(jobs, at_once, stop):
    """Run jobs in guests beside each other; yields each, and why it has no result, or None."""
    waiting, going, done = list(jobs), [], 0
    try:
        while (waiting or going) and not stop.asked:
            while waiting and len(going) < at_once:
                going.append(Run(waiting.pop(0)))
            for run in [r for r in going if r.process.poll() is not None and not stop.asked]:
                going.remove(run)
                done += 1
                why = outcome(run)
                say(f"run {done} of {len(jobs)}: {run.job.title()}: "
                    f"{'no result after ' if why else ''}{time.monotonic() - run.begin:.0f} s")
                yield run.job, why
            show("; ".join(f"{r.job.mix} {r.job.rptr_at} {r.job.seed}: {r.doing()}" for r in going))
            time.sleep(PAUSE)
    finally:
        for run in going:
            run.stop()
        show("")
    for job in [r.job for r in going] + waiting:
        yield job, STOPPED


def settle(jobs, at_once, stop, anew=False):
    """As measure(), but what is there is not made again."""
    there = [] if anew else [j for j in jobs if j.folder().exists()]
    if there:
        say(f"{len(there)} of {len(jobs)} runs are there already")
    for job in there:
        yield job, None
    yield from measure([j for j in jobs if j not in there], at_once, stop)


def show(text):
    """On a terminal, in the line that the next one takes."""
    if sys.stdout.isatty():
        print(f"\r  {text[:100]:<100}\r", end="", flush=True)


def say(text):
    show("")
    print(f"  {text}", flush=True)
