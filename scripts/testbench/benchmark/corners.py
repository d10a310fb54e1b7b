# SPDX-License-Identifier: GPL-2.0
"""What the figures say where all costs of the model are cheap, and where all are dear."""
from testbench.benchmark import parameters, tables
from testbench.benchmark.figures import COSTS, cost, losing
from testbench.benchmark.mixes import MIXES, RIVALS, TITLES

DEFAULT = "default"
ENDS = (DEFAULT, *parameters.ENDS)
FIGURES = {"p50_us": "p50", "p99_us": "p99", "max_us": "longest", "low_of_left_over": "LOW loses",
           "cpu": "CPU"}
# Of a rival, which has as much notice as what it is better than.
SHORT = {**tables.SHORT, "daemon-100": "daemon 0.1 ms"}


def options():
    """The model's, of each end."""
    found = parameters.of_model()
    return {DEFAULT: "", **{end: parameters.corner(found, end) for end in parameters.ENDS}}


def value(r, mode, key):
    """HIGH alone has a latency, what is beside it adds to that."""
    if mode == "alone":
        return f"{r[mode][key]:.0f}" if key.endswith("_us") else tables.MISSING
    number = cost(r, mode, key)
    # no -0
    return f"{round(number)}" if key.endswith("_us") else f"{round(number * 100, 1) + 0:.1f} %"


def span(ends, mode, key):
    """As it is by default; from the cheap end to the dear one. ends: a mix's figures."""
    default, cheap, dear = (value(ends[end], mode, key) for end in ENDS)
    if default == cheap == dear:
        return default
    return f"{default}; {cheap.removesuffix(' %')} to {dear}"


def spans(found):
    """found: of each mix that has a result at all ends, those of each end."""
    return tables.simple(["mix", "way", *FIGURES.values()], [
        [name, TITLES[mode], *(span(ends, mode, key) for key in FIGURES)]
        for name, ends in found.items() for mode in TITLES if mode in ends[DEFAULT]])


def verdicts(found):
    """Than what GPREEMPT and HINT are worse, by the end."""
    rows = []
    for name, ends in found.items():
        at = {end: {(ours, key): more for ours, key, more in losing(ends[end])} for end in ENDS}
        for ours in RIVALS:
            for key in COSTS:
                if any((ours, key) in of for of in at.values()):
                    rows.append([name, TITLES[ours], FIGURES[key], *(
                        ", ".join(SHORT[m] for m in at[end].get((ours, key), ()))
                        or tables.MISSING for end in ENDS)])
    return tables.simple(["mix", "way", "figure", *ENDS], rows)


def pays_from(lengths, key):
    """
    The length of LOW's blocks, us, from which stock adds more to a figure of HIGH's than
    GPREEMPT does, between two that were measured; 0: at all of them; None: at none.
    lengths: figures by the length.
    """
    ordered = sorted(lengths.items())
    gains = [(us, cost(r, "stock", key) - cost(r, "gpreempt", key)) for us, r in ordered]
    if gains[-1][1] <= 0:
        return None
    for (short, before), (long, after) in reversed(list(zip(gains, gains[1:]))):
        if before <= 0:
            return round(short + (long - short) * -before / (after - before))
    return 0


def paying(found):
    """From which length of blocks on GPREEMPT pays, by the end; of the mixes of one LOW."""
    blocks = [name for name in found if name.startswith("block-")]

    def said(end, key):
        us = pays_from({MIXES[name].block_us: found[name][end] for name in blocks}, key)
        return {0: "all measured", None: "none measured"}.get(us, f"{us} us")
    return tables.simple(["\\", *ENDS], [
        [f"HIGH's {FIGURES[key]}", *(said(end, key) for end in ENDS)]
        for key in ("p50_us", "p99_us")]) if len(blocks) > 1 else ""


def text(ends, rptr_at):
    """ends: of each end, the results of its mixes."""
    found = {name: {end: ends[end][name][rptr_at] for end in ENDS} for name in ends[DEFAULT]
             if all(name in ends[end] for end in ENDS)}
    return "\n".join(filter(None, (spans(found), verdicts(found), paying(found)))) if found else ""
