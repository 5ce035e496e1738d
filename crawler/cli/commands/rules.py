"""What a crawl has learned of its sites' URLs."""

from __future__ import annotations

from argparse import Namespace

from crawler.console import say
from crawler.storage.directory import crawls_in
from crawler.storage.elsewhere import mirrors
from crawler.storage.view import NO_SITES, StoreView, refuse_corpus
from crawler.views.render import console, print_json
from crawler.views.rules import print_mirrors, print_rules, rule_data, rules_of


def rules(args: Namespace) -> int:
    """Show the rules by which URLs wait behind others, and which places show the same."""
    found, alike = [], []
    for directory in crawls_in(args.directory):
        with StoreView.read(directory) as view:
            refuse_corpus(view, NO_SITES)
            found += rules_of(view)
            alike += mirrors(view)
    if args.json:
        told = {"rules": [*map(rule_data, found)], "mirrors": [one.record() for one in alike]}
        print_json(told)
        return 0
    if alike:
        print_mirrors(console(), alike)
    if found:
        print_rules(console(), found)
    else:
        say(f"{args.directory}: no URL was foreseen to bring nothing there (`learn.urls`)")
    return 0
