# SPDX-License-Identifier: GPL-2.0
"""Tests of the timeline that gpreempt record writes, on lines of tracefs and states of sysfs."""
import json
import resource
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from testbench.metrics import metrics
from testbench.paths import HEADERS, TESTBENCH

US = 1000000        # when the recording began
GPU = 7
HIGH, LOW, OTHER = (20, 0), (30, 1), (40, 0)


def setUpModule():
    global built, TIMELINE
    built = tempfile.TemporaryDirectory()
    folder = Path(built.name)
    TIMELINE = folder / "timeline"
    metrics.build(folder)
    # neither the program's own nor those of the hook for containers
    objects = [o for o in folder.glob("*.o") if o.name not in ("main.o", "oci_hook.o")]
    subprocess.run(["cc", "-D_GNU_SOURCE", "-Wall", "-I", metrics.SOURCE,
                    "-I", metrics.SOURCE / "../../include/uapi",
                    "-isystem", HEADERS, "-o", TIMELINE,
                    TESTBENCH / "tool/timeline.c", *objects, "-ljson-c", "-lncursesw", "-ltinfo"],
                   check=True)


def tearDownModule():
    built.cleanup()


class Recording(unittest.TestCase):
    def setUp(self):
        self.lines = []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "x.json"

    def event(self, us, name, queue=None, gpu=GPU, task=b"kworker/0:1-12", cpu=1, **values):
        """A line of trace_pipe."""
        pid = {"pid": queue[0], "queue": queue[1]} if queue else {}
        text = " ".join(f"{key}={value}" for key, value in ({"gpu_id": gpu} | pid | values).items())
        s, us = divmod(US + us, 10**6)
        self.lines.append(b"%16s     [%03d] ..... %5d.%06d: kfd_gpreempt_%s: %s" %
                          (task, cpu, s, us, name.encode(), text.encode()))

    def sample(self, us, queue, state, command=b"x", gpu=GPU):
        self.lines.append(b"sample %d %d %d %d %s %s" % (US + us, gpu, *queue, state.encode(),
                                                         command.hex().encode()))

    def preempt(self, us, queue=LOW, reason="inversion", save=100, cpu=1):
        self.event(us, "preempt_begin", queue, cpu=cpu, reason=reason, ns=0)
        self.event(us + save, "preempt_end", queue, cpu=cpu, reason=reason, ns=save * 1000)

    def resume(self, us, queue=LOW, reason="free", state="runnable"):
        self.event(us, "decision", queue, verdict="resume", reason=reason, state=state, priority=3)
        self.event(us + 1, "resume", queue, reason=reason, ns=1)

    def write(self, end=100000, **how):
        text = b"\n".join([*self.lines, b"end %d" % (US + end), b""])
        return subprocess.run([TIMELINE, self.file], input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, **how)

    def trace(self, end=100000):
        done = self.write(end)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(self.file.read_bytes().decode("utf8"))

    def slices(self, queue=LOW, gpu=GPU, end=100000):
        """What a queue's track shows: [name, from, to]"""
        events = self.trace(end)["traceEvents"]
        name = f"{queue[0]}:{queue[1]}"
        tid, = {e["tid"] for e in events if e["name"] == "thread_name" and e["pid"] == gpu and
                e["args"]["name"].endswith(" " + name)}
        found = [e for e in events if e["ph"] == "X" and e["tid"] == tid]
        self.assertTrue(all(e["pid"] == gpu for e in found))
        return [[e["name"], e["ts"], e["ts"] + e["dur"]] for e in found]

    def instants(self):
        return [(e["name"], e["pid"], e["ts"]) for e in self.trace()["traceEvents"]
                if e["ph"] == "i"]


