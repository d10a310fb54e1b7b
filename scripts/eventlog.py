# SPDX-License-Identifier: GPL-2.0
"""The GPU model's event log: what happened to each wave, and whether it may.

A line is "<ns> <event> key=value ...", times are the model's. read() follows
every wave from its start to its end, over saves and restores, and collects
what breaks the rules in EventLog.errors:

  - a workgroup's waves start once, and all of them end;
  - a wave taken off the machine is restored exactly once before it runs again,
    with the program counter and the instruction count it was saved with;
  - a dispatch begins once, ends once, and only when all its waves have ended;
  - two waves never hold one wave slot;
  - where the kernels' code is known: a wave goes on at the instruction behind
    the one it executed last, or at that one's branch target.
"""
import bisect
from dataclasses import dataclass, field

RUNNING, SAVED, RESTORED, ENDED = "running", "saved", "restored", "ended"
MAX_ERRORS = 50


@dataclass
class Wave:
    """One wave; its key in the dispatch is (workgroup, wave)."""
    state: str
    slot: tuple                 # xcc, engine, cu, simd, slot
    since: int                  # when it began to run here
    pc: int
    insns: int
    end: int = None


@dataclass
class Dispatch:
    queue: "Queue"
    number: int
    wgs: int
    wave_count: int             # of a whole workgroup
    kernel: int
    begin: int
    end: int = None
    waves: dict = field(default_factory=dict)   # (workgroup, wave) -> Wave


@dataclass
class Queue:
    """One queue from its creation on: doorbells, PASIDs and MQDs are used again."""
    doorbell: int
    pasid: int
    mqd: int
    priority: int
    dispatches: dict = field(default_factory=dict)
    rings: dict = field(default_factory=dict)   # packet -> when its doorbell rang
    name: str = ""

    def unfinished(self):
        return [d for d in self.dispatches.values() if d.end is None]


@dataclass
class Preemption:
    """One UNMAP_QUEUES: from its packet to the driver's fence."""
    begin: int
    stop: int = None            # when the waves were stopped: the grace period was over
    end: int = None
    runlist: int = None         # when the next runlist was in place
    bytes: int = 0
    saved: list = field(default_factory=list)   # (wave, was it in its kernel's loop?, cu)


@dataclass
class Run:
    """A wave on a compute unit without a break."""
    queue: Queue
    dispatch: Dispatch
    key: tuple
    cu: tuple                   # xcc, engine, cu
    begin: int
    end: int


