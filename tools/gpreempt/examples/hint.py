#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Example: tell GPREEMPT of work before it comes, so that the GPU is free by then.

A filter in front of a program that serves requests on the GPU, as hint.c is:

    receive | hint.py PID | ...

A program can do the same for itself: hint(kfd, 0, ...) when a request has been read, and
launch kernels when it has been understood.
"""
import fcntl
import os
import struct
import sys

# linux/kfd_gpreempt.h
AMDKFD_IOC_GPREEMPT = 0xc0684b70
OP_HINT, ALL = 8, 1 << 10
ARGS = "3I28x2I56x"             # op, flags, pid; arrival, duration

# Kernels come this long after their request, and last about so long.
ARRIVAL_US, DURATION_US = 1000, 5000


def hint(kfd, pid, arrival_us, duration_us):
    """Work comes for all queues of a process. Raises OSError if none of them was told."""
    fcntl.ioctl(kfd, AMDKFD_IOC_GPREEMPT,
                bytearray(struct.pack(ARGS, OP_HINT, ALL, pid, arrival_us, duration_us)))


def main():
    pid = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    kfd = os.open("/dev/kfd", os.O_RDWR | os.O_CLOEXEC)
    for line in sys.stdin.buffer:
        try:
            hint(kfd, pid, ARRIVAL_US, DURATION_US)
        except OSError as e:
            # A request is served without, only later.
            print(f"hint: {e}", file=sys.stderr)
        sys.stdout.buffer.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
