# SPDX-License-Identifier: GPL-2.0
"""What scripts/bench can be told to do."""
import difflib
import importlib
import os
import sys
from typing import NamedTuple

from testbench.paths import TESTBENCH


class Verb(NamedTuple):
    """Its code is FOLDER/NAME, a script, or FOLDER/NAME.py, a module with a main()."""
    code: str
    help: str

    def script(self):
        """The script, or None."""
        path = TESTBENCH / self.code
        return path if path.is_file() else None

    def module(self):
        return importlib.import_module("testbench." + self.code.replace("/", "."))


VERBS = {
    "setup": Verb("setup/setup", "[LIST...]: install what the rest needs, fetch the kernel's source"),
    "kernel": Verb("kernel/kernel", "build the guest's kernel and initramfs, the GPU model, the programs"),
    "guest": Verb("guest/main", "[OPTION...] -- COMMAND: run a command in the guest, or --shell"),

    "check": Verb("check/main", "[SUITE...]: every test, or some suites"),
    "runs": Verb("check/runs", "how old the last whole run of each target is"),
    "lint": Verb("lint/lint", "checkpatch, sparse, W=1 with gcc and clang, kernel-doc, shellcheck"),
    "check-containers": Verb("containers/check", "levels of containers by runc, podman and containerd"),
    "check-deb": Verb("deb/check-deb", "the packages in a root of Debian, and its own kernel with them"),
    "check-events": Verb("events/check", "LOG: does an event log of the model obey the rules?"),
    "check-figures": Verb("model/figures", "NAME: the GPU model's limits"),
    "check-demo": Verb("demo/check", "FOLDER: what the demo left"),
    "check-hsakmt": Verb("hsakmt/check-hsakmt", "patches/rocm on Debian's ROCr and libhsakmt"),
    "check-latency": Verb("seeing/latency", "OUTPUT LOG: the driver's latencies beside an event log"),
    "check-metrics": Verb("metrics/check-metrics", "gpreempt metrics with Debian's Prometheus, no GPU"),
    "check-mutants": Verb("mutants/main", "do the tests find mistakes in the driver?"),
    "check-nvtop": Verb("nvtop/check-nvtop", "[NAME]: what Debian's nvtop shows"),
    "check-proof": Verb("proof/check-proof", "prove what select promises, with CBMC"),
    "check-series": Verb("series/check-series", "[STEP...]: every patch builds by itself, each part passes its tests"),
    "check-shares": Verb("shares/check", "OUTPUT LOG: shares of the time, by an event log"),
    "check-slurm": Verb("slurm/check", "levels of jobs by munge and Slurm"),
    "hwtest-costs": Verb("hwtest/costs", "REPORT: gpreempt-hwtest's report as the GPU model's options"),
    "coverage": Verb("coverage/main", "RESULTS GUEST: the lines that the suites have run"),

    "demo": Verb("demo/main", "preempt a wave on the modelled GPU, and measure it"),
    "demo-llm": Verb("llm/main", "llama.cpp's server beside training, both of HIP"),
    "benchmark": Verb("benchmark/main", "[MIX...]: HIGH beside LOW with GPREEMPT and by other means"),
    "bench-model": Verb("model/speed", "how fast the GPU model executes code, beside an older one"),
    "soak": Verb("soak/main", "a million preemptions in a random mixture of work and trouble"),
    "fuzz-driver": Verb("fuzz/driver", "nonsense for the driver's ioctl and sysfs"),
    "syzkaller": Verb("fuzz/syzkaller", "write the constants of syzkaller's description"),

    "rocm": Verb("rocm/rocm", "[COMMAND... | --part NAME... | --in NAME COMMAND...]: a root with ROCm"),
    "rocm-latency": Verb("rocm/latency", "latency of HIP streams"),
    "rocm-suites": Verb("rocm/suites", "ROCm's own tests while they are preempted"),
    "kfdtest": Verb("kfdtest/main", "[TEST...]: AMD's kfdtest on stock, on GPREEMPT built and enabled"),

    "apply": Verb("series/apply", "TREE [PART]: patch a kernel tree"),
    "parts": Verb("series/parts", "the parts of the series, and the tests of each"),
    "overlay": Verb("series/overlay", "TREE DIR: only the files that applying changes or adds"),
    "series": Verb("series/series", "DIR [--part PART] [-v N]: the mailable patch series"),
    "deb": Verb("deb/deb", "Debian packages: out/deb"),
}


def usage():
    width = max(map(len, VERBS))
    return "usage: bench VERB [ARGUMENT...]\n\n" + "\n".join(
        f"  {name:{width}} {verb.help}" for name, verb in VERBS.items())


def main():
    if not sys.argv[1:]:
        print(usage(), file=sys.stderr)
        sys.exit(2)
    name, *rest = sys.argv[1:]
    if name in ("-h", "--help", "help"):
        print(usage())
        return
    if name not in VERBS:
        nearest = difflib.get_close_matches(name, VERBS, n=1, cutoff=0)[0]
        sys.exit(f"bench: error: there is no verb '{name}'; the nearest is '{nearest}'. "
                 "bench --help has them all")
    if script := VERBS[name].script():
        os.execv(script, [script, *rest])
    sys.argv = [f"bench {name}", *rest]
    VERBS[name].module().main()
