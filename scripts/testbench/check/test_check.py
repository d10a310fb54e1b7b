# SPDX-License-Identifier: GPL-2.0
"""Tests of how bench check runs a suite, and which ones."""
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench import suites
from testbench.check import main as check
from testbench.check.parts import host
from testbench.paths import SCRIPTS


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        patch = mock.patch.object(check, "RESULTS", self.out)
        patch.start()
        self.addCleanup(patch.stop)

    def run_suite(self, run):
        with mock.patch.dict(suites.SUITES, {"s": suites.Suite("s", run)}):
            return check.run("s")

    def shell(self, script):
        return self.run_suite([host("sh", "-c", f"mkdir -p {self.out}/s/b; cd {self.out}; {script}")])

    def test_all_that_it_prints_is_kept(self):
        tally = self.shell("seq 20000; echo last >&2; echo 'ok 1 a'; printf 1..1")
        self.assertEqual((tally.passed, tally.failed), (1, 0))
        self.assertEqual((self.out / "s.tap").read_text().split(),
                         [*map(str, range(1, 20001)), "last", "ok", "1", "a", "1..1"])

    def test_of_a_function(self):
        tally = self.run_suite(lambda: iter(["ok 1 a", "1..1"]))
        self.assertEqual((tally.passed, tally.failed), (1, 0))
        self.assertEqual((self.out / "s.tap").read_text(), "ok 1 a\n1..1\n")

    def test_a_failure_is_a_failure(self):
        tally = self.shell("echo run >>runs; echo 1..1; echo not ok 1 a; exit 1")
        self.assertEqual(tally.remarks, ["a"])
        self.assertEqual((self.out / "runs").read_text(), "run\n")

    def test_it_dies(self):
        tally = self.shell("echo 1..2; echo ok 1 a; kill -9 $$")
        self.assertEqual((tally.passed, tally.failed), (1, 1))

    def test_a_function_that_finds_no_file(self):
        def suite():
            yield "ok 1 a"
            yield (self.out / "missing").read_text()
        tally = self.run_suite(suite)
        self.assertEqual(tally.passed, 1)
        self.assertIn("FileNotFoundError", tally.remarks[0])

    def test_event_logs_of_all_its_guests(self):
        tally = self.shell("for f in s/events.log s/b/events-1.log; do echo 1 machine-stop >$f; "
                           "done; echo 1..1; echo ok 1 a")
        self.assertEqual((tally.passed, tally.failed), (3, 0))

    def test_an_event_log_that_breaks_a_rule(self):
        tally = self.shell("echo 1 no-such-event >s/b/events.log; echo 1..1; echo ok 1 a")
        self.assertEqual((tally.passed, tally.failed), (1, 1))

    def test_what_the_kernel_reported(self):
        console = "".join(f"[    1.{n:06}] {'WARNING: line' if not n else 'line'} {n}\n"
                          for n in range(30))
        (self.out / "console").write_text(console)
        script = "mv console s/b/console.log; echo 1..1; echo"
        said = check.told("s", self.shell(f"{script} not ok 1 a"))
        folder = self.out / "s/b"
        self.assertIn(f"      {folder}: the kernel reported\n        WARNING: line 0\n        line 1\n",
                      said)
        self.assertTrue(said.endswith("\n        line 14"), said)
        (self.out / "console").write_text(console)
        self.assertEqual(self.shell(f"{script} ok 1 a").details, [])

    def test_event_logs_of_other_suites_and_of_before(self):
        for folder in "s", "s-other":
            (self.out / folder).mkdir()
            (self.out / folder / "events.log").write_text("not a log\n")
        tally = self.shell("echo 1..1; echo ok 1 a")
        self.assertEqual((tally.passed, tally.failed), (1, 0))


