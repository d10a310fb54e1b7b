# SPDX-License-Identifier: GPL-2.0
"""Tests of what the tool says of streams whose priorities HIP ignores, and of "run --streams"."""
import json
import os
import subprocess

from testbench.tool.in_tree import InTree, tool

SWITCH = "DEBUG_HIP_IGNORE_STREAM_PRIORITY"
GPU = 7


class Streams(InTree):
    def setUp(self):
        super().setUp()
        self.tree.node(GPU)

    def process(self, queues=3, gpu=GPU, switch=None, environment=(), **files):
        """One that lives, with so many queues."""
        environment = {key: value for key, value in os.environ.items() if key != SWITCH} | dict(environment)
        if switch is not None:
            environment[SWITCH] = switch
        process = subprocess.Popen(["sleep", "1000"], env=environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for queue in range(queues):
            self.tree.queue(process.pid, queue, gpu, **{"priority": 7} | files)
        return process.pid

    def said(self, *options, status=0):
        done = subprocess.run([tool(), *options], cwd=self.folder, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=os.environ | {"FAKE_LOG": str(self.folder / "log")})
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def note(self, pid, queues=3):
        return (f"process {pid} has {queues} queues that all ask for 7: HIP ignores stream priorities "
                f"unless {SWITCH}=0")

    def test_told(self):
        """Of a process with several streams, by each command that is about it."""
        pid = self.process(4)
        self.assertIn(f"  streams           {self.note(pid, 4)}\n", self.said("status"))
        for view in (), ("--processes",), ("--groups",):
            self.assertIn(f"\n{self.note(pid, 4)}\n", self.said("top", "-d", "10ms", *view))
        self.assertIn(f"gpreempt: warning: {self.note(pid, 4)}; see 'gpreempt run --streams'\n",
                      self.said("get", str(pid)))
        self.assertNotIn("HIP", self.said("get", str(os.getpid())))

    def test_not_told(self):
        """With one stream, with others' priorities, and with the switch."""
        self.process(2)
        self.process(3, priority=11)
        self.process(3, switch="0")
        mixed = self.process(3)
        self.tree.queue(mixed, 3, GPU, priority=0)
        for command in ("status",), ("top", "-d", "10ms"), ("get", str(mixed)):
            self.assertNotIn("HIP", self.said(*command), command)

    def test_no_switch(self):
        """One of another name, and one in another variable, is none."""
        for name, value in (f"{SWITCH}S", "0"), (f"X{SWITCH}", "0"), ("X", f"{SWITCH}=0"):
            pid = self.process(environment={name: value})
            self.assertIn(self.note(pid), self.said("top", "-d", "10ms", "--pid", str(pid)), name)

    def test_switch_alone(self):
        """It may be the first variable, or the only one."""
        process = subprocess.Popen(["sleep", "1000"], env={SWITCH: "1"})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for queue in range(3):
            self.tree.queue(process.pid, queue, GPU, priority=7)
        self.assertNotIn("HIP", self.said("status"))

    def test_by_gpu(self):
        """A stream on each of two GPUs is no second one, and each GPU has its own processes."""
        self.tree.node(8)
        pid = self.process(2)
        for queue in 2, 3:
            self.tree.queue(pid, queue, 8, priority=7)
        self.assertNotIn("HIP", self.said("status"))
        pid = self.process(3, gpu=8)
        for gpu, told in (7, False), (8, True):
            self.assertEqual(self.note(pid) in self.said("status", "--gpu", str(gpu)), told, gpu)
            self.assertEqual(self.note(pid) in self.said("top", "-d", "10ms", "--gpu", str(gpu)), told, gpu)

    def test_of_one(self):
        """top --pid is about that process."""
        pid, other = self.process(), self.process(1)
        self.assertIn(self.note(pid), self.said("top", "-d", "10ms", "--pid", str(pid)))
        self.assertNotIn("HIP", self.said("top", "-d", "10ms", "--pid", str(other)))

    def test_json(self):
        """It stays what programs read."""
        self.process()
        json.loads(self.said("top", "--json", "-d", "10ms"))
        json.loads(self.said("status", "--json"))

    def test_run(self):
        """By itself it asks nothing of the driver; with a priority it would mean nothing."""
        show = ["--", "sh", "-c", f"echo switch=${SWITCH}"]
        self.assertIn("switch=0\n", self.said("run", "--streams", *show))
        self.assertFalse((self.folder / "log").exists())
        self.assertIn("switch=0\n", self.said("run", "-S", "--ceiling", "9", *show))
        self.assertTrue((self.folder / "log").exists())
        self.assertNotIn("switch=0\n", self.said("run", "--ceiling", "9", *show))
        self.assertIn("served alike", self.said("run", "-S", "-p", "3", *show, status=125))
