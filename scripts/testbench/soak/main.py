# SPDX-License-Identifier: GPL-2.0
"""A million preemptions in a random mixture of work and trouble.

usage: [KERNEL=debug] soak [--preemptions N] [--minutes N] [--seed N] [--ms N] [--pure]
                           [--short NAME]

The work is that of the program soak, in segments: each is one guest
with the next seed, which says on what GPU, which clients there are, what they do and
what is done to them. As many run at once as the host has CPUs and memory for, or $JOBS.
Segments that passed on a kernel add up in out/soak[-KERNEL]/KEY,
where KEY is the hash of all that the kernel was built from; a run that was interrupted, or
that asks for more, goes on where the last one of that very kernel ended. Of one that
failed the seed and the folder are said, it does not count, and the others go on; --seed
repeats one alone. --pure has clients and no trouble: how fast is that? --ms is the longest
period. --short NAME is one small segment without HIP, in out/NAME.
"""
import argparse
import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from testbench.guest import splats
from testbench.jobs import jobs
from testbench.paths import GUEST, OUT, ROCM, ROCM_ROOT, bench, in_guest, inside, program

PREEMPTIONS = 1_000_000
SEGMENT = {"": 250_000, "debug": 50_000}
# Of a guest's time: of the host's it is an hour and a half then, at most (guest/watch.py).
LIMIT_S = {"": 825, "debug": 400}
# A debug kernel is slower, and is given a tenth.
LESS = {"": 1, "debug": 10}
GUEST_GB = 6
FAILURES = 3            # of one run; more would not say more
SHORT = ["--seed", "1", "--ms", "300", "--preemptions", "1000"]
# Small and fast, so that most of the time goes into preemptions; by the seed, one or the other.
FAST = ("save_fixed_ns=5000", "unmap_fixed_ns=2000", "unmap_queue_ns=500", "runlist_fixed_ns=3000",
        "runlist_queue_ns=500", "restore_fixed_ns=5000", "cwsr_cu_bytes_per_us=15400")
GPUS = ("--engines 1 --cus-per-engine 2", "--engines 1 --cus-per-engine 2 --rptr-at fetch",
        "--engines 2 --cus-per-engine 1", "--engines 1 --cus-per-engine 3 --cwsr mixed")
# VRAM that a client can fill, and a reset that takes its time (inside/patient).
MODEL = " ".join(["--vram-mb 512", *(f"--param {p}" for p in FAST)])
# Nothing here is shorter that counts.
QUANTUM = ["--quantum-us", "50"]
APPEND = ["--append", "rcupdate.rcu_cpu_stall_suppress=1 slub_debug=U,kmalloc-*"]
HIP = ("basic_test", "latency --low --high --samples 2 --iterations 5")
# Of ROCm's own tests, in the roots that bench rocm --part makes: those that are there take
# turns, by the seed.
TESTS = {"rocprim": ("librocprim-tests/test_basic", "librocprim-tests/test_hip_api",
                     "librocprim-tests/test_intrinsics", "librocprim-tests/test_warp_reduce"),
         "rocrand": ("librocrand1-tests/test_rocrand_host",)}

# After each period the same as after the first:
EXACT = ("references", "tasks", "descriptors", "ours")
# Not more in the last third of the periods than in the first: so much for each period between
# them, and what it varies by anyway. "available_kb" is turned round: what there is less of.
# Stock's DRM scheduler keeps a job of some 1.5 kB for every buffer in VRAM or so: "jobs".
FLAT = {
    "files": (0.2, 40),
    "mms": (0.2, 26),
    "vram": (2048, 65536),
    "gtt": (2048, 65536),
    "kmalloc": (5, 200),
    "kernfs": (0.5, 60),
    "unreclaimable_kb": (300, 500),
    "used_kb": (400, 4000),
}
# Likewise, by so much of what it was: a debug kernel's are some times as long.
COSTS = {"scan_ns": 0.2}
WARM_UP = 3             # periods in which caches fill, and each large trouble is had once
FEWEST = 9              # periods that say something of a trend


def numbers(line):
    """The numbers of a line of NAME=NUMBER."""
    return {name: int(n) for name, n in re.findall(r"(\w+)=(-?\d+)", line)}


