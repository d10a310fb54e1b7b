# SPDX-License-Identifier: GPL-2.0
"""Make roots that have more of Debian's ROCm than rocm/rocm's.

usage: parts.py ROOT PART...

Each PART of packages.parts becomes a folder of the cache that out/rocm-root-PART
points to, for bench guest --root: the files of ROOT and of the part's packages, as hard links,
so that it takes no room for what is there already. Packages are resolved against what ROOT has
and unpacked once each; nobody may write to any of these folders. Code for GPUs that the model
is not is left out where it is in files of its own. What has to be downloaded and unpacked is said
before it begins, and refused if there is no room for it.
"""
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

from testbench.paths import CACHE, OUT, TESTBENCH

PARTS = TESTBENCH / "rocm/packages.parts"
FOLDER = CACHE / "rocm"
PACKAGES = FOLDER / "packages"

# The GPUs that the model is; a file that names another one is not for it.
OURS = ("gfx90a", "gfx942")
ANY = re.compile(r"gfx[0-9][0-9a-f]+")

# Where Debian's libraries of several makes are, which its packages choose from when they
# are installed; here they are only unpacked.
CHOSEN = ("blas", "lapack")

Part = namedtuple("Part", "name release packages")
Package = namedtuple("Package", "file name version size sha256 unpacked")


class NoPart(Exception):
    """Why there is none; says it all."""


def parts(text):
    """The parts of a file like PARTS, by name."""
    found = {}
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if not line:
            continue
        name, colon, rest = line.partition(":")
        release, *packages = rest.split() or [""]
        if not (colon and packages) or name in found:
            raise NoPart(f"{PARTS.name} has the line '{line}': NAME: RELEASE PACKAGE... once each "
                         "is wanted")
        found[name] = Part(name, release, packages)
    return found


def of_another_gpu(path):
    """Whether a file's name says that it is code for GPUs of which the model is none."""
    named = ANY.findall(os.path.basename(path))
    return bool(named) and not any(gpu.startswith(OURS) for gpu in named)


def megabytes(size):
    return f"{-(-size // 10**6)} MB"


def check_space(part, packages, free):
    """Say what there is to do, or why it cannot be done."""
    load = sum(p.size for p in packages)
    # One after the other is downloaded, unpacked and removed.
    need = sum(p.unpacked for p in packages) + max((p.size for p in packages), default=0)
    text = (f"{len(packages)} packages, {megabytes(load)} to download and at most "
            f"{megabytes(need)} of disk")
    if need > free:
        raise NoPart(f"no space for the part {part}: {text} are needed, {FOLDER} has "
                     f"{megabytes(free)}")
    return text


