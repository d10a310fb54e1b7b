# SPDX-License-Identifier: GPL-2.0
"""Tests of gpreempt report, on a sysfs that is not the kernel's."""
import os
import re
import subprocess

from testbench.tool.in_tree import InTree, tool, without_rights


class Report(InTree):
    def run_tool(self, *options, **how):
        return subprocess.run([tool(), "report", *options], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **how)

    def text(self, *options):
        done = self.run_tool(*options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_all_files(self):
        """Each file of a node, in whatever folder, as it is."""
        for gpu in 7, 4711:
            self.tree.node(gpu, begin=gpu)
        text = self.text()
        for gpu in 7, 4711:
            _, _, part = text.partition(f"== GPU {gpu} ==\n")
            part = part.partition("\n\n")[0]
            for path in (self.tree.nodes / str(gpu)).rglob("*"):
                if path.is_file():
                    name = path.relative_to(self.tree.nodes / str(gpu))
                    self.assertIn(f"{name}: {path.read_text()}", part + "\n")

    def test_serial_numbers(self):
        """What tells this GPU from all others is left out, and nothing else."""
        self.tree.node(7)
        self.tree.write(self.tree.kfd / "topology/nodes/7/properties",
                        "domain 0\nunique_id 1234567890\nlocation_id 768\nhive_id 9876543210\n"
                        "fw_version 88")
        text = self.text()
        self.assertEqual(re.findall("^property (.*)", text, re.M),
                         ["domain 0", "location_id 768", "fw_version 88"])
        self.assertNotRegex(text, "1234567890|9876543210")
        self.assertNotIn(os.uname().nodename, text.replace(os.uname().release, ""))

    def test_links(self):
        """A link is not followed: it may lead up again."""
        self.tree.node(7)
        (self.tree.nodes / "7/up").symlink_to("..")
        self.assertNotIn("up/", self.text())

    def test_unreadable(self):
        """A file that may not be read says so, and the report goes on."""
        self.tree.node(7)
        (self.tree.nodes / "7/policy").chmod(0)
        done = self.run_tool(**without_rights())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\npolicy: Permission denied\npoll_interval_us: 1000\n", done.stdout)

    def test_queues(self):
        """They have no name."""
        self.tree.node(7)
        self.tree.queue(os.getpid(), 3, 7, priority=5)
        self.assertRegex(self.text(), rf"\n{os.getpid()} 7 3 running 5 0 0 0 0 0 0 0 0\n")

    def test_no_driver(self):
        """That is what is reported then."""
        self.assertIn("== no GPU ==\nsys/class/kfd/kfd: not there: the amdgpu driver is not loaded",
                      self.text())
        self.assertIn("sys/module/amdgpu/parameters: No such file or directory\n", self.text())
        self.tree.module()
        self.assertIn("== no GPU ==\nsys/module/amdgpu/parameters/gpreempt: not there: ", self.text())

    def test_output(self):
        """A file is replaced as a whole."""
        self.tree.node(7)
        file = self.folder / "report"
        file.write_text("old\n")
        self.assertEqual(self.text("-o", "report"), "")
        self.assertIn("== GPU 7 ==", file.read_text())
        done = self.run_tool("--output", ".")
        self.assertEqual(done.returncode, 2)
        self.assertIn(".: not a regular file", done.stderr)

    def test_usage(self):
        done = self.run_tool("all")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'all' is too much", done.stderr)
