"""The arguments of every command: each function adds those of the command of its name."""

from __future__ import annotations

import argparse

from crawler.cli import commands
from crawler.cli.parser import (
    Parser,
    Run,
    count,
    duration,
    index_flags,
    job_flags,
    judging_flags,
    live_flag,
    metrics_flag,
    overrides,
    path,
    path_flag,
    repeated_flag,
    rows,
    seed_flags,
    size,
    text_field_flag,
    verbose_flag,
)
from crawler.models import Evidence
from crawler.models.enums import ExportFormat, Written


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


# The arguments of every command: each function adds those of the command of its name.
#
# Its docstring is the command's help. What a command does is in the module of its name in
# `crawler.cli.commands` (`resume` in `crawl`).

IN_ORDER = (
    *(crawl, resume, dry_run, recrawl, add, retry, restore, purge, reindex, backup, check),
    *(report, inspect, query, templates),
    *(export, demo, dedup, read, reread, index, explain, audit, lexicon),
)
"""The commands as the help lists them."""
