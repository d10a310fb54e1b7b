# SPDX-License-Identifier: GPL-2.0
"""What follows what in the GPU kernels, by their disassembly.

The build leaves it beside the programs: llvm-objdump --syms -d.
"""
import re

# "\ts_cbranch_scc0 65500   // 000000002A4C: BF84FFDC <low+0x1c0>"
INSTRUCTION = re.compile(r"^\s+(\S+).*// ([0-9A-F]+):((?: [0-9A-F]{8})+)(?: <(\w+)(?:\+0x([0-9a-f]+))?>)?$")
DESCRIPTOR = re.compile(r"^([0-9a-f]+) .* (\w+)\.kd$")
LABEL = re.compile(r"^([0-9a-f]+) <(\w+)>:$")
# Kernels are loaded page-aligned: this part of an address survives it.
IN_PAGE = 0xfff


class Unreadable(Exception):
    """Not the disassembly of a code object."""


class CodeObject:
    """Addresses are relative to where the object was loaded."""

    def __init__(self, path):
        self.next = {}          # address -> where a wave may go on
        self.kernels = {}       # address of a descriptor -> kernel
        self.loops = {}         # kernel -> first and last address of its longest loop
        start, kernel = {}, None
        with open(path, encoding="utf-8") as text:
            for line in text:
                if m := DESCRIPTOR.match(line):
                    self.kernels[int(m[1], 16)] = m[2]
                elif m := LABEL.match(line):
                    kernel = m[2]
                    start[kernel] = int(m[1], 16)
                elif m := INSTRUCTION.match(line):
                    target = start[m[4]] + int(m[5] or "0", 16) if m[4] else None
                    self._add(kernel, m[1], int(m[2], 16), len(m[3].split()) * 4, target)
        if not self.next or not self.kernels:
            raise Unreadable(f"{path}: no kernel in it")

    def _add(self, kernel, name, address, size, target):
        self.next[address] = set()
        if name not in ("s_branch", "s_endpgm"):
            self.next[address].add(address + size)
        if target is None:
            return
        self.next[address].add(target)
        first, last = self.loops.get(kernel, (0, 0))
        if address - target > last - first:
            self.loops[kernel] = target, address

    def find(self, descriptor):
        """(kernel, load address) for the address of a descriptor in memory."""
        for address, kernel in self.kernels.items():
            if (descriptor ^ address) & IN_PAGE == 0:
                return kernel, descriptor - address
        return None, 0

    def follows(self, descriptor, last, pc):
        """Is pc where a wave goes on that executed the instruction at last?"""
        base = self.find(descriptor)[1]
        return pc - base in self.next.get(last - base, ())

    def in_loop(self, descriptor, pc):
        kernel, base = self.find(descriptor)
        first, last = self.loops.get(kernel, (1, 0))
        return first <= pc - base <= last
