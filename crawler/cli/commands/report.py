"""What became of a crawl: as tables, as a page, or as data for machines."""

from __future__ import annotations

from argparse import Namespace

from crawler.console import command, progress, say
from crawler.errors import ConfigError
from crawler.storage.summary import read_summary
from crawler.storage.view import StoreView, largest_clusters, largest_hosts
from crawler.views.render import console, print_json, write_page
from crawler.views.report.figures import gather
from crawler.views.report.page import as_page
from crawler.views.report.tables import can_be_audited, print_report
from crawler.views.report.tables import report as report_parts

MOST_ON_A_PAGE = 200
"""Clusters with their texts: 20 kB each."""
SLOW_URLS = 2_000_000
"""URLs from which a report takes more than a few seconds."""


def report(args: Namespace) -> int:
    """Print the tables of a crawl, or write its page, or print all figures."""
    top, html = args.top, args.html
    if top < 1:
        raise ConfigError(f"--top {top}: give a positive number")
    if html is not None and top > MOST_ON_A_PAGE:
        raise ConfigError(f"--top {top}: a page shows at most {MOST_ON_A_PAGE} clusters")
    with StoreView.read(args.directory) as view:
        if html is not None or args.json:
            figures = gather(view, top, say)
            if html is not None:
                write_page(html, as_page(figures))
            if args.json:
                print_json(figures.as_json())
            return 0
        if (urls := view.next_url_id - 1) >= SLOW_URLS:
            say(progress(f"Counting {urls:,} URLs ..."))
        clusters = [(ref.id, ref.url, size) for ref, size in largest_clusters(view, top)]
        families = [
            (ref.id, ref.url, size) for ref, size in largest_clusters(view, top, of_siblings=True)
        ]
        summary = read_summary(view)
        parts = report_parts(summary, largest_hosts(view, top), clusters, families)
        print_report(console(), parts)
    if can_be_audited(summary):
        print(f"To check by eye: {command('audit', args.directory)}")
    return 0
