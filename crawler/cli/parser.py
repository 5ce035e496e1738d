"""How a command is added, what its help looks like, and what a mistake in its flags brings.

And the flags that several commands share. Where the destination of a flag is a path of keys such as
`limits.pages`, it sets that key of the job: `overrides` collects these.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from crawler.choices import Method, NearMode

MOST_ROWS = 1_000_000
"""More than a report has use for; a number of any size is no error."""


Run = Callable[[argparse.Namespace], int]
"""Does what a command is for; returns the exit code."""


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line, with the way out."""

    def error(self, message: str) -> NoReturn:
        """End the program by exit code 2."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")

    def refuse_unknown_flags(self, arguments: Sequence[str], others: Sequence[str]) -> None:
        """End the program over flags that are neither of this command nor among some others."""
        flags = [part for part in takewhile("--".__ne__, arguments) if part.startswith("--")]
        if unknown := [flag for flag in flags if flag.partition("=")[0] not in self._flags]:
            self.refuse(unknown, others)

    def refuse(self, arguments: Sequence[str], others: Sequence[str] = ()) -> NoReturn:
        """End the program over arguments that mean nothing, with the flags they may stand for."""
        known = [*self._flags, *others]
        hints = []
        for argument in arguments:
            flag = argument.partition("=")[0]
            close = difflib.get_close_matches(flag, known, n=1) if flag.startswith("-") else []
            hints += [f"did you mean {close[0]} for {flag}?"] if close else []
        self.error("; ".join([f"unrecognized arguments: {' '.join(arguments)}", *hints]))

    @property
    def _flags(self) -> list[str]:
        return [flag for action in self._actions for flag in action.option_strings]


class Help(argparse.HelpFormatter):
    """Fills descriptions, and leaves examples as they stand: a text of several lines is one."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "".join(indent + line for line in text.splitlines(keepends=True))


def examples(*lines: str) -> str:
    """Return the end of a command's help; `%(prog)s` in a line is the command."""
    return "\n  ".join(["example:" if len(lines) == 1 else "examples:", *lines])


def add_command(sub: Any, declare: Callable[[Parser], Run]) -> None:
    """Add the command of a function's name, which adds its arguments and returns how to run it.

    The paragraphs of its docstring are the command in few words, in more, and examples, one a line.
    Its flags must be spelt out: a misspelt one could mean another.
    """
    told, _, rest = (declare.__doc__ or "").partition("\n\n")
    description, _, lines = rest.partition("\n\n")
    parser = sub.add_parser(
        declare.__name__,
        allow_abbrev=False,
        formatter_class=Help,
        help=told[:1].lower() + told[1:].rstrip("."),
        description=" ".join(description.split()),
        epilog=examples(*(line.strip() for line in lines.strip().splitlines())),
    )
    parser.set_defaults(run=declare(parser))


def path(text: str) -> Path:
    """Return an argument as a path; an empty one, as an unset variable leaves it, is none."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)


def rows(text: str) -> int:
    """Return a number of rows, cut to what a table can hold."""
    try:
        return min(int(text), MOST_ROWS)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None


def path_flag(command: Parser, flag: str, metavar: str, told: str, required: bool = False) -> None:
    """Add a flag that names a file or a directory."""
    command.add_argument(flag, type=path, metavar=metavar, help=told, required=required)


def job_flags(command: Parser, *, begun: bool = False) -> None:
    """Add the flags of a crawl's job; where that has `begun` it keeps what no flag says."""
    limits = (
        ("--pages", "limits.pages", "fetch at most N pages", "no limit"),
        ("--depth", "limits.depth", "follow at most N links from a seed", "no limit"),
        ("--workers", "fetch.workers", "pages under way at once", "32"),
    )
    for flag, key, told, default in limits:
        command.add_argument(
            flag, dest=key, type=int, metavar="N", help=_help(told, default, begun)
        )
    command.add_argument(
        "--contact",
        dest="user_agent.contact",
        metavar="URL",
        help="where site owners can reach you",
    )
    command.add_argument(
        "--no-traps",
        dest="traps.enabled",
        action="store_const",
        const=False,
        help="cut no endless subtree (docs/traps.md)",
    )
    _near_flag(command, begun)


def judging_flags(command: Parser, *, begun: bool = False) -> None:
    """Add how near duplicates are recognised, and by how many processes."""
    command.add_argument(
        "--method",
        dest="dedup.method",
        choices=[method.value for method in Method],
        help=_help("how near duplicates are recognised", "verified", begun),
    )
    _near_flag(command, begun)
    threshold = _help("smallest similarity of near duplicates", "0.8", begun)
    command.add_argument(
        "--threshold", dest="dedup.threshold", type=float, metavar="J", help=threshold
    )
    command.add_argument(
        "--processes",
        dest="analysis.processes",
        type=int,
        metavar="N",
        help="processes (one a core)",
    )


def _near_flag(command: Parser, begun: bool) -> None:
    command.add_argument(
        "--near",
        dest="dedup.near",
        choices=[mode.value for mode in NearMode],
        help=f"near duplicates: report only (drop{'' if begun else ', the default'}), store as "
        "well (tag), do not look for (keep)",
    )


def _help(text: str, default: str, begun: bool) -> str:
    return text if begun else f"{text} ({default})"


def text_field_flag(command: Parser) -> None:
    """Add where JSON keeps a text."""
    command.add_argument(
        "--text-field", default="text", metavar="NAME", help="where JSON keeps the text (text)"
    )


def overrides(args: argparse.Namespace) -> dict[str, Any]:
    """Return the given flags that set keys of the job, in the shape of a job file."""
    job: dict[str, Any] = {}
    for key, value in vars(args).items():
        if value is not None and ("." in key or key == "output"):
            *sections, name = key.split(".")
            section = job
            for part in sections:
                section = section.setdefault(part, {})
            section[name] = value
    return job