def said(what, *command, **kwargs):
    """A command's output; of one that fails, its end is the reason."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, **kwargs)
    if done.returncode:
        end = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise NoPart(f"{what}: '{' '.join(map(str, command[:3]))}...' failed:\n{end}")
    return done.stdout


class Apt:
    """The packages of a release, and which of them a root needs for a part."""

    def __init__(self, folder, part, root):
        self.part = part
        said(f"Debian's {part.release}", "bash", "-c", '. "$1/lib.sh" && debian_lists "$2" "$3"',
             "rocm", TESTBENCH, folder, part.release)
        shutil.copy(root / "var/lib/dpkg/status", folder / "apt/status")
        self.folder = folder
        self.env = os.environ | {"APT_CONFIG": str(folder / "apt/conf"), "LC_ALL": "C"}

    def run(self, *command, **kwargs):
        return said(f"part {self.part.name}", *command, env=self.env, **kwargs)

    def missing(self):
        known = set(self.run("apt-cache", "pkgnames").split())
        return [p for p in self.part.packages if p not in known]

    def needed(self):
        """What the root lacks, in whichever order apt says."""
        if missing := self.missing():
            raise NoPart(f"part {self.part.name}: the mirror's {self.part.release} has no package "
                         + ", ".join(missing))
        listed = self.run("apt-get", "-q", "-y", "--no-install-recommends", "--print-uris",
                          "install", *self.part.packages)
        # 'URI' FILE SIZE SUM
        for file in re.findall(r"^'.*' (\S+\.deb) \d+ \S+$", listed, re.M):
            name, version, _ = file.replace("%3a", ":").split("_")
            shown = self.run("apt-cache", "show", f"{name}={version}")
            size, sha256, unpacked = (re.search(rf"^{field}: (\w+)", shown, re.M)[1]
                                      for field in ("Size", "SHA256", "Installed-Size"))
            yield Package(file, name, version, int(size), sha256, 1024 * int(unpacked))

    def download(self, package):
        self.run("apt-get", "-q", "download", f"{package.name}={package.version}", cwd=self.folder)
        deb, = self.folder.glob("*.deb")
        return deb


def unpack(deb, folder):
    """What is in a package, but for code for other GPUs."""
    listed = said(deb.name, "sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar -t', "sh", deb)
    others = deb.with_suffix(".others")
    others.write_text("".join(f"{name}\n" for name in listed.splitlines() if of_another_gpu(name)))
    folder.mkdir()
    said(deb.name, "sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | '
         'tar -x --no-wildcards --anchored -C "$2" -X "$3"', "sh", deb, folder, others)
    others.unlink()


def tree(package):
    """Where a package is unpacked."""
    return PACKAGES / f"{package.file.removesuffix('.deb')}-{package.sha256[:16]}"


def folder_of(part, root):
    wanted = " ".join([root.name, part.release, *part.packages])
    return FOLDER / f"part-{part.name}-{hashlib.sha256(wanted.encode()).hexdigest()[:16]}"


@contextlib.contextmanager
def locked(name):
    """As lib.sh's: two runs do not make the same thing at once."""
    (CACHE / "lock").mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock" / name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(what, text):
    print(f"  {what:<8} {text}", file=sys.stderr, flush=True)


def link(source, folder):
    said(folder.name, "cp", "-al", f"{source}/.", folder)


def make(part, root, scratch):
    """The files of the root and of a part's packages."""
    apt = Apt(scratch, part, root)
    packages = list(apt.needed())
    if not packages:
        raise NoPart(f"part {part.name}: the root has all of it; see {PARTS.name}")
    left = [p for p in packages if not tree(p).exists()]
    text = check_space(part.name, left, shutil.disk_usage(FOLDER).free)
    say("PART", f"{part.name}: {text}")
    PACKAGES.mkdir(exist_ok=True)
    for package in left:
        say("DEBIAN", f"{package.name} {package.version}: {megabytes(package.size)}")
        deb = apt.download(package)
        unpack(deb, scratch / "tree")
        deb.unlink()
        (scratch / "tree").rename(tree(package))
    whole = scratch / "whole"
    whole.mkdir()
    for source in root, *map(tree, packages):
        link(source, whole)
    libraries = whole / "etc/ld.so.conf.d/gpreempt.conf"
    libraries.write_text("".join(f"/usr/lib/x86_64-linux-gnu/{name}\n" for name in CHOSEN))
    # It writes a new file, and leaves the root's as it is.
    said("ldconfig", "ldconfig", "-r", whole)
    whole.chmod(0o755)
    whole.rename(folder_of(part, root))


def main():
    root, *names = sys.argv[1:]
    root = Path(root).resolve()
    try:
        known = parts(PARTS.read_text())
        if unknown := [n for n in names if n not in known]:
            raise NoPart(f"there is no part {', '.join(unknown)}; there are {', '.join(known)}")
        for part in (known[n] for n in names):
            folder = folder_of(part, root)
            if not folder.exists():
                with locked("rocm"), \
                     tempfile.TemporaryDirectory(dir=FOLDER, prefix="tmp.") as scratch:
                    if not folder.exists():
                        make(part, root, Path(scratch))
            pointer = OUT / f"rocm-root-{part.name}"
            pointer.unlink(missing_ok=True)
            pointer.symlink_to(folder)
    except (NoPart, OSError) as e:
        sys.exit(f"rocm: error: {e}")


if __name__ == "__main__":
    main()
