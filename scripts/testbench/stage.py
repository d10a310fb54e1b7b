# SPDX-License-Identifier: GPL-2.0
"""Our files as they are before a patch of the series, and what the patch changes in them.

  stage PATCH DIR           write to DIR our files as they are before the patch
  stage PATCH DIR --record  the other way: DIR has been edited, and patches/grow/PATCH shall
                            lead from there to what follows
  stage --refresh [COMMIT]  our files have changed since that commit (HEAD), where all fits:
                            write patches/grow/ anew, with the same change in all stages. Where
                            it meets a hunk an earlier stage is left as it was; of these it tells
"""
import argparse
import subprocess
import tempfile
from pathlib import Path

from testbench import patchset
from testbench.paths import BASE, ROOT


def differences(name, before, after):
    """The hunks that lead from one state of a file to another."""
    return subprocess.run(["diff", "-up", "--label", f"a/{name}", "--label", f"b/{name}", before, after],
                          text=True, stdout=subprocess.PIPE, check=False).stdout


def write(p, text):
    """Write a patch's hunks for our files, or no file if there are none."""
    path = p.grow_path()
    if text == "".join(p.grows.values()):
        return
    print(f"  STAGE    {path.name}")
    if text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    else:
        path.unlink()


def record(patches, upto, before):
    """Have the patch of that number lead from a folder to what is after it."""
    names = {dst for p in patches[:upto - 1] for _, dst in p.added}
    for name in names:
        if not (before / name).is_file():
            raise patchset.Refused(f"{before / name} is missing")
    with tempfile.TemporaryDirectory() as after:
        patchset.own_files(patches, upto, after)
        hunks = [differences(name, before / name, Path(after) / name) for name in sorted(names)]
    write(patches[upto - 1], "".join(hunks))


def before(name, hunks, older, old, now):
    """A file as it is now, but before a patch: its hunks are taken back, though the lines around
    them are others. If that fails, what it was before, with what has changed since in what came
    after; where the two meet it wins. And in how many places they do."""
    now_before = (now / name).read_bytes()
    if not patchset.patch(now, hunks, "-R", "-F2"):
        return 0, (now / name).read_bytes()
    (now / name).write_bytes(now_before)

    def merge(*flags):
        return subprocess.run(["git", "merge-file", "-p", *flags, older / name, old / name, now / name],
                              capture_output=True, check=False)

    return merge().returncode, merge("--ours").stdout


def refresh(patches, then, now, scratch):
    """Write all hunks anew. Then all fitted; now is a folder with our files as they are."""
    old, older, after = (scratch / n for n in ("old", "older", "after"))
    for p in reversed(patches):
        if not p.grows:
            continue
        n = patchset.number(then, p.name)
        patchset.own_files(then, n, old)
        patchset.own_files(then, n - 1, older)
        hunks = []
        for name, text in sorted(then[n - 1].grows.items()):
            after.write_bytes((now / name).read_bytes())
            met, text = before(name, text, older, old, now)
            if met:
                print(f"  LEFT     {name} before {p.name}, at {met} places")
            (now / name).write_bytes(text)
            hunks.append(differences(name, now / name, after))
        write(p, "".join(hunks))


def since(commit, base, patches, scratch):
    """Refresh all hunks after a change of our files since a commit."""
    root = scratch / "root"
    root.mkdir()
    archive = subprocess.run(["git", "-C", ROOT, "archive", commit], capture_output=True, check=True)
    subprocess.run(["tar", "-C", root, "-x"], input=archive.stdout, check=True)
    patchset.own_files(patches, len(patches), scratch / "now")
    refresh(patches, patchset.load(base, root), scratch / "now", scratch)


def run():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("patch", nargs="?")
    p.add_argument("dir", nargs="?", type=Path)
    p.add_argument("--base", default=BASE)
    p.add_argument("--record", action="store_true")
    p.add_argument("--refresh", metavar="COMMIT", nargs="?", const="HEAD")
    args = p.parse_args()
    patches = patchset.load(args.base)
    if args.refresh:
        with tempfile.TemporaryDirectory() as scratch:
            since(args.refresh, args.base, patches, Path(scratch))
        return
    if not args.dir:
        p.error("PATCH and DIR, or --refresh")
    upto = patchset.number(patches, args.patch)
    if args.record:
        record(patches, upto, args.dir)
    else:
        patchset.own_files(patches, upto - 1, args.dir)


def main():
    patchset.main(run)
