#!/usr/bin/env python3
"""Draws the results of benchmark runs as an SVG bar chart.

usage: benchmarks/plot.py RESULTS [-o FILE.svg] [--title TEXT]

RESULTS is one of:

- a file of benchmarks/results: a JSON object with `title`, `unit`, and `rows`,
  each with a `case` and `values`, a number for each bar;
- the output of `benchmarks/run.py --json`, with or without --against: one JSON
  object per line. Each spec becomes a bar, its median share of the FMA peak.

A missing value draws no bar. Without -o the SVG goes to the standard output.
"""

import argparse
import json
import os
import statistics
import sys
from xml.sax.saxutils import escape

COLORS = ("#1f6feb", "#8b949e", "#d29922", "#2da44e", "#a371f7", "#cf222e")
LABELS, BARS, NUMBERS = 230, 430, 60  # widths of the three columns
BAR, GAP, LINE = 14, 10, 20


def from_lines(records):
    """Chart of the lines that run.py --json prints."""
    rows = []
    for record in records:
        share = record["percent_of_peak"]
        name = record.get("name") or os.path.splitext(record["spec"])[0]
        rows.append({"case": name, "values": {"attnc": statistics.median(share) if isinstance(share, list) else share}})
    return {"title": "attnc", "unit": "% of the FMA peak", "rows": rows}


def load(path):
    """The chart of a file. Raises ValueError with the reason if it has none."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        chart = json.loads(text)
        if "rows" not in chart:
            chart = from_lines([chart])
    except json.JSONDecodeError:
        chart = from_lines([json.loads(line) for line in text.splitlines() if line.strip()])
    if not chart["rows"]:
        raise ValueError("no rows")
    for row in chart["rows"]:
        for name, value in row["values"].items():
            if value is not None and (not isinstance(value, (int, float)) or value < 0):
                raise ValueError(f"{row['case']}: {name} is {value!r}, expected a number of at least 0 or null")
    return chart


def text(x, y, content, anchor="start", weight="normal"):
    return (f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}" '
            f'font-family="sans-serif" font-size="12" fill="#24292f">{escape(content)}</text>')


def draw(chart):
    """The SVG of a chart: one group of horizontal bars per row."""
    names = list(dict.fromkeys(name for row in chart["rows"] for name in row["values"]))
    colors = {name: COLORS[i % len(COLORS)] for i, name in enumerate(names)}
    values = [v for row in chart["rows"] for v in row["values"].values() if v is not None]
    scale = BARS / (max(values, default=0) or 1)
    width = LABELS + BARS + NUMBERS
    out = [text(GAP, LINE, f"{chart['title']} ({chart['unit']})", weight="bold")]
    y = 2 * LINE
    if len(names) > 1:
        x = GAP
        for name in names:
            out.append(f'<rect x="{x}" y="{y - 10}" width="10" height="10" fill="{colors[name]}"/>')
            out.append(text(x + 14, y, name))
            x += 14 + 8 * len(name) + GAP
        y += LINE
    for row in chart["rows"]:
        bars = [(n, v) for n, v in row["values"].items() if v is not None]
        out.append(text(LABELS - GAP, y + BAR * len(bars) / 2 + 4, row["case"], anchor="end"))
        for name, value in bars:
            out.append(f'<rect x="{LABELS}" y="{y}" width="{value * scale:.1f}" height="{BAR - 2}" fill="{colors[name]}"/>')
            out.append(text(round(LABELS + value * scale + 4, 1), y + BAR - 4, f"{value:.1f}"))
            y += BAR
        y += GAP
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}">',
                      f'<rect width="{width}" height="{y}" fill="#ffffff"/>', *out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("results")
    parser.add_argument("-o", metavar="FILE", dest="output")
    parser.add_argument("--title")
    options = parser.parse_args()
    try:
        chart = load(options.results)
    except (OSError, ValueError) as error:
        sys.exit(f"plot.py: {options.results}: {error}")
    except (KeyError, TypeError, AttributeError) as error:
        sys.exit(f"plot.py: {options.results}: not a result of a benchmark: {error}")
    if options.title:
        chart["title"] = options.title
    if not options.output:
        sys.stdout.write(draw(chart))
        return
    with open(options.output, "w", encoding="utf-8") as f:
        f.write(draw(chart))


if __name__ == "__main__":
    main()
