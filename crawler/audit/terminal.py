"""The pairs of a sample on a terminal, one after another; and a person asked what each is."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from crawler.audit import wording
from crawler.audit.compared import compare
from crawler.audit.marks import Mark
from crawler.audit.pairs import Pair, Side
from crawler.explain.terminal import print_passages
from crawler.explain.wording import visible
from crawler.printing import safe

MAX_ALONE = 400
"""Characters shown of a text that there is nothing to compare with."""

QUESTION = "copy, other page, unsure or quit [c/o/u/q]? "
_ANSWERS = {"c": Mark.COPY, "o": Mark.OTHER, "u": Mark.UNSURE}


def print_pair(console: Console, pair: Pair, number: int, of: int) -> None:
    """Print a pair: what was decided, both pages, and in what they differ."""
    compared, names = compare(pair), wording.sides(pair)
    head = f"{number:,} of {of:,}  {wording.verdict(pair)}"
    console.print(Text(safe(head), style="bold"), soft_wrap=True)
    for name, side in zip(names, (pair.page, pair.stored), strict=True):
        _print(console, f"{name}: {safe(side.title or 'no title')}")
        _print(console, f"  {safe(side.url or 'its URL is not known')}")
    if compared is None:
        for side in (pair.page, pair.stored):
            _print_alone(console, side)
    else:
        if compared.opening:
            _print(console, f"{visible(compared.opening)} …")
        print_passages(console, compared.shown)
    for told in wording.about(pair, compared):
        _print(console, told)
    console.print()


def ask(read: Callable[[str], str]) -> Mark | None:
    """Return what a person says of a pair, None if no more is to be asked.

    `read` shows its argument and returns a line; EOFError where there is none any more.
    """
    while True:
        try:
            answer = read(QUESTION).strip().casefold()
        except EOFError:
            return None
        if answer[:1] == "q":
            return None
        if answer[:1] in _ANSWERS:
            return _ANSWERS[answer[:1]]


def _print(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)


def _print_alone(console: Console, side: Side) -> None:
    """Print the beginning of a text, or why there is none."""
    if side.text is None:
        _print(console, safe(wording.missing(side)))
    else:
        more = " …" if len(side.text) > MAX_ALONE else ""
        _print(console, visible(side.text[:MAX_ALONE]) + more)
