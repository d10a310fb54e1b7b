# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Priority for AMD GPU compute queues: libgpreempt for Python.

    import gpreempt

    with gpreempt.hint(in_ms=2, for_ms=5):      # the GPU is free by then
        model(batch)

    gpreempt.renice(3)                          # this process, on what others leave
    gpreempt.Queues(pid=4711).preempt(hold_ms=500)

Where GPREEMPT is not there a hint does nothing, and a warning says why, once. All else raises an
Error, which says what is the matter and what to do.
"""
import contextlib
import ctypes
import enum
import errno
import os
import threading
import warnings
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Type

__all__ = ["ALL_GPUS", "Absent", "Disabled", "Error", "GaveUp", "Gone", "Gpu", "HintWarning", "NotPermitted",
           "Queue", "QueueState", "Queues", "TimedOut", "first_gpu", "gpus", "hint", "renice"]

ALL_GPUS = 0
_NONE = 0xffffffff          # no priority; no GPU; no limit
_ALL, _QUEUE, _AT_LEAST, _BELOW = range(4)


class Error(OSError):
    """What failed, as errno has it, and what to do about it."""


class Absent(Error):
    """No driver, no GPREEMPT in it, or no access to it."""


class Disabled(Absent):
    """The administrator has not enabled it on the GPU, or there is no such GPU."""


class GaveUp(Error):
    """GPREEMPT gave up on the GPU after an error."""


class Gone(Error, ProcessLookupError):
    """No such process, or no such queue of it."""


class NotPermitted(Error, PermissionError):
    """Another user's process, or more than its user may ask for."""


class TimedOut(Error, TimeoutError):
    """Not done in time, and taken back."""


class HintWarning(UserWarning):
    """A hint that nobody heard: work is done without, only later."""


_ERRORS: Dict[int, Type[Error]] = {
    errno.ENXIO: Absent, errno.EACCES: Absent, errno.EAGAIN: Absent, errno.ENOTTY: Absent,
    errno.ENODEV: Disabled, errno.EIO: GaveUp, errno.ESRCH: Gone, errno.ENOENT: Gone,
    errno.EPERM: NotPermitted, errno.ETIME: TimedOut,
}


class QueueState(enum.IntEnum):
    UNKNOWN, IDLE, RUNNING, WAITING, BLOCKED, PREEMPTED, HELD, OFF = range(8)


class Gpu(NamedTuple):
    """What the driver says of a GPU."""
    version: int
    supported: bool
    state: str              # disabled, parked, active or bypassed
    levels: int             # priorities are 0 to levels - 1, the highest last
    priority_cap: int       # the highest that is served without CAP_SYS_NICE


class Queue(NamedTuple):
    """A compute queue; see struct gpreempt_queue of libgpreempt.h."""
    queue_id: int
    gpu_id: int
    priority: int
    permitted: int
    effective: int
    state: QueueState
    flags: int
    timeslice_us: int
    running_ns: int
    waiting_ns: int
    preempted_ns: int
    preemptions: int
    pid: int
    context_id: int
    backlog: int
    waves: int
    save_ns: int
    seen_ns: int
    resumes: int
    resumed_ns: int


class _Gpu(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in
                ("version", "capabilities", "state", "levels", "priority_cap")]


class _Queue(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64 if name.endswith("_ns") or name in ("preemptions", "resumes")
                 else ctypes.c_uint32) for name in Queue._fields]


_lib: Optional[ctypes.CDLL] = None
_missing: Optional[str] = None          # why it cannot be loaded


def _library() -> ctypes.CDLL:
    """libgpreempt, loaded when it is needed first: a program can be imported without it."""
    global _lib, _missing                               # pylint: disable=global-statement
    if _lib is not None:
        return _lib
    try:
        if _missing is None:
            lib = ctypes.CDLL("libgpreempt.so.1")
    except OSError as e:
        _missing = (f"libgpreempt.so.1 cannot be loaded ({e}): install libgpreempt1, or "
                    "'make -C tools/gpreempt install' and, as root, ldconfig")
    if _missing is not None:
        raise Absent(errno.ENXIO, _missing)
    word, handle = ctypes.c_uint32, ctypes.c_void_p
    for name, result, arguments in (
            ("gpu", word, [word]), ("strerror", ctypes.c_char_p, [ctypes.c_int]),
            ("open", handle, [word]), ("open_pid", handle, [word, ctypes.c_int]),
            ("open_pidfd", handle, [word, ctypes.c_int]), ("close", None, [handle]),
            ("check", ctypes.c_int, [handle]), ("select", ctypes.c_int, [handle, ctypes.c_int, word]),
            ("query", ctypes.c_int, [handle, ctypes.POINTER(_Gpu)]),
            ("list", ctypes.c_int, [handle, ctypes.POINTER(_Queue), word]),
            ("set_priority", ctypes.c_int, [handle, word, ctypes.POINTER(word)]),
            ("hint", ctypes.c_int, [handle, word, word]), ("preempt", ctypes.c_int, [handle, word, word]),
            ("resume", ctypes.c_int, [handle, word])):
        function = getattr(lib, f"gpreempt_{name}")
        function.restype, function.argtypes = result, arguments
    _lib = lib
    return lib


