# SPDX-License-Identifier: GPL-2.0
"""The test bench: guests with modelled GPUs, the suites, and what is made of their results.

scripts/bench is its door, verbs.py what one can say there, suites.py what is tested. A
subject has a folder, with its scripts, its programs, its tests, its list of packages and, in
inside/, what runs in the guest.
"""
