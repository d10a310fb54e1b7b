# SPDX-License-Identifier: GPL-2.0
"""Where things stand: a suite's code, the programs of the kselftests, what is mailed, each verb's code."""
import importlib
import inspect
import os
import re
import subprocess
import unittest
from pathlib import Path

from testbench.paths import KSELFTEST, ROOT, SELFTESTS, TESTBENCH, bench, in_guest
from testbench.series import patchset
from testbench.suites import SUITES
from testbench.verbs import VERBS

FOLDERS = {"queue", "machine", "control"}
PROGRAM = re.compile(rf"{re.escape(in_guest(KSELFTEST))}/(\w+/\w+|hwtest)")
DOCUMENTS = [ROOT / "README", *(ROOT / "Documentation/gpu/amdgpu").glob("*.rst"),
             *(ROOT / "tools/testing/gpreempt").glob("*.rst")]
# What a file that is mailed may not speak of, as it stands in this repository alone.
OURS = re.compile(r"\b(?:scripts/(?:bench|testbench|check|guest|tests|inside)\b|tools/testing/(?:gpreempt|"
                  r"gpu-model|rocm|hsakmt)\b)")


def programs(suite):
    """The kselftests that a suite runs, by folder and name."""
    if callable(suite.run):
        function = getattr(suite.run, "func", suite.run)
        return set(re.findall(r'kselftest\("([\w/]+)"\)', inspect.getsource(inspect.getmodule(function))))
    words = [str(word) for part in suite.run for word in part.argv(suite.name)]
    found = {m[1] for word in words if (m := PROGRAM.fullmatch(word))}
    return {"hwtest/gpreempt-hwtest" if name == "hwtest" else name for name in found}


# Of make check.
CHECKED = set().union(*(programs(suite) for suite in SUITES.values() if "" in suite.kernels))


def listed():
    """What the kselftests' Makefile builds: *_test, and what it sets apart by name."""
    text = (SELFTESTS / "Makefile").read_text().replace("\\\n", " ")
    found = ["hwtest/gpreempt-hwtest"]
    for value in re.findall(r"^APART [:+]?= (.*)", text, re.M):
        if m := re.fullmatch(r"\$\(addprefix (\w+/),(.*)\)", value):
            found += [m[1] + name for name in m[2].split()]
        else:
            found += value.split()
    return found + sorted({str(path.relative_to(SELFTESTS).with_suffix("")) for folder in FOLDERS
                           for path in SELFTESTS.glob(f"{folder}/*_test.c")} - set(found))


class Suites(unittest.TestCase):
    def test_its_name_says_where_its_code_is(self):
        for name, suite in SUITES.items():
            words = name.split("-")
            subjects = ["-".join(words[:n]) for n in range(len(words), 0, -1)]
            tests = {program.partition("/")[2] for program in programs(suite)}
            self.assertTrue(
                any((TESTBENCH / subject).is_dir() or subject in FOLDERS | {"selftests"} or
                    subject.replace("-", "_") + "_test" in tests for subject in subjects), name)

    def test_a_folders_suite_runs_programs_of_the_folder(self):
        for folder in FOLDERS:
            names = {name.partition("/")[0] for suite in SUITES.values()
                     if suite.name.split("-")[0] == folder for name in programs(suite)}
            self.assertEqual(names, {folder})

    def test_what_they_need(self):
        order = list(SUITES)
        for name, suite in SUITES.items():
            self.assertEqual(name, suite.name)
            if suite.needs:
                self.assertTrue(suite.chain)
                self.assertEqual(SUITES[suite.needs].chain, suite.chain)
                self.assertLess(order.index(suite.needs), order.index(name))

    def test_no_two_leave_the_same(self):
        """Of several parts in guests each has a name."""
        for suite in SUITES.values():
            if not callable(suite.run):
                names = [part.name for part in suite.run if hasattr(part, "name")]
                self.assertEqual(len(names), len(set(names)), suite.name)


class Kselftests(unittest.TestCase):
    def test_all_are_listed_once(self):
        there = {str(path.relative_to(SELFTESTS).with_suffix("")) for path in SELFTESTS.glob("*/*.c")
                 if re.search(r"^TEST_HARNESS_MAIN|^int main\(", path.read_text(), re.M)}
        names = listed()
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(names), there - {"hwtest/hwtest"} | {"hwtest/gpreempt-hwtest"})
        # where they are installed, there are no folders
        self.assertEqual(len({Path(name).name for name in names}), len(names))

    def test_all_are_in_a_suite_of_make_check(self):
        self.assertEqual(set(listed()) - CHECKED, set())

    def test_a_suite_names_none_that_is_not_there(self):
        for suite in SUITES.values():
            self.assertLessEqual(programs(suite), CHECKED, suite.name)
        for name in CHECKED - {"hwtest/gpreempt-hwtest"}:
            self.assertTrue((SELFTESTS / f"{name}.c").is_file(), name)

    def test_what_a_document_cites_is_in_a_suite_of_make_check(self):
        checked = {name.partition("/")[2] for name in CHECKED}
        checked |= {path.stem for path in TESTBENCH.glob("*/*_test.c") if path.parent.name in SUITES}
        cited = {}
        for path in DOCUMENTS:
            for name in re.findall(r"\b(\w+_test)\b", path.read_text()):
                cited.setdefault(name, path.name)
        self.assertGreater(len(cited), 30)
        self.assertEqual({n: where for n, where in cited.items() if n not in checked}, {})


