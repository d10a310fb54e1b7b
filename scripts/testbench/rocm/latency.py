# SPDX-License-Identifier: GPL-2.0
"""HIP streams of two priorities on the modelled GPU, measured.

Unmodified HIP programs: a stream of the lowest priority keeps every compute
unit busy with workgroups of 30 ms, one of the highest has a request now and
then. In one process and in two; requests of one short kernel, of many, and ones
that wait for an event of the low stream. Alone, without GPREEMPT, with XSched's policy
HPF by a library between program and HIP (hpf.cpp), and with GPREEMPT, in
one boot. Prints a table, leaves results.json in out/rocm, of another GPU in
out/rocm-mi300x. Fails if a result was wrong, or if a high stream gained nothing or
waited for ever.
"""
import argparse
import json
import re
import subprocess
import sys

from testbench.events import eventlog
from testbench.benchmark import about
from testbench.benchmark.about import NoResult
from testbench.gpu import GPUS
from testbench.paths import GUEST, OUT, ROCM, ROCM_ROOT, in_guest, inside

SAMPLES, KERNELS, WAITS = 60, 20, 20
TIMEOUT = 600               # seconds of the guest
GAIN = 30                   # what load adds to HIGH's p50: stock to GPREEMPT, at least; 45 was
HELD = 4                    # with HPF, for a request of many kernels, at least
STALL = 1.1                 # GPREEMPT's longest wait for an event to stock's, at most; 0.87 was

# pattern -> what it is, which runs: alone, and those of WAYS
PATTERNS = {
    "streams": ("two streams of a process", "alone"),
    "processes": ("two processes", "alone"),
    "burst": (f"{KERNELS} kernels a request", "burst-alone"),
    "event": ("waits for LOW's event", None),
}
WAYS = ("stock", "hpf", "gpreempt")
DRIVERS = {"alone": "alone", "stock": "stock", "hpf": "HPF", "gpreempt": "GPREEMPT"}


