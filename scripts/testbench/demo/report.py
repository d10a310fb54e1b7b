# SPDX-License-Identifier: GPL-2.0
"""What the demo's runs left, as figures, and what the figures must be.

evaluate() reads what inside/demo and the model left, of one boot or of several, and
says what was measured, or why nothing was. verdict() holds that to its limits;
table() and picture() show it.
"""
import bisect
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from testbench.events import eventlog
from testbench.demo import timeline

# The limits are absolute, in virtual time, at the driver's default tunables: 6 to 18 %
# above what was measured on the smallest machine when they were set, up to 37 % on larger ones, four
# seeds within 0.5 % of each other, and far enough below what a driver that takes twice as long
# would show.
HIGH_ALONE_US = {"p50_us": 360, "p99_us": 365}  # measured 336 and 342: above, model or guest is slow
# HIGH's kernel is shorter where SIMDs issue more often: a gfx1100's took 259 and 263 alone, and 359
# and 369 with GPREEMPT.
FASTER_US = {"gfx1100": 85}
# Before MES takes a queue off it reads a packet for that queue: measured 32.5 for 22.
PACKET_US = {"gfx1100": 11}
# Besides what it takes to save LOW's waves, and to count them; measured 437 and 445
HIGH_US = {"p50_us": 475, "p99_us": 485}
# HIGH's latency would hide a detection of twice its length in its headroom: so it has
# its own limit. At fetch the indices say nothing, and the driver has to count waves.
DETECTION_US = 25           # without that; measured 22
DEBIAN_US = 7               # more in Debian's own kernel, which has much more in it: measured 28
# To count waves takes so long. A read of a register is 1 us, a write 0.1. On each engine the driver
# reads HIGH's count: 1 read, 1 write. On each die it reads which slots have a queue, and HIGH's
# name, on one also LOW's name and waves. The rest is what the CPU does, with the registers' locks
# held: measured 7.9 with two engines, 9.5 with four on each of eight dies, 17.3 with eight
ENGINE_US = 2
DIE_US = 5
COUNTS = {"launch": 2, "fetch": 3}      # for each of HIGH's kernels
PREEMPTION_US = 90      # from UNMAP_QUEUES to the next runlist, besides what it takes to save LOW's
                        # waves: measured 75
# The monitor besides, for each of HIGH's kernels: to scan, and to wait for LOW's resume; measured 54
MONITOR_US = 60
# On a full machine LOW's process compares up to 5 MB of words each 50 ms, and may have the monitor's
# CPU for so long once in a run: measured 245, with the registers' locks held
DELAY_US = 300
LOW_SHARE = 0.96            # of its work alone; measured 0.973
STOCK_P99_US = 40800        # HIGH on stock, at least: measured 45000. 80 times as long as its limit with
                            # GPREEMPT on the smallest machine
# HIGH's kernels take LOW off in mid-loop, but where its waves are before or after it: so many
# iterations' time, measured 3 of 36 on the smallest machine and of 9 on the largest
BESIDE_LOOP = 3
MIDLOOP_OFF = 0.06          # that share may be lower by
# What a save takes of the model's time (params.def): waves of an engine go one after the other,
# and units save beside each other.
SAVE_WAVE_US = 0.02
CU_BYTES_PER_US = 12500

MANY = 100                  # samples: of fewer, p99 is the longest
BUSY = 0.9                  # of HIGH's kernels find every compute unit in LOW's hands
GROUP_MS = 50               # a workgroup of LOW alone, wanted
GROUP_OFF_MS = 3            # may it be off by, or by half of an iteration of its loop
GPU_CLOCK_NS = 10           # a tick of the GPU's clock
RUNS = {"alone": "HIGH alone", "stock": "both, stock", "gpreempt": "both, GPREEMPT"}
BOTH = ("stock", "gpreempt")


@dataclass(frozen=True)
class View:
    """A panel of the picture: so long a part of a run, around a kernel of HIGH's."""
    run: str
    span_ms: float
    lead_ms: float              # of it before the kernel
    title: str                  # of the run's figures in ms, and of all results


