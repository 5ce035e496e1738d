"""What a crawl has learned of its sites' URLs."""

from __future__ import annotations

from argparse import Namespace

from crawler.console import say
from crawler.storage.view import StoreView
from crawler.views.render import console, print_json
from crawler.views.rules import print_rules, rule_data, rules_of


def rules(args: Namespace) -> int:
    """Show the rules by which URLs wait behind others."""
    with StoreView.read(args.directory) as view:
        found = rules_of(view)
        if args.json:
            print_json(list(map(rule_data, found)))
        elif found:
            print_rules(console(), found)
        else:
            say(f"{view.directory}: no URL was foreseen to bring nothing there (`learn.urls`)")
    return 0
