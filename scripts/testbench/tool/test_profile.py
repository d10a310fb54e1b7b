# SPDX-License-Identifier: GPL-2.0
"""Tests of gpreempt profile, and of the profiles in /etc/gpreempt.conf."""
import os
import re
import subprocess
import unittest.mock

from testbench.paths import ROOT
from testbench.tool.in_tree import InTree, tool

GPUS = 7, 8
SETS = {"serve": {"policy": "strict", "enable": "1"}, "share": {"policy": "fair", "enable": "1"},
        "off": {"enable": "0"}}


class Profile(InTree):
    def setUp(self):
        super().setUp()
        for gpu in GPUS:
            self.tree.node(gpu, enable="?", policy="?")
        self.conf = self.folder / "gpreempt.conf"

    def said(self, *options, status=0):
        done = subprocess.run([tool(), *options], cwd=self.folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def values(self, gpu):
        """What was written; the rest of what was there is still behind it."""
        read = {name: (self.tree.nodes / str(gpu) / name).read_text().strip("?\n") for name in ("enable", "policy")}
        return {name: value for name, value in read.items() if value}

    def test_sets(self):
        """Of all GPUs, and for the next boot."""
        for name, values in SETS.items():
            self.setUp()
            self.said("profile", name)
            self.assertEqual([self.values(gpu) for gpu in GPUS], [values] * 2)
            self.assertEqual(self.conf.read_text(), f"profile={name}\n")

    def test_refused(self):
        """A GPU that cannot have GPREEMPT is told of, and no failure beside one that can."""
        for refuse, status in ("/7/enable", 0), ("/enable", 1):
            self.setUp()
            with unittest.mock.patch.dict(os.environ, {"FAKE_REFUSE": refuse}):
                self.assertIn("/7/enable: it cannot be enabled on this GPU", self.said("profile", "serve", status=status))
                self.assertIn("cannot be enabled", self.said("set", "--configured", status=status))
                self.assertIn("cannot be enabled", self.said("set", "--gpu", "7", "enable=1", status=1))
            self.assertEqual(self.values(8), SETS["serve"] if not status else {"policy": "strict"})

    def test_another(self):
        """It takes the place of the one before."""
        for name in "serve", "off":
            self.said("profile", name)
        self.assertEqual(self.conf.read_text(), "profile=off\n")

    def test_own_settings(self):
        """An administrator's file stays; the values are set all the same."""
        for text in "enable=1\n", "profile=serve\nstarvation_ms=500\n", "# mine\nprofile=off\n":
            self.conf.write_text(text)
            self.assertIn("gpreempt.conf has settings of its own, and stays as it is: write profile=share there",
                          self.said("profile", "share", status=1))
            self.assertEqual(self.conf.read_text(), text)
            self.assertEqual(self.values(8), SETS["share"])

    def test_configured(self):
        """A profile stands for its settings, and what comes later counts."""
        self.conf.write_text("profile=share\npolicy=timeslice # not fair\n")
        self.said("set", "--configured")
        self.assertEqual(self.values(7), {"policy": "timeslice", "enable": "1"})

    def test_unknown(self):
        """It is told when it is to be set, and by the metrics, which are there all the same."""
        self.conf.write_text("profile=frob\nenable=1\n")
        self.assertIn("profile 'frob': 'gpreempt profile' sets those", self.said("set", "--configured", status=2))
        self.assertEqual(self.values(7), {})
        self.assertIn("profile 'serve': 'gpreempt profile' sets", self.said("set", "-g", "7", "profile=serve", status=2))
        self.assertIn('gpreempt_setting_differs{node="7",setting="profile"} 1', self.said("metrics"))

    def test_differs(self):
        """The metric is of the settings that it stands for."""
        self.conf.write_text("profile=share\n")
        text = self.said("metrics")
        self.assertEqual(set(re.findall(r'gpreempt_setting_differs\{node="7",setting="(\w+)"\} (\d)', text)),
                         {("policy", "1"), ("enable", "1")})

    def test_order(self):
        """A node that is enabled has its policy by then."""
        for name in "serve", "share":
            listed = re.search(rf"^{name} .*\n +(.*)$", self.said("profile"), re.M)[1]
            self.assertEqual(listed.split()[-1], "enable=1")

    def test_listed(self):
        """By the command and in the documents, as they are."""
        page = (ROOT / "tools/gpreempt/gpreempt.1").read_text()
        admin = (ROOT / "Documentation/gpu/amdgpu/gpreempt-admin.rst").read_text()
        for name, values in SETS.items():
            line = " ".join(f"{key}={value}" for key, value in values.items())
            self.assertRegex(self.said("profile"), rf"(?m)^{name} .*\n +{line}$")
            self.assertRegex(page, rf"(?m)^{name} +{line}(?: |$)")
            self.assertRegex(admin, rf"(?m)^``{name}`` +``{line}``")

    def test_usage(self):
        self.assertIn("there is no profile 'frob'", self.said("profile", "frob", status=2))
        self.assertIn("'off' is too much", self.said("profile", "serve", "off", status=2))
        self.assertFalse(self.conf.exists())

    def test_no_driver(self):
        """Nothing is written that was not set."""
        for gpu in GPUS:
            self.tree.remove(gpu)
        self.said("profile", "serve", status=3)
        self.assertFalse(self.conf.exists())
