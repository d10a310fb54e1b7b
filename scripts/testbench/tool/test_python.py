# SPDX-License-Identifier: GPL-2.0
"""Tests of the Python module gpreempt, and of the examples, in C as well."""
import contextlib
import ctypes
import errno
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock
import warnings

from testbench.tool.in_library import SOURCE, InLibrary, library, uapi

PACKAGE = SOURCE / "python"
EXAMPLES = SOURCE / "examples"
HINT, PREEMPT, RESUME, SET_PRIORITY = (uapi(f"KFD_GPREEMPT_OP_{name}")
                                       for name in ("HINT", "PREEMPT", "RESUME", "SET_PRIORITY"))
SET_DEFAULT = uapi("KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT")
# a guest is given the folder with the module
sys.dont_write_bytecode = True
PYTHON = [sys.executable, "-B", "-W", "default"]


def words(call, count):
    return [int.from_bytes(call["union"][4 * n:4 * n + 4], "little") for n in range(count)]


class Module(InLibrary):
    def setUp(self):
        """A module that nobody has used yet; the library that it finds has the fake KFD."""
        super().setUp()
        library()
        spec = importlib.util.spec_from_file_location("gpreempt", PACKAGE / "gpreempt/__init__.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    @contextlib.contextmanager
    def raises(self, name, code, text):
        with self.assertRaises(getattr(self.module, name)) as caught:
            yield
        self.assertIs(type(caught.exception), getattr(self.module, name))
        self.assertEqual(caught.exception.errno, code)
        self.assertIn(text, str(caught.exception))

    @contextlib.contextmanager
    def warned(self, *texts):
        """Of this file, by these texts and no others."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        self.assertEqual(len(caught), len(texts), [str(w.message) for w in caught])
        for warning, text in zip(caught, texts):
            self.assertIn(text, str(warning.message))
            self.assertEqual(warning.filename, __file__)

    def test_hint(self):
        """The work is announced, done, and over."""
        with self.fake(), self.warned():
            with self.module.hint(in_ms=2, for_ms=5):
                call, = self.calls()
                self.assertEqual((call["op"], call["pid"], words(call, 2)), (HINT, 0, [2000, 5000]))
        _, back = self.calls()
        self.assertEqual((back["op"], words(back, 2)), (HINT, [0, 0]))

    def test_hints_that_overlap(self):
        """The end of one does not take back what another announced."""
        with self.fake():
            with self.module.hint(for_ms=5):
                inner = self.module.hint(for_ms=1, at_least=11)
                inner.__enter__()                                   # pylint: disable=unnecessary-dunder-call
            self.assertEqual([words(call, 2) for call in self.calls()], [[0, 5000], [0, 1000]])
            inner.__exit__(None, None, None)
        self.assertEqual([(words(call, 2), call["level"]) for call in self.calls()[2:]],
                         [([0, 0], 0), ([0, 0], 11)])

    def test_hint_level(self):
        with self.fake(), self.module.hint(for_ms=0.5, at_least=11, gpu_id=4712):
            pass
        call = self.calls()[0]
        self.assertEqual((call["level"], call["gpu_id"], words(call, 2)), (11, 4712, [0, 500]))

    def test_hint_of_what_fails(self):
        """It is taken back then, and what fails is told."""
        with self.fake():
            with self.assertRaises(ZeroDivisionError):
                with self.module.hint(for_ms=5):
                    print(1 / 0)
        self.assertEqual([words(call, 2) for call in self.calls()], [[0, 5000], [0, 0]])

    def test_hints_of_a_server(self):
        """KFD is opened once."""
        with self.fake():
            before = len(os.listdir("/proc/self/fd"))
            for _ in range(5):
                with self.module.hint(for_ms=5):
                    opened = len(os.listdir("/proc/self/fd"))
        self.assertEqual(opened, before + 1)
        self.assertEqual(len(self.calls()), 10)

    def test_hint_without(self):
        """The work is done all the same, and why nobody was told is told once for each reason."""
        for fake, text in (({"open": errno.ENOENT}, "no hint: /dev/kfd: not there"),
                           ({"open": errno.EACCES}, "permission denied"),
                           ({"errno": errno.ENOTTY}, "built without CONFIG_HSA_AMD_GPREEMPT"),
                           ({"errno": errno.ENOENT, "only": HINT, "state": 0}, "GPREEMPT is not enabled"),
                           ({"errno": errno.ENOENT, "only": HINT}, "no such compute queue")):
            self.setUp()
            done = 0
            with self.subTest(text), self.fake(**fake), self.warned(text):
                for _ in range(3):
                    with self.module.hint(in_ms=2, for_ms=5):
                        done += 1
            self.assertEqual(done, 3)
            self.assertFalse(any(words(call, 2) == [0, 0] for call in self.calls()))

    def test_hint_later(self):
        """It is heard when GPREEMPT is enabled."""
        with self.fake(errno=errno.ENODEV, only=HINT), self.warned("not enabled"):
            with self.module.hint(for_ms=5):
                pass
        with self.fake(), self.warned():
            with self.module.hint(for_ms=5):
                self.assertEqual(len(self.calls()), 1)

    def test_hint_in_a_child(self):
        """What was opened before a fork is the parent's."""
        with self.fake():
            with self.module.hint(for_ms=5):
                pass
            handles = len(self.module._own)                         # pylint: disable=protected-access
            child = os.fork()
            if not child:
                with self.module.hint(for_ms=5):
                    pass
                os._exit(len(self.module._own) - handles)           # pylint: disable=protected-access
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)

    def test_hint_ranges(self):
        """What makes no sense is no reason to go on without."""
        for wrong in {"for_ms": 0}, {"for_ms": 1001}, {"for_ms": 1, "in_ms": -1}, {"for_ms": 1, "at_least": 16}:
            with self.subTest(wrong), self.fake(open=errno.ENOENT), self.assertRaises(ValueError) as caught:
                with self.module.hint(**wrong):
                    pass
            self.assertIn("is not within", str(caught.exception))

    def test_errors(self):
        """Each has a class, its errno, and says what to do."""
        for code, name, text in (
                (errno.ESRCH, "Gone", "gpreempt top"), (errno.ENOENT, "Gone", "no such compute queue"),
                (errno.EPERM, "NotPermitted", "run as root"), (errno.ENODEV, "Disabled", "gpreempt set enable=1"),
                (errno.EIO, "GaveUp", "gpreempt status"), (errno.ETIME, "TimedOut", "allow it more"),
                (errno.EBUSY, "Error", "must stay"), (errno.EINVAL, "Error", "of another version")):
            with self.subTest(name), self.fake(errno=code, only=PREEMPT), self.raises(name, code, text):
                self.module.Queues().preempt()
        for fake, code, text in (({"open": errno.ENOENT}, errno.ENXIO, "modprobe amdgpu"),
                                 ({"open": errno.EPERM}, errno.EACCES, "docker run --device"),
                                 ({"open": errno.EINVAL}, errno.EAGAIN, "try again"),
                                 ({"errno": errno.ENOTTY}, errno.ENOTTY, "CONFIG_HSA_AMD_GPREEMPT")):
            with self.subTest(text), self.fake(**fake), self.raises("Absent", code, text):
                self.module.renice(3)
        for name, base in (("Gone", ProcessLookupError), ("NotPermitted", PermissionError),
                           ("TimedOut", TimeoutError), ("Absent", OSError)):
            self.assertTrue(issubclass(getattr(self.module, name), base))

    def test_renice(self):
        with self.fake(queues=0), self.warned():
            self.module.renice(3, pid=17)
            self.module.renice(None)
            self.module.renice(5, queue=9)
        low, none, queue = (call for call in self.calls() if call["op"] in (SET_DEFAULT, SET_PRIORITY))
        self.assertEqual((low["pid"], words(low, 1)), (17, [3]))
        self.assertEqual((none["pid"], words(none, 1)), (0, [0xffffffff]))
        self.assertEqual((queue["op"], queue["queue_id"], words(queue, 1)), (SET_PRIORITY, 9, [5]))

    def test_renice_permitted(self):
        """Less than was asked for is told."""
        with self.fake(queues=1), self.warned("priority 12 is served as 3: more needs CAP_SYS_NICE"):
            self.module.Queues().renice(12)
        with self.fake(queues=1), self.warned("priority 12 is served as 3"):
            self.module.renice(12)
        with self.fake(queues=1), self.warned():
            self.module.renice(3)
        with self.fake(queues=0), self.warned():
            self.module.renice(12)

    def test_ranges(self):
        queues = self.module.Queues
        with self.fake():
            for call in (lambda: queues().renice(16), lambda: queues().renice(-1), lambda: queues(at_least=16),
                         lambda: queues().preempt(hold_ms=3600001), lambda: queues().resume(wait_ms=60001),
                         lambda: queues(queue=1, below=3), lambda: queues(pid=1, pidfd=0),
                         lambda: queues(pid=2**32), lambda: queues(queue=2**32 + 3), lambda: queues(gpu_id=2**32),
                         lambda: queues(pid=-1), lambda: queues(pidfd=-1), lambda: queues(pid=0.5),
                         lambda: queues().preempt(hold_ms=0.4), lambda: queues().resume(wait_ms=0.5)):
                with self.assertRaises(ValueError):
                    call()
        self.assertEqual(self.calls(), [])

    def test_closed(self):
        with self.fake():
            with self.module.Queues() as queues:
                pass
            for call in queues.check, queues.query, queues.list, queues.take_back, queues.resume:
                with self.assertRaisesRegex(ValueError, "closed"):
                    call()
        self.assertEqual(self.calls(), [])

    def test_wrong_arguments(self):
        """An error alone: nothing is left behind that fails once more."""
        caught = []
        with unittest.mock.patch("sys.unraisablehook", caught.append), self.fake():
            for arguments in ((4711,), {}), ((), {"pid": "4711"}):
                with self.assertRaises(TypeError):
                    self.module.Queues(*arguments[0], **arguments[1])
        self.assertEqual(caught, [])

    def test_newer_driver(self):
        """A state that this module has no name for."""
        with self.fake(state=4):
            self.assertEqual(self.module.Queues().query().state, "unknown")

    def test_preempt(self):
        with self.fake(queues=3), self.module.Queues(below=7) as queues:
            self.assertEqual(queues.preempt(hold_ms=None, wait_ms=0), 3)
            self.assertEqual(queues.preempt(hold_ms=50), 3)
            self.assertEqual(queues.resume(), 3)
        endless, bounded, resume = self.calls()
        self.assertEqual([call["op"] for call in self.calls()], [PREEMPT, PREEMPT, RESUME])
        hold, wait = uapi("KFD_GPREEMPT_HOLD"), uapi("KFD_GPREEMPT_WAIT")
        self.assertEqual((endless["flags"] & (hold | wait), words(endless, 2)), (hold, [0, 0]))
        self.assertEqual((bounded["flags"] & (hold | wait), words(bounded, 2)), (hold | wait, [1000, 50]))
        self.assertEqual((resume["level"], words(resume, 2)), (7, [1000, 0]))

    def test_list(self):
        """However many there are."""
        with self.fake(queues=40):
            found = self.module.Queues().list()
        self.assertEqual([q.queue_id for q in found], [*range(40)])
        self.assertEqual((found[39].permitted, found[39].resumed_ns), (42, 4711))
        self.assertIs(found[0].state, self.module.QueueState.UNKNOWN)

    def test_query(self):
        with self.fake(state=2):
            self.assertEqual(self.module.Queues().query(), (1, True, "active", 16, 7))
            self.module.Queues().check()
            self.assertEqual((self.module.gpus(), self.module.first_gpu()), ([4711, 4712], 4711))
            self.gpus()
            with self.raises("Absent", errno.ENODEV, "no GPU that KFD drives"):
                self.module.first_gpu()
        with self.fake(state=0), self.raises("Disabled", errno.ENODEV, "not enabled"):
            self.module.Queues().check()

    def test_structures(self):
        """As the header has them."""
        header = (self.usr / "include/libgpreempt.h").read_text()
        for name, of in ("gpreempt_queue", self.module._Queue), ("gpreempt_gpu", self.module._Gpu):
            text = re.search(rf"struct {name} \{{(.*?)\}}", header, re.S)[1]
            self.assertEqual([(field, kind) for kind, field in re.findall(r"uint(\d+)_t (\w+);", text)],
                             [(field, str(8 * ctypes.sizeof(kind))) for field, kind in of._fields_])
        states = re.search(r"enum gpreempt_queue_state \{(.*?)\}", header, re.S)[1]
        self.assertEqual(re.findall(r"GPREEMPT_QUEUE_(\w+)", states), [s.name for s in self.module.QueueState])