VIEWS = (
    View("stock", 100, 8, "Stock: HIGH's p50 {p50:.1f} ms, p99 {p99:.1f} ms"),
    View("gpreempt", 100, 8, "GPREEMPT: HIGH's p50 {p50:.2f} ms, p99 {p99:.2f} ms"),
    View("gpreempt", 2.5, 0.5, "GPREEMPT, one kernel of HIGH's: on average seen after "
         "{detection_us:.0f} us, LOW taken off in {preemption_us:.0f} us"),
)


class NoResult(Exception):
    """What was measured does not mean anything; the text says why."""


# ---- reading what the runs left ----

def values(path):
    """The KEY=VALUE lines of a file."""
    return dict(re.findall(r"^(\w+)=(\S+)$", path.read_text(), re.M))


def samples(path):
    """packet -> (when it was submitted, how long it took), in ns by the guest's clock"""
    found = re.findall(r"^sample packet=(\d+) at=(\d+) ns=(\d+)$", path.read_text(), re.M)
    return {int(packet): (int(at), int(ns)) for packet, at, ns in found}


def to_log_time(path):
    """A function from the guest's clock to the event log's, which is the GPU's."""
    clock = {k: int(v) for k, v in values(path).items() if "clock_" in k}
    gpu = clock["gpu_clock_begin"] * GPU_CLOCK_NS
    speed = (clock["gpu_clock_end"] * GPU_CLOCK_NS - gpu) / (clock["clock_end"] - clock["clock_begin"])
    return lambda ns: gpu + (ns - clock["clock_begin"]) * speed


def stats(folder):
    """What GPREEMPT's counters counted while it was enabled."""
    def read(name):
        lines = (folder / name).read_text().splitlines()
        pairs = (line.rsplit("/", 1)[-1].split(":", 1) for line in lines)
        return {k: int(v) for k, v in pairs if v.lstrip("-").isdigit()}
    before, after = read("stats-before.txt"), read("stats-after.txt")
    return {k: after[k] - before.get(k, 0) for k in after}


def costs(counted, machine, kernels):
    """
    How long the registers' locks are held at a time, which is for a die, and what CPU time the
    monitor takes, for a kernel of HIGH's.
    """
    us = {k: counted[f"{k}_ns_total"] / 1000 / kernels for k in ("register", "scan", "fence_wait")}
    return {"locks_us": round(us["register"] / COUNTS[machine["rptr_at"]] / int(machine["xccs"]), 1),
            "monitor_us": round(sum(us.values()), 1)}


