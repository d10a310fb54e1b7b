# SPDX-License-Identifier: GPL-2.0
"""Judges mutants of the rooms that need the kernel: in a guest with an amdgpu.ko of their own.

Of a mutant one object is compiled, with what kbuild noted down, and the module linked again.
Tests are those of bench check, cut into small ones: each boots a guest for itself, so that
what it finds does not depend on what ran before, and ends at the first result that is bad. It
has to pass without a mutant first. A test that computes four times as long then has found it.
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from testbench import suites
from testbench.check.parts import guest
from testbench.check.tap import Tally
from testbench.events import eventlog
from testbench.mutants import verdicts
from testbench.mutants.mutate import KILLED, NONE, SURVIVED
from testbench.mutants.verdicts import digest
from testbench.paths import (BUILD, GUEST, KSELFTEST, MODEL, OUT, ROOT, SELFTESTS, TESTBENCH, bench,
                             guests_scripts, in_guest, inside)

DRIVER = "drivers/gpu/drm/amd/amdkfd"
MODULE = "drivers/gpu/drm/amd/amdgpu/amdgpu"
LOCKS = TESTBENCH / "mutants/locks.h"
KUNIT = "kfd_gpreempt_mes_kunit"

PATIENCE = 4            # times as long on the host's CPU
BOOT_S = 20             # of a CPU, at most
UNKNOWN_S = 120         # likewise, of a test that did not run yet: it runs without a mutant, too
# A guest that was ended from outside says nothing about its driver.
ENDED = 128


def programs(test):
    """The kselftests that run in a guest, by folder and name."""
    folder = re.escape(in_guest(KSELFTEST))
    return sorted({m[1] for word in test.command if (m := re.fullmatch(rf"{folder}/(\w+/\w+)", word))})


def selftests(folder, names, options=()):
    return suites.selftests(*suites.of(folder, names), options=options)


TESTS = {
    "mes": guest(inside("kunit/kunit"), "mes", options=suites.boot("kunit").options),
    "files": selftests("control", "sysfs abi"),
    "ioctl": selftests("control", "ioctl ioctl_op ioctl_priority"),
    "ioctl-others": selftests("control", "ioctl_permission ioctl_share ioctl_range"),
    "cgroups": selftests("control", "ioctl_cgroup"),
    "fdinfo": selftests("control", "fdinfo"),
    "ioctl-many": selftests("control", "ioctl_many ioctl_context"),
    "requests": selftests("control", "ioctl_preempt ioctl_wait"),
    "preempt": selftests("queue", "preempt"),
    "inversion": selftests("queue", "inversion"),
    "policy": selftests("queue", "policy"),
    "badinput": selftests("queue", "badinput"),
    "monitor": selftests("machine", "monitor"),
    "pm4": selftests("machine", "pm4"),
    "debug": selftests("machine", "debug"),
    "grace": selftests("machine", "grace"),
    "oversubscribe": selftests("machine", "oversubscribe"),
    "culprit": selftests("machine", "culprit"),
    "evade": selftests("control", "evade"),
    "fuzz": selftests("control", "fuzz"),
    "seeing": suites.boot("seeing"),
    "shares": suites.boot("shares"),
    "coexist": selftests("queue", "coexist", suites.SMALL_VRAM),
    "reset": selftests("machine", "reset", suites.SMALL_VRAM),
    "bypass": suites.boot("bypass"),
    # all of it but what is about stock's cost, about thousands of processes, and two of the loops:
    # the rest takes minutes
    "disturb": guest(*suites.of("machine", "disturb"), *(
        word for test in ("mappings", "open_beside_chain") for word in ("-T", test)), *(
        word for loop in ("process_default", "default_without_queue", "doorbell", "hint", "update")
        for word in ("-V", loop)), options=suites.NO_STALL),
    "cwsr-off": suites.boot("cwsr-off"),
    "unbind": suites.boot("unbind", "while_preempted"),
    "failslab": suites.boot("failslab"),
    "unbind-asked": suites.boot("unbind", "while_asked"),
    "rebind": suites.boot("unbind", "rebind"),
    "second-gpu": suites.boot("wake"),
    "counted": suites.boot("counted"),
    "unload": suites.boot("unload"),
    "suspend": suites.boot("suspend"),
    "no-hws-grace": suites.boot("grace-no-hws"),
    "no-hws": selftests("queue", "preempt", suites.NO_HWS),
    "no-hws-culprit": selftests("machine", "culprit", suites.NO_HWS),
    "no-hws-requests": selftests("control", "ioctl_preempt ioctl_wait", suites.NO_HWS),
    "two-dies": selftests("queue", "preempt", suites.DIES),
    "gpus": suites.boot("selftests-gpus"),
    "gfx1100": suites.boot("selftests-gfx1100", "preempt"),
}
# What judges a room, the likely and quick ones first.
ROOMS = {
    "account": "seeing files monitor preempt policy requests bypass culprit ioctl",
    "cgroup": "cgroups",
    "commit": "mes requests preempt policy culprit bypass coexist no-hws no-hws-culprit seeing "
              "failslab",
    "inherit": "ioctl-others cgroups ioctl policy files fuzz coexist failslab",
    "doorbell": "preempt disturb monitor coexist evade fuzz unbind gpus failslab",
    "enable": "files inversion preempt debug bypass reset unload unbind unbind-asked suspend "
              "disturb",
    "event": "preempt bypass files monitor requests",
    "fdinfo": "fdinfo",
    "gfx_v11": "gfx1100",
    "gfx_v9": "inversion preempt monitor two-dies oversubscribe evade pm4 policy no-hws",
    "grace": "grace no-hws-grace",
    "hqd": "no-hws no-hws-requests no-hws-culprit",
    "hws": "requests preempt bypass culprit policy coexist evade grace failslab",
    "ioctl": "ioctl cgroups ioctl-many ioctl-others requests files fuzz",
    "mes": "mes",
    "monitor": "inversion preempt monitor requests seeing policy bypass evade disturb culprit "
               "reset suspend failslab",
    "node": "files inversion preempt ioctl debug culprit bypass reset unload rebind unbind "
            "unbind-asked cwsr-off suspend disturb gpus second-gpu failslab",
    "queue": "ioctl cgroups preempt requests policy coexist ioctl-others files debug evade "
             "unbind-asked failslab culprit",
    "queue_sysfs": "files ioctl requests ioctl-others policy fuzz unbind-asked",
    "request": "requests ioctl ioctl-many ioctl-others preempt disturb policy bypass debug "
               "no-hws-requests second-gpu",
    "scan": "inversion preempt badinput monitor seeing evade pm4 policy oversubscribe counted",
    "single": "mes no-hws no-hws-requests no-hws-culprit",
    "slots": "inversion preempt monitor two-dies oversubscribe evade pm4 policy no-hws",
    "sysfs": "files ioctl grace no-hws-grace preempt policy monitor seeing fuzz unload rebind unbind "
             "gpus",
    "target": "ioctl-many ioctl-others ioctl requests cgroups fuzz failslab",
    "terms": "ioctl requests cgroups ioctl-others preempt policy debug coexist bypass evade culprit",
}


def fail(text):
    sys.exit(f"check-mutants: error: {text}")


def saved(path):
    """The command by which kbuild made a file, but for its cache and its dependencies."""
    line = path.with_name(f".{path.name}.cmd").read_text().splitlines()[0]
    return re.sub(r"-Wp,-MMD,\S+ |\bccache ", "", line.partition(" := ")[2])


class Guest:
    """The judge of what is not pure."""

    def __init__(self, pure):
        self.pure = {room.stem for room in pure.rooms()}
        self.folder = BUILD / "mutants-guest"
        self.tree = None                # kbuild's objects
        self.base = None                # a hash of all that every test needs
        self.tests = {}                 # a hash of each
        self.seconds = {}               # of a CPU, by test
        self.tried = collections.Counter()      # by room and test
        self.kills = collections.Counter()
        self.lock = threading.Lock()
        self.locks = {name: threading.Lock() for name in TESTS}
        self.number = 0

    def rooms(self):
        return [room for room in sorted((ROOT / DRIVER / "gpreempt").rglob("*.c"))
                if room.stem not in self.pure]

    def prepare(self):
        """Build, once, what all mutants share."""
        with self.lock:
            if self.tree:
                return
            # As they are now: somebody may write new ones while these run.
            self.tests = {name: digest(*self.sources(name)) for name in TESTS}
            for command in bench("kernel"), [TESTBENCH / "mutants/tree"]:
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
                if done.returncode:
                    fail(f"{command[-1]} failed")
            tree = Path(done.stdout.splitlines()[-1])
            release = (tree / "include/config/kernel.release").read_text().strip()
            self.places = {MODULE: "lib/gpreempt/amdgpu-gpreempt.ko",
                           f"{DRIVER}/tests/{KUNIT}":
                           f"lib/modules/{release}/kernel/{DRIVER}/tests/{KUNIT}.ko"}
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.tree = tree
            self.seconds = {name: kept["seconds"] for name in TESTS
                            if (kept := verdicts.read(f"test-{name}"))}
            self.link(self.rooms()[0], self.plain(self.rooms()[0]), self.folder / "over")
            self.base = digest(
                OUT / "guest/bzImage", self.folder / "over" / self.places[MODULE],
                TESTBENCH / "guest/inside/init", *sorted((TESTBENCH / "guest").glob("*.py")),
                *sorted(path for path in MODEL.rglob("*")
                        if path.suffix in (".c", ".h") and "tests" not in path.parts))

    def plain(self, room):
        """The object of a room as it is."""
        made = self.folder / f"{room.stem}.o"
        if not made.exists():
            part = made.with_suffix(f".{threading.get_ident()}")
            if not self.compile(room, self.object(room), room.read_text(), part):
                fail(f"{room} does not compile")
            part.replace(made)
        return made

    def part(self, room):
        """Where a room stands in the driver."""
        return room.relative_to(ROOT / DRIVER)

    def object(self, room):
        return self.tree / "drivers/gpu/drm/amd/amdgpu/../amdkfd" / self.part(room).with_suffix(".o")

    def shell(self, command, **options):
        return not subprocess.run(["sh", "-c", command], cwd=self.tree, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  **options).returncode

    def compile(self, room, made, text, output):
        """A source that stands nowhere, with the room's text in it, as kbuild made that object;
        False if it is no C."""
        command = saved(made.parent.resolve() / made.name)
        compiler, source = re.match(r"(.*) -c -o \S+ (\S+)", command).groups()
        folder = (self.tree / source).parent
        good = self.shell(f"{compiler} -include {LOCKS} -iquote {folder} "
                          f"-iquote {folder}/../{self.part(room).parent} -c -o {output} -x c -",
                          text=True, input=f'# 1 "{source}"\n{text}')
        if good and (tool := re.search(r"; (\S*objtool .*) \S+$", command)):
            good = self.shell(f"{tool[1]} {output}")
        return good

    def link_module(self, name, made, over):
        """NAME.ko of NAME.o, which stands elsewhere."""
        target = over / self.places[name]
        target.parent.mkdir(parents=True)
        command = saved(self.tree / f"{name}.ko").replace(f" {name}.o", f" {made}")
        return self.shell(command.replace(f"-o {name}.ko", f"-o {target}"))

    def link(self, room, made, over):
        """The module with another object of a room."""
        listed = over.with_name("list")
        listed.parent.mkdir(parents=True, exist_ok=True)
        old = os.path.normpath(f"{DRIVER}/{self.part(room).with_suffix('.o')}")
        listed.write_text("".join(
            f"{made if os.path.normpath(line) == old else line}\n"
            for line in (self.tree / f"{MODULE}.mod").read_text().split()))
        whole = over.with_name("amdgpu.o")
        command = saved(self.tree / f"{MODULE}.o")
        command = command.replace(f"{MODULE}.mod", str(listed))
        command = command.replace(f"{MODULE}.o", str(whole))
        return self.shell(command) and self.link_module(MODULE, whole, over)

    def suite(self):
        return ROOT / DRIVER / f"tests/{KUNIT}.c"

    def taken_in(self, room):
        """Where the KUnit suite of the back end mes takes a room in."""
        return f'#include "../{self.part(room)}"\n'

    def make(self, room, source, folder):
        """A mutant's modules in folder/over; False if it does not compile or is none."""
        made = folder / f"{room.stem}.o"
        if not self.compile(room, self.object(room), source, made) or \
                made.read_bytes() == self.plain(room).read_bytes() or \
                not self.link(room, made, folder / "over"):
            return False
        before, include, after = self.suite().read_text().partition(self.taken_in(room))
        if not include:
            return True
        name = f"{DRIVER}/tests/{KUNIT}"
        made = folder / f"{KUNIT}.o"
        text = (f'{before}# 1 "{room}"\n{source}\n'
                f'# {before.count(chr(10)) + 2} "../{name}.c"\n{after}')
        return self.compile(room, self.tree / f"{name}.o", text, made) and \
            self.link_module(name, made, folder / "over")

    def sources(self, name):
        """The sources of a test: what is run in the guest, and the programs that it runs there."""
        test = TESTS[name]
        scripts = [path for path in guests_scripts() if in_guest(path) in test.command]
        shared = [path for path in SELFTESTS.rglob("*")
                  if path.is_file() and not path.stem.endswith("_test")]
        return [*(str(word) for word in [*test.command, *test.options]), *scripts,
                *([self.suite()] if name == "mes" else sorted(shared)),
                *(SELFTESTS / f"{each}.c" for each in programs(test))]

    def inputs(self, room, by):
        """
        All that decides about a verdict, but for the mutant: of one that was killed only what
        belongs to the test that did it.
        """
        self.prepare()
        names = [by.partition(":")[0]] if by else ROOMS[room.stem].split()
        return digest(self.base, *(self.tests.get(name) for name in names))

    def run(self, name, over, cpu_s):
        """(the first thing that is wrong with a test or None, seconds of a CPU)"""
        with self.lock:
            self.number += 1
            out = f"mutants/guest-{self.number}"
        test, tally = TESTS[name], Tally()
        # The cache keeps the newest images.
        os.utime(OUT / "guest")
        command = [*GUEST, "--name", out, "--over", over, "--timeout", "600", *test.options,
                   "--", *test.command]
        # A session of its own: Ctrl-C is not the guest's.
        guest = subprocess.Popen(
            ["sh", "-c", 'ulimit -c 0; ulimit -t "$0"; exec "$@"', str(cpu_s), *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True)
        ended = False
        with guest.stdout:
            for line in guest.stdout:
                tally.feed(line.rstrip("\n"))
                if (tally.failed or tally.skipped) and (OUT / out / "console.log").exists():
                    os.kill(guest.pid, signal.SIGTERM)      # terminate() might reap it
                    ended = True
                    break
        _, status, used = os.wait4(guest.pid, 0)
        guest.returncode = os.waitstatus_to_exitcode(status)
        if not ended:
            if not 0 <= guest.returncode < ENDED:
                fail(f"{name}: the guest was ended from outside")
            if not (OUT / out / "console.log").exists():
                fail(f"{name}: no guest: {' '.join(tally.remarks)}")
            tally.end(guest.returncode)
            self.check_events(tally, OUT / out)
        shutil.rmtree(OUT / out, ignore_errors=True)
        why = " ".join(tally.remarks[0].split())[:200] if tally.remarks else None
        return why, used.ru_utime + used.ru_stime

    @staticmethod
    def check_events(tally, folder):
        for path in sorted(folder.glob("events*.log")):
            if errors := eventlog.load(path, clean=False).errors:
                tally.fail(f"{path.name}: {errors[0]}")

    def limit(self, name):
        """How long a test may compute: it passes without a mutant, and takes some time."""
        with self.locks[name]:
            key = digest(self.base, self.tests[name])
            kept = verdicts.read(f"test-{name}")
            if kept.get("key") != key:
                why, seconds = self.run(name, self.folder / "over", 3600)
                if why:
                    fail(f"{name} fails without a mutant: {why}")
                kept = {"key": key, "seconds": seconds}
                verdicts.write(f"test-{name}", **kept)
        return int(PATIENCE * kept["seconds"]) + BOOT_S

    def order(self, room, first):
        """
        The tests of a room: the one that killed this mutant, then by how many of the others each
        killed and what it costs. What is listed first is taken to be good until it is known.
        """
        names = ROOMS[room.stem].split()

        def worth(name):
            kills = self.kills[room, name] + 1 / (names.index(name) + 1)
            return kills / (self.tried[room, name] + 1) / self.seconds.get(name, UNKNOWN_S)
        return sorted(names, key=lambda name: (name != first.partition(":")[0], -worth(name)))

    def judge(self, room, source, first):
        """The verdict of a room with this source, and what killed it: "first" is likely to."""
        self.prepare()
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name)
            if not self.make(room, source, folder):
                return NONE, ""
            for test in self.order(room, first):
                why, _ = self.run(test, folder / "over", self.limit(test))
                self.tried[room, test] += 1
                if why:
                    self.kills[room, test] += 1
                    return KILLED, f"{test}: {why}"
        return SURVIVED, ""
