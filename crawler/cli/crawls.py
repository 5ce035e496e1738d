"""Arguments of the commands for crawls; each function adds one command."""

from __future__ import annotations

from typing import Any

from crawler import commands
from crawler.cli import flags
from crawler.cli.command import command, examples


def crawl(sub: Any) -> None:
    """Add `crawl`."""
    crawl = command(
        sub,
        "crawl",
        help="begin a crawl",
        description="Begin a crawl from seeds.",
        epilog=examples(
            "%(prog)s --seeds seeds.txt --contact https://example.org/our-crawler",
            "%(prog)s --config job.yaml --pages 1000",
        ),
    )
    crawl.add_argument("--seeds", type=flags.path, metavar="FILE", help="seed URLs, one a line")
    crawl.add_argument("--config", type=flags.path, metavar="FILE", help="YAML job file")
    crawl.add_argument(
        "--output",
        type=flags.path,
        metavar="DIR",
        help="where everything goes (default: crawl-out)",
    )
    flags.job_flags(crawl)
    crawl.set_defaults(
        run=lambda args: commands.crawls.crawl(args.seeds, args.config, flags.overrides(args))
    )


def resume(sub: Any) -> None:
    """Add `resume`."""
    resume = command(
        sub,
        "resume",
        help="go on with a crawl that was stopped or killed",
        description="Go on with the crawl in DIR. Its job is kept there; flags and a job file "
        "change it for this and later runs.",
        epilog=examples("%(prog)s crawl-out", "%(prog)s crawl-out --pages 2000 --release all"),
    )
    resume.add_argument("directory", type=flags.path, metavar="DIR")
    resume.add_argument(
        "--config", type=flags.path, metavar="FILE", help="YAML job file in its place"
    )
    flags.job_flags(resume, begun=True)
    resume.add_argument(
        "--release",
        action="append",
        default=[],
        metavar="SUBTREE",
        help="fetch what was cut as endless after all: a subtree's name as the report has it, or "
        "its beginning, or all; may be repeated",
    )
    resume.set_defaults(
        run=lambda args: commands.crawls.resume(
            args.directory, args.config, flags.overrides(args), args.release
        )
    )


def reindex(sub: Any) -> None:
    """Add `reindex`."""
    reindex = command(
        sub,
        "reindex",
        help="bring the stored pages of a crawl to other settings",
        description="Sign every stored page of the crawl in DIR anew from its stored text, under "
        "settings that a resume could not change; those not given stay. No line of any file "
        "changes: what was decided stays decided. Stopped or killed before its end, it has changed "
        "nothing.",
        epilog=examples("%(prog)s crawl-out --config new.yaml"),
    )
    reindex.add_argument("directory", type=flags.path, metavar="DIR")
    reindex.add_argument(
        "--config", type=flags.path, metavar="FILE", help="YAML job file in its place"
    )
    flags.judging_flags(reindex, begun=True)
    flags.processes_flag(reindex)
    reindex.set_defaults(
        run=lambda args: commands.reindex.reindex(
            args.directory, args.config, flags.overrides(args)
        )
    )


def backup(sub: Any) -> None:
    """Add `backup`."""
    backup = command(
        sub,
        "backup",
        help="copy a crawl's directory, also while it runs",
        description="Copy the crawl in DIR into the new directory COPY, as it stands at one moment "
        "and while it goes on. The copy can be reported on and resumed like any other.",
        epilog=examples("%(prog)s crawl-out crawl-copy"),
    )
    backup.add_argument("directory", type=flags.path, metavar="DIR")
    backup.add_argument("target", type=flags.path, metavar="COPY")
    backup.set_defaults(run=lambda args: commands.directory.backup(args.directory, args.target))


def report(sub: Any) -> None:
    """Add `report`."""
    report = command(
        sub,
        "report",
        help="tables of a crawl, also while it runs",
        description="Print what became of every URL: verdicts by kind and host, largest clusters, "
        "failures, costs and savings, and whether the accounts add up.",
        epilog=examples("%(prog)s crawl-out --top 50"),
    )
    report.add_argument("directory", type=flags.path, metavar="DIR")
    report.add_argument(
        "--top",
        type=flags.rows,
        default=20,
        metavar="N",
        help="hosts and clusters shown (default: 20)",
    )
    report.set_defaults(run=lambda args: commands.directory.report(args.directory, args.top))


def demo(sub: Any) -> None:
    """Add `demo`."""
    demo = command(
        sub,
        "demo",
        help="crawl the bundled demo web on loopback and compare with its truth",
        description="Serve the demo web on loopback, crawl it, and set the duplicates found beside "
        "the known truth. Needs no network.",
        epilog=examples("%(prog)s", "%(prog)s --articles 3000 --output demo-large"),
    )
    demo.add_argument(
        "--output", type=flags.path, metavar="DIR", help="default: demo-out, or the next one free"
    )
    demo.add_argument(
        "--articles", type=int, default=300, metavar="N", help="size of the web (default: 300)"
    )
    demo.add_argument("--seed", type=int, default=2026, metavar="N", help="which web (2026)")
    demo.set_defaults(run=lambda args: commands.demo.demo(args.output, args.articles, args.seed))
