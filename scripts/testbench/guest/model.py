# SPDX-License-Identifier: GPL-2.0
"""The models of a guest's GPUs."""
import fcntl
import os
import shlex
import subprocess
import time

from testbench.guest.process import die, die_with_parent
from testbench.paths import BUILD

# A process that was asked to end and does not is killed.
STOP_S = 5


class Model:
    """One GPU: a process, its sockets and what it says."""

    def __init__(self, args, out, scratch, number):
        model = BUILD / args.model_build / "gpu-model"
        if not model.is_file():
            die(f"{model} is missing: run 'make kernel'")
        self.number = number
        self.socket = scratch / f"gpu{number}"
        self.control = scratch / f"control{number}"
        self.clock = None if args.real_time else shared_page(f"gpu-clock.{number}")
        suffix = f"-{number}" if number else ""
        self.log = out / f"model{suffix}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [model, "--socket", self.socket, "--control", self.control,
                 *([] if args.no_log else ["--log", out / f"events{suffix}.log"]),
                 *(["--clock", str(self.clock)] if self.clock else []),
                 *shlex.split(args.model)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent,
                pass_fds=[self.clock] if self.clock else [])
        deadline = time.monotonic() + 10
        while not self.socket.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                die("the GPU model did not start: " + self.last_words())
            time.sleep(0.01)

    def last_words(self):
        return self.log.read_text()[-2000:]

    def devices(self):
        """For QEMU: the GPU, and a port of the guest's to its control socket."""
        name = f"gpu-model.{self.number}"
        # A model that does much at an access may take its time.
        return ["-device", '{"driver":"vfio-user-pci","x-msg-timeout":20000,'
                '"socket":{"type":"unix","path":"%s"}}' % self.socket,
                "-chardev", f"socket,id={name},path={self.control}",
                "-device", f"virtserialport,chardev={name},name={name}"]

    def stop(self):
        """End it; what it said if it has a complaint, as of a sanitizer."""
        self.process.terminate()
        try:
            status = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        return f"the GPU model ended with status {status}" if status else None


def shared_page(name):
    """A descriptor of memory that nobody can take away again."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, 4096)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return fd
