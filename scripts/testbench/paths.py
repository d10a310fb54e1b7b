# SPDX-License-Identifier: GPL-2.0
"""Where everything is. OUT_DIR, XDG_CACHE_HOME and BASE of the environment move some."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
INSIDE = SCRIPTS / "inside"             # what runs in the guest
PATCHES = ROOT / "patches"
MODEL = ROOT / "tools/testing/gpu-model"

OUT = Path(os.environ.get("OUT_DIR", ROOT / "out"))
BUILD = OUT / "build"
PROGRAMS = BUILD / "selftests"
TOOL = BUILD / "gpreempt" / "gpreempt"
ROCM = BUILD / "rocm"
ROCM_ROOT = OUT / "rocm-root"
CONTAINERS_ROOT = OUT / "containers-root"

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gpreempt"
QEMU = CACHE / "qemu"

BASE = os.environ.get("BASE", "6.12")   # the version of Linux

GUEST = SCRIPTS / "guest"


def in_guest(path):
    """A file of the repository, where the guest finds it."""
    return "/repo/" + os.path.relpath(path, ROOT)


def inside(name):
    """A script of the guest's."""
    return in_guest(INSIDE / name)


def program(name):
    """A kselftest, or another program that was built with them."""
    return in_guest(PROGRAMS / name)
