# SPDX-License-Identifier: GPL-2.0
"""The debug kernel's checkers report, and the guest fails for it."""
import re
import subprocess

from testbench.check.parts import guest
from testbench.guest import splats
from testbench.paths import RESULTS, inside

# What makes each checker of the debug kernel report (inside/canary), and the kinds of
# report (splats.py). Lockdep goes first: it gives up when others have reported.
CANARIES = {
    "WARNING": ["warning"],
    "SPINLOCKUP": ["warning", "bug"],
    "WRITE_AFTER_FREE": ["memory access"],
    "ARRAY_BOUNDS": ["undefined behaviour"],
    "CORRUPT_LIST_ADD": ["list"],
    "kmemleak-test": ["leak"],
}


def run():
    out = RESULTS / "canary"
    done = subprocess.run(
        guest(inside("canary/canary"), *CANARIES, options=["--no-gpu"]).argv("canary"),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    parts = re.split(r"^.*## (.*)$", (out / "console.log").read_text(errors="replace"), flags=re.M)
    said = dict(zip(parts[1::2], parts[2::2]))
    leaks = (out / "kmemleak").read_text() if (out / "kmemleak").exists() else ""
    for n, (fault, kinds) in enumerate(CANARIES.items(), 1):
        found = splats.reports(said.get(fault, "")) + splats.leaks(leaks)
        good = {r.kind for r in found}.issuperset(kinds)
        yield f"{'ok' if good else 'not ok'} {n} - {', '.join(kinds)}: {fault}"
    good = done.returncode == 125 and "the kernel reported" in done.stderr
    yield f"{'ok' if good else 'not ok'} {len(CANARIES) + 1} - the guest fails for them"
    yield f"1..{len(CANARIES) + 1}"
