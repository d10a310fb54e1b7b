# SPDX-License-Identifier: GPL-2.0
"""Tests of what the latency of HIP streams must be."""
import unittest

from testbench.rocm import latency


class Missed(unittest.TestCase):
    def setUp(self):
        self.results = {
            name: {way: {"p50_ms": p50, "p90_ms": p50, "max_ms": p50, "wrong": 0,
                         "low_wrong": 0} for way, p50 in ways.items()} for name, ways in {
                "streams": {"alone": 0.1, "stock": 13, "hpf": 13, "gpreempt": 0.3},
                "processes": {"alone": 0.1, "stock": 15, "hpf": 15, "gpreempt": 0.3},
                "burst": {"alone": 2, "stock": 602, "hpf": 30, "gpreempt": 3},
                "event": {"stock": 180, "hpf": 100, "gpreempt": 150}}.items()}
        self.results |= {"driver": {"preemptions": 2, "resumes": 2}, "state": "active"}

    def missed(self, name, way, **figures):
        self.results[name][way] |= figures
        return latency.missed(self.results)

    def test_good(self):
        self.assertEqual(latency.missed(self.results), [])

    def test_hpf_that_holds_nothing_back(self):
        self.assertEqual(self.missed("burst", "hpf", p50_ms=152), [])
        self.assertEqual(self.missed("burst", "hpf", p50_ms=153), ["burst: HPF holds no launch back"])

    def test_a_wrong_result(self):
        for way in "stock", "hpf", "gpreempt":
            self.setUp()
            self.assertEqual(self.missed("event", way, low_wrong=1), [f"event, {way}: a result is wrong"])

    def test_gpreempt(self):
        self.assertEqual(self.missed("streams", "gpreempt", p50_ms=0.6),
                         ["streams: load adds more than 1/30 of what it adds on stock"])
        self.setUp()
        self.assertEqual(len(self.missed("event", "gpreempt", max_ms=199)), 1)


if __name__ == "__main__":
    unittest.main()
