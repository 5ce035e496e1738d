"""One text in two formats, a page and a PDF: whether the stored one says all that the other says.

They never have the same lines. A PDF is cut at the ends of its pages, its notes stand elsewhere,
hyphens may be lost, and items and sections have their numbers written out, or have not. So what is
asked is which runs of words one has and the other has not, wherever they stand: none that is a
statement, and no number but those that count items and sections.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from crawler.dedup.copies.agreement import Page, tokens
from crawler.dedup.copies.volatile import is_dateline, lasting
from crawler.models import LINK_LINE, Evidence

GRAM = 5
"""Words in a row by which a place is known again."""
LONGEST = 8
"""Words in a row that only one has: the name of a part, a cell of a table, `continued overleaf`."""
MOST = 0.05
"""Share of all words that only one has."""
_SQUEEZED = 6
"""Letters of the shortest words that are known again however they are parted."""

_LETTERED = re.compile(r"\W*(?:[^\W\d_]|[ivxlcm]{1,5})[.)](?:\s+|\Z)", re.IGNORECASE)
"""What a PDF writes out before an item."""
_NUMBERED = re.compile(r"\W*(\d{1,3}(?:\.\d{1,3}){0,4})[.)]?(?:\s+|\Z)")
"""The same, or what stands before the name of a section: of `3.1.2` its numbers."""
_FEWEST = 3
"""Lines in a row whose numbers count up, from which these count the lines and are no facts."""


class _Word(NamedTuple):
    text: str
    counts: bool
    """Whether it only counts the line that it stands before."""


def missing(page: Page, stored: Page) -> Evidence | None:
    """Return why a stored page does not say all that a page says; None where it does.

    All words of the page count but those of links beside its text. Time is linear in the words.
    """
    ours, theirs, shown = _words(page), _words(stored), _words(stored, everything=True)
    own, joined = list(_own(ours, shown)), "".join(word.text for word in shown)
    if _numbers(ours, own) - _numbers(theirs, _own(theirs, ours)):
        return Evidence.OTHER_NUMBERS
    strange = 0
    for run in own:
        squeezed = "".join(ours[n].text for n in run)
        if len(squeezed) >= _SQUEEZED and squeezed in joined:
            continue
        if any(ours[n].text.isdigit() for n in run):  # those of one thing may be another's there
            return Evidence.OTHER_NUMBERS
        strange += len(run)
        if len(run) > LONGEST or strange > MOST * len(ours):
            return Evidence.OTHER_TEXT
    return None


def _words(page: Page, *, everything: bool = False) -> list[_Word]:
    """Return the words of all visible lines of a page in order, links beside its text or not."""
    lines = [
        line.text
        for line in page.in_order
        if line.is_visible and (everything or line.judged or line.part != LINK_LINE)
    ]
    words: list[_Word] = []
    for text, counts in zip(lines, _counting(lines), strict=True):
        if not is_dateline(text):
            words += (_Word(word, True) for word in tokens(text[:counts].casefold()))
            words += (_Word(word, False) for word in tokens(lasting(text[counts:])))
    return words


def _counting(lines: Sequence[str]) -> list[int]:
    """Return how many characters stand before each line that only count it.

    A letter does; a number where the lines before and after it are counted from 1 on, as items and
    sections are, each by the next one of its level.
    """
    lengths = [0] * len(lines)
    counted: list[tuple[int, int]] = []
    last: tuple[int, ...] = ()
    for number, text in enumerate(lines):
        if found := _LETTERED.match(text):
            lengths[number] = found.end()
        if (found := _NUMBERED.match(text)) is None:
            continue
        told = tuple(map(int, found[1].split(".")))
        above = told[:-1]
        first = len(above) == len(last)
        follows = above == last[: len(above)] and told[-1] == (1 if first else _next(last, above))
        if not follows and told != (1,):
            continue
        counted = [*(counted if follows else []), (number, found.end())]
        last = told
        if len(counted) >= _FEWEST:
            for at, length in counted if len(counted) == _FEWEST else counted[-1:]:
                lengths[at] = length
    return lengths


def _next(last: Sequence[int], above: Sequence[int]) -> int:
    """Return the number that follows at the level below `above`; none does where that is deeper."""
    return last[len(above)] + 1 if len(above) < len(last) else -1


def _own(words: Sequence[_Word], others: Sequence[_Word]) -> Iterator[list[int]]:
    """Yield the runs of words that stand in no gram of the others, as their places.

    What counts lines is no part of them, and grams are compared both with it and without.
    """
    known = {*chain(_grams(others), _grams(_uncounted(others)))}
    covered = bytearray(word.counts for word in words)
    for some in (range(len(words)), [n for n, word in enumerate(words) if not word.counts]):
        for start, gram in enumerate(_grams([words[n] for n in some])):
            if gram in known:
                for n in some[start : start + GRAM]:
                    covered[n] = 1
    for is_covered, places in groupby(range(len(words)), covered.__getitem__):
        if not is_covered:
            yield list(places)


def _uncounted(words: Iterable[_Word]) -> list[_Word]:
    return [word for word in words if not word.counts]


def _grams(words: Sequence[_Word]) -> Iterator[tuple[str, ...]]:
    texts = [word.text for word in words]
    return zip(*(texts[n:] for n in range(GRAM)), strict=False)


def _numbers(words: Sequence[_Word], runs: Iterable[Iterable[int]]) -> Counter[str]:
    return Counter(words[n].text for n in chain.from_iterable(runs) if words[n].text.isdigit())
