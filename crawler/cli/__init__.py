"""The command line: arguments in, exit code out. What a command does is in `crawler.commands`.

Exit codes: 0 done; 1 no page could be fetched, or `check` found damage; 2 bad input; 3 the store
cannot go on; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM (resume goes on).

`arguments` has those of each command, `parser` what all commands share. The environment variable
CRAWLER_LOG (such as DEBUG) writes what the program does to stderr (docs/operations.md).
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Mapping, Sequence

from crawler import commands, launch
from crawler.cli.arguments import IN_ORDER
from crawler.cli.parser import Help, Parser, add_command, examples, name_of
from crawler.errors import ConfigError, CrawlerError, PlatformError
from crawler.printing import drop_output, fill_streams, program, safe_lines, say

COMMANDS = tuple(map(name_of, IN_ORDER))
PLATFORMS = ("linux", "darwin")
"""Values of `sys.platform` where file locks, signals and limits of processes are as we use them."""
MIN_MEMORY_BYTES = 384 * 1024 * 1024
"""Address space without which no crawl starts: 200,000 KiB are too little, 400,000 enough."""
LIGHT = ("report", "backup", "retry")
"""Commands that load no more than a part of that."""
READERS = ("crawl", "resume", "demo")
"""Commands whose processes that read pages start while the command is loaded; where this program
is called by another (`argv`), they start when they are needed."""
TOP_FLAGS = ("-h", "--help", "--version")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line on stderr."""
    fill_streams()
    args = parsed(list(sys.argv[1:] if argv is None else argv))
    try:
        _check_platform()
        _check_memory(args.command)
        if level := os.environ.get("CRAWLER_LOG"):
            _log(level)
        if argv is None and args.command in READERS:
            launch.launch_ahead()
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
    finally:
        launch.dismiss()


def _check_platform() -> None:
    """Refuse a system without what the crawler is built on, before any module asks for it."""
    if sys.platform not in PLATFORMS:
        raise PlatformError(
            f"this crawler runs on Linux and macOS, not on {sys.platform}: run it there, in a "
            "container, a virtual machine or WSL"
        )


def _check_memory(command: str) -> None:
    """Refuse a bound of memory under which libraries die, each in its own way, as they load."""
    import resource  # which other systems have not

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < MIN_MEMORY_BYTES and command not in LIGHT:
        raise PlatformError(
            f"`ulimit -v` leaves {limit // 1024:,} KiB of memory to this process, {command} needs "
            f"{MIN_MEMORY_BYTES // 1024:,} to begin with: raise it, or `LimitAS=` of a service"
        )


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
    top, parsers = _parsers()
    implied = bool(arguments) and arguments[0] not in (*COMMANDS, *TOP_FLAGS)
    if implied:
        if not arguments[0].startswith("-") and "://" not in arguments[0]:
            top.error(_unknown(arguments[0]))
        arguments.insert(0, "crawl")
    if not arguments or arguments[0] in TOP_FLAGS:
        return top.parse_args(arguments or ["--help"])
    command, given = parsers[arguments[0]], arguments[1:]
    # Before what a misspelt flag leaves missing is told.
    command.refuse_unknown_flags(given, TOP_FLAGS if implied else ())
    chosen = argparse.Namespace(command=arguments[0])
    args, unknown = command.parse_known_intermixed_args(given, chosen)  # files around flags, too
    if unknown:
        command.refuse(unknown)
    return args


class _Version(argparse.Action):
    """Loads what the line tells of when it is asked for, and not before."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(commands.version.version())
        parser.exit()


def _unknown(command: str) -> str:
    close = difflib.get_close_matches(command, COMMANDS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(COMMANDS)}"
    return f"unknown command {command!r}; {hint}"


def _parsers() -> tuple[Parser, Mapping[str, Parser]]:
    """Return the parser of the whole line, and those of the commands by name."""
    top = Parser(
        prog=program(),
        allow_abbrev=False,
        description="Crawl the web and judge duplicates while crawling.",
        epilog="Flags without a command are those of `crawl`.\n\n"
        + examples(
            f"{program()} demo",
            f"{program()} https://site.example/ --contact https://example.org/our-crawler",
            f"{program()} report crawl-out",
        ),
        formatter_class=Help,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show it, and what it uses")
    sub = top.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for declare in IN_ORDER:
        add_command(sub, declare)
    return top, sub.choices
