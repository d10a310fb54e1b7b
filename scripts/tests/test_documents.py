# SPDX-License-Identifier: GPL-2.0
"""What README and the kernel's documents name is there, and what is there is named."""
import re
import unittest

from testbench import suites
from testbench.paths import ROOT

FOLDER = ROOT / "Documentation/gpu/amdgpu"
README = (ROOT / "README").read_text()
DOCUMENTS = {path.stem: path.read_text() for path in FOLDER.glob("*.rst")}
TESTING = DOCUMENTS["gpreempt-testing"]


class Documents(unittest.TestCase):
    def test_suites(self):
        """Each has a row; those that only run on request have their command's."""
        rows = set(re.findall(r"^([a-z][\w-]*) {2,}\S", TESTING, re.M))
        self.assertEqual({*suites.SUITES, *suites.DEBUG, "known"} - {*suites.LONG},
                         rows - {"suite", "command"})

    def test_targets(self):
        """What is named is a target of make, and each of these is named."""
        targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
        named = {name for text in (README, *DOCUMENTS.values())
                 for name in re.findall(r"(?:`|^ *)make ([a-z-]+)(?=`| {2,}| [A-Z]+=)", text, re.M)}
        self.assertLessEqual(named, targets)
        self.assertLessEqual(targets - {"clean"}, named)

    def test_paths(self):
        paths = re.findall(r"\b(?:drivers|include|patches|scripts|tools|Documentation)/[\w./-]*\w",
                           README)
        self.assertGreater(len(paths), 10)
        for path in paths:
            self.assertTrue((ROOT / path).exists(), path)

    def test_toctree(self):
        listed = re.search(r"^\.\. toctree::\n(?: +:.*\n)*\n((?: +.*\n)+)", DOCUMENTS["gpreempt"],
                           re.M)
        self.assertEqual(set(listed[1].split()), set(DOCUMENTS) - {"gpreempt"})


if __name__ == "__main__":
    unittest.main()