class Mailed(unittest.TestCase):
    """The series needs nothing of this repository that is not in it."""

    def setUp(self):
        self.files = {src: ROOT / src for base in patchset.bases()
                      for src, _ in patchset.own_files(patchset.load(base))
                      for src in [str(src.relative_to(ROOT))]}

    def test_includes(self):
        lib = SELFTESTS / "lib"
        for name, path in self.files.items():
            if not name.startswith(str(SELFTESTS.relative_to(ROOT))) or path.suffix not in (".c", ".h", ".cl"):
                continue
            for header in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
                if header == "kselftest_harness.h":
                    continue
                found = [str((folder / header).relative_to(ROOT)) for folder in (path.parent, lib)]
                self.assertTrue(set(found) & set(self.files), f"{name}: {header}")

    def test_names_nothing_else(self):
        """Neither in code nor in words."""
        wrong = [f"{name}: {m[0]}" for name, path in self.files.items()
                 for m in OURS.finditer(path.read_text())]
        self.assertEqual(wrong, [])


class Named(unittest.TestCase):
    """What a script names is there: of the host's to the guest, and of the guest's to each other."""

    def test_scripts_and_programs(self):
        programs = {Path(name).name for name in
                    re.search(r"^PROGRAMS := (.*)", (TESTBENCH / "Makefile").read_text().replace("\\\n", ""),
                              re.M)[1].split()}
        named = set()
        for path in TESTBENCH.rglob("*"):
            if not path.is_file() or path.suffix == ".pyc":
                continue
            text = path.read_text()
            for kind, name in re.findall(r"\b(inside|program)\([\"']([\w/-]+)[\"']\)", text):
                named.add(name)
                if kind == "program":
                    self.assertIn(name, programs, path)
                else:
                    folder, script = name.split("/")
                    self.assertTrue(os.access(TESTBENCH / folder / "inside" / script, os.X_OK), name)
            for name in re.findall(r"(?:/repo|\$ROOT)/(scripts/[\w./-]*\w)|\$TESTBENCH\"?/([\w./-]*\w)", text):
                place = ROOT / name[0] if name[0] else TESTBENCH / name[1]
                self.assertTrue(place.exists(), f"{path}: {place}")
        self.assertGreater(len(named), 20)


class Verbs(unittest.TestCase):
    def say(self, *words):
        return subprocess.run(bench(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)

    def test_each_has_code(self):
        """A script that can be executed, or a module that can be imported and has a main()."""
        for name, verb in VERBS.items():
            if script := verb.script():
                self.assertTrue(os.access(script, os.X_OK), name)
            else:
                self.assertTrue(callable(verb.module().main), name)

    def test_each_module_can_be_imported(self):
        """But for those of one that runs in a root of Debian's."""
        for path in TESTBENCH.rglob("*.py"):
            if path.name != "weights.py":
                importlib.import_module(".".join(path.relative_to(TESTBENCH.parent).with_suffix("").parts))

    def test_help_has_each(self):
        done = self.say("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(re.findall(r"^  (\S+) +\S", done.stdout, re.M), list(VERBS))

    def test_none_is_an_error(self):
        done = self.say()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("usage: bench VERB", done.stderr)

    def test_an_unknown_one(self):
        """The nearest is named."""
        for said, nearest in (("dmeo", "demo"), ("checks", "check"), ("check_metrics", "check-metrics"),
                              ("kerneln", "kernel")):
            done = self.say(said)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"no verb '{said}'; the nearest is '{nearest}'", done.stderr)

    def test_options_arrive(self):
        done = self.say("demo", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("usage: bench demo ", done.stdout)

    def test_makefile(self):
        """What it calls is a verb."""
        text = (ROOT / "Makefile").read_text() + (ROOT / ".ci/run").read_text()
        self.assertLessEqual(set(re.findall(r"scripts/bench ([\w-]+)", text)), set(VERBS))
        self.assertEqual(set(re.findall(r"scripts/(?!testbench/)(?!bench )\S*", text)), {"scripts/bench."})


if __name__ == "__main__":
    unittest.main()
