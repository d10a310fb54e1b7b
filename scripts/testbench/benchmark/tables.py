# SPDX-License-Identifier: GPL-2.0
"""The results of all mixes as the documentation's tables, in reStructuredText."""

MISSING = "\\-"


def simple(head, rows):
    """A simple table."""
    wide = [max(map(len, column)) for column in zip(head, *rows)]
    rule = "  ".join("=" * n for n in wide)
    lines = ["  ".join(cell.ljust(n) for cell, n in zip(row, wide)).rstrip()
             for row in (head, *rows)]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule]) + "\n"


def pair(m):
    return f"{m['p50_us']:.0f}/{m['p99_us']:.0f}"


def longest(m):
    return f"{m['max_us']:.0f}"


def left_over(m):
    return f"{m['low_of_left_over']:.1%}".replace("%", " %")


def cpu(m):
    return f"{m['cpu']:.2%}".replace("%", " %")


# Of each table, its columns: what it says at the top, of which mode, and how.
TABLES = (
    (("alone", "alone", pair), ("stock", "stock", pair), ("daemon 1 ms", "daemon-1000", pair),
     ("0.1 ms", "daemon-100", pair), ("coop.", "coop", pair), ("GPREEMPT", "gpreempt", pair),
     ("max", "gpreempt", longest)),
    (("alone", "alone", pair), ("coop.", "coop-notice", pair), ("HINT", "hint", pair),
     ("max", "hint", longest)),
    (("stock", "stock", left_over), ("daemon 1 ms", "daemon-1000", left_over),
     ("0.1 ms", "daemon-100", left_over), ("coop.", "coop", left_over),
     ("GPREEMPT", "gpreempt", left_over), ("coop., notice", "coop-notice", left_over),
     ("HINT", "hint", left_over)),
    (("daemon 1 ms", "daemon-1000", cpu), ("0.1 ms", "daemon-100", cpu),
     ("GPREEMPT", "gpreempt", cpu), ("HINT", "hint", cpu)),
)


def setting(mixes, rptr_at):
    """The tables of the mixes that have results with that read index."""
    found = {name: mix[rptr_at] for name, mix in mixes.items() if rptr_at in mix}
    return [simple(["mix", *(title for title, _, _ in columns)],
                   [[name, *(cell(r[mode]) if mode in r else MISSING
                             for _, mode, cell in columns)] for name, r in found.items()])
            for columns in TABLES if found]


def text(mixes):
    return "\n".join(f".. The read index advances at {rptr_at}.\n\n" + "\n".join(tables)
                     for rptr_at in ("launch", "fetch") if (tables := setting(mixes, rptr_at)))
