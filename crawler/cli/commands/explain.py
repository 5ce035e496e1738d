"""Two documents and the evidence between them, as text, JSON or a page."""

from __future__ import annotations

from argparse import Namespace

from crawler.cli.commands import jobs
from crawler.console import say
from crawler.errors import ConfigError
from crawler.views.explain.evidence import explain as explain_pair
from crawler.views.explain.shown import as_page, described
from crawler.views.explain.subjects import open_subjects
from crawler.views.render import console, print_blocks, print_json, write_page


def explain(args: Namespace) -> int:
    """Show why two documents are, or are not, taken for duplicates."""
    if args.directory and args.output:
        args.error(f"two directories, {args.directory} and {args.output}: name one")
    directory = args.directory or args.output
    settings = jobs.of_command_line(args).dedup if args.config or args.set else None
    if args.fetch and directory is None:
        raise ConfigError("--fetch fetches pages of a crawl: name its directory first")
    fetching = say if args.fetch else None
    sides = open_subjects(tuple(args.documents), directory, settings, fetching)
    explanation = explain_pair(*sides)
    if args.html is not None:
        write_page(args.html, as_page(explanation))
    if args.json:
        print_json(explanation.data)
    elif args.html is None:
        print_blocks(console(), described(explanation))
    return 0
