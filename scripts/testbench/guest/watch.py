# SPDX-License-Identifier: GPL-2.0
"""Follows a running guest: its console, what it prints, its sleep and its end."""
import json
import os
import re
import selectors
import socket
import sys
import time
from pathlib import Path

from testbench.guest import splats

# What is dying may still say where it stood.
LAST_WORDS_S = 2

# Nothing more is to be expected of the guest.
FATAL = re.compile(r"Kernel panic|Oops:|kernel BUG at|BUG: unable|general protection fault|"
                   r"soft lockup|rcu: INFO: |blocked for more than")


class Waker:
    """Wakes a guest that sleeps, at once: nobody else would.

    A sleep to memory is QEMU's to tell (QMP) and to end. Of one to idle it knows
    nothing: the kernel says so (pm_debug_messages), and wakes up from the
    keyboard's interrupt.
    """

    IDLE = "PM: suspend-to-idle"

    def __init__(self):
        self.socket, self.qemu_end = socket.socketpair()
        self.rest = b""
        self.say("qmp_capabilities")

    def say(self, command, **arguments):
        self.socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())

    def qmp(self):
        *lines, self.rest = (self.rest + self.socket.recv(65536)).split(b"\n")
        for line in lines:
            if json.loads(line).get("event") == "SUSPEND":
                self.say("system_wakeup")

    def console(self, line):
        if self.IDLE in line:
            self.say("send-key", keys=[{"type": "qcode", "data": "shift"}])


class Watch:
    """Follows console and output of a running guest."""

    def __init__(self, out):
        self.console = (out / "console.log").open("wb")
        self.output = (out / "output").open("rb")
        self.rest = b""
        self.fatal_at = self.fatal = None

    def feed(self, data):
        """The lines that are complete now."""
        self.console.write(data)
        self.console.flush()
        *lines, self.rest = (self.rest + data).split(b"\n")
        lines = [l.decode(errors="replace").rstrip() for l in lines]
        if not self.fatal_at and (fatal := next(filter(FATAL.search, lines), None)):
            self.fatal_at, self.fatal = time.monotonic(), splats.STAMP.sub("", fatal)
        return lines

    def forward(self):
        sys.stdout.buffer.write(self.output.read())
        sys.stdout.flush()

    def text(self):
        self.console.flush()
        return Path(self.console.name).read_text(errors="replace")

    def reports(self, args, out):
        """What the kernel's checkers found and is not let pass."""
        self.console.flush()
        found = [r for r in splats.of_guest(out) if not r.known(args.kernel, args.suite)]
        if not args.splat_ok:
            return found
        if args.module == "stock":
            with args.splat_ok.open("a") as stock:
                stock.writelines(f"{r.likeness}\n" for r in found)
        return splats.beyond(found, args.splat_ok)

    def failed(self):
        """What is said of a kernel that ended, its first complaint in the first line."""
        return f"the kernel failed: {self.fatal}\n{self.excerpt()}"

    def excerpt(self):
        lines = self.text().splitlines()
        if any(l.startswith("vtime: error: ") for l in lines):
            return "\n".join(l for l in lines if l.startswith("vtime: "))
        first = next((i for i, l in enumerate(lines) if FATAL.search(l)), len(lines) - 25)
        return "\n".join(lines[max(first - 3, 0):first + 40])


def reported(found):
    """What is said of reports: the first one's title stands in the line that all logs show."""
    return f"the kernel reported {len(found)}: {found[0].title}\n" + \
        "\n\n".join(r.text for r in found)


def follow(args, out, qemu, models, waker):
    """Wait for the guest's end; a reason if it was not a regular one."""
    watch = Watch(out)
    # A kernel that checks itself is some times as slow once more.
    times = 12 if args.kernel else 4
    limit = args.timeout if args.real_time else 300 + times * args.timeout
    deadline = time.monotonic() + limit
    dead = None
    with selectors.DefaultSelector() as selector:
        selector.register(qemu.stdout, selectors.EVENT_READ)
        selector.register(waker.socket, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select(0.1)]
            if qemu.stdout in ready:
                data = os.read(qemu.stdout.fileno(), 65536)
                if not data:
                    break
                for line in watch.feed(data):
                    waker.console(line)
            if waker.socket in ready:
                waker.qmp()
            watch.forward()
            now = time.monotonic()
            # A moment for the rest of the trace to come out.
            if watch.fatal_at and now > watch.fatal_at + 2:
                qemu.kill()
                break
            if now > deadline:
                qemu.kill()
                return f"no end after {limit} s; the console's last lines:\n{watch.excerpt()}"
            # When the guest is done, QEMU leaves them one by one.
            if not dead and not (out / "status").exists():
                dead = next((m for m in models if m.process.poll() is not None), None)
                died_at = now
            if dead and now > died_at + LAST_WORDS_S:
                qemu.kill()
                break
    qemu.wait()
    watch.forward()
    if dead and not (out / "status").exists():
        return f"the GPU model died ({dead.process.returncode}):\n{watch.excerpt()}"
    if watch.fatal_at:
        return watch.failed()
    if not (out / "status").exists():
        return f"QEMU ended ({qemu.returncode}) without a result:\n{watch.excerpt()}"
    if found := watch.reports(args, out):
        return reported(found)
    return None
