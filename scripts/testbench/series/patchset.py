# SPDX-License-Identifier: GPL-2.0
"""The patch set as the repository holds it, and how it meets a kernel tree.

patches/series names the patches in order. A line that starts in the first column names
a patch file, and behind it the base, that is the version of Linux, if it is for one alone;
the indented lines below it name the new files that arrive with it ("source => destination"
where the two differ). Each arrives once. The new files are the same for every base.
A patch that is, too, stands in patches/common/, one that is not in patches/linux-<version>/.
A name in brackets begins a part of the series, which needs those before it.

The repository holds each new file as it is in the end. A patch of a later part may have hunks for
it: it arrives as it is without them.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from testbench.paths import PATCHES, ROOT


# Each source file of it arrives with a patch.
DRIVER = "drivers/gpu/drm/amd/amdkfd"

# So many lines of hunks change files that arrived with an earlier part: who edits such a file
# edits them, too.
GROWTH_MAX = 1500


class Refused(Exception):
    """The tree cannot be patched; the text says why."""


def split_hunks(text):
    """What stands before the first file's hunks, and those of each file."""
    message, *parts = re.split(r"^(?=--- a/)", text, flags=re.M)
    return message, {re.match(r"--- a/(\S+)", part)[1]: part for part in parts}


class Patch:
    """One patch: its message, the hunks for each file of Linux it changes, the files it adds."""

    def __init__(self, path, root=ROOT, part=None):
        self.root = root
        self.path = path
        self.part = part
        self.name = path.name
        self.message, self.hunks = split_hunks(path.read_text())
        self.added = []         # (path in the repository, path in the kernel)
        self.grown_by = {}      # of these: the later patches that have hunks for it


def patch(tree, hunks, *flags):
    """Run patch(1) without fuzz, so that context really matches. Error or None."""
    done = subprocess.run(
        ["patch", "-p1", "-F0", "-s", "-f", "--no-backup-if-mismatch",
         "-r", "-", "-d", str(tree), *flags],
        input=hunks, text=True, capture_output=True)
    return (done.stdout + done.stderr).strip() if done.returncode else None


def bases():
    """Kernel versions that can be patched."""
    return sorted(p.name.removeprefix("linux-")
                  for p in PATCHES.glob("linux-*"))


def find(base, name, root=ROOT):
    """A base's patch file; its name stands in the base's folder or in common."""
    folders = (root / f"patches/linux-{base}", root / "patches/common", root)
    places = [folder / name for folder in folders if (folder / name).is_file()]
    if len(places) != 1:
        raise Refused(f"patches/series names {name}; for Linux {base} there is "
                      f"{' and '.join(map(str, places)) or 'no such file'}")
    return places[0]


def load(base, root=ROOT, part=""):
    """The patches for one base version, of this repository or a copy of it: all, or up to a part."""
    patches, named, of, added = [], set(), None, []
    for line in (root / "patches/series").read_text().splitlines():
        line = line.split("#")[0].rstrip()
        if line.startswith("["):
            of = line.strip("[]")
        elif line and not line[0].isspace():
            name, _, only = line.partition(" ")
            added = []
            if only in ("", base):
                patches.append(Patch(find(base, name, root), root, of))
                added = patches[-1].added
        elif line:
            src, _, dst = line.strip().partition(" => ")
            added.append((src, dst or src))
            named.add(src)
    grow(patches)
    check_all(named, root)
    last = max((n for n, p in enumerate(patches, 1) if p.part == part), default=0)
    if part and not last:
        raise Refused(f"patches/series has no part {part}")
    return patches[:last or None]


def grow(patches):
    """Each of our files arrives once; only a later part's patch has hunks for it."""
    there, lines = {}, 0
    for p in patches:
        for _, name in p.added:
            if name in there:
                raise Refused(f"patches/series has {name} arrive twice, the second time with {p.name}")
            there[name] = p
        for name in p.hunks.keys() & there.keys():
            if there[name].part == p.part:
                raise Refused(f"{p.path} changes {name}, which arrives whole with its part")
            there[name].grown_by.setdefault(name, []).append(p)
            lines += len(re.findall(r"^[ +@-]", p.hunks[name].split("\n", 2)[2], re.M))
    for p in patches:
        for name in p.hunks.keys() & there.keys():
            if p not in there[name].grown_by.get(name, []):
                raise Refused(f"{p.path} changes {name}, which is still to arrive")
    if lines > GROWTH_MAX:
        raise Refused(f"{lines} lines of hunks are for files of earlier parts, "
                      f"more than {GROWTH_MAX}")


