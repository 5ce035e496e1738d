"""The arguments of every command: each function adds the command of its name.

What a command does is in the module of its name in `crawler.commands` (`resume` in `crawl`).
"""

from __future__ import annotations

from typing import Any

from crawler import commands
from crawler.cli.parser import (
    Parser,
    command,
    examples,
    job_flags,
    judging_flags,
    overrides,
    path,
    path_flag,
    rows,
    text_field_flag,
)


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
    path_flag(crawl, "--seeds", "FILE", "seed URLs, one a line")
    path_flag(crawl, "--config", "FILE", "YAML job file")
    path_flag(crawl, "--output", "DIR", "where everything goes (default: crawl-out)")
    job_flags(crawl)
    crawl.set_defaults(
        run=lambda args: commands.crawl.crawl(args.seeds, args.config, overrides(args))
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
    resume.add_argument("directory", type=path, metavar="DIR")
    path_flag(resume, "--config", "FILE", "YAML job file that replaces the kept job")
    job_flags(resume, begun=True)
    resume.add_argument(
        "--release",
        action="append",
        default=[],
        metavar="SUBTREE",
        help="fetch a subtree after all that was cut as endless: its name as the report has it, "
        "the beginning of a name, or all; may be repeated",
    )
    resume.set_defaults(
        run=lambda args: commands.crawl.resume(
            args.directory, args.config, overrides(args), args.release
        )
    )


def reindex(sub: Any) -> None:
    """Add `reindex`."""
    reindex = command(
        sub,
        "reindex",
        help="sign the stored pages of a crawl anew under other settings",
        description="Sign every stored page of the crawl in DIR anew from its stored text, under "
        "settings that a resume could not change; those not given stay. No line of any file "
        "changes: what was decided stays decided. Stopped or killed before its end, it has changed "
        "nothing.",
        epilog=examples("%(prog)s crawl-out --config new.yaml"),
    )
    reindex.add_argument("directory", type=path, metavar="DIR")
    path_flag(reindex, "--config", "FILE", "YAML job file that replaces the kept job")
    judging_flags(reindex, begun=True)
    reindex.set_defaults(
        run=lambda args: commands.reindex.reindex(args.directory, args.config, overrides(args))
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
    backup.add_argument("directory", type=path, metavar="DIR")
    backup.add_argument("target", type=path, metavar="COPY")
    backup.set_defaults(run=lambda args: commands.backup.backup(args.directory, args.target))


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
    report.add_argument("directory", type=path, metavar="DIR")
    report.add_argument(
        "--top", type=rows, default=20, metavar="N", help="hosts and clusters shown (default: 20)"
    )
    report.set_defaults(run=lambda args: commands.report.report(args.directory, args.top))


def demo(sub: Any) -> None:
    """Add `demo`."""
    demo = command(
        sub,
        "demo",
        help="crawl the bundled demo web and check the duplicates it finds",
        description="Serve the demo web on loopback, crawl it, and compare the duplicates found "
        "with those that are known to be in it. Needs no network.",
        epilog=examples("%(prog)s", "%(prog)s --articles 3000 --output demo-large"),
    )
    path_flag(demo, "--output", "DIR", "default: demo-out, or the next one free")
    demo.add_argument(
        "--articles", type=int, default=300, metavar="N", help="size of the web (default: 300)"
    )
    demo.add_argument(
        "--seed", type=int, default=2026, metavar="N", help="another number, another web (2026)"
    )
    demo.set_defaults(run=lambda args: commands.demo.demo(args.output, args.articles, args.seed))


def dedup(sub: Any) -> None:
    """Add `dedup`."""
    dedup = command(
        sub,
        "dedup",
        help="judge documents that exist already",
        description="Judge existing documents in their order by the judge that crawls use: JSON "
        "lines (also in gzip, Zstandard or xz), or directories of HTML and text files. The same "
        "command in the same DIR goes on where it was stopped.",
        epilog=examples(
            "%(prog)s corpus.jsonl.gz --output judged",
            "%(prog)s 2024/ --output judged-2024 --against judged-2023 --against crawl-out",
        ),
    )
    _corpus_arguments(dedup)
    _verdict_flags(dedup)
    dedup.set_defaults(
        run=lambda args: commands.dedup.dedup(
            args.files,
            args.config,
            overrides(args),
            (args.text_field, args.id_field),
            args.against,
            args.skip_bad,
        )
    )


def _corpus_arguments(dedup: Parser) -> None:
    """Add what is read, and where the result goes."""
    dedup.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, a directory, or - for standard input"
    )
    path_flag(dedup, "--output", "DIR", "where everything goes", required=True)
    text_field_flag(dedup)
    dedup.add_argument(
        "--id-field",
        metavar="NAME",
        help="where JSON keeps the id (default: id where there is one, else the line's number)",
    )
    dedup.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out and count documents that cannot be read, rather than stop at the first",
    )


def _verdict_flags(dedup: Parser) -> None:
    """Add how documents are judged, and against what."""
    path_flag(dedup, "--config", "FILE", "YAML job file")
    judging_flags(dedup)
    dedup.add_argument(
        "--against",
        type=path,
        action="append",
        default=[],
        metavar="DIR",
        help="judge against the pages kept by this earlier run or crawl too; may be repeated",
    )


def explain(sub: Any) -> None:
    """Add `explain`."""
    explain = command(
        sub,
        "explain",
        help="show why two documents are, or are not, duplicates",
        description="Compare two documents, each a URL of the crawl in DIR (or an id of a run of "
        "`dedup`) or a file: fingerprints, similarity by every method, features, the verdict and "
        "the rule behind it, and in which passages the texts differ.",
        epilog=examples(
            "%(prog)s https://a.example/1 https://b.example/2 --output crawl-out",
            "%(prog)s one.html two.html",
        ),
    )
    explain.add_argument("documents", nargs=2, metavar="URL|FILE")
    path_flag(explain, "--output", "DIR", "where the crawl's output is")
    path_flag(explain, "--config", "FILE", "job file to judge by (default: the crawl's)")
    explain.add_argument(
        "--fetch",
        action="store_true",
        help="fetch a page again whose text the crawl did not keep (a dropped near duplicate)",
    )
    explain.add_argument("--json", action="store_true", help="print everything as JSON")
    path_flag(explain, "--html", "FILE", "write a page instead")
    explain.set_defaults(
        run=lambda args: commands.explain.explain(
            tuple(args.documents), args.output, args.config, args.fetch, args.json, args.html
        )
    )


def lexicon(sub: Any) -> None:
    """Add `lexicon`."""
    lexicon = command(
        sub,
        "lexicon",
        help="count the words of a sample of texts, for the I-Match and TF-IDF methods",
        description="Write in how many documents of a sample each word occurs: what a job's "
        "`dedup.lexicon` names. Read are JSON lines, as in a crawl's pages.jsonl, and text files.",
        epilog=examples("%(prog)s crawl-out/pages.jsonl --output lexicon.tsv"),
    )
    lexicon.add_argument("files", nargs="+", metavar="FILE", help="a file or a directory")
    path_flag(lexicon, "--output", "FILE", "the lexicon to write", required=True)
    text_field_flag(lexicon)
    lexicon.set_defaults(
        run=lambda args: commands.lexicon.lexicon(args.files, args.text_field, args.output)
    )


IN_ORDER = (crawl, resume, reindex, backup, report, demo, dedup, explain, lexicon)
"""The commands as the help lists them."""