class Queues(Recording):
    def test_preempted(self):
        """From the request on, with the reason, until it is mapped again."""
        for reason in "inversion", "aged", "hint", "asked", "timeslice", "late":
            self.lines.clear()
            self.sample(100, LOW, "running")
            self.preempt(5000, reason=reason)
            self.resume(9000)
            self.assertEqual(self.slices(), [["running", 100, 5000],
                                             [f"preempted: {reason}", 5000, 9001],
                                             ["running", 9001, 100000]])

    def test_save(self):
        self.preempt(5000, save=321)
        self.resume(9000)
        found = [e["args"] for e in self.trace()["traceEvents"] if e["name"].startswith("preempted")]
        self.assertEqual(found, [{"save_us": 321}])

    def test_waits(self):
        """Until the last queue is off that is in its way, and then it runs."""
        self.sample(100, HIGH, "idle")
        self.event(4000, "inversion", HIGH, effective=9, running=3, ns=700000)
        self.event(4010, "preempt_begin", LOW, reason="inversion")
        self.event(4011, "preempt_begin", OTHER, reason="inversion")
        self.event(4300, "preempt_end", LOW, ns=1)
        self.event(4500, "preempt_end", OTHER, ns=1)
        self.resume(6000)
        self.assertEqual(self.slices(HIGH), [["waiting", 4000, 4500], ["running", 4500, 6001]])

    def test_off_and_waiting(self):
        """A queue that is off does not wait for the machine before it is mapped again."""
        self.preempt(1000, HIGH, reason="asked")
        self.event(4000, "inversion", HIGH, effective=9, running=3, ns=1)
        self.event(4000, "blocked", HIGH, priority=9, waits=1, rptr=1)
        self.preempt(4010)
        self.resume(4200, HIGH, reason="free")
        self.assertEqual(self.slices(HIGH), [["preempted: asked", 1000, 4201],
                                             ["running", 4201, 100000]])

    def test_searched(self):
        """While a queue is searched for that saves slowly, others are off, too."""
        self.event(500, "inversion", LOW, effective=9, running=3, ns=1)
        self.event(1000, "preempt_end", LOW, ns=0)
        self.resume(2000)
        self.assertEqual(self.slices()[1], ["preempted: late", 1000, 2001])

    def test_begun_before(self):
        """Of what was begun before the recording the reason is not known."""
        self.event(1000, "preempt_end", LOW, ns=1)
        self.resume(2000)
        self.assertEqual(self.slices()[0], ["preempted", 1000, 2001])

    def test_never_ended(self):
        """A reset before a queue is off has no event; its state tells, but not at once."""
        self.event(1000, "preempt_begin", LOW, reason="hint")
        self.event(1000, "preempt_begin", OTHER, reason="hint")
        self.event(1200, "preempt_end", OTHER, ns=1)
        for queue in LOW, OTHER:
            self.sample(100000, queue, "running")
            self.sample(112000, queue, "running")
        self.assertEqual(self.slices(end=200000), [["preempted: hint", 1000, 112000],
                                                   ["running", 112000, 200000]])
        self.assertEqual(self.slices(OTHER, end=200000), [["preempted: hint", 1000, 200000]])

    def test_others_wait_on(self):
        """Whom nobody was preempted for; and whoever is on another GPU."""
        self.sample(100, HIGH, "waiting")
        self.event(4000, "inversion", OTHER, gpu=8, effective=9, running=3, ns=1)
        self.preempt(4010)
        self.assertEqual(self.slices(HIGH), [["waiting", 100, 100000]])
        self.assertEqual(self.slices(OTHER, gpu=8), [["waiting", 4000, 100000]])

    def test_blocked(self):
        self.sample(100, HIGH, "running")
        self.event(200, "blocked", HIGH, priority=3, waits=1, rptr=1)
        self.assertEqual(self.slices(HIGH), [["running", 100, 200], ["blocked", 200, 100000]])

    def test_excluded(self):
        """It is, be it off at that time or later, by itself or with others; with the time."""
        for order in "before", "after", "with others":
            self.lines.clear()
            if order == "before":
                self.preempt(1000, reason="late")
            self.event(2000, "excluded", LOW, ns=1500000000)
            if order == "after":
                self.preempt(2100, reason="late")
            elif order == "with others":
                self.event(2100, "preempt_end", LOW, ns=0)
            self.sample(30000, LOW, "excluded")
            self.resume(60000, reason="late")
            self.assertIn(["excluded", 2000, 60001], self.slices())
            args, = (e["args"] for e in self.trace()["traceEvents"] if e["name"] == "excluded")
            self.assertEqual(args["for_ms"], 1500)

    def test_resumed_without_work(self):
        for state, shown in (("idle", []), ("blocked", [["blocked", 9001, 100000]]),
                             ("unknown", [["unknown", 9001, 100000]])):
            self.lines.clear()
            self.preempt(5000)
            self.resume(9000, state=state)
            self.assertEqual(self.slices()[1:], shown)

    def test_resumed_by_nobody_who_looked(self):
        self.event(1000, "decision", LOW, verdict="preempt", reason="asked", state="running")
        self.preempt(5000)
        self.event(9000, "resume", LOW, reason="off", ns=1)
        self.assertEqual(self.slices()[-1], ["unknown", 9000, 100000])

    def test_states(self):
        """Those of sysfs, of a queue without events; idle is a gap."""
        states = ["unknown", "running", "idle", "waiting", "blocked", "preempted", "held",
                  "excluded", "off"]
        for n, state in enumerate(states):
            self.sample(1000 * n, LOW, state)
        self.assertEqual(self.slices(end=9000),
                         [[s, 1000 * n, 1000 * n + 1000] for n, s in enumerate(states)
                          if s != "idle"])

    def test_old_news(self):
        """A state in sysfs may be older than an event; and events tell who is off."""
        self.event(4000, "inversion", HIGH, effective=9, running=3, ns=1)
        self.preempt(4010)
        self.sample(14050, HIGH, "waiting")
        self.sample(16000, HIGH, "blocked")
        self.sample(16000, LOW, "running")
        self.resume(17000, state="runnable")
        self.sample(40000, LOW, "preempted")
        self.assertEqual(self.slices(HIGH), [["waiting", 4000, 4110], ["running", 4110, 16000],
                                             ["blocked", 16000, 100000]])
        self.assertEqual(self.slices(), [["preempted: inversion", 4010, 17001],
                                         ["running", 17001, 100000]])

    def test_order(self):
        """CPUs are read one after the other, and sysfs at other times."""
        self.resume(9000)
        self.preempt(5000)
        self.sample(100, LOW, "running")
        self.assertEqual([s[0] for s in self.slices()],
                         ["running", "preempted: inversion", "running"])

    def test_gone(self):
        """And another one may get its number."""
        self.sample(100, LOW, "running")
        self.preempt(1000)
        self.sample(3000, LOW, "gone")
        gone = [["running", 100, 1000], ["preempted: inversion", 1000, 3000]]
        self.assertEqual(self.slices(), gone)
        self.sample(4000, LOW, "preempted")
        self.sample(5000, LOW, "running")
        self.assertEqual(self.slices(), [*gone, ["preempted", 4000, 5000],
                                         ["running", 5000, 100000]])

    def test_gone_for_good(self):
        """Nothing is unknown of a queue that is not there, though nobody looks."""
        self.sample(100, LOW, "running")
        self.sample(3000, LOW, "gone")
        self.event(50000, "state", state="parked")
        self.assertEqual(self.slices(), [["running", 100, 3000]])

    def test_no_time(self):
        """What lasted for none is not shown."""
        for state in "running", "waiting", "blocked":
            self.sample(100, LOW, state)
        self.assertEqual(self.slices(), [["blocked", 100, 100000]])

    def test_tracks(self):
        """One for each queue of each GPU, and one for the GPU, with numbers of their own."""
        for gpu in 7, 8:
            for queue in (20, 0), (20, 1), (30, 0):
                self.sample(100, queue, "running", gpu=gpu)
        events = self.trace()["traceEvents"]
        names = [(e["pid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"]
        tids = [e["tid"] for e in events if e["name"] == "thread_name"]
        self.assertEqual(sorted(names), [(gpu, name) for gpu in (7, 8) for name in
                                         ("GPREEMPT", "x 20:0", "x 20:1", "x 30:0")])
        self.assertEqual(len(set(tids)), 8)
        self.assertNotIn(0, tids)
        self.assertEqual({(e["pid"], e["args"]["name"]) for e in events
                          if e["name"] == "process_name"}, {(7, "GPU 7"), (8, "GPU 8")})

    def test_scans(self):
        """Of events that mean nothing here nothing is shown."""
        self.sample(100, LOW, "running")
        self.event(2000, "scan", queues=2, registers=0, ns=1)
        self.event(3000, "of_tomorrow", LOW, reason="x")
        self.event(4000, "decision", LOW, verdict="preempt", reason="x", state="idle")
        self.lines.append(b"# tracer: nop")
        self.assertEqual(self.slices(), [["running", 100, 100000]])


class Node(Recording):
    def test_instants(self):
        self.event(1000, "state", gpu=7, state="active")
        self.event(2000, "bypass", gpu=8, reason="late_preemption")
        self.event(2010, "state", gpu=8, state="bypassed")
        self.assertEqual(self.instants(), [("active", 7, 1000), ("bypass: late_preemption", 8, 2000),
                                           ("bypassed", 8, 2010)])

    def test_nobody_looks(self):
        """What runs is not known then; what is off stays off until it comes back."""
        for state in "parked", "disabled", "bypassed":
            self.lines.clear()
            self.sample(100, HIGH, "running")
            self.sample(100, OTHER, "running", gpu=8)
            self.preempt(1000)
            self.event(2000, "state", state=state)
            self.event(3000, "resume", LOW, reason="off", ns=1)
            self.assertEqual(self.slices(HIGH), [["running", 100, 2000], ["unknown", 2000, 100000]])
            self.assertEqual(self.slices(LOW), [["preempted: inversion", 1000, 3000],
                                                ["unknown", 3000, 100000]])
            self.assertEqual(self.slices(OTHER, gpu=8), [["running", 100, 100000]])

    def test_before_a_queue(self):
        """A queue that came later is not drawn, though nobody looked."""
        self.event(2000, "state", state="parked")
        self.sample(5000, HIGH, "running")
        self.assertEqual(self.slices(HIGH), [["running", 5000, 100000]])

    def test_never_answered(self):
        """A queue that was to be taken off, and never was."""
        self.event(1000, "preempt_begin", LOW, reason="inversion")
        self.event(3000, "bypass", reason="hung_preemption")
        self.sample(20000, LOW, "running")
        self.assertEqual(self.slices(), [["preempted: inversion", 1000, 3000],
                                         ["unknown", 3000, 20000], ["running", 20000, 100000]])

    def test_lost(self):
        """They are counted, and from the CPU's last event on nothing is known but by sysfs."""
        self.preempt(1000)
        self.preempt(1000, HIGH)
        self.resume(2000, HIGH)
        self.event(4000, "scan", cpu=2, queues=2, registers=0, ns=1)
        self.lines.append(b"CPU:1 [LOST 12 EVENTS]")
        self.event(70000, "scan", queues=2, registers=0, ns=1)
        self.sample(80000, LOW, "running")
        self.sample(80000, HIGH, "preempted")
        trace = self.trace()
        self.assertEqual(trace["otherData"], {"lost_events": 12})
        self.assertEqual(self.instants(), [("12 events lost", 7, 70000)])
        self.assertEqual(self.slices(), [["preempted: inversion", 1000, 2001],
                                         ["unknown", 2001, 80000], ["running", 80000, 100000]])
        self.assertEqual(self.slices(HIGH)[-2:], [["unknown", 2001, 80000],
                                                  ["preempted", 80000, 100000]])

    def test_lost_beside(self):
        """What another CPU told meanwhile counts, until the end of the gap."""
        self.preempt(1000)
        self.preempt(3000, OTHER, cpu=0)
        self.lines.append(b"CPU:1 [LOST 1 EVENTS]")
        self.event(7000, "scan", queues=2, registers=0, ns=1)
        self.assertEqual(self.slices(), [["preempted: inversion", 1000, 1100],
                                         ["unknown", 1100, 100000]])
        self.assertEqual(self.slices(OTHER), [["preempted: inversion", 3000, 7000],
                                              ["unknown", 7000, 100000]])


class File(Recording):
    def test_names(self):
        """Whatever a process is called."""
        for name, shown in ((b'a"b\\c', 'a"b\\c'), (b"\n\t\x01\x7f", "\n\t\x01\x7f"),
                            (b"\xff\xc3", "\ufffd\ufffd"), ("gr\u00f6\u00dfe".encode(), "gr\u00f6\u00dfe"),
                            (b"</script>", "</script>"), (b"%s%n", "%s%n")):
            self.lines.clear()
            self.sample(100, LOW, "running", command=name)
            names = [e["args"]["name"] for e in self.trace()["traceEvents"]
                     if e["name"] == "thread_name"]
            self.assertIn(f"{shown} 30:1", names)

    def test_tasks(self):
        """Whoever was on the CPU may be called like an event, or be no text."""
        for task in (b": kfd_gpreempt_-9", b"[LOST 9 EVENTS]-9", b"a\nCPU:0 [LOST 1-9",
                     b"x\nCPU:0[LOST9\nx-9", b"x [999] -9", b"\xff\"\\-9",
                     b" 1.5: x: y=2-9", b"gpu_id=1 pid=2-9"):
            self.lines.clear()
            self.sample(100, LOW, "running")
            self.event(5000, "preempt_begin", LOW, reason="hint", task=task)
            self.assertEqual(self.slices()[-1], ["preempted: hint", 5000, 100000], task)
            self.assertEqual(self.trace()["otherData"], {"lost_events": 0})

    def test_nothing(self):
        self.assertEqual(self.trace()["traceEvents"], [])

    def test_replaces(self):
        self.file.write_text("old")
        self.sample(100, LOW, "running")
        self.trace()
        self.assertEqual([p.name for p in self.file.parent.iterdir()], ["x.json"])

    def test_full(self):
        """The old file stays, and nothing beside it."""
        def little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        self.file.write_text("old")
        self.sample(100, LOW, "running")
        done = self.write(preexec_fn=little)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"x\.json: File too large")
        self.assertEqual(self.file.read_text(), "old")
        self.assertEqual([p.name for p in self.file.parent.iterdir()], ["x.json"])
