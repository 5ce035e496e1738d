"""The rules that tell copies from siblings, the surest first; the first that speaks decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from crawler.dedup.copies.address import Address, address, is_listed_in, is_same_address
from crawler.dedup.copies.agreement import Agreement, agreement, characters
from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import lasting
from crawler.dedup.kinds import SAME_LAYOUT
from crawler.dedup.signing.layout import layout_similarity
from crawler.records import Evidence
from crawler.urls import registrable_domain

BESIDE = 0.5
"""How much may differ beside one text on one host, as a multiple of the text."""
BESIDE_ELSEWHERE = 1.0
"""The same, links left out, on two hosts: another template has other surroundings."""
NAMED_LINES = 2
"""Lines in which one name stands for another before the page is another's."""
MOST_LINES = 100
"""Lines that differ which are compared with one another: all pairs of them."""

_TOKEN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W\u3400-\u9fff\uf900-\ufaff]+")
_NUMBER = re.compile(r"\d")
_SEPARATOR = re.compile(r"\s+[-–—|·•»«:/_]+\s+|[|·•»«｜]|\s*[_—–]{1,2}\s*|::")


@dataclass(frozen=True, slots=True)
class Seen:
    """One of two pages that are alike."""

    url: str
    appearance: Appearance | None
    """None where it was not kept."""
    layout: bytes | None = None
    """Layout fingerprint; None for plain text."""


def weigh(page: Seen, stored: Seen) -> Evidence:
    """Return what tells whether a page is a copy of a stored one that it is like.

    A pure function; where nothing speaks for a copy, the answer is one of a sibling. Takes time
    linear in the lines of both pages.
    """
    first, second = address(page.url), address(stored.url)
    one, other = page.appearance, stored.appearance
    if one and other and _names(page.url, one, stored.url, other):
        return Evidence.CANONICAL
    moved, elsewhere = is_same_address(first, second), first.host != second.host
    if one is None or other is None:
        return Evidence.SAME_ADDRESS if moved else Evidence.UNKNOWN
    pair = _Pair(one, other, first, second)
    if moved:
        renamed = elsewhere and pair.name_replaced(versions_count=False)
        return Evidence.OTHER_NAME if renamed else Evidence.SAME_ADDRESS
    if elsewhere and not _is_one_template(page, stored):
        return _elsewhere(pair)
    return _on_one_site(pair)


def _names(url: str, page: Appearance, of: str, stored: Appearance) -> bool:
    """Whether one page says that the other is the same page."""
    wanted = (page.canonical_url, *page.alternates)
    if of != url and (of in wanted or url in (stored.canonical_url, *stored.alternates)):
        return True
    shared = page.canonical_url
    return shared is not None and shared == stored.canonical_url and bool(address(shared).segments)


def _is_one_template(page: Seen, stored: Seen) -> bool:
    """Whether the layouts are the same: on two hosts, pages of one publisher."""
    if page.layout is None or stored.layout is None:
        return False
    return layout_similarity(page.layout, stored.layout) >= SAME_LAYOUT


def _on_one_site(pair: _Pair) -> Evidence:
    if _title(pair.page) != _title(pair.stored):
        return Evidence.OTHER_TITLE
    if _names_another(pair.page, pair.stored):
        return Evidence.OTHER_CANONICAL
    if is_listed_in(pair.first, pair.second):
        return Evidence.OTHER_LIST
    if not pair.compared.same_text:
        return Evidence.OTHER_TEXT
    if pair.compared.beside_changed > BESIDE:
        return Evidence.OTHER_SURROUNDINGS
    return Evidence.SAME_TEXT


def _elsewhere(pair: _Pair) -> Evidence:
    if pair.name_replaced(versions_count=True):
        return Evidence.OTHER_NAME
    if pair.number_replaced():
        return Evidence.OTHER_NUMBERS
    for side in pair.compared.sides:
        if characters(side.beside) > BESIDE_ELSEWHERE * side.length:
            return Evidence.OTHER_SURROUNDINGS
    return Evidence.REPRINT


def _names_another(page: Appearance, stored: Appearance) -> bool:
    """Whether the two pages name other canonical pages, by their paths."""
    if page.canonical_url is None or stored.canonical_url is None:
        return False
    return address(page.canonical_url).segments != address(stored.canonical_url).segments


def _title(page: Appearance) -> str:
    return lasting(page.title or "")


class _Pair:
    """Two pages, compared line by line when that is first asked for."""

    def __init__(
        self, page: Appearance, stored: Appearance, first: Address, second: Address
    ) -> None:
        self.page, self.stored = page, stored
        self.first, self.second = first, second

    @cached_property
    def compared(self) -> Agreement:
        """The lines in which they differ."""
        return agreement(self.page, self.stored)

    def name_replaced(self, versions_count: bool) -> bool:
        """Whether one speaks of what its title or host names, as the other does of its own.

        `versions_count` says whether names that are numbers do.
        """
        spoken = [
            _spoken(side.text, page.title or "")
            for side, page in zip(self.compared.sides, (self.page, self.stored), strict=True)
        ]
        for names in self._replaced_names():
            if not versions_count and all(map(_NUMBER.search, names)):
                continue
            found = (
                sum(name in line for line in lines)
                for name, lines in zip(names, spoken, strict=True)
            )
            if min(found) >= NAMED_LINES:
                return True
        return False

    def number_replaced(self) -> bool:
        """Whether lines that are alike have other numbers in them."""
        ours, theirs = (
            [_TOKEN.findall(line) for line in side.text] for side in self.compared.sides
        )
        counted = [line for line in ours if _numbers(line)]
        return any(
            _are_alike(line, other) and _numbers(line) != _numbers(other)
            for line in counted[:MOST_LINES]
            for other in theirs[:MOST_LINES]
        )

    def _replaced_names(self) -> Iterator[tuple[str, str]]:
        """Yield the names by which titles and hosts differ, as tokens between spaces."""
        ours, theirs = (
            _TOKEN.findall((page.title or "").casefold()) for page in (self.page, self.stored)
        )
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        for tag, begin, end, its_begin, its_end in matcher.get_opcodes():
            if tag == "replace":
                yield _joined(ours[begin:end]), _joined(theirs[its_begin:its_end])
        labels = [_joined(_TOKEN.findall(_label(of.host))) for of in (self.first, self.second)]
        if labels[0] != labels[1]:
            yield labels[0], labels[1]


def _label(host: str) -> str:
    """Return what a host is called: the first label of its registrable domain."""
    return registrable_domain(host).partition(".")[0]


def _spoken(lines: Iterable[str], title: str) -> list[str]:
    """Return lines as tokens between spaces, without those that are the title or a part of it."""
    titled = {_joined(_TOKEN.findall(lasting(part))) for part in _SEPARATOR.split(title)}
    spoken = (_joined(_TOKEN.findall(line)) for line in lines)
    return [line for line in spoken if line not in titled]


def _are_alike(line: Sequence[str], other: Sequence[str]) -> bool:
    ours, theirs = set(line), set(other)
    return 2 * len(ours & theirs) >= max(len(ours), len(theirs))


def _numbers(tokens: Sequence[str]) -> list[str]:
    return sorted(token for token in tokens if _NUMBER.search(token))


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "
