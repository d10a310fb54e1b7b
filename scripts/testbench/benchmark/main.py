# SPDX-License-Identifier: GPL-2.0
"""GPREEMPT against what one can do without it, on the modelled GPU.

HIGH has requests at given times; LOW never runs out of work. Each mix of the two
runs in one boot a seed: LOW and HIGH alone; both on stock, with LOW on half of the compute
units, with LOW's launches held back while HIGH has work (HPF, as XSched has it), with a
daemon at the monitor's nice value that suspends LOW's queues through the debugger's ioctl
(it looks every ms, and every 0.1 ms), with HIGH itself switching LOW's queue off around each
request (one process, UPDATE_QUEUE), and with GPREEMPT. The daemon, HIGH itself and GPREEMPT
(a HINT) have it once more with notice of each request. All seeds run where the read index
advances at launch, the first one also where it does at fetch. Latency is from the request to
its end in the model's event log. All times are virtual, so guests run beside each other
(as many as JOBS says, or as there are cores) and figures repeat.

What a means costs is what it adds to HIGH's p50, p99 and longest request alone, what LOW
loses, and the CPU that it takes. Where GPREEMPT costs more than any means with as much
notice, by a tenth and by a quantum (LOW: 0.5 points), the table says so. That is no failure:
a benchmark fails where GPREEMPT does not keep a limit of the mix's, or a result is wrong.

What was measured stays in out/bench/runs and is not measured again until the mix,
the driver, the model or the programs change: a bench that was stopped goes on where
it was. Leaves results.json, tables.rst (those of the documentation) and a picture a mix
in out/bench, or out/bench-short; sensitivity.json with --sensitivity; corners.rst with
--corners, and the results of an end in a folder of its name there. With --levels the
levels of MES are measured, in a folder of that name. What is of an MI300X is in
out/bench-mi300x, and so on.
"""
import argparse
import collections
import hashlib
import os
import re
import subprocess
import sys

from testbench.benchmark import (about, corners, figures, mixes, report, runs, sensitivity,
                                 tables, tenants)
from testbench.benchmark.about import NoResult
from testbench.benchmark.mixes import CORNERS, MIXES, SENSITIVE, SHORT, SHORT_REQUESTS
from testbench.gpu import GPUS, SIZES

SEEDS = (1, 2, 3, 4, 5)
NAMES = (*MIXES, tenants.NAME)
LEVELS_OPTION = "--param mes_global_levels=5"


def numbers(text):
    return tuple(dict.fromkeys(int(n) for n in text.split(",")))


def parse(arguments):
    p = argparse.ArgumentParser(prog="bench benchmark", description=__doc__.split("\n\n", maxsplit=1)[0],
                                epilog=__doc__.split("\n\n", maxsplit=1)[1])
    p.add_argument("mix", nargs="*", help="some of: " + " ".join(NAMES))
    p.add_argument("--short", action="store_true",
                   help=f"one seed, one setting and few requests, of {' and '.join(SHORT)}")
    kind = p.add_mutually_exclusive_group()
    kind.add_argument("--corners", action="store_true",
                      help=f"{', '.join(CORNERS)}, or those that are named, also where all of the "
                      "model's costs are at their cheap end, and at their dear one")
    kind.add_argument("--model", default="", metavar="OPTIONS",
                      help="other ways of the model's firmware, such as '--connect pipe'; the limits are "
                      "for its own ways, so a figure over one is no failure, and the results are in a "
                      "folder of their own for each value, below firmware")
    kind.add_argument("--levels", nargs="?", const="", metavar="OPTIONS",
                      help="where MES schedules by the levels that mes-levels.patch gives it, GPREEMPT "
                      f"beside these: {', '.join(mixes.LEVELS)}; the results are in a folder levels; "
                      "with other options of the model, such as '--param mes_level_ns=1000000'")
    kind.add_argument("--sensitivity", action="store_true",
                      help=f"{SENSITIVE} with GPREEMPT, with one seed and each of the model's "
                      "guesses halved and doubled")
    p.add_argument("--seeds", type=numbers, metavar="N,...",
                   help="of the random times, and of the guest (default "
                   f"{','.join(map(str, SEEDS))}; {SEEDS[0]} if short or for the sensitivity)")
    p.add_argument("--asic", choices=GPUS, default="mi210",
                   help="which GPU the model is (default %(default)s)")
    p.add_argument("--size", choices=SIZES, default="small",
                   help="how much of it: four compute units, all shader engines with a unit each, "
                   "or all units (default %(default)s)")
    p.add_argument("--anew", action="store_true", help="repeat what was measured already")
    p.add_argument("--rptr-at", choices=["fetch", "launch"],
                   help="when the model's firmware advances a queue's read index, with all the "
                   "seeds (default launch with all; at fetch with the first if neither short nor "
                   "for the sensitivity or the corners)")
    p.add_argument("--quantum-us", default="", metavar="N",
                   help="how far guest and model may run past each other (default bench guest's)")
    args = p.parse_args(arguments)
    unknown = [m for m in args.mix if m not in NAMES]
    if unknown:
        p.error(f"no mix {' '.join(unknown)}; there are: {' '.join(NAMES)}")
    args.model = " ".join(args.model.split())
    args.seeds = args.seeds or (SEEDS[:1] if args.short or args.sensitivity else SEEDS)
    args.settings = {args.rptr_at or "launch": args.seeds}
    if not (args.rptr_at or args.short or args.sensitivity or args.corners):
        args.settings["fetch"] = args.seeds[:1]
    args.out = runs.OUT / ("bench" + "-short" * args.short +
                           "".join(f"-{getattr(args, name)}" for name in ("asic", "size")
                                   if getattr(args, name) != p.get_default(name)))
    args.jobs = int(os.environ.get("JOBS") or os.cpu_count())
    return args


