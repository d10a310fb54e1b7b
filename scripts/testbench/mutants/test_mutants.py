# SPDX-License-Identifier: GPL-2.0
"""Tests of how bench check-mutants makes mutants, keeps verdicts and counts."""
import concurrent.futures
import contextlib
import dataclasses
import io
import shlex
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from testbench.mutants import guest as mutants_in_guest, main as check_mutants, mutate, verdicts
from testbench.mutants.mutate import EQUAL, KILLED, NONE, SURVIVED
from testbench.paths import in_guest

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

    def test_declarations(self):
        """A pointer's "*" is none of arithmetic."""
        source = "int f(void)\n{\n\tstruct queue *q = next(a * b);\n\treturn q->n;\n}\n"
        self.assertEqual(made(source)["arithmetic"], {"struct queue *q = next(a / b);"})

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

    def inputs(self, room, by):
        return f"judge of {room.name} by {by}"

    def judge(self, room, source, first):
        assert room == self.room
        self.judged.append(source)
        if "--" in source:
            return NONE, ""
        return (SURVIVED, "") if "max" in source else (KILLED, first or "case")


class Runs(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(verdicts, "VERDICTS", folder / "verdicts"))
        self.enterContext(mock.patch.object(check_mutants, "OUT", folder))
        self.judge = Judge(folder)
        self.list = folder / "equivalent"

    def run_all(self, number=1000):
        run = check_mutants.Run([self.judge], 1, 2)
        run.draw(number)
        return run

    def report(self, run, reasons):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            good = check_mutants.report(run.verdicts, reasons)
        return good, out.getvalue()

    def five(self):
        """A judge that is interrupted when it has judged five."""
        judge = self.judge.judge
        calls = iter(range(5))

        def judge_five(*args):
            if next(calls, None) is None:
                raise KeyboardInterrupt
            return judge(*args)
        return judge_five

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
        for known, text in (({"def"}, "abc because\n"), ({"abc"}, "abc\n"),
                            ({"abc"}, "abc because\nabc because of that\n")):
            self.list.write_text(text)
            with self.assertRaises(SystemExit):
                check_mutants.read_equivalents(self.list, known)

    def test_own_file(self):
        """The list in the repository is about mutants that there are."""
        check_mutants.read_equivalents(check_mutants.EQUIVALENT_FILE, check_mutants.known())

    def test_interrupted(self):
        """What was judged before is told and kept."""
        run = check_mutants.Run([self.judge], 1, 1)
        with mock.patch.object(self.judge, "judge", self.five()), self.assertRaises(KeyboardInterrupt):
            run.draw(1000)
        self.assertEqual(len(run.verdicts), 5)
        self.judge.judged.clear()
        self.run_all()
        self.assertNotIn(next(iter(run.verdicts)).apply(SOURCE), self.judge.judged)

    def test_interrupted_out_of_order(self):
        """What was judged before is told, also where the failure is heard of first."""
        def last_first(futures):
            concurrent.futures.wait(futures)
            return [*futures][::-1]
        run = check_mutants.Run([self.judge], 1, 1)
        with mock.patch.object(self.judge, "judge", self.five()), \
                mock.patch.object(concurrent.futures, "as_completed", last_first), \
                self.assertRaises(KeyboardInterrupt):
            run.draw(1000)
        self.assertEqual(len(run.verdicts), 5)


class Limit(unittest.TestCase):
    def test_one_that_never_ends(self):
        rooms = check_mutants.Native()
        rooms.durations["quick"] = 0
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "spin"
            program.write_text("#!/bin/sh\nwhile :; do :; done\n")
            program.chmod(0o755)
            self.assertRegex(rooms.run(program, ["quick"]), "status -")


