# SPDX-License-Identifier: GPL-2.0
"""Tests of gpreempt metrics, on a sysfs that is not the kernel's."""
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import threading
from decimal import Decimal
from pathlib import Path

from testbench.metrics import metrics
from testbench.metrics.metrics import DRIVER, LEVELS, down, samples
from testbench.tool.in_tree import InTree, tool, without_rights

OLD = "# old, and whole\n" * 4096
DOWN = "absent", "another_amdgpu", "no_gpu", "refused", "disabled", "bypassed"


class Metrics(InTree):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "gpreempt.prom"

    def text(self, *options):
        done = self.tree.run(tool(), *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def samples(self, *options):
        return samples(self.text(*options))

    def fails(self, status, said, *options, **how):
        done = self.tree.run(tool(), *options, **how)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, rf"^gpreempt: .*{said}")
        self.assertEqual(done.stderr.count("\n"), 1 + (status == 2), done.stderr)

    def fails_with(self, reason, said, *options):
        """It tells that there is no GPU with GPREEMPT, and why, and ends with 3."""
        done = self.tree.run(tool(), *options)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, rf"\Agpreempt: .*{said}.*\n\Z")
        self.only_down(done.stdout, reason)

    def only_down(self, text, reason):
        """It has nothing but that."""
        found = samples(text)
        self.assertEqual(down(found), {"": reason})
        self.assertEqual(self.labels(found, "gpreempt_up"), {("",): 0})
        self.assertEqual({name for name, _ in found}, {"gpreempt_up", "gpreempt_down_reason"})

    def labels(self, found, name):
        return {tuple(dict(labels).values()): value for (n, labels), value in found.items()
                if n == name}


