# SPDX-License-Identifier: GPL-2.0
"""Run the test programs of Debian's ROCm libraries, unmodified, while their queues are taken off.

usage: rocm-suites [--library NAME]... [--program PATTERN] [--mode NAME]... [--seed N]

Each library of LIBRARIES runs in the guest on stock's amdgpu (stock), with GPREEMPT enabled and
nothing else to do (idle), and in a storm: a queue of the highest priority takes the machine every
2 to 10 ms. One boot for each library and mode, or more where it has many cases, and as many at
once as the host has CPUs and memory for, or $JOBS. A piece is some cases of one program; what it
ended with is kept in out/rocm-suites/LIBRARY/MODE/PIECE.json with the key of what it ran on (the
guest and its part of this, the model, the packages, the cases), and is not run again while that is
the same. Cases that do not pass on stock are listed and not run elsewhere.

Leaves out/rocm-suites/results.tsv (library, case, result in each mode) and table.txt. Fails when a
case that passes on stock does not in another mode, when GPREEMPT gave up, when a kernel or the
model reported something, or a storm preempted nothing.
"""
import argparse
import contextlib
import fnmatch
import functools
import hashlib
import itertools
import json
import mmap
import re
import shlex
import subprocess
import sys
import threading
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testbench.jobs import jobs
from testbench.paths import BUILD, GUEST, OUT, PROGRAMS, TESTBENCH, bench, in_guest, inside

RESULTS = OUT / "rocm-suites"
MODES = ("stock", "idle", "storm")

# What a wave's instruction takes: in the storm the GPU is so slow that kernels last some of its
# periods.
ISSUE_NS = {"stock": 1000, "idle": 1000, "storm": 8000}
OPTIONS = ["--no-log", "--quantum-us", "100", "--memory", "4096", "--timeout", "100000"]
# rocSPARSE's leave out all cases where there are less than 4 GB; what nobody touches costs nothing.
VRAM_MB = 8192
GUEST_GB = 6
# Cases that are worth a guest of their own.
SHARE = 2000
# So many seconds of the guest may a case be silent.
LIMIT_S = {"stock": 30, "idle": 90, "storm": 900}
# With GPREEMPT idle a library's cases may take so many times what they take on stock, and a second:
# their times are in whole ms.
IDLE_TIMES, IDLE_MORE_MS = 1.2, 1000

# package: of the programs; programs: a pattern of their names, one of their cases, and how many of
# these at most, taken evenly; piece: so many cases are lost when a run is broken off, and share
# a program's start, which is of some seconds, or of minutes where there are many cases to make;
# records: what they make cases from, if they are told to with --data; form: of the programs, one of
# LIST and of the FORMS that the guest's part knows; without: cases with such a word in their name.
Library = namedtuple("Library", "package programs piece records form without",
                     defaults=[250, None, "gtest", ()])
ALL = 10**6
# Of a file: bytes before the first record and of each, a word that is in those that are wanted, one
# that is not, how many at most, taken evenly, and how many a program is given at a time: at each
# start it makes cases of all of them, for each of its kinds of tests. With all of rocBLAS's, 1.6
# million, that takes more than 39 s of a host's CPU, with 20,000 the guest works for 12 s.
Records = namedtuple("Records", "file head size word no_word most part")
CASES = "cases-{}.data"
# Of the names of a piece: Linux's MAX_ARG_STRLEN, less what stands before them.
CASES_BYTES = 131000

