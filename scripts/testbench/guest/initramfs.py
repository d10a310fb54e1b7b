# SPDX-License-Identifier: GPL-2.0
"""The guest's root in memory: what is the same for all, and what one guest is given."""
import os
import re
import shlex
import shutil
import stat
from pathlib import Path

from testbench.paths import BUILD, ROOT, guests_scripts, in_guest


def entry(name, mode, data=b"", number=[1]):
    """A file or folder of a cpio archive, as the kernel unpacks."""
    number[0] += 1
    fields = [number[0], mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % f for f in fields) + name.encode() + b"\0"
    return b"".join(part + bytes(-len(part) % 4) for part in (head, data))


def is_program(path):
    return path.is_file() and (os.access(path, os.X_OK) or path.suffix == ".co")


def packed(command):
    """
    What a guest gets of the repository: the scripts that are the guest's, and of the folders
    with programs those that the command names; a shell all. Where a byte more lies in the
    guest's memory, its time differs: nothing that has no business there may get there, and
    the order must not be the host's.
    """
    build = re.escape(os.path.relpath(BUILD, ROOT))
    named = re.findall(rf"{build}/([\w-]+)", shlex.join(command))
    folders = [d for d in BUILD.glob("*") if d.name in named or not command]
    programs = [f for d in folders if not d.name.startswith("gpu-model")
                for f in d.rglob("*") if is_program(f)]
    return sorted([*guests_scripts(), *programs])


def initramfs(args, guest):
    """In memory that goes with the last process that has it; its descriptor."""
    files = {f"out/{f.name}": f for f in args.input.iterdir()} if args.input else {}
    files |= {in_guest(f)[1:]: f for f in packed(args.command)}
    if args.over:
        files |= {str(f.relative_to(args.over)): f for f in args.over.rglob("*") if f.is_file()}
    command = f"exec {shlex.join(args.command)}\n" if args.command else ""
    folders = sorted({str(p) for f in files for p in Path(f).parents} - {"."})
    fd = os.memfd_create("initramfs", os.MFD_CLOEXEC)
    with os.fdopen(fd, "wb", closefd=False) as archive:
        with (guest / "initramfs").open("rb") as first:
            shutil.copyfileobj(first, archive)
        archive.write(bytes(-archive.tell() % 512))
        for folder in folders:
            archive.write(entry(folder, 0o40755))
        for name, f in files.items():
            archive.write(entry(name, 0o100000 | stat.S_IMODE(f.stat().st_mode), f.read_bytes()))
        if not args.shell:
            archive.write(entry("run", 0o100644, command.encode()))
        archive.write(entry("TRAILER!!!", 0))
    return fd
