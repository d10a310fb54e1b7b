# SPDX-License-Identifier: GPL-2.0
"""Write the mailable series: series OUT [--base 6.12] [--signoff 'Name <mail>']

A folder for each part, which is mailed on top of those before it: one git
format-patch file a patch, and a cover letter. Without --signoff the series are
marked RFC and carry no Signed-off-by: only their sender can give one.
"""
import argparse
import itertools
import os
import re
import subprocess
import tempfile
from pathlib import Path

from testbench import patchset
from testbench.paths import BASE, PATCHES, SCRIPTS


def git(tree, *args, **env):
    return subprocess.run(["git", "-C", str(tree), *args], check=True, text=True,
                          capture_output=True, env={**os.environ, **env}).stdout.strip()


def message(patch):
    """Author (or None), and the commit message, from a patch's top."""
    top = re.split(r"^(?:---$|diff --git)", patch.message, maxsplit=1, flags=re.M)[0]
    head, _, body = top.partition("\n\n")
    fields = dict(re.findall(r"^(From|Subject|Date): (.*(?:\n[ \t].*)*)", head, re.M))
    if "Subject" not in fields:
        raise patchset.Refused(f"{patch.path} has no Subject:")
    subject = re.sub(r"^\[[^]]*\] *", "", re.sub(r"\s+", " ", fields["Subject"]))
    return fields.get("From"), f"{subject}\n\n{body.strip()}\n"


def commit(tree, patches, upto, author, signoff):
    """Commit the patch of that number."""
    patch = patches[upto - 1]
    error = patchset.patch(tree, "".join(patch.hunks.values()))
    if error:
        raise patchset.Refused(f"{patch.name} does not apply:\n{error}")
    patchset.own_files(patches, upto, tree)
    git(tree, "add", "-A")
    if not git(tree, "status", "--porcelain"):
        raise patchset.Refused(f"{patch.name} changes nothing")
    sender, text = message(patch)
    flags = ["--signoff"] if signoff else []
    git(tree, "commit", "-q", f"--author={sender or author}", "-m", text,
        "--cleanup=whitespace", *flags)


def write(tree, part, base, args):
    """Write a part's patches, those since a commit, with its cover letter."""
    out = args.out / part
    out.mkdir(exist_ok=True)
    for old in out.glob("[0-9][0-9][0-9][0-9]-*.patch"):
        old.unlink()
    cover = PATCHES / "common" / f"cover-{part}"
    git(tree, "config", "branch.gpreempt.description", cover.read_text())
    kind = [] if args.signoff else ["--rfc"]
    print(git(tree, "format-patch", "--cover-letter", "--cover-from-description=subject",
              *kind, "-o", str(out.resolve()), base))


def run():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("out", type=Path)
    p.add_argument("--base", default=BASE)
    p.add_argument("--signoff")
    args = p.parse_args()
    if args.base not in patchset.bases():
        raise patchset.Refused(f"no patches for Linux {args.base}; "
                               f"there are some for: {' '.join(patchset.bases())}")
    author = args.signoff or "GPREEMPT developers <gpreempt@example.org>"
    if not re.fullmatch(r"[^<>]+ <[^<>@ ]+@[^<>@ ]+>", author):
        raise patchset.Refused(f"SIGNOFF must be 'Name <mail>', not '{author}'")

    patches = patchset.load(args.base)
    pristine = subprocess.run(["bash", "-c", f". '{SCRIPTS}/lib.sh'; pristine"],
                              check=True, text=True, capture_output=True,
                              env={**os.environ, "BASE": args.base}).stdout.strip()
    name, mail = re.fullmatch(r"(.*) <(.*)>", author).groups()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        git(tree, "init", "-q", "-b", "gpreempt")
        git(tree, "config", "user.name", name)
        git(tree, "config", "user.email", mail)
        patchset.copy_files(patchset.hooked_files(patches), pristine, tree)
        git(tree, "add", "-A")
        git(tree, "commit", "-q", "--allow-empty", "-m", f"Linux {args.base}")
        upto = 0
        for part, own in itertools.groupby(patches, lambda p: p.part):
            base = git(tree, "rev-parse", "HEAD")
            for _ in own:
                upto += 1
                commit(tree, patches, upto, author, args.signoff)
            write(tree, part, base, args)


def main():
    patchset.main(run)