def firmware(options):
    """The folder of the results of other ways: a value's words for people, and a hash of all of it."""
    words = re.sub(r"[^\w.=+]+", "-", options).strip("-")
    return f"firmware/{words[:60]}-{hashlib.sha256(options.encode()).hexdigest()[:8]}"


def job(args, contents, mix, seed, modes, rptr_at, options=""):
    """A run of a mix."""
    if mix == tenants.NAME:
        return tenants.Job(mix, seed, tuple(tenants.TITLES), 0, contents, args.asic, args.size,
                           rptr_at, options, args.quantum_us)
    requests = min(MIXES[mix].requests, SHORT_REQUESTS if args.short else sys.maxsize)
    return runs.Job(mix, seed, tuple(modes), requests, contents, args.asic, args.size,
                    rptr_at, options, args.quantum_us)


def results(args, jobs):
    """Yields each job with what its modes measured, or why there is nothing."""
    for one, why in runs.settle(jobs, args.jobs, args.stop, args.anew):
        measured = None
        if not why:
            try:
                measured = one.read()
            except (NoResult, OSError, KeyError, ValueError) as e:
                why = f"no result: {e}"
        yield one, measured, why


class Bench:
    """
    The mixes at one end of the model's costs, or with other ways of its firmware: their results so
    far, what was missed, and, where they are not the default, the limits that are only for these.
    """

    def __init__(self, args, end=corners.DEFAULT, options=""):
        self.args, self.end, self.options = args, end, options
        self.mixes, self.tenants, self.missed, self.over = {}, {}, [], []
        self.out = args.out if end == corners.DEFAULT else args.out / end
        self.out.mkdir(parents=True, exist_ok=True)
        for old in (self.out / "results.json", *self.out.glob("*.png")):
            old.unlink(missing_ok=True)

    def run(self):
        contents = runs.contents()
        names = self.args.mix or (CORNERS if self.args.corners else
                                  SHORT if self.args.short else NAMES)
        jobs = [job(self.args, contents, name, seed,
                    self.modes(name), rptr_at, self.options)
                for name in names for rptr_at, seeds in self.args.settings.items()
                for seed in seeds]
        left = collections.Counter((one.mix, one.rptr_at) for one in jobs)
        good = collections.defaultdict(dict)
        stopped = 0
        for one, measured, why in results(self.args, jobs):
            table = one.mix, one.rptr_at
            left[table] -= 1
            if measured:
                good[table][one] = measured
            elif why == runs.STOPPED:
                stopped += 1
            else:
                self.missed.append(f"{one.title()}: {why}")
            if left[table] or not good[table]:
                continue
            if one.mix == tenants.NAME:
                self.share(one.rptr_at, good[table])
            else:
                for level in MIXES[one.mix].levels:
                    self.table(*table, level, {run: of[level]
                                               for run, of in good[table].items()})
        if stopped:
            self.missed.append(f"{stopped} of {len(jobs)} runs were {runs.STOPPED}")
        self.save()

    def modes(self, name):
        if name not in MIXES:
            return ()
        return MIXES[name].modes() if self.args.levels is None else mixes.LEVELS

    def table(self, name, rptr_at, level, measured):
        """Of a mix's runs in a setting, as many as have a result, and one of its HIGHs."""
        mix = MIXES[name]
        title = mix.title
        if len(mix.levels) > 1:
            name, title = f"{name}-{level}", f"{title}: that on {level}"
        jobs = sorted(measured, key=lambda one: one.seed)
        seeds, made = [one.seed for one in jobs], about.together([one.about() for one in jobs])
        r, block = figures.of_mix([measured[one] for one in jobs])
        worse = list(figures.worse(r))
        report.table(title, rptr_at, r, block, made, seeds, worse)
        report.picture(self.out / f"{name}-{rptr_at}.png", f"{title}, {rptr_at}", r)
        self.judge(figures.missed(f"{name}, {rptr_at}", mix, r))
        for m in r.values():
            del m["latencies_us"]
        self.mixes.setdefault(name, {"title": title})[rptr_at] = {
            "low_block_us": block, "seeds": seeds, **made, **r, "worse": worse}
        self.save()

    def judge(self, limits):
        """What missed a limit is a failure at the default costs and ways."""
        if self.end == corners.DEFAULT:
            self.missed += limits
        else:
            self.over += limits

    def share(self, rptr_at, measured):
        """Of the tenants' runs in a setting, as many as have a result."""
        jobs = sorted(measured, key=lambda one: one.seed)
        r = tenants.of_runs([measured[one] for one in jobs])
        seeds, made = [one.seed for one in jobs], about.together([one.about() for one in jobs])
        tenants.tell(r, report.told(made, seeds), rptr_at)
        self.judge([f"{rptr_at}: {text}" for text in tenants.missed(r)])
        self.tenants[rptr_at] = {"seeds": seeds, **made, "ways": r}
        self.save()

    def save(self):
        report.save(self.out / "results.json", {
            "asic": self.args.asic, "size": self.args.size, "model": self.options,
            "tolerance": figures.TOLERANCE,
            "hint_us": mixes.HINT_US, "hint_margin_us": mixes.MARGIN_US, "mixes": self.mixes,
            "tenants": self.tenants, "missed": self.missed, "over": self.over})
        (self.out / "tables.rst").write_text("\n".join(
            [tables.text(self.mixes), *(tenants.table(of["ways"]) for of in self.tenants.values())]))

    def finish(self):
        """Whether something was missed."""
        print(f"\n  results   {self.out / 'results.json'}\n  pictures  {self.out}/*.png")
        for how, texts in ("MISSED", self.missed), ("over", self.over):
            for text in texts:
                print(f"  {how:<9} {text}")
        return bool(self.missed)


