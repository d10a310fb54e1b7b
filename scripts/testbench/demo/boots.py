# SPDX-License-Identifier: GPL-2.0
"""The demo's guests: what each is told, and how one is followed."""
import subprocess
import time

from testbench.demo import report
from testbench.demo.progress import Progress, Teller
from testbench.gpu import GPUS
from testbench.paths import GUEST, OUT, PROGRAMS, in_guest, inside

# Of a larger machine fewer, as the host has to execute all its waves.
SAMPLES = {
    "small": {"alone": 300, "stock": 200, "gpreempt": 400},
    "engines": {"alone": 40, "stock": 20, "gpreempt": 60},
    "full": {"alone": 30, "stock": 30, "gpreempt": 30},
}
LONG_SAMPLES = 1200
# LOW: how long it is measured alone, in s, and what else it is told. Without --full it leaves most
# of a compute unit's registers and wave slots free.
LOW = {"small": ("4",), "engines": ("1",), "full": ("1", "--full")}
# Virtual seconds of the guest; 40 are usual, 60 with --long. The host is given four times as many,
# and it has all waves of a full machine to execute.
LIMIT_S = {"small": 120, "engines": 120, "full": 1800}


def samples(args):
    return SAMPLES[args.size] | ({"gpreempt": LONG_SAMPLES} if args.long else {})


def options(args):
    """Of bench guest, but for the name."""
    quantum = ["--quantum-us", f"{args.quantum_us:g}"] if args.quantum_us else []
    gpu = GPUS[args.asic]
    return ["--timeout", str(LIMIT_S[args.size]), "--seed", str(args.seed), *quantum,
            "--append", gpu.append, "--model", f"{gpu.sized(args.size)} --rptr-at {args.rptr_at}"]


def command(args, rows, given):
    """In the guest: some of the rows, and what one before them has found."""
    told = {"ROWS": " ".join(rows), **given, **({"TRACE": "1"} if args.steps else {}),
            **({"GRACE_US": args.grace_us} if args.grace_us is not None else {})}
    return ["env", *(f"{k}={v}" for k, v in told.items()), inside("demo/demo"), in_guest(PROGRAMS),
            str(args.seed), *(str(n) for n in samples(args).values()), *LOW[args.size]]


def run(args, name, rows=tuple(report.RUNS), given=None):
    """A boot, which leaves its results in out/NAME; how long it took, in s."""
    log = OUT / name / "events.log"
    log.unlink(missing_ok=True)     # an older one would be taken for the new one
    progress = Progress(log, float(LOW[args.size][0]) if "alone" in rows else 0,
                        sum(samples(args)[row] for row in rows))
    words = [*GUEST, "--name", name, *options(args), "--", *command(args, rows, given or {})]
    begin = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as guest:
        print("  BOOT    the guest, with the modelled GPU", flush=True)
        with Teller(progress):
            for line in guest.stdout:
                print(f"  {time.monotonic() - begin:5.1f} s  {line.rstrip():<60}", flush=True)
    if guest.returncode:
        raise report.NoResult("the guest's runs failed (see above)")
    return time.monotonic() - begin
