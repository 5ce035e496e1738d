"""How a command is added, what its help looks like, and what a mistake in its flags brings."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NoReturn


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


class _Help(argparse.HelpFormatter):
    """Fills descriptions, and leaves examples as they stand: a text of several lines is one."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "".join(indent + line for line in text.splitlines(keepends=True))


def examples(*lines: str) -> str:
    """Return the end of a command's help; `%(prog)s` in a line is the command."""
    return "\n  ".join(["example:" if len(lines) == 1 else "examples:", *lines])


def top_parser(epilog: str) -> Parser:
    """Return a parser for commands to be added to."""
    return Parser(
        prog="python -m crawler",
        allow_abbrev=False,
        description="Crawl the web and judge duplicates while crawling.",
        epilog=epilog,
        formatter_class=_Help,
    )


def command(sub: Any, name: str, **texts: str) -> Parser:
    """Add a command whose flags must be spelt out: a misspelt one could mean another."""
    added: Parser = sub.add_parser(name, allow_abbrev=False, formatter_class=_Help, **texts)
    return added