def _check(result: int) -> int:
    """What the library returned; raises if that is an error."""
    if result >= 0:
        return result
    raise _ERRORS.get(-result, Error)(-result, _library().gpreempt_strerror(result).decode())


def _within(name: str, value: float, least: float, most: float) -> float:
    if not least <= value <= most:
        raise ValueError(f"{name}={value!r} is not within {least:g} to {most:g}")
    return value


def _whole(name: str, value: int, least: int, most: int) -> int:
    """What the library takes as a number of 32 bits: neither more nor a fraction."""
    if int(_within(name, value, least, most)) != value:
        raise ValueError(f"{name}={value!r} is not a whole number")
    return int(value)


def _level(name: str, value: int) -> int:
    return _whole(name, value, 0, 15)


def gpus() -> List[int]:
    """The gpu_ids of all GPUs, in the order in which HIP numbers them."""
    lib = _library()
    found: List[int] = []
    while (gpu_id := lib.gpreempt_gpu(len(found))) != _NONE:
        found.append(gpu_id)
    return found


def first_gpu() -> int:
    """The gpu_id of HIP's device 0."""
    found = gpus()
    if not found:
        raise Absent(errno.ENODEV, "no GPU that KFD drives; 'gpreempt status' says more")
    return found[0]


class Queues:
    """The compute queues of a process: of this one, or of another by pid or pidfd.

    Of them those on one GPU (gpu_id), the one of that number (queue), those that ask for a priority
    or more (at_least; HIP's high streams ask for 11), or those that are served below one (below).
    """

    _handle: Optional[int] = None

    def __init__(self, *, pid: int = 0, pidfd: Optional[int] = None, gpu_id: int = ALL_GPUS,
                 queue: Optional[int] = None, at_least: Optional[int] = None,
                 below: Optional[int] = None) -> None:
        chosen = [(which, value) for which, value in
                  ((_QUEUE, queue), (_AT_LEAST, at_least), (_BELOW, below)) if value is not None]
        if len(chosen) > 1 or (pid and pidfd is not None):
            raise ValueError("one of pid and pidfd, and one of queue, at_least and below")
        for name, level in ("at_least", at_least), ("below", below):
            if level is not None:
                _level(name, level)
        _whole("pid", pid, 0, 0x7fffffff)
        _whole("pidfd", pidfd or 0, 0, 0x7fffffff)
        _whole("gpu_id", gpu_id, 0, _NONE)
        _whole("queue", queue or 0, 0, _NONE)
        lib = _library()
        if pidfd is not None:
            self._handle = lib.gpreempt_open_pidfd(gpu_id, pidfd)
        else:
            self._handle = lib.gpreempt_open_pid(gpu_id, pid)
        for which, value in chosen:
            _check(lib.gpreempt_select(self._handle, which, value))

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            _library().gpreempt_close(handle)

    def __enter__(self) -> "Queues":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if _lib is not None:
            self.close()

    def _open(self) -> int:
        if self._handle is None:
            raise ValueError("these queues are closed")
        return self._handle

    def check(self) -> None:
        """Raise if GPREEMPT does not work now, on any of these GPUs."""
        _check(_library().gpreempt_check(self._open()))

    def query(self) -> Gpu:
        """What the driver says of the GPU, or of the first one."""
        gpu = _Gpu()
        _check(_library().gpreempt_query(self._open(), gpu))
        # a newer driver may have more states
        state = dict(enumerate(("disabled", "parked", "active", "bypassed"))).get(gpu.state, "unknown")
        return Gpu(gpu.version, bool(gpu.capabilities & 1), state, gpu.levels, gpu.priority_cap)

    def list(self) -> List[Queue]:
        """What the driver knows of each queue."""
        room = 16
        while True:
            queues = (_Queue * room)()
            there = _check(_library().gpreempt_list(self._open(), queues, room))
            if there <= room:
                break
            room = there
        values = [{name: getattr(q, name) for name in Queue._fields} for q in queues[:there]]
        return [Queue(**v | {"state": QueueState(v["state"] if v["state"] in list(QueueState) else 0)})
                for v in values]

    def renice(self, priority: Optional[int]) -> None:
        """0 to 15, or None for what the application asks for. Without queue=: of all queues of the
        process on all GPUs, those to come and its children's, too. Warns if the driver permits
        less."""
        self._renice(priority)

    def _renice(self, priority: Optional[int]) -> None:
        wanted = _NONE if priority is None else _level("priority", priority)
        permitted = ctypes.c_uint32()
        _check(_library().gpreempt_set_priority(self._open(), wanted, permitted))
        if priority is not None and permitted.value < priority:
            warnings.warn(f"priority {priority} is served as {permitted.value}: more needs CAP_SYS_NICE or a "
                          "grant of its cgroup, or exceeds a ceiling", stacklevel=3)

    def hint(self, *, in_ms: float = 0, for_ms: float) -> None:
        """Work comes in that time, and lasts so long; up to 1000 ms each."""
        in_us = round(_within("in_ms", in_ms, 0, 1000) * 1000)
        for_us = round(_within("for_ms", for_ms, 0.001, 1000) * 1000)
        _check(_library().gpreempt_hint(self._open(), in_us, for_us))

    def take_back(self) -> None:
        """The work of a hint does not come, or is done."""
        _check(_library().gpreempt_hint(self._open(), 0, 0))

    def preempt(self, *, hold_ms: Optional[int] = 0, wait_ms: int = 1000) -> int:
        """Take them off the GPU: until their turn comes, or for a time (up to an hour), or with
        None until resume(). Returns how many there were."""
        hold = _NONE if hold_ms is None else _whole("hold_ms", hold_ms, 0, 3600000)
        wait = _whole("wait_ms", wait_ms, 0, 60000)
        return _check(_library().gpreempt_preempt(self._open(), hold, wait))

    def resume(self, *, wait_ms: int = 1000) -> int:
        """End that."""
        return _check(_library().gpreempt_resume(self._open(), _whole("wait_ms", wait_ms, 0, 60000)))


