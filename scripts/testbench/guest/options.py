# SPDX-License-Identifier: GPL-2.0
"""What bench guest is told."""
import argparse
import os
from pathlib import Path


def number(kind, low, high):
    """For an option's value."""
    def value(text):
        try:
            if low <= kind(text) <= high:
                return kind(text)
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from {low} to {high}")
    return value


def parse(doc):
    p = argparse.ArgumentParser(usage=doc.split("usage: ")[1].split("\n\n")[0],
                                description=doc.split("\n\n")[2])
    p.add_argument("--name", default="run", help="results go to out/NAME")
    p.add_argument("--kernel", default=os.environ.get("KERNEL", ""),
                   help="debug or kcsan: a kernel that checks itself; cov: one that counts the lines "
                   "it runs; debian: as check-deb has left it (default $KERNEL, or none)")
    p.add_argument("--real-time", action="store_true",
                   default=os.environ.get("REALTIME", "0") not in ("", "0"),
                   help="the host's clock counts, and the model's threads run at the same time: "
                   "for what is about threads; no figure counts then (default $REALTIME)")
    p.add_argument("--quantum-us", type=number(float, 1, 10**6), default=10,
                   help="in virtual time: how far guest and model may run past each other (default 10)")
    # As fast as QEMU counts, and near a server's core in cold kernel code (3 GHz and 0.33
    # instructions a clock); a hot loop is 2.5 times faster there.
    p.add_argument("--shift", type=number(int, 0, 10), default=0,
                   help="in virtual time: an instruction of the guest takes 2^SHIFT ns; CPUs that are "
                   "busy at the same time share that (default 0)")
    p.add_argument("--seed", type=number(int, 0, 2**64 - 1), default=1,
                   help="in virtual time: of what is random in QEMU (default 1)")
    p.add_argument("--module", choices=["gpreempt", "stock", "none"], default="gpreempt")
    p.add_argument("--no-load", action="store_true",
                   help="leave 'modprobe amdgpu' to the command")
    p.add_argument("--gpus", type=int, default=1, help="models (default 1)")
    p.add_argument("--no-gpu", action="store_const", const=0, dest="gpus",
                   help="no model; amdgpu is not loaded")
    p.add_argument("--append", default="", help="more of the kernel command line")
    p.add_argument("--model", default="", help="more options for gpu-model")
    p.add_argument("--model-build", default="gpu-model", metavar="NAME",
                   help="run the gpu-model of out/build/NAME (default %(default)s)")
    p.add_argument("--no-log", action="store_true",
                   help="no event log: its lock orders the model's threads, and would hide "
                   "their races from the thread sanitizer")
    p.add_argument("--timeout", type=number(int, 1, 10**6), default=300,
                   help="seconds of the guest's time; of the host's it may take some times as many, "
                   "so that only what hangs is ended (default 300)")
    p.add_argument("--memory", type=int, default=2048, help="MB (default 2048)")
    p.add_argument("--cpus", type=int, default=2)
    p.add_argument("--input", type=Path,
                   help="a folder whose files the command finds in /out")
    p.add_argument("--over", type=Path,
                   help="a folder whose files lie over those of the guest's own root")
    p.add_argument("--root", type=Path,
                   help="a folder of the host, read-only in the guest as 9p's mount_tag root")
    p.add_argument("--suite", default="",
                   help="of bench check: what this suite is known for on stock amdgpu is let pass "
                   "(splats.py)")
    p.add_argument("--splat-ok", type=Path, metavar="FILE",
                   help="what is like a report in FILE is let pass, unless it names gpreempt; with "
                   "--module stock all reports are added to it before: of one run of something on "
                   "stock and on GPREEMPT")
    p.add_argument("--shell", action="store_true", help="an interactive shell")
    p.add_argument("command", nargs="*")
    args = p.parse_args()
    if not args.command and not args.shell:
        p.error("no command (or --shell)")
    return args
