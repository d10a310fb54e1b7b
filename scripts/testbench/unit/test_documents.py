# SPDX-License-Identifier: GPL-2.0
"""What README and the kernel's documents name is there, and what is there is named."""
import fnmatch
import re
import subprocess
import unittest

from testbench import suites, verbs
from testbench.check import runs
from testbench.suites import ALL
from testbench.paths import ROOT, SELFTESTS

FOLDER = ROOT / "Documentation/gpu/amdgpu"
README = (ROOT / "README").read_text()
DOCUMENTS = {path.stem: path.read_text() for path in FOLDER.glob("*.rst")}
# Of this repository alone: they are not mailed.
BENCH = {path.stem: path.read_text() for path in (ROOT / "tools/testing/gpreempt").glob("*.rst")}
TESTING = BENCH["testing"]
AMDKFD = ROOT / "drivers/gpu/drm/amd/amdkfd"
SUITES = suites.SUITES.values()
ON_REQUEST = {suite.name for suite in SUITES if not suite.kernels}


RUNS = runs.last_runs(TESTING)
# Whose results are no verdict, or are a part of make check.
NO_TEST = {"apply", "bench-model", "check-metrics", "clean", "deb", "demo", "help", "kernel",
           "lint", "series", "shell"}


def tests():
    """The names of tests, and of their fixtures and variants: of KUnit, and of each kselftest."""
    kunit = "\n".join(path.read_text() for path in (AMDKFD / "tests").glob("*_kunit.c"))
    there = {"KUnit": re.findall(r"KUNIT_CASE\w*\(gpreempt_(\w+)[,)]", kunit) +
                      re.findall(r"KUNIT_CASE\w*\(gpreempt_[a-z]+_(\w+)[,)]", kunit) +
                      re.findall(r'^\t\{ "(\w+)",', kunit, re.M) +
                      re.findall(r'\.name = "amdgpu_(\w+)"', kunit)}
    for path in SELFTESTS.glob("*/*_test.c"):
        there[path.stem] = sum(re.findall(r"^(?:TEST_F\w*|FIXTURE_VARIANT_ADD)\((\w+), (\w+)",
                                          path.read_text(), re.M), ())
    return there


TESTS = tests()
# number, name, what must hold and why, by which tests
RULES = re.findall(r"^Rule (\d+), (.+)\n((?:  .*\n|\n(?=  ))+?)\n  Tests: ((?:.+\n)+)",
                   DOCUMENTS["gpreempt-rules"], re.M)


def is_test(part):
    """Does "``program``: ``name``, ``name``", or "``what``", name what there is?"""
    where, _, names = part.partition(":")
    programs, names = (re.findall(r"``([^`]+)``", text) for text in (where, names))
    if "KUnit" in where:
        programs.append("KUnit")
    if names:
        return len(programs) == 1 and \
            all(fnmatch.filter(TESTS.get(programs[0], ()), name) for name in names)
    return bool(programs) and all(name in TESTS or name in suites.SUITES for name in programs)


def cited(text):
    """Each "rule N" with as much of what follows as a name may be, also in a comment."""
    return re.findall(r"\b[Rr]ules? (\d+)\b(?=(.{,40}))", re.sub(r"\s+(?:\* )?\s*", " ", text))


