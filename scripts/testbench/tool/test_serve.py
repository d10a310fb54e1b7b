# SPDX-License-Identifier: GPL-2.0
"""The page "Serve a model beside training": its commands run, or say that they were not."""
import os
import re
import subprocess
import sys
import textwrap

from testbench.paths import ROOT, TESTBENCH
from testbench.tool.in_library import SOURCE, InLibrary, installed
from testbench.tool.in_tree import tool
from testbench.metrics import metrics

PAGE = (ROOT / "Documentation/gpu/amdgpu/gpreempt-serve.rst").read_text()
# What leads to it, and each block of code.
BLOCKS = [(before, textwrap.dedent(code)) for before, code in
          re.findall(r"((?:.+\n)+)\n((?:  .*\n|\n(?=  ))+)", PAGE) if before.rstrip().endswith("::")]
# The bench has these, with the target that runs the command.
ELSEWHERE = {"podman": "check-containers", "sbatch": "check-slurm", "srun": "check-slurm"}


def commands(marked):
    """Those of blocks that are marked as not run, or of all others."""
    return [line for before, code in BLOCKS if ("ot run here::" in before) == marked
            for line in code.splitlines() if re.match(r"gpreempt |podman |sbatch |srun |docker ", line)]


class Serve(InLibrary):
    def gpreempt(self, *options):
        done = subprocess.run([tool(), *options], cwd=self.folder, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=os.environ | self.environment())
        self.assertEqual(done.returncode, 0, (options, done.stdout))
        return done.stdout

    def test_commands(self):
        """The tool takes each of its own, also those whose program nobody has."""
        tree = metrics.Tree(self.folder)
        tree.node(4711)
        found = [line.split() for line in commands(False) + commands(True) if line.startswith("gpreempt ")]
        self.assertGreater(len(found), 8)
        for words in found:
            if "--" in words:
                words[words.index("--") + 1:] = ["true"]
            if "cgroup" in words:
                continue            # there is none here
            self.log.unlink(missing_ok=True)
            self.gpreempt(*words[1:])

    def test_cgroup(self):
        """The one of a cgroup gets as far as that."""
        line, = (line for line in commands(True) if line.startswith("gpreempt cgroup"))
        done = subprocess.run([tool(), *line.replace("batch.slice", "/frob").split()[1:]], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertRegex(done.stdout, "/frob: No such file|no cgroups of version 2")

    def test_marked(self):
        """Each command that no test here or elsewhere runs is marked."""
        for line in commands(False):
            program = line.split()[0]
            if program == "gpreempt":
                after = line.partition(" -- ")[2].split()
                self.assertIn(after[:1], ([], ["llama-server"], ["python3"]), line)
                continue
            before, = (before for before, code in BLOCKS if line in code)
            self.assertRegex(before, "[Aa] test runs")
            self.assertIn(f"\n{ELSEWHERE[program]}:", (ROOT / "Makefile").read_text())
        self.assertGreater(len(commands(True)), 4)

    def test_demo(self):
        """make demo-llm starts the server as the page does."""
        line, = (line for line in commands(False) if "llama-server" in line)
        demo = re.sub(r"\\\n\s*", "", (TESTBENCH / "llm/inside/demo-llm").read_text())
        started = re.search(r'^"\$tool" (run .*?) >', demo, re.M)[1].split()
        page = line.split()[1:]
        self.assertEqual(page[:1] + page[3:5], started[:1] + started[3:5])
        for option in "--model", "--gpu-layers":
            self.assertIn(option, started)
        self.assertEqual(page[page.index("--gpu-layers") + 1], started[started.index("--gpu-layers") + 1])

    def test_slurm_and_containers(self):
        """What they are said to run, they run."""
        containers = (TESTBENCH / "containers").rglob("*")
        text = "".join(path.read_text() for path in containers if path.is_file() and path.suffix != ".pyc")
        self.assertIn("gpreempt/level=", text)
        text = "".join(path.read_text() for path in (TESTBENCH / "slurm").rglob("*")
                       if path.is_file() and path.suffix != ".pyc")
        for option in "--gpu-priority", "sbatch", "srun":
            self.assertIn(option, text)

    def test_python(self):
        """Its programs run."""
        programs = [code for _, code in BLOCKS if code.startswith("import gpreempt")]
        self.assertEqual(len(programs), 2)
        for program in programs:
            said = self.run_it(sys.executable, "-B", "-W", "error", "-c", program + "\nmodel = print\n"
                               "if 'answer' in globals(): answer('done')", queues=0,
                               environment={"PYTHONPATH": str(SOURCE / "python")})
            self.assertEqual(said, "done\n" if "answer" in program else "")
            self.assertTrue(self.calls())
        self.assertTrue(installed())

    def test_figures(self):
        """README has those of the bench's table, rounded; the page, which is mailed, has none."""
        table = (ROOT / "tools/testing/gpreempt/benchmarks.rst").read_text()
        table = table[table.index("\nA language model's server\n"):]
        p50 = {way: float(value) for way, value in
               re.findall(r"^(alone|stock|GPREEMPT) +\d+/\d+ +([\d.]+)/", table, re.M)}
        share = float(re.search(r"^GPREEMPT .* ([\d.]+) %$", table, re.M)[1])
        said = re.search(r"two tokens is (\d+) ms alone, (\d+) ms on stock and (\d+) ms with GPREEMPT; "
                         r"the training keeps (\d+) %", " ".join((ROOT / "README").read_text().split()))
        for rounded, exact in zip(said.groups(), (p50["alone"], p50["stock"], p50["GPREEMPT"], share)):
            self.assertLessEqual(abs(int(rounded) - exact), 0.5)
        self.assertNotRegex(PAGE, r"\d+ ms (?:alone|without|with) ")
