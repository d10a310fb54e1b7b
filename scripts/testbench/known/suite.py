# SPDX-License-Identifier: GPL-2.0
"""What is let pass is reported for the stock module too, and nothing else is."""
import subprocess

from testbench.check.parts import guest
from testbench.guest import splats
from testbench.paths import KERNEL, RESULTS, inside, kselftest, program

QUEUES = [inside("guest/patient"), program("known_test")]
EXECUTED = [kselftest("machine/stock_test"), "-t", "executed"]
COMMANDS = {
    "": {"queues": QUEUES, "executed": EXECUTED},
    "debug": {
        "queues": QUEUES,
        "executed": EXECUTED,
        "unbind": [inside("known/unbind"), program("low")],
        "unload": [inside("guest/unload"), program("low"), "--seconds", "1"],
        "partition": [inside("partition/partitions"), "true"],
    },
    "kcsan": {
        "executed": EXECUTED,
        "queues": [kselftest("machine/toggle_test")],
        "readers": [inside("known/readers"), "3000"],
    },
}


def run(options, own):
    """With these options of the guest, and with a command's own."""
    seen = set()
    commands = COMMANDS.get(KERNEL, COMMANDS[""])
    for n, (name, command) in enumerate(commands.items(), 1):
        done = subprocess.run(guest(*command, options=[*options, *own.get(name, [])], name=name).argv("known"), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        yield from ("# " + line for line in (done.stdout + done.stderr).splitlines())
        yield f"{'not ok' if done.returncode else 'ok'} {n} - {name}: no other report"
        seen |= {r.known(KERNEL, "known") for r in splats.of_guest(RESULTS / "known" / name)}
    names = [k.name for k in splats.KNOWN if KERNEL in k.kernels]
    for n, name in enumerate(names, len(commands) + 1):
        yield f"{'ok' if name in seen else 'not ok'} {n} - {name}"
    yield f"1..{len(names) + len(commands)}"
