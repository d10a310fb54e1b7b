#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Example: tell GPREEMPT of work before it comes, so that the GPU is free by then.

A filter in front of a program that serves requests on the GPU, as hint.c is:

    receive | hint.py PID | ...

A program can do the same for itself: hint(kfd, 0, ...) when a request has been read, and
launch kernels when it has been understood.
"""
import ctypes
import fcntl
import os
import struct
import sys

# linux/kfd_gpreempt.h
AMDKFD_IOC_GPREEMPT = 0xc0804b70
OP_LIST, OP_HINT = 2, 9
ARGS = "6I104s"                 # op, flags, pid, queue_id, gpu_id, pad; what the op takes
QUEUE_BYTES, QUEUES = 64, 256

# Kernels come this long after their request, and last about so long.
ARRIVAL_US, DURATION_US = 1000, 5000


def call(kfd, op, pid, queue, what):
    args = bytearray(struct.pack(ARGS, op, 0, pid, queue, 0, 0, what))
    fcntl.ioctl(kfd, AMDKFD_IOC_GPREEMPT, args)
    return struct.unpack(ARGS, args)[-1]


def hint(kfd, pid, arrival_us, duration_us):
    """Work comes for the queues of a process. Raises the last OSError, when all were told."""
    room = ctypes.create_string_buffer(QUEUES * QUEUE_BYTES)
    told = call(kfd, OP_LIST, pid, 0, struct.pack("QII", ctypes.addressof(room), QUEUES,
                                                  QUEUE_BYTES))
    _, count, _ = struct.unpack_from("QII", told)
    failed = None
    for n in range(min(count, QUEUES)):
        queue, = struct.unpack_from("I", room, n * QUEUE_BYTES)
        try:
            call(kfd, OP_HINT, pid, queue, struct.pack("II", arrival_us, duration_us))
        except OSError as e:
            # It may be gone by now, or GPREEMPT be off on its GPU: go on with the next.
            failed = e
    if failed:
        raise failed


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