class Values(Metrics):
    def test_every_stat(self):
        """What is in stats/ of the driver is told, exactly, of each node."""
        numbers = {gpu: self.tree.node(gpu, begin=gpu) for gpu in (7, 4711)}
        self.assertGreater(len(numbers[7]), 20)
        found = self.samples()
        for gpu, stats in numbers.items():
            for name, value in stats.items():
                metric, ones = metrics.of_stat(name)
                self.assertEqual(found.get((metric, (("node", str(gpu)),))),
                                 Decimal(value) / ones, f"{name}: {metric}")

    def test_every_file(self):
        """The list of these is whole: the driver's table has no other, but the reason."""
        source = (DRIVER / "show/sysfs.c").read_text()
        table = re.search(r"stats_attrs\[\] = {\n(.*?)\n};", source, re.S)[1]
        self.assertEqual(re.findall(r"\w+\((\w+)[,)]", table), [*metrics.STATS, "bypass_reason"])

    def test_levels(self):
        self.tree.node(7, begin=300)
        self.assertEqual(self.labels(self.samples(), "gpreempt_level_preemptions_total"),
                         {("7", str(n)): 300 + n for n in range(LEVELS)})

    def test_states(self):
        names = re.search(r'"disabled", "parked".*', (DRIVER / "core/state.c").read_text())
        states = re.findall(r'"(\w+)"', names[0])
        self.assertEqual(len(states), 4)
        for state in [*states, "of tomorrow"]:
            self.tree.node(7, state=state)
            self.assertEqual(self.labels(self.samples(), "gpreempt_state"),
                             {("7", s): s == state for s in {*states, state}})

    def test_reasons(self):
        names = re.search(r'"none", "late_.*', (DRIVER / "core/state.c").read_text())
        _, *reasons = re.findall(r'"(\w+)"', names[0])
        self.assertEqual(len(reasons), 3)
        for reason in ["none", *reasons, "of tomorrow"]:
            self.tree.node(7, **{"stats/bypass_reason": reason})
            self.assertEqual(self.labels(self.samples(), "gpreempt_bypass_reason"),
                             {("7", r): r == reason for r in {*reasons, reason} - {"none"}})

    def test_up(self):
        """Each node works or does not, for one reason; a reason that it does not have is 0."""
        reasons = {"active": None, "parked": None, "disabled": "disabled", "bypassed": "bypassed",
                   "of tomorrow": "of tomorrow"}
        self.tree.node(6)
        for state, reason in reasons.items():
            self.tree.node(7, state=state)
            found = self.samples()
            self.assertEqual(down(found), {"7": reason} if reason else {})
            self.assertEqual(self.labels(found, "gpreempt_up"),
                             {("6",): 1, ("7",): reason is None})
            self.assertEqual(self.labels(found, "gpreempt_down_reason").keys(),
                             {(gpu, r) for gpu in "67" for r in DOWN} |
                             ({("7", reason)} if reason else set()))

    def test_refused(self):
        """That a GPU cannot be enabled is why it is disabled; an older driver does not say it."""
        self.tree.node(7, state="disabled", unsupported="amdgpu was loaded with cwsr_enable=0")
        self.tree.node(8, state="disabled")
        (self.tree.nodes / "8/unsupported").unlink()
        self.assertEqual(down(self.samples()), {"7": "refused", "8": "disabled"})

    def test_node(self):
        self.tree.node(7, policy="none strict [fair]", backend="mes")
        self.assertEqual(self.labels(self.samples(), "gpreempt_node_info"),
                         {("7", "0000:03:00.0", "aldebaran", "fair", "mes"): 1})

    def test_queues(self):
        self.tree.node(7)
        self.tree.queue(1, 3, 7, permitted_priority=9, preemptions=5, running_ns=1,
                        waiting_ns=2 * 10**9, preempted_ns=3 * 10**18)
        self.assertNotIn("gpreempt_queue_", self.text())
        found = self.samples("--processes")
        command = Path("/proc/1/comm").read_text().rstrip("\n")
        for name, value in (("priority", 9), ("preemptions_total", 5),
                            ("running_seconds_total", Decimal("0.000000001")),
                            ("waiting_seconds_total", 2), ("preempted_seconds_total", 3 * 10**9)):
            self.assertEqual(self.labels(found, f"gpreempt_queue_{name}"),
                             {("7", "1", "3", command): value})

    def test_queues_of_others(self):
        self.tree.node(7)
        for pid in 1, 2:
            self.tree.queue(pid, 0, 7)
        for path in (self.tree.kfd / "proc/2/queues/0/gpreempt").iterdir():
            path.chmod(0)
        done = self.tree.run(tool(), "-p", **without_rights())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({node[1] for node in self.labels(samples(done.stdout),
                                                         "gpreempt_queue_priority")}, {"1"})


