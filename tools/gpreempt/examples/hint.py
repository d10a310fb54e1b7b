#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Example: tell GPREEMPT of work before it comes, so that the GPU is free by then.

A filter in front of a program that serves requests on the GPU, as hint.c is:

    receive | hint.py PID | ...

A program does the same for itself by "with gpreempt.hint(...)", see serve.py.
"""
import sys

import gpreempt

# Kernels come this long after their request, and last about so long.
ARRIVAL_MS, DURATION_MS = 1, 5


def main():
    queues = told = None
    if len(sys.argv) > 2 or not all(word.isdecimal() for word in sys.argv[1:]):
        sys.exit("usage: hint.py [PID]")
    for line in sys.stdin.buffer:
        try:
            queues = queues or gpreempt.Queues(pid=int(sys.argv[1]) if sys.argv[1:] else 0)
            queues.hint(in_ms=ARRIVAL_MS, for_ms=DURATION_MS)
        except gpreempt.Error as e:
            # A request is served without, only later.
            if e.errno != told:
                print(f"hint: {e.strerror}", file=sys.stderr)
            told = e.errno
        sys.stdout.buffer.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
