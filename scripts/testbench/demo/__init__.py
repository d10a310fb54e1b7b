# SPDX-License-Identifier: GPL-2.0
"""The demo: its runs, their figures and limits, its picture, and whether that is right."""
