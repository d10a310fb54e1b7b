# SPDX-License-Identifier: GPL-2.0
"""Tests of gpreempt top, on a sysfs that is not the kernel's, and in a terminal that is none."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from testbench.tool.in_tree import InTree, tool, without_rights
from testbench.tool.screen import Screen

GPU = 7
WIDE, HIGH = 80, 24
PATIENCE_S = 20
SETTLED_S = 0.05        # in which a screen is drawn to its end
KEYS = {"up": "\033[A", "down": "\033OB", "page up": "\033[5~", "page down": "\033[6~",
        "home": "\033[H", "end": "\033[4~"}


class Terminal:
    """gpreempt top, live."""

    def __init__(self, folder, *options, rows=HIGH, columns=WIDE, term="xterm"):
        self.fd, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {key: v for key, v in os.environ.items()
                       if key not in ("NO_COLOR", "LINES", "COLUMNS")}
        self.process = subprocess.Popen([tool(), "top", "--delay", "20ms", *options], cwd=folder,
                                        stdin=inside, stdout=inside, stderr=inside,
                                        env=environment | {"TERM": term})
        os.close(inside)
        self.drawn = Screen(rows, columns)

    def read(self, patience):
        """What was drawn in that time; False: nothing, or the program has ended."""
        with contextlib.suppress(OSError):
            if select.select([self.fd], [], [], patience)[0]:
                self.drawn.feed(os.read(self.fd, 1 << 16))
                return True
        return False

    def until(self, what):
        """The first screen of which that is true, and that stays as it is: what is drawn comes in
        pieces, and of half a screen nothing may be true."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            while self.read(SETTLED_S) and time.monotonic() < end:
                pass
            screen = self.drawn.lines()
            with contextlib.suppress(IndexError, TypeError, ValueError):
                if what(screen):
                    return screen
        raise AssertionError("\n".join(self.drawn.lines()))

    def screen(self):
        return self.until(any)

    def press(self, key, what):
        os.write(self.fd, KEYS.get(key, key).encode())
        return self.until(what)

    def close(self):
        os.close(self.fd)
        self.process.wait(PATIENCE_S)


