"""Commands over what is not the web: corpora, archives, earlier crawls, and the way out."""

from __future__ import annotations

import argparse

from crawler import commands
from crawler.choices import ExportFormat, Written
from crawler.cli.parser import (
    Parser,
    Run,
    index_flags,
    judging_flags,
    overrides,
    path,
    path_flag,
    repeated_flag,
    size,
    text_field_flag,
)


def export(parser: Parser) -> Run:
    """Write the pages of a crawl as a corpus: Parquet, JSON lines, CSV, text or Dolma.

    Write the pages that the crawl (or run of `dedup`) in DIR has stored into OUT/unique, what it
    found to be duplicates into OUT/duplicates, in files of bounded size. DIR is only read, also
    while a crawl runs or after it was killed. OUT appears when all is written.

    %(prog)s crawl-out --output corpus
    %(prog)s crawl-out --output corpus --format jsonl.zst --where verdict=new --where 'chars>=200'
    %(prog)s crawl-out --output corpus --where 'host=*.example.org' --where 'date>=2026-01-01'
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    path_flag(parser, "--output", "OUT", "the directory to make", required=True)
    parser.add_argument(
        "--format",
        choices=[one.value for one in ExportFormat],
        default=ExportFormat.PARQUET.value,
        help="what is written (parquet)",
    )
    repeated_flag(
        parser,
        *("--where", "where", "TEST"),
        "only pages that pass: language, host, date, verdict, chars, language_score or similarity, "
        "then = != < <= > >=, then a value (values of = and != with commas between)",
    )
    parser.add_argument("--markdown", action="store_true", help="the texts as Markdown, too")
    parser.add_argument(
        "--with-dropped-text",
        action="store_true",
        help="the texts of pages that were dropped, as far as they are kept: no byte copies",
    )
    parser.add_argument("--dump", metavar="NAME", help="the column dump (default: the name of DIR)")
    parser.add_argument(
        "--part-size",
        type=size,
        metavar="SIZE",
        help="a file that reaches it is followed by the next (256MiB)",
    )
    return lambda args: commands.export.export(
        args.directory,
        args.output,
        ExportFormat(args.format),
        args.where,
        (args.markdown, args.with_dropped_text, args.dump, args.part_size),
    )


def dedup(parser: Parser) -> Run:
    """Find duplicates in existing documents.

    Find duplicates in existing documents, one after another, by the same rules as a crawl: JSON
    lines (also in gzip, Zstandard or xz), Parquet, HTML and text files, or directories of these.
    The same command in the same DIR continues where it was stopped.

    %(prog)s corpus.jsonl.gz --output judged
    %(prog)s dataset/data --output judged --write rows --id-field metadata.url
    %(prog)s 2024/ --output judged-2024 --against judged-2023 --against crawl-out
    %(prog)s --plan --documents 10000000 --memory 4GB
    """
    _corpus_arguments(parser)
    _verdict_flags(parser)
    parser.add_argument(
        "--write",
        choices=[one.value for one in Written],
        help="when all is judged write, for each file that was read, one into DIR/rows and so on: "
        "its rows without the copies (rows), all with their verdicts (all), the ids that are kept "
        "(ids), or true or false for each row (flags)",
    )
    index_flags(parser)
    parser.add_argument(
        "--plan",
        action="store_true",
        help="judge nothing: show what sorted tables of N documents cost, and which are chosen",
    )
    parser.add_argument("--documents", type=int, metavar="N", help="documents to plan for")
    return lambda args: _run_dedup(parser, args)


def _run_dedup(parser: Parser, args: argparse.Namespace) -> int:
    if args.plan:
        if args.documents is None:
            parser.error("--plan needs --documents N")
        return commands.dedup.plan(args.config, overrides(args), args.documents)
    if args.documents is not None:
        parser.error("--documents is for --plan only")
    needed = {"FILE": args.files, "--output": args.output}
    if missing := [name for name, given in needed.items() if not given]:
        parser.error(f"the following arguments are required: {', '.join(missing)}")
    return commands.dedup.dedup(
        args.files,
        args.config,
        overrides(args),
        (args.text_field, args.id_field),
        args.against,
        args.skip_bad,
        Written(args.write) if args.write else None,
    )


def _corpus_arguments(parser: Parser) -> None:
    """Add what is read, and where the result goes."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="a file, a directory, or - for standard input"
    )
    path_flag(parser, "--output", "DIR", "output directory")
    text_field_flag(parser)
    parser.add_argument(
        "--id-field",
        metavar="NAME",
        help="where JSON or Parquet keeps the id (default: id where there is one, else the number "
        "of the line or row); dots lead into nested fields, as in metadata.url",
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out and count documents that cannot be read, rather than stop at the first",
    )


