# SPDX-License-Identifier: GPL-2.0
"""What the processes of a guest have in common: they go with it."""
import ctypes
import fcntl
import os
import signal
import sys

from testbench.paths import CACHE

DIED = 125


def die(text):
    print(f"guest: error: {text}", file=sys.stderr)
    sys.exit(DIED)


def die_with_parent(number=signal.SIGKILL):
    """Have the kernel send this process a signal when its parent ends, however."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, number)


def take_cpu():
    """
    Stay on a CPU that no other guest has taken; its file, which gives it back when it is closed.
    In virtual time guest and model take turns, and need not wake another CPU for that. Where all
    are taken, wherever the host likes: None.
    """
    (CACHE / "lock").mkdir(parents=True, exist_ok=True)
    for cpu in sorted(os.sched_getaffinity(0)):
        taken = (CACHE / f"lock/cpu-{cpu}").open("w")
        try:
            fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            taken.close()
            continue
        os.sched_setaffinity(0, {cpu})
        return taken
    return None
