# SPDX-License-Identifier: GPL-2.0
"""Judges mutants of the rooms that need the kernel: in a guest with an amdgpu.ko of their own.

Of a mutant one object is compiled, with what kbuild noted down, and the module linked again.
Tests are those of scripts/check, cut into small ones: each boots a guest for itself, so that
what it finds does not depend on what ran before, and ends at the first result that is bad. It
has to pass without a mutant first. A test that computes four times as long then has found it.
"""
import collections
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from testbench import eventlog, suites, verdicts
from testbench.mutate import KILLED, NONE, SURVIVED
from testbench.paths import BUILD, GUEST, INSIDE, MODEL, OUT, ROOT, SCRIPTS, inside, program
from testbench.tap import Tally
from testbench.verdicts import digest

DRIVER = "drivers/gpu/drm/amd/amdkfd"
MODULE = "drivers/gpu/drm/amd/amdgpu/amdgpu"
LOCKS = SCRIPTS / "testbench/locks.h"
KUNIT = "kfd_gpreempt_mes_kunit"
SELFTESTS = ROOT / "tools/testing/selftests/kfd_gpreempt"

PATIENCE = 4            # times as long on the host's CPU
BOOT_S = 20             # of a CPU, at most
UNKNOWN_S = 120         # likewise, of a test that did not run yet: it runs without a mutant, too
# A guest that was ended from outside says nothing about its driver.
ENDED = 128


class Test(NamedTuple):
    """A boot: options of the guest, and what runs there."""
    command: list
    options: list = []

    def programs(self):
        return sorted(set(re.findall(r"selftests/(\w+)", shlex.join(map(str, self.command)))))


def selftests(*names, options=()):
    return Test([inside("selftests"), *map(program, names)], [*options])


NO_HWS = ["--append", "amdgpu.sched_policy=2"]
TESTS = {
    "mes": Test([inside("kunit"), "mes"], ["--no-gpu", "--append", "kunit.enable=1"]),
    "files": selftests("sysfs_test", "abi_test"),
    "ioctl": selftests("ioctl_test", "ioctl_op_test", "ioctl_priority_test"),
    "ioctl-others": selftests("ioctl_permission_test", "ioctl_share_test", "ioctl_range_test"),
    "cgroups": selftests("ioctl_cgroup_test"),
    "fdinfo": selftests("fdinfo_test"),
    "ioctl-many": selftests("ioctl_many_test", "ioctl_context_test"),
    "requests": selftests("ioctl_preempt_test", "ioctl_wait_test"),
    "preempt": selftests("preempt_test"),
    "inversion": selftests("inversion_test"),
    "policy": selftests("policy_test"),
    "badinput": selftests("badinput_test"),
    "monitor": selftests("monitor_test"),
    "pm4": selftests("pm4_test"),
    "debug": selftests("debug_test"),
    "oversubscribe": selftests("oversubscribe_test"),
    "culprit": selftests("culprit_test"),
    "evade": selftests("evade_test"),
    "fuzz": selftests("fuzz_test"),
    "seeing": Test([program("seeing_test")]),
    "shares": Test([program("shares_test")]),
    "coexist": selftests("coexist_test", options=["--model", "--vram-mb 256"]),
    "reset": selftests("reset_test", options=["--model", "--vram-mb 256"]),
    "bypass": Test([inside("patient"), program("bypass_test")], suites.NO_STALL),
    # all of it but what is about stock's cost, about thousands of processes, and two of the loops:
    # the rest takes minutes
    "disturb": Test([program("disturb_test"), *(
        word for test in ("mappings", "open_beside_chain", "open_beside_defaults")
        for word in ("-T", test)), *(
        word for loop in ("process_default", "default_without_queue", "doorbell", "hint", "update")
        for word in ("-V", loop))], suites.NO_STALL),
    "cwsr-off": Test([program("cwsr_off_test")], ["--append", "amdgpu.cwsr_enable=0"]),
    "unbind": Test([program("unbind_test"), "-t", "while_preempted"]),
    "failslab": Test([program("failslab_test")]),
    "unbind-asked": Test([program("unbind_test"), "-t", "while_asked"],
                         ["--append", "slub_debug=PU"]),
    "rebind": Test(*suites.REBIND),
    "second-gpu": Test(*suites.SECOND_GPU),
    "counted": Test([program("counted_test")], suites.SLOW_GPU),
    "unload": Test([inside("unload"), program("unload_test")]),
    "suspend": Test(suites.ASLEEP),
    "no-hws": selftests("preempt_test", options=NO_HWS),
    "no-hws-culprit": selftests("culprit_test", options=NO_HWS),
    "no-hws-requests": selftests("ioctl_preempt_test", "ioctl_wait_test", options=NO_HWS),
    "two-dies": selftests("preempt_test", options=["--model", f"{suites.MI300X} --cwsr mixed"]),
    "gpus": Test([inside("together"), str(suites.GPUS), *suites.PREEMPTED],
                 ["--gpus", str(suites.GPUS), *suites.COARSE, "--append", "amdgpu.gpreempt=1",
                  "--model", "--cus-per-engine 1"]),
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
    "gfx_v9": "inversion preempt monitor two-dies oversubscribe evade pm4 policy no-hws",
    "hqd": "no-hws no-hws-requests no-hws-culprit",
    "hws": "requests preempt bypass culprit policy coexist evade failslab",
    "ioctl": "ioctl cgroups ioctl-many ioctl-others requests files fuzz",
    "mes": "mes",
    "monitor": "inversion preempt monitor requests seeing policy bypass evade disturb culprit "
               "suspend failslab",
    "node": "files inversion preempt ioctl debug culprit bypass reset unload rebind unbind "
            "unbind-asked cwsr-off suspend disturb gpus second-gpu failslab",
    "queue": "ioctl cgroups preempt requests policy coexist ioctl-others files debug evade "
             "unbind-asked failslab culprit",
    "queue_sysfs": "files ioctl requests ioctl-others policy fuzz unbind-asked",
    "request": "requests ioctl ioctl-many ioctl-others preempt disturb policy bypass debug "
               "no-hws-requests second-gpu",
    "scan": "inversion preempt badinput monitor seeing evade pm4 policy oversubscribe counted",
    "single": "mes no-hws no-hws-requests no-hws-culprit",
    "sysfs": "files ioctl preempt policy monitor seeing fuzz unload rebind unbind gpus",
    "target": "ioctl-many ioctl-others ioctl requests fuzz failslab",
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
            for script in "kernel", "mutants-tree":
                done = subprocess.run([SCRIPTS / script], stdout=subprocess.PIPE, text=True,
                                      check=False)
                if done.returncode:
                    fail(f"{script} failed")
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
                INSIDE / "init", *sorted((SCRIPTS / "testbench/guest").glob("*.py")),
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
        scripts = [path for path in sorted(INSIDE.iterdir()) if inside(path.name) in test.command]
        shared = [path for path in SELFTESTS.iterdir()
                  if path.is_file() and not path.stem.endswith("_test")]
        return [*(str(word) for word in [*test.command, *test.options]), *scripts,
                *([self.suite()] if name == "mes" else sorted(shared)),
                *(SELFTESTS / f"{each}.c" for each in test.programs())]

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
        command = [GUEST, "--name", out, "--over", over, "--timeout", "600", *test.options,
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
