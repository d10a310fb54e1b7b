# SPDX-License-Identifier: GPL-2.0
"""The suites that scripts/check runs, what each needs, and how long it takes.

A suite is a command, or a generator, of lines of TAP. It keeps what it leaves below
RESULTS/NAME, so that any two can run beside each other; those that cannot are in CHAINS.
"""
import contextlib
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

from testbench import splats
from testbench.gpu import GPUS
from testbench.paths import (BUILD, CACHE, GUEST, MODEL, OUT, PROGRAMS, ROCM, ROCM_ROOT, ROOT, SCRIPTS,
                             TOOL, in_guest, inside, program)

KERNEL = os.environ.get("KERNEL", "")
RESULTS = OUT / ("check" + (KERNEL and f"-{KERNEL}"))
MAKE_MODEL = ["make", "-s", "-C", MODEL]
MAKE_PURE = ["make", "-s", "-C", ROOT / "tools/testing/gpreempt", f"O={BUILD}/pure"]

# Races want threads, which only real time has. A limit then counts the host's
# seconds, in which the guest runs beside others: it is so many times as long. So it is
# for a kernel that checks itself, whatever time counts.
REAL_TIME = ["env", "REALTIME=1"]
LONGER = 4


def guest(name, *command, options=(), limit=300, real_time=KERNEL == "kcsan"):
    """A command in a guest; its limit is in the guest's seconds."""
    return [*(REAL_TIME if real_time else ()), GUEST,
            "--name", f"{RESULTS.name}/{name}", "--suite", name.partition("/")[0],
            "--timeout", str(limit * LONGER if real_time or KERNEL else limit),
            *options, "--", *command]


def errnos(module):
    return guest(f"errnos/{module}", program("errnos"), options=["--module", module])


def same_errnos():
    """TAP: every ioctl answers as it does in a kernel built without GPREEMPT."""
    answers = {}
    for module in "stock", "gpreempt":
        done = subprocess.run(errnos(module), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        yield from ("# " + line for line in done.stderr.splitlines())
        if done.returncode or not done.stdout:
            yield f"not ok 1 - errnos on {module}: status {done.returncode}"
            return
        answers[module] = done.stdout.splitlines()
    differ = [f"# {a} / {b}" for a, b in zip(*answers.values()) if a != b]
    yield from differ
    good = answers["stock"] == answers["gpreempt"]
    yield f"{'ok' if good else 'not ok'} 1 - {len(answers['stock'])} answers as without GPREEMPT"
    yield "1..1"


FIGURE = re.compile(r"# report: (.*): (\d+) ns")
DEARER = 1.05       # than stock, at most
WAIT_NS = {"exit": 1000000, "reset": 4000000}       # these have waits that end on ticks


def disturb():
    """TAP: tenants that disturb others; they cost no more than without GPREEMPT."""
    figures = {}
    of_both = ["-t", "mappings", "-t", "not_enabled"]
    for module, tests in ("stock", of_both), ("gpreempt", []):
        lines = list(streams(guest(f"disturb/{module}", program("disturb_test"), *tests, limit=900,
                                   options=["--module", module, *NO_STALL])))
        yield from lines
        figures[module] = {m[1]: int(m[2]) for m in map(FIGURE.match, lines) if m}
    stock, ours = figures["stock"], figures["gpreempt"]
    for n, (name, ns) in enumerate(stock.items(), 1):
        limit = DEARER * ns + WAIT_NS.get(name.split()[0], 0)
        good = ours.get(name, limit + 1) <= limit
        yield f"{'ok' if good else 'not ok'} {n} - {name}: {ns} ns on stock, {ours.get(name)} ns"
    yield f"{'ok' if stock else 'not ok'} {len(stock) + 1} - there are figures"
    yield f"1..{len(stock) + 1}"


def steps_tap(steps):
    """TAP: commands, each a test that fails when its command does."""
    for n, (text, command) in enumerate(steps.items(), 1):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        yield from ("# " + line for line in done.stdout.splitlines())
        yield f"{'not ok' if done.returncode else 'ok'} {n} - {text}"
    yield f"1..{len(steps)}"


def exact(name, preemptions):
    """LOW's result over so many preemptions in mid-loop, and each of its waves' way."""
    # some meet it outside its loop
    asked = f"GPREEMPT_EXACT_PREEMPTIONS={preemptions * 6 // 5}"
    return steps_tap({
        f"exact over {preemptions} preemptions":
            guest(name, "env", asked, program("exact_test"), limit=1800),
        f"{preemptions} in mid-loop, no wave lost or repeated":
            [SCRIPTS / "check-events", "--preemptions", str(preemptions),
             RESULTS / name / "events.log"],
    })


def seeing():
    """What the driver shows of its work, and whether its latencies are true."""
    steps = {"statistics, SMI events, tracepoints":
             guest("seeing", program("seeing_test"))}
    # on a kernel that checks itself times do not count
    if not KERNEL:
        steps["latencies as in the model's event log"] = [
            SCRIPTS / "check-latency", RESULTS / "seeing" / "output",
            RESULTS / "seeing" / "events.log"]
    return steps_tap(steps)


def shares():
    """TAP: what processes have of the GPU's time, by the model's event log."""
    figures = [SCRIPTS / "check-shares", RESULTS / "shares" / "output",
               RESULTS / "shares" / "events.log"]
    # on a kernel that checks itself times do not count
    return streams(guest("shares", program("shares_test")), *([] if KERNEL else [figures]))


def streams(*commands):
    """The TAP of several commands; one that fails and does not say so is a failure, too."""
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)
        yield from done.stdout.splitlines()
        if done.returncode and not re.search("^not ok", done.stdout, re.M):
            found = re.search(r"^SUMMARY: (\w+Sanitizer: .*)", done.stdout, re.M)
            yield (f"not ok 1 - {Path(command[0]).name} ended with status {done.returncode}" +
                   (f": {found[1]}" if found else ""))
            yield "1..1"


