"""Titles, and names and numbers that stand for others: how pages filled in from one form differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from crawler.dedup.copies.agreement import Passage, between_common_ends, tokens
from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import lasting
from crawler.urls import registrable_domain

MOST_SENTENCES = 60
"""Of each page that are compared with one another: all pairs of them."""

MOST_CELLS = 40_000
"""Pairs of words of two sentences, and of all sentences of two pages, that are aligned: two of 200
words, or sixty of 25. difflib takes a tenth of a microsecond for each, a few times over, and the
event loop waits. Beyond it, all between the words at both ends counts as replaced."""

_ALIKE = 0.5
"""Share of words that two sentences, or two titles, of one form have in common."""

_IDENTIFIER = 5
"""Digits of the shortest number that tells who, and not how much or which edition."""

_SUBJECT = 4
"""Letters of the shortest word by which a title tells what it is about, and no `of` or `the`."""
_PAIR = re.compile(r"(?=([\u3400-\u9fff]{2}))")
_NUMBER = re.compile(r"\d+")
_SEPARATOR = re.compile(
    r"(?<!\s)\s+[-–—|·•»«/_]+\s+|[|·•»«｜：]|(?:(?<!\s)\s+)?[_—–]{1,2}\s*|(?<!:):+\s"
    r"|(?<=[\u3400-\u9fff])-|-(?=[\u3400-\u9fff])"
)
"""What stands between the parts of a title, such as a page's name and its site's."""

Replaced = tuple[str, str]
"""Words of one page, and those of the other that stand in their place; between spaces."""


def replaced_words(left: Sequence[Passage], left_of_other: Sequence[Passage]) -> Counter[Replaced]:
    """Return which words stand for others in passages that are alike otherwise, and how often."""
    ours, theirs = _sentences(left), _sentences(left_of_other)
    replaced: Counter[Replaced] = Counter()
    cells = MOST_CELLS
    for line in ours:
        if (other := _likest(line, theirs)) is not None:
            replaced.update(_replaced(line.words, other.words, cells))
            cells -= len(line.words) * len(other.words)
    return replaced


def are_alike(left: Sequence[Passage], left_of_other: Sequence[Passage]) -> bool:
    """Whether a passage of the one shares half of its words with one of the other."""
    theirs = _sentences(left_of_other)
    return any(_likest(line, theirs) is not None for line in _sentences(left))


def _sentences(passages: Sequence[Passage]) -> list[_Sentence]:
    return [_Sentence(one.words) for one in passages[:MOST_SENTENCES]]


class _Sentence:
    """The words of a sentence, and which there are; numbers are all alike: they fill slots."""

    def __init__(self, line: str) -> None:
        self.words = tokens(line)
        self.known = frozenset("0" if _NUMBER.search(word) else word for word in self.words)

    def overlap(self, other: _Sentence) -> float:
        """Return how many words two sentences share."""
        largest = max(1, len(self.known), len(other.known))
        return len(self.known & other.known) / largest


def is_number(words: Replaced) -> bool:
    """Whether a number stands for another, with or without words around it."""
    ours, theirs = (_NUMBER.findall(one) for one in words)
    return bool(ours) and bool(theirs) and ours != theirs


def is_amount(words: Replaced) -> bool:
    """Whether nothing but a number stands for nothing but a number."""
    return is_number(words) and all(word.replace(" ", "").isdigit() for word in words)


def is_identifier(words: Replaced) -> bool:
    """Whether a telephone number, or a number in a register, stands for another."""
    return all(sum(map(str.isdigit, word)) >= _IDENTIFIER for word in words)


def other_names(page: Appearance, other: Appearance) -> Iterator[Replaced]:
    """Yield the words by which titles and headings of one form differ."""
    for ours, theirs in ((page.title, other.title), (page.heading, other.heading)):
        yield from _replaced(tokens(lasting(ours or "")), tokens(lasting(theirs or "")))


def other_labels(host: str, other: str) -> Iterator[Replaced]:
    """Yield what two hosts are called, where that differs: a form speaks of its own host."""
    ours, theirs = (
        " ".join(tokens(registrable_domain(of).partition(".")[0])) for of in (host, other)
    )
    if ours != theirs:
        yield ours, theirs


def have_another_name(page: Appearance, other: Appearance) -> bool:
    """Whether in titles or headings words that are no numbers stand for others."""
    return not all(map(is_number, other_names(page, other)))


def have_another_heading(page: Appearance, other: Appearance) -> bool:
    """Whether headings or parts of titles are of one form, and have other words in it.

    Headings that have little in common say nothing: a text may be printed under another.
    """
    ours, theirs = (title_parts(of) | {lasting(of.heading or "")} for of in (page, other))
    its = [_Sentence(line) for line in theirs - ours]
    own = (line for line in map(_Sentence, ours - theirs) if line.words)
    return any(
        likest is not None and any(_replaced(line.words, likest.words))
        for line, likest in ((line, _likest(line, its)) for line in own)
    )


def title_parts(page: Appearance) -> frozenset[str]:
    """Return the parts of a title, in words."""
    return _parts_of(page.title) if page.title else frozenset()


@lru_cache(1_024)
def _parts_of(title: str) -> frozenset[str]:
    """Do so; pages of one host are asked for theirs again and again."""
    parts = (lasting(part) for part in _SEPARATOR.split(title))
    return frozenset(part for part in parts if part)


def names(page: Appearance) -> frozenset[str]:
    """Return what a page is called: its heading, or else the parts of its title."""
    heading = lasting(page.heading or "")
    return frozenset((heading,)) if heading else title_parts(page)


def speaks_of(page: Appearance, counted: Iterable[str]) -> bool:
    """Whether title or heading have a word of what is counted, or of Chinese a pair of characters.

    `counted` are forms of counters.
    """
    named = _subjects(f"{page.title or ''} {page.heading or ''}".casefold())
    return any(named & _subjects(form) for form in counted)


def _subjects(text: str) -> frozenset[str]:
    """Return the words of a text by which it may tell what it is about, in the singular."""
    words = (word.removesuffix("s") for word in tokens(text) if len(word) >= _SUBJECT)
    return frozenset((*words, *_PAIR.findall(text)))


def _likest(line: _Sentence, others: Sequence[_Sentence]) -> _Sentence | None:
    """Return the sentence that shares most words with one, if that is half of them.

    Of several the one with the same numbers: `table 11.3` is `Tabelle 11.3`, not `Tabelle 11.1`.
    """
    best, most = None, (_ALIKE, -1)
    for other in others:
        share = line.overlap(other)
        if share >= most[0]:
            rank = share, len({*line.words} & {*other.words})
            if rank > most:
                best, most = other, rank
    return best


def _replaced(
    line: Sequence[str], other: Sequence[str], cells: int = MOST_CELLS
) -> Iterator[Replaced]:
    """Yield the words of a sentence that stand where another has others."""
    if len(line) * len(other) > cells:
        _, line, other = between_common_ends(line, other)
        if line and other:
            yield " ".join(line), " ".join(other)
        return
    matcher = SequenceMatcher(None, line, other, autojunk=False)
    for tag, begin, end, its_begin, its_end in matcher.get_opcodes():
        if tag == "replace":
            yield " ".join(line[begin:end]), " ".join(other[its_begin:its_end])
