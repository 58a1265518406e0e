#!/usr/bin/env python3
"""Draw a bar, line or scatter chart from a CSV file as SVG. Standard library only."""
import argparse
import csv
import math
import sys
from html import escape

COLORS = ["#3366cc", "#dc3912", "#109618", "#ff9900", "#990099", "#0099c6", "#aa6633", "#777777"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 480, 80, 20, 60, 90


def number(text):
    try:
        return float(text.replace(" ", "").replace("\u00a0", ""))
    except ValueError:
        return None


def ticks(low, high, count=6):
    span = high - low or abs(high) or 1
    step = 10 ** math.floor(math.log10(span / count))
    step *= next(m for m in (1, 2, 2.5, 5, 10) if span / (step * m) <= count)
    first = math.floor(low / step) * step
    return [first + i * step for i in range(int(math.ceil((high - first) / step + 1e-9)) + 1)]


def shown(value):
    return f"{value:,.10g}" if abs(value) < 1e15 else f"{value:.3g}"


def read(args):
    source = sys.stdin if args.file == "-" else open(args.file, newline="", encoding="utf-8-sig")
    with source as file:
        rows = list(csv.DictReader(file, delimiter=args.separator))
    if not rows:
        sys.exit("there are no rows")
    names = list(rows[0])
    x = args.x or names[0]
    ys = args.y or [n for n in names if n != x and all(number(r[n] or "") is not None for r in rows)]
    for name in [x, *ys]:
        if name not in names:
            sys.exit(f"there is no column {name}; there are: {', '.join(names)}")
    if not ys:
        sys.exit("no column holds numbers only; name one with --y")
    return [r[x] or "" for r in rows], {y: [number(r[y] or "") for r in rows] for y in ys}


def draw(args, labels, series):
    values = [v for column in series.values() for v in column if v is not None]
    low, high = min(values), max(values)
    if args.kind == "bar" or args.zero:
        low, high = min(0, low), max(0, high)
    marks = ticks(low, high)
    low, high = marks[0], marks[-1]
    inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    y_of = lambda v: TOP + inner_h * (1 - (v - low) / ((high - low) or 1))
    numeric = [number(label) for label in labels]
    along = args.kind == "scatter" and all(n is not None for n in numeric)
    if along:
        x_marks = ticks(min(numeric), max(numeric))
        x_low, x_high = x_marks[0], x_marks[-1]
        x_of = lambda i: LEFT + inner_w * (numeric[i] - x_low) / ((x_high - x_low) or 1)
    else:
        x_of = lambda i: LEFT + inner_w * (i + 0.5) / len(labels)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" role="img">']
    out.append(f"<title>{escape(args.title)}</title>")
    out.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    out.append(f'<text x="{LEFT}" y="26" font-size="17" font-weight="bold">{escape(args.title)}</text>')
    for mark in marks:
        y = y_of(mark)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{"#666" if mark == 0 else "#ddd"}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{shown(mark)}</text>')
    if along:
        for mark in x_marks:
            x = LEFT + inner_w * (mark - x_low) / ((x_high - x_low) or 1)
            out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{shown(mark)}</text>')
    else:
        every = max(1, math.ceil(len(labels) / 24))
        slant = max(len(label) for label in labels) * 7 > inner_w / len(labels) * every
        for i, label in enumerate(labels):
            if i % every:
                continue
            x, y = x_of(i), HEIGHT - BOTTOM + 18
            turn = f' transform="rotate(-35 {x:.1f} {y})"' if slant else ""
            out.append(f'<text x="{x:.1f}" y="{y}" text-anchor="{"end" if slant else "middle"}"{turn}>{escape(label[:24])}</text>')
    for n, (name, column) in enumerate(series.items()):
        color = COLORS[n % len(COLORS)]
        points = [(x_of(i), v) for i, v in enumerate(column) if v is not None]
        if args.kind == "bar":
            slot = inner_w / len(labels) * 0.8
            width = slot / len(series)
            for x, v in points:
                top, foot = sorted((y_of(v), y_of(0)))
                out.append(f'<rect x="{x - slot / 2 + n * width:.1f}" y="{top:.1f}" width="{max(width - 1, 0.5):.1f}" height="{foot - top:.1f}" fill="{color}"><title>{escape(name)}: {shown(v)}</title></rect>')
        else:
            if args.kind == "line":
                path = " ".join(f"{x:.1f},{y_of(v):.1f}" for x, v in points)
                out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
            if args.kind == "scatter" or len(points) <= 40:
                out += [f'<circle cx="{x:.1f}" cy="{y_of(v):.1f}" r="3" fill="{color}"><title>{shown(v)}</title></circle>' for x, v in points]
        if len(series) > 1:
            out.append(f'<rect x="{LEFT + n * 130}" y="38" width="10" height="10" fill="{color}"/><text x="{LEFT + n * 130 + 15}" y="47">{escape(name[:16])}</text>')
    out.append(f'<text x="{LEFT}" y="{HEIGHT - 8}" fill="#666" font-size="11">{escape(args.source)}</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="chart.py", description=__doc__)
    parser.add_argument("file", help="CSV with a header; - for stdin")
    parser.add_argument("--kind", choices=["bar", "line", "scatter"], default="bar")
    parser.add_argument("--x", help="column of labels (default: the first)")
    parser.add_argument("--y", action="append", help="column of values; may be repeated (default: all with numbers)")
    parser.add_argument("--title", default="")
    parser.add_argument("--source", default="", help="small print below: where the data is from")
    parser.add_argument("--separator", default=",")
    parser.add_argument("--zero", action="store_true", help="begin a line or scatter chart at zero, too")
    parser.add_argument("--out", default="chart.svg")
    args = parser.parse_args()
    labels, series = read(args)
    svg = draw(args, labels, series)
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(svg)
    print(f"{args.out}: {len(labels)} points, {', '.join(series)}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
