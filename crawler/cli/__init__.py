"""The command line: arguments in, exit code out. What a command does is in `crawler.cli.commands`.

Exit codes: 0 done; 1 no page could be fetched, or `check` found damage; 2 bad input; 3 the store
cannot go on, or the result cannot be printed; 129, 130 and 143 stopped by SIGHUP, SIGINT and
SIGTERM (resume goes on).

`arguments` has those of each command, `parser` what all commands share. The environment variable
CRAWLER_LOG (such as DEBUG) writes what the program does to stderr (docs/operations.md).
"""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import takewhile
from pathlib import Path

from crawler.cli import commands
from crawler.cli.arguments import GROUPS
from crawler.cli.parser import LETTERS, Help, Parser, add_command, examples, name_of
from crawler.console import (
    Level,
    Message,
    bear_encodings,
    command,
    drop_output,
    drop_unheard,
    fill_streams,
    meant,
    program,
    say,
)
from crawler.errors import ConfigError, CrawlerError, PlatformError, reason
from crawler.garbage import lasting_objects
from crawler.observe.messages import speaking_as
from crawler.workers import launch

COMMANDS = tuple(name_of(declare) for group in GROUPS.values() for declare in group)
HELP = "help"
"""The word that asks for a command's help, as `--help` behind its name does."""
PLATFORMS = ("linux", "darwin")
"""Values of `sys.platform` where file locks, signals and limits of processes are as we use them."""
MIN_MEMORY_BYTES = 384 * 1024 * 1024
"""Address space without which no crawl starts: 200,000 KiB are too little, 400,000 enough."""
MIN_FILES = 32
"""Open files without which libraries fail, each in its own way, before a crawl can say so."""
LIGHT = ("report", "backup", "retry")
"""Commands that load no more than a part of that."""
READERS = ("crawl", "resume", "demo")
"""Commands whose processes that read pages start while the command is loaded; where this program
is called by another (`argv`), they start when they are needed."""
TOP_FLAGS = ("-h", "--help", "-V", "--version")
HOW_SHOWN = ("quiet", "verbose", "log_json")
"""How messages are told, as flags of every command or of some."""
UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG, errno.EBADF)
"""What standard output may answer that is a file, a full device or closed."""
UNPRINTED = 3
SOFTWARE_FAULT = 1
"""The exit code with which Python ends on what nobody has foreseen."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line on stderr."""
    fill_streams()
    bear_encodings()
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Before the flags are understood, for what is wrong with them is told as well.
    chosen = how_shown(list(takewhile("--".__ne__, arguments)))
    try:
        with speaking_as(**chosen):
            return _printed(lambda: _run(parsed(arguments), ahead=argv is None))
    finally:
        drop_unheard()


def how_shown(arguments: Sequence[str]) -> dict[str, bool]:
    """Return whether each way to tell messages is among some arguments.

    Letters of flags without a value may be written together, and one with a value at their end, as
    in `-qo DIR`: what follows that is its value.
    """
    together = "".join(LETTERS[flag][1] for flag in ("--quiet", "--verbose"))
    given = set(arguments)
    for word in arguments:
        if letters := re.match(f"-([{together}]+)", word):
            given.update(f"-{letter}" for letter in letters[1])
    flags = {flag: f"--{flag.replace('_', '-')}" for flag in HOW_SHOWN}
    return {flag: bool(given & {name, LETTERS.get(name, name)}) for flag, name in flags.items()}


def _run(args: argparse.Namespace, *, ahead: bool) -> int:
    """Run a command, with its beginning and its end on record."""
    begun_at = time.monotonic()
    say(Message(f"{args.command} begins", Level.RECORD, "begin", command=args.command))
    code = SOFTWARE_FAULT
    try:
        _check_machine(args.command)
        if level := os.environ.get("CRAWLER_LOG"):
            _log(level)
        interruptible = signal.getsignal(signal.SIGINT) is signal.SIG_DFL  # see `__main__`
        if interruptible:
            signal.signal(signal.SIGINT, _end_at_once)
        if ahead and args.command in READERS:
            launch.launch_ahead()
        with lasting_objects() if ahead else nullcontext():
            run = commands.load(args.command)
        if interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = _printed(lambda: int(run(args)))
    except CrawlerError as error:
        # Several mistakes in a job are a line each.
        each = re.MULTILINE if isinstance(error, ConfigError) else re.NOFLAG
        named = re.sub(r"^(?! )", "crawler: ", str(error), flags=each)
        say(Message(named, Level.ERROR))
        code = error.exit_code
    except KeyboardInterrupt:  # a crawl listens for signals itself, once it has begun
        code = 130
    finally:
        launch.dismiss()
        told = {"exit_code": code, "elapsed_s": round(time.monotonic() - begun_at, 3)}
        text = f"{args.command} ended with exit code {code}"
        say(Message(text, Level.RECORD, "end", command=args.command, **told))
    return code


def _end_at_once(number: int, _: object) -> None:
    """Hear Ctrl-C while a command is loaded."""
    launch.dismiss()
    os._exit(128 + number)


def _printed(run: Callable[[], int]) -> int:
    """Return the exit code of what prints results, whatever becomes of these."""
    try:
        try:
            code = run()
        except SystemExit:  # after --help, --version, or over a mistake in the flags
            sys.stdout.flush()
            raise
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output has gone, e.g. `report DIR | head`
        drop_output()
        return 0
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is not None:
            raise
        drop_output()
        say(Message(f"crawler: the result cannot be printed: {reason(error)}", Level.ERROR))
        return UNPRINTED