class Levels:
    """What there is after each period: a list of numbers for each name."""

    def __init__(self):
        self.seen = {}

    def add(self, values):
        values = dict(values)
        if "available_kb" in values:
            values["used_kb"] = -values.pop("available_kb")
        for name, value in values.items():
            self.seen.setdefault(name, []).append(value)

    def changed(self):
        """What is not as it was after the first periods."""
        for name in EXACT:
            values = self.seen.get(name, [])[WARM_UP - 1:]
            if len(set(values)) > 1:
                yield f"{name} was {values[0]}, and {max(values, key=lambda v: abs(v - values[0]))}"

    def grown(self):
        """What there is more and more of."""
        for name, all_values in self.seen.items():
            values = all_values[WARM_UP:]
            third = len(values) // 3
            if len(values) < FEWEST or name not in {*FLAT, *COSTS}:
                continue
            first = statistics.median(values[:third])
            growth = statistics.median(values[-third:]) - first
            each, noise = FLAT.get(name, (0, COSTS.get(name, 0) * first))
            if growth > each * (len(values) - third) + noise:
                yield (f"{name} has grown by {growth:g} in {len(values)} periods "
                       f"(from {first:g})")


class Segment:
    """What a segment says as it runs."""

    def __init__(self):
        self.levels = Levels()
        self.sum = {}
        self.failures = []

    def feed(self, line):
        """A line of the program's; true if a period has ended."""
        kind = line.partition(" ")[0]
        if kind in ("level", "cost"):
            self.levels.add(numbers(line))
        elif kind == "sum":
            self.sum = numbers(line)
        elif kind == "failed":
            self.failures.append(line.partition(" ")[2])
        return kind == "sum"

    def verdict(self, status):
        """Why it has failed; nothing if it has not."""
        why = [*self.failures, *self.levels.changed(), *self.levels.grown()]
        if status and not why:
            why.append(f"the guest ended with status {status}")
        if not status and not self.sum.get("preemptions"):
            why.append("nothing was preempted")
        return why


class Passed:
    """The segments of a kernel: a line of JSON for each, and the seeds that failed."""

    def __init__(self, folder):
        self.path = folder / "segments"
        self.lines = ([json.loads(line) for line in self.path.read_text().splitlines()]
                      if self.path.exists() else [])

    def add(self, **line):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.lines.append(line)
        with self.path.open("a") as f:
            print(json.dumps(line), file=f)

    def good(self):
        return [line for line in self.lines if not line["failed"]]

    def failed_seeds(self):
        return [line["seed"] for line in self.lines if line["failed"]]

    def total(self, name):
        return sum(line[name] for line in self.good())

    def seeds(self):
        return {line["seed"] for line in self.lines}

    def seconds(self):
        """Of the host, in which segments that passed ran, one or more at a time."""
        total = until = 0
        for begun, ended in sorted((line["begun"], line["ended"]) for line in self.good()):
            total += max(ended - max(begun, until), 0)
            until = max(until, ended)
        return total


def unexplained(console):
    """What stock is known for where a preemption hangs, of periods in which none hung."""
    period = re.compile(r"soak: period (\d+)(.*)\n")
    _, *parts = period.split(console)
    for number, hangs, text in zip(parts[::3], parts[1::3], parts[2::3]):
        if not hangs:
            for report in splats.reports(text):
                yield f"period {number}: {report.title}"


def others(seed):
    """A root with ROCm, and somebody else's programs in it."""
    programs = [in_guest(ROCM / command) for command in HIP]
    parts = [name for name in TESTS if (OUT / f"rocm-root-{name}").exists()]
    if not parts:
        return ROCM_ROOT, programs
    part = parts[seed % len(parts)]
    return OUT / f"rocm-root-{part}", programs + [f"/usr/libexec/rocm/{t}" for t in TESTS[part]]


def told_if_failed(program_there):
    """As a command of the guest: what it says is shown when it fails."""
    return (f"{inside('rocm/rocm')} {program_there} >/tmp/program 2>&1 || "
            "{ tail -n 20 /tmp/program; false; }")


