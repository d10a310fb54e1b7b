# SPDX-License-Identifier: GPL-2.0
"""What Debian's Prometheus makes of gpreempt metrics. Results are TAP.

The tool reads a sysfs that is not the kernel's. Its output goes the way that it has on a
machine: the command of the systemd service writes a file, the node exporter reads it,
Prometheus scrapes that and judges the alerts, and its HTTP API is asked for the values.
Both programs are started here, on ports of their own, and ended. metrics/prometheus has
them, and promtool and the Python client, which has a strict reader of OpenMetrics.
"""
import contextlib
import functools
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from testbench.metrics import metrics
from testbench.guest.process import die_with_parent

FILES = metrics.SOURCE / "prometheus"
SERVICE = FILES / "gpreempt-metrics.service"
TIMER = FILES / "gpreempt-metrics.timer"
ALERTS = FILES / "alerts.yml"
ALERTS_TEST = FILES / "alerts-test.yml"
TEXTFILES = "/var/lib/prometheus/node-exporter"    # of Debian's node exporter
GPUS = (7, 4711)
ODD = 'a "b"\\c\n\u00e9'
PATIENCE_S = 30
SCRAPE = "1s"
WRITES = 200
GONE = "GpreemptGpuGone"

CONFIG = """\
global:
  scrape_interval: {scrape}
  evaluation_interval: {scrape}
rule_files: [{alerts}]
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ["{exporter}"]}}]
  - job_name: openmetrics
    static_configs: [{{targets: ["{openmetrics}"]}}]
"""


def check(condition, why=""):
    if not condition:
        raise AssertionError(why)


def equal(got, wanted):
    check(got == wanted, f"{got!r}, not {wanted!r}")


