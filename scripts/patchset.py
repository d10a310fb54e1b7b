# SPDX-License-Identifier: GPL-2.0
"""The patch set as the repository holds it, and how it meets a kernel tree.

patches/linux-<version>/series names the patches in order. A line that starts
in the first column names a patch file; the indented lines below it name the
new files that arrive with it ("source => destination" where the two differ).
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Refused(Exception):
    """The tree cannot be patched; the text says why."""


class Patch:
    """One patch: its text, the files it changes and the files it adds."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.text = path.read_text()
        self.hooks = re.findall(r"^\+\+\+ b/(\S+)", self.text, re.M)
        self.added = []         # (path in the repository, path in the kernel)

    def run(self, tree, *flags):
        """Run patch(1) on the tree; no fuzz, so that context really matches."""
        if not self.hooks:
            return None
        done = subprocess.run(
            ["patch", "-p1", "-F0", "-s", "-f", "--no-backup-if-mismatch",
             "-r", "-", "-d", str(tree), *flags],
            input=self.text, text=True, capture_output=True)
        return (done.stdout + done.stderr).strip() if done.returncode else None


def bases():
    """Kernel versions that can be patched."""
    return sorted(p.name.removeprefix("linux-")
                  for p in (ROOT / "patches").glob("linux-*"))


def load(base):
    """The list of patches for one base version."""
    folder = ROOT / "patches" / f"linux-{base}"
    patches = []
    for line in (folder / "series").read_text().splitlines():
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if not line[0].isspace():
            here = folder / line
            patches.append(Patch(here if here.exists() else ROOT / line))
            continue
        src, _, dst = line.strip().partition(" => ")
        patches[-1].added.append((src, dst or src))
    return patches


def version(tree):
    """VERSION.PATCHLEVEL of a kernel tree."""
    makefile = Path(tree) / "Makefile"
    if not makefile.is_file() or not (Path(tree) / "Kbuild").is_file():
        raise Refused(f"{tree} is not a kernel tree (no Makefile and Kbuild in it)")
    head = dict(re.findall(r"^(VERSION|PATCHLEVEL) *= *(\d+)",
                           makefile.read_text()[:2000], re.M))
    if len(head) != 2:
        raise Refused(f"{tree} is not a kernel tree (its Makefile names no version)")
    return f"{head['VERSION']}.{head['PATCHLEVEL']}"


def supported(tree):
    """The tree's version, refused unless there are patches for it."""
    found = version(tree)
    if found not in bases():
        raise Refused(f"{tree} is Linux {found}; there are patches for: {' '.join(bases())}")
    return found


def copy_files(names, src, dst):
    """Copy the named files between two trees; those missing are left out."""
    for name in names:
        if (Path(src) / name).is_file():
            (Path(dst) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(Path(src) / name, Path(dst) / name)


def patched_hooks(patches, tree, scratch):
    """Fill scratch with the hooked files as they are with all patches applied.

    The tree itself is only read. A tree that has some of the patches, but not
    all of them, is refused.
    """
    hooks = sorted({h for p in patches for h in p.hooks})
    fresh, undone = Path(scratch) / "fresh", Path(scratch) / "undone"
    for copy in fresh, undone:
        copy.mkdir()
        copy_files(hooks, tree, copy)

    for done, patch in enumerate(patches):
        error = patch.run(fresh)
        if error:
            break
    else:
        return fresh

    if all(p.run(undone, "-R") is None for p in reversed(patches)):
        copy_files(hooks, tree, fresh)
        return fresh
    if done == 0:
        # Either a half-applied tree or one that differs from what we know.
        applied = [p.name for p in patches
                   if p.hooks and p.run(tree, "-R", "--dry-run") is None]
        if applied:
            raise Refused(f"{tree} is patched in part: it has {', '.join(applied)}, "
                          f"but not all of the series")
    raise Refused(f"{tree}: {patches[done].name} does not apply, and the tree does not "
                  f"hold the whole series either:\n{error}\nNothing was changed.")


def write_changed(src, dst):
    """Copy src over dst if the contents differ; atomically. True if written."""
    data = Path(src).read_bytes()
    dst = Path(dst)
    if dst.is_file() and dst.read_bytes() == data:
        return False
    dst.parent.mkdir(parents=True, exist_ok=True)
    tmp = dst.with_name(f".{dst.name}.{os.getpid()}")
    tmp.write_bytes(data)
    shutil.copymode(src, tmp)
    os.replace(tmp, dst)
    return True


def main(run):
    """Run a script's main function; a refusal is a one-line error."""
    try:
        run()
    except (Refused, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: error: {error}")