def check_all(named, root):
    """Each of the driver's files arrives."""
    for path in sorted((root / DRIVER).rglob("*.[ch]")):
        if str(path.relative_to(root)) not in named:
            raise Refused(f"{path} is a driver file that patches/series does not name")


def own_files(patches, scratch=None):
    """Our files as they are with these patches: (path, path in the kernel). Those that others
    change later are made in scratch."""
    files = []
    for p in patches:
        for name, dst in p.added:
            src = p.root / name
            if not src.is_file():
                raise Refused(f"{src} is named by the series but does not exist")
            later = [q for q in p.grown_by.get(dst, []) if q not in patches]
            files.append((without(src, dst, later, Path(scratch) / "own") if later else src, dst))
    return files


def without(src, dst, later, scratch):
    """A copy of our file as it is before some patches."""
    copy = scratch / dst
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(src, copy)
    for p in reversed(later):
        error = patch(scratch, p.hunks[dst], "-R")
        if error:
            raise Refused(f"{p.path} is not how {src} came about:\n{error}")
    return copy


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


def number(base):
    """Versions in order; 20 minor ones are about a major one."""
    major, minor = base.split(".")
    return 20 * int(major) + int(minor)


def supported(tree):
    """The tree's version, refused unless there are patches for it."""
    found = version(tree)
    if found not in bases():
        nearest = min(bases(), key=lambda base: abs(number(base) - number(found)))
        raise Refused(f"{tree} is Linux {found}; there are patches for: {' '.join(bases())}; "
                      f"{nearest} is nearest")
    return found


def copy_files(names, src, dst):
    """Copy the named files between two trees; those missing are left out."""
    for name in names:
        if (Path(src) / name).is_file():
            (Path(dst) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(Path(src) / name, Path(dst) / name)


def hooked_files(patches):
    """The files of Linux that the patches change."""
    own = {name for p in patches for _, name in p.added}
    return sorted({name for p in patches for name in p.hunks} - own)


def patched_hooks(patches, tree, scratch):
    """Fill scratch with the hooked files as they are with all patches applied.

    The tree itself is only read. Each file has all of its hunks or none, and so
    has the tree as a whole; everything else is refused.
    """
    todo, undone = Path(scratch) / "todo", Path(scratch) / "undone"
    names = hooked_files(patches)
    for copy in todo, undone:
        copy.mkdir()
        copy_files(names, tree, copy)

    fresh, patched, errors = [], [], {}
    for name in names:
        hunks = [(p, p.hunks[name]) for p in patches if name in p.hunks]
        error = next((f"{p.name}: {e}" for p, h in hunks if (e := patch(todo, h))), None)
        if not error:
            fresh.append(name)
        elif not any(patch(undone, h, "-R") for _, h in reversed(hunks)):
            patched.append(name)
        else:
            errors[name] = error
    if len(patched) == len(names):
        copy_files(names, tree, todo)
    elif len(fresh) != len(names):
        refuse(tree, patches, fresh, patched, errors)
    return todo


def refuse(tree, patches, fresh, patched, errors):
    """Say why a tree that is neither pristine nor wholly patched is refused."""
    there = [p.name for p in patches if p.hunks and
             not patch(tree, "".join(p.hunks.values()), "-R", "--dry-run")]
    kind = "patched in part" if there or patched else "not as the patches expect it"
    lines = [f"{tree} is {kind}; nothing was changed."]
    lines += [f"  has already: {name}" for name in there]
    lines += [f"  patched: {name}" for name in patched]
    lines += [f"  not patched: {name}" for name in fresh]
    lines += [f"  does not fit: {name}\n    {error.splitlines()[0]}"
              for name, error in errors.items()]
    raise Refused("\n".join(lines))


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
