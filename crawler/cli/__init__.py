"""The command line: arguments in, exit code out. What a command does is in `crawler.commands`.

Exit codes: 0 done; 1 no page could be fetched; 2 bad input; 3 the store cannot go on; 130 and 143
stopped by SIGINT and SIGTERM (resume goes on).

`crawls` and `documents` have the arguments of each command, `command` what all commands share.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from crawler import __version__
from crawler.cli import crawls, documents
from crawler.cli.command import Parser, examples, top_parser
from crawler.errors import CrawlerError
from crawler.printing import drop_output, safe_lines

ADD = {
    "crawl": crawls.crawl,
    "resume": crawls.resume,
    "reindex": crawls.reindex,
    "backup": crawls.backup,
    "report": crawls.report,
    "demo": crawls.demo,
    "dedup": documents.dedup,
    "explain": documents.explain,
    "lexicon": documents.lexicon,
}
COMMANDS = tuple(ADD)
TOP_FLAGS = ("-h", "--help", "--version")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line on stderr."""
    args = parsed(list(sys.argv[1:] if argv is None else argv))
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


def parsed(arguments: list[str]) -> argparse.Namespace:
    """Return the arguments of a command; `crawl` is meant where there is none."""
    top, commands = _parsers()
    implied = bool(arguments) and arguments[0] not in (*COMMANDS, *TOP_FLAGS)
    if implied:
        if not arguments[0].startswith("-"):
            top.error(_unknown(arguments[0]))
        arguments.insert(0, "crawl")
    if not arguments or arguments[0] in TOP_FLAGS:
        return top.parse_args(arguments or ["--help"])
    command, given = commands[arguments[0]], arguments[1:]
    # Before what a misspelt flag leaves missing is told.
    command.refuse_unknown_flags(given, TOP_FLAGS if implied else ())
    chosen = argparse.Namespace(command=arguments[0])
    args, unknown = command.parse_known_intermixed_args(given, chosen)  # files around flags, too
    if unknown:
        command.refuse(unknown)
    return args


def _unknown(command: str) -> str:
    close = difflib.get_close_matches(command, COMMANDS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(COMMANDS)}"
    return f"unknown command {command!r}; {hint}"


def _parsers() -> tuple[Parser, Mapping[str, Parser]]:
    """Return the parser of the whole line, and those of the commands by name."""
    top = top_parser(
        "Without a command, `crawl` is meant.\n\n"
        + examples(
            "python -m crawler demo",
            "python -m crawler --seeds seeds.txt --contact https://example.org/our-crawler",
            "python -m crawler report crawl-out",
        )
    )
    top.add_argument("--version", action="version", version=f"crawler {__version__}")
    sub = top.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for add in ADD.values():
        add(sub)
    return top, sub.choices
