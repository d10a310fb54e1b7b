# SPDX-License-Identifier: GPL-2.0
"""What the processes of a guest have in common: they go with it."""
import ctypes
import signal
import sys

DIED = 125


def die(text):
    print(f"guest: error: {text}", file=sys.stderr)
    sys.exit(DIED)


def die_with_parent():
    """In a child: have the kernel kill it when this script ends, however."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
