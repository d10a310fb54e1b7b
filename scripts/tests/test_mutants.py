# SPDX-License-Identifier: GPL-2.0
"""Tests of how scripts/check-mutants makes mutants, keeps verdicts and counts."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench import check_mutants, mutate
from testbench.check_mutants import EQUAL, KILLED, NONE, SURVIVED

SOURCE = """\
#include "room.h"

/* if (a < b) is a comment */
static const char *names[] = { "a < b", "c" };

int least(const int *list, int n)
{
	int best = list[0], i;

	for (i = 1; i < n; i++) {
		if (list[i] < best && !skip(list[i]))
			best = min(best, *list);
		tell(best);
	}
	return n ? best : -1;
}
"""


def made(source=SOURCE):
    """The mutants' lines that differ, by rule."""
    result = {}
    for mutant in mutate.mutants("room.c", source):
        new = mutant.apply(source).splitlines()
        old = source.splitlines()
        assert len(new) == len(old)
        lines = [b.strip() for a, b in zip(old, new) if a != b]
        assert len(lines) == 1, mutant
        result.setdefault(mutant.rule, set()).add(lines[0])
    return result


class Mutants(unittest.TestCase):
    def test_rules(self):
        """Each rule finds what it is there for, in functions only."""
        rules = made()
        self.assertEqual(rules["boundary"], {
            "for (i = 1; i <= n; i++) {", "if (list[i] <= best && !skip(list[i]))"})
        self.assertEqual(rules["logic"], {"if (list[i] < best || !skip(list[i]))"})
        self.assertEqual(rules["negation"], {"if (list[i] < best && skip(list[i]))"})
        self.assertEqual(rules["condition"], {
            "if (!(list[i] < best && !skip(list[i])))", "if (0)", "if (1)"})
        self.assertEqual(rules["operand"], {
            "if (list[i] < best )", "if ( !skip(list[i]))"})
        self.assertEqual(rules["index"], {
            "if (list[0] < best && !skip(list[i]))", "if (list[i] < best && !skip(list[0]))"})
        self.assertEqual(rules["extreme"], {"best = max(best, *list);"})
        self.assertEqual(rules["statement"], {";"})
        self.assertEqual(rules["call"], {";"})
        self.assertIn("return n ? best : -2;", rules["constant"])
        self.assertIn("for (i = 1; i < n; i--) {", rules["arithmetic"])
        self.assertNotIn("return n ? best : +1;", rules["arithmetic"])

    def test_idents(self):
        """They differ, and stay when lines come before, but not when theirs changes."""
        first = mutate.mutants("room.c", SOURCE)
        moved = mutate.mutants("room.c", "\n\n" + SOURCE)
        other = mutate.mutants("room.c", SOURCE.replace("best = min", "best = 1 + min"))
        self.assertEqual(len({m.ident for m in first}), len(first))
        self.assertEqual([m.ident for m in first], [m.ident for m in moved])
        self.assertNotEqual([m.line for m in first], [m.line for m in moved])
        gone = {m.was for m in first if m.ident not in {o.ident for o in other}}
        self.assertEqual(gone, {"best = min(best, *list);"})

    def test_order(self):
        """A seed's is always the same, and another one's another."""
        found = mutate.mutants("room.c", SOURCE)
        self.assertEqual(mutate.order(found, 1), mutate.order(found[::-1], 1))
        self.assertNotEqual(mutate.order(found, 1), mutate.order(found, 2))

    def test_lines(self):
        """Comments, blank lines and directives are no code."""
        self.assertEqual(mutate.code_lines(SOURCE), 11)


class Judge:
    """A room of which one mutant survives, and those with "--" are none."""

    def __init__(self, folder):
        self.room = folder / "room.c"
        self.room.write_text(SOURCE)
        self.judged = []

    def rooms(self):
        return [self.room]

    def inputs(self):
        return ["judge", self.room]

    def judge(self, room, source, first):
        assert room == self.room
        self.judged.append(source)
        if "--" in source:
            return NONE, ""
        return (SURVIVED, "") if "max" in source else (KILLED, first or "case")


class Runs(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(check_mutants, "VERDICTS", folder / "verdicts"))
        self.enterContext(mock.patch.object(check_mutants, "OUT", folder))
        self.judge = Judge(folder)
        self.list = folder / "equivalent"

    def run_all(self, number=1000):
        run = check_mutants.Run(self.judge, 1, 2)
        run.draw(number)
        return run

    def report(self, run, reasons):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            good = check_mutants.report(run.verdicts, reasons)
        return good, out.getvalue()

    def survivor(self, run):
        return next(m for m, (verdict, _) in run.verdicts.items() if verdict == SURVIVED)

    def test_cache(self):
        """What was judged is not judged again, unless the source has changed."""
        before = self.run_all().verdicts
        self.assertEqual(len(self.judge.judged), len(before))
        self.judge.judged.clear()
        self.assertEqual(self.run_all().verdicts, before)
        self.assertEqual(self.judge.judged, [])
        self.judge.room.write_text(SOURCE + "\n")
        self.run_all()
        self.assertEqual(len(self.judge.judged), len(before))

    def test_number(self):
        """As many as were wanted, without those that are none."""
        verdicts = self.run_all(10).verdicts.values()
        self.assertEqual(sum(verdict != NONE for verdict, _ in verdicts), 10)

    def test_verdict(self):
        """One of 21 survives: good enough; two of them are too many."""
        run = self.run_all()
        good, text = self.report(run, {})
        self.assertTrue(good)
        self.assertIn(f"survived: {self.survivor(run).ident} room.c:12: extreme: ", text)
        some = [m for m, (verdict, _) in run.verdicts.items() if verdict == KILLED][:1]
        run.verdicts[some[0]] = SURVIVED, ""
        self.assertFalse(self.report(run, {})[0])
        good, text = self.report(run, {some[0].ident: "because"})
        self.assertTrue(good, text)

    def test_equivalent(self):
        """One that a test kills is not, and a tenth of them is the limit."""
        run = self.run_all()
        good, text = self.report(run, {self.survivor(run).ident: "because"})
        self.assertTrue(good)
        self.assertIn("100.0 %", text)
        self.assertIn(EQUAL, text)
        killed = [m for m, (verdict, _) in run.verdicts.items() if verdict == KILLED]
        good, text = self.report(run, {killed[0].ident: "because"})
        self.assertFalse(good)
        self.assertIn("wrong: ", text)
        for mutant in killed[:5]:
            run.verdicts[mutant] = SURVIVED, ""
        self.assertFalse(self.report(run, {m.ident: "because" for m in killed[:5]})[0])

    def test_equivalents_file(self):
        self.list.write_text("# comment\n\nabc room.c: because it is\n")
        self.assertEqual(check_mutants.read_equivalents(self.list, {"abc"}),
                         {"abc": "room.c: because it is"})
        for known, text in ({"def"}, "abc because\n"), ({"abc"}, "abc\n"):
            self.list.write_text(text)
            with self.assertRaises(SystemExit):
                check_mutants.read_equivalents(self.list, known)

    def test_own_file(self):
        """The list in the repository is about mutants that there are."""
        run = check_mutants.Run(check_mutants.Native(), 1, 1)
        check_mutants.read_equivalents(check_mutants.EQUIVALENT_FILE, run.known())


class Limit(unittest.TestCase):
    def test_one_that_never_ends(self):
        rooms = check_mutants.Native()
        rooms.durations["quick"] = 0
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "spin"
            program.write_text("#!/bin/sh\nwhile :; do :; done\n")
            program.chmod(0o755)
            self.assertRegex(rooms.run(program, ["quick"]), "status -")
