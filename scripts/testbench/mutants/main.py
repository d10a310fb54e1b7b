# SPDX-License-Identifier: GPL-2.0
"""Do the tests find a mistake in the driver? check-mutants [options]

Makes small mistakes in the rooms, one at a time (mutate.py), and runs the tests
that judge the room: a mutant is killed by a test that fails, crashes or takes many times as
long, or it survives. Prints those that survived, and a table by room; all verdicts are in
out/mutants/results.tsv. Fails where fewer than WANTED of those that are not equivalent were
killed, or where more than EQUIVALENT of all are said to be so.

A mutant that is the same machine code as the source is none. One that no test can find, as it
does the same for another reason, stands in the file "equivalent" with that reason.

Verdicts are kept in the cache, by all that a mutant was judged by, so that a run goes on where
another one ended. If that has changed, the test that killed it before is the first to run.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from testbench.mutants import mutate, verdicts
from testbench.mutants.guest import Guest
from testbench.mutants.mutate import EQUAL, KILLED, NONE, SURVIVED
from testbench.paths import BUILD, OUT, ROOT, TESTBENCH
from testbench.mutants.verdicts import digest

AMDKFD = ROOT / "drivers/gpu/drm/amd/amdkfd"
PURE = TESTBENCH / "pure"
EQUIVALENT_FILE = TESTBENCH / "mutants/equivalent"

NUMBER = 300
SEED = 1
WANTED = 0.95
EQUIVALENT = 0.10
PATIENCE = 4            # a case that computes so many times as long is killed
PATIENCE_S = 60         # without a word, where there is no terminal
QUICK_S = 0.02          # the cases below run at once
TIMED = {"gpreempt_decide_linear"}      # would judge by how busy the host is


def call(*command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)


def must(*command, **options):
    done = call(*command, **options)
    if done.returncode:
        sys.exit(f"check-mutants: error: '{' '.join(map(str, command))}':\n{done.stdout}")


class Native:
    """Judges the pure rooms, by their KUnit tests and the golden traces in user space.

    Each room, each suite is built once, and of a mutant nothing but its room. Suites take the
    rooms' sources in; here they find a folder in which most of these are headers only. One
    that needs a room's private parts takes that room in all the same, and is built with it.

    rooms(), inputs() and judge() are all that the rest of this file knows of a judge; the other
    one is guest.py's.
    """
    # Of the sanitizers of "make check" the one that costs nothing.
    FLAGS = ["-std=gnu11", "-w", "-O1",
             "-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]

    def __init__(self):
        self.folder = BUILD / "mutants"
        self.objects = self.folder / "objects"
        # As in PURE's Makefile: the back end's includes headers of the driver.
        self.suites = [path for path in sorted((AMDKFD / "tests").glob("*_kunit.c"))
                       if not path.name.endswith("_mes_kunit.c")]
        self.durations = {}
        self.prepared = False
        self.lock = threading.Lock()

    def rooms(self):
        sources = [*self.suites, AMDKFD / "tests/gpreempt_rooms.h"]
        names = {name for path in sources
                 for name in re.findall(r'#include "\.\./gpreempt/(\w+/\w+\.c)"', path.read_text())}
        return [AMDKFD / "gpreempt" / name for name in sorted(names)]

    @functools.cache
    def inputs(self, _room, _by):
        """All that decides about a verdict, but for the mutant."""
        compiler = call("cc", "--version").stdout
        return digest(compiler, self.FLAGS, Path(__file__),
                      *sorted((AMDKFD / "gpreempt").rglob("*.[ch]")),
                      *self.suites, *sorted((AMDKFD / "tests").glob("*.h")),
                      *sorted(path for path in PURE.rglob("*")
                              if path.suffix in (".c", ".h", ".txt")))

    def takes_in(self, room):
        return [suite for suite in self.suites
                if f'#include "../{room.relative_to(AMDKFD)}"' in suite.read_text()]

    def lay(self, folder, room=None, source=None):
        """A folder in which suites find headers, and the one room's source if they need it."""
        (folder / "tests").mkdir(parents=True)
        for path in (AMDKFD / "gpreempt").rglob("*.h"):
            header = folder / path.relative_to(AMDKFD)
            header.parent.mkdir(parents=True, exist_ok=True)
            header.symlink_to(path)
        for path in (AMDKFD / "tests").iterdir():
            if path.name != "gpreempt_rooms.h":
                (folder / "tests" / path.name).symlink_to(path)
        (folder / "tests/gpreempt_rooms.h").write_text(
            '#include "../gpreempt/core/policy.h"\n')
        if room:
            made = folder / room.relative_to(AMDKFD)
            made.parent.mkdir(exist_ok=True)
            made.write_text(source)

    def compile(self, folder, source, output):
        return call("cc", *self.FLAGS, f"-I{folder}",
                    f"-I{self.folder}/include", f"-I{PURE}/include",
                    f'-DGOLDEN_TXT="{PURE}/golden.txt"', "-c", "-o", output, source)

    def build(self):
        """All objects as they are without a mutant."""
        self.objects.mkdir()
        for source in [*self.rooms(), *self.suites, PURE / "kunit.c", PURE / "golden.c"]:
            folder, path = self.folder / "laid", source
            for room in self.rooms():
                if source in self.takes_in(room):
                    folder = self.folder / f"laid-{source.stem}"
                    self.lay(folder, room, room.read_text())
            if source in self.suites:
                path = folder / "tests" / source.name
            done = self.compile(folder, path, self.objects / f"{source.stem}.o")
            if done.returncode:
                sys.exit(f"check-mutants: error: {source}:\n{done.stdout}")
        must("cc", "-o", self.objects / "pure", *sorted(self.objects.glob("*.o")))

    def prepare(self):
        """Build, once, what all mutants share, and find out how long each case takes."""
        with self.lock:
            if self.prepared:
                return
            must("rm", "-rf", self.folder)
            self.folder.mkdir(parents=True)
            self.lay(self.folder / "laid")
            must("make", "-s", "-C", PURE, f"O={self.folder}", "headers")
            self.build()
            self.measure(self.objects / "pure")
            self.prepared = True

    def measure(self, program):
        for name in sorted({*call(program, "-l").stdout.split()} - TIMED):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            why = self.run(program, [name])
            if why:
                sys.exit(f"check-mutants: error: {why} fails without a mutant")
            self.durations[name] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def tests(self, first):
        """Lists of cases to run at once: the likely one, the quick ones, then each slow one."""
        names = sorted(self.durations, key=self.durations.get)
        quick = [name for name in names if self.durations[name] < QUICK_S]
        return [[name] for name in names if name == first] + [quick] + \
            [[name] for name in names if name not in quick]

    def run(self, program, names):
        """None, or the case that failed, or what else ended the run."""
        cpu_s = 1 + int(PATIENCE * sum(self.durations.get(name, 1) for name in names))
        done = call("sh", "-c", f'ulimit -c 0; ulimit -t {cpu_s}; exec "$@"',
                    "sh", program, "-x", *names, errors="replace")
        if not done.returncode:
            return None
        failed = re.findall(r"^ {4}not ok \d+ (\S+)", done.stdout, re.MULTILINE)
        return failed[-1] if failed else f"status {done.returncode}"

    def link(self, room, folder):
        """The program with a mutant, or None if it does not compile or is none."""
        made = {f"{room.stem}.o": folder / room.relative_to(AMDKFD)}
        for suite in self.takes_in(room):
            made[f"{suite.stem}.o"] = folder / "tests" / suite.name
        same = True
        for name, path in made.items():
            if self.compile(folder, path, folder / name).returncode:
                return None
            same = same and (folder / name).read_bytes() == (self.objects / name).read_bytes()
        if same:
            return None
        others = [path for path in sorted(self.objects.glob("*.o")) if path.name not in made]
        must("cc", "-o", folder / "pure", *others, *(folder / name for name in made))
        return folder / "pure"

    def judge(self, room, source, first):
        """The verdict of a room with this source, and what killed it: "first" is likely to."""
        self.prepare()
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name) / "laid"
            self.lay(folder, room, source)
            program = self.link(room, folder)
            if not program:
                return NONE, "does not compile, or is the same code"
            for names in self.tests(first):
                why = self.run(program, names)
                if why:
                    return KILLED, why
        return SURVIVED, ""


