# SPDX-License-Identifier: GPL-2.0
"""What the tests of gpreempt metrics share: a sysfs that is not the kernel's, and samples."""
import os
import re
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

from testbench.paths import HEADERS, ROOT

SOURCE = ROOT / "tools/gpreempt"
DRIVER = ROOT / "drivers/gpu/drm/amd/amdkfd/gpreempt"
STATS = re.findall(r"^\t(?:STAT|LATENCY)\((\w+), ", (DRIVER / "show/sysfs.c").read_text(), re.M)
LEVELS = 16

SAMPLE = re.compile(r"(\w+)\{((?:\w+=\"(?:[^\"\\\n]|\\.)*\",?)*)\} (\S+)")
LABEL = re.compile(r"(\w+)=\"((?:[^\"\\]|\\.)*)\"")
ESCAPED = {r"\n": "\n", r"\"": '"', r"\\": "\\"}


class Wrong(Exception):
    """What cannot be a sample, or was there before."""


def samples(text):
    """The numbers, by name and labels: {("gpreempt_state", (("node", "1"), ...)): 1}"""
    found = {}
    for line in text.split("\n"):
        if not line or line.startswith("# "):
            continue
        if not (m := SAMPLE.fullmatch(line)):
            raise Wrong(line)
        labels = tuple((key, re.sub(r"\\.", lambda e: ESCAPED[e[0]], value))
                       for key, value in LABEL.findall(m[2]))
        if (m[1], labels) in found:
            raise Wrong(f"twice: {line}")
        found[m[1], labels] = Decimal(m[3])
    return found


def of_stat(name):
    """The metric of a number in stats/, and how many of the one are one of the other."""
    m = re.fullmatch(r"(\w+)_ns_(\w+)", name)
    if not m:
        return f"gpreempt_{name}_total", 1
    end = "seconds_total" if m[2] == "total" else f"{m[2]}_seconds"
    return f"gpreempt_{m[1]}_{end}", 10**9


def down(found):
    """Why GPREEMPT does not work: {node: reason}, the node is empty where no GPU is known."""
    return {dict(labels)["node"]: dict(labels)["reason"] for (name, labels), value in found.items()
            if name == "gpreempt_down_reason" and value}


class Tree:
    """A sysfs with nodes of GPREEMPT, in a folder's sys/."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.kfd = self.folder / "sys/class/kfd/kfd"
        self.nodes = self.kfd / "gpreempt"
        self.pids = 0

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else f"{text}\n".encode())

    def node(self, gpu_id, begin=1000, name="aldebaran", **files):
        """All numbers of a node are different ones; returns those of stats/."""
        node = self.nodes / str(gpu_id)
        numbers = {stat: begin + n * 1000000007 for n, stat in enumerate(STATS)}
        for stat, value in numbers.items():
            self.write(node / "stats" / stat, value)
        for level in range(LEVELS):
            self.write(node / f"level{level}/preemptions", begin + level)
        files = {"state": "active", "policy": "none [strict] timeslice fair", "backend": "hws",
                 "unsupported": "", "stats/bypass_reason": "none", "enable": 1,
                 "poll_interval_us": 1000, "level3/timeslice_us": 2000} | files
        for file, text in files.items():
            self.write(node / file, text)
        topology = self.kfd / "topology/nodes" / str(gpu_id)
        self.write(topology / "gpu_id", gpu_id)
        self.write(topology / "name", name)
        self.write(topology / "properties", "location_id 768\ndomain 0")
        return numbers

    def queue(self, number, queue, gpu_id, **files):
        """Of the process of that number on the host, and here, unless files has another pid."""
        folder = self.kfd / f"proc/{number}/queues/{queue}"
        self.write(folder / "gpuid", gpu_id)
        numbers = dict.fromkeys(
            ("priority", "permitted_priority", "effective_priority", "timeslice_us", "weight",
             "min_percent", "cap_percent", "preemptions", "running_ns", "waiting_ns",
             "preempted_ns"), 0)
        for file, text in (numbers | {"pid": number, "state": "running"} | files).items():
            self.write(folder / "gpreempt" / file, text)

    def module(self, *parameters):
        """amdgpu is loaded, and has these."""
        for name in "dc", *parameters:
            self.write(self.folder / "sys/module/amdgpu/parameters" / name, 0)

    def remove(self, gpu_id):
        shutil.rmtree(self.nodes / str(gpu_id))

    def run(self, tool, *options, **how):
        return subprocess.run([tool, "metrics", *options], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **how)


def build(folder, ldflags=""):
    """The tool, with sys/ and gpreempt.conf of where it runs for /sys and /etc/gpreempt.conf."""
    moved = "-DSYSFS='\"sys\"' -DCONFIGURED='\"gpreempt.conf\"'"
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", SOURCE, f"O={folder}",
                    f"KHDR={HEADERS}", f"CPPFLAGS={moved}", "CFLAGS=-O1 -g", f"LDFLAGS={ldflags}", f"{folder}/gpreempt"],
                   check=True)
    return Path(folder) / "gpreempt"
