# SPDX-License-Identifier: GPL-2.0
"""The model's costs, each with its range, as the model itself names them."""
import subprocess
from typing import NamedTuple

from testbench.benchmark.about import NoResult
from testbench.guest import inputs

ENDS = ("cheap", "dear")


class Parameter(NamedTuple):
    """A cost of the model: source, guess or chosen."""
    name: str
    value: str
    unit: str
    low: str
    high: str
    kind: str

    def option(self, value):
        """Of the model."""
        return f"--param {self.name}={value}"

    def at(self, end):
        """Its cheap or its dear end. A rate is dear where it is low."""
        return self.low if ("/" in self.unit) == (end == "dear") else self.high


def parsed(text):
    """Of NAME VALUE UNIT LOW HIGH KIND TEXT a line."""
    lines = (line.split(maxsplit=6) for line in text.splitlines())
    return [Parameter(*fields[:6]) for fields in lines if len(fields) > 5]


def of_model():
    try:
        done = subprocess.run([inputs.model(), "params"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True)
    except subprocess.CalledProcessError as e:
        raise NoResult(f"the model does not name its parameters: {e.stderr.strip()}") from e
    return parsed(done.stdout)


def corner(parameters, end):
    """The model's options where all costs of hardware are at that end; what is chosen stays."""
    return " ".join(p.option(p.at(end)) for p in parameters if p.kind != "chosen")