def guest_command(args, name, kernel, seed, preemptions):
    """A segment as a guest."""
    command = [*GUEST, "--name", name, "--suite", "soak", "--kernel", kernel, "--seed", str(seed), *QUANTUM,
               "--timeout", str(LIMIT_S[kernel]), *APPEND,
               "--model", f"{MODEL} {GPUS[seed % len(GPUS)]}"]
    if not args.short:
        command.append("--no-log")      # it would be larger than all else
    root, programs = others(seed)
    if args.rocm:
        # HIP's programs want as much again
        command += ["--root", str(root), "--memory", "4096"]
    command += ["--", inside("guest/patient"), program("soak"), "--seed", str(seed),
                "--preemptions", str(preemptions)]
    if preemptions == SEGMENT[kernel]:
        command += ["--periods", str(WARM_UP + FEWEST)]
    if args.ms:
        command += ["--ms", str(args.ms)]
    if args.pure:
        return [*command, "--pure"]
    command += ["--asleep", f"{inside('soak/soak-asleep')} {inside('suspend/asleep')} {program('soak')} --sleep"]
    for name_there in programs if args.rocm else ():
        command += ["--program", told_if_failed(name_there)]
    return command


def run_segment(args, name, kernel, seed, preemptions, progress):
    """One guest; what it said, why it failed, when it began and ended, seconds of CPU."""
    segment, begun = Segment(), time.time()
    with subprocess.Popen(guest_command(args, name, kernel, seed, preemptions),
                          stdout=subprocess.PIPE, text=True, errors="replace") as p:
        for line in p.stdout:
            if segment.feed(line.rstrip("\n")):
                progress(segment.sum)
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    console = OUT / name / "console.log"
    text = console.read_text(errors="replace") if console.exists() else ""
    return (segment, [*segment.verdict(p.returncode), *unexplained(text)],
            {"begun": round(begun, 1), "ended": round(time.time(), 1),
             "cpu": round(used.ru_utime + used.ru_stime)})


class Run:
    """Segments until so many preemptions have passed, or the time is over."""

    def __init__(self, args, passed, folder, kernel):
        self.args, self.passed, self.folder, self.kernel = args, passed, folder, kernel
        self.begun, self.before = time.time(), passed.total("preemptions")
        self.lock = threading.Lock()
        self.under_way = {}             # seed -> what it is to do
        self.now = {}                   # seed -> what it has done
        self.failures = 0
        self.over = False

    def next(self):
        """The next seed and how much it is to do, or None."""
        with self.lock:
            left = (self.args.preemptions - self.passed.total("preemptions")
                    - sum(self.under_way.values()))
            late = self.args.minutes and time.time() > self.begun + self.args.minutes * 60
            if left <= 0 or late or self.over or self.failures >= FAILURES:
                return None
            seed = next(n for n in itertools.count(1)
                        if n not in self.passed.seeds() and n not in self.under_way)
            self.under_way[seed] = min(SEGMENT[self.kernel], left)
            return seed, self.under_way[seed]

    def progress(self, seed, segment_sum):
        with self.lock:
            self.now[seed] = segment_sum["preemptions"]
            done = self.passed.total("preemptions") + sum(self.now.values())
            rate = (done - self.before) / (time.time() - self.begun)
            left = max(self.args.preemptions - done, 0) / rate / 60 if rate else 0
            print(f"  seed {seed}: {done} of {self.args.preemptions} preemptions, {rate:.0f}/s, "
                  f"{left:.0f} min to go", flush=True)

    def ended(self, seed, segment, why, times):
        name = self.folder / str(seed)
        with self.lock:
            del self.under_way[seed]
            self.now.pop(seed, None)
            if self.over:
                return
            self.passed.add(seed=seed, failed=why, **times, **segment.sum)
            for text in why:
                print(f"soak: seed {seed}: {text}: see {name}", flush=True)
            self.failures += bool(why)
        if not why:
            shutil.rmtree(name)

    def work(self, cpu):
        """One after the other, until there is nothing to do."""
        # Guest and model take turns: on the same CPU they need not wake another one for that.
        os.sched_setaffinity(0, {cpu})
        while (job := self.next()):
            seed, size = job
            self.ended(seed, *run_segment(
                self.args, f"{self.folder.relative_to(OUT)}/{seed}", self.kernel, seed, size,
                lambda so_far, seed=seed: self.progress(seed, so_far)))

    def run(self):
        cpus = itertools.islice(itertools.cycle(os.sched_getaffinity(0)), self.args.jobs)
        with ThreadPoolExecutor(self.args.jobs) as pool:
            try:
                workers = [pool.submit(self.work, cpu) for cpu in cpus]
                for worker in wait(workers, return_when=FIRST_EXCEPTION).done:
                    worker.result()
            except KeyboardInterrupt:
                # The guests die of it as well: that is nobody's failure.
                self.over = True
                raise