def git(*command):
    return subprocess.run(["git", "-C", ROOT, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)


class Runs(unittest.TestCase):
    """The table of what CI runs and what a release does, and of the last runs."""

    def test_targets(self):
        """Each one that tests has a line; CI runs one."""
        text = (ROOT / "Makefile").read_text()
        self.assertIn("\nmake check\n", (ROOT / ".ci/run").read_text())
        self.assertEqual([name for name, by, *_ in RUNS if by == "CI"], ["check"])
        self.assertEqual(sorted(name for name, *_ in RUNS),
                         sorted(set(re.findall(r"^([a-z-]+):.*## ", text, re.M)) - NO_TEST))

    def test_suites(self):
        """Those that make check does not run stand with the command that does."""
        own = {name: set(names.split(", ")) - {"-"} for name, *_, names in RUNS}
        for kernel in "debug", "kcsan":
            self.assertEqual(own.pop(f"check-{kernel}"),
                             {s.name for s in SUITES if kernel in s.kernels and s.kernels != ALL})
        for name, names in own.items():
            recipe = re.search(rf"^{name}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
            said = recipe[1].replace("\\\n", " ")
            asked = set(" ".join(re.findall(r"scripts/bench check (.*)", said)).split())
            asked |= ON_REQUEST & set(re.findall(r"scripts/bench check-(\S+)", said))
            self.assertEqual(names, asked, name)
        self.assertEqual(set().union(*own.values()), ON_REQUEST)

    def test_unload_is_watched(self):
        self.assertIn("debug", suites.SUITES["unload"].kernels)
        self.assertNotIn("kmemleak", " ".join(suites.boot("unload").argv("unload")[1:]))

    def test_last_runs(self):
        """A date, and a commit that is ours and not of a later day; or none."""
        known = git("rev-parse", "--is-shallow-repository").stdout == "false\n"
        for name, _, date, commit, _ in RUNS:
            if date in runs.NO_RUN:
                self.assertEqual(commit, "-", name)
                continue
            self.assertRegex(f"{date} {commit}", r"^20\d\d-[01]\d-[0-3]\d [0-9a-f]{7,}$", name)
            if known:
                self.assertEqual(git("merge-base", "--is-ancestor", commit, "HEAD").returncode, 0,
                                 f"{name}: {commit}")
                self.assertLessEqual(git("log", "-1", "--format=%cs", commit).stdout.strip(), date)

    def test_commits_since(self):
        """Those of the driver are some of all; a run of HEAD has none, and no run has no number."""
        if git("rev-parse", "--is-shallow-repository").stdout != "false\n":
            return
        for run in RUNS:
            if run.date not in runs.NO_RUN:
                driver, every = map(int, runs.line(run).split()[-2:])
                self.assertLessEqual(driver, every)
                self.assertEqual(every, len(git("log", "--format=%h", f"{run.commit}..").stdout.split()))
        self.assertEqual(runs.line(RUNS[0]._replace(commit="HEAD")).split()[-2:], ["0", "0"])
        self.assertEqual(runs.line(RUNS[0]._replace(date="never")).split()[-2:], ["-", "-"])
        self.assertEqual(runs.line(RUNS[0]._replace(commit="0" * 12)).split()[-2:], ["?", "?"])


class Documents(unittest.TestCase):
    def test_suites(self):
        """Each has a row; those that only run on request have their command's."""
        rows = set(re.findall(r"^([a-z][\w-]*) {2,}\S", TESTING, re.M))
        self.assertEqual({s.name for s in SUITES} - ON_REQUEST, rows - {"suite", "command"})

    def test_targets(self):
        """What is named is a target of make, and each of these is named."""
        targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
        named = {name for text in (README, *DOCUMENTS.values(), *BENCH.values())
                 for name in re.findall(r"(?:`|^ *)make ([a-z-]+)(?=`| {2,}| [A-Z]+=)", text, re.M)}
        self.assertLessEqual(named, targets)
        self.assertLessEqual(targets - {"clean"}, named)

    def test_verbs(self):
        """What follows the bench's door is a verb of it."""
        model = (ROOT / "tools/testing/gpu-model/README.rst").read_text()
        named = [name for text in (README, *DOCUMENTS.values(), *BENCH.values(), model)
                 for name in re.findall(r"``scripts/bench ([\w-]+)", text)]
        self.assertGreater(len(named), 5)
        self.assertLessEqual(set(named), {*verbs.VERBS, "--help", "VERB"})

    def test_paths(self):
        paths = re.findall(r"\b(?:drivers|include|patches|scripts|tools|Documentation)/[\w./-]*\w",
                           README)
        self.assertGreater(len(paths), 5)
        for path in paths:
            self.assertTrue((ROOT / path).exists(), path)

    def test_tests(self):
        """What a table says proves a line is a test, or a variant of one, of that program."""
        missing, named = [], 0
        lists = re.findall(r"(``\w+_test``|KUnit):((?:[,\s]+``[\w*]+``)+)",
                           "\n\n".join(DOCUMENTS.values()))
        for where, names in lists:
            for name in re.findall(r"``([\w*]+)``", names):
                if name.endswith("_test"):
                    break       # the next program
                named += 1
                if not fnmatch.filter(TESTS[where.strip("`")], name):
                    missing.append(f"{where}: {name}")
        self.assertEqual(missing, [])
        self.assertGreater(named, 50)

    def test_alerts(self):
        alerts = (ROOT / "tools/gpreempt/prometheus/alerts.yml").read_text()
        self.assertEqual(re.findall(r"^``(Gpreempt\w+)`` ", DOCUMENTS["gpreempt-admin"], re.M),
                         re.findall(r"- alert: (\w+)", alerts))

    def test_reasons(self):
        """The table has each reason for which the driver gives up."""
        names = re.search(r'"none", "late_.*', (AMDKFD / "gpreempt/core/state.c").read_text())
        _, *reasons = re.findall(r'"(\w+)"', names[0])
        table = re.search(r"^reason +event.*?\n=+ .*?\n(.*?)\n=+ ",
                          DOCUMENTS["gpreempt-admin"], re.M | re.S)
        self.assertEqual(re.findall(r"^(\w+) ", table[1], re.M), reasons)

    def test_toctree(self):
        listed = re.search(r"^\.\. toctree::\n(?: +:.*\n)*\n((?: +.*\n)+)", DOCUMENTS["gpreempt"],
                           re.M)
        self.assertIn(":glob:", listed[0])
        self.assertEqual(set(fnmatch.filter(DOCUMENTS, listed[1].strip())),
                         set(DOCUMENTS) - {"gpreempt"})


class Rules(unittest.TestCase):
    """The rules in gpreempt-rules.rst, what proves them, and the code that is there for them."""

    def test_numbers(self):
        heads = re.findall(r"^Rule .*", DOCUMENTS["gpreempt-rules"], re.M)
        self.assertEqual(heads, [f"Rule {n}, {name}" for n, name, *_ in RULES])
        self.assertEqual([int(n) for n, *_ in RULES], [*range(1, len(RULES) + 1)])
        self.assertEqual(len({name for _, name, *_ in RULES}), len(RULES))
        self.assertGreater(len(RULES), 10)

    def test_say_what_must_hold(self):
        for number, _, text, _ in RULES:
            self.assertRegex(text, r"^  \*\*[A-Z]", number)

    def test_tests(self):
        """Each is proved by a test, and what is said to prove it is there."""
        for number, _, _, proof in RULES:
            parts = " ".join(proof.split()).split("; ")
            self.assertEqual([part for part in parts if not is_test(part)], [], number)
            self.assertRegex(proof, r"KUnit: ``|``\w+_test``", number)

    def test_citations(self):
        """By number and name, in the driver and in the documents; in the driver, each one."""
        names = {n: name for n, name, *_ in RULES}
        driver = list((AMDKFD / "gpreempt").rglob("*.[ch]"))
        cites = {path.name: cited(path.read_text()) for path in [*driver, *FOLDER.glob("*.rst")]}
        wrong = [f"{name}: rule {number}{rest}" for name, found in cites.items()
                 for number, rest in found
                 if not re.match(rf", {names.get(number)}\b", rest)]
        self.assertEqual(wrong, [])
        self.assertEqual({n for path in driver for n, _ in cites[path.name]}, set(names))

    def test_citations_of_tests(self):
        """They say what they are about in words, and the number of the rule."""
        numbers = {n for n, *_ in RULES}
        for path in [*(AMDKFD / "tests").glob("*.[ch]"), *SELFTESTS.rglob("*.[ch]")]:
            self.assertLessEqual({n for n, _ in cited(path.read_text())}, numbers, path)


if __name__ == "__main__":
    unittest.main()