class InGuest(unittest.TestCase):
    """The judge of the rooms that need the kernel; the guest is a script that says something."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.multiple(
            mutants_in_guest, OUT=self.folder, GUEST=[self.folder / "script"]))
        self.enterContext(mock.patch.object(verdicts, "VERDICTS", self.folder / "verdicts"))
        self.judge = mutants_in_guest.Guest(check_mutants.Native())
        (self.folder / "guest").mkdir()
        self.judge.folder = self.folder
        self.judge.base = "base"
        self.judge.tests = {name: name for name in mutants_in_guest.TESTS}
        self.judge.tree = self.folder

    def test_sources(self):
        """What a script of the guest's does decides about a verdict as well."""
        script = self.folder / "rebind"
        test = dataclasses.replace(mutants_in_guest.TESTS["rebind"], command=[in_guest(script)])
        with mock.patch.dict(mutants_in_guest.TESTS, rebind=test), \
                mock.patch.object(mutants_in_guest, "guests_scripts", lambda: [script]):
            script.write_text("one\n")
            before = verdicts.digest(*self.judge.sources("rebind"))
            script.write_text("other\n")
            self.assertNotEqual(verdicts.digest(*self.judge.sources("rebind")), before)

    def says(self, *lines, boots='cd "${0%/*}" && mkdir -p "$2" && touch "$2/console.log"\n',
             then="exit 0"):
        guest = self.folder / "script"
        guest.write_text("#!/bin/sh\n" + boots + "".join(
            f"echo {shlex.quote(line)}\n" for line in lines) + f"{then}\n")
        guest.chmod(0o755)

    def run_it(self, cpu_s=10):
        return self.judge.run("files", self.folder / "over", cpu_s)[0]

    def test_rooms(self):
        """Each room has one judge, and tests that there are."""
        pure = {room.name for room in check_mutants.Native().rooms()}
        rooms = {room.name for room in self.judge.rooms()}
        self.assertEqual(pure & rooms, set())
        self.assertEqual(pure | rooms, {
            room.name for room in (check_mutants.AMDKFD / "gpreempt").rglob("*.c")})
        self.assertEqual(rooms, {f"{room}.c" for room in mutants_in_guest.ROOMS})
        used = " ".join(mutants_in_guest.ROOMS.values()).split()
        self.assertLessEqual(set(used), set(mutants_in_guest.TESTS))
        for test in mutants_in_guest.TESTS.values():
            for name in mutants_in_guest.programs(test):
                self.assertTrue((mutants_in_guest.SELFTESTS / f"{name}.c").exists(), name)

    def test_result(self):
        """The first result that is bad ends it; a test that is skipped is one."""
        self.says("1..2", "ok 1 one", "ok 2 two")
        self.assertIsNone(self.run_it())
        self.says("1..2", "ok 1 one", "not ok 2 two", then="exec sleep 1000")
        self.assertEqual(self.run_it(), "two")
        self.says("1..2", "ok 1 one # SKIP no", then="exec sleep 1000")
        self.assertIn("skipped", self.run_it())
        self.says("1..2", "ok 1 one", "ok 2 two", then="exit 1")
        self.assertEqual(self.run_it(), "it ended with status 1")
        self.says("1..2", "guest: error: files: the kernel reported 1: WARNING", then="exit 125")
        self.assertIn("WARNING", self.run_it())
        self.says("1..2")
        self.assertIn("2 results were announced", self.run_it())

    def test_one_that_never_ends(self):
        """It is killed by its limit, one that was ended from outside is nobody's verdict."""
        self.says("1..1", then="while :; do :; done & wait $!; exit 125")
        self.assertTrue(self.run_it(1))
        self.says("1..1", then="kill -9 $$")
        with self.assertRaises(SystemExit):
            self.run_it()
        self.says("guest: error: there is no image", boots="", then="exit 125")
        with self.assertRaises(SystemExit):
            self.run_it()

    def test_limit(self):
        """A test has to pass without a mutant, is then kept, and gives the limit."""
        self.says("1..1", "not ok 1 one")
        with self.assertRaises(SystemExit):
            self.judge.limit("files")
        self.says("1..1", "ok 1 one")
        limit = self.judge.limit("files")
        self.assertGreaterEqual(limit, mutants_in_guest.BOOT_S)
        self.says("1..1", "not ok 1 one")
        self.assertEqual(self.judge.limit("files"), limit)
        self.judge.tests["files"] = "changed"
        with self.assertRaises(SystemExit):
            self.judge.limit("files")

    def test_inputs(self):
        """One that was killed depends on that test, one that survived on all of its room."""
        room = next(room for room in self.judge.rooms() if room.name == "hqd.c")
        killed = self.judge.inputs(room, "no-hws: a test")
        survived = self.judge.inputs(room, "")
        self.judge.tests["no-hws-culprit"] = "changed"
        self.assertEqual(self.judge.inputs(room, "no-hws: a test"), killed)
        self.assertNotEqual(self.judge.inputs(room, ""), survived)
        self.judge.tests["no-hws"] = "changed"
        self.assertNotEqual(self.judge.inputs(room, "no-hws: a test"), killed)

    def test_order(self):
        """First the test that killed it before, then those that kill much for what they cost."""
        room = next(room for room in self.judge.rooms() if room.name == "hqd.c")
        first, second, third = mutants_in_guest.ROOMS["hqd"].split()
        self.assertEqual(self.judge.order(room, ""), [first, second, third])
        self.judge.seconds[third] = 10
        self.assertEqual(self.judge.order(room, ""), [third, first, second])
        self.judge.tried[room, third] = 20
        self.assertEqual(self.judge.order(room, ""), [first, second, third])
        self.judge.kills[room, third] = 20
        self.assertEqual(self.judge.order(room, ""), [third, first, second])
        self.assertEqual(self.judge.order(room, f"{second}: a test"), [second, third, first])

    def test_judge(self):
        """The first test that fails kills, and none that is the same code is judged."""
        room = next(room for room in self.judge.rooms() if room.name == "hqd.c")
        self.says("1..1", "ok 1 one")
        for made, says, verdict in ((False, "", (NONE, "")), (True, "ok 1 one", (SURVIVED, "")),
                                    (True, "not ok 1 one", (KILLED, "no-hws: one"))):
            for name in mutants_in_guest.ROOMS["hqd"].split():
                self.judge.limit(name)
            self.says("1..1", says)
            with mock.patch.object(self.judge, "make", return_value=made):
                self.assertEqual(self.judge.judge(room, "", ""), verdict)
