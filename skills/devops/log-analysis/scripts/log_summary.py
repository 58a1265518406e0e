#!/usr/bin/env python3
"""Summarise log files: lines by level and by time, and the most frequent messages with numbers and ids taken out."""
import argparse
import gzip
import json
import re
import sys
from collections import Counter

LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|CRIT(?:ICAL)?|FATAL|PANIC|ALERT|EMERG)\b", re.IGNORECASE)
TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}|\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2})"
    r"(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?"
)
ACCESS = re.compile(r'"(?:[A-Z]+) (\S+) HTTP/[\d.]+" (\d{3})')
VARIABLE = [
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I), "<uuid>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<ip>"),
    (re.compile(r"\b(?:0x)?[0-9a-f]{12,}\b", re.I), "<hex>"),
    (re.compile(r'"[^"]{0,200}"'), '"…"'),
    (re.compile(r"\b\d+(?:[.,]\d+)?(?:ms|s|kB|MB|GB|%)?\b"), "<n>"),
]
NAMES = {"warning": "warn", "err": "error", "crit": "critical"}


def parse(line):
    if line.startswith("{"):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if isinstance(entry, dict):
            level = entry.get("level", entry.get("severity", ""))
            level = {10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal"}.get(level, str(level).lower())
            message = entry.get("msg") or entry.get("message") or entry.get("event") or line
            return str(entry.get("time") or entry.get("timestamp") or entry.get("ts") or "")[:19], NAMES.get(level, level), shape(str(message))
    time = TIME.search(line[:80])
    level = LEVEL.search(line[:200])
    found = NAMES.get(level.group(1).lower(), level.group(1).lower()) if level else ""
    access = ACCESS.search(line)
    if access and not found:
        found = {"2": "http 2xx", "3": "http 3xx", "4": "http 4xx", "5": "http 5xx"}.get(access.group(2)[0], "http")
        return (time.group(1) if time else ""), found, f"{access.group(2)} {access.group(1).split('?')[0]}"[:160]
    return (time.group(1) if time else ""), found, shape(line[time.end() :] if time else line)


def shape(message):
    for pattern, name in VARIABLE:
        message = pattern.sub(name, message)
    return " ".join(message.split())[:160]


def lines_of(path):
    opened = sys.stdin.buffer if path == "-" else gzip.open(path) if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        for raw in file:
            yield raw[:20_000].decode("utf-8", "replace").rstrip("\n")


def main():
    parser = argparse.ArgumentParser(prog="log_summary.py", description=__doc__)
    parser.add_argument("files", nargs="+", help="log files, .gz too; - for stdin")
    parser.add_argument("--level", help="only messages of this level, e.g. error")
    parser.add_argument("--match", help="only lines that fit this pattern")
    parser.add_argument("--top", type=int, default=15)
    parser.add_argument("--by", choices=["minute", "hour", "day"], default="hour")
    args = parser.parse_args()
    levels, times, shapes, first = Counter(), Counter(), Counter(), {}
    total = 0
    cut = {"minute": 16, "hour": 13, "day": 10}[args.by]
    for path in args.files:
        try:
            for line in lines_of(path):
                if not line.strip() or (args.match and not re.search(args.match, line)):
                    continue
                time, level, kind = parse(line)
                total += 1
                levels[level or "none"] += 1
                if args.level and level != args.level.lower():
                    continue
                if time:
                    times[time[: cut if time[4:5] == "-" else cut + (1 if time[2:3] == "/" else -4)]] += 1
                if kind in shapes or len(shapes) < 100_000:
                    shapes[kind] += 1
                    first.setdefault(kind, (time, line[:300]))
        except OSError as error:
            print(f"{path}: {error}", file=sys.stderr)
    print(f"{total} lines; " + ", ".join(f"{name} {n}" for name, n in levels.most_common()))
    if times:
        most = max(times.values())
        print(f"\nBy {args.by} (busiest marked):")
        for name, n in list(sorted(times.items()))[-30:]:
            print(f"  {name:16} {n:8} {'#' * max(1, round(40 * n / most))}{' <' if n == most else ''}")
    print("\nMost frequent:")
    for kind, n in shapes.most_common(args.top):
        print(f"  {n:7}  {kind}\n           first: {first[kind][0]} {first[kind][1][:120]}")
    rare = [kind for kind, n in shapes.items() if n == 1]
    print(f"\n{len(rare)} messages occur once" + (", e.g.:" if rare else ""))
    for kind in rare[:5]:
        print(f"           {first[kind][1][:140]}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
