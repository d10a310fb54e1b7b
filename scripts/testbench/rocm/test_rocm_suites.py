# SPDX-License-Identifier: GPL-2.0
"""Tests of what bench rocm-suites runs, keeps and calls worse, and of its part in the guest."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import stat
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from testbench.rocm import suites as rocm_suites
from testbench.paths import TESTBENCH
from testbench.rocm.suites import Kept, Library, Piece

FILE = importlib.machinery.SourceFileLoader("inside", str(TESTBENCH / "rocm/inside/rocm-suites"))
in_guest = importlib.util.module_from_spec(importlib.util.spec_from_loader("inside", FILE))
FILE.exec_module(in_guest)

# A gtest program: each case it is asked for does what its name says.
PROGRAM = """#!/bin/sh
for f; do case $f in --gtest_filter=*) cases=${f#*=} ;; esac; done
IFS=:
for case in $cases; do
	echo "[ RUN      ] $case"
	case $case in
	*fail*) echo "it is wrong"; echo "[  FAILED  ] $case, where TypeParam = int (7 ms)" ;;
	*skip*) echo "[  SKIPPED ] $case (0 ms)" ;;
	*die*) kill -SEGV $$ ;;
	*hang*) exec sleep 100 ;;
	*) printf 'some text[       OK ] %s (3 ms)\\n' "$case" ;;
	esac
done
case $case in *leave*) kill -ABRT $$ ;; esac
"""


def script(file, text):
    file.write_text(text)
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Guest(InFolder):
    def said(self, cases, text=PROGRAM, limit=30, form="gtest"):
        """What the guest's part says of a program."""
        program = script(self.folder / "program", text)
        said = io.StringIO()
        self.starts = 0
        with contextlib.redirect_stdout(said):
            left = cases
            while left:
                self.starts += 1
                left = in_guest.run([str(program)], in_guest.FORMS[form], left, limit)
        (name, found), = rocm_suites.parse(["piece a\n", *said.getvalue().splitlines(True),
                                            "end 3 4 1.5 parked\n"])
        self.assertEqual((name, found["preemptions"], found["storm"]), ("a", 3, 4))
        return {case: result for case, (result, _) in found["results"].items()}, found["said"]

    def test_results(self):
        results, said = self.said(["S.a", "S.fail", "S.skip", "S.b/0"])
        self.assertEqual(results, {"S.a": "pass", "S.fail": "fail", "S.skip": "skip",
                                   "S.b/0": "pass"})
        self.assertEqual(list(said), ["S.fail"])
        self.assertIn("it is wrong", said["S.fail"])

    def test_one_that_dies_is_named_and_the_rest_goes_on(self):
        results, said = self.said(["S.a", "S.die", "S.b", "S.die2", "S.c"])
        self.assertEqual(results, {"S.a": "pass", "S.die": "died", "S.b": "pass",
                                   "S.die2": "died", "S.c": "pass"})
        self.assertIn("signal 11", said["S.die"])

    def test_one_that_hangs(self):
        results, _ = self.said(["S.a", "S.hang", "S.b"], limit=1)
        self.assertEqual(results, {"S.a": "pass", "S.hang": "hung", "S.b": "pass"})

    def test_one_that_starts_slowly(self):
        slow = PROGRAM.replace("for f;", "sleep 2.5; for f;")
        self.assertEqual(self.said(["S.a"], slow, limit=1)[0], {"S.a": "pass"})
        with mock.patch.object(in_guest, "START_S", 0):
            self.assertEqual(self.said(["S.a", "S.b", "S.c"], slow, limit=1)[0],
                             dict.fromkeys(["S.a", "S.b", "S.c"], "hung"))
            self.assertEqual(self.starts, 1)

    def test_a_program_that_runs_what_it_is_not_asked_for(self):
        results, said = self.said(["S.fail", "S.a", "S.b"],
                                  PROGRAM.replace("IFS=:", "IFS=: cases=S.fail:S.c:S.a"))
        self.assertEqual(results, {"S.fail": "fail"} |
                         dict.fromkeys(["(unasked)", "S.a", "S.b"], "died"))
        self.assertIn("S.c was not asked for", said["(unasked)"])

    def test_a_program_that_runs_nothing(self):
        results, said = self.said(["S.a", "S.b"], "#!/bin/sh\necho no GPU\nexit 1\n")
        self.assertEqual(results, {"S.a": "died", "S.b": "died"})
        self.assertIn("no GPU", said["S.a"])

    def test_a_program_that_dies_at_its_end(self):
        results, _ = self.said(["S.a", "S.leave"])
        self.assertEqual(results, {"S.a": "pass", "S.leave": "pass", "(end)": "died"})

    THRUST = """#!/bin/sh
shift 2
wrong=0
for case; do
	printf 'Running %s...' "$case"
	case $case in
	*Fail) printf '\\r[FAILURE]           %s\\n' $case; wrong=1 ;;
	*Hang) exec sleep 100 ;;
	*) printf '\\r[PASS]      1.2e+06 ms %s\\n' "$case" ;;
	esac
	case $case in *Late) echo "	[ERROR] HIP error detected after running $case"; wrong=1 ;; esac
done
for case; do
	case $case in *Fail) printf 'FAILURE: %s\\nit is wrong\\n' $case ;; esac
done
printf '\\nTotals: 1 failures\\n'
exit $wrong
"""

    def test_thrusts_own_programs(self):
        """With a line left open while a case runs, and the reason of a failure at the end."""
        results, said = self.said(["TestA<x>", "TestFail", "TestHang", "TestB"], self.THRUST,
                                  limit=1, form="thrust")
        self.assertEqual(results, {"TestA<x>": "pass", "TestFail": "fail", "TestHang": "hung",
                                   "TestB": "pass"})
        # in an order of its own
        results, _ = self.said(["TestA", "TestHang"], self.THRUST.replace(
            "for case; do", "for case in $(printf '%s ' \"$@\" | tac -s ' '); do", 1),
                               limit=1, form="thrust")
        self.assertEqual(results, {"TestHang": "hung", "TestA": "pass"})
        results, said = self.said(["TestA", "TestFail", "TestB"], self.THRUST, form="thrust")
        self.assertEqual(results, {"TestA": "pass", "TestFail": "fail", "TestB": "pass"})
        self.assertIn("it is wrong", said["TestFail"])

    def test_a_program_that_ends_badly_though_no_case_failed(self):
        results, said = self.said(["TestA", "TestLate"], self.THRUST, form="thrust")
        self.assertEqual(results, {"TestA": "pass", "TestLate": "pass", "(end)": "died"})
        self.assertIn("status 1", said["(end)"])


