# SPDX-License-Identifier: GPL-2.0
"""The suites: what each runs, on which kernels, how long it takes, and what it needs.

A suite's name says where its code is. NAME, or what is left of it without words at its end, is

- a folder beside this file: slurm, demo-fetch (of demo);
- a folder of the kselftests, tools/testing/selftests/kfd_gpreempt, whose programs it runs: queue,
  queue-fetch. "selftests" is all of them, on another machine: selftests-mi300x;
- or one program there, NAME_test: harm, cwsr-off.

A suite keeps what it leaves below RESULTS/NAME, so that any two can run beside each other but for
those of one chain.
"""
import functools
import os
import shlex
from typing import NamedTuple

from testbench.canary import suite as canary
from testbench.check.parts import REAL_TIME, Guest, guest, host
from testbench.demo import suite as demo
from testbench.disturb import suite as disturb
from testbench.errnos import suite as errnos
from testbench.gpu import GPUS, MES, RDNA
from testbench.kfdtest import suite as kfdtest
from testbench.known import suite as known
from testbench.paths import (BUILD, CACHE, KERNEL, KSELFTEST, MODEL, PROGRAMS, RESULTS, ROCM,
                             ROCM_ROOT, ROOT, TESTBENCH, TOOL, bench, in_guest, inside, kselftest,
                             program)

# On which kernels a plain run has a suite. All: what is about the driver and boots a guest.
ALL = frozenset({"", "debug", "kcsan", "cov"})
# No guest; or it is about the model, stock amdgpu, time, or ROCm: there is nothing of ours for a
# kernel that checks itself to find, or much to wait for. soak has runs of its own there.
PLAIN = frozenset({""})
# It is about figures, about the tool, or runs lines of the driver that another suite runs, too:
# a kernel that checks itself is slow, and would find nothing there that it does not find elsewhere.
UNCHECKED = frozenset({"", "cov"})
# Of stock's module: there is nothing of ours to count.
UNCOUNTED = ALL - {"cov"}
# On request alone: minutes, or a root of gigabytes. make check-wide asks for most of them.
ASKED = frozenset()
HALF_A_MINUTE = 30
LAST = 0        # It slows down what runs beside it.
# Where the base has no plain run of a suite, and why.
ASLEEP_FOR_EVER = {"7.3": "after the first sleep the test does not end, with stock's amdgpu as well"}

WHOLE_RESET = {"6.12": "amdgpu resets the whole GPU for a queue that MES cannot remove"}
NOT_APART = {"6.12": "amdgpu does not keep processes apart on this GPU"}


class Suite(NamedTuple):
    """A row of the table."""
    name: str
    run: object                 # parts, or a function that yields lines of TAP
    kernels: frozenset = ALL
    seconds: int = HALF_A_MINUTE    # about, for the order of the first run: the longest begin
    # One after the other: they write the same files (the first of ROCm's makes its root), or the
    # next one needs what one left. Whatever else two suites have in common they only read.
    chain: str = ""
    needs: str = ""             # the suite that has to run before, for its results
    not_on: dict = {}           # bases, and why


def of(folder, names):
    """Programs of a folder of the kselftests; without _test."""
    return [kselftest(f"{folder}/{name}_test") for name in names.split()]


def words(option, values):
    """The option once for each."""
    return [word for value in values for word in (option, value)]


def selftests(*programs, **how):
    return guest(inside("guest/selftests"), *programs, **how)


def patient(*command, **how):
    """Of a GPU that dies."""
    return guest(inside("guest/patient"), *command, **how)


def make(folder, target, *options, build):
    return host("env", f"CCACHE_DIR={CACHE}/ccache", "CCACHE_NOHASHDIR=1", "make", "-s", "-C", folder,
                f"-j{os.cpu_count()}", "CCACHE=ccache", *options, f"O={BUILD / build}", target)


