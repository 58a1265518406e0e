#!/usr/bin/env python3
"""Check, shift, stretch, convert and clean subtitles (.srt, .vtt), or make plain text of them. Standard library only."""
import argparse
import html
import re
import sys

TIME = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{1,3})")
ARROW = re.compile(r"^\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})\s*-->\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})(.*)$")


def seconds(text):
    hours, minutes, secs, part = TIME.fullmatch(text.strip()).groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(secs) + int(part.ljust(3, "0")) / 1000


def stamp(value, mark):
    value = max(0, round(value * 1000))
    return f"{value // 3_600_000:02}:{value // 60_000 % 60:02}:{value // 1000 % 60:02}{mark}{value % 1000:03}"


def read(path):
    with open(path, "rb") as file:
        data = file.read(20_000_000)
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    cues, lines = [], text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    i = 0
    while i < len(lines):
        found = ARROW.match(lines[i])
        i += 1
        if not found:
            continue
        body = []
        while i < len(lines) and lines[i].strip() and not ARROW.match(lines[i]):
            body.append(lines[i].rstrip())
            i += 1
        if i < len(lines) and ARROW.match(lines[i]) and body and body[-1].strip().isdigit():
            body.pop()
        cues.append([seconds(found.group(1)), seconds(found.group(2)), "\n".join(body)])
    return cues


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]+>|\{\\[^}]*\}", "", text)).split())


def write(cues, path):
    vtt = path.endswith(".vtt")
    mark = "." if vtt else ","
    out = ["WEBVTT\n"] if vtt else []
    for number, (start, end, text) in enumerate(cues, 1):
        out.append(f"{number}\n{stamp(start, mark)} --> {stamp(end, mark)}\n{text}\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))
    print(f"{path}: {len(cues)} cues")


def check(cues):
    found = []
    for n, (start, end, text) in enumerate(cues, 1):
        shown = plain(text)
        length = end - start
        where = f"{n} at {stamp(start, '.')}"
        if length <= 0:
            found.append(f"{where}: ends before it begins")
        elif len(shown) / length > 21:
            found.append(f"{where}: {len(shown) / length:.0f} characters a second")
        elif length > 8:
            found.append(f"{where}: stands for {length:.1f} s")
        if n < len(cues) and end > cues[n][0] + 0.001:
            found.append(f"{where}: overlaps the next by {end - cues[n][0]:.2f} s")
        if text.count("\n") > 1 or any(len(plain(line)) > 42 for line in text.split("\n")):
            found.append(f"{where}: more than two lines, or a line of more than 42 characters")
        if not shown:
            found.append(f"{where}: empty")
    return found


def main():
    parser = argparse.ArgumentParser(prog="subtitles.py", description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--out", help="write .srt or .vtt; without it the file is only checked")
    parser.add_argument("--shift", type=float, default=0, help="seconds to move all cues by, also negative")
    parser.add_argument("--fit", nargs=4, metavar=("IS1", "WANT1", "IS2", "WANT2"), help="two moments as they are and as they should be; everything between is stretched")
    parser.add_argument("--clean", action="store_true", help="drop empty cues, sound descriptions in brackets, and repaired overlaps")
    parser.add_argument("--text", help="write plain text, with a time at each pause of more than four seconds")
    args = parser.parse_args()
    try:
        cues = read(args.file)
    except OSError as error:
        sys.exit(str(error))
    if not cues:
        sys.exit(f"{args.file} holds no subtitles")
    if args.fit:
        is1, want1, is2, want2 = (seconds(t) for t in args.fit)
        factor = (want2 - want1) / (is2 - is1)
        cues = [[want1 + (a - is1) * factor, want1 + (b - is1) * factor, t] for a, b, t in cues]
    if args.shift:
        cues = [[a + args.shift, b + args.shift, t] for a, b, t in cues]
        cues = [c for c in cues if c[1] > 0]
    if args.clean:
        cues = [[a, b, re.sub(r"[\[(][^\])]{1,40}[\])]\s*", "", t).strip()] for a, b, t in cues]
        cues = sorted(c for c in cues if plain(c[2]))
        for this, after in zip(cues, cues[1:]):
            this[1] = min(this[1], max(this[0] + 0.3, after[0] - 0.04))
    if args.text:
        out, last = [], None
        for start, end, text in cues:
            words = plain(text)
            if not words or (out and out[-1].endswith(words)):
                continue
            if last is None or start - last > 4:
                out.append(f"\n[{stamp(start, '.')[:8]}] {words}")
            else:
                out.append(words)
            last = end
        with open(args.text, "w", encoding="utf-8") as file:
            file.write(" ".join(out).strip() + "\n")
        print(f"{args.text}: {sum(len(o.split()) for o in out)} words")
    if args.out:
        write(cues, args.out)
    problems = check(cues)
    print(f"{len(cues)} cues, {stamp(cues[0][0], '.')} to {stamp(cues[-1][1], '.')}; {len(problems)} remarks")
    for line in problems[:20]:
        print("  " + line)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
