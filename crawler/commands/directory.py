"""What only reads a crawl's directory: its tables, and a copy of it."""

from __future__ import annotations

from pathlib import Path

from crawler.commands.advice import resume_command
from crawler.commands.saying import say
from crawler.commands.tables import print_tables
from crawler.crawl.summary import read_summary
from crawler.errors import ConfigError
from crawler.observe.report import report as report_parts
from crawler.storage import INPUTS, Meta, StoreView, back_up

SLOW_URLS = 2_000_000
"""URLs from which a report takes more than a few seconds."""


def report(directory: Path, top: int) -> int:
    """Print the tables of a crawl."""
    if top < 1:
        raise ConfigError(f"--top {top}: give a positive number")
    with StoreView.read(directory) as view:
        if (urls := view.next_url_id - 1) >= SLOW_URLS:
            say(f"Counting {urls:,} URLs ...")
        clusters = [(ref.id, ref.url, size) for ref, size in view.largest_clusters(top)]
        print_tables(report_parts(read_summary(view), view.hosts(top), clusters))
    return 0


def backup(directory: Path, target: Path) -> int:
    """Copy a crawl's directory so that it can be resumed, also while it runs."""
    size = back_up(directory, target, say)
    with StoreView.read(target) as view:
        corpus = INPUTS in view.meta(Meta.IDENTITY, {})
    way = f"the same dedup command, --output {target}" if corpus else resume_command(target)
    print(f"{target}: {size:,} bytes; it can be gone on with by: {way}")
    return 0