def unbind():
    """TAP: the driver is unbound, in a boot for each test. What is freed is filled then, and who
    allocated what is not is known."""
    return streams(
        guest("unbind/while_preempted", program("unbind_test"), "-t", "while_preempted"),
        guest("unbind/while_asked", program("unbind_test"), "-t", "while_asked",
              options=["--append", "slub_debug=PU"]),
        guest("unbind/rebind", *REBIND[0], options=REBIND[1]))


def mi300x_order():
    """TAP: who runs before whom on two dies, and how many leave for it."""
    options = ["--model", f"{MI300X} --cwsr mixed"]
    return streams(
        guest("mi300x-order/queues", inside("selftests"), program("inversion_test"),
              program("culprit_test"), program("ioctl_preempt_test"), options=options),
        guest("mi300x-order/waves", program("policy_test"), *(w for t in SPREAD for w in ("-t", t)),
              options=options))


def tool():
    """TAP: the operator's tool, without GPREEMPT, then with it and two GPUs, and its files."""
    script = ["sh", "scripts/tests/tool", in_guest(TOOL), in_guest(PROGRAMS)]
    return streams(
        guest("tool/stock", *script, "stock", options=["--module", "stock"]),
        # /usr: for the example in Python
        guest("tool/gpreempt", *script, "gpreempt",
              options=["--no-load", "--gpus", "2", *COARSE, "--root", "/usr",
                       "--input", ROOT / "tools/gpreempt/examples"]),
        [SCRIPTS / "tests/tool-files", RESULTS / "tool" / "gpreempt"])


def hwtest():
    """TAP: the test for real GPUs, on models whose read index advances at either time."""
    script = ["sh", "scripts/tests/hwtest", in_guest(PROGRAMS)]
    return streams(
        guest("hwtest/launch", *script, "all", options=NO_STALL),
        guest("hwtest/fetch", *script, "index", options=["--model", shlex.join(FETCH)]),
        [SCRIPTS / "tests/hwtest-report", RESULTS / "hwtest"])


