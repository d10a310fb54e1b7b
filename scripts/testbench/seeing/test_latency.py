# SPDX-License-Identifier: GPL-2.0
"""bench check-latency against latencies that are right and that are not."""
import unittest

from testbench.seeing import latency as check


def told(*ns):
    return dict(zip(check.TOLD, ns))


class Compare(unittest.TestCase):
    TRUTHS = {"detection": [2_100_000, 3_000_000, 3_900_000],
              "save": [190_000, 200_000, 250_000]}
    GOOD = {"detection": told(3_900_000, 5_000_000, 5_000_000),
            "save": told(260_000, 260_000, 252_000)}

    def wrong(self, **changed):
        return check.compare(self.GOOD | changed, self.TRUTHS, 1_500_000)

    def test_good(self):
        self.assertEqual(self.wrong(), [])

    def test_shows_less_than_there_was(self):
        self.assertEqual(self.wrong(save=told(199_000, 260_000, 249_999)),
                         ["save p50: the driver shows less than there was",
                          "save max: the driver shows less than there was"])

    def test_shows_far_more(self):
        self.assertEqual(self.wrong(detection=told(3_900_000, 7_000_000, 5_000_000),
                                    save=told(280_000, 260_000, 260_000)),
                         ["detection p99: the driver shows far more than there was",
                          "save p50: the driver shows far more than there was"])

    def test_nothing_measured(self):
        with self.assertRaises(check.Unusable):
            check.compare(self.GOOD, self.TRUTHS | {"detection": []}, 1)

    def test_rank(self):
        self.assertEqual([check.at([3, 1, 2], n) for n in (50, 99, 100)], [2, 3, 3])
        self.assertEqual(check.at(range(1, 201), 99), 198)

    def test_output(self):
        text = "TAP version 13\n# clock begin=100 end=200 scans=10\n" + "".join(
            f"# {n} p50={t['p50']} p99={t['p99']} max={t['max']}\n"
            for n, t in self.GOOD.items())
        self.assertEqual(check.parse(text), (1000, 2000, 100, self.GOOD))
        with self.assertRaises(check.Unusable):
            check.parse("TAP version 13\n")
        with self.assertRaises(check.Unusable):
            check.parse(text.replace("# save", "# saved"))


if __name__ == "__main__":
    unittest.main()