class Which(unittest.TestCase):
    def test_what_a_suite_needs_runs_as_well(self):
        self.assertEqual(check.chosen(["demo-loaded"]), ["demo", "demo-loaded"])
        self.assertEqual(check.chosen(["demo-loaded", "demo"]), ["demo", "demo-loaded"])

    def test_long_ones_on_request(self):
        self.assertEqual(check.chosen(["exact-storm"]), ["exact-storm"])
        self.assertNotIn("exact-storm", check.chosen([]))

    def test_by_kernel(self):
        for kernel, there, missing in (("", "demo", "canary"), ("debug", "canary", "demo"),
                                       ("kcsan", "known", "canary"), ("cov", "queue", "known")):
            with mock.patch.object(check, "KERNEL", kernel):
                self.assertIn(there, check.chosen([]))
                self.assertNotIn(missing, check.chosen([]))
        with self.assertRaisesRegex(SystemExit, "canary is for KERNEL=debug"):
            check.chosen(["canary"])

    def test_by_base(self):
        with mock.patch.object(check, "BASE", "7.3"):
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertNotIn("suspend", check.chosen([]))
            self.assertEqual(check.chosen(["suspend"]), ["suspend"])
        with mock.patch.object(check, "BASE", "6.12"):
            self.assertIn("suspend", check.chosen([]))

    def test_an_unknown_one(self):
        with self.assertRaisesRegex(SystemExit, "no suite nonsense; there are: .*queue"):
            check.chosen(["queue", "nonsense"])


class Whole(unittest.TestCase):
    """check itself, with suites and a build that are fakes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.scripts = self.root / "scripts"
        shutil.copytree(SCRIPTS, self.scripts)
        self.fake("kernel/kernel", "echo building")
        self.fake("setup/try-setup", "echo ok 1 a; echo 1..1")
        self.fake("series/try-apply", "echo not ok 1 b; echo ok 2 c; echo 1..2; exit 1")

    def fake(self, name, script):
        path = self.scripts / "testbench" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def check(self, *names, jobs="2"):
        return subprocess.Popen(
            [self.scripts / "bench", "check", *names], text=True, stdout=subprocess.PIPE,
            env={**os.environ, "OUT_DIR": str(self.root / "out"), "KERNEL": "", "JOBS": jobs})

    def test_what_it_says(self):
        with self.check("setup", "series", jobs="1") as process:
            said = process.stdout.read()
        self.assertRegex(said, r"""^building
  build +\d+ s
  setup +1 passed, 0 failed, 0 skipped  \(\d+ s\)
  series +1 passed, 1 failed, 0 skipped  \(\d+ s\)
      b
      see .*/out/check/series.tap
  series: b
longest: (series \d+ s, setup|setup \d+ s, series) \d+ s
in \d+ s; logs in .*/out/check
2 passed, 1 failed, 0 skipped
$""")
        self.assertEqual(process.returncode, 1)
        durations = self.root / "out/check/durations.json"
        self.assertEqual(json.loads(durations.read_text()).keys(), {"setup", "series"})

    def test_all_is_well(self):
        with self.check("setup") as process:
            self.assertTrue(process.stdout.read().endswith("\n1 passed, 0 failed, 0 skipped\n"))
        self.assertEqual(process.returncode, 0)

    def test_the_last_run_tells_the_order(self):
        (self.root / "out/check").mkdir(parents=True)
        (self.root / "out/check/durations.json").write_text('{"setup": 20, "series": 40}')
        with self.check("setup", "series", jobs="1") as process:
            said = process.stdout.read()
        self.assertLess(said.index("  series "), said.index("  setup "))

    def test_the_build_fails(self):
        self.fake("kernel/kernel", "exit 1")
        with self.check("setup") as process:
            self.assertEqual(process.stdout.read(),
                             "the build failed\n0 passed, 1 failed, 0 skipped\n")
        self.assertEqual(process.returncode, 1)

    def ended(self):
        """Ended after its first line: the rest, and its status."""
        with self.check("setup") as process:
            process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            # up to the end of all that it started and that could say something
            return process.stdout.read(), process.wait()

    def test_ended_while_it_builds(self):
        self.fake("kernel/kernel", "echo building; timeout 1000 sleep 1000")
        self.assertEqual(self.ended(), ("\ncheck: ended by SIGTERM\n", 143))

    def test_a_suite_whose_process_is_killed(self):
        self.fake("setup/try-setup", f"echo $$ >{self.root}/pid; kill -9 $PPID; exec sleep 1000")
        with self.check("setup") as process:
            self.assertIn("\n  setup: its process died\n", process.stdout.read())
        pid = int((self.root / "pid").read_text())
        if Path(f"/proc/{pid}").exists():
            os.kill(pid, signal.SIGKILL)
            self.fail("what it started lives on")

    def test_ended_in_a_suite(self):
        self.fake("kernel/kernel", "")
        self.fake("setup/try-setup", "sleep 1000")
        self.assertEqual(self.ended(), ("\ncheck: ended by SIGTERM\n", 143))
