# SPDX-License-Identifier: GPL-2.0
"""Run a command in the guest, on the modelled GPU.

usage: guest [options] [--] COMMAND [ARGUMENT...]

The command runs as root in /repo, which holds the scripts in inside/ and, of the folders in
out/build, those that the command names; what it leaves in /out is in out/NAME of the
host when it has ended. Both are the guest's own memory: a host's file system would
answer at the host's time. What the command prints is printed here as it comes, and its
exit status is ours; 125 means that the guest or the model died or ran out of time. Left
in out/NAME: output (of the command), console.log (of the kernel), events.log and
model.log (of the model; of others than the first events-N.log and model-N.log). In the
guest, the virtio port named gpu-model.N takes the commands of 'gpu-model control' for
the model N.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from testbench.guest.initramfs import initramfs
from testbench.guest.model import Model
from testbench.guest.options import parse
from testbench.guest.process import die, die_with_parent
from testbench.guest.qemu import PLUGIN, clock_trouble, qemu_command
from testbench.guest.watch import Waker, follow
from testbench.paths import OUT, QEMU


def run(args, scratch):
    """Run the guest; its exit status."""
    guest = OUT / ("guest" + (args.kernel and f"-{args.kernel}"))
    out = OUT / args.name
    for need in guest / "bzImage", QEMU, PLUGIN:
        if not need.exists():
            die(f"{need} is missing: run {args.kernel and f'KERNEL={args.kernel} '}make kernel")
    os.utime(guest)     # kernel/kernel keeps those that were used last
    if not args.real_time and (why := clock_trouble()):
        print(f"guest: real time, no evidence where time counts: {why}", file=sys.stderr)
        args.real_time = True
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "output").touch()
    (out / "clock").write_text(
        "mode=real\n" if args.real_time else
        f"mode=virtual\ninsns_per_ns={2 ** -args.shift:g}\nquantum_us={args.quantum_us:g}\n"
        + (args.kernel and f"kernel={args.kernel}\n"))
    root = initramfs(args, guest)
    models = [Model(args, out, scratch, n) for n in range(args.gpus)]
    waker = Waker()
    monitor = waker.qemu_end.fileno()
    command = qemu_command(args, out, guest, root, models, monitor)
    inherits = {"preexec_fn": die_with_parent,
                "pass_fds": [monitor, root] + [m.clock for m in models if m.clock]}
    if args.shell:
        return subprocess.run(command, check=False, **inherits).returncode
    qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **inherits)
    waker.qemu_end.close()
    try:
        trouble = follow(args, out, qemu, models, waker)
    finally:
        qemu.kill()
        complaints = [model.stop() for model in models]
    trouble = trouble or next(filter(None, complaints), None)
    if trouble:
        said = "".join(f"\n{m.log.name}: {m.last_words()}" for m in models if m.last_words())
        die(f"{args.name}: {trouble}{said}")
    return int((out / "status").read_text())


def main():
    args = parse(__doc__)
    for number in signal.SIGTERM, signal.SIGINT:
        signal.signal(number, lambda which, _: sys.exit(128 + which))
    die_with_parent(signal.SIGTERM)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="gpreempt-", dir=memory) as scratch:
        sys.exit(run(args, Path(scratch)))