class Programs(InLibrary):
    def test_without_the_library(self):
        """An import is none of its users' trouble; a call says what to install."""
        said = self.run_it(*PYTHON, "-c", "import gpreempt\nwith gpreempt.hint(for_ms=1): print('work')\n"
                           "try: gpreempt.renice(3)\nexcept gpreempt.Absent as e: print(e.errno, e)",
                           environment={"PYTHONPATH": str(PACKAGE), "LD_LIBRARY_PATH": "/nowhere"})
        self.assertIn("HintWarning: no hint: libgpreempt.so.1 cannot be loaded", said)
        self.assertIn("\nwork\n", said)
        self.assertIn(f"{errno.ENXIO} [Errno {errno.ENXIO}] libgpreempt.so.1 cannot be loaded", said)

    def built(self, name):
        """An example in C, by what is installed and its own recipe's."""
        program = self.folder / name
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-I", self.usr / "include", "-L", self.usr / "lib",
                        EXAMPLES / f"{name}.c", "-lgpreempt", "-o", program], check=True)
        return program

    def test_examples(self):
        """They are there, and work goes on without GPREEMPT, which they say once."""
        without, requests = {"open": errno.ENOENT}, "one\ntwo\n"
        for name in "hint", "serve":
            stdin = requests if name == "hint" else ""
            commands = [self.built(name)], [*PYTHON, EXAMPLES / f"{name}.py"]
            for command in commands:
                with self.subTest(command):
                    environment = {"PYTHONPATH": str(PACKAGE)}
                    said = self.run_it(*command, stdin=stdin, environment=environment, **without)
                    self.assertEqual(said.count("/dev/kfd: not there"), 1, said)
                    self.assertIn("one\ntwo\n" if stdin else "work\n", said)
                    self.assertNotIn("Traceback", said)
                    said = self.run_it(*command, stdin=stdin, environment=environment)
                    self.assertEqual(said, requests if stdin else "work\n")
                    hints = [words(call, 2) for call in self.calls() if any(words(call, 2))]
                    self.assertEqual(hints, [[1000, 5000]] * 2 if stdin else [[2000, 5000]])
        self.assertEqual({path.stem for path in EXAMPLES.iterdir()}, {"hint", "serve"})

    def test_examples_of_another(self):
        """hint is for the process that it is given."""
        for command in [self.built("hint")], [*PYTHON, EXAMPLES / "hint.py"]:
            self.run_it(*command, "4711", stdin="one\n", environment={"PYTHONPATH": str(PACKAGE)})
            self.assertEqual([call["pid"] for call in self.calls()], [4711])

    def test_hint_passes_on(self):
        """Whatever is the matter with hints; but a number that is none is wrong usage."""
        environment = {"PYTHONPATH": str(PACKAGE), "LD_LIBRARY_PATH": "/nowhere"}
        said = self.run_it(*PYTHON, EXAMPLES / "hint.py", stdin="one\ntwo\n", environment=environment)
        self.assertIn("hint: libgpreempt.so.1 cannot be loaded", said)
        self.assertIn("one\ntwo\n", said)
        for command, status in ([self.built("hint")], 2), ([*PYTHON, EXAMPLES / "hint.py"], 1):
            said = self.run_it(*command, "frob", status=status, environment={"PYTHONPATH": str(PACKAGE)})
            self.assertTrue(said.startswith("usage: hint"), said)

    def test_short(self):
        """Ten lines in C, five in Python."""
        body = re.search(r"^\{\n(.*?)^\}", (EXAMPLES / "serve.c").read_text(), re.M | re.S)[1]
        self.assertLessEqual(len([line for line in body.splitlines() if line.strip()]), 10)
        body = (EXAMPLES / "serve.py").read_text().partition('work."""')[2]
        self.assertLessEqual(len([line for line in body.splitlines() if line.strip()]), 5)

    def test_wheel(self):
        """It is one, with what type checkers look for. Building writes beside the source."""
        source = shutil.copytree(PACKAGE, self.folder / "source")
        subprocess.run(["/usr/bin/python3", "-c", "import sys; from setuptools import build_meta; "
                        "build_meta.build_wheel(sys.argv[1])", self.folder], cwd=source, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wheel, = self.folder.glob("*.whl")
        names = subprocess.run([sys.executable, "-m", "zipfile", "-l", wheel], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
        for name in "gpreempt/__init__.py", "gpreempt/py.typed":
            self.assertIn(name, names)


if __name__ == "__main__":
    unittest.main()
