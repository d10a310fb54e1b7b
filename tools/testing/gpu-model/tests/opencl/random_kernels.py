#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print random OpenCL C kernels over integers: random_kernels.py SEED COUNT

Kernel number k of seed s is kernel 0 of seed s + k. Nothing in them is
undefined, so every compiler and device has to find the same results.
"""
import random
import sys

TYPES = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
BITS = {"char": 8, "short": 16, "int": 32, "long": 64}
ATOMICS = ["add", "sub", "min", "max", "and", "or", "xor"]
CELLS = 4           # that one kind of atomic works on
ARRAY = 8           # elements of a private array
# LLVM 15 keeps small arrays in registers, and writes two bytes for one there, and the
# high half of 64 bits over the low one.
ELEMENTS = ["short", "ushort", "int", "uint"]

HEADER = """// SPDX-License-Identifier: GPL-2.0
// Made by random_kernels.py {seed} {count}
"""

# Division by zero, and of the least by -1, is undefined in C. None is inlined: where LLVM
# 15 for gfx90a knows more of the numbers, it takes a sign-extended one for a small one in an
# unsigned division and multiplies such ones as signed in mul_hi; and both OpenCL libraries
# compute mad_sat and abs_diff with signed overflows.
HELPERS = """
__attribute__((noinline)) {t} div_{t}({t} a, {t} b)
{{
	return b == 0 || {least} ? a : ({t})(a / b);
}}

__attribute__((noinline)) {t} mod_{t}({t} a, {t} b)
{{
	return b == 0 || {least} ? a : ({t})(a % b);
}}

__attribute__((noinline)) {t} high_{t}({t} a, {t} b, {t} c)
{{
	return mad_hi(a, b, c) ^ mul_hi(a, c);
}}

__attribute__((noinline)) {t} held_{t}({t} a, {t} b, {t} c)
{{
	return mad_sat(a, b, c);
}}

