# SPDX-License-Identifier: GPL-2.0
"""What the model's guesses weigh: the same mix with each of them halved and doubled."""
import re
from statistics import median

from testbench.benchmark import parameters
from testbench.benchmark.about import NoResult

MODES = ("low", "gpreempt")
FACTORS = {"half": 0.5, "default": None, "double": 2}


def option(guess, factor):
    """Of the model; none for the default. A whole number stays one."""
    if factor is None:
        return ""
    changed = float(guess.value) * factor
    whole = re.fullmatch(r"\d+", guess.value)
    return guess.option(int(changed) if whole else format(changed, "g"))


def of_model():
    """The parameters that have no source."""
    if not (found := [p for p in parameters.of_model() if p.kind == "guess"]):
        raise NoResult("the model has no parameter that is a guess")
    return found


def options(found):
    """The model's options, of all the runs it takes."""
    return list(dict.fromkeys(option(g, f) for g in found for f in FACTORS.values()))


def middle(seeds):
    """Of a run's figures, one a seed: HIGH's p99 and LOW's work; None of none."""
    return {"p99_us": round(median(f["p99_us"] for f in seeds), 1),
            "low": round(median(f["low"] for f in seeds), 4)} if seeds else None


def row(guess, found):
    """The figures of a guess that is halved, as it is, and doubled."""
    return {which: found[option(guess, factor)] for which, factor in FACTORS.items()}


def table(all_guesses, found):
    """found: the figures by the model's options."""
    def cells(figures, key, form):
        return "".join(f"{f[key] if f else '-':>9{form if f else ''}}" for f in figures.values())
    width = max(len(g.name) for g in all_guesses) + 2
    head = "".join(f"{which:>9}" for which in FACTORS)
    lines = [f"  {'':<{width}}{'':>28}{'HIGH, p99 in us':>27}{'LOW, of alone':>27}",
             f"  {'parameter':<{width}}{'default':>14}{'range':>14}{head}{head}"]
    for g in all_guesses:
        figures = row(g, found)
        lines.append(f"  {g.name:<{width}}{f'{g.value} {g.unit}':>14}{f'{g.low}-{g.high}':>14}"
                     f"{cells(figures, 'p99_us', '.0f')}{cells(figures, 'low', '.1%')}")
    return "\n".join(lines)


def as_json(all_guesses, found):
    return {g.name: {**g._asdict(), **row(g, found)} for g in all_guesses}