LIBRARIES = {
    "rocprim": Library("librocprim-tests", [
        ("test_warp_*", "*", 10), ("test_block_*", "*", 10), ("test_thread*", "*", 10),
        ("test_intrinsics*", "*", 10), ("test_hip_*", "*", 10), ("test_*iterator", "*", 10),
        ("test_basic", "*", ALL), ("test_invoke_result", "*", ALL),
        ("test_radix_key_codec", "*", ALL), ("test_type_traits_*", "*", ALL),
        ("test_config_dispatch", "*", ALL)]),
    "hipcub": Library("libhipcub-tests", [
        ("test_hipcub_warp_*", "*", 10), ("test_hipcub_block_*", "*", 10),
        ("test_hipcub_thread*", "*", 10), ("test_hipcub_*iterator*", "*", 10)]),
    "rocthrust": Library("librocthrust-tests", [
        (f"test_thrust_{name}", "*", 8) for name in (
            "copy", "reduce", "scan", "sort", "transform", "unique", "vector", "zip_iterator_*")],
                         form="thrust", without=("BigIndexes",)),   # of billions of elements
    "rocrand": Library("librocrand1-tests", [
        ("test_rocrand_kernel_*", "*poisson*", 10), ("test_rocrand_basic", "*set*", 10),
        ("test_*_distribution", "*", 10)]),
    "hiprand": Library("libhiprand1-tests", [("test_hiprand_*", "*", 10)]),
    "rocsparse": Library("librocsparse1-tests", [("rocsparse-test", "*quick*", ALL)], 250,
                         Records("/usr/share/librocsparse1-tests/data/rocsparse_test.data",
                                 788, 768, b"quick\0", b"gfx906\0", 100, 100)),
    "hipsparse": Library("libhipsparse1-tests", [("hipsparse-test", "*", 50)], 100),
    "rocblas": Library("librocblas4-tests", [("rocblas-test", "*quick*", ALL)], 1000,
                       # the ex3 are of 8-bit floating point, which gfx90a does not have
                       Records("/usr/share/librocblas4-tests/data/rocblas_gtest.data", 592, 576,
                               b"quick\0", b"_ex3\0", 22000, 1000),
                       # of 257 vectors, some for seconds
                       without=("_257", "/quick_logging_", "/quick_check_numerics_")),
    "rocsolver": Library("librocsolver0-tests", [("rocsolver-test", "checkin*", 50)],
                         without=("MEMORY_MODEL",)),
    # Of one length: rocFFT compiles its kernels as it meets them, for a minute of a CPU each.
    "rocfft": Library("librocfft0-tests",
                      [("rocfft-test", "*pow2_1D*complex_*_len_4096_single_op_*", 4)]),
}
# Debian has no tests of hipBLAS: rocBLAS's are of what it calls.


def options(mode):
    """Of bench guest."""
    return [*OPTIONS, "--model", f"--vram-mb {VRAM_MB} --param issue_ns={ISSUE_NS[mode]}",
            "--module", "stock" if mode == "stock" else "gpreempt"]


class NoResult(Exception):
    """Why there is none; says it all."""


# part: which of Tests.data the program is given.
Piece = namedtuple("Piece", "name program cases part", defaults=[0])


def say(what, text):
    print(f"  {what:<8} {text}", flush=True)


