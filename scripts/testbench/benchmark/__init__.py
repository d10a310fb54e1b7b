# SPDX-License-Identifier: GPL-2.0
"""The benchmark: what it measures, its runs, what they say, and how it is told."""
