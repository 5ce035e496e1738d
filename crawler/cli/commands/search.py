"""Search in the texts of stored pages."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from crawler.console import safe, say
from crawler.errors import ConfigError
from crawler.storage.directory import crawls_in
from crawler.storage.search import best
from crawler.storage.search import search as search_in
from crawler.storage.view import StoreView
from crawler.views.render import console, print_json, print_line


def search(args: Namespace) -> int:
    """Print the stored pages that have all words, the best first; those of all partitions."""
    top = args.top
    if top < 1:
        raise ConfigError(f"--top {top}: give a positive number")
    total, found = 0, []
    for directory in crawls_in(args.directory):
        with StoreView.read(directory) as view:
            number, hits = search_in(view, args.words, top, say)
            total += number
            found.append(hits)
    hits = best(found, top)
    if args.json:
        print_json({"pages": total, "hits": [asdict(hit) for hit in hits]})
        return 0
    terminal = console()
    for hit in hits:
        print_line(terminal, safe(hit.title or hit.url), "bold")
        print_line(terminal, f"  {safe(hit.url)} (page {hit.id})")
        print_line(terminal, f"  {safe(hit.shown)}\n")
    more = f", the best {len(hits)} shown" if total > len(hits) else ""
    print(f"{total:,} of the stored pages have {safe(' '.join(args.words))}{more}")
    return 0
