#!/usr/bin/env python3
"""Search arXiv by its public API, or read a saved answer of it. Standard library only."""
import argparse
import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ET

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"
API = "https://export.arxiv.org/api/query"


def text(node, path):
    found = node.find(path)
    return " ".join((found.text or "").split()) if found is not None else ""


def papers(xml):
    for entry in ET.fromstring(xml).iter(ATOM + "entry"):
        link = text(entry, ATOM + "id")
        yield {
            "id": link.rsplit("/abs/", 1)[-1],
            "title": text(entry, ATOM + "title"),
            "authors": [text(author, ATOM + "name") for author in entry.findall(ATOM + "author")],
            "published": text(entry, ATOM + "published")[:10],
            "updated": text(entry, ATOM + "updated")[:10],
            "category": (entry.find(ARXIV + "primary_category").get("term") if entry.find(ARXIV + "primary_category") is not None else ""),
            "comment": text(entry, ARXIV + "comment"),
            "abstract": text(entry, ATOM + "summary"),
            "url": link,
            "pdf": link.replace("/abs/", "/pdf/"),
        }


def fetch(args):
    query = {"max_results": args.limit, "start": args.start}
    if args.id:
        query["id_list"] = ",".join(args.id)
    else:
        query["search_query"] = args.query
        query["sortBy"] = {"relevance": "relevance", "new": "submittedDate", "updated": "lastUpdatedDate"}[args.sort]
        query["sortOrder"] = "descending"
    request = urllib.request.Request(API + "?" + urllib.parse.urlencode(query), headers={"User-Agent": "hermes-agent"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def main():
    parser = argparse.ArgumentParser(prog="arxiv.py", description=__doc__)
    parser.add_argument("query", nargs="?", help="arXiv's syntax, e.g. 'ti:\"state space\" AND cat:cs.LG'")
    parser.add_argument("--id", action="append", help="an arXiv id, e.g. 2312.00752; may be repeated")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--sort", choices=["relevance", "new", "updated"], default="relevance")
    parser.add_argument("--file", help="read a saved answer in place of asking")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not (args.query or args.id or args.file):
        parser.error("give a query, --id or --file")
    try:
        xml = open(args.file, "rb").read() if args.file else fetch(args)
    except OSError as error:
        sys.exit(f"arXiv cannot be reached: {error}")
    found = list(papers(xml))
    if args.json:
        json.dump(found, sys.stdout, indent=1, ensure_ascii=False)
        print()
        return
    for paper in found:
        names = ", ".join(paper["authors"][:3]) + (" et al." if len(paper["authors"]) > 3 else "")
        print(f"{paper['id']}  {paper['published']}  [{paper['category']}]  {paper['title']}\n    {names}\n    {paper['abstract'][:300]}\n")
    if not found:
        print("nothing found")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
