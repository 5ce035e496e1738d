"""What became of a crawl: as tables, as a page, or as data for machines."""

from __future__ import annotations

from argparse import Namespace

from crawler.console import command, progress, say
from crawler.errors import ConfigError
from crawler.observe.summary import together
from crawler.storage.directory import crawls_in
from crawler.storage.summary import read_summary
from crawler.storage.view import AlikeAs, StoreView, largest_clusters, largest_hosts
from crawler.views.render import console, print_json, write_page
from crawler.views.report.figures import gather, is_of_corpus
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
    directories = crawls_in(args.directory)
    is_whole = directories == [args.directory]
    if html is not None and not is_whole:
        raise ConfigError("--html takes the directory of one partition, such as DIR/p000")
    summaries, hosts, clusters, families = [], [], [], []
    for directory in directories:
        with StoreView.read(directory) as view:
            if is_whole and (html is not None or args.json):
                figures = gather(view, top, say)
                if html is not None:
                    write_page(html, as_page(figures))
                if args.json:
                    print_json(figures.as_json())
                return 0
            if is_whole and (urls := view.next_url_id - 1) >= SLOW_URLS:
                say(progress(f"Counting {urls:,} URLs ..."))
            of_corpus = is_of_corpus(view)
            summaries.append(read_summary(view))
            hosts += largest_hosts(view, top)
            clusters += largest_clusters(view, top)  # of partitions those within one
            families += largest_clusters(view, top, AlikeAs.SIBLING)
    summary = summaries[0] if is_whole else together(summaries)
    if args.json:
        print_json(summary)
        return 0
    hosts.sort(key=lambda host: (-sum(host[1].values()), host[0]))
    told = (sorted(some, key=lambda of: -of[1])[:top] for some in (clusters, families))
    words = {"with_costs": args.verbose, "of_corpus": of_corpus}
    print_report(console(), report_parts(summary, args.directory, hosts[:top], *told, **words))
    if is_whole and can_be_audited(summary):
        print(f"To check by eye: {command('audit', args.directory)}")
    return 0