def evenly(cases, most):
    """At most so many, from all over the list."""
    if len(cases) <= most:
        return cases
    return [cases[i * len(cases) // most] for i in range(most)]


def listed(text):
    """The cases that --gtest_list_tests lists."""
    suite = None
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  ") and suite:
            yield suite + name.strip()
        else:
            suite = name if name.endswith(".") and " " not in name else None


# What lists a program's cases, and how to read it.
LIST = {
    "gtest": (lambda pattern: ["--gtest_list_tests", f"--gtest_filter={pattern}"], listed),
    "thrust": (lambda pattern: ["--list"], lambda text: re.findall(r"(?m)^\S+$", text)),
}


def keep_list(file, cases):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{case}\n" for case in cases))


def parts(records, text):
    """Of a file's content with records: files with some of them."""
    starts = range(records.head, len(text), records.size)
    if len(text) < records.head or (len(text) - records.head) % records.size:
        raise NoResult(f"{records.file} has {len(text)} bytes, which are not {records.head} and "
                       f"records of {records.size}")
    wanted = evenly([at for at in starts if text.find(records.word, at, at + records.size) >= 0 and
                     text.find(records.no_word, at, at + records.size) < 0], records.most)
    return [text[:records.head] + b"".join(text[at:at + records.size]
                                           for at in wanted[n:n + records.part])
            for n in range(0, len(wanted), records.part)]


class Tests:
    """A library's programs in its root, and the pieces that they are run in."""

    def __init__(self, name, only="*", seed=1):
        self.name = name
        self.only = only
        self.seed = seed
        self.library = LIBRARIES[name]
        self.root = (OUT / f"rocm-root-{name}").resolve()
        self.folder = Path("/usr/libexec/rocm") / self.library.package

    @functools.cached_property
    def data(self):
        """What the programs are given with --data, a file at a time; None: they are not."""
        records = self.library.records
        if not records:
            return [None]
        with (self.root / records.file.lstrip("/")).open("rb") as f, \
             mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return parts(records, text)

    def programs(self):
        there = sorted(f.name for f in (self.root / self.folder.relative_to("/")).iterdir()
                       if f.name != "run-tests" and not f.suffix)
        taken = set()
        for pattern, cases, most in self.library.programs:
            names = fnmatch.filter(there, pattern)
            if not names:
                raise NoResult(f"{self.name}: no program of {self.library.package} is '{pattern}'")
            for name in names:
                if name not in taken:
                    taken.add(name)
                    if fnmatch.fnmatch(name, self.only):
                        yield name, cases, most

    def kept_list(self, name, pattern, part=0):
        of = digest_of(self.library.form, self.library.records, part)
        return RESULTS / "lists" / self.root.name / f"{name}.{pattern.replace('/', '|')}.{of}"

    def lists(self):
        """Have the cases of all programs in files; most programs need no GPU to list them."""
        guests = {}
        asked, cases = LIST[self.library.form]
        for (name, pattern, _), part in itertools.product(self.programs(), range(len(self.data))):
            kept = self.kept_list(name, pattern, part)
            if kept.exists():
                continue
            command = [*self.argv(name, part), *asked(pattern)]
            done = subprocess.run(["chroot", self.root, *command], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, errors="replace",
                                  check=False, cwd="/")
            if done.returncode:
                guests[kept] = command
            else:
                keep_list(kept, cases(done.stdout))
        if guests:
            self.lists_of_guest(guests, cases)

    def lists_of_guest(self, commands, cases):
        """Of programs that list nothing where there is no GPU."""
        say("list", f"{self.name}: the cases, {len(commands)} times, in the guest")
        # Through a virtual port it would take long: the files come when the guest has ended.
        script = "".join(" ".join(shlex.quote(str(word)) for word in [inside("rocm/rocm"), *command])
                         + f" >/out/list-{n} || echo {Path(command[0]).name} >>/out/failed\n"
                         for n, command in enumerate(commands.values()))
        out = RESULTS / self.name / "list"
        done = subprocess.run([*GUEST, "--name", out.relative_to(OUT), "--root", self.root,
                               "--input", self.input("list"), *options("stock"), "--", "sh", "-c",
                               script], check=False)
        if done.returncode or (out / "failed").exists():
            failed = (out / "failed").read_text().split() if (out / "failed").exists() else []
            raise NoResult(f"{self.name}: no list of the cases of {', '.join(failed) or 'any'}: "
                           f"see {out}")
        for n, kept in enumerate(commands):
            keep_list(kept, cases((out / f"list-{n}").read_text(errors="replace")))

    def wanted(self, name, pattern, most):
        """The cases of a program, by part: none twice, nor disabled, nor without's."""
        seen = set()
        for part in range(len(self.data)):
            cases = [c for c in self.kept_list(name, pattern, part).read_text().splitlines()
                     if fnmatch.fnmatchcase(c, pattern) and c not in seen and
                     not any(word in c for word in ("DISABLED_", *self.library.without))]
            seen.update(cases)
            yield part, evenly(cases, most)

    def pieces(self):
        self.lists()
        size = self.library.piece
        for name, pattern, most in self.programs():
            cut = [(part, cases[n:n + size]) for part, cases in self.wanted(name, pattern, most)
                   for n in range(0, len(cases), size)]
            if not cut:
                for part in range(len(self.data)):
                    self.kept_list(name, pattern, part).unlink()
                raise NoResult(f"{self.name}: {name} lists no case that is '{pattern}'")
            for n, (part, cases) in enumerate(cut):
                if len(":".join(cases)) > CASES_BYTES:
                    raise NoResult(f"{self.name}: the names of {len(cases)} cases of {name} are "
                                   "too long for a command line, it needs smaller pieces")
                yield Piece(f"{name}-{n}", name, cases, part)

    def argv(self, name, part):
        data = ["--data", f"/out/{CASES.format(part)}"] if self.library.records else []
        return [str(self.folder / name), *data]

    def input(self, name):
        """A folder whose files a guest finds in /out."""
        folder = RESULTS / self.name / f"input-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        for part, content in enumerate(self.data):
            if content:
                (folder / CASES.format(part)).write_bytes(content)
        return folder


def digest_of(*what):
    return hashlib.sha256(repr(what).encode()).hexdigest()[:8]


def digest(*files):
    found = hashlib.sha256()
    for file in files:
        found.update(Path(file).read_bytes())
    return found.hexdigest()


class Kept:
    """What pieces ended with, as files."""

    def __init__(self, tests, mode):
        self.folder = RESULTS / tests.name / mode
        # The guest's folder is named by what is in it, its kernel and modules. Its part of this
        # is read from the repository.
        self.ran_on = [
            str((OUT / "guest").resolve().name), tests.root.name, mode, *options(mode),
            LIMIT_S[mode], repr(tests.library.records), tests.library.form,
            tests.seed if mode == "storm" else None,
            digest(BUILD / "gpu-model/gpu-model", PROGRAMS / "storm", TESTBENCH / "rocm/inside/rocm-suites")]

    def key(self, piece):
        return hashlib.sha256(json.dumps([*self.ran_on, piece]).encode()).hexdigest()[:16]

    def get(self, piece):
        with contextlib.suppress(OSError, ValueError):
            kept = json.loads((self.folder / f"{piece.name}.json").read_text())
            if kept["key"] == self.key(piece):
                return kept
        return None

    def put(self, piece, found):
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{piece.name}.json"
        file.with_suffix(".new").write_text(json.dumps({"key": self.key(piece)} | found, indent=1))
        file.with_suffix(".new").rename(file)


def parse(lines):
    """(name, what it ended with) of each piece that has ended, as the guest tells of them."""
    name = found = None
    for line in lines:
        what, _, rest = line.rstrip("\n").partition(" ")
        if what == "piece":
            name, found, last = rest, {"results": {}, "said": {}}, None
        elif what == "case" and found:
            result, took, last = rest.split(" ", 2)
            found["results"][last] = [result, int(took)]
        elif what == "said" and found and last:
            found["said"].setdefault(last, []).append(rest)
        elif what == "end" and found:
            preemptions, storm, seconds, state = rest.split(" ", 3)
            yield name, found | {"preemptions": int(preemptions), "storm": int(storm),
                                 "seconds": float(seconds), "state": state}
            found = None
        elif what not in ("storm", "case", "said"):
            say("guest", line.rstrip())


class Complaints:
    """What the model's log says of instructions that it does not execute."""
    LINE = re.compile(r"wave at pc \S+: (.*)")

    def __init__(self, log):
        self.log = log
        self.seen = 0

    def new(self):
        """Since the last time, each once."""
        with contextlib.suppress(FileNotFoundError):
            text = self.log.read_text(errors="replace")
            found, self.seen = self.LINE.findall(text[self.seen:]), len(text)
            return sorted(set(found))
        return []


class Progress:
    """How far it is, and how long the rest takes as it has been going."""

    def __init__(self, jobs):
        self.done, self.left, self.jobs = 0, 0, jobs
        self.cases, self.seconds = 0, 0
        self.lock = threading.Lock()
        self.over = False           # nobody wants the rest any more

    def had(self, cases):
        """So many are not run, now."""
        with self.lock:
            self.done, self.left = self.done + cases, self.left - cases

    def piece(self, cases, seconds):
        self.had(cases)
        with self.lock:
            self.cases, self.seconds = self.cases + cases, self.seconds + seconds
            rest = self.left * self.seconds / self.cases / self.jobs
            return (f"{self.done} of {self.done + self.left} cases, about "
                    f"{int(rest // 3600)} h {int(rest % 3600 // 60)} min left")


def piece_seed(tests, piece):
    """The same wherever and whenever a piece is run."""
    return int(hashlib.sha256(f"{tests.seed} {piece.name}".encode()).hexdigest()[:6], 16)


def boot(tests, mode, share, pieces):
    """One guest that runs pieces: each as it ends, then the guest's status."""
    out = RESULTS / tests.name / mode / share
    given = tests.input(f"{mode}-{share}")
    (given / "pieces.json").write_text(json.dumps(
        [{"name": p.name, "argv": tests.argv(p.program, p.part), "form": tests.library.form,
          "seed": piece_seed(tests, p), "cases": p.cases} for p in pieces]))
    command = [*GUEST, "--name", out.relative_to(OUT), "--input", given, "--root", tests.root,
               *options(mode), "--",
               inside("rocm/rocm"), inside("rocm/rocm-suites"), mode, LIMIT_S[mode], in_guest(PROGRAMS)]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                          errors="replace") as guest:
        yield from parse(guest.stdout)
    yield None, guest.returncode


def run(tests, mode, share, pieces, progress):
    """Run pieces, in more than one boot if a guest dies; what was wrong with these."""
    kept = Kept(tests, mode)
    left, troubles, futile = list(pieces), [], 0
    while left and futile < 2 and not progress.over:
        futile, began = futile + 1, time.monotonic()
        complaints = Complaints(kept.folder / share / "model.log")
        for name, found in boot(tests, mode, share, left):
            if name is None:
                status = found
                break
            piece = next(p for p in left if p.name == name)
            left.remove(piece)
            seconds, began, futile = time.monotonic() - began, time.monotonic(), 0
            kept.put(piece, found | {"host_seconds": round(seconds, 1),
                                     "model": complaints.new()})
            good = [r for r, _ in found["results"].values()].count("pass")
            say(mode, f"{tests.name} {name}: {good} of {len(piece.cases)} cases pass, "
                f"{found['preemptions']} preemptions, {seconds:.0f} s; "
                + progress.piece(len(piece.cases), seconds))
        if status or left:
            troubles.append(f"{tests.name}, {mode}: the guest ended with status {status}"
                            + (f" in {left[0].name}" if left else "")
                            + f", see {kept.folder}/{share}")
        # It may be what the guest died of; the others get another one.
        del left[:1]
    return troubles


class Table:
    """All results there are of some libraries."""

    def __init__(self, libraries):
        self.rows = {}              # (library, case) -> results by mode
        self.besides = {}           # the same of (end), (storm) and (unasked), by piece
        self.said = {}              # (library, case, mode) -> lines
        self.states, self.sums = [], {}
        self.took = {}              # (library, mode) -> ms of the guest by piece and case
        self.complaints = {}        # the model's -> the pieces that met them
        for tests in libraries:
            for mode in MODES:
                kept = Kept(tests, mode)
                for piece in tests.pieces():
                    self.add(tests.name, mode, piece, kept.get(narrowed(tests, mode, piece)))

    def add(self, library, mode, piece, found):
        for case in piece.cases:
            self.rows.setdefault((library, f"{piece.program}:{case}"), {})
        if not found:
            return
        for case, (result, ms) in found["results"].items():
            self.took.setdefault((library, mode), {})[piece.name, case] = ms
            rows, name = self.rows, f"{piece.program}:{case}"
            if (library, name) not in rows:
                rows, name = self.besides, f"{piece.name}:{case}"
            rows.setdefault((library, name), {})[mode] = result
            self.said[library, name, mode] = found["said"].get(case, [])
        for text in found["model"]:
            self.complaints.setdefault(text, []).append(f"{library} {piece.name}, {mode}")
        one = self.sums.setdefault((library, mode), {"cases": 0, "preemptions": 0, "storm": 0,
                                                     "seconds": 0, "host_seconds": 0})
        one["cases"] += sum(case in piece.cases for case in found["results"])
        for key in "preemptions", "storm", "seconds", "host_seconds":
            one[key] += found[key]
        if found["state"] not in ("stock", "parked", "active"):
            self.states.append(f"{library}, {mode}, {piece.name}: GPREEMPT is {found['state']}")

    def how(self, library, case, mode):
        """The last thing that is known of a program, in a library."""
        said = self.said[library, case, mode]
        return library, said[-1] if said else None

    def count(self, library, mode, result="pass"):
        return sum(row.get(mode) == result
                   for (lib, _), row in self.rows.items() if lib == library)

    def worse(self):
        """What passes on stock, but not elsewhere, or is wrong about the runs themselves."""
        # ROCr's programs may die as they end, on stock one in some dozens.
        ends = {self.how(library, case, "stock")
                for (library, case), row in self.besides.items()
                if "stock" in row and case.endswith(":(end)")}
        for (library, case), row in self.rows.items():
            for mode in MODES[1:]:
                if row.get("stock") == "pass" and row.get(mode, "pass") != "pass":
                    yield library, case, mode, row[mode]
        for (library, case), row in self.besides.items():
            for mode, result in row.items():
                if self.how(library, case, mode) not in ends:
                    yield library, case, mode, result

    def slower(self):
        """Libraries whose cases take too long with GPREEMPT idle: ms there and on stock."""
        for library in dict.fromkeys(lib for lib, _ in self.sums):
            idle, stock = (self.took.get((library, mode), {}) for mode in ("idle", "stock"))
            both = idle.keys() & stock.keys()
            took = [sum(found[case] for case in both) for found in (idle, stock)]
            if took[0] > IDLE_TIMES * took[1] + IDLE_MORE_MS:
                yield library, *took

    def not_on_stock(self):
        for (library, case), row in (self.rows | self.besides).items():
            if row.get("stock", "pass") != "pass":
                yield library, case, row["stock"]

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["\t".join([library, case, *(row.get(mode, "-") for mode in MODES)])
                 for (library, case), row in self.rows.items()]
        (folder / "results.tsv").write_text("library\tcase\t" + "\t".join(MODES) + "\n"
                                            + "".join(f"{line}\n" for line in lines))
        (folder / "table.txt").write_text(self.text())

    def text(self):
        form = "{:<11}{:>7}{:>7}{:>7}{:>7}{:>13}{:>11}{:>9}\n"
        text = form.format("library", "cases", "stock", "idle", "storm", "preemptions", "a case",
                           "cases/s")
        total = [0] * 5
        for library in dict.fromkeys(lib for lib, _ in self.rows):
            storm = self.sums.get((library, "storm"), {"preemptions": 0})
            counts = [sum(lib == library for lib, _ in self.rows),
                      *(self.count(library, mode) for mode in MODES), storm["preemptions"]]
            total = [a + b for a, b in zip(total, counts)]
            all_modes = [self.sums[key] for key in self.sums if key[0] == library]
            seconds = sum(s["host_seconds"] for s in all_modes)
            text += form.format(library, *counts, ratio(storm["preemptions"], counts[3]),
                                ratio(sum(s["cases"] for s in all_modes), seconds))
        return text + form.format("all", *total, ratio(total[4], total[3]), "")


def ratio(a, b):
    return f"{a / b:.2f}" if b else "-"


def narrowed(tests, mode, piece):
    """A piece without the cases that do not pass on stock."""
    if mode == "stock":
        return piece
    stock = Kept(tests, "stock").get(piece)
    if not stock:
        return piece._replace(cases=[])
    return piece._replace(cases=[c for c in piece.cases
                                 if stock["results"].get(c, ["-"])[0] == "pass"])


def size(pieces):
    """In cases."""
    return sum(len(p.cases) for p in pieces)


def unkept(tests, mode, pieces):
    """Those that have yet to run in a mode."""
    kept = Kept(tests, mode)
    return [p for p in pieces if not kept.get(narrowed(tests, mode, p))]


def run_share(tests, share, pieces, modes, progress):
    """Some of a library's pieces in one mode after the other; what was wrong with the runs."""
    troubles, asked = [], {mode: unkept(tests, mode, pieces) for mode in modes}
    for mode in modes:
        # Stock may have passed less than all, or have run once more to what is kept.
        todo = [p for p in (narrowed(tests, mode, p) for p in unkept(tests, mode, pieces))
                if p.cases]
        progress.had(size(asked[mode]) - size(todo))
        troubles += run(tests, mode, share, todo, progress)
    return troubles


def shares(pieces, at_once):
    """
    (name, pieces) of each guest that runs a part of a library: as many as have SHARE cases each.
    Every so many pieces go together, as those that stand beside each other take as long.
    """
    number = max(1, min(at_once, size(pieces) // SHARE))
    return [(f"boot-{n}", pieces[n::number]) for n in range(number)]


def run_libraries(libraries, modes, at_once):
    """Those whose cases could be listed, and what was wrong."""
    troubles, lists, progress = [], {}, Progress(at_once)
    with ThreadPoolExecutor(at_once) as pool:
        try:
            listed_by = {t: pool.submit(lambda t=t: list(t.pieces())) for t in libraries}
            for tests, future in listed_by.items():
                try:
                    lists[tests] = future.result()
                except NoResult as e:
                    troubles.append(str(e))
            # What is kept takes no time, and says nothing of how long the rest takes.
            progress.left = len(modes) * sum(size(pieces) for pieces in lists.values())
            progress.had(progress.left - sum(size(unkept(tests, mode, pieces))
                                             for tests, pieces in lists.items()
                                             for mode in modes))
            for future in [pool.submit(run_share, tests, share, some_pieces, modes, progress)
                           for tests, pieces in lists.items()
                           for share, some_pieces in shares(pieces, at_once)]:
                troubles += future.result()
        except KeyboardInterrupt:
            # The guests die of it as well, and there shall be no others.
            progress.over = True
            pool.shutdown(cancel_futures=True)
            raise
    return [*lists], troubles


def parse_args():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n", maxsplit=1)[0],
                                description=__doc__.split("\n\n")[2])
    p.add_argument("--library", action="append", choices=LIBRARIES, metavar="NAME",
                   help=f"of {', '.join(LIBRARIES)} (default: all)")
    p.add_argument("--program", default="*", metavar="PATTERN",
                   help="of the libraries' programs, those with such a name")
    p.add_argument("--mode", action="append", choices=MODES)
    p.add_argument("--seed", type=int, default=1, help="of the storm (default 1)")
    return p.parse_args()


def main():
    args = parse_args()
    names = [n for n in LIBRARIES if n in (args.library or LIBRARIES)]
    modes = [m for m in MODES if m in (args.mode or MODES)]
    troubles, libraries = [], []
    for name in names:
        made = subprocess.run(bench("rocm", "--part", name), check=False).returncode
        if made:
            troubles.append(f"{name}: there is no root for it (see above)")
        else:
            libraries.append(Tests(name, args.program, args.seed))
    say("storm", f"seed {args.seed}")
    libraries, found = run_libraries(libraries, modes, jobs("rocm-suites", GUEST_GB))
    table = Table(libraries)
    table.write(RESULTS)
    print("\n" + table.text())
    report(table, libraries, modes, troubles + found)


def report(table, libraries, modes, troubles):
    """What did not pass, and how it ends."""
    for library, case, result in table.not_on_stock():
        say("stock", f"{library} {case}: {result}")
    for text, pieces in table.complaints.items():
        say("model", f"{text}: {', '.join(pieces)}")
    worse = list(table.worse())
    for library, case, mode, result in worse:
        say(mode, f"{library} {case}: {result}")
        for line in table.said[library, case, mode]:
            print(f"      {line}")
    troubles = troubles + table.states
    if worse:
        troubles.append(f"{len(worse)} cases are worse than on stock")
    troubles += [f"{library}: {idle / 1000:.1f} s with GPREEMPT idle, {stock / 1000:.1f} s on stock"
                 for library, idle, stock in table.slower()]
    for tests in libraries:
        storm = table.sums.get((tests.name, "storm"))
        if "stock" in modes and not table.count(tests.name, "stock"):
            troubles.append(f"{tests.name}: no case passes on stock")
        if "storm" in modes and storm and not storm["preemptions"]:
            troubles.append(f"{tests.name}: the storm preempted nothing")
        left = sum(not row.get(mode) for (lib, _), row in table.rows.items() if lib == tests.name
                   for mode in modes if mode == "stock" or row.get("stock") == "pass")
        if left:
            troubles.append(f"{tests.name}: {left} results are missing")
    if troubles:
        sys.exit("rocm-suites: FAILED: " + "; ".join(troubles))