def soak():
    """TAP: the short form of make soak."""
    return steps_tap({"clients in all kinds of trouble: every word right, nothing left":
                      [SCRIPTS / "soak", "--short", f"{RESULTS.name}/soak"]})


def bench():
    """TAP: the benchmark's short form, of one mix."""
    return steps_tap({"every way measured, and its verdict":
                      [SCRIPTS / "bench", "--short", "block-10ms"]})


DEMO = [SCRIPTS / "demo", "--seed", "1"]
FETCH = ["--rptr-at", "fetch"]
MODES = ("alone", "stock", "gpreempt")
FIGURES = ("p50_us", "p99_us")
VERDICTS = ("low_exact", "missed")
TOLERANCE = 0.02        # of a figure, from one run of the demo to another
LOOPS = 4               # on the host of the loaded demo


def demo(name, *options):
    """TAP: the whole demo, and what it left."""
    yield from steps_tap({"the demo reaches its goals":
                          [*DEMO, "--name", f"{RESULTS.name}/{name}", *options]})
    yield from streams([SCRIPTS / "check-demo", RESULTS / name])


@contextlib.contextmanager
def busy_host():
    """Loops that want more CPUs than there may be."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def same_results(quiet, loaded):
    """TAP: two results of the demo, one of a host that was busy."""
    tests = [(f"{mode}: {figure} {quiet[mode][figure]:g}, on a busy host {loaded[mode][figure]:g}",
              abs(loaded[mode][figure] - quiet[mode][figure]) <= TOLERANCE * quiet[mode][figure])
             for mode in MODES for figure in FIGURES]
    tests += [(f"{verdict}: {quiet[verdict]}, on a busy host {loaded[verdict]}",
               quiet[verdict] == loaded[verdict]) for verdict in VERDICTS]
    for n, (text, good) in enumerate(tests, 1):
        yield f"{'ok' if good else 'not ok'} {n} - {text}"
    yield f"1..{len(tests)}"


def demo_loaded():
    """TAP: the demo on a busy host, with the results of a quiet one's."""
    with busy_host():
        yield from demo("demo-loaded")
    yield from same_results(*(json.loads((RESULTS / name / "results.json").read_text())
                              for name in ("demo", "demo-loaded")))


def rocm(name, form, asic="mi210"):
    """Debian's ROCm in a guest, with the root that scripts/rocm makes."""
    gpu = GPUS[asic]
    return guest(name, inside("rocm"), inside("rocm-test"), in_guest(ROCM), in_guest(TOOL), gpu.name,
                 gpu.isa, form, options=["--root", ROCM_ROOT, "--model", gpu.options])


# What touches what GPREEMPT changes and takes seconds; `make kfdtest` runs all of it.
KFDTEST = ["KFDCWSRTest.InterruptRestore", "KFDMemoryTest.MemoryRegister",
           "KFDMemoryTest.MemoryAlloc", "KFDQMTest.AllQueues", "KFDQMTest.CpQueueWraparound",
           "KFDQMTest.CreateAqlCpQueue", "KFDQMTest.DisableCpQueueByUpdateWithZeroPercentage",
           "KFDQMTest.OverSubscribeCpQueues", "KFDQMTest.SimpleWriteDispatch"]