def run_guest(folder, gpu):
    command = [*GUEST, "--name", folder.name, "--timeout", str(TIMEOUT),
               "--memory", "3072", "--root", ROCM_ROOT, "--model", gpu.options, "--",
               inside("rocm/rocm"), inside("rocm/rocm-latency"), in_guest(ROCM), str(SAMPLES), str(KERNELS), str(WAITS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as guest:
        for line in guest.stdout:
            print("  " + line.rstrip(), flush=True)
    if guest.returncode:
        raise NoResult("the guest's runs failed (see above)")


def percentile(numbers, p):
    """Nearest rank."""
    return sorted(numbers)[max(0, -(-len(numbers) * p // 100) - 1)]


def text(folder, run):
    return (folder / f"{run}.txt").read_text()


def high(folder, run):
    """How long HIGH's requests took, in ms by the guest's clock."""
    ns = [int(n) for n in re.findall(r"^sample .*ns=(\d+)$", text(folder, run), re.M)]
    if len(ns) != (wanted := WAITS if run.startswith("event") else SAMPLES):
        raise NoResult(f"run '{run}': {len(ns)} of {wanted} samples")
    return {"p50_ms": round(percentile(ns, 50) / 1e6, 2),
            "p90_ms": round(percentile(ns, 90) / 1e6, 2),
            "max_ms": round(max(ns) / 1e6, 2), "wrong": field(folder, run, "high", "wrong")}


def field(folder, run, who, key):
    found = re.search(rf"^{who} .*\b{key}=([\d.]+)", text(folder, run), re.M)
    if not found:
        raise NoResult(f"run '{run}': {who} did not say {key}")
    return float(found[1]) if "." in found[1] else int(found[1])


def low(folder, run):
    return {"low_words": field(folder, run, "low", "words"),
            "low_wrong": field(folder, run, "low", "wrong"),
            "low_per_second": round(field(folder, run, "low", "dispatches")
                                    / field(folder, run, "low", "seconds"), 2)}


def counted(folder):
    """What GPREEMPT's counters counted."""
    def read(name):
        pairs = (line.rsplit("/", 1)[-1].split(":", 1) for line in text(folder, name).splitlines())
        return {k: int(v) for k, v in pairs if v.lstrip("-").isdigit()}
    before, after = read("stats-before"), read("stats-after")
    return {k: after[k] - before.get(k, 0) for k in after}


def evaluate(folder):
    log = eventlog.load(folder / "events.log")
    if log.errors:
        raise NoResult("the event log shows that waves were lost, repeated or displaced:\n  "
                       + "\n  ".join(log.errors[:10]))
    results = {"of": "a GPU model, not a GPU", **about.of_run(folder), "low_alone_per_second":
               low(folder, "low-alone")["low_per_second"], "priorities":
               sorted({q.priority for q in log.queues}), "preemptions_in_midloop":
               len(log.midloop()), "driver": counted(folder), "state": text(folder, "state").strip()}
    for name, (_, alone) in PATTERNS.items():
        results[name] = {}
        if alone:
            results[name]["alone"] = high(folder, alone)
        for driver in WAYS:
            run = f"{name}-{driver}"
            low_run = f"{name}-low-{driver}" if name == "processes" else run
            results[name][driver] = {**high(folder, run), **low(folder, low_run)}
    return results


def table(results):
    print(f"""
These figures are of the GPU model, not of a GPU, by the guest's clock.
{about.text(results)}

                                        HIGH's request, ms         LOW's work
                                       p50     p90     max         per second""")
    for name, (title, _) in PATTERNS.items():
        for driver, r in results[name].items():
            work = "" if driver == "alone" else \
                f"{r['low_per_second'] / results['low_alone_per_second']:18.1%}"
            print(f"  {title:<26}{DRIVERS[driver]:<9}{r['p50_ms']:7.1f} {r['p90_ms']:7.1f} "
                  f"{r['max_ms']:7.1f}{work}")
            title = ""
    d = results["driver"]
    print(f"\n  preemptions {d['preemptions']}, resumes {d['resumes']}, "
          f"{results['preemptions_in_midloop']} of them in mid-loop\n")


def missed(results):
    found = []
    for name in PATTERNS:
        stock, ours = results[name]["stock"], results[name]["gpreempt"]
        for driver in results[name]:
            r = results[name][driver]
            if r["wrong"] or r.get("low_wrong"):
                found.append(f"{name}, {driver}: a result is wrong")
        if name == "event":
            if ours["max_ms"] > STALL * stock["max_ms"]:
                found.append(f"{name}: the high stream waits {STALL} times longer than on stock")
            continue
        alone = results[name]["alone"]["p50_ms"]
        if (ours["p50_ms"] - alone) * GAIN > stock["p50_ms"] - alone:
            found.append(f"{name}: load adds more than 1/{GAIN} of what it adds on stock")
        if name == "burst" and (results[name]["hpf"]["p50_ms"] - alone) * HELD > stock["p50_ms"] - alone:
            found.append(f"{name}: HPF holds no launch back")
    if results["driver"]["preemptions"] != results["driver"]["resumes"]:
        found.append("not every preempted queue was resumed")
    if results["state"] == "bypassed":
        found.append("GPREEMPT gave up")
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                epilog=__doc__.split("\n\n", maxsplit=1)[1])
    p.add_argument("--asic", choices=("mi210", "mi300x"), default="mi210",
                   help="which GPU the model is (default %(default)s)")
    asic = p.parse_args().asic
    folder = OUT / ("rocm" if asic == p.get_default("asic") else f"rocm-{asic}")
    try:
        run_guest(folder, GPUS[asic])
        results = evaluate(folder)
    except (NoResult, OSError) as e:
        sys.exit(f"rocm-latency: no result: {e}")
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    table(results)
    print(f"  results   {folder / 'results.json'}")
    if found := missed(results):
        sys.exit("rocm-latency: FAILED: " + "; ".join(found))
