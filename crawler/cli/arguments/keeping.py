"""Commands that keep a directory in order: its failures, drops, indexes, copies, damage."""

from __future__ import annotations

import argparse

from crawler import commands
from crawler.cli.parser import (
    Parser,
    Run,
    duration,
    judging_flags,
    overrides,
    path,
    path_flag,
    repeated_flag,
    seed_flags,
)
from crawler.records import Evidence


def add(parser: Parser) -> Run:
    """Add seeds to a crawl that has begun.

    Queue URLs as further seeds of the crawl in DIR, which must not be running: the next `resume`
    fetches them, and their hosts are in scope from then on. What the crawl knows already stays as
    it is; what its job excludes is named.

    %(prog)s crawl-out https://site.example/new/
    %(prog)s crawl-out --seeds more.txt
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    seed_flags(parser, "where to go on from")
    return lambda args: commands.add.add(args.directory, args.urls, args.seeds, args.skip_bad)


def retry(parser: Parser) -> Run:
    """Put failed URLs of a crawl back, so that `resume` asks for them again.

    Put URLs of the crawl in DIR that failed back to pending: without --class those whose failure
    may pass by itself (timeouts, no connection, no such name, 429, 5xx, broken answers). Their
    lines stay in failures.jsonl. The next `resume` asks for them again.

    %(prog)s crawl-out
    %(prog)s crawl-out --class http-5xx --class timeout-body --host a.example --older-than 6h
    %(prog)s crawl-out --class robots-unreachable --dry-run
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    repeated_flag(
        parser,
        *("--class", "classes", "CLASS"),
        "a class as in failures.jsonl, a reason as in skipped.jsonl, or all (every failure)",
    )
    repeated_flag(parser, "--host", "hosts", "HOST", "only URLs of this host")
    parser.add_argument(
        "--older-than",
        type=duration,
        metavar="AGE",
        help="only what failed so long ago: 90s, 30m, 6h",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be put back")
    return lambda args: commands.retry.retry(
        args.directory, args.classes, args.hosts, args.older_than, args.dry_run
    )


def purge(parser: Parser) -> Run:
    """Remove everything of a host from a crawl.

    Remove the URLs, pages, texts and lines of a host from the crawl in DIR, which must not be
    running, and exclude the host from its job. Pages of other hosts that were dropped as copies of
    those are pending again: the next `resume` fetches them. Archives and exports stay as they are.

    %(prog)s crawl-out --host www.example.org --dry-run
    %(prog)s crawl-out --host www.example.org --yes
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    repeated_flag(parser, "--host", "hosts", "HOST", "the host, as `report` names it")
    parser.add_argument("--yes", action="store_true", help="do it; it cannot be undone")
    parser.add_argument("--dry-run", action="store_true", help="show what would be removed")
    parser.add_argument(
        "--keep-archives",
        action="store_true",
        help="do it although WARC files keep what they have of the host",
    )
    return lambda args: _run_purge(parser, args)


def _run_purge(parser: Parser, args: argparse.Namespace) -> int:
    if not args.hosts:
        parser.error("name what to remove: --host HOST")
    if args.yes and args.dry_run:
        parser.error("--yes and --dry-run: give one of them")
    return commands.purge.purge(
        args.directory,
        args.hosts,
        yes=args.yes,
        dry_run=args.dry_run,
        keep_archives=args.keep_archives,
    )


def restore(parser: Parser) -> Run:
    """Store pages that a crawl dropped as duplicates or siblings.

    Undo drops: store pages that the crawl in DIR dropped, from what it kept of them; exact copies
    too, those to the byte from the page that they equal. Give their URLs, or the stored page that
    they were dropped for, or the evidence they were dropped on. The crawl must not be running.

    %(prog)s crawl-out https://a.example/2 https://a.example/3
    %(prog)s crawl-out --evidence same-text --dry-run
    %(prog)s crawl-out --cluster 12 --evidence same-text
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument("urls", nargs="*", metavar="URL", help="a page that was dropped")
    parser.add_argument(
        "--cluster",
        type=int,
        action="append",
        default=[],
        metavar="ID",
        help="all that was dropped for the stored page with this id, exact copies included; may be "
        "repeated",
    )
    parser.add_argument(
        "--evidence",
        choices=[code.value for code in Evidence],
        action="append",
        default=[],
        metavar="CODE",
        help="all near duplicates and siblings that were dropped on this evidence, with --cluster "
        f"only such for these pages; may be repeated: {', '.join(Evidence)}",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list what would be restored, change nothing"
    )
    return lambda args: _run_restore(parser, args)


def _run_restore(parser: Parser, args: argparse.Namespace) -> int:
    chosen = bool(args.cluster or args.evidence)
    if not (args.urls or chosen):
        parser.error("name what to restore: a URL, --cluster ID or --evidence CODE")
    if args.urls and chosen:
        parser.error("give URLs, or --cluster and --evidence, not both")
    asked = commands.restore.Asked(args.urls, args.cluster, args.evidence)
    return commands.restore.restore(args.directory, asked, args.dry_run)


def reindex(parser: Parser) -> Run:
    """Compute new fingerprints for the stored pages of a crawl, with other settings.

    Compute new fingerprints for every stored page of the crawl in DIR from its stored text, for
    settings that `resume` cannot change. Settings that are not given stay as they are. Verdicts and
    output lines do not change. If it is stopped or killed, nothing has changed.

    %(prog)s crawl-out --config new.yaml
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    path_flag(parser, "--config", "FILE", "YAML job file that replaces the stored job")
    judging_flags(parser, begun=True)
    return lambda args: commands.reindex.reindex(args.directory, args.config, overrides(args))


def backup(parser: Parser) -> Run:
    """Copy a crawl's directory, also while it runs.

    Copy the crawl in DIR into the new directory COPY, in its state at one moment, even while it
    runs. `report` and `resume` work on the copy.

    %(prog)s crawl-out crawl-copy
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument("target", type=path, metavar="COPY")
    return lambda args: commands.backup.backup(args.directory, args.target)


def check(parser: Parser) -> Run:
    """Look for damage in the directory of a crawl, even while it runs.

    Verify the directory of a crawl or of a run of `dedup`: the state file, every line, all counts,
    what copies refer to, texts and what is kept of dropped pages. Changes nothing. Exit code 0: it
    is sound; 1: damage was found, each with its place and the way out; 2: no crawl is there.

    %(prog)s crawl-out
    %(prog)s crawl-out --all
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    parser.add_argument(
        "--all",
        action="store_true",
        help="compute the fingerprint of every stored page again, not of a sample",
    )
    return lambda args: commands.check.check(args.directory, args.all)