def exact(preemptions, name):
    """LOW's result over so many preemptions in mid-loop, and each of its waves' way."""
    # some meet it outside its loop
    asked = f"GPREEMPT_EXACT_PREEMPTIONS={preemptions * 6 // 5}"
    return [guest("env", asked, kselftest("queue/exact_test"), limit=1800,
                  text=f"exact over {preemptions} preemptions"),
            host(*bench("check-events", "--preemptions", str(preemptions),
                        RESULTS / name / "events.log"),
                 text=f"{preemptions} in mid-loop, no wave lost or repeated")]


def late(preemptions, seed=1, **how):
    """The result over so many, of which MES answers one in a hundred late."""
    return guest("env", f"GPREEMPT_EXACT_PREEMPTIONS={preemptions}", "GPREEMPT_EXACT_LATE=100",
                 kselftest("queue/exact_test"), limit=3600, text=f"{preemptions}, of which 1 % is late",
                 options=[*DARED_MES, "--asic gfx1100", "--seed", str(seed)], **how)


def unanswered(times, variant, options, **how):
    """MES answers so many preemptions never, and the GPU or the queue is reset for each."""
    return patient("env", f"GPREEMPT_UNANSWERED={times}", *of("machine", "unanswered"), "-v", variant,
                   limit=3600, options=options, **how)


def figures(verb, name, text=""):
    """What a verb makes of a suite's output and its event log. On a kernel that checks itself
    times do not count."""
    folder = RESULTS / name
    return [] if KERNEL else [host(*bench(verb, folder / "output", folder / "events.log"), text=text)]


def rocm(form, asic="mi210"):
    """Debian's ROCm in a guest, with the root that rocm/rocm makes."""
    gpu = GPUS[asic]
    return guest(inside("rocm/rocm"), inside("rocm/rocm-test"), in_guest(ROCM), in_guest(TOOL), gpu.name,
                 gpu.isa, form, options=["--root", ROCM_ROOT, "--model", gpu.options])


QUEUES = of("queue", "aql preempt inversion policy badinput")
# To these it does not matter when the read index moves.
MACHINE = of("machine", "debug grace toggle pm4 exception sdma save_area oversubscribe memory monitor culprit")
# what the ioctl keeps and tells, which is the same on all hardware, and what it has the hardware do
SETTINGS = of("control", "ioctl ioctl_op ioctl_range ioctl_priority ioctl_context ioctl_permission "
              "ioctl_cgroup")
REQUESTS = of("control", "ioctl_preempt ioctl_share ioctl_wait")
# several queues in one transaction, which takes a runlist; and tenants that want more
TENANTS = of("control", "ioctl_many evade fdinfo fuzz")
# That the driver does its work on another GPU.
PREEMPTED = of("queue", "aql preempt")
# All threads of the model at once: packets, waves on two workers, registers.
RACES = of("machine", "pm4 toggle")
# Queues that the driver loads and takes off by registers.
REGISTERS = PREEMPTED + of("machine", "toggle pm4 sdma exception culprit")
# What of evade_test there is nothing to do with without the hardware scheduler.
HWS_TRICKS = ["debugger", "accomplice", "gws", "new_gws", "gws_of_both", "crowd", "index_and_crowd",
              "all_forged"]
# Of policy_test, what counts on how waves lie on the dies.
SPREAD = ["one_transaction", "all_that_hold_leave"]
KUNIT = ["estimate", "select", "decide", "help", "idle", "linger", "cus", "time", "policy", "group", "share",
         "proof", "wake", "culprit", "state", "pace", "busy", "mes"]

