# SPDX-License-Identifier: GPL-2.0
"""Tests of gpreempt record with a trace-cmd that fails, on tracefs, with events of others."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from testbench.metrics import metrics
from testbench.paths import HEADERS

TRACING = Path("/sys/kernel/tracing")
SYSTEM = "sched"
PATIENCE_S = 30

# As trace-cmd 3.1.6: its recorders are processes of their own, and it makes FILE at the end.
TRACE_CMD = f"""#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in
	-o) file=$2;;
	-B) instance=$2;;
	esac
	shift
done
sh -c 'trap "" INT; exec sleep 1000' 3<{TRACING}/instances/$instance/per_cpu/cpu0/trace_pipe_raw \\
	>$file.$instance.cpu0 &
trap "kill -KILL $!; rm $file.*; echo data >$file; exit 0" INT
echo $$ >pid
case $TEST in
dies)	sleep 0.5; exit 1;;
hangs)	trap '' INT; sleep 1000;;
esac
echo 1 >{TRACING}/instances/$instance/events/{SYSTEM}/enable
while :; do sleep 0.1; done
"""


@unittest.skipUnless(os.access(TRACING / "instances", os.W_OK), "no tracefs to write to")
class TraceCmd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.programs)
        flags = f"-DSYSFS='\"sys\"' -DCONFIGURED='\"gpreempt.conf\"' -DTRACE_SYSTEM='\"{SYSTEM}\"'"
        subprocess.run(["make", "-s", "-C", metrics.SOURCE, f"O={cls.programs}", f"KHDR={HEADERS}",
                        f"CPPFLAGS={flags}", cls.programs / "gpreempt"], check=True)
        path = cls.programs / "trace-cmd"
        path.write_text(TRACE_CMD)
        path.chmod(0o755)

    def start(self, test):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.said = tempfile.TemporaryFile()    # a pipe, who stays would keep open
        self.addCleanup(self.said.close)
        path = f"{self.programs}:{os.environ['PATH']}"
        process = subprocess.Popen([self.programs / "gpreempt", "record", "-o", "x.dat"],
                                   cwd=self.folder, env=os.environ | {"PATH": path, "TEST": test},
                                   stderr=self.said)
        self.addCleanup(process.kill)
        pid = self.folder / "pid"
        while not pid.exists() or not pid.read_text():
            time.sleep(0.01)
        self.group = int(pid.read_text())
        pid.unlink()
        self.instance = TRACING / f"instances/gpreempt-{process.pid}"
        self.addCleanup(self.clean)
        return process

    def clean(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        while self.instance.exists():
            with contextlib.suppress(OSError):
                self.instance.rmdir()

    def left(self):
        """Files, and whether there are processes and a tracing instance."""
        alive = False
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, group = stat.read_text().rsplit(")", 1)[1].split()[:3]
                alive |= int(group) == self.group and state not in "XZ"
        return [path.name for path in self.folder.iterdir()], alive, self.instance.exists()

    def test_dies(self):
        """Nothing of a trace-cmd stays that did not end by itself."""
        process = self.start("dies")
        self.assertEqual(process.wait(PATIENCE_S), 1)
        self.said.seek(0)
        self.assertIn(b"did not start", self.said.read())
        self.assertEqual(self.left(), ([], False, False))

    def test_hangs(self):
        """It does not record, and not end either: two signals end all."""
        process = self.start("hangs")
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        self.assertEqual(process.wait(PATIENCE_S), 1)
        self.assertEqual(self.left(), ([], False, False))

    def test_records(self):
        process = self.start("")
        while (self.instance / f"events/{SYSTEM}/enable").read_text() != "1\n":
            time.sleep(0.01)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.assertEqual(self.left(), (["x.dat"], False, False))
