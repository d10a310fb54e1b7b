# SPDX-License-Identifier: GPL-2.0
"""Tests of libgpreempt: its header, its symbols, what it asks of the driver, and without one."""
import ctypes
import errno
import os
import re
import struct
import subprocess
import threading

from testbench.paths import HEADERS
from testbench.tool.in_library import SOURCE, UAPI, InLibrary, library, uapi

ALL = uapi("KFD_GPREEMPT_ALL")
NONE = 0xffffffff
OPS = {name: uapi(f"KFD_GPREEMPT_OP_{name.upper()}")
       for name in ("list", "set_priority", "set_process_default", "preempt", "resume", "hint")}


def declared(text):
    """The functions that a header declares."""
    return sorted(re.findall(r"^[\w ]+[ *](gpreempt_\w+)\(", text, re.M))


def descriptors():
    """Those that stay open: the folder is read by one itself."""
    return {fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")}


class Package(InLibrary):
    def compile(self, compiler, text, *options):
        suffix = {"cc": "c", "c++": "cc"}[compiler]
        source = self.folder / f"program.{suffix}"
        source.write_text(text)
        subprocess.run([compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *options, source, "-o",
                        self.folder / "program", "-I", self.usr / "include", "-L", self.usr / "lib", "-lgpreempt"],
                       check=True)
        return self.folder / "program"

    def test_header(self):
        """It compiles by itself in C and C++, and with the driver's beside it."""
        use = "int main(void) { gpreempt_close(gpreempt_open(GPREEMPT_ALL_GPUS)); return 0; }\n"
        alone = "#include <libgpreempt.h>\n" + use
        self.run_it(self.compile("cc", alone, "-std=c99"))
        self.run_it(self.compile("c++", alone, "-std=c++11"))
        self.run_it(self.compile("cc", "#include <linux/kfd_gpreempt.h>\n" + alone, "-I", UAPI,
                                 "-isystem", HEADERS, "-std=gnu11"))

    def test_symbols(self):
        """What the header declares is what the version script has, and the library."""
        names = declared((self.usr / "include/libgpreempt.h").read_text())
        self.assertGreater(len(names), 10)
        script = (SOURCE / "lib/libgpreempt.map").read_text()
        self.assertEqual(re.findall(r"^\t(\w+);$", script, re.M), names)
        there = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions",
                                self.usr / "lib/libgpreempt.so.1"],
                               check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(sorted(re.findall(r" T (\S+)", there)), [f"{name}@@GPREEMPT_1" for name in names])

    def test_manual(self):
        page = (self.usr / "share/man/man3/libgpreempt.3").read_text()
        said = sorted(re.findall(r'^\.BI "[\w ]+[ *](gpreempt_\w+)\(', page, re.M))
        self.assertEqual(said, declared((self.usr / "include/libgpreempt.h").read_text()))
        example = re.search(r"^(#include <stdio.h>.*?^\})", page, re.M | re.S)[1].replace(r"\en", r"\n")
        self.assertIn("hint: /dev/kfd: not there", self.run_it(self.compile("cc", example), open=errno.ENOENT))

    def test_pkg_config(self):
        text = (self.usr / "lib/pkgconfig/libgpreempt.pc").read_text()
        self.assertNotIn("@", text)
        self.assertIn(f"prefix={self.usr}\nlibdir={self.usr}/lib\n", text)
        self.assertEqual((self.usr / "lib/libgpreempt.so").readlink().name, "libgpreempt.so.1")

    def test_needs(self):
        """Nothing but libc."""
        said = subprocess.run(["objdump", "-p", self.usr / "lib/libgpreempt.so.1"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(re.findall(r"NEEDED +(\S+)", said), ["libc.so.6"])
        self.assertEqual(re.findall(r"SONAME +(\S+)", said), ["libgpreempt.so.1"])


class Library(InLibrary):
    def handle(self, gpu_id=0, how="", *of):
        """A handle, until the test is over."""
        handle = ctypes.c_void_p(getattr(library(), f"gpreempt_open{how}")(gpu_id, *of))
        self.addCleanup(library().gpreempt_close, handle)
        return handle

    def call(self, name, *arguments, of=None, select=None, **fake):
        """What a function returns of a handle of all GPUs, or another one."""
        with self.fake(**fake):
            handle = self.handle(*of or (0,))
            if select:
                library().gpreempt_select(handle, *select)
            return getattr(library(), f"gpreempt_{name}")(handle, *arguments)

    def asked(self):
        """What is not 0 of the one call that was made, with the union's first words."""
        call, = self.calls()
        self.assertFalse(any(call["union"][16:]))
        call["union"] = list(struct.unpack("<4I", call["union"][:16]))
        while call["union"] and not call["union"][-1]:
            call["union"].pop()
        return {key: value for key, value in call.items() if value}

    def test_calls(self):
        """Each function, as the driver sees it."""
        hint = {"op": OPS["hint"], "union": [2000, 5000]}
        preempt, resume = {"op": OPS["preempt"]}, {"op": OPS["resume"]}
        wait, hold = uapi("KFD_GPREEMPT_WAIT"), uapi("KFD_GPREEMPT_HOLD")
        for call, select, asked in (
                (("hint", 2000, 5000), None, hint | {"flags": ALL}),
                (("hint", 0, 0), None, {"op": OPS["hint"], "flags": ALL}),
                (("hint", 2000, 5000), (1, 9), hint | {"queue_id": 9}),
                (("hint", 2000, 5000), (2, 11), hint | {"flags": uapi("KFD_GPREEMPT_AT_LEAST"), "level": 11}),
                (("hint", 2000, 5000), (0, 9), hint | {"flags": ALL}),
                (("preempt", 0, 0), None, preempt | {"flags": ALL}),
                (("preempt", 300, 7), None, preempt | {"flags": ALL | wait | hold, "union": [7, 300]}),
                (("preempt", NONE, 0), None, preempt | {"flags": ALL | hold}),
                (("preempt", 0, 0), (3, 7), preempt | {"flags": uapi("KFD_GPREEMPT_BELOW"), "level": 7}),
                (("resume", 7), None, resume | {"flags": ALL | wait, "union": [7]}),
                (("set_priority", 3, None), None, {
                    "op": OPS["set_process_default"], "union": [3, NONE],
                    "flags": uapi("KFD_GPREEMPT_KEEP_CEILING") | uapi("KFD_GPREEMPT_KEEP_TIMESLICE")}),
                (("set_priority", 3, None), (1, 9), {"op": OPS["set_priority"], "queue_id": 9, "union": [3]})):
            with self.subTest(call, select=select):
                self.assertGreaterEqual(self.call(*call, select=select), 0)
                self.assertEqual(self.asked(), asked)

    def test_handles(self):
        """Whose queues, and where."""
        pidfd = uapi("KFD_GPREEMPT_PIDFD")
        for of, asked in (
                ((4712,), {"flags": ALL, "gpu_id": 4712}),
                ((0, "_pid", 4), {"flags": ALL, "pid": 4}),
                ((4712, "_pidfd", 5), {"flags": ALL | pidfd, "pidfd": 5, "gpu_id": 4712}),
                ((0, "_pidfd", 0), {"flags": ALL | pidfd}),
                ((0, "_pidfd", -1), {"flags": ALL | pidfd, "pidfd": 0x7fffffff})):
            with self.subTest(of):
                self.call("hint", 0, 1, of=of)
                self.assertEqual(self.asked(), asked | {"op": OPS["hint"], "union": [0, 1]})

    def test_of_all_gpus(self):
        """The number of a queue is of its process, and so is a default."""
        self.call("hint", 0, 1, of=(4712,), select=(1, 9))
        self.assertNotIn("gpu_id", self.asked())
        self.call("set_priority", 1, None, of=(4712,))
        self.assertNotIn("gpu_id", self.asked())

    def test_gpus(self):
        """In KFD's order, without CPUs."""
        with self.fake():
            self.assertEqual([library().gpreempt_gpu(n) for n in range(3)], [4711, 4712, NONE])
            self.gpus()
            self.assertEqual(library().gpreempt_gpu(0), NONE)

    def test_gpus_unreadable(self):
        """What cannot be read ends the list, but for a GPU that a container was not given."""
        nodes = self.folder / "class/kfd/kfd/topology/nodes"
        (nodes / "0/gpu_id").unlink()
        (nodes / "0/gpu_id").mkdir()
        with self.fake():
            self.assertEqual(library().gpreempt_gpu(0), NONE)

    def test_no_gpu(self):
        """A handle for none asks nothing, not even what is of a process."""
        for call, select in ((("hint", 0, 1), None), (("set_priority", 3, None), None), (("resume", 0), None),
                             (("set_priority", 3, None), (1, 9)), (("check",), None)):
            self.assertEqual(self.call(*call, of=(NONE,), select=select), -errno.ENODEV, (call, select))
        self.assertEqual(self.calls(), [])

    def test_locked_for_threads(self):
        """Of several threads that open KFD again one descriptor remains, until the end."""
        before = descriptors()
        with self.fake(open=errno.EINVAL):
            handle = ctypes.c_void_p(library().gpreempt_open(0))
        with self.fake(slow=50000):
            threads = [threading.Thread(target=library().gpreempt_hint, args=(handle, 1, 2)) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(descriptors()), len(before) + 1)
            library().gpreempt_close(handle)
        self.assertEqual(descriptors(), before)

    def test_absent(self):
        """No function does anything; each says why, and so does the check."""
        for fake, error, what in (
                ({"open": errno.ENOENT}, errno.ENXIO, "/dev/kfd: not there"),
                ({"open": errno.ENXIO}, errno.ENXIO, "try 'modprobe amdgpu'"),
                ({"open": errno.EACCES}, errno.EACCES, "become a member of the group"),
                ({"open": errno.EPERM}, errno.EACCES, "docker run --device /dev/kfd"),
                ({"open": errno.EINVAL}, errno.EAGAIN, "try again"),
                ({"open": errno.EMFILE}, errno.EMFILE, "Too many open files"),
                ({"errno": errno.ENOTTY}, errno.ENOTTY, "built without CONFIG_HSA_AMD_GPREEMPT")):
            for call in (("check",), ("hint", 1, 2), ("preempt", 0, 0), ("resume", 0),
                         ("set_priority", 3, ctypes.byref(ctypes.c_uint32())), ("query", bytes(20)),
                         ("list", bytes(112), 1), ("ioctl", bytes(104))):
                with self.subTest(call, fake=fake):
                    self.assertEqual(self.call(*call, **fake), -error)
                    self.assertEqual(self.calls(), [])
            self.assertIn(what, library().gpreempt_strerror(-error).decode())

    def test_check(self):
        """As it is now, on one of the handle's GPUs."""
        for of in (0,), (4711,):
            for state, error in ((0, -errno.ENODEV), (1, 0), (2, 0), (3, -errno.EIO)):
                self.assertEqual(self.call("check", of=of, state=state), error, (of, state))
        self.gpus(0)
        self.assertEqual(self.call("check", state=2), -errno.ENODEV)

    def test_check_each(self):
        """One of them is enough; of those that are not the reason is told that is not all's."""
        for first, second, error in ((0, 2, 0), (0, 3, -errno.EIO), (3, 0, -errno.EIO), (3, 2, 0)):
            self.assertEqual(self.call("check", state_4711=first, state_4712=second), error, (first, second))

    def test_changes(self):
        with self.fake(state=0):
            handle = self.handle()
            self.assertEqual(library().gpreempt_check(handle), -errno.ENODEV)
        with self.fake(state=1):
            self.assertEqual(library().gpreempt_check(handle), 0)

    def test_locked(self):
        """A handle that was opened while a GPU was reset works afterwards."""
        with self.fake(open=errno.EINVAL):
            handle = self.handle()
            self.assertEqual(library().gpreempt_hint(handle, 1, 2), -errno.EAGAIN)
        with self.fake():
            self.assertEqual(library().gpreempt_hint(handle, 1, 2), 0)

    def test_disabled(self):
        """The driver finds no queue then, and the caller is told what is the matter."""
        refused = {"errno": errno.ENOENT, "only": OPS["hint"]}
        for state, select, error in ((0, None, errno.ENODEV), (0, (2, 11), errno.ENODEV), (3, None, errno.EIO),
                                     (2, None, errno.ENOENT), (0, (1, 9), errno.ENOENT)):
            self.assertEqual(self.call("hint", 1, 2, select=select, state=state, **refused), -error,
                             (state, select))

    def test_errors(self):
        """The driver's arrive as they are, each with a text that is its own."""
        texts = {}
        for name in ("ESRCH", "ENOENT", "EPERM", "EBUSY", "ENODEV", "EIO", "ETIME", "EBADF", "EINVAL", "ENOSPC",
                     "EOPNOTSUPP", "ENXIO", "EACCES", "EAGAIN", "ENOTTY"):
            code = getattr(errno, name)
            self.assertEqual(self.call("preempt", 0, 0, errno=code, only=OPS["preempt"]), -code)
            texts[name] = library().gpreempt_strerror(code)
            self.assertEqual(library().gpreempt_strerror(-code), texts[name])
            self.assertGreater(len(texts[name]), 30, name)
        self.assertEqual(texts.pop("EINVAL"), texts["EOPNOTSUPP"])
        self.assertEqual(len(set(texts.values())), len(texts))
        self.assertEqual(library().gpreempt_strerror(errno.ENOMEM), os.strerror(errno.ENOMEM).encode())

    def test_no_memory(self):
        """What open returns then, all functions take."""
        library().gpreempt_close(None)
        for call in (("hint", 1, 2), ("check",), ("select", 0, 0), ("set_priority", 3, None), ("resume", 0),
                     ("list", None, 0), ("query", bytes(20)), ("preempt", 0, 0), ("ioctl", None)):
            self.assertEqual(getattr(library(), f"gpreempt_{call[0]}")(None, *call[1:]), -errno.ENOMEM, call)

    def test_select(self):
        """What it does not know changes nothing."""
        self.assertEqual(self.call("select", 4, 0), -errno.EINVAL)
        self.call("hint", 0, 1, select=(4, 0))
        self.assertEqual(self.asked()["flags"], ALL)

    def list_two(self, **fake):
        """How many there are; permitted, and the last number, of two; and what is behind them."""
        queues = ctypes.create_string_buffer(b"\xff" * 112 * 3, 112 * 3)
        count = self.call("list", ctypes.byref(queues), 2, **fake)
        return count, [int.from_bytes(queues.raw[at:at + 4], "little") for at in (12, 104, 124, 216, 224)]

    def test_list(self):
        """No more than there is room for, and how many there are."""
        self.assertEqual(self.list_two(queues=5), (5, [3, 4711, 4, 4711, NONE]))
        self.assertEqual(self.list_two(queues=0), (0, [NONE] * 5))

    def test_newer_driver(self):
        """It knows longer entries, and writes no more than the caller has room for."""
        self.assertEqual(self.list_two(queues=5, entry=128), (5, [3, 4711, 4, 4711, NONE]))

    def permitted(self, **how):
        permitted = ctypes.c_uint32(1)
        self.call("set_priority", 9, ctypes.byref(permitted), **how)
        return permitted.value

    def test_permitted(self):
        """Of all queues the least of those without their own; of one, what the driver says."""
        self.assertEqual(self.permitted(queues=2), 3)
        self.assertEqual(self.permitted(queues=2, set=0), 4)
        self.assertEqual(self.permitted(queues=0), NONE)
        self.assertEqual(self.permitted(queues=70, set=0), 4)
        self.assertEqual(self.permitted(select=(1, 9)), 7)
        self.assertEqual(self.permitted(errno=errno.EPERM, only=OPS["set_process_default"]), 1)

    def test_counts(self):
        self.assertEqual(self.call("preempt", 0, 0, queues=3), 3)
        self.assertEqual(self.call("resume", 0, queues=3), 3)

    def test_query(self):
        """Of the first GPU, or of the handle's."""
        for of, gpu_id in (0, 4711), (4712, 4712):
            words = (ctypes.c_uint32 * 5)()
            self.assertEqual(self.call("query", words, of=(of,), state_4711=1, state_4712=2), 0)
            self.assertEqual([*words], [1, 1, gpu_id - 4710, 16, 7])

    def test_closed(self):
        """No descriptor is left, and none goes to a program that is started."""
        with self.fake():
            library()
            before = descriptors()
            handle = ctypes.c_void_p(library().gpreempt_open(0))
            fd, = descriptors() - before
            self.assertFalse(os.get_inheritable(int(fd)))
            library().gpreempt_close(handle)
            self.assertFalse(os.path.exists(f"/proc/self/fd/{fd}"))
        with self.fake(errno=errno.ENOTTY):
            self.handle()
            self.assertEqual(descriptors(), before)