def run(*command, text=None, **how):
    """What it prints; fails unless it ends well."""
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **how)
    check(done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def fails(said, *command, text=None):
    try:
        run(*command, text=text)
    except AssertionError as e:
        check(said in str(e), str(e))
    else:
        check(False, f"{command} found nothing")


def soon(condition, why=lambda: "it has not come about"):
    """What it returns once that is true. A busy host may miss a scrape."""
    end = time.monotonic() + PATIENCE_S
    while not (result := condition()):
        check(time.monotonic() < end, why())
        time.sleep(0.05)
    return result


def free_address():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{s.getsockname()[1]}"


@contextlib.contextmanager
def started(log, *command):
    """A program that runs meanwhile, and does not stay if this one is killed."""
    with log.open("w") as f, subprocess.Popen(command, stdout=f, stderr=subprocess.STDOUT,
                                              preexec_fn=die_with_parent) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


class Openmetrics(BaseHTTPRequestHandler):
    """Has what the tool prints, as what it is."""
    bench = None

    def do_GET(self):
        done = self.bench.tree.run(self.bench.tool)
        self.send_response(200 if done.stdout else 503)
        self.send_header("Content-Type",
                         "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.end_headers()
        with contextlib.suppress(OSError):      # who asked waits no longer
            self.wfile.write(done.stdout.encode())

    def log_message(self, *_):
        pass


class Bench:
    """A tree, the tool, and who reads what it says."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.tree = metrics.Tree(self.folder)
        self.tool = metrics.build(self.folder / "build")
        self.configured = self.folder / "gpreempt.conf"
        self.textfiles = self.folder / "textfiles"
        self.textfiles.mkdir()
        self.exporter = self.prometheus = None

    def reset(self):
        for gpu in GPUS:
            self.tree.node(gpu, begin=gpu, name=f"{ODD}\n".encode())

    def text(self, *options):
        done = self.tree.run(self.tool, *options)
        check(done.returncode == 0, done.stderr)
        return done.stdout

    def write(self, status=0):
        """As the service does, which succeeds with that as well."""
        check(not status or f"\nSuccessExitStatus={status}\n" in SERVICE.read_text())
        line = re.search("^ExecStart=(.*)$", SERVICE.read_text(), re.M)[1]
        command = [word.replace(TEXTFILES, str(self.textfiles)) for word in shlex.split(line)]
        check(command[0] == "gpreempt" and str(self.textfiles) in command[-1], line)
        done = subprocess.run([self.tool, *command[1:]], cwd=self.folder, stderr=subprocess.PIPE,
                              text=True, check=False)
        equal((done.returncode, done.stderr == ""), (status, not status))

    @contextlib.contextmanager
    def running(self):
        """The node exporter and Prometheus."""
        self.exporter, self.prometheus = free_address(), free_address()
        Openmetrics.bench = self
        server = ThreadingHTTPServer(("127.0.0.1", 0), Openmetrics)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        config = self.folder / "prometheus.yml"
        alerts = self.folder / "at-once.yml"    # how long each waits is promtool's
        alerts.write_text(re.sub(r"(?m)^( +for:) \w+$", rf"\1 {SCRAPE}", ALERTS.read_text()))
        config.write_text(CONFIG.format(scrape=SCRAPE, alerts=alerts, exporter=self.exporter,
                                        openmetrics=f"127.0.0.1:{server.server_port}"))
        with started(self.folder / "exporter.log", "prometheus-node-exporter",
                     f"--web.listen-address={self.exporter}", "--collector.disable-defaults",
                     "--collector.textfile", f"--collector.textfile.directory={self.textfiles}"), \
             started(self.folder / "prometheus.log", "prometheus", f"--config.file={config}",
                     f"--web.listen-address={self.prometheus}",
                     f"--storage.tsdb.path={self.folder}/data"):
            try:
                soon(lambda: self.answers(f"{self.exporter}/metrics"))
                soon(lambda: self.answers(f"{self.prometheus}/-/ready"))
                yield
            finally:
                server.shutdown()
                thread.join()
                server.server_close()

    def get(self, url):
        with urllib.request.urlopen(f"http://{url}", timeout=PATIENCE_S) as answer:
            return answer.read().decode()

    def answers(self, url):
        try:
            return self.get(url)
        except OSError:
            return None

    def ask(self, what, **parameters):
        url = f"{self.prometheus}/api/v1/{what}?{urllib.parse.urlencode(parameters)}"
        return json.loads(self.get(url))["data"]

    def values(self, query):
        """By name and labels, without those that Prometheus adds."""
        found = {}
        for series in self.ask("query", query=query)["result"]:
            labels = series["metric"]
            name = labels.pop("__name__", None)
            for label in "instance", "job":
                labels.pop(label, None)
            key = name, frozenset(labels.items())
            check(key not in found, f"{key} twice")
            found[key] = float(series["value"][1])
        return found

    def alerts(self):
        return {(a["labels"]["alertname"], a["labels"].get("node"), a["labels"].get("reason"))
                for a in self.ask("alerts")["alerts"] if a["state"] == "firing"}

    def firing(self):
        """But for that of a GPU that went, which would be there for a day."""
        return {alert for alert in self.alerts() if alert[0] != GONE}


def expected(text):
    """What Prometheus should have of it."""
    return {(name, frozenset(labels)): float(value)
            for (name, labels), value in metrics.samples(text).items()}


def known(values):
    """Those that are a number: no two that are not are equal."""
    return {key: value for key, value in values.items() if value == value}


# ---- what needs no server ----


def strict_reader(bench):
    """a strict reader takes the OpenMetrics, and finds types, units and odd names"""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
    text = bench.text("--processes")
    found = {family.name: family for family in families(text)}
    equal({f.type for f in found.values()}, {"counter", "gauge", "info"})
    equal(found["gpreempt_scan_seconds"].type, "counter")
    equal(found["gpreempt_scan_seconds"].unit, "seconds")
    equal({s.labels["name"] for s in found["gpreempt_node"].samples}, {ODD})
    count = sum(len(f.samples) for f in found.values())
    equal(count, len(metrics.samples(text)))


def strict_reader_finds(bench):
    """the strict reader does not take what is wrong"""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
    text = bench.text()
    for wrong in (text.replace("# EOF\n", ""), text.replace("scans_total{", "scans{"),
                  text.replace('\\"b', '"b'), bench.text("--prometheus") + "# EOF\n"):
        check(wrong != text)
        try:
            list(families(wrong))
        except ValueError:
            continue
        check(False, "it took it")


def promtool_metrics(bench):
    """promtool check metrics has nothing to say"""
    equal(run("promtool", "check", "metrics", text=bench.text("--processes", "--prometheus")), "")


def promtool_metrics_finds(bench):
    """promtool check metrics has something to say of what is wrong"""
    text = bench.text("--prometheus")
    for said, wrong in (("no help text", re.sub("# HELP gpreempt_scans_total.*\n", "", text)),
                        ("should have \"_total\"", text.replace("scans_total", "scans")),
                        ("parsing error", text.replace('\\"b', '"b')),
                        ("unknown metric type", bench.text())):
        fails(said, "promtool", "check", "metrics", text=wrong)


def promtool_rules(_):
    """promtool check rules takes the alerts, and test rules their tests"""
    run("promtool", "check", "rules", ALERTS)
    run("promtool", "test", "rules", ALERTS_TEST)


def down_broken(reason, lasts):
    return ((f'{reason}"}} == 1', f'{reason}"}} == 2'), (f'{{reason="{reason}"}} == 1', "== 1"),
            (f"for: {lasts}", "for: 1m"), (f"for: {lasts}", "for: 25m"))


# What a test of the alert has to find: a part of alerts.yml, and what stands there instead.
BROKEN = {
    "GpreemptBypassed": (("_reason == 1", "_reason == 2"), ("_reason == 1", "_reason >= 0")),
    "GpreemptAbsent": (*down_broken("absent", "5m"), ("== 1", ">= 0")),
    "GpreemptAnotherAmdgpu": (*down_broken("another_amdgpu", "5m"), ("== 1", ">= 0")),
    "GpreemptNoGpu": (*down_broken("no_gpu", "5m"), ("== 1", ">= 0")),
    "GpreemptGpuGone": (("[1d]", "[1m]"), ("unless on (instance, node)", "and on (instance, node)"),
                        ("(instance, node) gpreempt_up", "(instance, node) gpreempt_up == 1"),
                        ('and on (instance) gpreempt_up{node!=""}', ""),
                        ('and on (instance) gpreempt_up{node!=""}', "and on (instance) gpreempt_up"),
                        ("for: 5m", "for: 1m"), ("for: 5m", "for: 25m")),
    "GpreemptRefused": (*down_broken("refused", "5m"), ("unless on (instance)", "unless"),
                        ('"refused"} == 0', '"refused"} >= 0')),
    "GpreemptDisabled": (*down_broken("disabled", "15m"), ("== 1", ">= 0")),
    "GpreemptSettingDiffers": (("== 1", "== 2"), ("== 1", ">= 0"), ("for: 5m", "for: 1m"),
                               ("for: 5m", "for: 25m")),
    "GpreemptStarvation": (("[5m]) > 0", "[5m]) > 9"), ("[5m]) > 0", "[5m]) >= 0"),
                           ("for: 15m", "for: 1m"), ("for: 15m", "for: 25m")),
    "GpreemptSaveCostRising": (("> 2 *", "> 4 *"), ("> 2 *", "> 1.2 *"), ("> 0.01", "> 0"),
                               ("> 0.01", "> 0.1"), ("preemptions_total[15m]", "scans_total[15m]"),
                               ("for: 15m", "for: 1m"), ("for: 15m", "for: 2h")),
    "GpreemptExcluded": (("[15m]) > 0", "[15m]) > 2"), ("[15m]) > 0", "[15m]) >= 0"),
                         ("[15m]", "[5m]"), ("[15m]", "[30m]")),
    "GpreemptMetricsStale": (("> 300", "> 400"), ("> 300", "> 240"),
                             ("(.*/)?gpreempt[.]prom", ".*")),
}


def broken_alerts(bench):
    """each alert has tests that fail when it is broken: that fires too often, and not at all"""
    head, *alerts = re.split(r"(?m)^(?= +- alert: )", ALERTS.read_text())
    equal([re.search(r"alert: (\w+)", part)[1] for part in alerts], list(BROKEN))
    common, *tests = re.split(r"(?m)^(?=  - name: )", ALERTS_TEST.read_text())
    folder = bench.folder / "rules"
    folder.mkdir()
    for n, (part, (name, changes)) in enumerate(zip(alerts, BROKEN.items())):
        own = [test for test in tests if f"alertname: {name}\n" in test]
        (folder / ALERTS_TEST.name).write_text("".join([common, *own]))
        for old, new in changes:
            equal(part.count(old), 1)
            text = "".join([head, *alerts[:n], part.replace(old, new), *alerts[n + 1:]])
            (folder / ALERTS.name).write_text(text)
            fails("FAILED", "promtool", "test", "rules", folder / ALERTS_TEST.name)


def units(bench):
    """systemd takes the service, which knows the package's folder, and the timer, which runs
    four times a minute"""
    package = Path(shutil.which("prometheus-node-exporter")).parents[2]
    check((package / TEXTFILES[1:]).is_dir())
    folder = bench.folder / "units"
    folder.mkdir()
    text = SERVICE.read_text()
    there = text.replace("ExecStart=gpreempt", f"ExecStart={bench.tool}")
    check(there != text)
    (folder / SERVICE.name).write_text(there)
    (folder / TIMER.name).write_text(TIMER.read_text())
    paths = [folder / SERVICE.name, folder / TIMER.name]
    # of other units of this machine it may have something to say
    said = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *paths)
    equal([line for line in said.splitlines() if "gpreempt" in line], [])
    when = re.search("^OnCalendar=(.*)$", TIMER.read_text(), re.M)[1]
    said = run("systemd-analyze", "calendar", "--iterations=5", when)
    equal(len(set(re.findall(r":(\d\d) UTC", said))), 4)


# ---- what goes through both servers ----


def the_values(bench):
    """Prometheus has all values from the node exporter, and OpenMetrics' from itself"""
    for job, options in ("node", ["--prometheus"]), ("openmetrics", []):
        wanted = known(expected(bench.text(*options)))
        check(len(wanted) > 80, len(wanted))

        def differ():
            got = known(bench.values(f'{{job="{job}",__name__=~"gpreempt_.*"}}'))
            return {key: (got.get(key), wanted.get(key)) for key in got.keys() | wanted.keys()
                    if got.get(key) != wanted.get(key)}
        soon(lambda: not differ(), differ)


def the_types(bench):
    """Prometheus knows what is a counter and what a gauge, and why"""
    for job, total in ("node", "_total"), ("openmetrics", ""):
        said = {m["metric"]: m for m in bench.ask("targets/metadata",
                                                  match_target=f'{{job="{job}"}}')
                if m["metric"].startswith("gpreempt_")}
        counter = said[f"gpreempt_scan_seconds{total}"]
        equal((counter["type"], counter["unit"]), ("counter", "" if total else "seconds"))
        check("without register accesses" in counter["help"], counter)
        equal(said["gpreempt_save_p99_seconds"]["type"], "gauge")
        check("untyped" not in {m["type"] for m in said.values()}, said)


def odd_name(bench):
    """an odd name arrives as it is"""
    (_, labels), = soon(lambda: bench.values('gpreempt_node_info{job="node",node="7"}'))
    equal(dict(labels)["name"], ODD)


def alert(bench):
    """a node that is bypassed is an alert, with its reason; and none when it is not any more"""
    equal(bench.firing(), set())
    bench.tree.node(7, begin=7, state="bypassed", **{"stats/bypass_reason": "hung_preemption"})
    bench.write()
    soon(lambda: bench.firing() == {("GpreemptBypassed", "7", "hung_preemption")})
    bench.reset()
    bench.write()
    soon(lambda: not bench.firing())


def down(bench):
    """so is whatever else keeps GPREEMPT from working"""
    def alerts(status, *expected):
        bench.write(status)
        soon(lambda: bench.firing() == set(expected), bench.firing)

    kfd, gone = bench.tree.kfd, bench.tree.kfd.with_name("gone")
    kfd.rename(gone)
    alerts(3, ("GpreemptAbsent", None, "absent"))
    bench.tree.module()
    alerts(3, ("GpreemptAnotherAmdgpu", None, "another_amdgpu"))
    bench.tree.module("gpreempt")
    kfd.mkdir()
    alerts(3, ("GpreemptNoGpu", None, "no_gpu"))
    kfd.rmdir()
    gone.rename(kfd)
    alerts(0)
    for gpu in GPUS:
        bench.tree.node(gpu, begin=gpu, state="disabled", unsupported="no CWSR")
    alerts(0, *(("GpreemptRefused", str(gpu), "refused") for gpu in GPUS))
    bench.tree.node(7, begin=7, state="disabled")
    alerts(0, ("GpreemptDisabled", "7", "disabled"))
    bench.reset()
    alerts(0)


def setting(bench):
    """so is a setting of another partition mode's GPU, until what is configured is set"""
    def alerts(*nodes):
        bench.write()
        soon(lambda: bench.firing() == {("GpreemptSettingDiffers", node, None) for node in nodes},
             bench.firing)

    bench.configured.write_text("poll_interval_us=2000\n")
    alerts("7", "4711")
    run(bench.tool, "set", "--configured", cwd=bench.folder)
    alerts()
    bench.tree.remove(7)
    bench.tree.node(8)
    alerts("8")
    run(bench.tool, "set", "--configured", cwd=bench.folder)
    alerts()
    bench.tree.remove(8)
    bench.configured.unlink()
    bench.reset()
    bench.write()


def stale(bench):
    """a file that nobody writes any more is an alert"""
    path, = bench.textfiles.iterdir()
    os.utime(path, (0, time.time() - 400))
    soon(lambda: bench.firing() == {("GpreemptMetricsStale", None, None)})
    bench.write()
    soon(lambda: not bench.firing())


def scrapes_beside_writes(bench):
    """a scrape while the file is replaced has it whole: the old one or the new one"""
    wanted = bench.get(f"{bench.exporter}/metrics").count("\ngpreempt_")
    check(wanted > 80, wanted)
    done = threading.Event()

    def write():
        for _ in range(WRITES):
            bench.write()
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    scrapes = 0
    while not done.is_set():
        text = bench.get(f"{bench.exporter}/metrics")
        equal(text.count("\ngpreempt_"), wanted)
        check("\nnode_textfile_scrape_error 0\n" in text, text)
        scrapes += 1
    thread.join()
    check(scrapes >= 10, scrapes)


def half_a_file(bench):
    """the node exporter would have told of half a file"""
    path = bench.textfiles / "half.prom"
    text = bench.text("--prometheus")
    path.write_text(text[:text.rindex('"')])
    check("\nnode_textfile_scrape_error 1\n" in bench.get(f"{bench.exporter}/metrics"))
    path.unlink()


def node_goes(bench):
    """a GPU that went has no series any more, and is an alert"""
    check((GONE, "4711", None) not in bench.alerts())
    bench.tree.remove(4711)
    bench.write()
    soon(lambda: len(bench.values('gpreempt_scans_total{job="node"}')) == 1)
    equal({dict(labels)["node"] for _, labels in
           bench.values('{job="node",__name__=~"gpreempt_.*"}')}, {"7"})
    soon(lambda: (GONE, "4711", None) in bench.alerts())


def driver_goes(bench):
    """nor has any when the driver went; that it did has one, from both"""
    bench.tree.kfd.rename(bench.tree.kfd.with_name("gone"))
    bench.write(3)
    for job in "node", "openmetrics":
        soon(lambda: bench.values(f'{{job="{job}",__name__=~"gpreempt_.*"}} != 0')
             == {("gpreempt_down_reason", frozenset({("reason", "absent")})): 1})
        equal(bench.values(f'gpreempt_up{{job="{job}"}}'), {("gpreempt_up", frozenset()): 0})


ALONE = (strict_reader, strict_reader_finds, promtool_metrics, promtool_metrics_finds,
         promtool_rules, broken_alerts, units)
SERVED = (the_values, the_types, odd_name, alert, down, setting, stale, scrapes_beside_writes,
          half_a_file, node_goes, driver_goes)


def result(n, test):
    """A line of TAP; was it good?"""
    good = True
    try:
        test()
    except Exception:       # whatever it is, it is no good result
        good = False
        said = traceback.format_exc(chain=False).splitlines()
        print("\n".join("# " + line for line in said[-40:]))
    print(f"{'ok' if good else 'not ok'} {n} - {' '.join(test.func.__doc__.split())}", flush=True)
    return good


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        bench.reset()
        bench.tree.queue(os.getpid(), 0, 7)
        for n, test in enumerate(ALONE, 1):
            good &= result(n, functools.partial(test, bench))
        bench.write()
        with bench.running():
            for n, test in enumerate(SERVED, len(ALONE) + 1):
                good &= result(n, functools.partial(test, bench))
        if not good:
            for log in sorted(bench.folder.glob("*.log")):
                print("\n".join(f"# {log.name}: {line}" for line in
                                log.read_text(errors="replace").splitlines()[-20:]))
    print(f"1..{len(ALONE) + len(SERVED)}")
    sys.exit(not good)


if __name__ == "__main__":
    main()
