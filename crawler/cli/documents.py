"""Arguments of the commands for documents and texts; each function adds one command."""

from __future__ import annotations

import argparse
from typing import Any

from crawler import commands
from crawler.choices import IndexDesign
from crawler.cli import flags
from crawler.cli.command import Parser, command, examples


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
            "%(prog)s --plan --documents 10000000 --memory 4GB",
        ),
    )
    _corpus_arguments(dedup)
    _verdict_flags(dedup)
    _index_flags(dedup)
    dedup.set_defaults(run=lambda args: _run_dedup(dedup, args))


def _run_dedup(dedup: Parser, args: argparse.Namespace) -> int:
    if args.plan:
        if args.documents is None:
            dedup.error("--plan needs --documents N")
        return int(commands.documents.plan(args.config, flags.overrides(args), args.documents))
    if args.documents is not None:
        dedup.error("--documents is for --plan only")
    needed = {"FILE": args.files, "--output": args.output}
    if missing := [name for name, given in needed.items() if not given]:
        dedup.error(f"the following arguments are required: {', '.join(missing)}")
    return int(
        commands.documents.dedup(
            args.files,
            args.config,
            flags.overrides(args),
            (args.text_field, args.id_field),
            args.against,
            args.skip_bad,
        )
    )


def _corpus_arguments(dedup: Parser) -> None:
    """Add what is read, and where the result goes."""
    dedup.add_argument(
        "files", nargs="*", metavar="FILE", help="a file, a directory, or - for standard input"
    )
    dedup.add_argument("--output", type=flags.path, metavar="DIR", help="where everything goes")
    flags.text_field_flag(dedup)
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
    """Add how documents are judged, against what, and by how many processes."""
    dedup.add_argument("--config", type=flags.path, metavar="FILE", help="YAML job file")
    flags.judging_flags(dedup)
    dedup.add_argument(
        "--against",
        type=flags.path,
        action="append",
        default=[],
        metavar="DIR",
        help="judge against the pages kept by this earlier run or crawl too; may be repeated",
    )
    flags.processes_flag(dedup)


def _index_flags(dedup: Parser) -> None:
    """Add how near fingerprints are found, and what that costs."""
    dedup.add_argument(
        "--distance",
        type=int,
        metavar="K",
        help="most bits in which a fingerprint may differ to propose a candidate (3)",
    )
    dedup.add_argument(
        "--index",
        choices=[design.value for design in IndexDesign],
        help="how near fingerprints are found: by a block index (blocks, the default) or by sorted "
        "tables; the verdicts are the same",
    )
    dedup.add_argument(
        "--memory",
        type=flags.size,
        metavar="SIZE",
        help="what the sorted tables may take, as in 512MB or 4GiB (no limit)",
    )
    dedup.add_argument(
        "--plan",
        action="store_true",
        help="judge nothing: show what sorted tables of N documents cost, and which are chosen",
    )
    dedup.add_argument("--documents", type=int, metavar="N", help="documents to plan for")


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
    explain.add_argument(
        "--output", type=flags.path, metavar="DIR", help="where the crawl's output is"
    )
    explain.add_argument(
        "--config",
        type=flags.path,
        metavar="FILE",
        help="job file to judge by (default: the crawl's)",
    )
    explain.add_argument(
        "--fetch",
        action="store_true",
        help="fetch a page again whose text the crawl did not keep (a dropped near duplicate)",
    )
    explain.add_argument("--json", action="store_true", help="print everything as JSON")
    explain.add_argument("--html", type=flags.path, metavar="FILE", help="write a page instead")
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
    lexicon.add_argument(
        "--output", type=flags.path, required=True, metavar="FILE", help="the lexicon to write"
    )
    flags.text_field_flag(lexicon)
    lexicon.set_defaults(
        run=lambda args: commands.lexicon.lexicon(args.files, args.text_field, args.output)
    )