def renice(priority: Optional[int], *, pid: int = 0, queue: Optional[int] = None) -> None:
    """Another priority for this process or another one, as Queues.renice()."""
    with Queues(pid=pid, queue=queue) as queues:
        queues._renice(priority)                        # pylint: disable=protected-access


_told: Set[Optional[int]] = set()
_own: Dict[Tuple[int, Optional[int], int], Queues] = {}
_blocks: Dict[int, int] = {}            # of hint() that were heard and go on, by process
_lock = threading.Lock()                # of the two, and of what is asked of the driver for them
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release,
                    after_in_child=_lock.release)


def _tell(error: Error) -> None:
    """Once for each reason: a server hints at each request."""
    if error.errno not in _told:
        _told.add(error.errno)
        warnings.warn(f"no hint: {error.strerror}", HintWarning, stacklevel=4)


def _end(pid: int) -> None:
    """One block of hint() ends: the last one takes the hints back."""
    with _lock:
        _blocks[pid] -= 1
        if _blocks[pid]:
            return
        for (of, *_), queues in _own.items():
            if of == pid:
                with contextlib.suppress(Error):
                    queues.take_back()


@contextlib.contextmanager
def hint(*, in_ms: float = 0, for_ms: float, at_least: Optional[int] = None,
         gpu_id: int = ALL_GPUS) -> Iterator[None]:
    """Work of this process comes in that time and lasts so long: the GPU is free by then. At the
    end of the block the hint is taken back, of several that overlap at the end of the last one:
    a queue has one hint, the newest. What keeps it from being heard is warned of, once."""
    _within("in_ms", in_ms, 0, 1000)
    _within("for_ms", for_ms, 0.001, 1000)
    heard = False
    # a handle belongs to the process that opened it
    pid = os.getpid()
    key = (pid, at_least, gpu_id)
    try:
        with _lock:
            if key not in _own:
                _own[key] = Queues(gpu_id=gpu_id, at_least=at_least)
            _own[key].hint(in_ms=in_ms, for_ms=for_ms)
            _blocks[pid] = _blocks.get(pid, 0) + 1
            heard = True
    except Error as e:
        _tell(e)
    try:
        yield
    finally:
        if heard:
            _end(pid)
