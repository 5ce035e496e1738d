"""The command line: arguments in, exit code out. What a command does is in `crawler.commands`.

Exit codes: 0 done; 1 no page could be fetched; 2 bad input; 3 the store cannot go on; 130 and 143
stopped by SIGINT and SIGTERM (resume goes on).
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from crawler import __version__, commands, flags
from crawler.batch import Fields
from crawler.errors import CrawlerError
from crawler.printing import drop_output, safe_lines

COMMANDS = ("crawl", "resume", "reindex", "backup", "report", "demo", "dedup", "explain", "lexicon")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line on stderr."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    top = parser()
    if arguments and arguments[0] not in (*COMMANDS, "-h", "--help", "--version"):
        if not arguments[0].startswith("-"):
            top.error(_unknown(arguments[0]))
        arguments.insert(0, "crawl")
    args = top.parse_args(arguments or ["--help"])
    try:
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except CrawlerError as error:
        with suppress(OSError):  # who would read it has gone: the exit code still tells
            print(safe_lines(f"crawler: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:  # before a crawl has begun to listen for signals
        return 130
    except BrokenPipeError:  # the reader of our output has gone, e.g. `report DIR | head`
        drop_output()
        return 0


def _unknown(command: str) -> str:
    close = difflib.get_close_matches(command, COMMANDS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(COMMANDS)}"
    return f"unknown command {command!r}; {hint}"


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = flags.Parser(
        prog="python -m crawler",
        allow_abbrev=False,
        description="Crawl the web and judge duplicates while crawling.",
        epilog="Without a command, `crawl` is meant: python -m crawler --seeds seeds.txt",
    )
    top.add_argument("--version", action="version", version=f"crawler {__version__}")
    sub = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _crawl(sub)
    _resume(sub)
    _reindex(sub)
    _backup(sub)
    _report(sub)
    _demo(sub)
    _dedup(sub)
    _explain(sub)
    _lexicon(sub)
    return top


def _command(sub: Any, name: str, **texts: str) -> argparse.ArgumentParser:
    """Add a command whose flags must be spelt out: a misspelt one could mean another."""
    command: argparse.ArgumentParser = sub.add_parser(name, allow_abbrev=False, **texts)
    return command


def _crawl(sub: Any) -> None:
    crawl = _command(sub, "crawl", help="begin a crawl", description="Begin a crawl from seeds.")
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
        run=lambda args: commands.crawl(args.seeds, args.config, flags.overrides(args))
    )


def _resume(sub: Any) -> None:
    resume = _command(
        sub,
        "resume",
        help="go on with a crawl that was stopped or killed",
        description="Go on with the crawl in DIR. Its job is kept there; flags and a job file "
        "change it for this and later runs.",
    )
    resume.add_argument("directory", type=flags.path, metavar="DIR")
    resume.add_argument(
        "--config", type=flags.path, metavar="FILE", help="YAML job file in its place"
    )
    flags.job_flags(resume)
    resume.add_argument(
        "--release",
        action="append",
        default=[],
        metavar="SUBTREE",
        help="fetch what was cut as endless after all: a subtree's name as the report has it, or "
        "its beginning, or all; may be repeated",
    )
    resume.set_defaults(
        run=lambda args: commands.resume(
            args.directory, args.config, flags.overrides(args), args.release
        )
    )


def _reindex(sub: Any) -> None:
    reindex = _command(
        sub,
        "reindex",
        help="bring the stored pages of a crawl to other settings",
        description="Sign every stored page of the crawl in DIR anew from its stored text, under "
        "settings that a resume could not change. No line of any file changes: what was decided "
        "stays decided. Stopped or killed before its end, it has changed nothing.",
    )
    reindex.add_argument("directory", type=flags.path, metavar="DIR")
    reindex.add_argument(
        "--config", type=flags.path, metavar="FILE", help="YAML job file in its place"
    )
    flags.judging_flags(reindex)
    flags.processes_flag(reindex)
    reindex.set_defaults(
        run=lambda args: commands.reindex(args.directory, args.config, flags.overrides(args))
    )


def _backup(sub: Any) -> None:
    backup = _command(
        sub,
        "backup",
        help="copy a crawl's directory, also while it runs",
        description="Copy the crawl in DIR into the new directory COPY, as it stands at one moment "
        "and while it goes on. The copy can be reported on and resumed like any other.",
    )
    backup.add_argument("directory", type=flags.path, metavar="DIR")
    backup.add_argument("target", type=flags.path, metavar="COPY")
    backup.set_defaults(run=lambda args: commands.backup(args.directory, args.target))


def _report(sub: Any) -> None:
    report = _command(
        sub,
        "report",
        help="tables of a crawl, also while it runs",
        description="Print what became of every URL: verdicts by kind and host, largest clusters, "
        "failures, costs and savings, and whether the accounts add up.",
    )
    report.add_argument("directory", type=flags.path, metavar="DIR")
    report.add_argument(
        "--top",
        type=flags.rows,
        default=20,
        metavar="N",
        help="hosts and clusters shown (default: 20)",
    )
    report.set_defaults(run=lambda args: commands.report(args.directory, args.top))


def _demo(sub: Any) -> None:
    demo = _command(
        sub,
        "demo",
        help="crawl the bundled demo web on loopback and compare with its truth",
        description="Serve the demo web on loopback, crawl it, and set the duplicates found beside "
        "the known truth. Needs no network.",
    )
    demo.add_argument(
        "--output", type=flags.path, metavar="DIR", help="default: demo-out, or the next one free"
    )
    demo.add_argument(
        "--articles", type=int, default=300, metavar="N", help="size of the web (default: 300)"
    )
    demo.add_argument("--seed", type=int, default=2026, metavar="N", help="which web (2026)")
    demo.set_defaults(run=lambda args: commands.demo(args.output, args.articles, args.seed))


def _dedup(sub: Any) -> None:
    dedup = _command(
        sub,
        "dedup",
        help="judge documents that exist already",
        description="Judge existing documents in their order by the judge that crawls use: JSON "
        "lines (also in gzip, Zstandard or xz), or directories of HTML and text files. The same "
        "command in the same DIR goes on where it was stopped.",
    )
    dedup.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, a directory, or - for standard input"
    )
    dedup.add_argument(
        "--output", type=flags.path, required=True, metavar="DIR", help="where everything goes"
    )
    dedup.add_argument("--config", type=flags.path, metavar="FILE", help="YAML job file")
    flags.text_field_flag(dedup)
    dedup.add_argument(
        "--id-field",
        metavar="NAME",
        help="where JSON keeps the id (default: id where there is one, else the line's number)",
    )
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
    dedup.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out and count documents that cannot be read, rather than stop at the first",
    )
    dedup.set_defaults(
        run=lambda args: commands.dedup(
            args.files,
            args.config,
            flags.overrides(args),
            Fields(args.text_field, args.id_field),
            args.against,
            args.skip_bad,
        )
    )


def _explain(sub: Any) -> None:
    explain = _command(
        sub,
        "explain",
        help="show why two documents are, or are not, duplicates",
        description="Compare two documents, each a URL of the crawl in DIR (or an id of a run of "
        "`dedup`) or a file: fingerprints, similarity by every method, features, the verdict and "
        "the rule behind it, and in which passages the texts differ.",
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
        run=lambda args: commands.explain(
            tuple(args.documents), args.output, args.config, args.fetch, args.json, args.html
        )
    )


def _lexicon(sub: Any) -> None:
    lexicon = _command(
        sub,
        "lexicon",
        help="count the words of a sample of texts, for the I-Match and TF-IDF methods",
        description="Write in how many documents of a sample each word occurs: what a job's "
        "`dedup.lexicon` names. Read are JSON lines, as in a crawl's pages.jsonl, and text files.",
    )
    lexicon.add_argument("files", nargs="+", metavar="FILE", help="a file or a directory")
    lexicon.add_argument(
        "--output", type=flags.path, required=True, metavar="FILE", help="the lexicon to write"
    )
    flags.text_field_flag(lexicon)
    lexicon.set_defaults(
        run=lambda args: commands.lexicon(args.files, args.text_field, args.output)
    )
