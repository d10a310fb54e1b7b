# SPDX-License-Identifier: GPL-2.0
"""Where everything is. OUT_DIR, XDG_CACHE_HOME, BASE and KERNEL of the environment move some."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
TESTBENCH = SCRIPTS / "testbench"
PATCHES = ROOT / "patches"
MODEL = ROOT / "tools/testing/gpu-model"
SELFTESTS = ROOT / "tools/testing/selftests/kfd_gpreempt"

BASE = os.environ.get("BASE", "6.12")       # the version of Linux
KERNEL = os.environ.get("KERNEL", "")       # its variant, such as debug

OUT = Path(os.environ.get("OUT_DIR", ROOT / "out"))
RESULTS = OUT / ("check" + (KERNEL and f"-{KERNEL}"))
BUILD = OUT / "build"
KSELFTEST = BUILD / "kselftest"             # a folder for each of theirs
HEADERS = KSELFTEST / "headers/include"     # the kernel's for user space
PROGRAMS = BUILD / "programs"               # the bench's own, for the guest
TOOL = BUILD / "gpreempt" / "gpreempt"
ROCM = BUILD / "rocm"
ROCM_ROOT = OUT / "rocm-root"
CONTAINERS_ROOT = OUT / "containers-root"

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gpreempt"
QEMU = CACHE / "qemu"


def bench(*words):
    """A command of the bench."""
    return [SCRIPTS / "bench", *words]


GUEST = bench("guest")


def in_guest(path):
    """A file of the repository, where the guest finds it."""
    return "/repo/" + os.path.relpath(path, ROOT)


def inside(name):
    """FOLDER/NAME, a script of the guest's."""
    folder, script = name.split("/")
    return in_guest(TESTBENCH / folder / "inside" / script)


def guests_scripts():
    """All scripts of the guest's, the one that they share with the host's included."""
    return sorted([*TESTBENCH.glob("*/inside/*"), TESTBENCH / "check/tap.sh"])


def kselftest(name):
    """FOLDER/NAME, one of the kselftests' programs."""
    return in_guest(KSELFTEST / name)


def program(name):
    """One of the bench's own."""
    return in_guest(PROGRAMS / name)