def percentile(numbers, p):
    """Nearest rank."""
    return sorted(numbers)[max(0, -(-len(numbers) * p // 100) - 1)]


def spread(ns):
    return {"p50_us": round(percentile(ns, 50) / 1000, 1),
            "p99_us": round(percentile(ns, 99) / 1000, 1),
            "max_us": round(max(ns) / 1000, 1)}


def mean_us(ns):
    return round(sum(ns) / max(len(ns), 1) / 1000, 1)


class Run:
    """HIGH in one run, by both clocks."""

    def __init__(self, name, boot):
        self.name = name
        queue, path = boot.queues["high", name], boot.folder / f"high-{name}.txt"
        guest = samples(path)
        if not guest:
            raise NoResult(f"run '{name}': no sample")
        log_time = to_log_time(path)
        self.times = []     # (submitted, ended), by the log's clock
        self.kernels = []   # (packet, submitted)
        for packet, (at, _) in guest.items():
            dispatch = queue.dispatches.get(packet)
            if not dispatch or not dispatch.end or packet not in queue.rings:
                raise NoResult(f"run '{name}': HIGH's kernel {packet} is not in the event log")
            # Not when the doorbell rang: it may have waited for a page fault before.
            self.times.append((log_time(at), dispatch.end))
            self.kernels.append((packet, log_time(at)))
        self.submitted = [begin for begin, _ in self.times]
        self.begin, self.end = min(self.submitted), max(end for _, end in self.times)
        self.guest = spread([ns for _, ns in guest.values()])
        self.log = spread([end - begin for begin, end in self.times])

    def detections(self, preemptions):
        """From each kernel's submission to the preemption it caused, if it did, in ns."""
        begins = [p.begin for p in preemptions]
        found = []
        for submitted, ended in self.times:
            i = bisect.bisect_left(begins, submitted)
            if i < len(begins) and begins[i] < ended:
                found.append(begins[i] - submitted)
        return found


@dataclass(frozen=True)
class Boot:
    """What a guest left, and the queues in its log by who and run."""
    folder: Path
    log: eventlog.EventLog
    queues: dict


def one_boot(folder):
    """Where each run is if one guest had them all."""
    return dict.fromkeys(RUNS, folder)


def read(folders, code, tell):
    """By the run, its boot. Each log is read once; tell() how many bytes were, and of how many."""
    sizes = {folder: (folder / "events.log").stat().st_size for folder in folders.values()}
    boots = {}
    for folder in sizes:
        tell(sum(sizes[other] for other in boots), sum(sizes.values()))
        log = eventlog.load(folder / "events.log", code)
        if log.errors:
            raise NoResult("the event log shows that waves were lost, repeated or displaced:\n  "
                           + "\n  ".join(log.errors[:10]))
        runs = [run for run in RUNS if folders[run] == folder]
        boots[folder] = Boot(folder, log, queues_by_run(log, runs))
    if len({str(values(folder / "clock")) for folder in boots}) > 1:
        raise NoResult("not all boots had the same clock")
    return {run: boots[folder] for run, folder in folders.items()}


def queues_by_run(log, runs):
    """The demo's queues, which came one after the other, by run."""
    names = [(who, run) for run in runs for who in ("low", "high")]
    # amdgpu tries MES on a queue of its own, with packets that dispatch nothing
    queues = [queue for queue in log.queues if queue.dispatches]
    if len(queues) != len(names):
        raise NoResult(f"the event log shows {len(queues)} queues, and the demo has {len(names)}")
    return dict(zip(names, queues))


# ---- LOW, by the event log ----

def rate(log, queue, begin, end):
    """Workgroups a second. One that was at work before or after counts in part: those of a full
    machine end all at the same time."""
    groups = {}             # -> how long it ran meanwhile, and in all
    for run in log.runs:
        if run.queue is queue and run.key[1] == 0:      # its waves run together
            part = groups.setdefault((run.dispatch.number, run.key[0]), [0, 0])
            part[0] += max(0, min(run.end, end) - max(run.begin, begin))
            part[1] += run.end - run.begin
    return sum(part / whole for part, whole in groups.values() if whole) / ((end - begin) / 1e9)


def held(log, queue):
    """cu -> merged times in which it held a wave of the queue."""
    found = {}
    for run in sorted((r for r in log.runs if r.queue is queue), key=lambda r: r.begin):
        spans = found.setdefault(run.cu, [])
        if spans and run.begin <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], run.end)
        else:
            spans.append([run.begin, run.end])
    return found


def save_us(log, preemption):
    """What the model needs to save what LOW has on the machine."""
    engines = Counter(cu[:2] for _, _, cu in preemption.saved)
    return max(engines.values()) * SAVE_WAVE_US \
        + preemption.bytes / len(timeline.units(log.start)) / CU_BYTES_PER_US


def found_busy(log, low, times):
    """The share of times at which every compute unit held a wave of LOW."""
    spans = held(log, low)
    if len(spans) < len(timeline.units(log.start)):
        return 0.0

    def holds(cu, t):
        i = bisect.bisect_right(spans[cu], [t, float("inf")]) - 1
        return i >= 0 and spans[cu][i][0] <= t <= spans[cu][i][1]
    return sum(all(holds(cu, t) for cu in spans) for t in times) / len(times)


def low_exact(boots):
    """Did every word of every run of LOW compare equal? And how many were there?"""
    found = {run: values(boot.folder / f"low-{run}.txt") for run, boot in boots.items()}
    same = len({v["iterations"] for v in found.values()}) == 1
    return same and all(int(v["words"]) > 0 and int(v["wrong"]) == 0 for v in found.values()), \
        {run: int(v["words"]) for run, v in found.items()}


# ---- what must hold before a figure means anything ----

def preconditions(boots, runs, low_alone):
    preempted, (log, queues) = boots["gpreempt"].folder, (boots["alone"].log, boots["alone"].queues)
    state = (preempted / "state").read_text().strip()
    if state == "bypassed":
        reason = re.search(r"bypass_reason:(\S+)", (preempted / "stats-after.txt").read_text())
        raise NoResult(f"GPREEMPT gave up and gave the machine back ({reason and reason[1]})")
    begin, end = low_alone
    if any(begin <= p.begin <= end and p.saved for p in log.preemptions):
        raise NoResult("LOW alone was preempted: it is no reference")
    lasting = [r.end - r.begin for r in log.runs
               if r.queue is queues["low", "alone"] and begin <= r.begin and r.end <= end]
    ms = percentile(lasting, 50) / 1e6 if lasting else 0
    iterations = int(values(boots["alone"].folder / "low-alone.txt")["iterations"])
    if not ms or abs(ms - GROUP_MS) > max(GROUP_OFF_MS, ms / iterations / 2):
        raise NoResult(f"a workgroup of LOW lasts {ms:.1f} ms, not {GROUP_MS}")
    busy = {}
    for run in BOTH:
        busy[run] = found_busy(boots[run].log, boots[run].queues["low", run], runs[run].submitted)
        if busy[run] < BUSY:
            raise NoResult(f"run '{run}': only {busy[run]:.0%} of HIGH's kernels found every "
                           "compute unit busy with LOW")
    return {"low_group_ms": round(ms, 2), "low_iterations": iterations,
            "all_units_busy": {k: round(v, 3) for k, v in busy.items()}}


# ---- results ----

def evaluate(folders, code, about, tell=lambda *_: None):
    """
    Each run's boot, HIGH in it, and the results; NoResult if there are none. 'folders' has what
    each run's boot left, 'about' what only the caller knows of how they were made. tell(): read().
    """
    boots = read(folders, code, tell)
    runs = {name: Run(name, boot) for name, boot in boots.items()}
    clock = values(folders["alone"] / "low-alone.txt")
    low_alone = tuple(int(clock[f"gpu_clock_{k}"]) * GPU_CLOCK_NS for k in ("begin", "end"))
    checked = preconditions(boots, runs, low_alone)

    exact, words = low_exact(boots)
    rates = {"alone": low_alone, **{name: (runs[name].begin, runs[name].end) for name in BOTH}}
    rates = {name: rate(boots[name].log, boots[name].queues["low", name], *times)
             for name, times in rates.items()}

    counted, log = stats(folders["gpreempt"]), boots["gpreempt"].log
    high = runs["gpreempt"]
    saving = [p for p in log.midloop() if high.begin <= p.begin <= high.end]

    results = {"of": "a GPU model, not a GPU"}
    for name, run in runs.items():
        results[name] = {**run.guest, "low_rate": round(rates[name] / rates["alone"], 4),
                         "low_groups_per_s": round(rates[name], 2),
                         "event_log": run.log, "samples": len(run.submitted)}
    results |= {
        "preemptions": counted["preemptions"], "resumes": counted["resumes"],
        "low_exact": exact, "low_words": words, "preemptions_in_midloop": len(saving),
        "detection_us": mean_us(high.detections(saving)),
        # MES has no runlist
        "preemption_us": mean_us([(p.runlist or p.end) - p.begin for p in saving if p.end]),
        "save_us": round(max((save_us(log, p) for p in saving), default=0), 1),
        **costs(counted, log.start, len(high.submitted)),
        "driver": counted, **checked,
        "model": {**log.start, **log.stop}, "clock": values(folders["gpreempt"] / "clock"),
        "virtual_s": round(sum((boot.log.last - boot.log.first) / 1e9 for boot in
                               {id(boot): boot for boot in boots.values()}.values()), 1), **about,
    }
    results["times_below_stock"] = round(seen(results["stock"], "p99_us")
                                         / seen(results["gpreempt"], "p99_us"), 1)
    return boots, runs, results | {"missed": verdict(results)}


def virtual(results):
    """Did guest and model share a clock? If not, no figure counts."""
    return results["clock"]["mode"] == "virtual"


def counting_us(model):
    """How long it takes to count waves once."""
    return int(model["xccs"]) * die_us(model)


def die_us(model):
    return DIE_US + int(model["engines"]) * ENGINE_US


def late_us(model):
    """Before HIGH is seen to wait at fetch, waves are counted."""
    return counting_us(model) if model["rptr_at"] == "fetch" else 0


def late_at_worst_us(model):
    """Now and then the monitor counts on the CPU that HIGH's thread waits for, as HIGH ends; the
    limits of one die have room for that."""
    return late_us(model) + counting_us(model) - die_us(model)


def seen(run, figure):
    """
    Of few kernels p99 is the longest: when it ended, not when a CPU had time to see that. On a full
    machine LOW compares up to 5 MB of words each 50 ms.
    """
    return (run["event_log"] if figure == "p99_us" and run["samples"] < MANY else run)[figure]


def limits(results):
    """(what, figure, limit); LOW's share and the distance to stock must be above theirs."""
    model = results["model"]
    late = {"p50_us": late_us(model), "p99_us": late_at_worst_us(model)}
    preemption = PREEMPTION_US + results["save_us"]
    faster = FASTER_US.get(model["asic"], 0)
    found = [(f"HIGH's {k[:3]}, {RUNS['alone']}", seen(results["alone"], k), us - faster)
             for k, us in HIGH_ALONE_US.items()]
    found += [(f"HIGH's {k[:3]}, {RUNS['gpreempt']}", seen(results["gpreempt"], k),
               us + results["save_us"] + late[k] - faster) for k, us in HIGH_US.items()]
    kernels, delay = results["gpreempt"]["samples"], DELAY_US * (results.get("size") == "full")
    counts = COUNTS[model["rptr_at"]]
    more = PACKET_US.get(model["asic"], 0)
    more += DEBIAN_US if results["clock"].get("kernel") == "debian" else 0
    found += [
        ("detection of HIGH", results["detection_us"], DETECTION_US + late_us(model) + more),
        ("a preemption", results["preemption_us"], preemption),
        ("the registers' locks, each time", results["locks_us"],
         die_us(model) + delay / (kernels * counts * int(model["xccs"]))),
        ("the monitor, for a kernel of HIGH's", results["monitor_us"],
         MONITOR_US + preemption + counts * counting_us(model) + delay / kernels),
    ]
    return [(what, us, round(limit, 1)) for what, us, limit in found]


def stock_factor(results):
    """HIGH's p99 on stock is so many times higher."""
    return round(STOCK_P99_US / (HIGH_US["p99_us"] + results["save_us"] +
                                 late_at_worst_us(results["model"])))


def midloop_share(iterations):
    """So much of its time, at least, LOW is in its loop."""
    return iterations / (iterations + BESIDE_LOOP) - MIDLOOP_OFF


def verdict(results):
    """What was promised and not reached."""
    r, missed = results, []
    if not r["low_exact"]:
        missed.append("LOW's result is wrong")
    if r["preemptions"] != r["resumes"]:
        missed.append("not every preempted queue was resumed")
    wanted = int(midloop_share(r["low_iterations"]) * r["gpreempt"]["samples"])
    if r["preemptions_in_midloop"] < wanted:
        missed.append(f"fewer than {wanted} preemptions saved waves in mid-loop")
    if not virtual(r) or r.get("traced"):
        return missed
    missed += [f"{what} took {us:g} us, more than {limit:g}"
               for what, us, limit in limits(r) if us > limit]
    if r["gpreempt"]["low_rate"] < LOW_SHARE:
        missed.append(f"LOW kept {r['gpreempt']['low_rate']:.1%} of its work with GPREEMPT, "
                      f"less than {LOW_SHARE:.1%}")
    if r["times_below_stock"] < stock_factor(r):
        missed.append(f"HIGH's p99 with GPREEMPT is less than {stock_factor(r)} times below stock")
    return missed


# ---- showing them ----

def machine(model):
    """Its parts, as the log's first line has them."""
    dies, engines, cus = (int(model[key]) for key in ("xccs", "engines", "cus_per_engine"))
    parts = f"{engines} shader engines of {cus} compute unit{'s' * (cus > 1)}"
    off, all_of = int(model.get("inactive_cus", 0)), len(timeline.units(model))
    return (parts if dies == 1 else f"{dies} dies of {parts}") \
        + (f", {off} of a die's switched off: {all_of}" if off else "")


def table(results):
    r, clock = results, results["clock"]
    when = (f"{clock['insns_per_ns']} instructions/ns, in step with the GPU to {clock['quantum_us']} us"
            if virtual(r) else "in real time: NO FIGURE COUNTS")
    print(f"""
These figures are of the GPU model, not of a GPU. {machine(r['model'])};
the read index advances at {r['model']['rptr_at']}; seed {r['seed']}. The CPU: {when}.

                    HIGH from doorbell to completion, us
                    by the guest's clock        by the event log            LOW's work
                       p50     p99     max         p50     p99     max      per second""")
    for name, title in RUNS.items():
        g, e = r[name], r[name]["event_log"]
        print(f"  {title.removeprefix('HIGH '):<16}"
              f"{g['p50_us']:8.0f}{g['p99_us']:8.0f}{g['max_us']:8.0f}"
              f"    {e['p50_us']:8.0f}{e['p99_us']:8.0f}{e['max_us']:8.0f}"
              f"{g['low_rate']:15.1%}")
    print(f"""
  preemptions {r['preemptions']}, resumes {r['resumes']}; \
{r['preemptions_in_midloop']} saved LOW's waves in mid-loop
  LOW's result exact: {'yes' if r['low_exact'] else 'NO'} \
({sum(r['low_words'].values())} words, each as the CPU computes it)
  HIGH's p99 with GPREEMPT: {r['times_below_stock']:g} times below stock (at least {stock_factor(r)})
  LOW keeps {r['gpreempt']['low_rate']:.1%} of its work (at least {LOW_SHARE:.1%})""")
    for what, us, limit in limits(r):
        print(f"  {what}: {us:g} us (at most {limit:g})")
    print(f"  {r['virtual_s']:g} virtual seconds in {r['wall_s']:g} s\n")


def comparison(results):
    """A row for each demo with a grace period of its own, as it stands in benchmarks.rst."""
    line = "==========  ===========  ===  ===  =======  ======"
    rows = [line, "grace_us    preemption   p50  p99  longest  loss", line]
    for r in results:
        high, period = r["gpreempt"]["event_log"], r["grace_us"]
        rows.append(f"{'stock' if period is None else period:<10}  {r['preemption_us']:<11.1f}  "
                    f"{high['p50_us']:<3.0f}  {high['p99_us']:<3.0f}  {high['max_us']:<7.0f}  "
                    f"{1 - r['gpreempt']['low_rate']:.2%}")
    return "\n".join([*rows, line])


def titles(results):
    """The panels' titles, with the figures."""
    return [view.title.format(p50=results[view.run]["p50_us"] / 1000,
                              p99=results[view.run]["p99_us"] / 1000,
                              detection_us=results["detection_us"],
                              preemption_us=results["preemption_us"]) for view in VIEWS]


def picture(folder, boots, runs, results):
    panels = []
    for view, title in zip(VIEWS, titles(results)):
        boot, submitted = boots[view.run], sorted(runs[view.run].submitted)
        begin = submitted[len(submitted) // 2] - view.lead_ms * 1000000
        panels.append(timeline.Panel(boot.log, title, boot.queues["low", view.run],
                                     boot.queues["high", view.run], int(begin), view.span_ms))
    timeline.draw(panels, "Whose waves run on which compute unit (GPU model)", folder / "timeline.png")
