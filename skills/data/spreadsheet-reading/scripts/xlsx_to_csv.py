#!/usr/bin/env python3
"""List the sheets of an .xlsx or .ods file, or write one as CSV. Standard library only; formulas give their stored values."""
import argparse
import csv
import datetime
import re
import sys
import xml.etree.ElementTree as ET
import zipfile

MAX_PART = 200_000_000
NS = {
    "m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "t": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "o": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "x": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
}
DATE_FORMATS = set(range(14, 23)) | set(range(27, 37)) | {45, 46, 47} | set(range(50, 59))


def part(book, name):
    if book.getinfo(name).file_size > MAX_PART:
        sys.exit(f"{name} is too large to be read this way")
    data = book.read(name)
    if b"<!ENTITY" in data[:5000]:
        sys.exit("the file declares entities, which are not read")
    return ET.fromstring(data)


def column_number(reference):
    number = 0
    for letter in re.match(r"[A-Z]+", reference).group():
        number = number * 26 + ord(letter) - 64
    return number - 1


def date_text(serial, base_1904):
    start = datetime.datetime(1904, 1, 1) if base_1904 else datetime.datetime(1899, 12, 30)
    try:
        moment = start + datetime.timedelta(days=serial)
    except OverflowError:
        return str(serial)
    moment = (moment + datetime.timedelta(microseconds=500_000)).replace(microsecond=0)
    if serial < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d" if moment.time() == datetime.time() else "%Y-%m-%dT%H:%M:%S")


class Xlsx:
    def __init__(self, book):
        self.book = book
        workbook = part(book, "xl/workbook.xml")
        properties = workbook.find("m:workbookPr", NS)
        self.base_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        links = {r.get("Id"): r.get("Target") for r in part(book, "xl/_rels/workbook.xml.rels")}
        self.sheets = {}
        for sheet in workbook.iter("{%s}sheet" % NS["m"]):
            target = links.get(sheet.get("{%s}id" % NS["r"]), "")
            self.sheets[sheet.get("name")] = target.lstrip("/") if target.startswith("/") else "xl/" + target
        names = book.namelist()
        self.strings = []
        if "xl/sharedStrings.xml" in names:
            for item in part(book, "xl/sharedStrings.xml").findall("m:si", NS):
                self.strings.append("".join(t.text or "" for t in item.iter("{%s}t" % NS["m"])))
        self.is_date = []
        if "xl/styles.xml" in names:
            styles = part(book, "xl/styles.xml")
            custom = {int(f.get("numFmtId")): f.get("formatCode", "") for f in styles.iter("{%s}numFmt" % NS["m"])}
            cells = styles.find("m:cellXfs", NS)
            for xf in cells if cells is not None else []:
                code = int(xf.get("numFmtId", "0"))
                plain = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", custom.get(code, ""))
                self.is_date.append(code in DATE_FORMATS or bool(re.search(r"[ymdhs]", plain, re.IGNORECASE)) and "General" not in plain)

    def value(self, cell):
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(t.text or "" for t in cell.iter("{%s}t" % NS["m"]))
        found = cell.find("m:v", NS)
        if found is None or found.text is None:
            return ""
        if kind == "s":
            return self.strings[int(found.text)]
        if kind == "b":
            return "true" if found.text == "1" else "false"
        style = int(cell.get("s", "0"))
        if kind == "n" and style < len(self.is_date) and self.is_date[style]:
            return date_text(float(found.text), self.base_1904)
        if kind == "n":
            number = float(found.text)
            return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
        return found.text

    def rows(self, name):
        last = 0
        for row in part(self.book, self.sheets[name]).iter("{%s}row" % NS["m"]):
            number = int(row.get("r", last + 1))
            for _ in range(min(number - last - 1, 10_000)):
                yield []
            last = number
            cells = []
            for cell in row.findall("m:c", NS):
                at = column_number(cell.get("r")) if cell.get("r") else len(cells)
                cells += [""] * (at - len(cells))
                cells.append(self.value(cell))
            yield cells


class Ods:
    def __init__(self, book):
        tables = part(book, "content.xml").iter("{%s}table" % NS["t"])
        self.sheets = {t.get("{%s}name" % NS["t"]): t for t in tables}

    def rows(self, name):
        repeat_row, repeat_cell = "{%s}number-rows-repeated" % NS["t"], "{%s}number-columns-repeated" % NS["t"]
        for row in self.sheets[name].iter("{%s}table-row" % NS["t"]):
            cells = []
            for cell in row:
                value = cell.get("{%s}value" % NS["o"]) or cell.get("{%s}date-value" % NS["o"])
                if value is None:
                    value = "\n".join("".join(p.itertext()) for p in cell.findall("x:p", NS))
                times = int(cell.get(repeat_cell, "1"))
                cells += [value] * (times if value else min(times, 1_000))
            while cells and cells[-1] == "":
                cells.pop()
            for _ in range(int(row.get(repeat_row, "1")) if cells else 1):
                yield cells


def main():
    parser = argparse.ArgumentParser(prog="xlsx_to_csv.py", description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--sheet", help="name or number (from 1); without it the sheets are listed")
    parser.add_argument("--out", help="default: stdout")
    args = parser.parse_args()
    try:
        book = zipfile.ZipFile(args.file)
        reader = Ods(book) if "content.xml" in book.namelist() else Xlsx(book)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        sys.exit(f"{args.file} is no .xlsx or .ods file: {error}")
    names = list(reader.sheets)
    if args.sheet is None:
        for number, name in enumerate(names, 1):
            rows = [r for r in reader.rows(name)]
            print(f"{number}. {name}: {len(rows)} rows, {max(map(len, rows), default=0)} columns; begins {rows[0][:8] if rows else []}")
        return
    name = args.sheet if args.sheet in names else (names[int(args.sheet) - 1] if args.sheet.isdigit() and 0 < int(args.sheet) <= len(names) else None)
    if name is None:
        sys.exit(f"there is no sheet {args.sheet}; there are: {', '.join(names)}")
    rows = list(reader.rows(name))
    while rows and not any(rows[-1]):
        rows.pop()
    width = max(map(len, rows), default=0)
    target = open(args.out, "w", newline="", encoding="utf-8") if args.out else sys.stdout
    with target:
        csv.writer(target, lineterminator="\n").writerows(row + [""] * (width - len(row)) for row in rows)
    if args.out:
        print(f"{args.out}: {len(rows)} rows, {width} columns")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
