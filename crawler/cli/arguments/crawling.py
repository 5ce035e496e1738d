"""Commands that ask the web: begin, go on, visit again; and the demo."""

from __future__ import annotations

from crawler import commands
from crawler.cli.parser import (
    Parser,
    Run,
    count,
    job_flags,
    live_flag,
    metrics_flag,
    overrides,
    path,
    path_flag,
    seed_flags,
    verbose_flag,
)


def crawl(parser: Parser) -> Run:
    """Begin a crawl.

    Begin a crawl from seeds.

    %(prog)s https://site.example/ --pages 500
    %(prog)s --seeds seeds.txt --contact https://example.org/our-crawler
    %(prog)s --config job.yaml --pages 1000
    %(prog)s --config job.yaml --resume-if-begun
    """
    seed_flags(parser, "where to begin")
    path_flag(parser, "--config", "FILE", "YAML job file")
    path_flag(parser, "--output", "DIR", "output directory (default: crawl-out)")
    job_flags(parser)
    metrics_flag(parser)
    live_flag(parser)
    verbose_flag(parser)
    parser.add_argument(
        "--resume-if-begun",
        action="store_true",
        help="continue the crawl in the output directory, with the job given here, if one has "
        "begun there: the one command for a service",
    )
    return lambda args: commands.crawl.crawl(
        args.urls,
        args.seeds,
        args.config,
        overrides(args),
        go_on=args.resume_if_begun,
        skip_bad=args.skip_bad,
        metrics=args.metrics,
        live=args.live,
    )


def dry_run(parser: Parser) -> Run:
    """Show what a crawl would fetch, and by which rule it would leave out the rest.

    Fetch a few pages as the crawl would, politely, and show what would become of all that they
    link to: fetched, or refused by scope, patterns or robots.txt; then which pauses hosts want, and
    how long they take. Nothing is kept. With --check only the URLs of a list are judged by the
    job's rules, without a network.

    %(prog)s https://site.example/
    %(prog)s --config job.yaml --sample 50
    %(prog)s --config job.yaml --check urls.txt
    """
    seed_flags(parser, "where to begin")
    path_flag(parser, "--config", "FILE", "YAML job file")
    job_flags(parser)
    parser.add_argument(
        "--sample", type=count, default=10, metavar="N", help="pages fetched at most (default: 10)"
    )
    parser.add_argument(
        "--show", type=count, default=5, metavar="N", help="URLs of each fate shown (default: 5)"
    )
    path_flag(parser, "--check", "FILE", "judge these URLs, one on each line, - is standard input")
    parser.add_argument("--json", action="store_true", help="print an object for each URL")
    return lambda args: commands.dry_run.dry_run(
        args.urls,
        args.seeds,
        args.config,
        overrides(args),
        skip_bad=args.skip_bad,
        check=args.check,
        sample=args.sample,
        most=args.show,
        as_json=args.json,
    )


def resume(parser: Parser) -> Run:
    """Continue a crawl that was stopped, killed or limited.

    Continue the crawl in DIR. Its job is stored there; flags and a job file change it for this and
    later runs.

    %(prog)s crawl-out
    %(prog)s crawl-out --pages 2000 --release all
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    path_flag(parser, "--config", "FILE", "YAML job file that replaces the stored job")
    job_flags(parser, begun=True)
    metrics_flag(parser)
    live_flag(parser)
    verbose_flag(parser)
    parser.add_argument(
        "--release",
        action="append",
        default=[],
        metavar="SUBTREE",
        help="fetch a subtree that was cut as endless: its name in the report, the beginning of "
        "the name, or all; may be repeated",
    )
    return lambda args: commands.crawl.resume(
        args.directory, args.config, overrides(args), args.release, args.metrics, args.live
    )


def recrawl(parser: Parser) -> Run:
    """Visit the pages of a finished crawl again, and tell what has changed.

    Ask again for the pages of the crawl (or recrawl) in DIR, only if they have changed where the
    server can tell, and keep what is new in a directory of its own. DIR does not change. What
    became of each page is in changes.jsonl; `resume` goes on with a recrawl that was stopped.

    %(prog)s crawl-out --due
    %(prog)s crawl-out.r1 --due --known-only
    %(prog)s crawl-out --all --output crawl-out.new
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--due",
        action="store_true",
        help="only pages whose time has come, by how often they changed (the default)",
    )
    which.add_argument("--all", action="store_true", help="every page")
    parser.add_argument(
        "--known-only", action="store_true", help="ask for no URL that is new (default: in scope)"
    )
    parser.add_argument(
        "--pending",
        action="store_true",
        help="also URLs that earlier directories left pending (default: `resume` them there)",
    )
    # Not the key of the job: DIR is where that is found.
    parser.add_argument(
        "--output",
        dest="into",
        type=path,
        metavar="DIR",
        help="new directory (default: DIR.r1, of DIR.r1 it is DIR.r2)",
    )
    job_flags(parser, begun=True)
    metrics_flag(parser)
    live_flag(parser)
    verbose_flag(parser)
    return lambda args: commands.recrawl.recrawl(
        args.directory,
        args.into,
        overrides(args),
        due_only=not args.all,
        known_only=args.known_only,
        pending=args.pending,
        metrics=args.metrics,
        live=args.live,
    )


def demo(parser: Parser) -> Run:
    """Crawl the bundled demo web and check the duplicates found.

    Serve the demo web on loopback, crawl it, and compare the duplicates found with those that are
    known to be in it. Needs no network.

    %(prog)s
    %(prog)s --articles 3000 --output demo-large
    """
    path_flag(parser, "--output", "DIR", "default: demo-out, or the next one free")
    parser.add_argument(
        "--articles", type=int, default=300, metavar="N", help="size of the web (default: 300)"
    )
    parser.add_argument(
        "--seed", type=int, default=2026, metavar="N", help="another number, another web (2026)"
    )
    verbose_flag(parser)
    return lambda args: commands.demo.demo(args.output, args.articles, args.seed)