class Chosen(InFolder):
    def test_what_gtest_lists(self):
        text = ("Running main() from x\nS/0.  # TypeParam = int\n  one\n  two  # GetParam() = 3.\n"
                "half epsilon: 1\nP/T.\n  DISABLED_x/1\n")
        self.assertEqual(list(rocm_suites.listed(text)),
                         ["S/0.one", "S/0.two", "P/T.DISABLED_x/1"])

    def test_what_thrust_lists(self):
        asked, listed = rocm_suites.LIST["thrust"]
        self.assertEqual((asked("*"), listed("TestA\nTestB<x>\n[WARNING] Test name\n")),
                         (["--list"], ["TestA", "TestB<x>"]))

    def test_taken_evenly(self):
        self.assertEqual(rocm_suites.evenly(list(range(10)), 3), [0, 3, 6])
        self.assertEqual(rocm_suites.evenly([1, 2], 3), [1, 2])

    def test_pieces(self):
        folder = self.folder / "rocm-root-x/usr/libexec/rocm/lib-tests"
        folder.mkdir(parents=True)
        for name in "test_a", "test_b", "test_device", "run-tests", "data.bin":
            (folder / name).touch()
        with mock.patch.multiple(rocm_suites, OUT=self.folder, RESULTS=self.folder,
                                 LIBRARIES={"x": Library("lib-tests", [("test_b", "S*", 9),
                                                                       ("test_?", "*", 4)], 2,
                                                         without=("BigIndexes",))}):
            tests = rocm_suites.Tests("x")
            rocm_suites.keep_list(tests.kept_list("test_b", "S*"), ["S.q"])
            rocm_suites.keep_list(tests.kept_list("test_a", "*"),
                                  [f"S.{n}" for n in range(5)] + ["S.DISABLED_y"])
            self.assertEqual(list(tests.pieces()), [
                Piece("test_b-0", "test_b", ["S.q"]), Piece("test_a-0", "test_a", ["S.0", "S.1"]),
                Piece("test_a-1", "test_a", ["S.2", "S.3"])])
            rocm_suites.keep_list(tests.kept_list("test_b", "S*"),
                                  ["T.q", "S.q", "S.WithBigIndexes"])
            self.assertEqual(next(tests.pieces()).cases, ["S.q"])
            rocm_suites.keep_list(tests.kept_list("test_a", "*"), [])
            with self.assertRaisesRegex(rocm_suites.NoResult, "x: test_a lists no case that is '\\*'"):
                list(tests.pieces())
            rocm_suites.keep_list(tests.kept_list("test_a", "*"), ["S." + "x" * 70000] * 2)
            with self.assertRaisesRegex(rocm_suites.NoResult, "2 cases of test_a are too long"):
                list(tests.pieces())
            self.assertEqual(rocm_suites.shares([Piece("p", "p", [""] * 1500)] * 3, 4), [
                ("boot-0", [Piece("p", "p", [""] * 1500)] * 2),
                ("boot-1", [Piece("p", "p", [""] * 1500)])])
            with mock.patch.dict(rocm_suites.LIBRARIES, {"x": Library("lib-tests", [("t*", "*", 1),
                                                                                    ("u*", "*", 1)])}):
                with self.assertRaisesRegex(rocm_suites.NoResult, "no program of lib-tests is 'u\\*'"):
                    list(rocm_suites.Tests("x").programs())
            tests = rocm_suites.Tests("x", "*_b")
            self.assertEqual([p.name for p in tests.pieces()], ["test_b-0"])

    def test_parts_of_records(self):
        records = rocm_suites.Records("f", 4, 3, b"q", b"x", 3, 2)
        self.assertEqual(
            rocm_suites.parts(records, b"HEAD" b"q.." b"..." b".qx" b".q." b"..q" b"qqq" b"q.q"),
            [b"HEAD" b"q.." b".q.", b"HEAD" b"qqq"])
        for text in b"HEAD12", b"HEA":
            with self.assertRaisesRegex(rocm_suites.NoResult, "f has . bytes"):
                rocm_suites.parts(records, text)

    def test_records_of_a_program(self):
        programs = self.folder / "rocm-root-x/usr/libexec/rocm/lib"
        programs.mkdir(parents=True)
        (programs / "t").touch()
        data = self.folder / "rocm-root-x/usr/data"
        data.write_bytes(b"HEADabcqrsq12")
        library = Library("lib", [("t", "*", 9)], 2,
                          rocm_suites.Records("/usr/data", 4, 3, b"q", b"x", 9, 1))
        with mock.patch.multiple(rocm_suites, OUT=self.folder, RESULTS=self.folder,
                                 LIBRARIES={"x": library}):
            tests = rocm_suites.Tests("x")
            folder = tests.input("stock")
            self.assertEqual([(folder / f"cases-{n}.data").read_bytes() for n in range(2)],
                             [b"HEADqrs", b"HEADq12"])
            self.assertEqual(tests.argv("t", 1),
                             ["/usr/libexec/rocm/lib/t", "--data", "/out/cases-1.data"])
            # Each is listed, no case is run twice, and a piece is of one of them.
            rocm_suites.keep_list(tests.kept_list("t", "*", 0), ["S.a", "S.b", "S.c"])
            rocm_suites.keep_list(tests.kept_list("t", "*", 1), ["S.c", "S.d"])
            self.assertEqual(list(tests.pieces()), [
                Piece("t-0", "t", ["S.a", "S.b"], 0), Piece("t-1", "t", ["S.c"], 0),
                Piece("t-2", "t", ["S.d"], 1)])
            for part in range(2):
                rocm_suites.keep_list(tests.kept_list("t", "*", part), [])
            with self.assertRaisesRegex(rocm_suites.NoResult, "t lists no case"):
                list(tests.pieces())
            data.write_bytes(b"HEADqqq")
            self.assertEqual(rocm_suites.Tests("x").data, [b"HEADqqq"])

    def test_listed_in_the_guest_if_need_be(self):
        folder = self.folder / "rocm-root-x/usr/libexec/rocm/lib-tests"
        folder.mkdir(parents=True)
        for name in "test_a", "test_b":
            (folder / name).touch()
        guest = script(self.folder / "a-guest", """#!/bin/sh
mkdir -p "$OUT"
printf 'S.\\n  a\\n' >"$OUT/list-0"
printf 'S.\\n  b\\n' >"$OUT/list-1"
""")
        chroot = script(self.folder / "chroot", "#!/bin/sh\nexit 255\n")
        path = f"{chroot.parent}:{os.environ['PATH']}"
        with mock.patch.multiple(rocm_suites, OUT=self.folder, RESULTS=self.folder, GUEST=[guest],
                                 LIBRARIES={"x": Library("lib-tests", [("*", "*", 9)])}), \
             mock.patch.dict(os.environ, {"PATH": path, "OUT": str(self.folder / "x/list")}), \
             contextlib.redirect_stdout(io.StringIO()):
            tests = rocm_suites.Tests("x")
            self.assertEqual([p.cases for p in tests.pieces()], [["S.a"], ["S.b"]])
            tests.kept_list("test_a", "*").unlink()
            (self.folder / "x/list/failed").write_text("test_a\n")
            with self.assertRaisesRegex(rocm_suites.NoResult, "x: no list of the cases of test_a"):
                list(tests.pieces())