FETCH = ["--rptr-at", "fetch"]
AT_FETCH = ["--model", shlex.join(FETCH)]
# Ways of firmware that are not documented: one connected queue a pipe, and queues that share pipes
# wherever they can; rotations that take all queues off.
PIPE = ["--model", "--connect pipe --slots pack"]
PIPE_AT_FETCH = ["--model", "--connect pipe --slots pack --rptr-at fetch"]
ROTATE = ["--model", "--rotate all"]
ENGINES = ["--size", "engines"]
NO_HWS = ["--append", "amdgpu.sched_policy=2"]
ENABLED = ["--append", "amdgpu.gpreempt=1"]
SMALL_VRAM = ["--model", "--vram-mb 256"]   # which another process can fill
# What RCU says of a CPU that polls a dead GPU on a busy host (inside/patient).
# guest and model are never further apart: an unmap of 20 us is not rounded to their step
FINE = ["--quantum-us", "2"]
NO_STALL = ["--append", "rcupdate.rcu_cpu_stall_suppress=1"]
DEAD = ["--module", "stock", *NO_STALL]
# A kind of GPU that GPREEMPT was never tried on: gfx941, which nobody sells.
UNTESTED = ["--model", "--asic mi300x --revision 0", "--append"]
MANY_GPUS = 3 if KERNEL else 8
# Two that work stop at each other's every quantum. What is tested is coarser than that.
COARSE = ["--quantum-us", "100"]
TWO_GPUS = ["--gpus", "2", *COARSE]
MI300X = GPUS["mi300x"].options
DIES = ["--model", f"{MI300X} --cwsr mixed"]
STOCK_MES = ["--module", "stock", "--append", MES, "--model"]
GFX1100 = [*STOCK_MES, "--asic gfx1100"]
DARED_MES = ["--append", f"{MES} amdgpu.gpreempt_untested=1", "--model"]
NAMES_HUNG = [*DARED_MES, f"{RDNA} --param mes_version=140 --param mes_hang_us=200000"]
ASLEEP = inside("suspend/asleep"), *of("machine", "suspend")