def _check_machine(command: str) -> None:
    """Refuse a system without what the crawler is built on, before any module asks for it.

    And bounds of memory and files under which libraries die, each in its own way, as they load.
    """
    if sys.platform not in PLATFORMS:
        raise PlatformError(
            f"this crawler runs on Linux and macOS, not on {sys.platform}: run it there, in a "
            "container, a virtual machine or WSL"
        )
    import resource  # which other systems have not

    for of, least, flag, scale, unit, key in (
        (resource.RLIMIT_AS, MIN_MEMORY_BYTES, "v", 1024, "KiB of memory", "LimitAS"),
        (resource.RLIMIT_NOFILE, MIN_FILES, "n", 1, "open files", "LimitNOFILE"),
    ):
        limit, _ = resource.getrlimit(of)
        if limit != resource.RLIM_INFINITY and limit < least and command not in LIGHT:
            raise PlatformError(
                f"`ulimit -{flag}` leaves {limit // scale:,} {unit} to this process, {command} "
                f"needs {least // scale:,} to begin with: raise it, or `{key}=` of a service"
            )


def _log(level: str) -> None:
    """Write what our own packages log from this level on to stderr, with no password in it."""
    import logging  # most runs need none of it

    class Spoken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(Message(self.format(record), event="log", logger=record.name))

    try:
        logging.getLogger("crawler").setLevel(level.upper())
    except ValueError:
        raise ConfigError(f"CRAWLER_LOG={level}: give DEBUG, INFO, WARNING or ERROR") from None
    handler = Spoken()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])


def whole_parser(prog: str) -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of a program of this name, and those of its commands."""
    top = Parser(
        prog=prog,
        allow_abbrev=False,
        usage="%(prog)s [COMMAND] ...",
        description="Crawl the web and judge duplicates while crawling.",
        epilog="Flags without a command are those of `crawl`. For the flags of a command: "
        f"{prog} help COMMAND\n\n"
        + examples(
            f"{prog} demo",
            f"{prog} https://site.example/ --contact https://example.org/our-crawler",
            f"{prog} report crawl-out",
        ),
        formatter_class=Overview,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show it, and what it uses")
    sub = top.add_subparsers(
        title="commands", prog=prog, metavar="COMMAND", dest="command", required=True
    )
    for group in GROUPS.values():
        for declare in group:
            add_command(sub, declare)
    return top, dict(sub.choices)


def parsed(arguments: list[str]) -> argparse.Namespace:
    """Return the arguments of a command; `crawl` is meant where there is none."""
    top, choices = whole_parser(program())
    if arguments[:1] == [HELP]:
        asked, more = [word for word in arguments[1:2] if word != HELP], arguments[2:]
        if more:
            top.error(f"unrecognized arguments: {' '.join(more)}: {HELP} takes one command")
        arguments = [*asked, "--help"]
    if in_partitions := arguments[:2] == ["cluster", "start"]:
        arguments = ["crawl", *arguments[2:]]
    implied = bool(arguments) and arguments[0] not in (*COMMANDS, *TOP_FLAGS)
    if implied:
        if not (word := arguments[0]):
            top.error("the first word is empty: is a variable without a value?")
        if not word.startswith("-") and "://" not in word:
            top.error(f"unknown command {word!r}; {_hint(word, choices)}")
        arguments = ["crawl", *arguments]
    if not arguments or arguments[0] in TOP_FLAGS:
        return top.parse_args(arguments or ["--help"])
    command, given = choices[arguments[0]], arguments[1:]
    # Before what a misspelt flag leaves missing is told.
    command.refuse_unknown_flags(given, TOP_FLAGS if implied else ())
    chosen = argparse.Namespace(command=arguments[0], in_partitions=in_partitions)
    args, unknown = command.parse_known_intermixed_args(given, chosen)  # files around flags, too
    if unknown:
        command.refuse(unknown)
    return args


def _hint(word: str, choices: Mapping[str, Parser]) -> str:
    """Return what a word that is no command may stand for.

    A file or a host, one that is spelt like it, or what the help says of it: `stop` is no command,
    and the sentence that tells how a crawl is stopped has the word.
    """
    if it := meant(word):
        return f"did you mean {it} ?"
    if Path(word).is_dir():
        return f"did you mean {command('report', Path(word))} ?"
    names = {name.strip("-"): name for name in (*TOP_FLAGS, *COMMANDS, HELP)}
    if close := difflib.get_close_matches(word, names, n=1, cutoff=0.7):
        return f"did you mean {names[close[0]]!r}?"
    told = {name: choices[name].sentence_with(word) for name in COMMANDS if word.isalpha()}
    found = [f"{name}: {sentence}" for name, sentence in told.items() if sentence]
    return found[0].rstrip(".") if found else f"commands: {', '.join(COMMANDS)}"


class Overview(Help):
    """The help of the program: its commands in groups, each with a title."""

    def _format_action(self, action: argparse.Action) -> str:
        if not isinstance(action, argparse._SubParsersAction):
            return super()._format_action(action)
        told = {each.dest: each for each in action._get_subactions()}
        lines = []
        for title, group in GROUPS.items():
            lines.append(f"\n  {title}:\n")
            lines += [super(Overview, self)._format_action(told[name_of(each)]) for each in group]
        return "".join(lines)


class _Version(argparse.Action):
    """Loads what the line tells of when it is asked for, and not before."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from crawler.observe.parts import version_line

        print(version_line())
        parser.exit()