__attribute__((noinline)) {t} apart_{t}({t} a, {t} b)
{{
	return ({t})abs_diff(a, b);
}}
"""


def wide(t):
    """The unsigned type to compute in: narrow ones would become int."""
    return "ulong" if t.endswith("long") else "uint"


def bits(t):
    return BITS[t.lstrip("u")]


class Kernel:
    """One kernel, and the functions it calls."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.name = f"random_{seed}"
        self.lines = []
        self.scope = {}         # variable -> type
        self.arrays = {}
        self.fresh = 0
        self.loops = 0
        self.functions = {}     # name -> (result, parameters)

    def pick(self, things):
        return self.rnd.choice(list(things))

    def name_for(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def emit(self, depth, text):
        self.lines.append("\t" * depth + text)

    # ---- expressions ----

    def constant(self, t):
        n = bits(t)
        v = self.pick([0, 1, 2, 3, 5, 7, 31, 100, (1 << n) - 1, 1 << n - 1, (1 << n - 1) - 1,
                       self.rnd.getrandbits(n), self.rnd.getrandbits(n)])
        return f"({t}){v % (1 << n):#x}ul"

    def leaf(self, t):
        kind = self.rnd.randrange(6)
        if kind == 0:
            return self.constant(t)
        if kind == 1 and self.arrays:
            a = self.pick(self.arrays)
            return f"({t}){a}[{self.index()}]"
        if kind == 2 and "in" in self.scope:
            return f"({t})in[(gid * {self.pick([1, 2, 3, 5])} + {self.rnd.randrange(64)}) & 1023]"
        names = [n for n in self.scope if n != "in"]
        return f"({t}){self.pick(names)}" if names else self.constant(t)

    def index(self):
        return f"(uint){self.leaf('uint')} & {ARRAY - 1}"

    def expr(self, t, depth):
        if depth <= 0 or self.rnd.random() < 0.1:
            return self.leaf(t)
        w = wide(t)

        def sub(kind=t):
            return self.expr(kind, depth - 1)

        def arithmetic():
            op = self.pick(["+", "-", "*", "&", "|", "^"])
            return f"({t})(({w}){sub()} {op} ({w}){sub()})"

        def shift():
            by = f"((uint){self.expr('uint', 0)} & {bits(t) - 1})"
            if self.rnd.random() < 0.5:
                return f"({t})(({w}){sub()} << {by})"
            return f"({t})({sub()} >> {by})"

        def division():
            return f"{self.pick(['div', 'mod'])}_{t}({sub()}, {sub()})"

        def compare():
            k = self.pick(TYPES)
            op = self.pick(["<", "<=", ">", ">=", "==", "!="])
            return f"({t})({sub(k)} {op} {sub(k)})"

        def choose():
            k = self.pick(TYPES)
            return f"({t})({sub(k)} > {sub(k)} ? {sub()} : {sub()})"

        def builtin():
            f = self.pick(["add_sat", "sub_sat", "hadd", "rhadd", "min", "max", "rotate"])
            return f"{f}({sub()}, {sub()})"

        def three():
            f = self.pick([f"held_{t}", f"high_{t}", "bitselect"])
            return f"{f}({sub()}, {sub()}, {sub()})"

        def one():
            return self.pick([f"clz({sub()})", f"popcount({sub()})", f"({t})abs({sub()})",
                              f"({t})~{sub()}", f"({t})-({w}){sub()}", f"({t})!{sub()}",
                              f"apart_{t}({sub()}, {sub()})"])

        def convert():
            k = self.pick(TYPES)
            return self.pick([f"({t}){sub(k)}", f"convert_{t}_sat({sub(k)})"])

        def call():
            if not self.functions:
                return convert()
            f = self.pick(self.functions)
            result, parameters = self.functions[f]
            args = ", ".join(self.expr(p, 1) for p in parameters)
            return f"({t}){f}({args})" if result else convert()

        ways = [arithmetic] * 4 + [shift, division, compare, choose, builtin, builtin, three, one,
                                   convert, convert, call]
        return self.pick(ways)()

    # ---- statements ----

    def declare(self, depth):
        t, n = self.pick(TYPES), self.name_for("v")
        self.emit(depth, f"{t} {n} = {self.expr(t, 2)};")
        self.scope[n] = t

    def assign(self, depth):
        if self.arrays and self.rnd.random() < 0.3:
            a = self.pick(self.arrays)
            t = self.arrays[a]
            self.emit(depth, f"{a}[{self.index()}] = {self.expr(t, 3)};")
            return
        n = self.pick(n for n in self.scope if n.startswith("v"))
        self.emit(depth, f"{n} = {self.expr(self.scope[n], 3)};")

    def block(self, depth, length):
        """Statements in a scope of their own."""
        scope = dict(self.scope)
        for _ in range(length):
            self.statement(depth)
        self.scope = scope

    def branch(self, depth):
        self.emit(depth, f"if ({self.expr(self.pick(TYPES), 2)}) {{")
        self.block(depth + 1, 2)
        if self.rnd.random() < 0.5:
            self.emit(depth, "} else {")
            self.block(depth + 1, 2)
        self.emit(depth, "}")

    def loop(self, depth):
        if self.loops == 2:
            return self.assign(depth)
        i = self.name_for("i")
        trips = self.pick([str(self.rnd.randrange(1, 7)), f"((uint){self.expr('uint', 1)} & 7)"])
        self.emit(depth, f"for (uint {i} = 0, n{i} = {trips}; {i} < n{i}; {i}++) {{")
        scope = dict(self.scope)
        self.scope[i] = "uint"
        self.loops += 1
        self.block(depth + 1, 2)
        if self.rnd.random() < 0.4:
            self.emit(depth + 1, f"if ({self.expr(self.pick(TYPES), 1)})")
            self.emit(depth + 2, self.pick(["break;", "continue;"]))
        self.block(depth + 1, 1)
        self.loops -= 1
        self.scope = scope
        return self.emit(depth, "}")

    def switch(self, depth):
        self.emit(depth, f"switch ((uint){self.expr('uint', 2)} % 7) {{")
        for case in self.rnd.sample(range(7), 4):
            self.emit(depth, f"case {case}: {{")
            self.block(depth + 1, 1)
            self.emit(depth, "}")
            if self.rnd.random() < 0.8:
                self.emit(depth + 1, "break;")
        self.emit(depth, "}")

    def statement(self, depth):
        ways = [self.assign] * 5 + [self.declare] * 2
        if depth < 4:
            ways += [self.branch, self.branch, self.loop, self.loop, self.switch]
        self.pick(ways)(depth)

    def exchange(self, depth):
        """Through local memory: by all work-items, so never inside a branch."""
        n = self.name_for("v")
        self.emit(depth, f"shared[lid] = {self.expr('uint', 2)};")
        self.emit(depth, "barrier(CLK_LOCAL_MEM_FENCE);")
        self.emit(depth, f"uint {n} = shared[({self.expr('uint', 1)}) & 63];")
        self.emit(depth, "barrier(CLK_LOCAL_MEM_FENCE);")
        self.scope[n] = "uint"

    def atomic(self, depth):
        """One kind a cell, and nobody reads: the order does not show."""
        k = self.rnd.randrange(len(ATOMICS))
        cell = f"zero[{k * CELLS} + ({self.expr('uint', 1)} & {CELLS - 1})]"
        self.emit(depth, f"if ({self.expr('uint', 1)} & 1)")
        self.emit(depth + 1, f"atomic_{ATOMICS[k]}(&{cell}, {self.expr('uint', 2)});")

    # ---- the whole ----

    def function(self):
        name = self.name_for(self.name + "_f")
        result = self.pick(TYPES)
        parameters = [self.pick(TYPES) for _ in range(self.rnd.randrange(1, 5))]
        self.scope = {f"v{name}_{k}": t for k, t in enumerate(parameters)}
        text = ", ".join(f"{t} {n}" for n, t in self.scope.items())
        inline = self.pick(["noinline", "noinline", "always_inline"])
        self.emit(0, "")
        self.emit(0, f"__attribute__(({inline})) {result} {name}({text})")
        self.emit(0, "{")
        self.loops = 1
        for _ in range(3):
            self.statement(3)
        self.loops = 0
        self.emit(1, f"return {self.expr(result, 2)};")
        self.emit(0, "}")
        self.functions[name] = (result, parameters)

    def generate(self):
        for _ in range(self.rnd.randrange(3)):
            self.function()
        t = self.pick(TYPES)
        self.scope = {"in": t, "gid": "uint", "lid": "uint", "s": "int"}
        self.emit(0, "")
        self.emit(0, f"kernel void {self.name}(global const {t} *in, global uint *zero,")
        self.emit(0, "\t\t\tglobal ulong *out, int s)")
        self.emit(0, "{")
        self.emit(1, "local uint shared[64];")
        self.emit(1, "uint gid = get_global_id(0), lid = get_local_id(0);")
        self.emit(1, "ulong hash = 0;")
        for _ in range(self.rnd.randrange(3)):
            a, t = self.name_for("a"), self.pick(ELEMENTS)
            self.emit(1, f"{t} {a}[{ARRAY}];")
            self.emit(1, f"for (uint k = 0; k < {ARRAY}; k++)")
            self.emit(2, f"{a}[k] = ({t})(in[(gid + k) & 1023] >> (k & 3));")
            self.arrays[a] = t
        for _ in range(4):
            self.declare(1)
        for _ in range(self.rnd.randrange(5, 10)):
            self.pick([self.statement] * 6 + [self.exchange, self.atomic])(1)
        for n, t in self.scope.items():
            if n.startswith("v"):
                self.emit(1, f"hash = hash * 31 + (ulong){n};")
        for a in self.arrays:
            self.emit(1, f"for (uint k = 0; k < {ARRAY}; k++)")
            self.emit(2, f"hash = hash * 31 + (ulong){a}[k];")
        self.emit(1, "out[gid] = hash;")
        self.emit(0, "}")
        return "\n".join(self.lines)


def main():
    seed, count = (int(a) for a in sys.argv[1:3])
    print(HEADER.format(seed=seed, count=count), end="")
    for t in TYPES:
        least = f"(b == ({t})-1 && a == ({t})(({wide(t)})1 << {bits(t) - 1}))"
        print(HELPERS.format(t=t, least=least if not t.startswith("u") else "false"), end="")
    for k in range(count):
        print(Kernel(seed + k).generate())


if __name__ == "__main__":
    main()
