# SPDX-License-Identifier: GPL-2.0
"""The description of the interface for syzkaller: reads it, and has the compiler judge it.

usage: syzkaller, which writes the constants beside the description

It is in a small part of syzkaller's language: include, resource, flags, structures and
calls. A structure is named as in C; the ioctl's argument has a suffix, the operation. Of
each the compiler is asked whether fields have the size and the place that syzkaller gives
them, of each constant what it is.
"""
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from testbench.paths import HEADERS, ROOT, TESTBENCH

DESCRIPTION = TESTBENCH / "fuzz/syzlang/dev_kfd_gpreempt.txt"
CONSTANTS = DESCRIPTION.with_suffix(".txt.const")
HEADER = ROOT / "include/uapi/linux/kfd_gpreempt.h"
INCLUDE = [f"-I{ROOT / 'include/uapi'}", "-isystem", f"{HEADERS}"]

# Defined by syzkaller itself.
RESOURCES = {"fd": "int32", "pid": "int32"}
INTEGERS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8}
POINTERS = {"ptr64", "vma64"}
SUFFIX = re.compile(r"(?<=^kfd_ioctl_gpreempt_args)_\w+$")
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")


class Wrong(Exception):
    """The description is, and where."""


@dataclass
class Struct:
    """Its fields, (name, type) in order, and the size that it is padded to, if any."""
    name: str
    fields: list
    size: int = 0


class Description:
    """What the text describes."""

    def __init__(self, text):
        self.includes, self.calls, self.structs = [], {}, {}
        self.resources, self.flags = dict(RESOURCES), {}
        lines = iter(text.splitlines())
        for line in lines:
            line = line.partition("#")[0].rstrip()
            if line:
                self.parse(line, lines)

    def parse(self, line, lines):
        """A line, and those that belong to it."""
        if m := re.fullmatch(r"include <(?:uapi/)?(\S+)>", line):
            self.includes.append(m[1])
        elif m := re.fullmatch(r"resource (\w+)\[(\w+)\](?:: .*)?", line):
            self.resources[m[1]] = m[2]
        elif m := re.fullmatch(r"(\w+) = (.*)", line):
            self.flags[m[1]] = m[2].split(", ")
        elif m := re.fullmatch(r"(\w+) \{", line):
            self.structs[m[1]] = self.struct(m[1], lines)
        elif m := re.fullmatch(r"(\w+)\$(\w+)\((.*)\)(?: \w+)?", line):
            self.calls[f"{m[1]}${m[2]}"] = m[3]
        else:
            raise Wrong(line)

    @staticmethod
    def struct(name, lines):
        found = Struct(name, [])
        for line in lines:
            if m := re.fullmatch(r"\t(\w+)\t+(\S.*?)(?:\t\((?:in|out|inout)\))?", line):
                found.fields.append((m[1], m[2]))
            elif m := re.fullmatch(r"\}(?: \[size\[(\d+)\]\])?", line):
                found.size = int(m[1] or 0)
                return found
            else:
                raise Wrong(f"{name}: {line}")
        raise Wrong(f"{name} does not end")

    def constants(self):
        """The names of all that the compiler has to tell."""
        types = [kind for s in self.structs.values() for _, kind in s.fields]
        used = [m[1] for text in [*types, *self.calls.values()]
                for m in re.finditer(r"const\[(\w+)", text)]
        used += [value for values in self.flags.values() for value in values]
        used += [f"__NR_{call.partition('$')[0]}" for call in self.calls]
        return sorted({name for name in used
                       if CONSTANT.fullmatch(name) or name.startswith("__NR_")})

    def layout(self, kind):
        """Size and alignment of a type."""
        name, _, options = kind.partition("[")
        if name in POINTERS:
            return 8, 8
        if name in INTEGERS:
            return INTEGERS[name], INTEGERS[name]
        if name in self.resources:
            return self.layout(self.resources[name])
        if name in self.structs:
            places = self.places(name)
            return places[None], max(self.layout(kind)[1] for _, kind in self.structs[name].fields)
        if name in ("const", "flags", "len", "bytesize"):
            if name == "flags" and options.partition(",")[0] not in self.flags:
                raise Wrong(kind)
            return self.layout(options.removesuffix("]").rpartition(", ")[2])
        raise Wrong(kind)

    def places(self, name):
        """field -> offset and size; None -> size of the whole."""
        places, at, widest = {}, 0, 1
        for field, kind in self.structs[name].fields:
            size, align = self.layout(kind)
            at = -(-at // align) * align
            places[field] = at, size
            at, widest = at + size, max(widest, align)
        places[None] = max(-(-at // widest) * widest, self.structs[name].size)
        return places

    def program(self, constants):
        """A program in C that compiles if the layout is right, and prints the constants."""
        text = [f"#include <{name}>" for name in self.includes]
        text += ["#include <asm/unistd.h>", "#include <stddef.h>", "#include <stdio.h>"]
        for name in self.structs:
            c = f"struct {SUFFIX.sub('', name)}"
            for field, place in self.places(name).items():
                if field is None:
                    text.append(f'_Static_assert(sizeof({c}) == {place}, "{name}");')
                    continue
                # What pads a structure of Linux' may have got a meaning and a name since.
                if field == "pad":
                    continue
                at, size = place
                text.append(f'_Static_assert(offsetof({c}, {field}) == {at} && '
                            f'sizeof((({c} *)0)->{field}) == {size}, "{name}.{field}");')
        text += ["int main(void) {"]
        text += [f'\tprintf("{name} = %llu\\n", (unsigned long long){name});' for name in constants]
        text += ["\treturn 0;", "}"]
        return "\n".join(text) + "\n"

    def const_file(self):
        """The file of constants, as the compiler knows them on this machine's architecture."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "constants.c", Path(folder) / "constants"
            source.write_text(self.program(self.constants()))
            done = subprocess.run(["gcc", *INCLUDE, "-o", program, source], check=False,
                                  capture_output=True, text=True)
            if done.returncode:
                raise Wrong(done.stderr)
            said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        return f"# Made by scripts/bench syzkaller. DO NOT EDIT.\narches = amd64\n{said}"


def main():
    CONSTANTS.write_text(Description(DESCRIPTION.read_text()).const_file())
