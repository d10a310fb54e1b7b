# SPDX-License-Identifier: GPL-2.0
"""How far a guest of the demo's is, by the event log that its model writes meanwhile."""
import re
import sys
import threading
import time

EVENT = re.compile(rb"^(\d+) (queue-map|dispatch-begin|dispatch-end) queue=(\S+) pasid=(\d+)(.*)$", re.M)
HIGH, LOW = b"15", b"0"             # priorities
TELL_S = 30                         # apart, where there is no terminal
LOOK_S = 0.5


class Progress:
    """What there is to do: LOW alone for so many seconds, and so many kernels of HIGH's."""

    def __init__(self, path, low_s, kernels, clock=time.monotonic):
        self.path, self.low_s, self.kernels, self.clock = path, low_s, kernels, clock
        self.read, self.rest = 0, b""
        self.queues = {}            # (queue, PASID) -> priority
        self.now = self.low_begin = None    # ns of the log
        self.in_flight = 0          # of LOW's dispatches: one alone is a calibration
        self.ended = 0              # of HIGH's kernels
        self.since = None           # which of both it is, and since when of the host's clock

    def look(self):
        """Read what the log has got."""
        try:
            with self.path.open("rb") as log:
                log.seek(self.read)
                text = log.read()
        except FileNotFoundError:
            return
        self.read += len(text)
        *lines, self.rest = (self.rest + text).rsplit(b"\n", 1)
        if not lines:
            return
        for ns, event, queue, pasid, more in EVENT.findall(lines[0]):
            self.now = int(ns)
            if event == b"queue-map":
                self.queues[queue, pasid] = re.search(rb" priority=(\d+)", more)[1]
            elif self.queues.get((queue, pasid)) == LOW:
                self.in_flight += 1 if event == b"dispatch-begin" else -1
                if self.in_flight > 1 and not self.low_begin:
                    self.low_begin = self.now
            elif self.queues.get((queue, pasid)) == HIGH and event == b"dispatch-end":
                self.ended += 1
        self.now = int(lines[0].rpartition(b"\n")[2].split(b" ", 1)[0])

    def state(self):
        """What is done, and which part of it has been."""
        if self.ended:
            return (f"{min(self.ended, self.kernels)} of {self.kernels} kernels of HIGH's",
                    min(1, self.ended / self.kernels))
        if self.low_s and self.low_begin:
            done = (self.now - self.low_begin) / 1e9
            return f"LOW alone, {done:.1f} of {self.low_s} virtual seconds", min(1, done / self.low_s)
        return ("boots, and LOW gets ready" +
                (f", {self.now / 1e9:.1f} virtual seconds" if self.now else "")), 0

    def text(self):
        self.look()
        what, part = self.state()
        kind = bool(self.ended)
        if part and (not self.since or self.since[0] != kind):
            self.since = kind, self.clock(), part
        begun = self.since[2] if part else 0
        if part <= begun:
            return what
        return f"{what}, {left((self.clock() - self.since[1]) * (1 - part) / (part - begun))} left"


def left(seconds):
    """Nobody knows it to the second."""
    if seconds < 60:
        return f"some {max(1, round(seconds / 10)) * 10} s"
    minutes = round(seconds / 60)
    return f"some {minutes} minute{'s' * (minutes > 1)}"


class Reading:
    """Tells how much of the event logs has been read, of more than one."""

    def __init__(self, clock=time.monotonic):
        self.begin, self.clock = clock(), clock

    def __call__(self, done, total):
        more = (self.clock() - self.begin) * (total - done) / done if done else 0
        print(f"  READ    the event logs: {done >> 20} of {total >> 20} MB"
              + (f", {left(more)} left" if done else ""), flush=True)


class Teller:
    """Tells of it while the guest works: on a terminal in one line, else now and then."""

    def __init__(self, progress):
        self.progress, self.begin = progress, time.monotonic()
        self.done = threading.Event()
        threading.Thread(target=self.tell, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done.set()

    def tell(self):
        terminal = sys.stderr.isatty()
        while not self.done.wait(LOOK_S if terminal else TELL_S):
            line = f"  {time.monotonic() - self.begin:5.1f} s  {self.progress.text():<60}"
            if terminal:
                print(f"\r{line}\r", end="", file=sys.stderr)
            else:
                print(line.rstrip(), flush=True)
