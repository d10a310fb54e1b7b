# SPDX-License-Identifier: GPL-2.0
"""The guest: what is packed for it, its models, its clock, its QEMU, and its end."""
