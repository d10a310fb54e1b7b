# SPDX-License-Identifier: GPL-2.0
"""Does each part of the series work on top of those before it? check-parts [PART...]

TAP: a kernel as it is after a part is built and booted in a guest; its KUnit tests pass, and
so do the kselftests that the part adds or changes.
"""
import argparse
import os
import re
import subprocess
from pathlib import Path

from testbench import patchset
from testbench.paths import BASE, CACHE, OUT, SCRIPTS, in_guest, inside
from testbench.suites import DEAD, NO_STALL, SLOW_GPU

TESTS = "tools/testing/selftests/kfd_gpreempt/"
KUNIT = "drivers/gpu/drm/amd/amdkfd/tests/"
LIMIT_S = 3000      # of the guest's time
# Tests that want a guest of their own, with which options, and the script that runs them.
ALONE = {
    "coexist_test": (["--model", "--vram-mb 256"], "selftests"),
    "fault_test": (DEAD, "patient"),
    "bypass_test": (NO_STALL, "patient"),
    "counted_test": (SLOW_GPU, "selftests"),
}
# What runs where there is no runlist.
NO_HWS = ["--append", "amdgpu.sched_policy=2"]
REGISTERS = ("aql_test", "preempt_test", "toggle_test")


def parts(patches):
    """The parts in their order, and how many patches there are up to the end of each."""
    return {p.part: n for n, p in enumerate(patches, 1)}


def programs(patches, part, there):
    """The kselftests that a part adds or changes, of those that run with all others."""
    touched = {name for p in patches if p.part == part
               for name in [*p.grows, *(dst for _, dst in p.added)]}
    return sorted(name for name in there if f"{TESTS}{name}.c" in touched)


def gen_progs(makefile):
    """The programs in a kselftest Makefile that run with all others."""
    text = Path(makefile).read_text().replace("\\\n", " ")
    return {name for line in re.findall(r"^TEST_GEN_PROGS [:+]= (.*)", text, re.M)
            for name in line.split()}


def guests(patches, part, stage):
    """The guests to boot: name, options, command."""
    modules = sorted(re.search(r"kfd_gpreempt_(\w+)_kunit", p.name)[1]
                     for p in (stage / KUNIT).glob("*_kunit.c"))
    yield "kunit", ["--no-gpu", "--append", "kunit.enable=1"], [inside("kunit"), *modules]
    built = in_guest(stage.parent / "selftests")
    tests = programs(patches, part, gen_progs(stage / TESTS / "Makefile"))
    together = [f"{built}/{t}" for t in tests if t not in ALONE]
    if together:
        yield "kselftests", [], [inside("selftests"), *together]
    for t in tests:
        if t in ALONE:
            options, script = ALONE[t]
            yield t, options, [inside(script), f"{built}/{t}"]
    if any("hqd.c" in dst for p in patches if p.part == part for _, dst in p.added):
        yield "no-hws", NO_HWS, [inside("selftests"), *(f"{built}/{t}" for t in REGISTERS)]


def run(env, command):
    """The output of a command, and whether it succeeded and nothing was skipped."""
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    bad = re.search(r"^\s*(not ok|Bail out)|# SKIP", done.stdout, re.M)
    return done.stdout, not done.returncode and not bad


def main():
    patches = patchset.load(BASE)
    upto = parts(patches)
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("part", nargs="*", choices=[[], *upto], default=[])
    asked = p.parse_args().part
    count = failed = 0
    for part in asked or upto:
        out = OUT / f"part-{part}"
        env = os.environ | {"OUT_DIR": str(out), "PATCHES": str(upto[part]),
                            "TREE": str(CACHE / f"build/series-{BASE}")}
        steps = [("builds", [SCRIPTS / "kernel"])]
        while steps:
            name, command = steps.pop(0)
            said, good = run(env, command)
            count += 1
            failed += not good
            for line in said.splitlines() if name == "builds" or not good else ():
                print("#", line)
            passed = len(re.findall(r"^\s*ok ", said, re.M))
            print(f"{'ok' if good else 'not ok'} {count} - {part}: {name}"
                  + (f", {passed} passed" if passed else ""), flush=True)
            if name == "builds" and good:
                steps = [(guest, [SCRIPTS / "guest", "--name", guest, "--timeout", str(LIMIT_S),
                                  *options, "--", *line])
                         for guest, options, line in guests(patches, part, out / "build/stage")]
    print(f"1..{count}")
    raise SystemExit(bool(failed))