def turn(args):
    """The mixes at each corner of the model's costs; whether something was missed."""
    missed, ends = False, {}
    for end, options in corners.options().items():
        print(f"\nThe model's costs: {end}", flush=True)
        bench = Bench(args, end, options)
        bench.run()
        missed |= bench.finish()
        ends[end] = bench.mixes
    rptr_at, = args.settings
    path = args.out / "corners.rst"
    path.write_text(corners.text(ends, rptr_at))
    print(f"\n{path.read_text()}\n  corners   {path}")
    return missed


def weigh(args):
    """The sensitivity; whether something has no result."""
    contents, guesses = runs.contents(), sensitivity.of_model()
    rptr_at, = args.settings
    jobs = {(option, seed): job(args, contents, SENSITIVE, seed, sensitivity.MODES, rptr_at, option)
            for option in sensitivity.options(guesses) for seed in args.seeds}
    good, failed = {}, []
    for one, measured, why in results(args, list(jobs.values())):
        if measured:
            of_high, = measured.values()
            good[one] = figures.of_seed(of_high)["gpreempt"]
        else:
            failed.append(f"{one.title()}: {why}")
    if good:
        found = {option: sensitivity.middle(
            [good[jobs[option, seed]] for seed in args.seeds if jobs[option, seed] in good])
            for option in sensitivity.options(guesses)}
        made = about.together([one.about() for one in good])
        seeds = sorted({one.seed for one in good})
        print("\nWhat the model's guesses weigh; "
              f"{MIXES[SENSITIVE].title}, with GPREEMPT; the read index advances at {rptr_at}\n"
              f"{report.told(made, seeds)}\n"
              + sensitivity.table(guesses, found))
        args.out.mkdir(parents=True, exist_ok=True)
        report.save(args.out / "sensitivity.json", {
            "asic": args.asic, "rptr_at": rptr_at, "mix": SENSITIVE, "seeds": seeds, **made,
            "parameters": sensitivity.as_json(guesses, found)})
        print(f"\n  results   {args.out / 'sensitivity.json'}")
    for text in failed:
        print(f"  MISSED    {text}")
    return bool(failed)


def main(arguments=None):
    args = parse(arguments)
    if need := runs.missing():
        sys.exit(f"bench: error: {need[0]} is missing: run 'make kernel'")
    args.stop = runs.Stop()
    print(f"These figures are of the GPU model, as an {GPUS[args.asic].name}, not of a GPU.",
          flush=True)
    try:
        if args.sensitivity:
            sys.exit(weigh(args))
        if args.corners:
            sys.exit(turn(args))
        bench = (Bench(args, firmware(args.model), args.model) if args.model else
                 Bench(args) if args.levels is None else
                 Bench(args, "levels", f"{LEVELS_OPTION} {args.levels}".strip()))
        bench.run()
        sys.exit(bench.finish())
    except NoResult as e:
        sys.exit(f"bench: no result: {e}")
    except subprocess.CalledProcessError as e:
        sys.exit(f"bench: gnuplot failed: {e.stderr}")
