# SPDX-License-Identifier: GPL-2.0
"""Is what the demo left complete, good and drawn right? usage: check-demo OUTDIR

Results are TAP. checks() looks at a folder of bench demo: results.json against its own
limits, timeline.gp for what was drawn, timeline.png for whether it can be seen.
"""
import json
import re
import sys
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from testbench.demo import report, timeline

FIGURES = {"p50_us": float, "p99_us": float, "max_us": float}
RUN = {**FIGURES, "low_rate": float, "low_groups_per_s": float, "event_log": FIGURES,
       "samples": int}
# What results.json has: names, and types or what is in there.
RESULTS = {
    "of": str, "alone": RUN, "stock": RUN, "gpreempt": RUN, "preemptions": int, "resumes": int,
    "low_exact": bool, "low_words": {"alone": int, "stock": int, "gpreempt": int},
    "preemptions_in_midloop": int, "detection_us": float, "preemption_us": float,
    "save_us": float, "locks_us": float, "monitor_us": float,
    "times_below_stock": float, "driver": {"preemptions": int, "resumes": int, "scans": int},
    "low_group_ms": float, "low_iterations": int,
    "all_units_busy": {"stock": float, "gpreempt": float},
    "model": {"asic": str, "xccs": str, "engines": str, "cus_per_engine": str, "rptr_at": str},
    "clock": {"mode": str, "insns_per_ns": str, "quantum_us": str},
    "virtual_s": float, "wall_s": float, "seed": int,
    "host": {"cpu": str, "cores": int, "kernel": str, "load": float}, "missed": list,
}
EDGE_MS = 5             # of a panel of several kernels: there save or restore may be beyond it
NEAR = 16               # so far may a colour be off, where edges are smoothed
INSIDE = 3              # pixels that belong to a panel's frame


class Damaged(Exception):
    """A file that cannot be read as what it should be."""


# ---- results.json ----

def lacking(results, wanted, where=""):
    """Names of what is not there, or is of another type."""
    for name, kind in wanted.items():
        found = results.get(name)
        if isinstance(kind, dict):
            yield from lacking(found if isinstance(found, dict) else {}, kind, f"{where}{name}.")
        elif not isinstance(found, (int, float) if kind is float else kind):
            yield where + name


# ---- what gnuplot was told ----

@dataclass(frozen=True)
class Box:
    begin: float        # ms
    end: float
    row: int

    def within(self, begin, end):
        """How much of it is in there, in ms."""
        return max(0.0, min(self.end, end) - max(self.begin, begin))


class Picture:
    """timeline.gp, read back."""

    def __init__(self, text):
        self.titles = re.findall(r'^set title "(.*?)" font', text, re.M)
        self.axis = re.findall(r'^set xlabel "(.*)"$', text, re.M)
        ticks = re.search(r"^set ytics \((.*)\)$", text, re.M)
        self.rows = {int(row): label for label, row
                     in re.findall(r'"([^"]*)" (\d+)', ticks[1] if ticks else "")}
        self.plotted = re.findall(r'\$(\w+?)(\d+) using .* lc rgb "(#\w+)".* title "(.*?)"', text)
        blocks = re.findall(r"^\$(\w+?)(\d+) << EOD\n(.*?)^EOD$", text, re.M | re.S)
        self.boxes = defaultdict(list)      # (kind, panel) -> boxes
        for kind, panel, lines in blocks:
            for line in lines.splitlines():
                _, row, begin, end, _, _ = map(float, line.split())
                if begin >= 0:
                    self.boxes[kind, int(panel)].append(Box(begin, end, int(row)))

    @property
    def top(self):
        """HIGH's row."""
        return max(self.rows, default=0)

    def on(self, kind, panel, row):
        return sorted((b for b in self.boxes[kind, panel] if b.row == row), key=lambda b: b.begin)


def wrong_rows(pic, results):
    """One row a compute unit, and HIGH's on top."""
    wanted = timeline.labels(results["model"])
    found = [pic.rows[row] for row in sorted(pic.rows)]
    if found != wanted or sorted(pic.rows) != list(range(len(wanted))):
        yield f"the rows are {', '.join(found)}, not {', '.join(wanted)}"


