#!/usr/bin/env python3
"""Read RSS or Atom feeds and show what is new since the last time. Standard library only."""
import argparse
import html
import json
import os
import re
import sys
import urllib.request
import xml.etree.ElementTree as ET

MAX_BYTES = 5_000_000
MAX_SEEN = 2_000


def local(tag):
    return tag.rsplit("}", 1)[-1]


def child(node, *names):
    for item in node:
        if local(item.tag) in names:
            if local(item.tag) == "link" and item.get("href"):
                if item.get("rel", "alternate") != "alternate":
                    continue
                return item.get("href")
            if (item.text or "").strip():
                return item.text.strip()
    return ""


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def entries(data):
    if b"<!ENTITY" in data[:10_000]:
        raise ValueError("feeds with their own entities are not read")
    root = ET.fromstring(data)
    title = plain(child(next((n for n in root.iter() if local(n.tag) == "channel"), root), "title"))
    for node in root.iter():
        if local(node.tag) in ("item", "entry"):
            name = child(node, "guid", "id")
            link = child(node, "link") or (name if name.startswith("http") else "")
            yield {
                "feed": title,
                "id": name or link,
                "title": plain(child(node, "title")),
                "link": link,
                "date": child(node, "pubDate", "published", "updated", "date"),
                "summary": plain(child(node, "description", "summary", "content", "encoded"))[:400],
            }


def load(place):
    if re.match(r"https?://", place):
        request = urllib.request.Request(place, headers={"User-Agent": "hermes-agent"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read(MAX_BYTES)
    with open(place, "rb") as file:
        return file.read(MAX_BYTES)


def main():
    parser = argparse.ArgumentParser(prog="feed.py", description=__doc__)
    parser.add_argument("feeds", nargs="+", help="addresses or files")
    parser.add_argument("--state", help="a file that remembers what was seen; only new entries are shown then")
    parser.add_argument("--limit", type=int, default=20, help="most entries of one feed")
    parser.add_argument("--match", help="only entries whose title or summary fits this pattern")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    seen = {}
    if args.state and os.path.exists(args.state):
        with open(args.state, encoding="utf-8") as file:
            seen = json.load(file)
    shown, failed = [], 0
    for place in args.feeds:
        known = seen.get(place, [])
        try:
            found = list(entries(load(place)))
        except (OSError, ET.ParseError, ValueError) as error:
            print(f"{place}: {error}", file=sys.stderr)
            failed += 1
            continue
        fresh = [e for e in found if e["id"] not in set(known)]
        if args.match:
            fresh = [e for e in fresh if re.search(args.match, e["title"] + " " + e["summary"], re.IGNORECASE)]
        shown += fresh[: args.limit]
        seen[place] = ([e["id"] for e in found] + known)[:MAX_SEEN]
    if args.state:
        with open(args.state + ".new", "w", encoding="utf-8") as file:
            json.dump(seen, file)
        os.replace(args.state + ".new", args.state)
    if args.json:
        json.dump(shown, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        for e in shown:
            print(f"- {e['title']} ({e['feed']}, {e['date']})\n  {e['link']}\n  {e['summary'][:200]}")
        if not shown:
            print("nothing new")
    sys.exit(1 if failed == len(args.feeds) else 0)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
