# SPDX-License-Identifier: GPL-2.0
"""Reads what a run left: HIGH's requests, LOW's dispatches, the event log."""
import bisect
import gzip
import re
from dataclasses import dataclass, field
from statistics import median

from testbench.benchmark.about import NoResult, values

GPU_CLOCK_NS = 10           # a tick of the GPU's clock


# A wave's number and the instructions that it has executed.
WAVE = re.compile(r"queue=(\S+) pasid=(\d+) (disp=\d+ wg=\d+ wave=\d+) .*insns=(\d+)")


class Log:
    """
    Of the event log: when HIGH's dispatches ended, and what all other queues' waves executed.
    HIGH says where its rings are; not every kernel writes a queue's priority where the GPU sees
    it.
    """

    def __init__(self, path, levels):
        self.ends = {level: {} for level in levels.values()}    # dispatch -> times it ended
        self.stretches = []                 # of LOW's waves: begin, end, instructions
        self.blocks = []                    # when a wave of LOW's ended, and how long it ran
        self.levels = levels                # by ring
        self.highs = {}                     # (queue, process) -> level
        self.running = {}                   # a wave -> begin, instructions before
        self.ran = {}                       # a wave -> how long, ns
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as f:
            for line in f:
                self.take(line)

    def take(self, line):
        ns, event, rest = line.split(" ", 2) if line.count(" ") > 1 else (*line.split(), "")
        if event in ("queue-map", "dispatch-end"):
            a = dict(p.split("=", 1) for p in rest.split())
            key = a["queue"], a["pasid"]
            if event == "queue-map":
                self.highs[key] = self.levels.get(int(a["ring"], 0))
            elif (level := self.highs.get(key)) is not None:
                self.ends[level].setdefault(int(a["disp"]), []).append(int(ns))
        elif event in ("wave-start", "wave-resume", "wave-save", "wave-end", "wave-kill"):
            *key, wave, insns = WAVE.match(rest).groups()
            if self.highs.get(tuple(key)) is None:
                self.low_wave((*key, wave), event, int(ns), int(insns))

    def low_wave(self, wave, event, ns, insns):
        if event in ("wave-start", "wave-resume"):
            self.running[wave] = ns, insns
            return
        if wave in self.running:
            begin, before = self.running.pop(wave)
            self.stretches.append((begin, ns, insns - before))
            self.ran[wave] = self.ran.get(wave, 0) + ns - begin
        if event != "wave-save":
            self.blocks.append((ns, self.ran.pop(wave, 0)))

    def low_work(self, begin, end):
        """
        What LOW's waves executed in a time, instructions. Of a stretch across its edge the part
        counts that lies inside. A queue's dispatches are too few to count where there are many.
        """
        work = 0
        first = bisect.bisect_right(self.stretches, begin, key=lambda stretch: stretch[1])
        for since, until, insns in self.stretches[first:]:
            if since < end and until > since:
                work += insns * (min(until, end) - max(since, begin)) / (until - since)
        return work

    def low_block(self, begin, end):
        """How long a wave of LOW's runs, ns."""
        return median(ran for at, ran in self.blocks if begin <= at <= end)


@dataclass
class Measured:
    """HIGH and LOW in one mode of a run."""
    latencies: list = field(default_factory=list)   # us, of each request, by the event log
    guest: list = field(default_factory=list)       # likewise, by the guest's clock
    low: float = 0                                  # LOW's instructions a second
    block_us: float = 0                             # how long a wave of LOW's runs alone
    cpu: float = 0                                  # of the monitor or daemon, share of a core
    own_cpu: float = 0                              # of HIGH, likewise
    seconds: float = 0
    high_seconds: float = 0                         # as long as requests on all levels took


class Clock:
    """The guest's clock, as HIGH tied it to that of the event log."""

    def __init__(self, path):
        at = {k: int(v) for k, v in values(path).items() if "clock" in k}
        self.gpu = at["gpu_clock_begin"] * GPU_CLOCK_NS
        self.guest = at["clock_begin"]
        self.rate = ((at["gpu_clock_end"] * GPU_CLOCK_NS - self.gpu)
                     / (at["clock_end"] - self.guest))

    def log(self, guest):
        """A time of the guest's by the event log's clock."""
        return self.gpu + (guest - self.guest) * self.rate


def dones(text):
    """When a LOW process's dispatches ended, by the guest's clock."""
    return [int(t) for t in re.findall(r"^done (\d+)$", text, re.M)]


def read_low(log, begin, end):
    """LOW's instructions a second, by the event log's clock."""
    return log.low_work(begin, end) / ((end - begin) / 1e9)


def read_low_alone(folder, log, clock):
    done = dones((folder / "low.low").read_text())
    if len(done) < 2:
        raise NoResult("LOW alone: fewer than two dispatches ended")
    begin, end = clock.log(min(done)), clock.log(max(done))
    return Measured(low=read_low(log, begin, end), block_us=log.low_block(begin, end) / 1000)


def high(folder, mode, level):
    """What a HIGH said."""
    return folder / f"{mode}.high-{level}"


def gave_up(folder, mode):
    """No result if GPREEMPT did."""
    state = folder / f"{mode}.state"
    if state.exists() and state.read_text().strip() == "bypassed":
        raise NoResult(f"'{mode}': GPREEMPT gave up")


def read_mode(folder, mode, level, log):
    path = high(folder, mode, level)
    text = path.read_text()
    clock = Clock(path)
    found = Measured()
    requests = [tuple(map(int, r)) for r in re.findall(
        r"^request packet=(\d+) kernels=\d+ at=(\d+) end=(\d+)$", text, re.M)]
    if len(requests) != (wanted := len((folder / f"at-{level}").read_text().split())):
        raise NoResult(f"'{mode}': {len(requests)} of {wanted} requests")
    for packet, at, end in requests:
        begin, latest = clock.log(at), clock.log(end)
        # each number ends once a mode, and there is more than that between two modes
        ended = [t for t in log.ends[level].get(packet, []) if begin - 2e7 <= t <= latest + 2e7]
        if not ended:
            raise NoResult(f"'{mode}': HIGH's kernel {packet} is not in the event log")
        found.latencies.append((ended[0] - begin) / 1000)
        found.guest.append((end - at) / 1000)
    begin, end = requests[0][1], requests[-1][2]
    found.seconds = (end - begin) / 1e9
    said = values(path)
    found.cpu, found.own_cpu = (int(said[key]) / (end - begin) for key in ("cpu_ns", "own_cpu_ns"))
    found.low = read_low(log, clock.log(begin), clock.log(end))
    gave_up(folder, mode)
    return found


def read_run(folder, modes, levels):
    """What each mode of a run measured, by HIGH's level."""
    paths = {high(folder, mode, level): level for level in levels for mode in modes
             if mode != "low"}
    log = Log(folder / "events.log.gz", {int(values(path)["ring"]): level
                                         for path, level in paths.items()
                                         if path.exists() and "ring" in values(path)})
    low = {"low": read_low_alone(folder, log, Clock(next(iter(paths))))} if "low" in modes else {}
    found = {level: {**low, **{mode: read_mode(folder, mode, level, log) for mode in modes
                               if mode != "low"}} for level in levels}
    for mode in modes:
        took = sum(sum(of[mode].latencies) for of in found.values()) / 1e6
        for of in found.values():
            of[mode].high_seconds = took
    return found