class Settings(Metrics):
    """What is configured, and whether it is so."""

    def setUp(self):
        super().setUp()
        self.configured = self.folder / "gpreempt.conf"

    def differs(self, text):
        """What gpreempt_setting_differs has of the settings that are configured by that text."""
        self.configured.write_text(text)
        return {key: int(value) for key, value in
                self.labels(self.samples(), "gpreempt_setting_differs").items()}

    def set(self, *options):
        return subprocess.run([tool(), "set", *options], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_values(self):
        self.tree.node(7, policy="none [strict] timeslice fair")
        self.tree.node(8, policy="none strict timeslice [fair]", poll_interval_us=10000)
        self.assertEqual(self.differs("# of all GPUs\nenable=1 policy=fair#er\n\n"
                                      "\tpoll_interval_us=1000\r\nlevel3/timeslice_us=2000"),
                         {("7", "enable"): 0, ("8", "enable"): 0,
                          ("7", "policy"): 1, ("8", "policy"): 0,
                          ("7", "poll_interval_us"): 0, ("8", "poll_interval_us"): 1,
                          ("7", "level3/timeslice_us"): 0, ("8", "level3/timeslice_us"): 0})

    def test_none(self):
        """Nothing is configured, and nothing differs."""
        self.tree.node(7)
        self.assertNotIn("gpreempt_setting", self.text())
        self.assertEqual(self.differs("# nothing\n\n"), {})

    def test_twice(self):
        """The later value counts, in what is set as well."""
        self.tree.node(7, poll_interval_us=1000)
        self.assertEqual(self.differs("poll_interval_us=3000\npoll_interval_us=1000\n"),
                         {("7", "poll_interval_us"): 0})
        self.assertEqual(self.differs("poll=1\npoll_interval_us=1000\n"),
                         {("7", "poll"): 1, ("7", "poll_interval_us"): 0})
        self.configured.write_text("poll_interval_us=1000\nenable=1\npoll_interval_us=3000\n")
        self.assertEqual((self.set("-c").returncode, self.value("7/poll_interval_us")), (0, "3000"))

    def value(self, file):
        return (self.tree.nodes / file).read_text().rstrip("\n")

    def test_wrong(self):
        """What cannot be set differs, be it no setting or have no value."""
        self.tree.node(7)
        for wrong, name in (("frob=1", "frob"), ("policy", "policy"), ("policy=", "policy"),
                            ("=", ""), ("stats=", "stats"), ('a"\\=1', 'a"\\'),
                            ("poll=1000", "poll"), ("poll_interval_us2=1000", "poll_interval_us2")):
            self.assertEqual(self.differs(f"{wrong}\n"), {("7", name): 1}, wrong)
            done = self.set("--configured")
            self.assertEqual(done.returncode, 2, done.stdout)

    def test_refused(self):
        """A GPU that cannot be enabled has none of them."""
        self.tree.node(7)
        self.tree.node(8, state="disabled", enable=0, unsupported="it is too old")
        self.assertEqual(self.differs("enable=1\n"), {("7", "enable"): 0})

    def test_unreadable(self):
        """That is no reason to tell that nothing is configured."""
        self.tree.node(7)
        self.configured.mkdir()
        self.fails(1, "gpreempt.conf: Is a directory")
        self.assertEqual(self.set("--configured").returncode, 1)
        self.configured.rmdir()
        self.configured.touch(0)
        self.fails(1, "gpreempt.conf: Permission denied", **without_rights())

    def test_node_goes_away(self):
        self.tree.node(7)
        self.tree.node(8)
        self.configured.write_text("enable=1\n")
        text = Missing.in_mid_read(self, "stats/starved", lambda: self.tree.remove(7))
        self.assertEqual(self.labels(samples(text), "gpreempt_setting_differs"),
                         {("8", "enable"): 0})

    def test_set(self):
        """Of all GPUs, or of one; the nodes of another partition mode have lost them."""
        self.configured.write_text("poll_interval_us=2000\n")
        for gpu in 7, 8:
            self.tree.node(gpu)
        self.assertEqual(self.set("--configured", "--gpu", "8").stdout, "")
        self.assertEqual([self.value(f"{n}/poll_interval_us") for n in "78"], ["1000", "2000"])
        self.assertEqual(self.set("--configured").stdout, "")
        self.assertEqual(set(self.labels(self.samples(), "gpreempt_setting_differs").values()), {0})
        self.tree.remove(7)
        self.tree.node(9)
        self.assertEqual(self.labels(self.samples(), "gpreempt_setting_differs"),
                         {("8", "poll_interval_us"): 0, ("9", "poll_interval_us"): 1})

    def test_set_nothing(self):
        self.tree.node(7)
        for text in None, "# nothing\n":
            if text:
                self.configured.write_text(text)
            done = self.set("-c")
            self.assertEqual((done.returncode, done.stdout),
                             (1, "gpreempt: gpreempt.conf: not there, or empty\n"))
        self.configured.write_text("enable=1\n")
        done = self.set("-c", "enable=0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'enable=0' is too much", done.stdout)


class Format(Metrics):
    def test_the_same_samples(self):
        self.tree.node(7)
        self.tree.queue(1, 0, 7)
        self.assertEqual(self.samples("-p"), self.samples("-p", "--prometheus"))

    def families(self, text):
        """What is said of each family, and the names of its samples."""
        found, family = {}, None
        for line in text.splitlines():
            if m := re.fullmatch(r"# (TYPE|UNIT|HELP) (\w+) (.+)", line):
                if m[1] == "TYPE":
                    self.assertNotIn(m[2], found)
                    found[family := m[2]] = ({}, set())
                self.assertEqual(m[2], family)
                self.assertNotIn(m[1], found[family][0])
                found[family][0][m[1]] = m[3]
            elif line != "# EOF":
                found[family][1].add(re.match(r"\w+", line)[0])
        return found

    def test_openmetrics(self):
        self.tree.node(7)
        self.tree.node(8)
        self.tree.queue(1, 0, 7)
        text = self.text("-p")
        self.assertTrue(text.endswith("\n# EOF\n") and text.count("# EOF") == 1)
        for family, (said, names) in self.families(text).items():
            end = {"counter": "_total", "gauge": "", "info": "_info"}[said["TYPE"]]
            self.assertEqual(names, {family + end})
            self.assertEqual(said.get("UNIT"), "seconds" if family.endswith("_seconds") else None)
            self.assertTrue(said["HELP"].endswith("."))

    def test_prometheus(self):
        self.tree.node(7)
        self.tree.node(8)
        self.tree.queue(1, 0, 7)
        text = self.text("-p", "-P")
        self.assertNotIn("# EOF", text)
        for family, (said, names) in self.families(text).items():
            self.assertIn(said["TYPE"], ("counter", "gauge"))
            self.assertEqual(said["TYPE"] == "counter", family.endswith("_total"))
            self.assertEqual(names, {family})
            self.assertEqual(set(said), {"TYPE", "HELP"})

    def name(self, raw, *options):
        self.tree.node(7, name=raw + b"\n")
        (_, _, name, *_), = self.labels(self.samples(*options), "gpreempt_node_info")
        return name

    def test_odd_names(self):
        self.assertEqual(self.name(b'a"b\\c\nd'), 'a"b\\c\nd')
        self.tree.node(7, name=b'a"b\\c\nd\n')
        for option in (), ("-P",):
            self.assertIn(r'name="a\"b\\c\nd"', self.text(*option))
        self.assertEqual(self.name(b"{},= #'\t\x01\x7f"), "{},= #'\t\x01\x7f")
        for good in "\u00e9\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff":
            self.assertEqual(self.name(good.encode() + b"x"), good + "x")

    def test_no_text(self):
        """Bytes that are no UTF-8: too short, too long, cut off, a surrogate, no character."""
        for bad in (b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xc0\xaf", b"\xc1\xbf",
                    b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
                    b"\xf8\x90\x80\x80"):
            self.assertEqual(self.name(b"a" + bad + b"z"), "a" + "\ufffd" * len(bad) + "z", bad)
            self.assertEqual(self.name(b"a" + bad), "a" + "\ufffd" * len(bad), bad)

    def test_odd_process(self):
        """The name of a process is cut after 15 bytes, be it in a character."""
        for name, told in ((b'a"\\\n{}\xff z', 'a"\\\n{}\ufffd z'),
                           ("12345678901234\u00e9".encode(), "12345678901234\ufffd")):
            path = os.path.join(self.folder.as_posix().encode(), name)
            os.symlink(shutil.which("sleep"), path)
            with subprocess.Popen([path, "1000"]) as process:
                try:
                    self.tree.node(7)
                    self.tree.queue(process.pid, 0, 7)
                    (_, pid, _, command), = self.labels(self.samples("-p"),
                                                        "gpreempt_queue_priority")
                finally:
                    process.kill()
            self.assertEqual((pid, command), (str(process.pid), told))
            shutil.rmtree(self.tree.kfd / "proc")

    def test_documented(self):
        """The manual page has each metric that is not of a file in stats/."""
        self.tree.node(7)
        self.tree.queue(1, 0, 7)
        (self.folder / "gpreempt.conf").write_text("enable=1\n")
        page = (metrics.SOURCE / "gpreempt.1").read_text()
        names = {name for name, _ in self.samples("-p")}
        names -= {metrics.of_stat(stat)[0] for stat in metrics.STATS}
        self.assertEqual(set(re.findall(r"^gpreempt_\w+$", page, re.M)), names)


class Missing(Metrics):
    def test_driver(self):
        """As it comes: not at all, without its compute part, another one, without a GPU."""
        self.fails_with("absent", "the amdgpu driver is not loaded")
        self.tree.module()
        self.fails_with("another_amdgpu", "built without CONFIG_HSA_AMD_GPREEMPT")
        self.tree.kfd.mkdir(parents=True)
        self.fails_with("another_amdgpu", "built without CONFIG_HSA_AMD_GPREEMPT", "-p", "-P")
        self.tree.module("gpreempt")
        self.fails_with("no_gpu", "no GPU that KFD drives", "--processes")
        self.tree.nodes.mkdir()
        self.fails_with("no_gpu", "no GPU that KFD drives")
        self.tree.node(7)
        self.assertEqual(down(self.samples()), {})
        shutil.rmtree(self.tree.kfd)
        self.fails_with("absent", "the amdgpu driver is not loaded")

    def test_stat(self):
        """One that this driver does not have, or that is no number, is not 0."""
        self.tree.node(7)
        self.tree.node(8)
        (self.tree.nodes / "7/stats/late").unlink()
        (self.tree.nodes / "8/stats/late").write_text("many\n")
        (self.tree.nodes / "7/stats/failed").unlink()
        (self.tree.nodes / "7/level3/preemptions").unlink()
        text = self.text()
        self.assertNotIn("gpreempt_late", text)
        found = samples(text)
        self.assertEqual(self.labels(found, "gpreempt_failed_total").keys(), {("8",)})
        self.assertNotIn(("7", "3"), self.labels(found, "gpreempt_level_preemptions_total"))
        self.assertEqual(len(self.labels(found, "gpreempt_level_preemptions_total")), 31)

    def test_permission(self):
        self.tree.node(7)
        (self.tree.nodes / "7/stats/starved").chmod(0)
        self.fails(1, "gpreempt/7/stats/starved: permission denied", **without_rights())

    def test_error(self):
        """Of another error no part of the numbers is told."""
        self.tree.node(7)
        (self.tree.nodes / "7/stats/starved").unlink()
        (self.tree.nodes / "7/stats/starved").mkdir()
        self.fails(1, "gpreempt/7/stats/starved: Is a directory")

    def in_mid_read(self, pipe, then, *options, status=0):
        """The tool reads a file of node 7, and that makes something happen."""
        path = self.tree.nodes / "7" / pipe     # or that alone, if it begins with /
        path.unlink()
        os.mkfifo(path)

        def happen():
            with path.open("w") as f:
                then()
                f.write("1\n")

        thread = threading.Thread(target=happen, daemon=True)
        thread.start()
        done = self.tree.run(tool(), *options, timeout=60)
        thread.join(5)
        self.assertFalse(thread.is_alive(), f"{pipe} was not read: {done.stderr}")
        self.assertEqual((done.returncode, done.stderr == ""), (status, not status), done.stderr)
        return done.stdout

    def test_node_goes_away(self):
        """It has no series then, the others have all of theirs."""
        for pipe in f"stats/{metrics.STATS[0]}", "stats/starved", "level15/preemptions", "policy":
            for gpu in 6, 7, 8:
                self.tree.node(gpu)
            found = samples(self.in_mid_read(pipe, lambda: self.tree.remove(7)))
            nodes = [dict(labels)["node"] for _, labels in found]
            self.assertEqual(set(nodes), {"6", "8"})
            self.assertEqual(nodes.count("6"), nodes.count("8"))

    def test_the_only_node_goes_away(self):
        self.tree.node(7)
        self.tree.module("gpreempt")
        text = self.in_mid_read("stats/starved", lambda: shutil.rmtree(self.tree.nodes), status=3)
        self.only_down(text, "no_gpu")

    def test_topology_anew(self):
        """Another GPU goes away: this one's folder there has another number then."""
        other, moved = (self.tree.kfd / "topology/nodes" / n for n in "76")

        def anew():
            other.rename(moved)
            for file, text in ("gpu_id", 9), ("name", "other"), ("properties", "domain 5"):
                self.tree.write(other / file, text)

        for file, rest in ("name", "aldebaran"), ("properties", "location_id 768\ndomain 0"):
            self.tree.node(7)
            text = self.in_mid_read(other / file, lambda: (
                anew(), (moved / file).unlink(), self.tree.write(moved / file, rest)))
            self.assertIn('pci="0000:03:00.0",name="aldebaran"', text)
            shutil.rmtree(other.parent)

    def test_topology_refused(self):
        """To a container without these GPUs: it has no address of theirs, and waits for none."""
        for gpu in range(1, 101):
            self.tree.node(gpu)
            (self.tree.kfd / f"topology/nodes/{gpu}/gpu_id").chmod(0)
        # a tenth of a second for each would be 20
        done = self.tree.run(tool(), timeout=15, **without_rights())
        self.assertEqual((done.returncode, done.stdout.count('pci="",name=""')), (0, 100))

    def test_name_is_empty(self):
        self.tree.node(7, name="")
        self.assertIn('pci="0000:03:00.0",name=""', self.text())


class Output(Metrics):
    def test_replaces(self):
        """At any time it is there, whole; who has the old one open reads that to its end."""
        self.tree.node(7)
        self.file.write_text(OLD)
        seen = []
        with self.file.open() as old:
            Missing.in_mid_read(self, "stats/starved",
                                lambda: seen.append((self.file.read_text(), self.entries())),
                                "--output", self.file.name)
            self.assertEqual(old.read(), OLD)
        self.assertEqual(seen, [(OLD, [self.file.name])])
        self.assertEqual(self.file.read_text(), self.in_no_pipe())
        self.assertEqual(self.entries(), [self.file.name])

    def entries(self):
        return [p.name for p in self.folder.iterdir() if p.name != "sys"]

    def in_no_pipe(self):
        path = self.tree.nodes / "7/stats/starved"
        path.unlink()
        path.write_text("1\n")
        return self.text()

    def test_mode(self):
        self.tree.node(7)
        for mask, mode in ((0o22, 0o644), (0o27, 0o640)):
            done = self.tree.run(tool(), "-o", self.file.name, umask=mask)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), mode)

    def test_no_driver(self):
        """The file tells it, whatever was there before."""
        for before in OLD, None:
            if before:
                self.file.write_text(before)
            done = self.tree.run(tool(), "--output", self.file.name)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertIn("not loaded", done.stderr)
            self.only_down(self.file.read_text(), "absent")
            self.assertEqual(self.entries(), [self.file.name])
            self.file.unlink()

    def test_permission(self):
        """What could not be read replaces nothing: that the file gets old is an alert."""
        self.tree.node(7)
        (self.tree.nodes / "7/stats/starved").chmod(0)
        self.file.write_text(OLD)
        self.fails(1, "permission denied", "-o", self.file.name, **without_rights())
        self.assertEqual((self.entries(), self.file.read_text()), ([self.file.name], OLD))

    def test_full(self):
        self.tree.node(7)
        self.file.write_text(OLD)

        def little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.fails(1, f"{self.file.name}: File too large", "-o", self.file.name, preexec_fn=little)
        self.assertEqual((self.entries(), self.file.read_text()), ([self.file.name], OLD))

    def test_no_folder(self):
        self.tree.node(7)
        self.fails(1, "nowhere/x.prom: No such file", "-o", "nowhere/x.prom")

    def test_no_file(self):
        """What is none is neither replaced nor removed."""
        self.tree.node(7)
        self.file.mkdir()
        self.fails(2, "not a regular file", "-o", self.file.name)
        self.file.rmdir()
        (self.folder / "other").write_text(OLD)
        for to in "/dev/null", "other":
            self.file.symlink_to(to)
            self.fails(2, "not a regular file", "-o", self.file.name)
            self.assertEqual(os.readlink(self.file), to)
            self.file.unlink()

    def test_standard_output(self):
        self.tree.node(7)
        with open("/dev/full", "w", encoding="utf8") as full:
            done = subprocess.run([tool(), "metrics"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)
