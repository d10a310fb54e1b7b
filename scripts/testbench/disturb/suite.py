# SPDX-License-Identifier: GPL-2.0
"""Tenants that disturb others cost no more than without GPREEMPT."""
import re

from testbench.check.parts import guest, streams
from testbench.paths import kselftest

FIGURE = re.compile(r"# report: (.*): (\d+) ns")
DEARER = 1.05       # than stock, at most
WAIT_NS = {"exit": 1000000, "reset": 4000000}       # these have waits that end on ticks
OF_BOTH = ["mappings", "not_enabled"]


def run(options):
    """With these options of the guest."""
    figures = {}
    tests = [word for test in OF_BOTH for word in ("-t", test)]
    for module in "stock", "gpreempt":
        part = guest(kselftest("machine/disturb_test"), *tests, limit=900, name=module,
                     options=["--module", module, *options])
        lines = list(streams(part.argv("disturb")))
        yield from lines
        figures[module] = {m[1]: int(m[2]) for m in map(FIGURE.match, lines) if m}
    stock, ours = figures["stock"], figures["gpreempt"]
    for n, (name, ns) in enumerate(stock.items(), 1):
        limit = DEARER * ns + WAIT_NS.get(name.split()[0], 0)
        good = ours.get(name, limit + 1) <= limit
        yield f"{'ok' if good else 'not ok'} {n} - {name}: {ns} ns on stock, {ours.get(name)} ns"
    yield f"{'ok' if stock else 'not ok'} {len(stock) + 1} - there are figures"
    yield f"1..{len(stock) + 1}"
