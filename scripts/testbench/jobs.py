# SPDX-License-Identifier: GPL-2.0
"""How many guests run at once."""
import os
import re
import sys
from pathlib import Path


def jobs(name, gigabytes):
    """By cores, and by the memory that a guest and its models take of the host; or $JOBS."""
    if asked := os.environ.get("JOBS"):
        if not re.fullmatch("[1-9][0-9]*", asked):
            sys.exit(f"{name}: error: JOBS is '{asked}', not a number of guests")
        return int(asked)
    free = re.search(r"^MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    return max(1, min(len(os.sched_getaffinity(0)), int(free[1]) // (gigabytes << 20)))
