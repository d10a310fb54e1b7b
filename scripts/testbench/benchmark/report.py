# SPDX-License-Identifier: GPL-2.0
"""How it is told: a table and a picture a mix, and figures for programs."""
import json
import subprocess

from testbench.benchmark import about
from testbench.benchmark.mixes import TITLES


def told(made, seeds):
    """Of runs: by which clock, when, of what."""
    return f"  {about.text(made)}; seeds {', '.join(map(str, seeds))}"


def save(path, results):
    path.write_text(json.dumps({"of": "a GPU model, not a GPU", **results}, indent=1) + "\n")


def table(title, rptr_at, r, block, made, seeds, worse):
    print(f"\n{title}; measured {block / 1000:.2f} ms; the read index advances at {rptr_at}\n"
          f"{told(made, seeds)}\n"
          f"{'':<24}HIGH, us by the event log                LOW, of   of what     CPU,\n"
          f"{'':<25}p50 (spread)     p99   p99.9     max    alone  HIGH leaves  of a core")
    for mode, m in r.items():
        print(f"  {TITLES[mode]:<20}{m['p50_us']:8.0f} ({m['p50_spread_us']:5.0f})"
              f"{m['p99_us']:8.0f}{m['p999_us']:8.0f}{m['max_us']:8.0f}"
              + (f"{m['low']:9.1%}{m['low_of_left_over']:13.1%}" if m["low"] else " " * 22)
              + f"{m['cpu']:11.2%}", flush=True)
    for text in worse or ["no means with as much notice is better at any figure"]:
        print(f"  {text}", flush=True)


def picture(path, title, r):
    """The share of requests that took no longer, by mode."""
    data, plots = [], []
    for n, (mode, m) in enumerate(r.items()):
        v = m["latencies_us"]
        points = "\n".join(f"{x / 1000} {(i + 1) / len(v)}" for i, x in enumerate(v))
        data.append(f"$d{n} << END\n{points}\nEND")
        plots.append(f'$d{n} using 1:2 with steps lw 2.5 title "{TITLES[mode]}"')
    script = f"""
set terminal pngcairo size 1200,700 font "sans,14" background "white"
set output "{path}"
set title "{title} (GPU model)"
set logscale x
set xlabel "HIGH's latency by the event log, ms"
set ylabel "share of requests"
set yrange [0:1.02]
set grid lc rgb "#dddddd"
set key bottom right
""" + "\n".join(data) + "\nplot " + ", ".join(plots) + "\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True, stderr=subprocess.PIPE)
