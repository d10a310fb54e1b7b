# SPDX-License-Identifier: GPL-2.0
"""What the processes of a guest have in common: they go with it."""
import ctypes
import os
import re
import signal
import socket
import sys
from pathlib import Path

DIED = 125


def die(text):
    print(f"guest: error: {text}", file=sys.stderr)
    sys.exit(DIED)


def die_with_parent(number=signal.SIGKILL):
    """Have the kernel send this process a signal when its parent ends, however."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, number)


def nth_of_core(cpu):
    """Which of its core's threads a CPU is."""
    try:
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
    except OSError:
        return 0
    return len(re.findall(r"\d+", siblings.partition(str(cpu))[0]))


def take_cpu():
    """
    Pin this process to a CPU that no other guest has; the CPU is its until what is returned is
    closed, or until it ends. None, and nothing, if all are taken. In virtual time guest and model
    take turns: on one CPU they need not wake another one for that.
    """
    for cpu in sorted(os.sched_getaffinity(0), key=lambda cpu: (nth_of_core(cpu), cpu)):
        taken = socket.socket(socket.AF_UNIX)
        try:
            # a name that is nobody's file, and goes with the process, whoever runs it
            taken.bind(f"\0gpreempt cpu {cpu}")
        except OSError:
            taken.close()
            continue
        os.sched_setaffinity(0, {cpu})
        return taken
    return None