class Table(InFolder):
    """Of one library with one piece, whose results are made up."""
    piece = Piece("p-0", "p", ["S.a", "S.b"])

    def setUp(self):
        super().setUp()
        for name in "guest", "rocm-root-x", "build/gpu-model", "build/programs", "rocm/inside":
            (self.folder / name).mkdir(parents=True)
        for name in "build/gpu-model/gpu-model", "build/programs/storm", "rocm/inside/rocm-suites":
            (self.folder / name).write_text(name)
        patch = mock.patch.multiple(rocm_suites, OUT=self.folder, BUILD=self.folder / "build",
                                    TESTBENCH=self.folder,
                                    PROGRAMS=self.folder / "build/programs",
                                    RESULTS=self.folder / "results",
                                    LIBRARIES={"x": Library("lib-tests", [])})
        patch.start()
        self.addCleanup(patch.stop)
        patch = mock.patch.object(rocm_suites.Tests, "pieces", lambda tests: [self.piece])
        patch.start()
        self.addCleanup(patch.stop)
        self.tests = rocm_suites.Tests("x")

    def put(self, mode, results, piece=None, state="active", preemptions=5, said=None, took=1):
        piece = rocm_suites.narrowed(self.tests, mode, piece or self.piece)
        Kept(self.tests, mode).put(piece, {
            "results": {case: [result, took] for case, result in results.items()}, "said": said or {},
            "preemptions": preemptions if mode == "storm" else 0, "storm": 9, "seconds": 1,
            "host_seconds": 2, "state": state, "model": []})

    def ended(self):
        """How a run ends with what there is."""
        table = rocm_suites.Table([self.tests])
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                rocm_suites.report(table, [self.tests], rocm_suites.MODES, [])
            except SystemExit as e:
                return str(e)
        return "good"

    def all_modes(self, storm, **kwargs):
        self.put("stock", {"S.a": "pass", "S.b": "fail"})
        self.put("idle", {"S.a": "pass"})
        self.put("storm", storm, **kwargs)
        return self.ended()

    def test_good(self):
        self.assertEqual(self.all_modes({"S.a": "pass"}), "good")
        table = rocm_suites.Table([self.tests])
        self.assertEqual(list(table.not_on_stock()), [("x", "p:S.b", "fail")])
        self.assertRegex(table.text(), r"(?m)^x +2 +1 +1 +1 +5 +5.00 +0.67$")
        table.write(self.folder)
        self.assertIn("x\tp:S.b\tfail\t-\t-", (self.folder / "results.tsv").read_text())

    def test_worse_in_the_storm(self):
        for result in "fail", "died", "hung", "skip":
            self.assertIn("1 cases are worse than on stock", self.all_modes({"S.a": result}))

    def test_the_storm_or_the_end_of_a_program(self):
        self.assertIn("1 cases are worse", self.all_modes({"S.a": "pass", "(storm)": "died"}))
        self.assertIn("1 cases are worse", self.all_modes({"S.a": "pass", "(end)": "died"}))
        self.put("stock", {"S.a": "pass", "S.b": "fail", "(end)": "died"})
        self.assertEqual(self.ended(), "good")
        self.put("storm", {"S.a": "pass", "(end)": "died"}, said={"(end)": ["signal 11"]})
        self.assertIn("1 cases are worse", self.ended())
        self.put("storm", {"S.a": "pass", "(end)": "died"})
        self.assertRegex(rocm_suites.Table([self.tests]).text(), r"(?m)^x +2 +1 +1 +1 ")
        self.put("stock", {"S.a": "pass", "S.b": "fail", "(unasked)": "died"})
        self.assertIn("2 cases are worse", self.ended())

    def test_a_library_of_which_nothing_passes(self):
        self.put("stock", {"S.a": "skip", "S.b": "fail"})
        self.assertEqual(self.ended(), "rocm-suites: FAILED: x: no case passes on stock")

    def test_slower_with_gpreempt_idle(self):
        """By the cases that ran in both, and by more than a second."""
        for stock, idle, wanted in (
                (5000, 7000, "good"), (0, 1000, "good"), (5000, 7100, "rocm-suites: FAILED: x: "
                                                          "7.1 s with GPREEMPT idle, 5.0 s on stock")):
            self.all_modes({"S.a": "pass"})
            self.put("stock", {"S.a": "pass", "S.b": "fail"}, took=stock)
            self.put("idle", {"S.a": "pass"}, took=idle)
            self.assertEqual(self.ended(), wanted)

    def test_no_preemption(self):
        self.assertIn("preempted nothing", self.all_modes({"S.a": "pass"}, preemptions=0))

    def test_gave_up(self):
        self.assertIn("GPREEMPT is bypassed: late",
                      self.all_modes({"S.a": "pass"}, state="bypassed: late"))

    def test_what_is_missing(self):
        self.put("stock", {"S.a": "pass", "S.b": "pass"})
        self.put("idle", {"S.a": "pass", "S.b": "pass"})
        self.assertIn("x: 2 results are missing", self.ended())

    def test_instructions_that_the_model_does_not_execute(self):
        log = self.folder / "model.log"
        complaints = rocm_suites.Complaints(log)
        self.assertEqual(complaints.new(), [])
        line = "gpu-model: wave at pc 0x{}: not supported: e8000000 00000000 (s_sethalt 0x1)\n"
        log.write_text(line.format("7f00") + "something else\n" + line.format("7f40"))
        wanted = ["not supported: e8000000 00000000 (s_sethalt 0x1)"]
        self.assertEqual(complaints.new(), wanted)
        self.assertEqual(complaints.new(), [])

    def test_kept_while_nothing_changes(self):
        self.put("stock", {"S.a": "pass", "S.b": "pass"})
        self.assertTrue(Kept(self.tests, "stock").get(self.piece))
        self.assertFalse(Kept(self.tests, "idle").get(self.piece))
        self.assertFalse(Kept(self.tests, "stock").get(self.piece._replace(cases=["S.a"])))
        for name in "build/gpu-model/gpu-model", "build/programs/storm", "rocm/inside/rocm-suites":
            before = (self.folder / name).read_text()
            (self.folder / name).write_text("another")
            self.assertFalse(Kept(self.tests, "stock").get(self.piece), name)
            (self.folder / name).write_text(before)
        other = rocm_suites.Tests("x", seed=2)
        self.assertTrue(Kept(other, "stock").get(self.piece))
        self.put("storm", {"S.a": "pass", "S.b": "pass"})
        self.assertTrue(Kept(self.tests, "storm").get(self.piece))
        self.assertFalse(Kept(other, "storm").get(self.piece))
        self.assertNotEqual(rocm_suites.piece_seed(other, self.piece),
                            rocm_suites.piece_seed(self.tests, self.piece))

    def test_a_guest_that_dies(self):
        """What it had ended is kept; two that end nothing are enough."""
        pieces = [self.piece, Piece("p-1", "p", ["S.c"]), Piece("p-2", "p", ["S.d"]),
                  Piece("p-3", "p", ["S.e"])]
        guest = script(self.folder / "a-guest", "#!/bin/sh\n"
                       "read -r n <count; echo $((n + 1)) >count\n"
                       "[ $n = 0 ] && echo 'piece p-0' && echo 'case pass 1 S.a' && "
                       "echo 'case pass 1 S.b' && echo 'end 0 0 1 parked'\n"
                       "exit 125\n")
        (self.folder / "count").write_text("0\n")
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        with mock.patch.object(rocm_suites, "GUEST", [guest]), \
             contextlib.redirect_stdout(io.StringIO()):
            troubles = rocm_suites.run(self.tests, "stock", "boot-0", pieces,
                                         rocm_suites.Progress(1))
        self.assertEqual((self.folder / "count").read_text(), "3\n")
        self.assertEqual(len(troubles), 3)
        self.assertIn("x, stock: the guest ended with status 125 in p-1", troubles[0])
        kept = Kept(self.tests, "stock")
        self.assertEqual([bool(kept.get(p)) for p in pieces], [True, False, False, False])
        given = json.loads((self.folder / "results/x/input-stock-boot-0/pieces.json").read_text())
        self.assertEqual([p["name"] for p in given], ["p-3"])

    def test_time_left(self):
        """It is asked of what is not kept, nor left out as it does not pass on stock."""
        self.put("stock", {"S.a": "pass", "S.b": "fail"})
        new, again = Piece("p-1", "p", ["S.c", "S.d", "S.e"]), Piece("p-2", "p", ["S.f"])
        self.put("stock", {"S.f": "pass"}, again)
        self.put("storm", {"S.f": "pass"}, again)
        (Kept(self.tests, "stock").folder / f"{again.name}.json").unlink()
        left = []

        def ran(_tests, mode, _share, pieces, progress):
            left.append((mode, progress.done, progress.left))
            progress.piece(rocm_suites.size(pieces), 1)
            for piece in pieces if mode == "stock" else ():
                self.put("stock", dict.fromkeys(piece.cases, "pass"), piece)
            return []

        with mock.patch.object(rocm_suites, "run", ran), \
             mock.patch.object(rocm_suites.Tests, "pieces", lambda _: [self.piece, new, again]):
            rocm_suites.run_libraries([self.tests], ["stock", "storm"], 1)
        self.assertEqual(left, [("stock", 2, 10), ("storm", 8, 4)])

    def test_a_library_without_a_list(self):
        """It is named, and the others run: here two at once."""
        both = threading.Barrier(2, timeout=60)

        def ran(tests, _mode, _share, pieces, _progress):
            both.wait()
            return [f"{tests.name} {len(pieces)}"]

        def pieces(tests):
            if tests.name == "y":
                raise rocm_suites.NoResult("y: no list")
            return [self.piece]

        libraries = dict.fromkeys("xyz", Library("lib-tests", []))
        with mock.patch.object(rocm_suites, "LIBRARIES", libraries), \
             mock.patch.object(rocm_suites, "run", ran), \
             mock.patch.object(rocm_suites.Tests, "pieces", pieces):
            there, troubles = rocm_suites.run_libraries(
                [rocm_suites.Tests(name) for name in libraries], ["stock"], 2)
        self.assertEqual([t.name for t in there], ["x", "z"])
        self.assertEqual(troubles, ["y: no list", "x 1", "z 1"])


if __name__ == "__main__":
    unittest.main()