def known():
    """Of all the mutants that there are, what tells them apart."""
    return {mutant.ident for room in (AMDKFD / "gpreempt").rglob("*.c")
            for mutant in mutate.mutants(room.name, room.read_text())}


def read_equivalents(path, idents):
    """The reasons, by mutant. A line is "IDENT ROOM:RULE: REASON", a comment or blank."""
    reasons = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        ident, _, reason = line.partition(" ")
        if ident not in idents:
            sys.exit(f"check-mutants: error: {path.name}:{number}: there is no mutant {ident}")
        if ident in reasons:
            sys.exit(f"check-mutants: error: {path.name}:{number}: {ident} stands here twice")
        if not reason.strip():
            sys.exit(f"check-mutants: error: {path.name}:{number}: no reason")
        reasons[ident] = reason.strip()
    return reasons


def spread(rooms, number):
    """How many mutants of each room: by its lines of code."""
    lines = {room: mutate.code_lines(room.read_text()) for room in rooms}
    return {room: round(number * count / sum(lines.values())) for room, count in lines.items()}


class Run:
    """One run: the mutants that were drawn, and what became of each."""

    def __init__(self, judges, seed, jobs):
        self.judges = {room: judge for judge in judges for room in judge.rooms()}
        self.jobs = jobs
        self.seed = seed
        self.sources = {room: room.read_text() for room in self.judges}
        self.found = {room: mutate.mutants(room.name, text)
                      for room, text in self.sources.items()}
        self.verdicts = {}      # (verdict, by what), by mutant
        self.progress = Progress()

    def kept(self, room, mutant):
        """(verdict, by what): the verdict None if the mutant is to be judged anew."""
        found = verdicts.read(mutant.ident)
        if not found:
            return None, ""
        key = self.key(room, mutant, found["by"])
        return found["verdict"] if found["key"] == key else None, found["by"]

    def key(self, room, mutant, by):
        return digest(self.judges[room].inputs(room, by), mutant.apply(self.sources[room]))

    def judge_one(self, room, mutant):
        verdict, by = self.kept(room, mutant)
        if verdict:
            return verdict, by, False
        verdict, by = self.judges[room].judge(room, mutant.apply(self.sources[room]), by)
        verdicts.write(mutant.ident, key=self.key(room, mutant, by), verdict=verdict, by=by)
        return verdict, by, True

    def judge_all(self, todo):
        """The verdicts of all these (room, mutant)."""
        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        results = {pool.submit(self.judge_one, *one): one[1] for one in todo}

        def take(future):
            *self.verdicts[results.pop(future)], anew = future.result()
            return anew
        try:
            for future in concurrent.futures.as_completed(results):
                anew = take(future)
                self.progress.tell(self.verdicts, len(results), anew)
        finally:
            # as_completed() has no order: some that were judged before it failed may be left
            pool.shutdown(wait=False, cancel_futures=True)
            for future in [*results]:
                if future.done() and not future.cancelled() and not future.exception():
                    take(future)

    def draw(self, number):
        """
        Judge so many mutants, spread over the rooms by their lines, and as far as it gets: of
        each room the same part.
        """
        wanted = spread(self.sources, number)
        order = {room: mutate.order(found, self.seed) for room, found in self.found.items()}
        taken = dict.fromkeys(order, 0)
        while True:
            todo = []
            for room, mutants in order.items():
                real = sum(self.verdicts[m][0] != NONE for m in mutants[:taken[room]])
                more = mutants[taken[room]:][:wanted[room] - real]
                taken[room] += len(more)
                todo += [(n / len(more), room, mutant) for n, mutant in enumerate(more)]
            if not todo:
                return
            self.judge_all([one[1:] for one in sorted(todo)])


