# SPDX-License-Identifier: GPL-2.0
"""What bench demo-llm makes of what HIGH and LOW say."""
import json
import unittest

from testbench.llm import main as demo_llm
from testbench.benchmark.about import NoResult

MS = 1000000


def high(requests, between_ms, first_ms=40, seed=0):
    """What the client prints."""
    lines, now = [], 7 * MS
    for number in range(requests):
        lines.append(f"request {number} at={now}")
        now += first_ms * MS
        for position in range(demo_llm.TOKENS):
            lines.append(f"token {number} {position} id={(number * 99 + position + seed) % 192} at={now}")
            now += between_ms * MS
    return "\n".join([*lines, ""])


def low(steps, seconds, groups=None):
    """What the training prints: 32 workgroups a step."""
    lines = ["running", *(f"step {n} loss={9 / n:g} bits={0x48000000 - n:08x}" for n in range(1, steps + 1))]
    return "\n".join([*lines, f"train groups={groups or 32 * steps} seconds={seconds:.6f}", ""])


class Runs(unittest.TestCase):
    """Of HIGH alone, both on stock, both with GPREEMPT; a test changes what it is about."""

    def setUp(self):
        n = demo_llm.REQUESTS
        self.high = {"alone": high(n["alone"], 20), "stock": high(n["stock"], 300),
                     "gpreempt": high(n["gpreempt"], 21)}
        # alone 80 workgroups a second; 10.4 s of the 16 are HIGH's
        self.low = {"alone": low(10, 4), "stock": low(79, 32), "gpreempt": low(13, 16)}
        self.driver = {"preemptions": 30, "resumes": 30, "scans": 999, "starved": 0,
                       "longest_save_ms": 0.5}
        self.state = "active"

    def missed(self):
        answers = {run: demo_llm.requests(run, said, demo_llm.REQUESTS[run])
                   for run, said in self.high.items()}
        lows = {run: demo_llm.low(run, said) for run, said in self.low.items()}
        return demo_llm.missed({**demo_llm.figures(answers, lows), "driver": self.driver,
                                "state": self.state})

    def assert_missed(self, *texts):
        found = self.missed()
        self.assertEqual(len(found), len(texts), found)
        for text, one in zip(texts, found):
            self.assertIn(text, one)

    def no_result(self, text):
        with self.assertRaises(NoResult) as caught:
            self.missed()
        self.assertIn(text, str(caught.exception))

    def test_good(self):
        self.assert_missed()

    def test_wrong_token(self):
        self.high["gpreempt"] = self.high["gpreempt"].replace("token 3 7 id=112 ", "token 3 7 id=11 ")
        self.assert_missed("run 'gpreempt': token 7 of request 3 is wrong: expected 112, got 11")

    def test_first_of_many_wrong_tokens(self):
        self.high["stock"] = high(demo_llm.REQUESTS["stock"], 300, seed=1)
        self.assert_missed("run 'stock': token 0 of request 0 is wrong: expected 0, got 1")

    def test_token_missing(self):
        self.high["stock"] = self.high["stock"].rsplit("token", 1)[0]
        self.no_result(f"there are {demo_llm.TOKENS}, {demo_llm.TOKENS - 1}")

    def test_token_twice(self):
        self.high["alone"] = self.high["alone"].replace("token 2 9 ", "token 2 8 ")
        self.no_result("run 'alone': token 8 of request 2 came out of turn")

    def test_request_missing(self):
        self.high["gpreempt"] = high(demo_llm.REQUESTS["gpreempt"] - 1, 21)
        self.no_result("run 'gpreempt'")

    def test_nothing_said(self):
        self.high["stock"] = ""
        self.no_result("there are none")

    def test_wrong_loss(self):
        self.low["gpreempt"] = self.low["gpreempt"].replace("47fffffb", "47fffffa")
        self.assert_missed("run 'gpreempt': LOW's loss after step 5 is wrong: expected 47fffffb, as "
                           "in run 'stock', got 47fffffa")

    def test_low_died(self):
        self.low["stock"] = self.low["stock"].rsplit("train", 1)[0]
        self.no_result("run 'stock': LOW did not say what it did")

    def test_step_missing(self):
        self.low["stock"] = self.low["stock"].replace("step 4 ", "step 5 ")
        self.no_result("run 'stock': LOW did not say what it did")

    def test_slower_than_alone(self):
        self.high["gpreempt"] = high(demo_llm.REQUESTS["gpreempt"], 22)
        self.assert_missed()        # 22.5 is the limit
        self.high["gpreempt"] = high(demo_llm.REQUESTS["gpreempt"], 23)
        self.assert_missed("is 23 ms with GPREEMPT, more than 22.50")

    def test_as_on_stock(self):
        """GPREEMPT is off in its own part."""
        self.high["gpreempt"] = high(demo_llm.REQUESTS["gpreempt"], 300)
        self.low["gpreempt"] = low(400, 161)
        self.assert_missed("is 300 ms with GPREEMPT", "1 times below stock")

    def test_stock_is_near(self):
        self.high["stock"] = high(demo_llm.REQUESTS["stock"], 209)
        self.assert_missed("9.9 times below stock with GPREEMPT, less than 10")

    def test_low_stays_away(self):
        self.low["gpreempt"] = low(12, 16)
        self.assert_missed("LOW uses 85.7% of what HIGH leaves, less than 90%")

    def test_bypassed(self):
        self.state = "bypassed"
        self.assert_missed("GPREEMPT gave up")

    def test_resume_missing(self):
        self.driver["resumes"] -= 1
        self.assert_missed("not every preempted queue was resumed")


class Levels(unittest.TestCase):
    def test_level(self):
        def said(*levels):
            return json.dumps({"queues": [{"pid": 4, "permitted": level} for level in levels]})
        self.assertIsNone(demo_llm.at_another_level(said(12, 12)))
        self.assertEqual(demo_llm.at_another_level(said(7, 12)), "HIGH's queues are at [7, 12], not at 12")
        self.assertIn("no level", demo_llm.at_another_level(said()))


class Stats(unittest.TestCase):
    def test_counted(self):
        before = "/sys/x/stats/preemptions:3\n/sys/x/stats/resumes:3\n/sys/x/stats/scans:5\n" \
                 "/sys/x/stats/starved:0\n/sys/x/stats/save_ns_max:0\n/sys/x/stats/reason:none\n"
        after = before.replace("preemptions:3", "preemptions:9").replace("max:0", "max:130500")
        self.assertEqual(demo_llm.counted(before, after),
                         {"preemptions": 6, "resumes": 0, "scans": 0, "starved": 0,
                          "longest_save_ms": 0.131})


if __name__ == "__main__":
    unittest.main()