class EventLog:
    """A log that was read; errors is empty when it obeys the rules."""

    def __init__(self, code=None):
        self.code = code        # CodeObject of the kernels, if known
        self.errors = []
        self.queues = []        # in the order of their first map
        self.preemptions = []
        self.runs = []
        self.waits = []         # (cu, begin, end): restored, not running yet
        self.saves = 0          # waves saved after they had run
        self.behind = []        # times at which a unit fell behind
        self.start = {}
        self.stop = None        # the compute side's last line
        self.line = 0
        self.first = self.last = None
        self._live = {}         # (doorbell, pasid) -> Queue
        self._slots = {}        # slot -> wave
        self._unmapping = None  # the preemption that goes on
        self._before_runlist = []

    # ---- reading ----

    def read(self, lines):
        for self.line, text in enumerate(lines, 1):
            fields = text.split()
            if not text.endswith("\n") or len(fields) < 2 or not fields[0].isdigit():
                self._error("not an event: the log is damaged or was cut off")
                continue
            ns = int(fields[0])
            if self.last is not None and ns < self.last:
                self._error("time goes back")
            self.last = ns
            if self.first is None:
                self.first = ns
            handler = getattr(self, "_on_" + fields[1].replace("-", "_"), None)
            if not handler:
                continue
            try:
                handler(ns, dict(f.split("=", 1) for f in fields[2:]))
            except (KeyError, ValueError) as e:
                self._error(f"{fields[1]}: a value is missing or unreadable ({e})")
        self._finish()
        return self

    def _error(self, text):
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(f"line {self.line}: {text}")

    def _finish(self):
        if self.stop is None:
            self._error("the log has no end: the model did not stop by itself")
        for queue in self.queues:
            for dispatch in queue.unfinished():
                self._lost(dispatch)

    def _lost(self, dispatch):
        missing = [self._where(dispatch, key) + f" is {wave.state}"
                   for key, wave in dispatch.waves.items() if wave.state != ENDED]
        self._error(f"{self._name(dispatch)} never ended: "
                    f"{len(dispatch.waves)} waves started, {len(missing)} did not end"
                    + (f", {missing[0]}" if missing else ""))

    @staticmethod
    def _name(dispatch):
        q = dispatch.queue
        return f"queue {q.doorbell:#x} pasid {q.pasid} dispatch {dispatch.number}"

    def _where(self, dispatch, key):
        return f"{self._name(dispatch)} workgroup {key[0]} wave {key[1]}"

    # ---- the model ----

    def _on_start(self, ns, a):
        self.start = a

    def _on_machine_stop(self, ns, a):
        self.stop = {k: int(v) for k, v in a.items()}

    def _on_behind(self, ns, a):
        self.behind.append(ns)

    def _on_error(self, ns, a):
        self._error(f"queue {a['queue']} pasid {a['pasid']} stopped with an error")

    def _on_wave_halt(self, ns, a):
        self._error(f"queue {a['queue']} pasid {a['pasid']}: a wave halted ({a['why']})")

    # ---- queues and dispatches ----

    def _queue(self, a):
        return self._live[int(a["queue"], 0), int(a["pasid"])]

    def _on_queue_map(self, ns, a):
        key = int(a["queue"], 0), int(a["pasid"])
        old, mqd = self._live.get(key), int(a["mqd"], 0)
        # A queue's read index never goes back: at 0 again, it is another queue.
        if old and old.mqd == mqd and not (int(a["read"]) == 0 and old.dispatches
                                           and not old.unfinished()):
            old.priority = int(a["priority"])   # HIP sets it after the creation
            return
        self._live[key] = Queue(*key, mqd, int(a["priority"]))
        self.queues.append(self._live[key])

    def _on_doorbell(self, ns, a):
        dw = int(a["dw"], 0)
        for (doorbell, _), queue in reversed(self._live.items()):
            if doorbell == dw:
                queue.rings.setdefault(int(a["value"], 0), ns)
                return

    def _on_dispatch_begin(self, ns, a):
        queue, number = self._queue(a), int(a["disp"])
        if number in queue.dispatches:
            self._error(f"{self._name(queue.dispatches[number])} began twice")
            return
        queue.dispatches[number] = Dispatch(queue, number, int(a["wgs"]), int(a["waves"]),
                                            int(a["kernel"], 0), ns)

    def _on_dispatch_end(self, ns, a):
        d = self._dispatch(a)
        if d.end is not None:
            self._error(f"{self._name(d)} ended twice")
            return
        d.end = ns
        wgs = {wg for wg, _ in d.waves}
        if len(wgs) != d.wgs:
            self._error(f"{self._name(d)} ended with {len(wgs)} of {d.wgs} workgroups started")
        for key, wave in d.waves.items():
            if wave.state != ENDED:
                self._error(f"{self._where(d, key)} is {wave.state}, its dispatch ended")
                break

    # ---- waves ----

    def _dispatch(self, a):
        return self._queue(a).dispatches[int(a["disp"])]

    def _wave(self, a):
        d, key = self._dispatch(a), (int(a["wg"]), int(a["wave"]))
        wave = d.waves.get(key)
        if not wave:
            self._error(f"{self._where(d, key)} was never started")
        return d, key, wave

    def _place(self, d, key, wave):
        other = self._slots.get(wave.slot)
        if other:
            self._error(f"{self._where(d, key)} is in a slot that another wave holds")
        self._slots[wave.slot] = wave

    @staticmethod
    def _slot(a):
        return tuple(int(a[k]) for k in ("xcc", "engine", "cu", "simd", "slot"))

    def _on_wave_start(self, ns, a):
        d, key = self._dispatch(a), (int(a["wg"]), int(a["wave"]))
        if key in d.waves:
            self._error(f"{self._where(d, key)} was started twice")
            return
        d.waves[key] = Wave(RUNNING, self._slot(a), ns, int(a["pc"], 0), int(a["insns"]))
        self._place(d, key, d.waves[key])

    def _same(self, d, key, wave, a, what):
        """Is the wave where its save left it?"""
        pc, insns = int(a["pc"], 0), int(a["insns"])
        if pc != wave.pc:
            self._error(f"{self._where(d, key)} was saved at pc {wave.pc:#x} "
                        f"and {what} at {pc:#x}")
        if insns != wave.insns:
            self._error(f"{self._where(d, key)} was saved after {wave.insns} instructions "
                        f"and {what} after {insns}")

    def _on_wave_save(self, ns, a):
        d, key, wave = self._wave(a)
        if not wave:
            return
        pc, insns = int(a["pc"], 0), int(a["insns"])
        if wave.state == ENDED:
            self._error(f"{self._where(d, key)} was saved after its end")
        elif wave.state == RUNNING:
            if insns < wave.insns or (insns == wave.insns and pc != wave.pc):
                self._error(f"{self._where(d, key)} lost instructions")
            stop = self._unmapping.stop or self._unmapping.begin if self._unmapping else ns
            self._off(d, key, wave, stop)
            self._saved(d, key, wave, int(a["last"], 0), pc, insns)
        else:
            # Restored but not run since, or not even placed: nothing may change.
            self._same(d, key, wave, a, "saved again")
            self._slots.pop(wave.slot, None)
        wave.state, wave.pc, wave.insns = SAVED, pc, insns

    def _saved(self, d, key, wave, last, pc, insns):
        self.saves += 1
        looping = insns > 0
        if self.code and insns and self.code.find(d.kernel)[0]:
            looping = self.code.in_loop(d.kernel, pc)
            if not self.code.follows(d.kernel, last, pc):
                self._error(f"{self._where(d, key)} would go on at {pc:#x}, which does not "
                            f"follow {last:#x}, the instruction executed last")
        if self._unmapping:
            self._unmapping.saved.append((wave, looping, wave.slot[:3]))

    def _off(self, d, key, wave, ns):
        self._slots.pop(wave.slot, None)
        self.runs.append(Run(d.queue, d, key, wave.slot[:3], wave.since, max(ns, wave.since)))

    def _on_wave_restore(self, ns, a):
        d, key, wave = self._wave(a)
        if not wave:
            return
        if wave.state != SAVED:
            self._error(f"{self._where(d, key)} was restored while {wave.state}")
        self._same(d, key, wave, a, "restored")
        wave.state, wave.slot, wave.since = RESTORED, self._slot(a), ns
        self._place(d, key, wave)

    def _on_wave_resume(self, ns, a):
        d, key, wave = self._wave(a)
        if not wave:
            return
        if wave.state != RESTORED:
            self._error(f"{self._where(d, key)} resumed while {wave.state}")
        self._same(d, key, wave, a, "resumed")
        self.waits.append((wave.slot[:3], wave.since, ns))
        wave.state, wave.since = RUNNING, ns

    def _on_wave_end(self, ns, a):
        d, key, wave = self._wave(a)
        if not wave:
            return
        insns = int(a["insns"])
        if wave.state != RUNNING:
            self._error(f"{self._where(d, key)} ended while {wave.state}")
        elif insns <= wave.insns:
            self._error(f"{self._where(d, key)} lost instructions")
        self._off(d, key, wave, ns)
        wave.state, wave.insns, wave.end = ENDED, insns, ns

    # ---- preemptions ----

    def _on_preempt_begin(self, ns, a):
        self._unmapping = Preemption(ns)
        self.preemptions.append(self._unmapping)

    def _on_preempt_stop(self, ns, a):
        if self._unmapping:
            self._unmapping.stop = ns

    def _on_preempt_end(self, ns, a):
        p, self._unmapping = self._unmapping, None
        if p:
            p.end, p.bytes = ns, int(a["bytes"])
            self._before_runlist.append(p)

    def _on_runlist(self, ns, a):
        for p in self._before_runlist:
            p.runlist = ns
        self._before_runlist = []

    # ---- questions ----

    def midloop(self):
        """Preemptions that saved a wave in mid-loop which later ran to its end.

        Where the code is not known, any wave that had executed something counts.
        """
        return [p for p in self.preemptions
                if any(looping and wave.state == ENDED for wave, looping, _ in p.saved)]

    def behind_in(self, begin, end):
        i = bisect.bisect_left(self.behind, begin)
        return bisect.bisect_right(self.behind, end) - i


def load(path, code=None):
    with open(path, encoding="utf-8", errors="replace") as f:
        return EventLog(code).read(f)
