# SPDX-License-Identifier: GPL-2.0
"""parts: a line for each part of the series: its name, how many patches there are with it, and
what of the tests it brings: FOLDER/NAME_test of the kselftests, NAME of KUnit's suites.

A test that needs a machine of its own (APART in the kselftests' Makefile) is not among them.
"""
import re

from testbench.paths import BASE, SELFTESTS
from testbench.series import patchset


def apart():
    """The kselftests that are not for a run of all."""
    text = (SELFTESTS / "Makefile").read_text().replace("\\\n", " ")
    return {folder + name for folder, names in re.findall(r"^APART .= \$\(addprefix (\w+/),(.*)\)", text, re.M)
            for name in names.split()}


def tests(patches):
    """What these patches bring, in the order in which it arrives."""
    brought = []
    for _, dst in (file for p in patches for file in p.added):
        if m := re.search(r"kfd_gpreempt/(\w+/\w+_test)\.c$|kfd_gpreempt_(\w+)_kunit\.c$", dst):
            brought.append(m[1] or m[2])
    return [test for test in brought if test not in apart()]


def parts(patches):
    """Of each part: its name, the number of patches up to its end, its tests."""
    names = list(dict.fromkeys(p.part for p in patches))
    return [(name, max(n for n, p in enumerate(patches, 1) if p.part == name),
             tests([p for p in patches if p.part == name])) for name in names]


def main():
    for name, count, brought in parts(patchset.load(BASE)):
        print(name, count, *brought)
