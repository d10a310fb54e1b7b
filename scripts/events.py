# SPDX-License-Identifier: GPL-2.0
"""The GPU model's event log: reading it, and what it says about waves.

A line is "<model time in ns> <event> key=value ...". See
tools/testing/gpu-model/log.h.
"""
import re
from bisect import bisect_left
from collections import defaultdict, namedtuple

Event = namedtuple("Event", "t name f")
Wave = namedtuple("Wave", "queue pasid disp wg wave")
# A wave on a compute unit from begin to end.
Span = namedtuple("Span", "begin end unit wave")


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def read(path):
    """The events of a log, in order of time."""
    events = []
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            words = line.split()
            if len(words) < 2 or not words[0].isdigit():
                raise ValueError(f"{path}: not an event: {line.strip()!r}")
            fields = dict(w.split("=", 1) for w in words[2:] if "=" in w)
            events.append(Event(int(words[0]), words[1],
                                {k: number(v) for k, v in fields.items()}))
    # Several threads write: lines may be a little out of order.
    events.sort(key=lambda e: e.t)
    return events


def wave_of(event):
    return Wave(*(event.f[k] for k in Wave._fields))


class Code:
    """Disassembly of the kernels (llvm-objdump --syms -d)."""

    INSN = re.compile(r"^\s+(\S+).*// ([0-9A-F]+):((?: [0-9A-F]{8})+)(?: <(\w+)(?:\+0x([0-9a-f]+))?>)?")
    SYMBOL = re.compile(r"^([0-9a-f]+) .* (\w+)\.kd$")
    LABEL = re.compile(r"^([0-9a-f]+) <(\w+)>:")
    # Kernels are loaded page-aligned: this part of an address survives it.
    PAGE = 0xfff

    def __init__(self, path):
        self.next = {}          # address -> addresses that may follow
        self.descriptor = {}    # kernel -> address of its descriptor
        self.start = {}
        self.loop = {}          # kernel -> (first, last) address of its longest loop
        back = defaultdict(list)
        kernel = None
        with open(path, encoding="utf-8") as text:
            for line in text:
                if m := self.SYMBOL.match(line):
                    self.descriptor[m[2]] = int(m[1], 16)
                elif m := self.LABEL.match(line):
                    kernel = m[2]
                    self.start[kernel] = int(m[1], 16)
                elif m := self.INSN.match(line):
                    self.insn(kernel, back, *m.groups())
        for kernel, jumps in back.items():
            self.loop[kernel] = max(jumps, key=lambda j: j[1] - j[0])

    def insn(self, kernel, back, op, address, words, symbol, offset):
        address = int(address, 16)
        follow = set()
        if symbol:
            target = self.start[symbol] + int(offset or "0", 16)
            follow.add(target)
            if target < address:
                back[kernel].append((target, address))
        if op not in ("s_branch", "s_endpgm"):
            follow.add(address + 4 * len(words.split()))
        self.next[address] = follow

    def kernel_at(self, descriptor):
        """Name and load address of a kernel, by its descriptor's address."""
        for name, address in self.descriptor.items():
            if (address ^ descriptor) & self.PAGE == 0:
                return name, descriptor - address
        return None, 0