class Progress:
    """What is said of a run while it goes on: always on a terminal, else now and then."""

    def __init__(self):
        self.begun = self.said = time.monotonic()
        self.anew = 0           # judged by this run

    def tell(self, judged, left, anew):
        self.anew += anew
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if not terminal and now - self.said < PATIENCE_S:
            return
        self.said = now
        count = collections.Counter(verdict for verdict, _ in judged.values())
        text = f"{len(judged)} judged, {count[SURVIVED]} survived, {left} left"
        if self.anew and left:
            text += f", {(now - self.begun) / self.anew * left / 60:.0f} min to go"
        print(f"\r{text}\033[K" if terminal else text, end="" if terminal else "\n",
              file=sys.stderr, flush=True)


def report(judged, reasons):
    """Print what survived, and the table; True if the tests are good enough."""
    table = collections.defaultdict(collections.Counter)
    wrong = 0
    OUT.joinpath("mutants").mkdir(parents=True, exist_ok=True)
    with open(OUT / "mutants/results.tsv", "w", encoding="utf-8") as file:
        for mutant, (verdict, by) in sorted(judged.items()):
            if verdict == NONE:
                continue
            if mutant.ident in reasons and verdict == KILLED:
                print(f"wrong: {mutant.ident} is said to be equivalent, {by} kills it: {mutant}")
                wrong += 1
            elif mutant.ident in reasons:
                verdict, by = EQUAL, reasons[mutant.ident]
            elif verdict == SURVIVED:
                print(f"survived: {mutant.ident} {mutant}")
            table[mutant.room][verdict] += 1
            print(mutant.ident, verdict, by, mutant, sep="\t", file=file)
    total = sum(table.values(), collections.Counter())
    print(f"{'room':20} mutants  killed  survived  equivalent")
    for room, count in [*sorted(table.items()), ("all", total)]:
        print(f"{room:20} {sum(count.values()):7} {count[KILLED]:7} {count[SURVIVED]:9} "
              f"{count[EQUAL]:11}")
    others = total[KILLED] + total[SURVIVED]
    part = 100 * total[KILLED] / max(others, 1)
    print(f"{part:.1f} % of those that are not equivalent were killed")
    return not wrong and total[KILLED] >= WANTED * others and \
        total[EQUAL] <= EQUIVALENT * sum(total.values())


