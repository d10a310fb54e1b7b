# SPDX-License-Identifier: GPL-2.0
"""What the processes of a guest have in common: they go with it."""
import ctypes
import signal
import sys

DIED = 125


def die(text):
    print(f"guest: error: {text}", file=sys.stderr)
    sys.exit(DIED)


def die_with_parent(number=signal.SIGKILL):
    """Have the kernel send this process a signal when its parent ends, however."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, number)
