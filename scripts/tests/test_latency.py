# SPDX-License-Identifier: GPL-2.0
"""scripts/check-latency against histograms that are right and that are not."""
import unittest

from testbench import check_latency as check


def histogram(*us):
    counts = [0] * 25
    for n in us:
        counts[n.bit_length()] += 1
    return counts


class Compare(unittest.TestCase):
    TRUTHS = {"detection": [2_100_000, 3_000_000, 3_900_000],
              "save": [190_000, 200_000, 250_000],
              "restore": [2_000, 2_000, 3_000]}
    GOOD = {"detection": histogram(2500, 3500, 4500), "save": histogram(300, 310, 400),
            "restore": histogram(1000, 1100, 1200)}
    SLACK = 1_500_000

    def wrong(self, **changed):
        return check.compare(self.GOOD | changed, self.TRUTHS, self.SLACK)

    def test_good(self):
        self.assertEqual(self.wrong(), [])

    def test_shows_less_than_there_was(self):
        self.assertIn("save: the driver shows less than there was",
                      self.wrong(save=histogram(100, 110, 120)))

    def test_shows_far_more(self):
        self.assertEqual(self.wrong(restore=histogram(5000, 5000, 6000)),
                         ["restore: the driver shows far more than there was"])

    def test_nothing_measured(self):
        with self.assertRaises(check.Unusable):
            self.wrong(detection=histogram())

    def test_buckets(self):
        self.assertEqual(check.bounds(histogram(0), 0.5), (0, 1000))
        self.assertEqual(check.bounds(histogram(1), 0.5), (1000, 2000))
        self.assertEqual(check.bounds(histogram(1023), 0.5), (512000, 1024000))

    def test_output(self):
        text = "TAP version 13\n# clock begin=100 end=200 scans=10\n" + "".join(
            f"# {n} " + " ".join(map(str, self.GOOD[n])) + "\n" for n in check.NAMES)
        begin, end, interval, histograms = check.parse(text)
        self.assertEqual((begin, end, interval), (1000, 2000, 100))
        self.assertEqual(histograms, self.GOOD)
        with self.assertRaises(check.Unusable):
            check.parse("TAP version 13\n")


if __name__ == "__main__":
    unittest.main()