def interrupted(number, _):
    raise KeyboardInterrupt(signal.Signals(number).name)


def main():
    parser = argparse.ArgumentParser(
        description="How many small mistakes in the driver do its tests find?")
    parser.add_argument("--guest", action="store_true",
                        help="in all rooms of the driver, those that need the kernel in guests: "
                        "some hours. What was judged is told when it is interrupted, and kept")
    parser.add_argument("--number", type=int, default=NUMBER, help=f"of mutants, default {NUMBER}")
    parser.add_argument("--seed", type=int, default=SEED, help="draws others")
    parser.add_argument("--jobs", type=int,
                        default=int(os.environ.get("JOBS") or len(os.sched_getaffinity(0))),
                        help="mutants at a time; JOBS of the environment is the default")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupted)
    begun = time.monotonic()
    pure = Native()
    run = Run([pure, Guest(pure)] if options.guest else [pure], options.seed, options.jobs)
    reasons = read_equivalents(EQUIVALENT_FILE, known())
    ended = None
    try:
        run.draw(options.number)
    except (KeyboardInterrupt, SystemExit) as why:
        ended = why
    good = report(run.verdicts, reasons)
    print(f"{time.monotonic() - begun:.0f} s")
    if ended:
        print(f"check-mutants: ended before all were judged: {ended}", flush=True)
    sys.stdout.flush()
    # Threads that still judge end here, and their guests with them.
    os._exit(not good or ended is not None)
