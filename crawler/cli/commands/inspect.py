"""All that a crawl knows of one URL, shown."""

from __future__ import annotations

from argparse import Namespace

from crawler.cluster.root import Root
from crawler.storage.directory import is_root
from crawler.storage.view import StoreView
from crawler.urls import Canonicaliser, host_key
from crawler.views import inspect as view_of
from crawler.views.render import print_facts, print_json


def inspect(args: Namespace) -> int:
    """Show where a URL came from, what became of it and why, and what its page is like."""
    directory = args.directory
    if is_root(directory):
        root = Root.open(directory)
        url = Canonicaliser()(args.url) or args.url
        directory = root.partition(root.partition_of(host_key(url)))
    with StoreView.read(directory) as view:
        found = view_of.inspect(view, args.url)
    if args.json:
        print_json(found.data)
        return 0
    print_facts(view_of.facts(found))
    for line in view_of.next_steps(found, directory):
        print(f"\n{line}")
    return 0
