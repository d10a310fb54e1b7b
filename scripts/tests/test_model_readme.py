# SPDX-License-Identifier: GPL-2.0
"""The GPU model's README names every file, cost, fault and option there is."""
import re
import unittest
from pathlib import Path

MODEL = Path(__file__).resolve().parent.parent.parent / "tools/testing/gpu-model"
README = (MODEL / "README.rst").read_text()


def section(title, end):
    return README.split(f"\n{title}\n", 1)[1].split(f"\n{end}\n", 1)[0]


class Readme(unittest.TestCase):
    def test_rooms(self):
        rooms = section("Where what is", "To add")
        for path in sorted(MODEL.glob("*.c")):
            name = "isa_*.c" if path.name.startswith("isa_") else path.name
            self.assertIn(name, rooms)
        for name in re.findall(r"\b[a-z][a-z0-9_]*\.c\b", README):
            self.assertTrue((MODEL / name).exists() or (MODEL / "tests" / name).exists() or
                            name.startswith("kfd_"), name)

    def test_costs(self):
        costs = set(re.findall(r"^#define ([A-Z]\w+)\s+\S",
                               (MODEL / "params.h").read_text(), re.M))
        costs -= {"GPU_MODEL_PARAMS_H", "NS_PER_US", "NS_PER_MS"}
        table = section("What it costs", "MI300X")
        self.assertEqual(costs, set(re.findall(r"^([A-Z][A-Z0-9_]+) ", table, re.M)))

    def test_faults(self):
        faults = set(re.findall(r'\.name = "([a-z-]+)"', (MODEL / "fault.c").read_text()))
        table = re.split(r"\n=+ =+\n", README.split("\nMaking it fail\n", 1)[1])[1]
        self.assertEqual(faults, set(re.findall(r"^([a-z][a-z-]+)\b", table, re.M)))


if __name__ == "__main__":
    unittest.main()
