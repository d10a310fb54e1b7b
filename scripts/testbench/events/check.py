# SPDX-License-Identifier: GPL-2.0
"""Check an event log of the GPU model: no wave lost, repeated or displaced.

The rules are in eventlog.py. Exits with 1 if one is broken, if anything went
wrong in the log without --mishaps, or if fewer preemptions than wanted saved
waves in the middle of their kernel's loop.
"""
import argparse
import sys
from pathlib import Path

from testbench.events import code_object, eventlog
from testbench.gpu import GPUS

CODE = GPUS["mi210"].disassembly()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                epilog=__doc__.split("\n\n", maxsplit=1)[1])
    p.add_argument("log", type=Path)
    p.add_argument("--code", type=Path, default=CODE,
                   help="disassembly of the kernels (default: what the build left)")
    p.add_argument("--preemptions", type=int, default=0, metavar="N",
                   help="at least so many must have saved waves in mid-loop")
    p.add_argument("--mishaps", action="store_true",
                   help="work may be lost to faults, resets and the end of processes: show it")
    args = p.parse_args()

    try:
        log = eventlog.load(args.log, code_object.CodeObject(args.code), clean=not args.mishaps)
    except (OSError, code_object.Unreadable) as e:
        sys.exit(f"check-events: {e}")
    for error in log.errors:
        print(f"{args.log}: {error}", file=sys.stderr)
    for mishap in log.mishaps:
        print(f"{args.log}: {mishap}")
    dispatches = sum(len(q.dispatches) for q in log.queues)
    midloop = len(log.midloop())
    print(f"{dispatches} dispatches of {len(log.queues)} queues, {log.saves} waves saved, "
          f"{len(log.preemptions)} preemptions, {midloop} of them in mid-loop, "
          f"{len(log.behind)} times behind, {len(log.mishaps)} mishaps, {len(log.errors)} errors")
    if log.errors:
        sys.exit(1)
    if midloop < args.preemptions:
        sys.exit(f"check-events: {midloop} preemptions in mid-loop, {args.preemptions} wanted")