class OnTerminal(InTree):
    def setUp(self):
        super().setUp()
        self.tree.node(GPU)

    def queues(self, pids, queues=1, gpu=GPU, **files):
        for pid in pids:
            for queue in range(queues):
                self.tree.queue(pid, queue, gpu, **files)

    def terminal(self, *options, **how):
        """It takes no keys before it has drawn something."""
        terminal = Terminal(self.folder, *options, **how)
        self.addCleanup(terminal.close)
        terminal.screen()
        return terminal

    def once(self, *options):
        done = subprocess.run([tool(), "top", "--delay", "10ms", *options], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode("utf8")

    def json(self, *options):
        return json.loads(self.once("--json", *options))

    def named(self, name):
        """A process with that name, until the test is over."""
        path = os.path.join(os.fsencode(self.folder), name)
        os.symlink(shutil.which("sleep"), path)
        process = subprocess.Popen([path, "1000"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        comm = Path(f"/proc/{process.pid}/comm")
        while comm.read_bytes() != name[:15] + b"\n":
            time.sleep(0.01)
        return process.pid


class Watch(OnTerminal):
    def test_long(self):
        """No interval is too long to be slept through."""
        with self.assertRaises(subprocess.TimeoutExpired) as caught:
            subprocess.run([tool(), "status", "--watch", "4295s"], cwd=self.folder, timeout=2,
                           stdout=subprocess.PIPE, check=False)
        self.assertEqual(caught.exception.stdout.count(b"GPU 7"), 1)


# Of them none lives.
PIDS = range(5000001, 5000041)


class Scroll(OnTerminal):
    ROWS = HIGH - 3

    def shown(self, screen):
        return [int(line.split()[0]) for line in screen[2:-1]]

    def test_keys(self):
        self.queues(PIDS)
        pids = list(PIDS)
        terminal = self.terminal()
        terminal.until(lambda s: self.shown(s) == pids[:self.ROWS])
        last = len(pids) - self.ROWS
        for key, first in (("up", 0), ("down", 1), ("down", 2), ("up", 1), ("page down", last),
                           ("down", last), ("up", last - 1), ("page up", 0), ("end", last),
                           ("x", last), ("home", 0)):
            terminal.press(key, lambda s, first=first:
                           self.shown(s) == pids[first:first + self.ROWS] and
                           f"; {first + 1}-{first + self.ROWS} of 40; " in s[-1])

    def test_keys_at_once(self):
        """One that can scroll no further takes nothing from the next."""
        self.queues(PIDS)
        terminal = self.terminal()
        pids, last = list(PIDS), len(PIDS) - self.ROWS
        for keys, first in ((("up", "down"), 1), (("end", "page down", "up"), last - 1)):
            terminal.press("".join(KEYS[key] for key in keys),
                           lambda s, first=first: self.shown(s) == pids[first:first + self.ROWS])

    def test_all(self):
        """What fits is not scrolled."""
        self.queues(PIDS[:self.ROWS])
        terminal = self.terminal()
        os.write(terminal.fd, "".join(KEYS[key] for key in ("down", "page down", "end")).encode())
        terminal.press("r", lambda s: "reversed" in s[-1] and " of " not in s[-1] and
                       self.shown(s) == list(PIDS[:self.ROWS]))

    def test_fewer(self):
        """Queues that go take what is shown with them."""
        self.queues(PIDS)
        terminal = self.terminal()
        terminal.press("end", lambda s: self.shown(s)[-1] == PIDS[-1])
        for pid in PIDS[5:]:
            shutil.rmtree(self.tree.kfd / f"proc/{pid}")
        terminal.until(lambda s: self.shown(s) == list(PIDS[:5]))

    def test_small(self):
        """One line at least."""
        self.queues(PIDS[:3])
        terminal = self.terminal(rows=2)
        for key, pid in ("x", PIDS[0]), ("down", PIDS[1]):
            terminal.press(key, lambda s, pid=pid: s[0].startswith(f"{pid} ") and
                           s[1].startswith("sorted by"))


class Width(OnTerminal):
    def test_80(self):
        """All that can be there is, without a line that would be folded."""
        pid = self.named(b"fifteen_letters")
        self.queues([pid], queues=2, priority=15, effective_priority=16, state="preempted",
                    weight=1000, min_percent=100, cap_percent=100)
        self.queues(PIDS)
        terminal = self.terminal("--sort", "rate", "--reverse")
        # the last line is drawn last
        for key, title, after in ("x", "STATE", "procs"), ("p", "PID   GPU QUEUES", "groups"):
            screen = terminal.press(key, lambda s, title=title, after=after:
                                    title in s[1] and f"p {after} q" in s[-1])
            self.assertLessEqual(max(map(len, screen)), WIDE)
            self.assertTrue(screen[-1].endswith("q quit"), screen[-1])
            line = next(line for line in screen if line.split()[0] == str(pid))
            self.assertTrue(line.endswith(" fifteen_letters"), line)
        self.assertRegex(line, r" 1000  100  100 fifteen_letters$")

    def test_cut(self):
        """Every line, and none in mid-character."""
        pid = self.named("gr\u00f6\u00dfe".encode())
        self.queues([pid])
        full = self.terminal().screen()
        at = full[2].index("\u00f6")
        self.assertEqual(full[2][at - 2:], "gr\u00f6\u00dfe")
        for columns in range(at, at + 4):
            screen = self.terminal(columns=columns).screen()
            self.assertEqual(screen[2], full[2][:columns])
        for columns in 10, 30:
            screen = self.terminal(columns=columns).screen()
            self.assertEqual([line[:columns].rstrip() for line in full], screen)


class Unknown(OnTerminal):
    def test_terminal(self):
        terminal = Terminal(self.folder, term="frob")
        self.addCleanup(terminal.close)
        terminal.until(lambda s: "the terminal 'frob' is not known here" in s[0])
        self.assertEqual(terminal.process.wait(PATIENCE_S), 1)


class Ends(OnTerminal):
    def test_no_reader(self):
        """Nobody reads it any more: it ends, in a service of systemd as well, without SIGPIPE."""
        for options in ["top", "--batch", "--delay", "20ms"], ["status", "--watch", "20ms"]:
            reading, writing = os.pipe()
            process = subprocess.Popen([tool(), *options], cwd=self.folder, stdout=writing,
                                       stderr=subprocess.PIPE, restore_signals=False)
            self.addCleanup(process.kill)
            os.close(writing)
            os.read(reading, 1)
            os.close(reading)
            self.assertIn(b"Broken pipe", process.communicate(timeout=PATIENCE_S)[1])
            self.assertEqual(process.returncode, 1)

    def test_signals(self):
        """Whatever ends it, the terminal is as it was before."""
        for sig in signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP:
            outer, inner = pty.openpty()
            self.addCleanup(os.close, outer)
            self.addCleanup(os.close, inner)
            modes = termios.tcgetattr(inner)
            process = subprocess.Popen([tool(), "top"], cwd=self.folder, stdin=inner, stdout=inner,
                                       env=os.environ | {"TERM": "xterm"})
            while termios.tcgetattr(inner) == modes:
                time.sleep(0.01)
            process.send_signal(sig)
            self.assertEqual(process.wait(PATIENCE_S), 0, sig)
            self.assertEqual(termios.tcgetattr(inner), modes, sig)


class Processes(OnTerminal):
    def setUp(self):
        super().setUp()
        self.tree.node(8)
        low, high, other = PIDS[:3]
        self.queues([low], queues=3, effective_priority=3, weight=300, min_percent=20,
                    cap_percent=60, preemptions=5)
        self.queues([high], effective_priority=9, weight=100)
        self.tree.queue(high, 1, GPU, effective_priority=11, weight=100)
        self.tree.queue(high, 2, 8, effective_priority=2, weight=100)
        self.queues([other], weight=7, min_percent=5, cap_percent=90)

    def test_sums(self):
        found = {(p["pid"], p["gpu_id"]): p for p in self.json("--processes")["processes"]}
        low, high, other = PIDS[:3]
        self.assertEqual(found.keys(), {(low, 7), (high, 7), (high, 8), (other, 7)})
        self.assertEqual({key: found[low, 7][key] for key in
                          ("queues", "effective", "weight", "min_percent", "cap_percent",
                           "preemptions")},
                         {"queues": 3, "effective": 3, "weight": 300, "min_percent": 20,
                          "cap_percent": 60, "preemptions": 15})
        self.assertEqual((found[high, 7]["queues"], found[high, 7]["effective"]), (2, 11))
        self.assertEqual((found[high, 8]["queues"], found[high, 8]["effective"]), (1, 2))

    def test_times(self):
        """Of the last interval, of all queues of a process."""
        pid = PIDS[0]
        terminal = self.terminal("--delay", "300ms", "--processes", "--gpu", "7")
        terminal.process.send_signal(signal.SIGSTOP)
        for queue in range(3):
            self.tree.queue(pid, queue, GPU, running_ns=30000000, waiting_ns=60000000,
                            preempted_ns=15000000, preemptions=8)
        terminal.process.send_signal(signal.SIGCONT)

        def times(screen):
            line, = (line for line in screen if line.startswith(f"{pid} "))
            return [float(value) for value in line.split()[4:8]]
        screen = terminal.until(lambda s: any(times(s)))
        running, waiting, off, rate = times(screen)
        self.assertTrue(0 < running < 31, screen)
        # 3 times in as long as it takes to run for 30 ms
        for value, other in (waiting, 2), (off, 0.5), (rate, 1):
            self.assertAlmostEqual(value, other * running, delta=0.2)

    def test_sort(self):
        for column in "queues", "weight", "min", "priority", "gpu", "pid", "cap":
            key = {"min": "min_percent", "cap": "cap_percent", "priority": "effective",
                   "gpu": "gpu_id"}.get(column, column)
            values = [p[key] for p in self.json("-P", "--sort", column)["processes"]]
            if column == "cap":         # none is more than any
                values = [v or 101 for v in values]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertGreater(len(set(values)), 1)

    def test_no_column(self):
        for options in ("--sort", "weight"), ("-P", "--sort", "state"), ("-P", "-s", "queue"):
            done = subprocess.run([tool(), "top", *options], cwd=self.folder, text=True,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"no column '{options[-1]}'", done.stderr)

    def test_key(self):
        """p: processes, groups and back; sorted as before where there is that column."""
        terminal = self.terminal("--sort", "priority")
        for key, title, lines in ("x", "STATE", 9), ("p", "QUEUES", 6), ("p", "PROCS", 6), \
                ("p", "STATE", 9):
            terminal.press(key, lambda s, title=title, lines=lines: title in s[2] and
                           len(s[2:]) == lines and "sorted by priority;" in s[-1])
        terminal = self.terminal("--sort", "state")
        terminal.press("p", lambda s: "WGHT" in s[2] and "sorted by running;" in s[-1])

    def test_columns(self):
        """Through all of them and around."""
        for view, columns, first in ((), 10, "pid"), (("-P",), 12, "pid"), \
                (("-G",), 12, "processes"):
            terminal = self.terminal(*view, "--sort", first)
            seen = [first]

            def another(screen, seen=seen):
                column = re.search(r"sorted by (\w+)", screen[-1])[1]
                return column != seen[-1] and not seen.append(column)
            for _ in range(columns):
                terminal.press(">", another)
            self.assertEqual((seen[-1], len(set(seen))), (first, columns))
            terminal.press("<", lambda s: re.search("sorted by (command|group)", s[-1]))


class Counted(OnTerminal):
    def test_not_for_all(self):
        """What may not be read is not shown as 0."""
        for file in (self.tree.nodes / f"{GPU}/stats").iterdir():
            file.chmod(0o444 if file.name == "bypass_reason" else 0)
        for options, said in ((), "? preemptions, ? resumes,"), (("--json",), '"late": null'):
            done = subprocess.run([tool(), "status", *options], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, check=True, **without_rights())
            self.assertIn(said, done.stdout)


class Namespace(OnTerminal):
    """In a pid namespace: the folders have the host's numbers."""

    def test_pids(self):
        """Each process has the number that renice takes, and is known by it."""
        here = self.named(b"in_here")
        self.tree.queue(PIDS[0], 0, GPU, pid=here)
        self.tree.queue(PIDS[1], 0, GPU, pid=1)
        for view, *options in ("queues",), ("processes", "--processes"):
            found = {row["pid"]: row["command"] for row in self.json(*options)[view]}
            self.assertEqual(found.keys(), {here, 1}, view)
            self.assertEqual(found[here], "in_here")
        self.assertEqual([q["pid"] for q in self.json("--pid", str(here))["queues"]], [here])

    def test_without_a_number(self):
        """Queues of a process that has none, and of one that is another's, are counted alone."""
        self.tree.queue(PIDS[0], 0, GPU)
        self.tree.queue(PIDS[1], 0, GPU, pid=0)
        self.tree.queue(PIDS[2], 0, GPU)
        (self.tree.kfd / f"proc/{PIDS[2]}/queues/0/gpreempt/pid").chmod(0)
        done = subprocess.run([tool(), "top", "--json", "--delay", "10ms"], cwd=self.folder,
                              stdout=subprocess.PIPE, check=True, **without_rights())
        found = json.loads(done.stdout)
        self.assertEqual(([q["pid"] for q in found["queues"]], found["hidden"]), ([PIDS[0]], 2))


class Groups(OnTerminal):
    """Cgroups that share the time, and processes that are in none. No cgroup of that number is
    found above a process that does not live."""
    CGROUP = 8000000001

    def setUp(self):
        super().setUp()
        self.tree.node(8)
        both, alone, late = PIDS[:3]
        self.queues([both], queues=2, effective_priority=3, weight=300, cap_percent=40,
                    preemptions=5, group=self.CGROUP)
        self.queues([alone], effective_priority=9, weight=100, group=0)
        # an older driver has no such file
        self.queues([late], effective_priority=8, weight=50)
        self.tree.queue(late, 1, GPU, effective_priority=8, weight=50)
        self.queues([PIDS[3]], effective_priority=5, weight=300, cap_percent=40, preemptions=7,
                    group=self.CGROUP)
        self.tree.queue(PIDS[3], 1, 8, weight=300, group=self.CGROUP)

    def groups(self, *options):
        return [{**g, "key": g.get("cgroup_id") or g["pid"]}
                for g in self.json("--groups", *options)["groups"]]

    def test_sums(self):
        found = {(g["key"], g["gpu_id"]): g for g in self.groups()}
        self.assertEqual(found.keys(), {(self.CGROUP, 7), (self.CGROUP, 8), (PIDS[1], 7),
                                        (PIDS[2], 7)})
        shared = found[self.CGROUP, 7]
        self.assertEqual({key: shared[key] for key in
                          ("processes", "queues", "effective", "weight", "cap_percent",
                           "preemptions", "cgroup")},
                         {"processes": 2, "queues": 3, "effective": 5, "weight": 300,
                          "cap_percent": 40, "preemptions": 17, "cgroup": ""})
        self.assertNotIn("pid", shared)
        self.assertEqual((found[PIDS[2], 7]["processes"], found[PIDS[2], 7]["queues"]), (1, 2))
        self.assertEqual(found[self.CGROUP, 8]["queues"], 1)

    def test_sort(self):
        for column, key in ("processes", "processes"), ("queues", "queues"), ("weight", "weight"):
            values = [g[key] for g in self.groups("--sort", column)]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertGreater(len(set(values)), 1)

    def test_one_process(self):
        """Of its group what is its own."""
        pid = self.named(b"member")
        self.tree.queue(pid, 0, GPU, group=self.CGROUP)
        group, = self.groups("--pid", str(pid))
        self.assertEqual((group["cgroup_id"], group["processes"], group["queues"]),
                         (self.CGROUP, 1, 1))

    def test_width(self):
        screen = self.terminal("--groups").screen()
        self.assertLessEqual(max(map(len, screen)), WIDE)
        line, = (line for line in screen if f"cgroup {self.CGROUP}"[:17] in line and " 7 " in line)
        self.assertEqual(line.split()[:3], ["2", "7", "3"])


class Names(OnTerminal):
    ODD = ((b'a"\\\n{}\xff z', 'a"\\\n{}\ufffd z', 'a"\\?{}? z'),
           ("12345678901234\u00e9".encode(), "12345678901234\ufffd", "12345678901234?"),
           ("\u00e9\u4e2d\U0001f600".encode(), "\u00e9\u4e2d\U0001f600", "\u00e9\u4e2d\U0001f600"),
           (b"\x1b[2J\x7f\x01\t", "\x1b[2J\x7f\x01\t", "?[2J???"),
           ("\u009b2J\u0080".encode(), "\u009b2J\u0080", "?2J?"))

    def test_json(self):
        for raw, told, _ in self.ODD:
            self.queues([self.named(raw)])
            queue, = self.json()["queues"]
            process, = self.json("-P")["processes"]
            self.assertEqual((queue["command"], process["command"]), (told, told))
            shutil.rmtree(self.tree.kfd / "proc")

    def test_status(self):
        for name in (raw for raw, _, _ in self.ODD):
            self.tree.node(GPU, name=name + b"\n")
            done = subprocess.run([tool(), "status", "--json"], cwd=self.folder,
                                  stdout=subprocess.PIPE, check=True)
            self.assertEqual(json.loads(done.stdout)[0]["name"], name.decode("utf8", "replace"))

    def test_table(self):
        """No character that only a terminal understands."""
        for raw, _, shown in self.ODD:
            self.queues([self.named(raw)])
            for options in (), ("-P",):
                self.assertTrue(self.once(*options).split("\n")[2].endswith(" " + shown), raw)
            shutil.rmtree(self.tree.kfd / "proc")
