# SPDX-License-Identifier: GPL-2.0
"""Measure the GPU model in a guest and hold it to its limits: check-figures NAME

Results are TAP; what the guest leaves is in out/NAME. Measured are the time from
driver load to KFD node, by the guest's log, the model's memory besides VRAM, and
the CPU time it uses while nothing happens. On a busy host the threads of QEMU and
the model wait for a CPU, which the kernel counts: that long the guest may take in
addition, but not run for longer. Both are shown.
"""
import re
import subprocess
import sys
import time
from pathlib import Path

from testbench.check import runner
from testbench.paths import GUEST, OUT, inside, kselftest

LOAD_S = 2.0            # from driver load to KFD node
MEMORY_KB = 200 * 1024  # of the model, besides VRAM in use
IDLE_S = 10             # so long the guest does nothing
IDLE_MS = 20            # CPU time of the model meanwhile: two ticks
LIMIT_S = 240           # of the whole

STAMP = r"^\[ *(\d+\.\d+)\] .*"
MARKS = {"load": STAMP + "figures: load", "node": STAMP + "kfd: .*added device",
         "idle": STAMP + "figures: idle", "end": STAMP + "figures: end"}


class Failed(Exception):
    """The guest did not get as far."""


def children(pid):
    return [child for child, stat in runner.of_processes("stat")
            if int(stat.rpartition(b")")[2].split()[1]) == pid]


def times(pid):
    """Nanoseconds that a process' threads have run, and have waited for a CPU."""
    ran = waited = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        fields = path.read_text().split()
        ran += int(fields[0])
        waited += int(fields[1])
    return ran, waited


def memory(pid):
    """Resident kB of a process: all, and VRAM's."""
    status = Path(f"/proc/{pid}/status").read_text()
    everything = int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1])
    vram = 0
    maps = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path(f"/proc/{pid}/smaps").read_text(),
                    flags=re.M)
    for text in maps:
        if "gpu-model-vram" in text.partition("\n")[0]:
            vram += int(re.search(r"^Rss:\s+(\d+) kB", text, re.M)[1])
    if not vram:
        raise Failed("the model has no VRAM in its maps")
    return everything, vram


class Guest:
    """A guest that runs inside/figures; its log is followed."""

    def __init__(self, name):
        self.console = OUT / name / "console.log"
        self.console.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*GUEST, "--name", name, "--module", "stock", "--no-load",
             "--timeout", str(LIMIT_S), "--", inside("model/figures"), kselftest("queue/aql_test"),
             str(IDLE_S + 5)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def wait_for(self, mark):
        """The guest's clock at a mark in its log, in s."""
        while True:
            over = self.process.poll() is not None
            if self.console.exists():
                found = re.search(MARKS[mark], self.console.read_text(errors="replace"), re.M)
                if found:
                    return float(found[1])
            if over:
                raise Failed(f"no '{mark}' in {self.console}: " + self.process.stdout.read())
            time.sleep(0.02)

    def pids(self):
        """Model, and all of QEMU and the model."""
        pids = children(self.process.pid)
        model = [p for p in pids if Path(f"/proc/{p}/comm").read_text() == "gpu-model\n"]
        if len(model) != 1 or len(pids) < 2:
            raise Failed(f"{len(model)} models among {len(pids)} processes of the guest")
        return model[0], pids


def measure(guest):
    """Yield a text and whether it is good."""
    begin = guest.wait_for("load")
    model, pids = guest.pids()
    before = [times(p) for p in pids]
    took = guest.wait_for("node") - begin
    spent = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(before, [times(p) for p in pids])]
    ran, waited = (sum(s) / 1e9 for s in zip(*spent))
    yield (f"{took:.2f} s from driver load to KFD node, at most {LOAD_S:g}, by a host that ran "
           f"it for {ran:.2f} s and let it wait for {waited:.2f}",
           took <= LOAD_S or (ran <= LOAD_S and took <= LOAD_S + waited))

    guest.wait_for("idle")
    everything, vram = memory(model)
    yield (f"{(everything - vram) / 1024:.1f} MB besides {vram / 1024:.1f} MB of VRAM, "
           f"at most {MEMORY_KB / 1024:g}", everything - vram <= MEMORY_KB)

    time.sleep(1)
    ran = times(model)[0]
    time.sleep(IDLE_S)
    ran = (times(model)[0] - ran) / 1e6
    yield f"{ran:.1f} ms of CPU time in {IDLE_S} s without work, at most {IDLE_MS}", ran <= IDLE_MS
    if "figures: end" in guest.console.read_text(errors="replace"):
        raise Failed("the guest was done before the measurement was")
    guest.wait_for("end")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-figures NAME")
    guest = Guest(sys.argv[1])
    n = failed = 0
    try:
        for n, (text, good) in enumerate(measure(guest), 1):
            failed += not good
            print(f"{'ok' if good else 'not ok'} {n} - {text}", flush=True)
        status = guest.process.wait()
        if status:
            raise Failed(f"the guest ended with status {status}: " + guest.process.stdout.read())
    except Failed as e:
        n += 1
        failed += 1
        print(f"not ok {n} - {e}".replace("\n", "\n# "))
    finally:
        guest.process.terminate()
        guest.process.wait()
    print(f"1..{n}")
    sys.exit(bool(failed))

