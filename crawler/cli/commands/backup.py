"""A copy of a crawl's directory, taken while it runs or afterwards."""

from __future__ import annotations

from argparse import Namespace

from crawler.console import command, safe, say, shell_line
from crawler.storage.backup import back_up
from crawler.storage.directory import INPUTS, is_root
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView


def backup(args: Namespace) -> int:
    """Copy a crawl's directory so that it can be resumed, also while it runs."""
    target, again = args.target, command("resume", args.target)
    if is_root(args.directory):
        from crawler.cluster.backup import back_up_all  # with all that a judge needs
        from crawler.cluster.root import Root

        size = back_up_all(Root.open(args.directory), target, say)
    else:
        size = back_up(args.directory, target, say)
        with StoreView.read(target) as view:
            if INPUTS in view.meta(Meta.IDENTITY, {}):
                again = f"the same dedup command, {shell_line('--output', target)}"
    print(f"{safe(str(target))}: {size:,} bytes; continue it with: {again}")
    return 0
