# SPDX-License-Identifier: GPL-2.0
"""Reads what a run left: HIGH's requests, LOW's dispatches, the event log."""
import re
from dataclasses import dataclass, field

from testbench.benchmark.about import NoResult, values

GPU_CLOCK_NS = 10           # a tick of the GPU's clock


class Log:
    """
    Of the event log: when HIGH's dispatches ended. HIGH says where its rings are;
    not every kernel writes a queue's priority where the GPU sees it.
    """

    def __init__(self, path, rings):
        self.ends = {}                      # dispatch -> times it ended
        highs = set()
        with path.open(encoding="utf-8", errors="replace") as f:
            for line in f:
                ns, event, rest = line.split(" ", 2) if line.count(" ") > 1 else (*line.split(), "")
                if event == "queue-map":
                    a = dict(p.split("=", 1) for p in rest.split())
                    key = a["queue"], a["pasid"]
                    highs.add(key) if int(a["ring"], 0) in rings else highs.discard(key)
                elif event == "dispatch-end":
                    a = dict(p.split("=", 1) for p in rest.split())
                    if (a["queue"], a["pasid"]) in highs:
                        self.ends.setdefault(int(a["disp"]), []).append(int(ns))


@dataclass
class Measured:
    """HIGH and LOW in one mode of a run."""
    latencies: list = field(default_factory=list)   # us, of each request, by the event log
    guest: list = field(default_factory=list)       # likewise, by the guest's clock
    low: float = 0                                  # workgroups a second
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


def read_low(folder, text, begin, end):
    """Dispatches a second of all LOW queues in a time, times their rounds."""
    rate = 0
    for part in text.split("running\n")[1:]:
        inside = [t for t in dones(part) if begin <= t <= end]
        if len(inside) > 1:
            rate += (len(inside) - 1) / ((inside[-1] - inside[0]) / 1e9)
        elif inside:
            rate += 1 / ((end - begin) / 1e9)
    return rate * int((folder / "rounds").read_text())


def read_low_alone(folder):
    text = (folder / "low.low").read_text()
    done = dones(text)
    if len(done) < 2:
        raise NoResult("LOW alone: fewer than two dispatches ended")
    return Measured(low=read_low(folder, text, min(done), max(done)))


def high(folder, mode, level):
    """What a HIGH said."""
    return folder / f"{mode}.high-{level}"


def gave_up(folder, mode):
    """No result if GPREEMPT did."""
    state = folder / f"{mode}.state"
    if state.exists() and state.read_text().strip() == "bypassed":
        raise NoResult(f"'{mode}': GPREEMPT gave up")


def read_mode(folder, mode, level, log):
    if mode == "low":
        return read_low_alone(folder)
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
        ended = [t for t in log.ends.get(packet, []) if begin - 2e7 <= t <= latest + 2e7]
        if not ended:
            raise NoResult(f"'{mode}': HIGH's kernel {packet} is not in the event log")
        found.latencies.append((ended[0] - begin) / 1000)
        found.guest.append((end - at) / 1000)
    begin, end = requests[0][1], requests[-1][2]
    found.seconds = (end - begin) / 1e9
    said = values(path)
    found.cpu, found.own_cpu = (int(said[key]) / (end - begin) for key in ("cpu_ns", "own_cpu_ns"))
    low = path if mode.startswith("coop") else folder / f"{mode}.low"
    if low.exists():
        found.low = read_low(folder, low.read_text(), begin, end)
    gave_up(folder, mode)
    return found


def read_run(folder, modes, levels):
    """What each mode of a run measured, by HIGH's level."""
    found = {}
    for level in levels:
        paths = [high(folder, mode, level) for mode in modes]
        log = Log(folder / "ends.log", {int(values(path)["ring"]) for path in paths
                                        if path.exists() and "ring" in values(path)})
        found[level] = {mode: read_mode(folder, mode, level, log) for mode in modes}
    for mode in modes:
        took = sum(sum(of[mode].latencies) for of in found.values()) / 1e6
        for of in found.values():
            of[mode].high_seconds = took
    return found
