# SPDX-License-Identifier: GPL-2.0
"""Tests of how many guests run at once."""
import os
import unittest
from unittest import mock

from testbench import jobs


class Jobs(unittest.TestCase):
    def test_as_many_as_are_asked_for(self):
        for asked, number in ("3", 3), ("12", 12):
            with mock.patch.dict(os.environ, {"JOBS": asked}):
                self.assertEqual(jobs.jobs("check", 3), number)
        for asked in "0", "-1", "many", "2 ":
            with mock.patch.dict(os.environ, {"JOBS": asked}), \
                    self.assertRaisesRegex(SystemExit, "check: error: JOBS is"):
                jobs.jobs("check", 3)

    def test_as_many_as_cores_and_memory_allow(self):
        for cores, gb, number in (2, 22, 2), (64, 22, 7), (4, 1, 1):
            memory = f"MemFree: 1 kB\nMemAvailable:   {gb << 20} kB\n"
            with mock.patch.dict(os.environ), \
                    mock.patch.object(jobs.os, "sched_getaffinity", return_value=range(cores)), \
                    mock.patch.object(jobs.Path, "read_text", return_value=memory):
                os.environ.pop("JOBS", None)
                self.assertEqual(jobs.jobs("check", 3), number)


if __name__ == "__main__":
    unittest.main()
