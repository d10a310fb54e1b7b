# SPDX-License-Identifier: GPL-2.0
"""The test bench: guests with modelled GPUs, the suites, and what is made of their results.

The scripts beside this folder are its entries; what runs in the guest is in inside/.
"""
