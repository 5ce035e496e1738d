"""Commands that show what was found, and why."""

from __future__ import annotations

import argparse

from crawler import commands
from crawler.cli.parser import (
    Parser,
    Run,
    path,
    path_flag,
    rows,
)


def report(parser: Parser) -> Run:
    """Print tables of a crawl, even while it runs, or write a page to look at.

    Print how every URL ended: verdicts by kind and host, largest clusters, failures, costs and
    savings, and whether the counts agree. --html writes one self-contained page with charts, the
    clusters with their texts side by side, and a list of all copies to search in.

    %(prog)s crawl-out --top 50
    %(prog)s crawl-out --html report.html
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument(
        "--top", type=rows, default=20, metavar="N", help="hosts and clusters shown (default: 20)"
    )
    path_flag(parser, "--html", "FILE", "write a page to look at instead of printing tables")
    parser.add_argument("--json", action="store_true", help="print everything as JSON instead")
    return lambda args: commands.report.report(args.directory, args.top, args.html, args.json)


def inspect(parser: Parser) -> Run:
    """Show all that a crawl knows of one URL, even while it runs.

    Show which pages led to URL, what robots.txt says of it, what became of it and why, and which
    pages are its copies or siblings; of one that was never queued, the rule that refuses it. URL
    may be the id of a stored page.

    %(prog)s crawl-out https://site.example/a
    %(prog)s crawl-out 42 --json
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return lambda args: commands.inspect.inspect(args.directory, args.url, args.json)


def query(parser: Parser) -> Run:
    """Ask the state of a crawl by SQL, even while it runs.

    Run one SELECT of SQLite on the views of a crawl: urls, pages, duplicates, failures, skipped,
    hosts and others; without SQL they are listed with their columns. It reads these and nothing
    else. Texts and titles are in the line files.

    %(prog)s crawl-out
    %(prog)s crawl-out "SELECT host, failures FROM hosts ORDER BY failures DESC LIMIT 10"
    %(prog)s crawl-out "SELECT url FROM urls WHERE state = 'pending'" --csv
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument("sql", nargs="?", metavar="SQL")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print an object a line")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    return lambda args: commands.query.query(args.directory, args.sql, args.json, args.csv)


def templates(parser: Parser) -> Run:
    """Show what was learned of each site's template.

    A crawl learns which zones of a site's pages are text and which are surroundings, and reads
    further pages by that. List the hosts of which a template was learned; or the zones of one host,
    kept and left out, each with an example; or write a page that paints them on pages of the host.

    %(prog)s crawl-out
    %(prog)s crawl-out www.example.org
    %(prog)s crawl-out www.example.org --html template.html
    %(prog)s crawl-out www.example.org --html template.html --page saved.html
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument("host", nargs="?", metavar="HOST")
    path_flag(parser, "--html", "FILE", "write a page that paints zones on pages of HOST")
    path_flag(parser, "--page", "FILE", "paint this HTML file (default: stored pages)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return lambda args: commands.templates.templates(
        args.directory, args.host, args.html, args.page, args.json
    )


def explain(parser: Parser) -> Run:
    """Show why two documents are, or are not, duplicates.

    Compare two documents, each a page of the crawl in DIR (its URL, or its id in pages.jsonl), a
    document of the run of `dedup` in DIR (its id) or a file: the verdict and the rule behind it, in
    which passages the texts differ, and then the numbers: similarity by every method, fingerprints,
    features.

    %(prog)s 17 42 --output crawl-out
    %(prog)s https://a.example/1 https://b.example/2 --output crawl-out
    %(prog)s one.html two.html
    """
    parser.add_argument("documents", nargs=2, metavar="ID|URL|FILE")
    path_flag(parser, "--output", "DIR", "where the crawl's output is")
    path_flag(parser, "--config", "FILE", "job file to judge by (default: the crawl's)")
    parser.add_argument(
        "--fetch",
        action="store_true",
        help="fetch a dropped page again whose text was not kept (dedup.keep_dropped: false)",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    path_flag(parser, "--html", "FILE", "write a page instead")
    return lambda args: commands.explain.explain(
        tuple(args.documents), args.output, args.config, args.fetch, args.json, args.html
    )


def audit(parser: Parser) -> Run:
    """Check a random sample of what was dropped by eye, and estimate the errors.

    Draw dropped near duplicates, pages dropped for the same text, and siblings of the crawl (or run
    of `dedup`) in DIR at random, and write a page that shows each beside the page that it is said
    to be like. Mark the pairs there; from the exported marks the share of wrong verdicts in the
    whole crawl is estimated.

    %(prog)s crawl-out
    %(prog)s crawl-out --marks marks.jsonl
    %(prog)s crawl-out --terminal --sample 20
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument("--sample", type=int, metavar="N", help="number of pairs (50)")
    parser.add_argument(
        "--siblings", type=int, metavar="N", help="how many of them are siblings (half)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="another number, another sample (1)")
    path_flag(parser, "--output", "FILE", "the page to write (audit.html)")
    parser.add_argument(
        "--terminal",
        action="store_true",
        help="show the pairs here instead, and ask; answers are kept in --marks (marks.jsonl)",
    )
    path_flag(parser, "--marks", "FILE", "estimate from these marks; no page is written")
    return lambda args: _run_audit(parser, args)


def _run_audit(parser: Parser, args: argparse.Namespace) -> int:
    drawing = {"--sample": args.sample, "--siblings": args.siblings, "--output": args.output}
    given = [flag for flag, value in drawing.items() if value is not None]
    sample = (args.directory, args.sample, args.siblings, args.seed)
    if args.terminal:
        if "--output" in given:
            parser.error("--output is for a page: leave it out, or --terminal")
        return commands.audit.in_terminal(*sample, args.marks)
    if args.marks is None:
        return commands.audit.audit(*sample, args.output)
    if given:
        parser.error(f"{', '.join(given)} cannot go with --marks, which draws no sample")
    return commands.audit.estimate(args.directory, args.marks, args.seed)
