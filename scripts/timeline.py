# SPDX-License-Identifier: GPL-2.0
"""Draws whose waves ran when, from the event log, with gnuplot."""
import subprocess
from dataclasses import dataclass

LOW, HIGH, SAVING, WAITING = "#4477aa", "#ee6677", "#bbbbbb", "#f5c542"
BAR = 0.38              # half the height of a compute unit's row
GNUPLOT = """\
set terminal pngcairo size 1800,900 font "sans,15" background "white"
set output "{png}"
set multiplot layout 2,1 title "{title}" font ",18" \
    margins screen 0.06,0.98,0.15,0.87 spacing screen 0.13
set border 3 lw 1 lc rgb "#555555"
set tics nomirror out textcolor rgb "#222222"
set xtics 10
set mxtics 5
set grid xtics lc rgb "#dddddd" lw 1
set style fill solid 1.0 noborder
set xrange [0:{span}]
set yrange [-0.6:{top}]
set ytics ({ytics})
"""
PANEL = """\
set title "{title}" font ",16" offset 0,-0.4
{xlabel}
{key}
{data}
plot $low{n} using 1:2:3:4:5:6 with boxxyerror lc rgb "{low}" fs solid 1 border lc rgb "white" title "LOW's waves", \\
     $saving{n} using 1:2:3:4:5:6 with boxxyerror lc rgb "{saving}" title "waves saved or restored", \\
     $high{n} using 1:2:3:4:5:6 with boxxyerror lc rgb "{high}" title "HIGH's waves", \\
     $waiting{n} using 1:2:3:4:5:6 with boxxyerror lc rgb "{waiting}" title "HIGH waits (doorbell to first wave)"
"""


@dataclass
class Panel:
    """A part of the log: two queues from a time on."""
    title: str
    low: object
    high: object
    begin: int


def units(machine):
    """Its compute units, as the log, whose first line tells of it, has them: (xcc, engine, cu)."""
    return [(x, e, c) for x in range(int(machine["xccs"]))
            for e in range(int(machine["engines"]))
            for c in range(int(machine["cus_per_engine"]))]


def labels(machine):
    """What the rows are called, from the lowest; a unit without its XCC if that is the only one."""
    several = int(machine["xccs"]) > 1
    return ["CU " + ".".join(map(str, cu if several else cu[1:])) for cu in units(machine)] + ["HIGH"]


def boxes(log, panel, span, rows):
    """What to draw, as (begin, end, row), by kind."""
    end = panel.begin + span
    found = {"low": [], "high": [], "saving": [], "waiting": []}

    def add(kind, begin, stop, row):
        if stop > panel.begin and begin < end:
            found[kind].append((max(begin, panel.begin), min(stop, end), row))

    for run in log.runs:
        if run.key[1] == 0:     # a workgroup's waves run together: draw its first
            for kind, queue in ("low", panel.low), ("high", panel.high):
                if run.queue is queue:
                    add(kind, run.begin, run.end, rows[run.cu])
    for p in log.preemptions:
        if p.end:
            for row in {rows[cu] for _, _, cu in p.saved}:
                add("saving", p.begin, p.end, row)
    for cu, begin, stop in log.waits:
        add("saving", begin, stop, rows[cu])
    for d in panel.high.dispatches.values():
        ring = panel.high.rings.get(d.number)
        first = min((run.begin for run in log.runs if run.dispatch is d), default=None)
        if ring and first:
            add("waiting", ring, first, len(rows))
            add("high", first, d.end or first, len(rows))
    return found


def draw(log, panels, span_ms, title, png):
    """Write the picture; raises CalledProcessError with gnuplot's words."""
    rows = {cu: i for i, cu in enumerate(units(log.start))}
    text = GNUPLOT.format(png=png, title=title, span=span_ms, top=len(rows) + 0.6,
                          ytics=", ".join(f'"{label}" {row}' for row, label
                                          in enumerate(labels(log.start))))
    for n, panel in enumerate(panels):
        data = []
        for kind, found in boxes(log, panel, span_ms * 1000000, rows).items():
            data.append(f"${kind}{n} << EOD")
            for begin, end, row in found:
                x0, x1 = (begin - panel.begin) / 1e6, (end - panel.begin) / 1e6
                data.append(f"{(x0 + x1) / 2} {row} {x0} {x1} {row - BAR} {row + BAR}")
            if not found:
                data.append("-1 0 -1 -1 0 0")   # an empty block is an error
            data.append("EOD")
        last = n == len(panels) - 1
        text += PANEL.format(
            n=n, title=panel.title, data="\n".join(data), low=LOW, high=HIGH,
            saving=SAVING, waiting=WAITING,
            xlabel='set xlabel "milliseconds"' if last else "unset xlabel",
            key="set key at screen 0.52,0.035 center horizontal maxrows 1 samplen 2 width 2" if last else "unset key")
    subprocess.run(["gnuplot"], input=text + "unset multiplot\n", text=True,
                   capture_output=True, check=True)
