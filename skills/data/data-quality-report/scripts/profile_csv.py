#!/usr/bin/env python3
"""Profile a CSV file: types, missing values, ranges, duplicates and suspicious cells. Standard library only."""
import argparse
import csv
import json
import re
import sys
from collections import Counter

MISSING = {"", "na", "n/a", "null", "none", "nan", "-", "--", "?", "unknown"}
DATE = re.compile(r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$")
DAY_FIRST = re.compile(r"^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$")
NUMBER = re.compile(r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$")
COMMA = re.compile(r"^[+-]?\d{1,3}(\.\d{3})*,\d+$")


def kind(value):
    if NUMBER.match(value):
        return "leading-zero" if re.match(r"^0\d", value) else "number"
    if DATE.match(value):
        return "date"
    if DAY_FIRST.match(value):
        return "ambiguous-date"
    if COMMA.match(value):
        return "decimal-comma"
    if value.lower() in ("true", "false", "yes", "no"):
        return "boolean"
    return "text"


class Column:
    def __init__(self, name):
        self.name, self.missing, self.blanks = name, 0, 0
        self.kinds, self.values = Counter(), Counter()
        self.low = self.high = None
        self.sum = self.square = 0.0
        self.numbers = 0
        self.capped = False

    def add(self, value):
        if value != value.strip():
            self.blanks += 1
        value = value.strip()
        if value.lower() in MISSING:
            self.missing += 1
            return
        what = kind(value)
        self.kinds[what] += 1
        if value in self.values or len(self.values) < 200_000:
            self.values[value] += 1
        else:
            self.capped = True
        if what == "number":
            number = float(value)
            self.numbers += 1
            self.sum += number
            self.square += number * number
            self.low = number if self.low is None else min(self.low, number)
            self.high = number if self.high is None else max(self.high, number)

    def report(self, rows):
        main = self.kinds.most_common(1)[0][0] if self.kinds else "empty"
        found = {
            "column": self.name,
            "kind": main,
            "missing": self.missing,
            "distinct": len(self.values),
            "top": self.values.most_common(3),
            "problems": [],
        }
        problems = found["problems"]
        if self.missing:
            problems.append(f"{100 * self.missing / rows:.1f} % missing")
        odd = {k: n for k, n in self.kinds.items() if k != main}
        if odd:
            problems.append("mixed kinds: " + ", ".join(f"{n} {k}" for k, n in odd.items()))
        if self.kinds["ambiguous-date"]:
            problems.append("dates with two readings")
        if self.blanks:
            problems.append(f"{self.blanks} with blanks around")
        if len(self.values) == 1 and not self.missing:
            problems.append("the same everywhere")
        folded = Counter()
        for value, n in self.values.items():
            folded[value.lower()] += 1
        if main == "text" and any(n > 1 for n in folded.values()):
            problems.append("same values in different case")
        if main == "number" and self.numbers > 1:
            mean = self.sum / self.numbers
            deviation = max(0.0, self.square / self.numbers - mean * mean) ** 0.5
            found.update(min=self.low, max=self.high, mean=round(mean, 4), deviation=round(deviation, 4))
            if deviation and (self.high - mean > 6 * deviation or mean - self.low > 6 * deviation):
                problems.append("extreme values")
        if not self.capped and len(self.values) == rows and rows > 1:
            found["unique"] = True
        return found


def main():
    parser = argparse.ArgumentParser(prog="profile_csv.py", description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--separator", help="default: found out")
    parser.add_argument("--encoding", default="utf-8-sig")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        with open(args.file, newline="", encoding=args.encoding) as file:
            sample = file.read(20_000)
            file.seek(0)
            separator = args.separator or max(",;\t|", key=sample.split("\n", 1)[0].count)
            reader = csv.reader(file, delimiter=separator)
            header = next(reader, [])
            columns = [Column(name.strip() or f"column {i + 1}") for i, name in enumerate(header)]
            rows, ragged, seen, doubles = 0, [], set(), 0
            for row in reader:
                rows += 1
                if len(row) != len(header):
                    ragged.append(reader.line_num)
                key = hash(tuple(row))
                doubles += key in seen
                seen.add(key)
                for column, value in zip(columns, row + [""] * (len(header) - len(row))):
                    column.add(value)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"{args.file}: {error}")
    result = {
        "file": args.file,
        "separator": separator,
        "rows": rows,
        "columns": len(header),
        "duplicate_rows": doubles,
        "ragged_lines": ragged[:20],
        "repeated_names": [n for n, c in Counter(header).items() if c > 1],
        "profile": [column.report(rows) for column in columns] if rows else [],
    }
    if args.json:
        json.dump(result, sys.stdout, indent=1, ensure_ascii=False)
        print()
        return
    print(f"{rows} rows, {len(header)} columns, separator {separator!r}")
    print(f"duplicate rows: {doubles}; lines with a wrong number of fields: {len(ragged)} {ragged[:5] if ragged else ''}")
    for column in result["profile"]:
        span = f", {column['min']:g} to {column['max']:g}, mean {column['mean']:g}" if "min" in column else ""
        top = ", ".join(f"{value[:20]!r} ({n})" for value, n in column["top"])
        print(f"\n{column['column']}: {column['kind']}, {column['distinct']} distinct{', unique' if column.get('unique') else ''}{span}\n  top: {top}")
        for problem in column["problems"]:
            print(f"  ! {problem}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
