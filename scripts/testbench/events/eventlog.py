# SPDX-License-Identifier: GPL-2.0
"""The GPU model's event log: what happened to each wave, and whether it may.

A line is "<ns> <event> key=value ...", times are the model's. read() follows
every wave from its start to its end, over saves and restores, and collects
what breaks the rules in EventLog.errors:

  - a workgroup's waves start once, and all of them end;
  - a wave taken off the machine is restored exactly once before it runs again,
    with the program counter and the instruction count it was saved with;
  - a dispatch begins once, ends once, and only when all its waves have ended;
  - two waves never hold one wave slot, nor two queues one queue slot;
  - a queue has its slot when it takes packets, each of them once and in order,
    and leaves it without a wave on the machine; it comes back where it left,
    with all the dispatches that had not ended; restored from a checkpoint, with
    all of the queue that was checkpointed;
  - with --connect pipe or strict it has its pipe when it takes packets, and when its waves
    are launched or restored;
  - where the kernels' code is known: a wave goes on at the instruction behind
    the one it executed last, or at that one's branch target.

What a fault, a reset or the end of a process takes away breaks none of these;
it is a mishap: a wave that halts or is killed, a queue that fails, is reset or
cannot be saved, a dispatch given up with its queue. EventLog.mishaps has them.
In a log that ought to be clean, as it is unless one says so, they are errors.
"""
import re
from dataclasses import dataclass, field, replace

RUNNING, SAVED, RESTORED, ENDED = "running", "saved", "restored", "ended"
MAX_ERRORS = 50
# A text may hold spaces.
FIELD = re.compile(r'([\w-]+)=("[^"]*"|\S*)')
# Events that only people read.
PEOPLE = {"control", "doorbell-seen", "fault", "hqd-map", "hqd-unmap", "mes-hung", "page-retry",
          "params", "partitions", "reset", "sdma-map", "sdma-unmap", "set-resources", "smu", "warn",
          "wave-stall"}


class NotMapped(Exception):
    """An event names a queue that has never had a slot."""


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
    lost: bool = False          # given up with its queue
    waves: dict = field(default_factory=dict)   # (workgroup, wave) -> Wave