def wrong_labels(pic, results):
    wanted = report.titles(results)
    if pic.titles != wanted:
        yield f"the panels are called {pic.titles}, not {wanted}"
    if pic.axis != [timeline.AXIS]:
        yield f"the axis is called {pic.axis}, not {timeline.AXIS}"
    wanted = {(kind, str(n), colour, timeline.NAMES[kind])
              for n in range(len(report.VIEWS)) for kind, colour in timeline.COLOURS.items()}
    for kind, n, _, _ in sorted(wanted - set(pic.plotted)):
        yield f"panel {n} does not plot '{timeline.NAMES[kind]}' as the legend has it"


def wrong_stock(pic):
    """While HIGH waits, LOW is on every unit."""
    waits = pic.on("waiting", 0, pic.top)
    total = sum(w.end - w.begin for w in waits)
    if total < 1:
        yield f"HIGH waits for {total:g} ms in all"
        return
    for row in range(pic.top):
        low = sum(b.within(w.begin, w.end) for w in waits for b in pic.on("low", 0, row))
        if low < report.BUSY * total:
            yield f"{pic.rows[row]} is in LOW's hands for {low:.2f} of the {total:.2f} ms that HIGH waits"
    if pic.boxes["saving", 0]:
        yield "there are saves"


def without_saves(pic, panel, row):
    """
    HIGH's boxes on a unit, each with what is wrong or None. It stands between a save
    of LOW and its restore, and meanwhile LOW is not there.
    """
    saves, low = pic.on("saving", panel, row), pic.on("low", panel, row)
    for box in pic.on("high", panel, row):
        before = [s for s in saves if s.begin <= box.begin]
        after = [s for s in saves if s.begin > box.begin]
        if not before or before[-1].end > box.begin:
            yield box, "without a save before it"
        elif not after or after[0].begin < box.end:
            yield box, "without a restore after it"
        elif any(b.within(before[-1].end, after[0].begin) for b in low):
            yield box, "beside LOW's waves"
        else:
            yield box, None


def wrong_gpreempt(pic, panel, edge_ms):
    """HIGH's waves run between a save and a restore of LOW's, on nearly every unit and time."""
    end = report.VIEWS[panel].span_ms - edge_ms
    found = [(row, box, why) for row in range(pic.top)
             for box, why in without_saves(pic, panel, row) if edge_ms <= box.begin <= end]
    bad = [f"HIGH runs on {pic.rows[row]} at {box.begin:.3f} ms {why}" for row, box, why in found if why]
    if not found or len(found) - len(bad) < report.BUSY * len(found):
        yield from bad or ["HIGH runs on no unit"]
    for row in range(pic.top):
        if not pic.on("saving", panel, row):
            yield f"{pic.rows[row]} has no save"


# ---- timeline.png ----

def unfilter(kind, line, above, step):
    """A line of a PNG, of the bytes that its filter left (PNG specification, 9.2)."""
    if kind == 0:
        return line
    if kind == 2:
        return bytes(map(lambda a, b: (a + b) & 255, line, above))
    if kind not in (1, 3, 4):
        raise Damaged(f"no PNG has a filter {kind}")
    out = bytearray(step)       # as if there were a black pixel on the left
    for byte, left_up, up in zip(line, bytes(step) + above, above):
        left = out[-step]
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + up) // 2
        else:                   # which is nearest to left + up - left_up
            a, b, c = abs(up - left_up), abs(left - left_up), abs(left + up - 2 * left_up)
            guess = left if a <= b and a <= c else up if b <= c else left_up
        out.append((byte + guess) & 255)
    return bytes(out[step:])


