# SPDX-License-Identifier: GPL-2.0
"""Every ioctl answers as it does in a kernel built without GPREEMPT."""
import subprocess

from testbench.check.parts import guest
from testbench.paths import kselftest


def run():
    answers = {}
    for module in "stock", "gpreempt":
        done = subprocess.run(
            guest(kselftest("control/errnos"), options=["--module", module], name=module).argv("errnos"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        yield from ("# " + line for line in done.stderr.splitlines())
        if done.returncode or not done.stdout:
            yield f"not ok 1 - errnos on {module}: status {done.returncode}"
            return
        answers[module] = done.stdout.splitlines()
    differ = [f"# {a} / {b}" for a, b in zip(*answers.values()) if a != b]
    yield from differ
    good = answers["stock"] == answers["gpreempt"]
    yield f"{'ok' if good else 'not ok'} 1 - {len(answers['stock'])} answers as without GPREEMPT"
    yield "1..1"
