#!/usr/bin/env python3
"""Look after a folder of Markdown notes: search, backlinks, broken links, orphans, tags. Only reads. Standard library only."""
import argparse
import os
import re
import sys
import urllib.parse
from collections import Counter, defaultdict

WIKI = re.compile(r"\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
TAG = re.compile(r"(?<![\w/&#])#([A-Za-z\u00c0-\uffff][\w/\u00c0-\uffff-]*)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
MAX_FILES = 20_000


def load(root):
    notes = {}
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in ("node_modules", "_archive"))
        for name in sorted(files):
            if name.endswith(".md") and len(notes) < MAX_FILES:
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    notes[path] = file.read(1_000_000)
    return notes


def title(path, text):
    found = re.search(r"^title:\s*(.+)$", text[:2000], re.M) or re.search(r"^#\s+(.+)$", text, re.M)
    return found.group(1).strip().strip("\"'") if found else os.path.splitext(os.path.basename(path))[0]


def links(root, notes):
    names = defaultdict(list)
    for path in notes:
        names[os.path.splitext(os.path.basename(path))[0].lower()].append(path)
    found, broken = [], []
    for path, text in notes.items():
        plain = FENCE.sub("", text)
        for target in WIKI.findall(plain):
            wanted = target.strip().lower()
            near = [p for p in names.get(os.path.basename(wanted), []) if os.path.splitext(p)[0].lower().endswith(wanted)]
            if near:
                found.append((path, near[0]))
            elif not os.path.exists(os.path.join(root, target.strip())):
                broken.append((path, f"[[{target}]]"))
        for target in LINK.findall(plain):
            if re.match(r"[a-z][a-z0-9+.-]*:|#|//", target, re.I):
                continue
            place = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(target.split("#")[0])))
            if place in notes:
                found.append((path, place))
            elif not os.path.exists(os.path.join(root, place)):
                broken.append((path, target))
    return found, broken


def main():
    parser = argparse.ArgumentParser(prog="notes.py", description=__doc__)
    parser.add_argument("folder")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="broken links, orphans, doubles, empty notes")
    commands.add_parser("tags", help="tags and how often they are used")
    sub = commands.add_parser("backlinks", help="notes that link to one")
    sub.add_argument("note")
    sub = commands.add_parser("search", help="notes that hold all words, best first")
    sub.add_argument("words", nargs="+")
    args = parser.parse_args()
    if not os.path.isdir(args.folder):
        sys.exit(f"{args.folder} is no folder")
    notes = load(args.folder)
    if args.command == "search":
        ranked = []
        for path, text in notes.items():
            low, head = text.lower(), (path + " " + title(path, text)).lower()
            counts = [low.count(w.lower()) + 10 * (w.lower() in head) for w in args.words]
            if all(counts):
                ranked.append((sum(min(c, 15) for c in counts), path, text))
        for score, path, text in sorted(ranked, key=lambda r: (-r[0], r[1]))[:20]:
            at = max(0, text.lower().find(args.words[0].lower()) - 60)
            print(f"{path}: {title(path, text)}\n    …{' '.join(text[at : at + 160].split())}…")
        print(f"{len(ranked)} of {len(notes)} notes")
        return
    if args.command == "tags":
        counts = Counter()
        for text in notes.values():
            head = re.match(r"---\n(.*?)\n---\n", text, re.S)
            listed = re.search(r"^tags:\s*\[?([^\]\n]*)\]?((?:\n\s*-\s*.+)*)", head.group(1), re.M) if head else None
            words = re.split(r"[,\n]", listed.group(1) + listed.group(2)) if listed else []
            body = FENCE.sub("", text[head.end() :] if head else text)
            counts.update({w.strip(" -\"'#\t") for w in words} | set(TAG.findall(body)))
        for tag, n in counts.most_common(100):
            if tag:
                print(f"{n:5}  {tag}")
        return
    found, broken = links(args.folder, notes)
    if args.command == "backlinks":
        wanted = args.note.lower().removesuffix(".md")
        sources = sorted({a for a, b in found if b.lower().removesuffix(".md").endswith(wanted) and a != b})
        for path in sources:
            print(f"{path}: {title(path, notes[path])}")
        print(f"{len(sources)} notes link to {args.note}")
        return
    linked = {b for a, b in found if a != b} | {a for a, b in found if a != b}
    orphans = [p for p in notes if p not in linked]
    titles = defaultdict(list)
    for path, text in notes.items():
        titles[title(path, text).lower()].append(path)
    doubles = [paths for paths in titles.values() if len(paths) > 1]
    empty = [p for p, t in notes.items() if len(re.sub(r"^---.*?^---", "", t, flags=re.S | re.M).strip()) < 20]
    for name, rows in (
        ("Broken links", [f"{a} -> {b}" for a, b in broken]),
        ("No links to or from", orphans),
        ("Same title", [", ".join(p) for p in doubles]),
        ("Nearly empty", empty),
    ):
        print(f"{name}: {len(rows)}")
        for row in rows[:25]:
            print(f"    {row}")
    print(f"{len(notes)} notes, {len(found)} links")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
