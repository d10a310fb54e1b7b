# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Example: a program that hints before its work."""
import gpreempt

with gpreempt.hint(in_ms=2, for_ms=5):
    print("work")       # launch kernels here