class Log:
    """What the events say, wave by wave."""

    def __init__(self, events, code=None):
        self.events = events
        self.code = code
        self.errors = []
        self.spans = []             # Span, in order of their end
        self.kernel = {}            # (queue, pasid, disp) -> (name, load address)
        self.preemptions = []       # (time, (queue, pasid), waves, waves in mid-loop)
        self.dispatches = {}        # (queue, pasid, disp) -> (begin, end), the latest of that name
        self.units = set()
        self.live = {}              # wave -> State
        self.saving = {}            # (queue, pasid) -> index into preemptions
        for event in events:
            handler = getattr(self, "on_" + event.name.replace("-", "_"), None)
            if handler:
                handler(event)

    class State:
        """One wave between its start and its end."""

        def __init__(self, t, unit, pc, insns):
            self.since = t
            self.unit = unit
            self.pc = pc
            self.insns = insns
            self.saved = False
            self.ran = True         # executed something since start or restore

    def error(self, event, text):
        self.errors.append(f"{event.t} {event.name} {text}: "
                           + " ".join(f"{k}={v:#x}" if k in ("pc", "last") else f"{k}={v}"
                                      for k, v in event.f.items()))

    def key(self, event):
        return tuple(event.f[k] for k in ("queue", "pasid", "disp"))

    def unit(self, event):
        unit = event.f["engine"], event.f["cu"]
        self.units.add(unit)
        return unit

    def on_dispatch_begin(self, event):
        key = self.key(event)
        if self.code:
            self.kernel[key] = self.code.kernel_at(event.f["kernel"])
        self.dispatches[key] = (event.t, None)

    def on_dispatch_end(self, event):
        key = self.key(event)
        for wave in [w for w in self.live if w[:3] == key]:
            self.error(event, f"its wave {wave.wg}.{wave.wave} was lost")
            del self.live[wave]
        if key not in self.dispatches or self.dispatches[key][1]:
            self.error(event, "of a dispatch that did not begin")
            return
        self.dispatches[key] = (self.dispatches[key][0], event.t)

    def on_wave_start(self, event):
        wave = wave_of(event)
        if wave in self.live:
            self.error(event, "of a wave that has started already")
        self.saving.pop(wave[:2], None)
        self.live[wave] = self.State(event.t, self.unit(event), event.f["pc"], 0)

    def on_wave_save(self, event):
        wave = wave_of(event)
        state = self.live.get(wave)
        if not state or state.saved:
            self.error(event, "of a wave that does not run")
            return
        f = event.f
        if not state.ran and (f["pc"], f["insns"]) != (state.pc, state.insns):
            self.error(event, "moved without having run")
        name, base = self.kernel.get(wave[:3], (None, 0))
        if state.ran and f["insns"] and name:
            follow = self.code.next.get(f["last"] - base, ())
            if f["pc"] - base not in follow:
                self.error(event, "does not go on after its last instruction")
        self.spans.append(Span(state.since, event.t, state.unit, wave))
        state.saved, state.pc, state.insns = True, f["pc"], f["insns"]
        self.count(event, wave, name, f["pc"] - base)

    def count(self, event, wave, name, pc):
        """Waves of one queue saved together are one preemption."""
        queue = wave[:2]
        if queue not in self.saving:
            self.saving[queue] = len(self.preemptions)
            self.preemptions.append((event.t, queue, 0, 0))
        first, last = self.code.loop.get(name, (1, 0)) if self.code else (1, 0)
        t, _, waves, looping = self.preemptions[self.saving[queue]]
        self.preemptions[self.saving[queue]] = (t, queue, waves + 1,
                                                looping + (first <= pc <= last))

    def on_wave_restore(self, event):
        wave = wave_of(event)
        state = self.live.get(wave)
        self.saving.pop(wave[:2], None)
        if not state or not state.saved:
            self.error(event, "of a wave that was not saved")
            return
        if (event.f["pc"], event.f["insns"]) != (state.pc, state.insns):
            self.error(event, f"differs from what was saved: pc {state.pc:#x} "
                              f"after {state.insns} instructions")
        state.saved, state.ran = False, False
        state.since, state.unit = event.t, self.unit(event)

    def on_wave_resume(self, event):
        state = self.live.get(wave_of(event))
        if not state or state.saved or state.ran:
            self.error(event, "of a wave that was not restored")
            return
        if (event.f["pc"], event.f["insns"]) != (state.pc, state.insns):
            self.error(event, f"is not where it stopped: pc {state.pc:#x} "
                              f"after {state.insns} instructions")
        state.ran = True

    def on_wave_end(self, event):
        wave = wave_of(event)
        state = self.live.pop(wave, None)
        if not state or state.saved:
            self.error(event, "of a wave that does not run")
            return
        if not state.ran:
            self.error(event, "of a wave that was restored but did not go on")
        self.spans.append(Span(state.since, event.t, state.unit, wave))

    def on_wave_halt(self, event):
        self.error(event, "")

    def name(self, wave):
        return self.kernel.get(wave[:3], (None, 0))[0]

    def counted(self, begin=0, end=float("inf")):
        """Preemptions between two times that saved waves in mid-loop."""
        return sum(1 for t, _, _, looping in self.preemptions if looping and begin <= t < end)

    def behind(self, begin=0, end=float("inf")):
        return [e for e in self.events if e.name == "behind" and begin <= e.t < end]

    def occupancy(self, kernel, begin, end):
        """For each unit, the share of a time in which it held a wave of a kernel."""
        share = {}
        for unit in self.units:
            busy, until = 0, begin
            for s in sorted(s for s in self.spans if s.unit == unit
                            and self.name(s.wave) == kernel and s.end > begin and s.begin < end):
                busy += max(0, min(s.end, end) - max(s.begin, until))
                until = max(until, min(s.end, end))
            share[unit] = busy / (end - begin)
        return share

    def latencies(self, kernel, begin, end):
        """packet -> ns from its doorbell to its completion, for dispatches of a kernel."""
        rung = defaultdict(list)
        for event in self.events:
            if event.name == "doorbell" and "dw" in event.f:
                rung[event.f["dw"], event.f["value"]].append(event.t)
        result = {}
        for event in self.events:
            if event.name != "dispatch-end" or not begin <= event.t <= end:
                continue
            key = self.key(event)
            if self.kernel.get(key, (None, 0))[0] != kernel:
                continue
            times = rung[key[0], key[2]]
            i = bisect_left(times, event.t) - 1
            if i < 0:
                self.error(event, "without a doorbell")
            else:
                result[key[2]] = event.t - times[i]
        return result
