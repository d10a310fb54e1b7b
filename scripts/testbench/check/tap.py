# SPDX-License-Identifier: GPL-2.0
"""Counts the results of a suite, TAP or KTAP."""
import re

STAMP = r"^(?:\[ *\d+\.\d+\] )?( *)"
VERSION = re.compile(STAMP + r"K?TAP version \d+$")
PLAN = re.compile(STAMP + r"1\.\.(\d+)")
RESULT = re.compile(STAMP + r"(ok|not ok) \d+\b *(?:- )?(.*)")
# A figure that is reported, not judged: of a kselftest, or of KUnit.
FIGURE = re.compile(STAMP + r"# (?:\w+: )?report: (.*)")
# What a test says of its failure, before its result: a kselftest, its harness, or KUnit.
REASON = re.compile(STAMP + r"# ([\w/]+\.c:\d+:.*|\w+: Test (?:terminated|ended|exited) .*|"
                    r"\w+: (?:EXPECTATION|ASSERTION) FAILED at .*)")
EXPECTED = ":Expected "     # in a kselftest's, which may have said something else before
# Of bench guest, whatever stands before it: the guest's own tests may all have passed.
TROUBLE = re.compile(r"\bguest: error: (.*?):?$")
# The same, of a guest that could not have the clock that its results want.
NO_CLOCK = re.compile(r"\bguest: (real time, .*)$")


class Block:
    """Results of one indentation that belong together."""

    def __init__(self):
        self.results = 0
        self.planned = None     # KUnit's lists of parameters have no plan


class Tally:
    """Counts the results of one stream of TAP, nested or one after another."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.remarks = []
        self.figures = []
        self.details = []       # of a failure, for people
        self.seconds = 0        # it took
        self.blocks = {}        # indentation -> Block
        self.reason = None      # of the test at hand: the first, or the first that was expected

    def fail(self, text):
        self.failed += 1
        self.remarks.append(text)

    def skip(self, text):
        self.skipped += 1
        self.remarks.append(f"skipped: {text}")

    def close(self, depth):
        """End the blocks from this indentation on; the number of their results."""
        ended = [self.blocks.pop(d) for d in sorted(self.blocks) if d >= depth]
        for block in ended:
            if block.planned not in (None, block.results):
                self.fail(f"{block.planned} results were announced, {block.results} came")
        return sum(block.results for block in ended)

    def feed(self, line):
        if m := VERSION.match(line):
            self.close(len(m[1]))
        elif m := PLAN.match(line):
            block = self.blocks.setdefault(len(m[1]), Block())
            block.planned = (block.planned or 0) + int(m[2])
        elif m := RESULT.match(line):
            nested = self.close(len(m[1]) + 1)
            self.blocks.setdefault(len(m[1]), Block()).results += 1
            self.result(m[2] == "ok", m[3], nested)
        elif m := FIGURE.match(line):
            self.figures.append(m[2])
        elif m := REASON.match(line):
            if not self.reason or (EXPECTED in m[2] and EXPECTED not in self.reason):
                self.reason = m[2]
        elif m := TROUBLE.search(line):
            self.fail(m[1])
        elif m := NO_CLOCK.search(line):
            self.skip(m[1])

    def result(self, good, text, nested):
        reason, self.reason = self.reason, None
        if not good:
            self.fail(f"{text}: {reason}" if reason else text)
        elif re.search(r"# *SKIP", text, re.I):
            self.skip(text)
        elif not nested:        # otherwise a sum of results that are counted
            self.passed += 1

    def end(self, status):
        """The stream is over; what it promised and did not do has failed."""
        if 0 in self.blocks and self.blocks[0].planned is None:
            self.fail("it ended before its plan")
        self.close(0)
        if status and not self.failed:
            self.fail(f"it ended with status {status}")
        if not self.passed + self.failed + self.skipped:
            self.fail("nothing was tested")
