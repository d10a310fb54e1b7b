# SPDX-License-Identifier: GPL-2.0
"""Draws whose waves ran when, from the event log, with gnuplot."""
import subprocess
from dataclasses import dataclass

COLOURS = {"low": "#4477aa", "saving": "#bbbbbb", "high": "#ee6677", "waiting": "#f5c542"}
NAMES = {"low": "LOW's waves", "saving": "waves saved or restored", "high": "HIGH's waves",
         "waiting": "HIGH waits (doorbell to first wave)"}
AXIS = "milliseconds"
ROWS_MAX = 40           # compute units, so that a row can be seen
BAR = 0.38              # half the height of a compute unit's row
WIDTH, HEIGHT, FONT = 1800, 1200, 15
# Of the picture: where the panels' plots are, and what is between two of them.
LEFT, RIGHT, BOTTOM, TOP, GAP = 0.07, 0.98, 0.11, 0.9, 0.1
GNUPLOT = """\
set terminal pngcairo size {width},{height} font "sans,15" background "white"
set output "{png}"
set multiplot layout {panels},1 title "{title}" font ",18" \\
    margins screen {left},{right},{bottom},{top} spacing screen {gap}
set border 3 lw 1 lc rgb "#555555"
set tics nomirror out textcolor rgb "#222222"
set mxtics 5
set grid xtics lc rgb "#dddddd" lw 1
set style fill solid 1.0 noborder
set yrange [-0.6:{y_max}]
set ytics font ",{font}"
set ytics ({ytics})
"""
PANEL = """\
set title "{title}" font ",16" offset 0,-0.4
set xrange [0:{span}]
set xtics {tics}
{xlabel}
{key}
{data}
plot {plots}
"""
KEY = "set key at screen 0.52,0.03 center horizontal maxrows 1 samplen 2 width 2"
PLOT = '${kind}{n} using 1:2:3:4:5:6 with boxxyerror lc rgb "{colour}"{border} title "{name}"'


@dataclass
class Panel:
    """A part of a log: two queues from a time on, for so long."""
    log: object
    title: str
    low: object
    high: object
    begin: int
    span_ms: float


def units(machine):
    """Its compute units, as the log, whose first line tells of it, has them: (xcc, engine, cu)."""
    engines, inactive = int(machine["engines"]), int(machine.get("inactive_cus", 0))
    return [(x, e, c) for x in range(int(machine["xccs"]))
            for e in range(engines)
            for c in range(int(machine["cus_per_engine"]) - (e + inactive >= engines))]


def shown(machine):
    """Those that have a row: of a large machine the first one of each engine."""
    every = units(machine)
    return every if len(every) <= ROWS_MAX else [cu for cu in every if not cu[2]]


def labels(machine):
    """What the rows are called, from the lowest; a unit without its XCC if that is the only one."""
    several = int(machine["xccs"]) > 1
    return ["CU " + ".".join(map(str, cu if several else cu[1:])) for cu in shown(machine)] + ["HIGH"]


def boxes(panel, rows):
    """What to draw, as (begin, end, row), by kind."""
    log = panel.log
    end = panel.begin + panel.span_ms * 1000000
    found = {kind: [] for kind in COLOURS}

    def add(kind, begin, stop, row):
        if stop > panel.begin and begin < end:
            found[kind].append((max(begin, panel.begin), min(stop, end), row))

    first = {}              # of HIGH's dispatches: when the first wave ran
    for run in log.runs:
        if run.queue is panel.high:
            number = run.dispatch.number
            first[number] = min(run.begin, first.get(number, run.begin))
        if run.key[1] == 0 and run.cu in rows:      # a workgroup's waves run together: draw its first
            for kind, queue in ("low", panel.low), ("high", panel.high):
                if run.queue is queue:
                    add(kind, run.begin, run.end, rows[run.cu])
    for p in log.preemptions:
        if p.end:
            for row in {rows[cu] for _, _, cu in p.saved if cu in rows}:
                add("saving", p.begin, p.end, row)
    for cu, begin, stop in log.waits:
        if cu in rows:
            add("saving", begin, stop, rows[cu])
    before = 0              # what waits for its own queue's kernels does not wait for LOW
    for d in sorted(panel.high.dispatches.values(), key=lambda d: d.number):
        ring, begin = panel.high.rings.get(d.number), first.get(d.number)
        if ring and begin:
            add("waiting", max(ring, before), begin, len(rows))
            add("high", begin, d.end or begin, len(rows))
            before = d.end or begin
    return found


def data(kind, n, panel, found):
    """A data block of gnuplot's: the boxes of a kind, in ms from the panel's begin."""
    lines = [f"${kind}{n} << EOD"]
    for begin, end, row in found:
        x0, x1 = (begin - panel.begin) / 1e6, (end - panel.begin) / 1e6
        lines.append(f"{(x0 + x1) / 2} {row} {x0} {x1} {row - BAR} {row + BAR}")
    if not found:
        lines.append("-1 0 -1 -1 0 0")      # an empty block is an error
    return "\n".join([*lines, "EOD"])


def plots(n):
    borders = {"low": ' fs solid 1 border lc rgb "white"'}
    return ", \\\n     ".join(
        PLOT.format(kind=kind, n=n, colour=colour, border=borders.get(kind, ""), name=NAMES[kind])
        for kind, colour in COLOURS.items())


def draw(panels, title, png):
    """
    Write the picture, and beside it as .gp what gnuplot was told to draw. The logs are of one
    machine. Raises CalledProcessError with gnuplot's words.
    """
    machine = panels[0].log.start
    rows = {cu: i for i, cu in enumerate(shown(machine))}
    row_px = HEIGHT * (TOP - BOTTOM - GAP * (len(panels) - 1)) / len(panels) / (len(rows) + 1)
    text = GNUPLOT.format(
        png=png, title=title, panels=len(panels), y_max=len(rows) + 0.6,
        width=WIDTH, height=HEIGHT, left=LEFT, right=RIGHT, bottom=BOTTOM, top=TOP, gap=GAP,
        font=min(FONT, int(row_px)),
        ytics=", ".join(f'"{label}" {row}' for row, label in enumerate(labels(machine))))
    for n, panel in enumerate(panels):
        found = boxes(panel, rows)
        last = n == len(panels) - 1
        text += PANEL.format(
            title=panel.title, span=panel.span_ms, tics=panel.span_ms / 10,
            data="\n".join(data(kind, n, panel, found[kind]) for kind in found),
            plots=plots(n), xlabel=f'set xlabel "{AXIS}"' if last else "unset xlabel",
            key=KEY if last else "unset key")
    script = png.with_suffix(".gp")
    script.write_text(text + "unset multiplot\n")
    subprocess.run(["gnuplot", script], text=True, capture_output=True, check=True)