SUITES = {suite.name: suite for suite in (
    # of the tools, on the host
    Suite("unit", [host("python3", TESTBENCH / "unit/run")], PLAIN),
    Suite("setup", [host(TESTBENCH / "setup/try-setup")], PLAIN),
    Suite("series", [host(TESTBENCH / "series/try-apply")], PLAIN),
    Suite("metrics", [host(*bench("check-metrics"))], PLAIN),
    Suite("lint", [host(*bench("lint"))], PLAIN, 250),

    # of the GPU model
    Suite("model-san", [make(MODEL, "check", "SAN=1", build="gpu-model-san")], PLAIN, 120),
    Suite("model-tsan", [
        make(MODEL, "check", "TSAN=1", build="gpu-model-tsan"),
        selftests(*RACES, real_time=True, options=["--model-build", "gpu-model-tsan", "--no-log",
                                                   "--model", "--workers 2"])], ASKED, 150),
    Suite("model-fuzz", [make(MODEL, "check-fuzz", build="gpu-model-fuzz")], ASKED, 120),
    Suite("model-attach", [host(TESTBENCH / "model/attach")], PLAIN),
    # the model's CPU time while the host's clock goes on
    Suite("model-figures", [host(*REAL_TIME, *bench("check-figures", f"{RESULTS.name}/model-figures"))],
          ASKED),
    Suite("model-opencl", [host("env", f"POCL_CACHE_DIR={CACHE}/pocl", "make", "-s", "-C", MODEL,
                                f"O={BUILD}/gpu-model", "check-opencl")], PLAIN),
    Suite("fault", [patient(program("fault_test"), options=DEAD, limit=600)], PLAIN),
    Suite("stock", [patient(*of("machine", "stock"), options=DEAD, limit=600)], UNCOUNTED),
    Suite("device", [patient(*of("machine", "device"), options=DEAD, limit=600)], PLAIN),
    Suite("selftests-cwsr-handler", [
        selftests(*of("machine", "save_area toggle exception"), options=["--model", "--cwsr mixed"])], PLAIN),
    # unfinished
    Suite("bind-gfx1100", [
        guest(inside("bind/bind"), "110000", options=GFX1100),
        # amdgpu takes a GPU that was not reset for one that was
        host("grep", " smu \\(msg=0x2f\\|debug=0x2\\)", RESULTS / "bind-gfx1100/events.log",
             text="by the SMU")], PLAIN),
    Suite("selftests-gfx1100", [
        selftests(*of("machine", "toggle"), name="native", options=GFX1100),
        selftests(*of("machine", "toggle"), name="handler",
                  options=[*STOCK_MES, "--asic gfx1100 --cwsr handler"]),
        # the others are of GPREEMPT's, or of no wave
        guest(*of("machine", "pm4"), "-t", "dispatch", "-t", "in_an_aql_queue", "-t", "preempted",
              name="pm4", options=[*STOCK_MES, "--asic gfx1100 --cwsr mixed"]),
        guest("env", "GPREEMPT_EXACT_PREEMPTIONS=400", kselftest("queue/exact_test"), name="gpreempt",
              options=[*DARED_MES, "--asic gfx1100"], text="400 preemptions by REMOVE_QUEUE"),
        guest("env", "GPREEMPT_EXACT_PREEMPTIONS=100", kselftest("queue/exact_test"), name="gpreempt-handler",
              options=[*DARED_MES, "--asic gfx1100 --cwsr handler"],
              text="100 by the driver's trap handler"),
        guest(*of("queue", "preempt"), name="preempt", options=[*DARED_MES, RDNA]),
        # where a count tells whether all of a dispatch has begun, waves being of 32
        guest(*of("queue", "preempt"), "-t", "last_workgroup", name="fetch",
              options=[*DARED_MES, f"{RDNA} --rptr-at fetch"]),
        # its two pairs of compute units cannot overlap
        guest(*of("queue", "harm"), *words("-T", ["masks_overlap", "many_starve"]), name="harm",
              options=[*DARED_MES, RDNA])], PLAIN, 120),
    # with more queues than MES has places for
    Suite("oversubscribe-gfx1100", [
        guest(*of("machine", "oversubscribe"), name="oversubscribe", options=[*DARED_MES, RDNA]),
        guest(*of("queue", "harm"), "-t", "many_starve", name="harm", options=[*DARED_MES, RDNA])],
          PLAIN, 120),
    Suite("isolation-gfx1100", [guest(*of("machine", "isolation"), options=[*DARED_MES, RDNA])], PLAIN,
          not_on=NOT_APART),
    # with firmware that names what hangs, and gives it up before the slow save of a test ends
    Suite("hang-gfx1100", [
        patient(*of("machine", "hang"), name="once", options=NAMES_HUNG),
        unanswered(20, "named", NAMES_HUNG, name="again")], PLAIN, not_on=WHOLE_RESET),
    Suite("unanswered-gfx1100", [unanswered(20, "fence_lost", [*DARED_MES, RDNA])], ASKED, 120),
    Suite("unanswered-storm", [unanswered(100, "fence_lost", [*DARED_MES, RDNA])], ASKED),
    # the driver's requests of MES that come before the reset time out, one by one: 22 s
    Suite("fault-gfx1100", [
        patient(program("fault_test"), "-r", "hang.stalled_wave.recovered",
                options=["--module", "stock", "--append", f"{MES} {NO_STALL[1]}", "--model",
                         "--asic gfx1100"])], ASKED, 170),
    Suite("virtual-time", [host(TESTBENCH / "virtual-time/virtual-time")], ASKED, 180),

    # of the driver
    Suite("pure", [host("make", "-s", "-C", TESTBENCH / "pure", f"O={BUILD}/pure", "check")], ASKED),
    Suite("kunit", [guest(inside("kunit/kunit"), *KUNIT,
                          options=["--no-gpu", "--append", "kunit.enable=1"])]),
    Suite("queue", [selftests(*QUEUES, limit=400)], seconds=120),
    Suite("queue-fetch", [selftests(*QUEUES, limit=400, options=AT_FETCH)], ASKED, 120),
    Suite("control", [selftests(*of("control", "sysfs abi"), *SETTINGS, *REQUESTS, limit=400)],
          seconds=120),
    Suite("control-tenants", [selftests(*TENANTS, limit=400)], seconds=90),
    Suite("machine", [selftests(*MACHINE, limit=400)], seconds=180),
    Suite("coexist", [selftests(*of("queue", "coexist"), *of("machine", "reset"), *of("queue", "criu"),
                                limit=400, options=SMALL_VRAM)]),
    Suite("harm", [guest(*of("queue", "harm"), limit=400)]),
    Suite("harm-fetch", [guest(*of("queue", "harm"), limit=400, options=AT_FETCH)], ASKED),
    Suite("inversion-pipe", [guest(*of("queue", "inversion"), limit=400, options=PIPE)], UNCHECKED),
    Suite("oversubscribe-rotate", [guest(*of("machine", "oversubscribe"), limit=400, options=ROTATE)],
          UNCHECKED),
    Suite("queue-pipe", [selftests(*QUEUES, limit=400, options=PIPE)], ASKED),
    Suite("queue-pipe-fetch", [selftests(*QUEUES, limit=400, options=PIPE_AT_FETCH)], ASKED),
    Suite("queue-rotate", [selftests(*QUEUES, limit=400, options=ROTATE)], ASKED),
    Suite("harm-pipe", [guest(*of("queue", "harm"), limit=400, name="launch", options=PIPE),
                        guest(*of("queue", "harm"), limit=400, name="fetch", options=PIPE_AT_FETCH)], ASKED),
    Suite("harm-rotate", [guest(*of("queue", "harm"), limit=400, options=ROTATE)], ASKED),
    Suite("shares-pipe", [guest(*of("queue", "shares"), options=PIPE),
                          *figures("check-shares", "shares-pipe")], ASKED),
    Suite("shares-rotate", [guest(*of("queue", "shares"), options=ROTATE),
                            *figures("check-shares", "shares-rotate")], ASKED),
    Suite("idle", [guest(*of("machine", "idle"), limit=400, name="hws"),
                   guest(*of("machine", "idle"), "-t", "range", name="no-hws", options=NO_HWS)], UNCHECKED, 60),
    Suite("exact", exact(100 if KERNEL else 1000, "exact"), seconds=60),
    Suite("exact-storm", exact(10000, "exact-storm"), ASKED),
    Suite("exact-late", [late(1200)], ASKED, 120),
    Suite("exact-late-storm", [late(10000, name=str(seed), seed=seed) for seed in range(1, 11)], ASKED),
    Suite("seeing", [guest(*of("control", "seeing"), text="statistics, SMI events, tracepoints"),
                     *figures("check-latency", "seeing", "latencies as in the model's event log"),
                     guest(*of("control", "seeing"), name="fetch", options=AT_FETCH)]),
    Suite("shares", [guest(*of("queue", "shares")), *figures("check-shares", "shares")], UNCHECKED, 150),
    Suite("soak", [host(*bench("soak", "--short", f"{RESULTS.name}/soak"),
                        text="clients in all kinds of trouble: every word right, nothing left")], PLAIN),
    Suite("cwsr-off", [guest(*of("machine", "cwsr_off"), options=["--append", "amdgpu.cwsr_enable=0"])]),
    Suite("untested", [guest(*of("machine", "untested"), options=[*UNTESTED, "amdgpu.gpreempt=1"])]),
    Suite("untested-dared", [
        guest(*of("machine", "untested"),
              options=[*UNTESTED, "amdgpu.gpreempt=1 amdgpu.gpreempt_untested=1"])]),
    Suite("selftests-no-hws", [selftests(*REGISTERS, *REQUESTS, options=NO_HWS, limit=400)], seconds=100),
    Suite("control-no-hws", [selftests(*SETTINGS, options=NO_HWS, limit=400)], ASKED, 90),
    Suite("grace-no-hws", [guest(*of("machine", "grace"), "-t", "only_by_the_runlist", options=NO_HWS)]),
    Suite("evade-no-hws", [guest(*of("control", "evade"), *words("-V", HWS_TRICKS), options=NO_HWS)]),
    # In a boot for each test. What is freed is filled then, and who allocated what is not is known.
    Suite("unbind", [
        guest(*of("machine", "unbind"), "-t", "while_preempted", name="while_preempted"),
        guest(*of("machine", "unbind"), "-t", "while_asked", name="while_asked",
              options=["--append", "slub_debug=PU"]),
        guest(inside("unbind/rebind"), name="rebind", options=[*TWO_GPUS, *ENABLED])]),
    Suite("unload", [guest(inside("guest/unload"), *of("machine", "unload"))]),
    # in real time the driver takes the GPU for an emulator: then stock warns when it resumes
    Suite("suspend", [guest(*ASLEEP, real_time=False)], not_on=ASLEEP_FOR_EVER),
    Suite("suspend-stock", [guest(*ASLEEP, "-f", "suspend", options=["--module", "stock"])], PLAIN,
          not_on=ASLEEP_FOR_EVER),
    Suite("suspend-never-ends", [host(TESTBENCH / "suspend/stays-asleep")], ASKED),
    # with half the compute units, so that a small host is done with all of them sooner
    Suite("selftests-gpus", [
        guest(inside("guest/together"), str(MANY_GPUS), *PREEMPTED,
              options=["--gpus", str(MANY_GPUS), *COARSE, *ENABLED, "--model", "--cus-per-engine 1"])],
          seconds=90),
    Suite("wake", [guest("env", "KFD_GPU=1", inside("guest/selftests"), *of("machine", "wake debug"),
                         options=TWO_GPUS)]),
    Suite("counted", [guest(*of("queue", "counted"),
                            options=["--model", "--param launch_ns=4000 --param mmio_read_ns=2000"])], PLAIN),
    Suite("failslab", [guest(*of("machine", "failslab"), limit=600)]),
    # pm4_test preempts, too
    Suite("selftests-mi300x", [selftests(*of("queue", "aql"), *of("machine", "pm4 sdma"),
                                         options=["--model", "--asic mi300x"])], PLAIN),
    # as many compute units, but of two dies in one partition
    Suite("selftests-mi300x-2", [
        selftests(*PREEMPTED, *of("machine", "save_area exception"), *of("queue", "criu"), options=DIES)]),
    # each XCC of a GPU is a node of its own, beside the other and after a change
    Suite("partition", [
        guest(inside("partition/partitions"), "env", "KFD_GPU=1", inside("guest/selftests"), *PREEMPTED,
              *of("machine", "sdma exception grace"), name="each", options=DIES),
        guest(inside("partition/partitions"), inside("guest/together"), "2", *PREEMPTED,
              name="together", options=[*DIES, *ENABLED]),
        selftests(*of("machine", "partition"), name="change", options=DIES)]),
    # who runs before whom on two dies, and how many leave for it
    Suite("selftests-mi300x-order", [
        selftests(*of("queue", "inversion"), *of("machine", "culprit"), *of("control", "ioctl_preempt"),
                  name="queues", options=DIES),
        guest(*of("queue", "policy"), *words("-t", SPREAD), name="waves", options=DIES),
        guest(*of("machine", "monitor"), "-t", "registers", name="registers", options=DIES)],
          UNCHECKED, 60),
    Suite("selftests-mi300x-no-hws", [
        selftests(*of("queue", "aql"), *of("machine", "toggle exception"),
                  options=[*NO_HWS, "--model", f"{MI300X} --cwsr handler"])]),
    Suite("bypass", [patient(*of("machine", "bypass"), options=NO_STALL, limit=600)], seconds=60),
    Suite("tool", [
        guest(inside("tool/tool"), in_guest(TOOL), in_guest(PROGRAMS), "stock", name="stock",
              options=["--module", "stock"]),
        # /usr: for the examples in Python
        guest(inside("tool/tool"), in_guest(TOOL), in_guest(PROGRAMS), "gpreempt", name="gpreempt", limit=400,
              options=["--no-load", *TWO_GPUS, "--root", "/usr", "--input", ROOT / "tools/gpreempt/examples",
                       "--over", ROOT / "tools/gpreempt/python"]),
        host(TESTBENCH / "tool/files", RESULTS / "tool/gpreempt")], UNCHECKED, 150),
    # on models of each way of firmware that the driver can work with, and of one that it cannot
    Suite("hwtest", [
        # with other costs than the default ones, which its report is to tell
        guest(inside("hwtest/hwtest"), in_guest(KSELFTEST / "hwtest"), in_guest(PROGRAMS), "all",
              name="launch", options=[*NO_STALL, *FINE, "--model", "--param mmio_write_ns=200 "
                                      "--param unmap_fixed_ns=15000 --param save_fixed_ns=40000 "
                                      "--param cwsr_cu_bytes_per_us=8000 --param mmio_read_ns=1600 "
                                      "--param unmap_queue_ns=3000 --param runlist_queue_ns=4000"]),
        guest(inside("hwtest/hwtest"), in_guest(KSELFTEST / "hwtest"), in_guest(PROGRAMS), "offset",
              name="fetch", options=["--model", "--rptr-at fetch --status busy --state-offset save"]),
        guest(inside("hwtest/hwtest"), in_guest(KSELFTEST / "hwtest"), in_guest(PROGRAMS), "miscounted",
              name="waves", options=["--model", "--status waves"]),
        host(TESTBENCH / "hwtest/report", RESULTS / "hwtest")], PLAIN, 90),
    Suite("errnos", errnos.run, PLAIN),
    Suite("disturb", functools.partial(disturb.run, NO_STALL), PLAIN, 150),
    Suite("disturb-others", [guest(*of("machine", "disturb"), *words("-T", disturb.OF_BOTH),
                                   "-F", "noise", limit=900, options=NO_STALL)], ASKED, 150),
    Suite("disturb-noise", [guest(*of("machine", "disturb"), "-f", "noise", limit=900, options=NO_STALL)],
          ASKED, 150),
    Suite("demo", demo.parts("demo"), PLAIN, chain="demo"),
    Suite("demo-loaded", demo.loaded, ASKED, LAST, chain="demo", needs="demo"),
    Suite("demo-fetch", demo.parts("demo-fetch", *FETCH), PLAIN),
    Suite("demo-mi300x", demo.parts("demo-mi300x", "--asic", "mi300x"), PLAIN),
    Suite("demo-gfx1100", demo.parts("demo-gfx1100", "--asic", "gfx1100"), PLAIN),
    # all that registers are read for: 8 engines, and 8 dies of 4
    Suite("demo-engines", demo.parts("demo-engines", *ENGINES), PLAIN),
    Suite("demo-engines-fetch", demo.parts("demo-engines-fetch", *ENGINES, *FETCH), ASKED),
    Suite("demo-dies", demo.parts("demo-dies", *ENGINES, "--asic", "mi300x"), PLAIN, 60),
    Suite("demo-dies-fetch", demo.parts("demo-dies-fetch", *ENGINES, *FETCH, "--asic", "mi300x"), ASKED, 60),

    # of programs that were not written for GPREEMPT, and of the benchmark
    Suite("rocm-hip", [host(*bench("rocm")), rocm("short")], PLAIN, 150, chain="rocm"),
    Suite("rocm-hip-mi300x", [host(*bench("rocm")), rocm("brief", "mi300x")], ASKED, 60, chain="rocm"),
    Suite("kfdtest", kfdtest.run, PLAIN, 120, chain="rocm"),
    Suite("hsakmt", [host(*bench("check-hsakmt"))], PLAIN, 90, chain="rocm"),
    Suite("rocm", [rocm("long")], ASKED, chain="rocm"),
    Suite("rocm-mi300x", [rocm("long", "mi300x")], ASKED, chain="rocm"),
    Suite("rocm-latency", [host(*bench("rocm-latency"), text="latency of HIP streams")], ASKED, chain="rocm"),
    Suite("nvtop", [host(*bench("check-nvtop", f"{RESULTS.name}/nvtop"))], ASKED),
    Suite("benchmark", [host(*bench("benchmark", "--short", "block-10ms"),
                             text="every way measured, its limits kept")], PLAIN),
    Suite("containers", [host(*bench("check-containers"))], ASKED),
    Suite("slurm", [host(*bench("check-slurm"))], ASKED),
    Suite("deb", [host(*bench("check-deb"))], ASKED),
    Suite("proof", [host(*bench("check-proof"))], ASKED),

    # of the kernels that check themselves
    Suite("canary", canary.run, frozenset({"debug"})),
    Suite("known", functools.partial(known.run, DEAD, {"queues": SMALL_VRAM, "partition": DIES}),
          UNCOUNTED),
)}


def boot(name, part=""):
    """A suite's part in a guest."""
    return next(p for p in SUITES[name].run if isinstance(p, Guest) and p.name == part)
