# SPDX-License-Identifier: GPL-2.0
"""What tests of libgpreempt share: it as it is installed, and a KFD that is not the kernel's."""
import atexit
import contextlib
import ctypes
import functools
import os
import re
import shutil
import struct
import subprocess
import unittest
import unittest.mock

from testbench.paths import HEADERS, ROOT, TESTBENCH
from testbench.tool.in_tree import UAPI, folder_for_all

SOURCE = ROOT / "tools/gpreempt"
QUERY = 1
# struct kfd_ioctl_gpreempt_args: op, flags, pid, pidfd, cgroup_fd, context_id, gpu_id, queue_id,
# level, pad, and the union
ARGS = struct.Struct("<3I2i5I64s")
FIELDS = ("op", "flags", "pid", "pidfd", "cgroup_fd", "context_id", "gpu_id", "queue_id", "level", "pad", "union")


@functools.cache
def installed():
    """A folder: what "make install-lib" puts below usr/, and the same library with the fake KFD in
    fake/; built once."""
    folder = folder_for_all()
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", SOURCE, f"O={folder}/build", f"KHDR={HEADERS}",
                    "CFLAGS=-O1 -g", f"prefix={folder}/usr", "install-lib"], check=True)
    (folder / "fake").mkdir()
    subprocess.run(["cc", "-O1", "-g", "-Wall", "-Wextra", "-D_GNU_SOURCE", "-shared", "-fPIC", "-I", UAPI,
                    "-isystem", HEADERS, "-o", folder / "fake/libgpreempt.so.1", TESTBENCH / "tool/fake_kfd.c",
                    folder / "build/libgpreempt.o", "-Wl,--wrap=open,--wrap=ioctl",
                    "-Wl,-soname,libgpreempt.so.1",
                    f"-Wl,--version-script={SOURCE}/lib/libgpreempt.map"], check=True)
    return folder


@functools.cache
def library():
    """The one with the fake, for this process: who asks for libgpreempt.so.1 afterwards has it."""
    lib = ctypes.CDLL(installed() / "fake/libgpreempt.so.1")
    for name in "open", "open_pid", "open_pidfd":
        getattr(lib, f"gpreempt_{name}").restype = ctypes.c_void_p
    lib.gpreempt_strerror.restype = ctypes.c_char_p
    lib.gpreempt_gpu.restype = ctypes.c_uint32
    return lib


class InLibrary(unittest.TestCase):
    def setUp(self):
        self.folder = folder_for_all()
        self.addCleanup(shutil.rmtree, self.folder)
        self.usr = installed() / "usr"
        self.log = self.folder / "log"
        self.gpus(0, 4711, 4712)

    def gpus(self, *gpu_ids):
        """Nodes of the topology; 0 is a CPU."""
        nodes = self.folder / "class/kfd/kfd/topology/nodes"
        shutil.rmtree(nodes, ignore_errors=True)
        for node, gpu_id in enumerate(gpu_ids):
            (nodes / str(node)).mkdir(parents=True)
            (nodes / str(node) / "gpu_id").write_text(f"{gpu_id}\n")

    def environment(self, **fake):
        """What the fake KFD is to do."""
        return {"FAKE_SYS": str(self.folder), "FAKE_LOG": str(self.log),
                **{f"FAKE_{key.upper()}": str(value) for key, value in fake.items()}}

    @contextlib.contextmanager
    def fake(self, **fake):
        """It does that, for this process."""
        self.log.unlink(missing_ok=True)
        with unittest.mock.patch.dict(os.environ, self.environment(**fake)):
            yield

    def run_it(self, *command, status=0, stdin="", environment=(), **fake):
        """A program with the fake KFD: what it prints, errors too."""
        self.log.unlink(missing_ok=True)
        done = subprocess.run(command, text=True, input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, env=os.environ | self.environment(**fake) |
                              {"LD_LIBRARY_PATH": str(installed() / "fake"), **dict(environment)})
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def calls(self):
        """The arguments of each call but those of QUERY that was made."""
        data = self.log.read_bytes() if self.log.exists() else b""
        calls = [dict(zip(FIELDS, args)) for args in ARGS.iter_unpack(data)]
        return [call for call in calls if call["op"] != QUERY]


def uapi(name):
    """A number of the header."""
    text = (UAPI / "linux/kfd_gpreempt.h").read_text()
    if m := re.search(rf"^#define {name}\s+\(1U << (\d+)\)$", text, re.M):
        return 1 << int(m[1])
    ops = re.search(r"enum kfd_gpreempt_op \{(.*?)\}", text, re.S)[1]
    return re.findall(r"KFD_GPREEMPT_\w+", ops).index(name) + 1