def _verdict_flags(parser: Parser) -> None:
    """Add how documents are judged, and against what."""
    path_flag(parser, "--config", "FILE", "YAML job file")
    judging_flags(parser)
    parser.add_argument(
        "--against",
        type=path,
        action="append",
        default=[],
        metavar="DIR|INDEX",
        help="judge against the pages of this earlier run or crawl, or of this portable index, "
        "too; may be repeated",
    )


def read(parser: Parser) -> Run:
    """Read archives (WARC, WET) as if they were crawled.

    Read archives as a crawl reads pages, in their order and without a network: what a page says,
    whether it is new. Directories are searched for archives. The same command in the same DIR
    continues where it was stopped.

    %(prog)s crawl.warc.gz --output read-out
    %(prog)s CC-MAIN-20240101-00000.warc.wet.gz --output read-out --near keep
    """
    parser.add_argument("files", nargs="+", metavar="FILE", help="an archive, or a directory")
    path_flag(parser, "--output", "DIR", "output directory", required=True)
    path_flag(parser, "--config", "FILE", "YAML job file")
    judging_flags(parser, siblings="tag")
    return lambda args: commands.read.read(args.files, args.config, overrides(args))


def reread(parser: Parser) -> Run:
    """Read the archives of a crawl again, with other settings.

    Read the archives that lie below DIR again, with the job of the crawl that is kept there; flags
    and a job file change it. The crawl itself stays as it is.

    %(prog)s crawl-out --output reread-out --config other-engine.yaml
    """
    parser.add_argument("directory", type=path, metavar="DIR")
    path_flag(parser, "--output", "DIR", "output directory", required=True)
    path_flag(parser, "--config", "FILE", "YAML job file")
    judging_flags(parser, begun=True, siblings="")
    return lambda args: commands.read.reread(args.directory, args.config, overrides(args))


def index(parser: Parser) -> Run:
    """Keep what is known of crawls in one portable file.

    Write what is needed to judge against the pages of crawls, runs of `dedup` and CDXJ files
    (digests of payloads) into one file, for `--against` of `crawl` and `dedup`: build INDEX of
    sources, add some to it, remove some by their names, show it (info), or merge several. Each
    source is a segment of its own. No text and no secret of a crawl is in it.

    %(prog)s build crawl-2024 crawl-2025 captures.cdxj.gz --output earlier.index
    %(prog)s add earlier.index crawl-2026
    %(prog)s remove earlier.index crawl-2024
    %(prog)s info earlier.index
    %(prog)s merge one.index two.index --output both.index
    """
    parser.add_argument("action", choices=["build", "add", "remove", "info", "merge"])
    parser.add_argument("paths", nargs="+", type=path, metavar="PATH", help="as the examples show")
    path_flag(parser, "--output", "FILE", "the index to write (build, merge)")
    parser.add_argument(
        "--shingles",
        action="store_true",
        help="keep all shingles, not their sketches alone (build, add): near duplicates are then "
        "compared exactly, for four times the bytes",
    )
    return lambda args: _run_index(parser, args)


def _run_index(parser: Parser, args: argparse.Namespace) -> int:
    action, paths, output = args.action, args.paths, args.output
    if (output is None) == (action in ("build", "merge")):
        needs = "needs --output FILE" if output is None else "has no --output"
        parser.error(f"{action} {needs}")
    if args.shingles and action not in ("build", "add"):
        parser.error(f"{action} has no --shingles: it was decided when a segment was built")
    first, *others = paths
    if action == "info" and others:
        parser.error("info shows one index")
    if action in ("add", "remove") and not others:
        parser.error(f"{action} needs an index, and what to {action}")
    actions = {
        "build": lambda: commands.index.build(paths, output, args.shingles),
        "add": lambda: commands.index.add(first, others, args.shingles),
        "remove": lambda: commands.index.remove(first, others),
        "info": lambda: commands.index.info(first),
        "merge": lambda: commands.index.merge(paths, output),
    }
    return actions[action]()


def lexicon(parser: Parser) -> Run:
    """Count the words of a sample of texts, for the I-Match and TF-IDF methods.

    Count in how many documents of a sample each word occurs, and write the file that
    `dedup.lexicon` of a job names. Input: JSON lines, as in a crawl's pages.jsonl, and text files.

    %(prog)s crawl-out/pages.jsonl --output lexicon.tsv
    """
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file or a directory")
    path_flag(parser, "--output", "FILE", "the lexicon to write", required=True)
    text_field_flag(parser)
    return lambda args: commands.lexicon.lexicon(args.files, args.text_field, args.output)
