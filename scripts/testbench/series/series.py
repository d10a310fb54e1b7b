# SPDX-License-Identifier: GPL-2.0
"""Write the mailable series: series OUT [--base 6.12] [--part PART] [--signoff 'Name <mail>'] [-v N]

One git format-patch file a patch, and a cover letter, to which all others are replies. Without
--signoff the series is marked RFC and carries no Signed-off-by: only its sender can give one. With
PART, a part of patches/series, its mails alone: they apply on top of the parts before it.

The cover says in words what the mails are based on: the base is a package's source, and
format-patch --base would name a commit that is in nobody's history.
"""
import argparse
import os
import re
import subprocess
import tempfile
import textwrap
from pathlib import Path

from testbench.series import patchset
from testbench.paths import BASE, TESTBENCH

# Bytes; lists hold longer mails back.
MAIL_MAX = 100_000


def git(tree, *args, **env):
    return subprocess.run(["git", "-C", str(tree), *args], check=True, text=True,
                          capture_output=True, env={**os.environ, **env}).stdout.strip()


def message(patch):
    """The commit message, from a patch's top."""
    top = re.split(r"^(?:---$|diff --git)", patch.message, maxsplit=1, flags=re.M)[0]
    head, _, body = top.partition("\n\n")
    subject = re.fullmatch(r"Subject: (.*(?:\n[ \t].*)*)", head)
    if not subject:
        raise patchset.Refused(f"{patch.path} does not begin with its Subject: alone")
    return re.sub(r"\s+", " ", subject[1]) + f"\n\n{body.strip()}\n"


def commit(tree, patch, signoff):
    """Commit a patch on top of those before it."""
    error = patchset.patch(tree, "".join(patch.hunks.values()))
    if error:
        raise patchset.Refused(f"{patch.name} does not apply:\n{error}")
    with tempfile.TemporaryDirectory() as scratch:
        for src, dst in patchset.own_files([patch], scratch):
            patchset.write_changed(src, tree / dst)
    git(tree, "add", "-A")
    if not git(tree, "status", "--porcelain"):
        raise patchset.Refused(f"{patch.name} changes nothing")
    flags = ["--signoff"] if signoff else []
    git(tree, "commit", "-q", "-m", message(patch), "--cleanup=whitespace", *flags)


def cover(base, part, package, before):
    """The cover letter, and what its mails are based on."""
    text = patchset.find(base, f"cover-{part}" if part else "cover").read_text()
    based = f"Based on Linux {package.split('-')[0]} (Debian's source, {package})"
    based += f", with the parts before this one: {', '.join(before)}" if before else ""
    return f"{text}\n{textwrap.fill(based, 74, break_on_hyphens=False)}.\n"


def write(tree, out, letter, base, flags):
    """Write the patches, which are the commits after base, with the cover letter."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*[0-9][0-9][0-9][0-9]-*.patch"):
        old.unlink()
    git(tree, "config", "branch.gpreempt.description", letter)
    mails = git(tree, "format-patch", "--cover-letter", "--cover-from-description=subject",
                "--thread=shallow", *flags, "-o", str(out.resolve()), base)
    print(mails)
    check_sizes([Path(mail) for mail in mails.splitlines()])


def check_sizes(mails):
    """Refuse a mail that is too long."""
    for mail in mails:
        if mail.stat().st_size > MAIL_MAX:
            raise patchset.Refused(f"{mail.name} has {mail.stat().st_size} bytes, "
                                   f"more than {MAIL_MAX}")


def run():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("out", type=Path)
    p.add_argument("--base", default=BASE)
    p.add_argument("--part", default="")
    p.add_argument("--signoff")
    p.add_argument("-v", "--reroll", type=int, metavar="N", help="PATCH vN")
    args = p.parse_args()
    if args.base not in patchset.bases():
        raise patchset.Refused(f"no patches for Linux {args.base}; "
                               f"there are some for: {' '.join(patchset.bases())}")
    author = args.signoff or "GPREEMPT developers <gpreempt@example.org>"
    if not re.fullmatch(r"[^<>]+ <[^<>@ ]+@[^<>@ ]+>", author):
        raise patchset.Refused(f"SIGNOFF must be 'Name <mail>', not '{author}'")

    patches = patchset.load(args.base, part=args.part)
    pristine = subprocess.run(["bash", "-c", f". '{TESTBENCH}/lib.sh'; pristine"],
                              check=True, text=True, capture_output=True,
                              env={**os.environ, "BASE": args.base}).stdout.strip()
    name, mail = re.fullmatch(r"(.*) <(.*)>", author).groups()
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        git(tree, "init", "-q", "-b", "gpreempt")
        git(tree, "config", "user.name", name)
        git(tree, "config", "user.email", mail)
        patchset.copy_files(patchset.hooked_files(patches), pristine, tree)
        git(tree, "add", "-A")
        git(tree, "commit", "-q", "--allow-empty", "-m", f"Linux {args.base}")
        base = git(tree, "rev-parse", "HEAD")
        for patch in patches:
            commit(tree, patch, args.signoff)
            if args.part and patch.part != args.part:
                base = git(tree, "rev-parse", "HEAD")
        before = dict.fromkeys(patch.part for patch in patches if patch.part != args.part)
        letter = cover(args.base, args.part, Path(pristine).name.removeprefix("linux-"),
                       before if args.part else ())
        flags = [] if args.signoff else ["--rfc"]
        flags += [f"-v{args.reroll}"] if args.reroll else []
        write(tree, args.out, letter, base, flags)


def main():
    patchset.main(run)
