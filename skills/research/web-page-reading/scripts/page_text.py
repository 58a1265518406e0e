#!/usr/bin/env python3
"""Turn a web page into readable text with headings, lists, links and tables. Standard library only."""
import argparse
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser

MAX_BYTES = 8_000_000
SKIP = {"script", "style", "noscript", "template", "svg", "iframe", "form", "button", "nav", "footer", "aside"}
BLOCK = {"p", "div", "section", "article", "main", "header", "ul", "ol", "table", "blockquote", "figure", "dl", "dt", "dd", "tr"}
VOID = {"br", "img", "hr", "meta", "link", "input", "source", "wbr", "area", "base", "col", "embed", "track"}


class Reader(HTMLParser):
    def __init__(self, base, links):
        super().__init__(convert_charrefs=True)
        self.base, self.links = base, links
        self.out, self.stack, self.title = [], [], ""
        self.hidden = 0
        self.href = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in VOID:
            if tag == "br":
                self.out.append("\n")
            elif tag == "hr" and not self.hidden:
                self.out.append("\n\n---\n\n")
            elif tag == "img" and not self.hidden and attrs.get("alt"):
                self.out.append(f"[image: {attrs['alt']}]")
            return
        hides = tag in SKIP or "hidden" in attrs or attrs.get("aria-hidden") == "true" or "display:none" in attrs.get("style", "").replace(" ", "")
        self.stack.append((tag, hides))
        if hides:
            self.hidden += 1
        if self.hidden:
            return
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.out.append("\n\n" + "#" * int(tag[1]) + " ")
        elif tag == "li":
            self.out.append("\n- ")
        elif tag in ("td", "th"):
            self.out.append(" | ")
        elif tag == "pre":
            self.out.append("\n\n```\n")
        elif tag in BLOCK:
            self.out.append("\n\n" if tag != "tr" else "\n")
        elif tag == "a":
            self.href.append(attrs.get("href", ""))

    def handle_endtag(self, tag):
        if tag not in [name for name, _ in self.stack]:
            return
        while self.stack:
            name, hides = self.stack.pop()
            if hides:
                self.hidden -= 1
            elif not self.hidden:
                if name == "pre":
                    self.out.append("\n```\n\n")
                elif name in BLOCK or re.fullmatch("h[1-6]", name):
                    self.out.append("\n\n" if name != "tr" else "")
                elif name == "a" and self.href:
                    href = self.href.pop()
                    if self.links and href and not href.startswith(("#", "javascript:")):
                        self.out.append(f" ({urllib.parse.urljoin(self.base, href)})")
            if name == tag:
                break

    def handle_data(self, data):
        inside = [name for name, _ in self.stack]
        if "title" in inside and "svg" not in inside:
            self.title += data
        elif not self.hidden and "head" not in inside:
            self.out.append(data if "pre" in inside else re.sub(r"\s+", " ", data))


def load(place):
    if not re.match(r"https?://", place):
        with open(place, "rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace"), place
    request = urllib.request.Request(place, headers={"User-Agent": "Mozilla/5.0 (compatible; hermes-agent)", "Accept": "text/html,text/plain,*/*;q=0.5"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        kind = answer.headers.get_content_type()
        if not (kind.startswith("text/") or "xml" in kind or "json" in kind):
            sys.exit(f"{place} is {kind}, not a page; download it with curl -O")
        return answer.read(MAX_BYTES).decode(answer.headers.get_content_charset() or "utf-8", "replace"), answer.url


def main():
    parser = argparse.ArgumentParser(prog="page_text.py", description=__doc__)
    parser.add_argument("page", help="address or file")
    parser.add_argument("--links", action="store_true", help="show where links lead")
    parser.add_argument("--max-chars", type=int, default=30_000)
    parser.add_argument("--start", type=int, default=0, help="begin at this character, to read on")
    args = parser.parse_args()
    try:
        source, url = load(args.page)
    except urllib.error.HTTPError as error:
        sys.exit(f"{args.page} answered {error.code} {error.reason}")
    except OSError as error:
        sys.exit(f"{args.page} cannot be read: {error}")
    if "<" in source[:2000]:
        reader = Reader(url, args.links)
        reader.feed(source)
        body = "".join(reader.out)
        title = " ".join(reader.title.split())
    else:
        body, title = source, ""
    body = re.sub(r"[ \t]+\n", "\n", body)
    body = re.sub(r"\n{3,}", "\n\n", re.sub(r"\n +", "\n", body)).strip()
    part = body[args.start : args.start + args.max_chars]
    print(f"URL: {url}\nTitle: {title}\n")
    print(part)
    left = len(body) - args.start - len(part)
    if left > 0:
        print(f"\n[{left} more characters: --start {args.start + len(part)}]")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
