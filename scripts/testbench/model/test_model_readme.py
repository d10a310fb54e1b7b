# SPDX-License-Identifier: GPL-2.0
"""The GPU model's README names every file, cost, fault and option there is."""
import graphlib
import re
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

from testbench.paths import MODEL

README = (MODEL / "README.rst").read_text()


def section(title, end):
    return README.split(f"\n{title}\n", 1)[1].split(f"\n{end}\n", 1)[0]


# In the model's place: it needs its time until it listens. And in QEMU's.
SLOW_MODEL = """#!/usr/bin/env python3
import os, socket, sys, time
time.sleep(0.5)
path = sys.argv[sys.argv.index("--socket") + 1]
with socket.socket(socket.AF_UNIX) as s:
    s.bind(path + ".new")
    s.listen()
    s.settimeout(5)
    os.rename(path + ".new", path)
    s.accept()
"""
NO_MODEL = "#!/bin/sh\nexit 1\n"
QEMU = """#!/usr/bin/env python3
import json, socket, sys
device = json.loads(sys.argv[sys.argv.index("-device") + 1])
with socket.socket(socket.AF_UNIX) as s:
    s.connect(device["socket"]["path"])
print("attached")
"""


class Attach(unittest.TestCase):
    """The commands that attach it, as they stand there but for the socket's folder."""

    def attach(self, model):
        with tempfile.TemporaryDirectory() as folder:
            commands = re.search(r"^    \./gpu-model --socket.*?\n\n", README, re.M | re.S)[0]
            for name, text in ("gpu-model", model), ("qemu-system-x86_64", QEMU):
                (Path(folder) / name).write_text(text)
                (Path(folder) / name).chmod(0o755)
            return subprocess.run(
                ["bash", "-ec", f"PATH={folder}:$PATH\n" +
                 textwrap.dedent(commands).replace("/tmp/", f"{folder}/") + "wait"],
                cwd=folder, capture_output=True, text=True, timeout=20)

    def test_slow_model(self):
        done = self.attach(SLOW_MODEL)
        self.assertEqual((done.returncode, done.stdout), (0, "attached\n"), done.stderr)

    def test_no_model(self):
        """They end, and say so."""
        self.assertNotEqual(self.attach(NO_MODEL).returncode, 0)


class Readme(unittest.TestCase):
    def test_rooms(self):
        rooms = section("Where what is", "To add")
        for path in sorted(MODEL.glob("[!qt]*/**/*.c")):
            block = rooms.split(f"\n{path.parent.relative_to(MODEL)}/ ")[1]
            self.assertRegex(re.split(r"\n[\w/]+/ ", block)[0], rf"\b{path.name}\b")
        for name in re.findall(r"\b[a-z][a-z0-9_]*\.c\b", README):
            self.assertTrue(any(MODEL.glob(f"**/{name}")) or name.startswith("kfd_"), name)

    def test_order(self):
        """No folder's file includes a header of a later folder, or one that is another's own."""
        order = re.findall(r"\n([a-z0-9/]+)/ ", section("Where what is", "To add"))
        files = [p for folder in order for p in (MODEL / folder).glob("*.[ch]")]
        own = set()
        for path in files:
            for name in re.findall(r'#include "(\w+\.\w+)"', path.read_text()):
                if (path.parent / name).exists():
                    own.add(f"{path.parent.relative_to(MODEL)}/{name}")
        for path in files:
            here = str(path.parent.relative_to(MODEL))
            for folder, name in re.findall(r'#include "([\w/]+)/(\w+\.\w+)"', path.read_text()):
                self.assertLessEqual(order.index(folder), order.index(here), path)
                if not here.startswith(f"{folder}/"):
                    self.assertNotIn(f"{folder}/{name}", own, path)

    def test_circles(self):
        """The command processor's files do not go round in circles."""
        for folder in {path.parent for path in MODEL.glob("cp/**/*.c")}:
            uses = {}
            for path in sorted(folder.glob("*.[ch]")):
                names = re.findall(r'#include "(?:[\w/]+/)?(\w+)\.h"', path.read_text())
                uses.setdefault(path.stem, set()).update(
                    n for n in names if n != path.stem and (folder / f"{n}.h").exists())
            with self.subTest(folder.name):
                list(graphlib.TopologicalSorter(uses).static_order())

    def test_costs(self):
        costs = set(re.findall(r"^#define ([A-Z]\w+)\s+\S",
                               (MODEL / "host/params.h").read_text(), re.M))
        costs -= {"GPU_MODEL_PARAMS_H", "NS_PER_US", "NS_PER_MS", "PARAM_ERROR"}
        table = section("What it costs", "MI300X")
        self.assertEqual(costs, set(re.findall(r"^([A-Z][A-Z0-9_]+) ", table, re.M)))

    def test_params(self):
        """As params.def has them, text and all."""
        table = section("What it costs", "MI300X").split("its source\n")[1].split("\n\n")[0]
        rows = []
        for line in table.splitlines()[1:-1]:
            cells = [line[:22], line[22:38], line[38:55], line[55:]]
            if line[0] != " ":
                rows.append([""] * 4)
            rows[-1] = [f"{old} {new.strip()}".strip() for old, new in zip(rows[-1], cells)]
        text = (MODEL / "host/params.def").read_text()
        found = re.findall(r'^PARAM\((\w+), (\d+), "(\S+)", (\d+), (\d+), (\w+),\n((?:\s+".*"\n?)+)',
                           text.replace(")\n", "\n"), re.M)
        self.assertEqual(len(found), len(re.findall("^PARAM", text, re.M)))
        self.assertEqual(rows, [
            [name, f"{value} {unit}", f"{low} to {high}",
             f"{kind}: " + "".join(re.findall('"(.*)"', what))]
            for name, value, unit, low, high, kind, what in found])

    def test_faults(self):
        faults = set(re.findall(r'\.name = "([a-z-]+)"', (MODEL / "host/fault.c").read_text()))
        table = re.split(r"\n=+ =+\n", README.split("\nMaking it fail\n", 1)[1])[1]
        self.assertEqual(faults, set(re.findall(r"^([a-z][a-z-]+)\b", table, re.M)))


if __name__ == "__main__":
    unittest.main()