def pixels(png):
    """Lines of (red, green, blue) of a PNG of 8 bits a colour."""
    if png[:8] != b"\x89PNG\r\n\x1a\n":
        raise Damaged("not a PNG")
    at, found = 8, defaultdict(bytes)
    while at + 12 <= len(png):
        size, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        crc = int.from_bytes(png[at + 8 + size:at + 12 + size], "big")
        if zlib.crc32(png[at + 4:at + 8 + size]) != crc:
            raise Damaged(f"its part {kind} is damaged")
        found[kind] += png[at + 8:at + 8 + size]
        at += size + 12
    if b"IEND" not in found:
        raise Damaged("it has no end")
    head = found[b"IHDR"]
    width, height = (int.from_bytes(head[i:i + 4], "big") for i in (0, 4))
    step = {2: 3, 6: 4}.get(head[9])        # RGB, RGBA
    if head[8] != 8 or not step or head[12]:
        raise Damaged("not of 8 bits a colour, or interlaced")
    try:
        data = zlib.decompress(found[b"IDAT"])
    except zlib.error as e:
        raise Damaged(e) from e
    size = width * step + 1
    if len(data) != size * height:
        raise Damaged(f"{len(data)} bytes are not {width} times {height} pixels")
    line, lines = bytes(size - 1), []
    for y in range(height):
        line = unfilter(data[y * size], data[y * size + 1:(y + 1) * size], line, step)
        lines.append(list(zip(line[::step], line[1::step], line[2::step])))
    return lines


def near(pixel, colour):
    return all(abs(pixel[i] - int(colour[1 + 2 * i:3 + 2 * i], 16)) <= NEAR for i in range(3))


def wrong_pixels(pic, lines):
    """The size, and in each panel the colour of each kind of box that it has."""
    size = len(lines[0]), len(lines)
    if size != (timeline.WIDTH, timeline.HEIGHT):
        yield f"it has {size[0]} times {size[1]} pixels, not {timeline.WIDTH} times {timeline.HEIGHT}"
        return
    n = len(report.VIEWS)
    high = (timeline.TOP - timeline.BOTTOM - (n - 1) * timeline.GAP) / n
    columns = slice(int(timeline.LEFT * size[0]) + INSIDE, int(timeline.RIGHT * size[0]) - INSIDE)
    for panel in range(n):
        top = 1 - timeline.TOP + panel * (high + timeline.GAP)
        rows = lines[int(top * size[1]) + INSIDE:int((top + high) * size[1]) - INSIDE]
        seen = Counter(pixel for line in rows for pixel in line[columns])
        for kind, colour in timeline.COLOURS.items():
            if pic.boxes[kind, panel] and not any(near(pixel, colour) for pixel in seen):
                yield f"panel {panel}: nothing in {colour}, the colour of '{timeline.NAMES[kind]}'"


# ---- all of it ----

def checks(folder):
    """(what is checked, what is wrong with it) of a demo's folder."""
    try:
        results = json.loads((folder / "results.json").read_text())
        counts = report.virtual(results)
    except (OSError, ValueError, KeyError) as e:
        yield "results.json can be read", [repr(e)]
        return
    yield "the figures count", [] if counts else ["guest and model had no common clock"]
    if not counts:
        return
    found = list(lacking(results, RESULTS))
    yield "results.json is complete", [f"there is no {name}" for name in found]
    if found:
        return
    yield "LOW's result is exact", [] if results["low_exact"] else ["it is not"]
    yield "each limit is kept", report.verdict(results)
    try:
        pic = Picture((folder / "timeline.gp").read_text())
    except (OSError, ValueError) as e:
        yield "timeline.gp can be read", [str(e)]
        return
    yield "the picture's rows", list(wrong_rows(pic, results))
    yield "the picture's labels", list(wrong_labels(pic, results))
    yield "the picture on stock: LOW everywhere while HIGH waits", list(wrong_stock(pic))
    yield "the picture with GPREEMPT: HIGH between save and restore", \
        list(wrong_gpreempt(pic, 1, EDGE_MS))
    yield "the picture of one kernel: HIGH between save and restore", list(wrong_gpreempt(pic, 2, 0))
    try:
        lines = pixels((folder / "timeline.png").read_bytes())
        yield "the picture can be seen", list(wrong_pixels(pic, lines))
    except (OSError, Damaged) as e:
        yield "the picture can be seen", [str(e)]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-demo OUTDIR")
    n = failed = 0
    for n, (text, wrong) in enumerate(checks(Path(sys.argv[1])), 1):
        for line in wrong:
            print(f"# {line}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {n} - {text}", flush=True)
    print(f"1..{n}")
    sys.exit(bool(failed))
