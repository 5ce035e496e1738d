"""The command line: arguments in, exit code out. What a command does is in `crawler.commands`.

Exit codes: 0 done; 1 no page could be fetched, or `check` found damage; 2 bad input; 3 the store
cannot go on; 130 and 143 stopped by SIGINT and SIGTERM (resume goes on).

`arguments` has those of each command, `parser` what all commands share. The environment variable
CRAWLER_LOG (such as DEBUG) writes what the program does to stderr (docs/operations.md).
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Mapping, Sequence

from crawler import __version__
from crawler.cli.arguments import IN_ORDER
from crawler.cli.parser import Help, Parser, add_command, examples
from crawler.errors import ConfigError, CrawlerError
from crawler.printing import drop_output, safe_lines, say

COMMANDS = tuple(declare.__name__ for declare in IN_ORDER)
TOP_FLAGS = ("-h", "--help", "--version")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line on stderr."""
    args = parsed(list(sys.argv[1:] if argv is None else argv))
    try:
        if level := os.environ.get("CRAWLER_LOG"):
            _log(level)
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except CrawlerError as error:
        say(f"crawler: {error}")
        return error.exit_code
    except KeyboardInterrupt:  # before a crawl has begun to listen for signals
        return 130
    except BrokenPipeError:  # the reader of our output has gone, e.g. `report DIR | head`
        drop_output()
        return 0


def _log(level: str) -> None:
    """Write what our own packages log from this level on to stderr, with no password in it."""
    import logging  # most runs need none of it

    class Lines(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return safe_lines(super().format(record))

    try:
        logging.getLogger("crawler").setLevel(level.upper())
    except ValueError:
        raise ConfigError(f"CRAWLER_LOG={level}: give DEBUG, INFO, WARNING or ERROR") from None
    handler = logging.StreamHandler()
    handler.setFormatter(Lines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])


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
    top = Parser(
        prog="python -m crawler",
        allow_abbrev=False,
        description="Crawl the web and judge duplicates while crawling.",
        epilog="Flags without a command are those of `crawl`.\n\n"
        + examples(
            "python -m crawler demo",
            "python -m crawler --seeds seeds.txt --contact https://example.org/our-crawler",
            "python -m crawler report crawl-out",
        ),
        formatter_class=Help,
    )
    top.add_argument("--version", action="version", version=f"crawler {__version__}")
    sub = top.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for declare in IN_ORDER:
        add_command(sub, declare)
    return top, sub.choices
