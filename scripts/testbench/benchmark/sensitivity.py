# SPDX-License-Identifier: GPL-2.0
"""What the model's guesses weigh: the same mix with each of them halved and doubled."""
import re
import subprocess
from dataclasses import asdict, dataclass
from statistics import median

from testbench.benchmark import runs
from testbench.benchmark.about import NoResult

MODES = ("low", "gpreempt")
FACTORS = {"half": 0.5, "default": None, "double": 2}


@dataclass(frozen=True)
class Guess:
    """A parameter of the model that has no source."""
    name: str
    value: str
    unit: str
    low: str
    high: str

    def option(self, factor):
        """Of the model; none for the default. A whole number stays one."""
        if factor is None:
            return ""
        changed = float(self.value) * factor
        whole = re.fullmatch(r"\d+", self.value)
        return f"--param {self.name}={int(changed) if whole else format(changed, 'g')}"


def guesses(text):
    """Of the model's parameters, NAME VALUE UNIT LOW HIGH source|guess|chosen TEXT a
    line."""
    lines = (line.split(maxsplit=6) for line in text.splitlines())
    return [Guess(*fields[:5]) for fields in lines if len(fields) > 5 and fields[5] == "guess"]


def of_model():
    try:
        done = subprocess.run([runs.model(), "params"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True)
    except subprocess.CalledProcessError as e:
        raise NoResult(f"the model does not name its parameters: {e.stderr.strip()}") from e
    if not (found := guesses(done.stdout)):
        raise NoResult("the model has no parameter that is a guess")
    return found


def options(found):
    """The model's options, of all the runs it takes."""
    return list(dict.fromkeys(g.option(f) for g in found for f in FACTORS.values()))


def middle(seeds):
    """Of a run's figures, one a seed: HIGH's p99 and LOW's work; None of none."""
    return {"p99_us": round(median(f["p99_us"] for f in seeds), 1),
            "low": round(median(f["low"] for f in seeds), 4)} if seeds else None


def row(guess, found):
    """The figures of a guess that is halved, as it is, and doubled."""
    return {which: found[guess.option(factor)] for which, factor in FACTORS.items()}


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
    return {g.name: {**asdict(g), **row(g, found)} for g in all_guesses}