@dataclass
class Queue:
    """One queue from its creation on: doorbells, PASIDs and MQDs are used again."""
    doorbell: int
    pasid: int
    mqd: int
    priority: int
    ring: str = None            # its address: a restored process has it where it was
    dispatches: dict = field(default_factory=dict)
    rings: dict = field(default_factory=dict)   # packet -> when its doorbell rang
    name: str = ""
    seat: tuple = None          # xcc, pipe, slot; None while it is not mapped
    read: int = None            # read index with which it left
    packet: int = None          # the one it consumed last
    again: tuple = None         # mapped with this MQD and priority; perhaps it is another one

    def unfinished(self):
        return [d for d in self.dispatches.values() if d.end is None and not d.lost]


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

    def __init__(self, code=None, clean=True):
        self.code = code        # CodeObject of the kernels, if known
        self.clean = clean      # mishaps are errors
        self.errors = []
        self.mishaps = []
        self.queues = []        # in the order of their first map
        self.preemptions = []
        self.runs = []
        self.waits = []         # (cu, begin, end): restored, not running yet
        self.saves = 0          # waves saved after they had run
        self.behind = []        # times at which a unit fell behind, in real time
        self.start = {}
        self.stop = None        # the compute side's last line
        self.line = 0
        self.first = self.last = None
        self._live = {}         # (doorbell, pasid) -> Queue
        self._seats = {}        # (xcc, pipe, slot) -> Queue
        self._pipes = {}        # (xcc, pipe) -> (doorbell, PASID) of who is connected
        self._slots = {}        # slot -> wave
        self._unmapping = {}    # xcc -> the preemption that goes on in its partition
        self._before_runlist = {}

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
            if fields[1] in PEOPLE:
                continue
            handler = self.handlers.get(fields[1])
            if not handler:
                self._error(f"{fields[1]}: no such event")
                continue
            try:
                handler(self, ns, dict(FIELD.findall(text)))
            except NotMapped as e:
                self._error(f"{fields[1]}: {e}")
            except (KeyError, ValueError) as e:
                self._error(f"{fields[1]}: a value is missing or unreadable ({e})")
        self._finish()
        return self

    def _error(self, text):
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(f"line {self.line}: {text}")

    def _mishap(self, text):
        if self.clean:
            self._error(text)
        else:
            self.mishaps.append(f"line {self.line}: {text}")

    def _finish(self):
        if self.stop is None:
            self._error("the log has no end: the model did not stop by itself")
        for queue in self.queues:
            self._give_up(queue, "never ended")

    def _give_up(self, queue, why):
        """The queue is gone, and its work with it."""
        for dispatch in queue.unfinished():
            missing = []
            for key, wave in dispatch.waves.items():
                if wave.state != ENDED:
                    missing.append(self._where(dispatch, key) + f" is {wave.state}")
                if self._slots.get(wave.slot) is wave:
                    del self._slots[wave.slot]
                wave.state = ENDED
            self._mishap(f"{self._name(dispatch)} {why}: "
                         f"{len(dispatch.waves)} waves started, {len(missing)} did not end"
                         + (f", {missing[0]}" if missing else ""))
            dispatch.lost = True
        if self._seats.get(queue.seat) is queue:
            del self._seats[queue.seat]
        queue.seat = None

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

    def _on_machine_reset(self, ns, a):
        # What is saved in memory outlasts it.
        for queue in list(self._seats.values()):
            self._give_up(queue, "was lost in a reset")
            del self._live[queue.doorbell, queue.pasid]
        self._unmapping = {}

    def _on_page_fault(self, ns, a):
        self._mishap(f"page fault of vmid {a['vmid']} at {a['va']}")

    def _on_hiq_hang(self, ns, a):
        self._mishap(f"the scheduler hangs at a packet with the header {a['header']}")

    # ---- queues and dispatches ----

    def _queue(self, a):
        key = int(a["queue"], 0), int(a["pasid"])
        if key not in self._live:
            raise NotMapped(f"queue {key[0]:#x} pasid {key[1]} was never mapped")
        return self._live[key]

    @staticmethod
    def _title(queue):
        return f"queue {queue.doorbell:#x} pasid {queue.pasid}"

    def _on_error(self, ns, a):
        self._mishap(f"queue {a['queue']} pasid {a['pasid']} stopped with an error")

    def _new_queue(self, key, mqd, priority):
        if key in self._live:
            self._give_up(self._live[key], "was given up with its queue")
        queue = self._live[key] = Queue(*key, mqd, priority)
        self.queues.append(queue)
        return queue

    def _on_queue_map(self, ns, a):
        key = int(a["queue"], 0), int(a["pasid"])
        made_of = int(a["mqd"], 0), int(a["priority"])
        queue, read = self._live.get(key), int(a["read"])
        if queue and queue.seat:
            self._error(f"{self._title(queue)} was mapped twice")
        # A queue's read index never goes back: at 0 again, it is another queue.
        # It may have been 0 all the time: then dispatches that come back tell.
        if not queue or queue.mqd != made_of[0] or (read == 0 and queue.read):
            queue = self._new_queue(key, *made_of)
        elif read == 0 and queue.dispatches:
            if queue.unfinished():
                queue.again = made_of
            else:
                queue = self._new_queue(key, *made_of)
        elif queue.read not in (None, read):
            # It is the process' to write.
            self._mishap(f"{self._title(queue)} left at packet {queue.read} "
                         f"and came back at {read}")
            queue.packet = None
        queue.priority = made_of[1]     # HIP sets it after the creation
        queue.ring = a.get("ring")
        self._sit(queue, tuple(int(a[k]) for k in ("xcc", "pipe", "slot")))

    def _sit(self, queue, seat):
        other = self._seats.get(seat)
        if other and other is not queue:
            self._error(f"{self._title(queue)} got the slot that {self._title(other)} holds")
        self._seats[seat] = queue
        queue.seat = seat

    def _on_pipe_connect(self, ns, a):
        queue = self._queue(a)
        self._pipes[int(a["xcc"]), int(a["pipe"])] = queue.doorbell, queue.pasid

    def _needs_pipe(self, queue, what):
        """Is the queue connected, where one of a pipe is?"""
        if self.start.get("connect") in ("pipe", "strict") and queue.seat and \
                self._pipes.get(queue.seat[:2]) != (queue.doorbell, queue.pasid):
            self._error(f"{self._title(queue)} {what} without its pipe")

    def _on_queue_restore(self, ns, a):
        queue, count = self._queue(a), int(a["dispatches"])
        queue.again = None
        if queue.ring and not queue.dispatches:
            self._take_image(queue, count)
        if count != len(queue.unfinished()):
            self._error(f"{self._title(queue)} came back with {count} dispatches, "
                        f"{len(queue.unfinished())} had not ended")

    def _take_image(self, queue, count):
        """Has a checkpoint of another process's queue that had so many dispatches become it?"""
        for other in reversed(self.queues):
            left = other.unfinished()
            if other.pasid != queue.pasid and other.ring == queue.ring and len(left) == count:
                queue.dispatches = {
                    d.number: replace(d, queue=queue, waves={key: replace(wave) for key, wave
                                                             in d.waves.items()})
                    for d in left}
                break

    def _on_queue_unmap(self, ns, a):
        queue = self._queue(a)
        for dispatch in queue.unfinished():
            for key, wave in dispatch.waves.items():
                if wave.state in (RUNNING, RESTORED):
                    self._error(f"{self._where(dispatch, key)} is {wave.state}, "
                                "its queue left")
                    break
        if not queue.seat:
            self._error(f"{self._title(queue)} left without having been mapped")
        if queue.seat and self._pipes.get(queue.seat[:2]) == (queue.doorbell, queue.pasid):
            del self._pipes[queue.seat[:2]]
        self._seats.pop(queue.seat, None)
        queue.seat, queue.read = None, int(a["read"])

    def _on_queue_reset(self, ns, a):
        queue = self._queue(a)
        self._mishap(f"{self._title(queue)} was reset")
        self._give_up(queue, "was lost in its queue's reset")

    def _on_packet(self, ns, a):
        queue, number = self._queue(a), int(a["packet"])
        if not queue.seat:
            self._error(f"{self._title(queue)} took packet {number} without a slot")
        self._needs_pipe(queue, f"took packet {number}")
        if queue.packet is not None and number != queue.packet + 1 and not queue.again:
            self._error(f"{self._title(queue)} took packet {number} after {queue.packet}")
        queue.packet = number

    def _on_doorbell(self, ns, a):
        dw = int(a["dw"], 0)
        for (doorbell, _), queue in reversed(self._live.items()):
            if doorbell == dw:
                queue.rings.setdefault(int(a["value"], 0), ns)
                return

    def _on_dispatch_begin(self, ns, a):
        queue, number = self._queue(a), int(a["disp"])
        if queue.again:         # nothing came back to it
            seat = queue.seat
            queue = self._new_queue((queue.doorbell, queue.pasid), *queue.again)
            self._sit(queue, seat)
        if not queue.seat:
            self._error(f"{self._title(queue)} began dispatch {number} without a slot")
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
        self._needs_pipe(d.queue, "launched a wave")
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
            unmapping = self._preemption(d.queue)
            stop = unmapping.stop or unmapping.begin if unmapping else ns
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
        unmapping = self._preemption(d.queue)
        if unmapping:
            unmapping.saved.append((wave, looping, wave.slot[:3]))

    def _off(self, d, key, wave, ns):
        self._slots.pop(wave.slot, None)
        self.runs.append(Run(d.queue, d, key, wave.slot[:3], wave.since, max(ns, wave.since)))

    def _on_wave_restore(self, ns, a):
        d, key, wave = self._wave(a)
        if not wave:
            return
        if wave.state != SAVED:
            self._error(f"{self._where(d, key)} was restored while {wave.state}")
        self._needs_pipe(d.queue, "restored a wave")
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

    def _on_wave_kill(self, ns, a):
        d, key, wave = self._wave(a)
        if not wave:
            return
        insns = int(a["insns"])
        if wave.state not in (RUNNING, RESTORED):
            self._error(f"{self._where(d, key)} was killed while {wave.state}")
        elif insns < wave.insns:
            self._error(f"{self._where(d, key)} lost instructions")
        self._mishap(f"{self._where(d, key)} was killed")
        if wave.state == RUNNING:
            self._off(d, key, wave, ns)
        self._slots.pop(wave.slot, None)
        wave.state, wave.insns, wave.end = ENDED, insns, ns

    def _on_wave_trap(self, ns, a):
        d, key, wave = self._wave(a)
        if wave and wave.state != RUNNING:
            self._error(f"{self._where(d, key)} trapped while {wave.state}")

    def _on_wave_halt(self, ns, a):
        d, key, wave = self._wave(a)
        if wave and wave.state != RUNNING:
            self._error(f"{self._where(d, key)} halted while {wave.state}")
        self._mishap(f"{self._where(d, key)} halted ({a['why']})")

    def _on_trap_handler(self, ns, a):
        # before the queue came back, or became the one that a checkpoint was made of
        if "0" in (a.get("saved"), a.get("restored")):
            self._mishap(f"{self._name(self._dispatch(a))} workgroup {a['wg']}: the trap handler went astray")

    # ---- preemptions ----

    def _on_preempt_fail(self, ns, a):
        queue = self._queue(a)
        if not queue.seat:
            self._error(f"{self._title(queue)} could not be saved without a slot")
        self._mishap(f"{self._title(queue)} could not be saved")

    def _on_preempt_begin(self, ns, a):
        p = self._unmapping[int(a["xcc"])] = Preemption(ns)
        self.preemptions.append(p)

    def _on_preempt_stop(self, ns, a):
        p = self._unmapping.get(int(a["xcc"]))
        if p:
            p.stop = ns

    def _on_preempt_end(self, ns, a):
        p = self._unmapping.pop(int(a["xcc"]), None)
        if p:
            p.end, p.bytes = ns, int(a["bytes"])
            self._before_runlist.setdefault(int(a["xcc"]), []).append(p)

    def _on_runlist(self, ns, a):
        for p in self._before_runlist.pop(int(a["xcc"]), []):
            p.runlist = ns

    def _preemption(self, queue):
        """The one that goes on where the queue is."""
        return queue.seat and self._unmapping.get(queue.seat[0])

    # ---- questions ----

    def midloop(self):
        """Preemptions that saved a wave in mid-loop which later ran to its end.

        Where the code is not known, any wave that had executed something counts.
        """
        return [p for p in self.preemptions
                if any(looping and wave.state == ENDED for wave, looping, _ in p.saved)]


EventLog.handlers = {name[4:].replace("_", "-"): method
                     for name, method in vars(EventLog).items() if name.startswith("_on_")}


def load(path, code=None, clean=True):
    with open(path, encoding="utf-8", errors="replace") as f:
        return EventLog(code, clean).read(f)