def summary(passed):
    """What has passed, on one line each."""
    names = ("preemptions", "transactions", "results", "words", "wrong")
    sums = {name: passed.total(name) for name in names}
    yield ", ".join(f"{n} {name}" for name, n in sums.items()) + \
        f" in {len(passed.good())} segments"
    rest = [n for n in passed.good()[0] if n not in {*names, "seed", "failed", "begun", "ended",
                                                    "cpu", "scans", "ms"}]
    yield "besides: " + ", ".join(f"{passed.total(n)} {n}" for n in rest)
    for whose, seconds in ("the host's", passed.seconds()), ("its CPUs'", passed.total("cpu")):
        yield f"{sums['preemptions'] / max(seconds, 1):.0f} a second of {whose} time"


def one(args, name, kernel, seed, preemptions):
    """One segment, told in full; True if it passed."""
    segment, why, times = run_segment(
        args, name, kernel, seed, preemptions,
        lambda so_far: print(f"# {so_far['preemptions']} preemptions", flush=True))
    print("# " + ", ".join(f"{n} {name}" for name, n in segment.sum.items()))
    for name_of, values in segment.levels.seen.items():
        print(f"# {name_of}: {' '.join(map(str, values))}")
    done = segment.sum.get("preemptions", 0)
    print(f"# {done / max(times['ended'] - times['begun'], 1):.0f} a second of the host's time, "
          f"{done / max(times['cpu'], 1):.0f} of its CPUs'")
    for text in why:
        print(f"soak: seed {seed}: {text}: see {OUT / name}")
    return not why


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--preemptions", type=int, default=0, help=f"default {PREEMPTIONS}, a tenth of it "
                   "on a debug kernel")
    p.add_argument("--minutes", type=int, default=0, help="begin no segment after that")
    p.add_argument("--seed", type=int)
    p.add_argument("--ms", type=int)
    p.add_argument("--pure", action="store_true")
    p.add_argument("--short", metavar="NAME")
    return p.parse_args(arguments)


def main():
    args = parse(None)
    if args.short:
        args = parse(["--short", args.short, *SHORT])
    kernel = os.environ.get("KERNEL", "")
    if kernel not in LIMIT_S:
        sys.exit(f"soak: error: no kernel '{kernel}': debug, or not set")
    suffix = kernel and f"-{kernel}"
    args.rocm = not (args.short or args.pure)
    args.jobs = jobs("soak", GUEST_GB)
    args.preemptions = args.preemptions or PREEMPTIONS // LESS[kernel]
    if args.rocm and subprocess.run(bench("rocm"), check=False).returncode:
        sys.exit("soak: error: there is no root with Debian's ROCm")
    # the guest's folder is named by all that it was built from
    folder = OUT / f"soak{suffix}" / (OUT / f"guest{suffix}").resolve().name
    if args.seed is not None or args.pure:
        seed = args.seed or 1
        name = args.short or f"{folder.relative_to(OUT)}/{'pure' if args.pure else 'again'}-{seed}"
        sys.exit(not one(args, name, kernel, seed, min(args.preemptions, SEGMENT[kernel])))
    passed = Passed(folder)
    Run(args, passed, folder, kernel).run()
    if passed.good():
        print("\n".join(summary(passed)))
    if passed.failed_seeds():
        sys.exit(f"soak: error: failed: seeds {' '.join(map(str, passed.failed_seeds()))}")
    if passed.total("preemptions") < args.preemptions:
        sys.exit("soak: error: the time is over; the next run goes on from here")
