# SPDX-License-Identifier: GPL-2.0
"""The results of all mixes as the documentation's tables, in reStructuredText."""
import textwrap

from testbench.benchmark.figures import cost
from testbench.benchmark.mixes import DAEMONS, RIVALS

MISSING = "\\-"


def simple(head, rows):
    """A simple table."""
    wide = [max(map(len, column)) for column in zip(head, *rows)]
    rule = "  ".join("=" * n for n in wide)
    lines = ["  ".join(cell.ljust(n) for cell, n in zip(row, wide)).rstrip()
             for row in (head, *rows)]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n"


def alone(r, mode):
    return f"{r[mode]['p50_us']:.0f}"


def added(*keys):
    """What a mode adds to these of HIGH's figures."""
    return lambda r, mode: "/".join(str(round(cost(r, mode, key))) for key in keys)


def lost(r, mode):
    return f"{cost(r, mode, 'low_of_left_over'):.1%}".replace("%", " %")


def cpu(r, mode):
    return f"{cost(r, mode, 'cpu'):.2%}".replace("%", " %")


SHORT = {"alone": "alone", "stock": "stock", "cu-mask": "CU mask", "hpf": "HPF",
         "daemon-1000": "daemon 1 ms", "daemon-100": "0.1 ms", "coop": "coop.",
         "gpreempt": "GPREEMPT", "daemon-notice": "daemon", "coop-notice": "coop.", "hint": "HINT"}
BLIND, AHEAD = ((*RIVALS[mode], mode) for mode in ("gpreempt", "hint"))
# Of each table, its columns: how each says what of which mode.
TABLES = (
    [(alone, "alone"), *((added("p50_us", "p99_us"), mode) for mode in BLIND)],
    [(added("max_us"), mode) for mode in BLIND],
    [(added("p50_us", "p99_us", "max_us"), mode) for mode in AHEAD],
    [(lost, mode) for mode in BLIND],
    [(lost, mode) for mode in AHEAD],
    [(cpu, mode) for mode in (*BLIND, *AHEAD) if mode in DAEMONS or mode in RIVALS],
)


def setting(mixes, rptr_at):
    """The tables of the mixes that have results with that read index."""
    found = {name: mix[rptr_at] for name, mix in mixes.items() if rptr_at in mix}
    return [simple(["mix", *(SHORT[mode] for _, mode in columns)],
                   [[name, *(cell(r, mode) if mode in r else MISSING for cell, mode in columns)]
                    for name, r in found.items()])
            for columns in TABLES if found]


def losses(mixes, rptr_at):
    """Where GPREEMPT is worse."""
    return "\n".join(textwrap.fill(f"- {name}: {text.replace('%', ' %')}", 97, subsequent_indent="  ")
                     for name, mix in mixes.items() if rptr_at in mix
                     for text in mix[rptr_at]["worse"])


def text(mixes):
    return "\n".join(f".. The read index advances at {rptr_at}.\n\n" + "\n".join(tables)
                     + f"\n{losses(mixes, rptr_at)}\n"
                     for rptr_at in ("launch", "fetch") if (tables := setting(mixes, rptr_at)))