def kfdtest():
    """TAP: some of AMD's kfdtest pass on stock, and with GPREEMPT enabled."""
    done = subprocess.run(
        [SCRIPTS / "kfdtest", "--name", f"{RESULTS.name}/kfdtest",
         "--driver", "stock", "--driver", "enabled", *KFDTEST],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    yield from ("# " + line for line in done.stdout.splitlines())
    table = RESULTS / "kfdtest" / "results.tsv"
    results = table.read_text().splitlines() if table.exists() else []
    for n, test in enumerate(KFDTEST, 1):
        good = f"{test}\tpass\t-\tpass" in results
        yield f"{'ok' if good else 'not ok'} {n} - {test}"
    yield f"{'not ok' if done.returncode else 'ok'} {n + 1} - nothing is worse than on stock"
    yield f"1..{n + 1}"


def model_tsan():
    """TAP: the model under the thread sanitizer, its unit tests and then with a guest."""
    build = BUILD / "gpu-model-tsan"
    return streams(
        [*MAKE_MODEL, f"-j{os.cpu_count()}", "TSAN=1", f"O={build}", "check"],
        guest("model-tsan", inside("selftests"), *RACES, real_time=True,
              options=["--model-build", build.name, "--no-log", "--model", "--workers 2"]))


# What makes each checker of the debug kernel report (inside/canary), and the kinds of
# report (splats.py). Lockdep goes first: it gives up when others have reported.
CANARIES = {
    "WARNING": ["warning"],
    "SPINLOCKUP": ["warning", "bug"],
    "WRITE_AFTER_FREE": ["memory access"],
    "ARRAY_BOUNDS": ["undefined behaviour"],
    "CORRUPT_LIST_ADD": ["list"],
    "kmemleak-test": ["leak"],
}


def canary():
    """TAP: the debug kernel's checkers report, and the guest fails for it."""
    out = RESULTS / "canary"
    done = subprocess.run(guest("canary", inside("canary"), *CANARIES, options=["--no-gpu"]),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    parts = re.split(r"^.*## (.*)$", (out / "console.log").read_text(errors="replace"), flags=re.M)
    said = dict(zip(parts[1::2], parts[2::2]))
    leaks = (out / "kmemleak").read_text() if (out / "kmemleak").exists() else ""
    for n, (fault, kinds) in enumerate(CANARIES.items(), 1):
        found = splats.reports(said.get(fault, "")) + splats.leaks(leaks)
        good = {r.kind for r in found}.issuperset(kinds)
        yield f"{'ok' if good else 'not ok'} {n} - {', '.join(kinds)}: {fault}"
    good = done.returncode == 125 and "the kernel reported" in done.stderr
    yield f"{'ok' if good else 'not ok'} {len(CANARIES) + 1} - the guest fails for them"
    yield f"1..{len(CANARIES) + 1}"


def known():
    """TAP: what is let pass is reported for the stock module too, and nothing else is."""
    commands = {
        "": {"queues": [inside("patient"), program("known_test")]},
        "debug": {
            "queues": [inside("patient"), program("known_test")],
            "unbind": [inside("unbind"), program("low")],
            "unload": [inside("unload"), program("low"), "--seconds", "1"],
        },
        "kcsan": {
            "queues": [program("toggle_test")],
            "readers": [inside("readers"), "3000"],
        },
    }[KERNEL]
    seen = set()
    for n, (name, command) in enumerate(commands.items(), 1):
        done = subprocess.run(guest(f"known/{name}", *command, options=OF_KNOWN),
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        yield from ("# " + line for line in (done.stdout + done.stderr).splitlines())
        yield f"{'not ok' if done.returncode else 'ok'} {n} - {name}: no other report"
        seen |= {r.known(KERNEL, "known") for r in splats.of_guest(RESULTS / "known" / name)}
    names = [k.name for k in splats.KNOWN if KERNEL in k.kernels]
    for n, name in enumerate(names, len(commands) + 1):
        yield f"{'ok' if name in seen else 'not ok'} {n} - {name}"
    yield f"1..{len(names) + len(commands)}"


QUEUES = [program(t) for t in ("sysfs_test", "aql_test", "preempt_test", "inversion_test",
                                "policy_test", "badinput_test")]
# To these it does not matter when the read index moves.
MACHINE = [program(t) for t in ("debug_test", "toggle_test", "pm4_test", "exception_test",
                                "sdma_test", "save_area_test", "oversubscribe_test",
                                "memory_test", "monitor_test", "culprit_test")]
# That the driver does its work on another GPU.
PREEMPTED = [program(t) for t in ("aql_test", "preempt_test")]
# All threads of the model at once: packets, waves on two workers, registers.
RACES = [program(t) for t in ("pm4_test", "toggle_test")]
# Of the interfaces to control it, which no queue needs to run for.
IOCTL = [program(f"ioctl_{t}") for t in (
    "test", "op_test", "range_test", "priority_test", "context_test", "permission_test",
    "preempt_test", "share_test", "wait_test", "cgroup_test")]
# several queues in one transaction, which takes a runlist
CONTROL = [program("abi_test"), *IOCTL, program("ioctl_many_test"), program("evade_test"),
           program("fdinfo_test"), program("fuzz_test")]
MI300X = GPUS["mi300x"].options
# Queues that the driver loads and takes off by registers.
REGISTERS = [program(t) for t in ("aql_test", "preempt_test", "toggle_test", "pm4_test",
                                   "sdma_test")]
# What of evade_test there is nothing to do with without the hardware scheduler.
HWS_TRICKS = ["debugger", "accomplice", "gws", "new_gws", "crowd", "index_and_crowd",
              "all_forged"]
# What RCU says of a CPU that polls a dead GPU on a busy host (inside/patient).
NO_STALL = ["--append", "rcupdate.rcu_cpu_stall_suppress=1"]
OF_KNOWN = ["--module", "stock", *NO_STALL, "--model", "--vram-mb 256"]
DEAD = ["--module", "stock", *NO_STALL]


def partitions():
    """TAP: each XCC of a GPU is a node of its own, beside the other and after a change."""
    halves = ["--model", f"{MI300X} --cwsr mixed"]
    return streams(
        guest("partitions/each", inside("partitions"), "env", "KFD_GPU=1", inside("selftests"),
              *PREEMPTED, program("sdma_test"), program("exception_test"), options=halves),
        guest("partitions/together", inside("partitions"), inside("together"), "2", *PREEMPTED,
              options=[*halves, "--append", "amdgpu.gpreempt=1"]),
        guest("partitions/change", inside("selftests"), program("partition_test"),
              options=halves))


MANY_GPUS = 8
# Two that work stop at each other's every quantum. What is tested is coarser than that.
COARSE = ["--quantum-us", "100"]
SECOND_GPU = (["env", "KFD_GPU=1", inside("selftests"), program("wake_test"), program("debug_test")],
              ["--gpus", "2", *COARSE])
SLOW_GPU = ["--model", "--param launch_ns=4000 --param mmio_read_ns=2000"]
# A kind of GPU that GPREEMPT was never tried on: gfx941, which nobody sells.
UNTESTED = ["--model", "--asic mi300x --revision 0", "--append"]
REBIND = [inside("rebind")], ["--gpus", "2", *COARSE, "--append", "amdgpu.gpreempt=1"]
ASLEEP = [inside("asleep"), program("suspend_test")]
# Of policy_test, what counts on how waves lie on the dies.
SPREAD = ["one_transaction", "all_that_hold_leave"]
KUNIT = ["estimate", "select", "decide", "help", "linger", "cus", "time", "policy", "group", "share",
         "proof", "wake", "culprit", "state", "pace", "busy", "mes"]

SUITES = {
    "scripts": ["python3", SCRIPTS / "tests/run_unittests"],
    "setup": [SCRIPTS / "tests/setup"],
    "apply": [SCRIPTS / "tests/apply"],
    "pure": [*MAKE_PURE, "check"],
    "model-san": [*MAKE_MODEL, f"-j{os.cpu_count()}", "SAN=1", f"O={BUILD}/gpu-model-san", "check"],
    "model-tsan": model_tsan,
    "fuzz": [*MAKE_MODEL, f"-j{os.cpu_count()}", f"O={BUILD}/gpu-model-fuzz", "check-fuzz"],
    "attach": [SCRIPTS / "tests/attach"],
    # the model's CPU time while the host's clock goes on
    "figures": [*REAL_TIME, SCRIPTS / "check-figures", f"{RESULTS.name}/figures"],
    "opencl": ["env", f"POCL_CACHE_DIR={CACHE}/pocl", *MAKE_MODEL,
               f"O={BUILD}/gpu-model", "check-opencl"],
    "kunit": guest("kunit", inside("kunit"), *KUNIT,
                   options=["--no-gpu", "--append", "kunit.enable=1"]),
    "kfd": guest("kfd", inside("selftests"), *QUEUES, limit=400),
    "kfd-control": guest("kfd-control", inside("selftests"), *CONTROL, limit=400),
    "kfd-machine": guest("kfd-machine", inside("selftests"), *MACHINE, limit=400),
    "kfd-fetch": guest("kfd-fetch", inside("selftests"), *QUEUES[1:], limit=400,
                       options=["--model", shlex.join(FETCH)]),
    # a VRAM that another process can fill
    "coexist": guest("coexist", inside("selftests"), program("coexist_test"),
                     program("reset_test"), program("criu_test"), limit=400,
                     options=["--model", "--vram-mb 256"]),
    "harm": guest("harm", program("harm_test"), limit=400),
    "harm-fetch": guest("harm-fetch", program("harm_test"), limit=400,
                        options=["--model", shlex.join(FETCH)]),
    "exact": lambda: exact("exact", 1000),
    "seeing": seeing,
    "shares": shares,
    "soak": soak,
    "cwsr-handler": guest("cwsr-handler", inside("selftests"), program("save_area_test"),
                          program("toggle_test"), program("exception_test"),
                          options=["--model", "--cwsr mixed"]),
    "cwsr-off": guest("cwsr-off", program("cwsr_off_test"),
                      options=["--append", "amdgpu.cwsr_enable=0"]),
    "untested": guest("untested", program("untested_test"),
                      options=[*UNTESTED, "amdgpu.gpreempt=1"]),
    "untested-dared": guest("untested-dared", program("untested_test"),
                            options=[*UNTESTED, "amdgpu.gpreempt=1 amdgpu.gpreempt_untested=1"]),
    "no-hws": guest("no-hws", inside("selftests"), *REGISTERS, program("exception_test"),
                    program("culprit_test"), *IOCTL,
                    options=["--append", "amdgpu.sched_policy=2"], limit=400),
    "evade-no-hws": guest("evade-no-hws", program("evade_test"),
                          *(word for trick in HWS_TRICKS for word in ("-V", trick)),
                          options=["--append", "amdgpu.sched_policy=2"]),
    "unbind": unbind,
    "unload": guest("unload", inside("unload"), program("unload_test")),
    "faults": guest("faults", inside("patient"), program("fault_test"), options=DEAD,
                    limit=600),
    "stock": guest("stock", inside("patient"), program("stock_test"), options=DEAD,
                   limit=600),
    "device": guest("device", inside("patient"), program("device_test"), options=DEAD,
                    limit=600),
    # in real time the driver takes the GPU for an emulator: then stock warns when it resumes
    "suspend": guest("suspend", *ASLEEP, real_time=False),
    "suspend-stock": guest("suspend-stock", *ASLEEP, "-f", "suspend",
                           options=["--module", "stock"]),
    # with half the compute units, so that a small host is done with all of them sooner
    "gpus": guest("gpus", inside("together"), str(MANY_GPUS), *PREEMPTED,
                  options=["--gpus", str(MANY_GPUS), *COARSE, "--append", "amdgpu.gpreempt=1",
                           "--model", "--cus-per-engine 1"]),
    "failslab": guest("failslab", program("failslab_test"), limit=600),
    "second-gpu": guest("second-gpu", *SECOND_GPU[0], options=SECOND_GPU[1]),
    "counted": guest("counted", program("counted_test"), options=SLOW_GPU),
    # pm4_test preempts, too
    "mi300x": guest("mi300x", inside("selftests"), program("aql_test"),
                    program("pm4_test"), program("sdma_test"),
                    options=["--model", "--asic mi300x"]),
    # as many compute units, but of two dies in one partition
    "mi300x-2": guest("mi300x-2", inside("selftests"), *PREEMPTED,
                      program("save_area_test"), program("exception_test"),
                      program("criu_test"),
                      options=["--model", f"{MI300X} --cwsr mixed"]),
    "partitions": partitions,
    "mi300x-order": mi300x_order,
    "mi300x-no-hws": guest("mi300x-no-hws", inside("selftests"),
                           program("aql_test"), program("toggle_test"),
                           program("exception_test"),
                           options=["--append", "amdgpu.sched_policy=2", "--model",
                                    f"{MI300X} --cwsr handler"]),
    "bypass": guest("bypass", inside("patient"), program("bypass_test"),
                    options=NO_STALL, limit=600),
    "virtual-time": [SCRIPTS / "tests/virtual-time"],
    "demo": lambda: demo("demo"),
    "demo-fetch": lambda: demo("demo-fetch", *FETCH),
    "demo-mi300x": lambda: demo("demo-mi300x", "--asic", "mi300x"),
    "demo-loaded": demo_loaded,
    "tool": tool,
    "metrics": [SCRIPTS / "check-metrics"],
    "bench": bench,
    "hwtest": hwtest,
    "hip": lambda: streams([SCRIPTS / "rocm"], rocm("hip", "short")),
    "hip-mi300x": lambda: streams([SCRIPTS / "rocm"], rocm("hip-mi300x", "brief", "mi300x")),
    "kfdtest": kfdtest,
    "hsakmt": [SCRIPTS / "check-hsakmt"],
    "nvtop": [SCRIPTS / "check-nvtop", f"{RESULTS.name}/nvtop"],
    "errnos": same_errnos,
    "disturb": disturb,
    "lint": [SCRIPTS / "lint"],
}
# Suites of one kernel alone, or that differ between kernels.
OWN = {
    "": {"known": known},
    "debug": {"canary": canary, "known": known},
    "kcsan": {"known": known},
}
SUITES.update(OWN.get(KERNEL, {}))
# On request: minutes; and those of ROCm, after scripts/rocm, a root of 1.5 GB.
LONG = {
    "storm": lambda: exact("storm", 10000),
    "rocm": rocm("rocm", "long"),
    "rocm-mi300x": rocm("rocm-mi300x", "long", "mi300x"),
    "rocm-latency": lambda: steps_tap({"latency of HIP streams": [SCRIPTS / "rocm-latency"]}),
}
HOST = {"scripts", "setup", "apply", "pure", "model-san", "fuzz", "opencl", "metrics", "lint"}
# About the model, stock amdgpu, time, or ROCm: there is nothing of ours for a
# kernel that checks itself to find, or much to wait for. soak has runs of its own there.
STOCK = {"model-tsan", "attach", "virtual-time", "demo", "demo-fetch", "demo-mi300x", "demo-loaded",
         "bench", "cwsr-handler", "faults", "stock", "device", "hip", "hip-mi300x", "kfdtest", "hsakmt",
         "nvtop", "suspend-stock", "mi300x", "errnos", "figures", "disturb", "hwtest", "counted",
         "soak"}

# What a plain run on a version of Linux leaves out, and why.
ASLEEP_FOR_EVER = "after the first sleep the test does not end, with stock's amdgpu as well"
NOT_ON = {"7.3": {"suspend": ASLEEP_FOR_EVER, "suspend-stock": ASLEEP_FOR_EVER}}

# One after the other: the next one reads what one left, or they write the same files (the
# first of ROCm's makes its root). Whatever else two suites have in common they only read:
# what scripts/kernel built before them, and the sources.
CHAINS = (("demo", "demo-loaded"),
          ("hip", "hip-mi300x", "kfdtest", "hsakmt", "rocm", "rocm-mi300x", "rocm-latency"))
# What a suite reads the results of.
NEEDS = {"demo-loaded": "demo"}
# It slows down what runs beside it.
LAST = {"demo-loaded"}
# About how long they take, for the order of the first run: the longest begin. Where nothing
# is said, half a minute.
SECONDS = {"kfd": 120, "kfd-control": 150, "kfd-machine": 180, "kfd-fetch": 120, "hip": 150,
           "hip-mi300x": 60, "mi300x-order": 60, "kfdtest": 120, "virtual-time": 180,
           "model-tsan": 150, "model-san": 120, "fuzz": 120, "lint": 250, "hsakmt": 90, "tool": 150,
           "gpus": 90, "exact": 60, "bypass": 60, "disturb": 240, "hwtest": 90}
