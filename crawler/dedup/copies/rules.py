"""The rules that tell copies from siblings, the surest first; the first that speaks decides."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from crawler.dedup.copies import naming
from crawler.dedup.copies.address import (
    Address,
    address,
    has_same_end,
    is_listed_in,
    is_same_address,
)
from crawler.dedup.copies.agreement import Agreement, agreement, characters
from crawler.dedup.copies.appearance import Appearance
from crawler.dedup.copies.volatile import lasting
from crawler.dedup.kinds import SAME_LAYOUT
from crawler.dedup.signing.layout import layout_similarity
from crawler.records import Evidence
from crawler.urls import registrable_domain

BESIDE = 0.5
"""How much may differ beside one text on one site, as a multiple of the text."""
EDGES = 0.1
"""How much may differ at the edges of one text on one site, as a share of it."""
BESIDE_ELSEWHERE = 1.0
"""The same on two sites, links left out: another template has other surroundings."""
SHOWN = 0.4
"""What two pages must show alike of all that is visible on them, whatever their addresses say. A
judged text may be a small part of a page, or content that was moved may have been left out of it.
Of true copies on whole sites and of made ones the least alike show .44 (`benchmarks.copies`)."""
NAMED = 2
"""Times that one word stands for another before it is a name: an editor changes a word once."""
NEVER = math.inf
AMOUNTS = 2
"""Amounts that stand for others before a page is taken for a form that was filled in."""


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
    linear in the texts of both pages.
    """
    first, second = address(page.url), address(stored.url)
    if page.appearance is None or stored.appearance is None:
        return Evidence.SAME_ADDRESS if is_same_address(first, second) else Evidence.UNKNOWN
    pair = _Pair(page.appearance, stored.appearance, first, second)
    evidence = _first_to_speak(page, stored, pair)
    if evidence in _BY_ADDRESS and not pair.shows_alike:
        return Evidence.OTHER_SURROUNDINGS
    return evidence


def show_alike(page: Seen, stored: Seen) -> bool:
    """Whether enough of what is visible on two pages is the same, if their judged texts are.

    True where that is not known of one of them.
    """
    if page.appearance is None or stored.appearance is None:
        return True
    places = address(page.url), address(stored.url)
    return _Pair(page.appearance, stored.appearance, *places).shows_alike


# --------------------------------------------------------------------------------------------------
# Rules


_BY_ADDRESS = frozenset({Evidence.CANONICAL, Evidence.SAME_ADDRESS})
"""Evidence that does not come from what is visible; any other has looked at it all."""


def _first_to_speak(page: Seen, stored: Seen, pair: _Pair) -> Evidence:
    first, second, elsewhere = pair.first, pair.second, pair.elsewhere
    if _names(page.url, pair.page, stored.url, pair.stored):
        return Evidence.CANONICAL
    moved = is_same_address(first, second)
    if moved and not elsewhere and first.language != second.language:
        return Evidence.SAME_ADDRESS
    if moved and not elsewhere:
        return _edition(pair, of_one_site=True)
    alike = _is_one_template(page, stored)
    if elsewhere and (moved or has_same_end(first, second)):
        return _edition(pair, of_one_site=alike and not first.is_common)
    if elsewhere and not (alike and pair.one_publisher):
        return _reprint(pair)
    return _on_one_site(pair)


def _names(url: str, page: Appearance, of: str, stored: Appearance) -> bool:
    """Whether one page says that the other is the same page."""
    wanted = (page.canonical_url, *page.alternates)
    if of != url and (of in wanted or url in (stored.canonical_url, *stored.alternates)):
        return True
    shared = page.canonical_url
    return shared is not None and shared == stored.canonical_url and bool(address(shared).segments)


def _edition(pair: _Pair, of_one_site: bool) -> Evidence:
    """Decide on pages of one address on two hosts.

    Two editions of one site have its template, and an editor may have changed any word in them.
    Other hosts have a path in common by chance, or because they were made from one form.
    """
    page, stored = pair.page, pair.stored
    if not naming.name_one_page(page, stored):
        return Evidence.OTHER_TITLE
    if naming.have_another_heading(page, stored, numbers=False):
        return Evidence.OTHER_TITLE
    if pair.name_replaced(NEVER if of_one_site else NAMED, numbers=False):
        return Evidence.OTHER_NAME
    filled_in = pair.form_filled_in if of_one_site else any(map(naming.is_number, pair.replaced))
    return Evidence.OTHER_NUMBERS if filled_in else Evidence.SAME_ADDRESS


def _reprint(pair: _Pair) -> Evidence:
    """Decide on pages of two sites that have nothing to do with each other."""
    if naming.have_another_heading(pair.page, pair.stored, numbers=True):
        return Evidence.OTHER_TITLE
    if pair.name_replaced(NAMED, numbers=True):
        return Evidence.OTHER_NAME
    if any(map(naming.is_number, pair.replaced)):
        return Evidence.OTHER_NUMBERS
    for side in pair.compared.sides:
        if characters(side.beside) > BESIDE_ELSEWHERE * side.length:
            return Evidence.OTHER_SURROUNDINGS
    return Evidence.REPRINT


def _on_one_site(pair: _Pair) -> Evidence:
    """Decide on pages of one host, or of one publisher."""
    if not pair.same_title:
        return Evidence.OTHER_TITLE
    if _names_another(pair.page, pair.stored):
        return Evidence.OTHER_CANONICAL
    if is_listed_in(pair.first, pair.second):
        return Evidence.OTHER_LIST
    if pair.replaced or any(side.inside for side in pair.compared.sides):
        return Evidence.OTHER_TEXT
    if pair.compared.text_changed > EDGES:
        return Evidence.OTHER_TEXT
    if pair.compared.beside_changed > BESIDE:
        return Evidence.OTHER_SURROUNDINGS
    return Evidence.SAME_TEXT


def _names_another(page: Appearance, stored: Appearance) -> bool:
    """Whether the two pages name other canonical pages, by their paths."""
    if page.canonical_url is None or stored.canonical_url is None:
        return False
    return address(page.canonical_url).segments != address(stored.canonical_url).segments


def _is_one_template(page: Seen, stored: Seen) -> bool:
    if page.layout is None or stored.layout is None:
        return False
    return layout_similarity(page.layout, stored.layout) >= SAME_LAYOUT


class _Pair:
    """Two pages, compared when that is first asked for."""

    def __init__(
        self, page: Appearance, stored: Appearance, first: Address, second: Address
    ) -> None:
        self.page, self.stored = page, stored
        self.first, self.second = first, second

    @property
    def elsewhere(self) -> bool:
        """Whether they are on two hosts."""
        return self.first.host != self.second.host

    @property
    def shows_alike(self) -> bool:
        """Whether enough of all that is visible is the same; on two hosts, links are not asked."""
        return self.compared.shown_alike(links=not self.elsewhere) >= SHOWN

    @property
    def one_publisher(self) -> bool:
        """Whether the hosts belong together, or have a folder of one name."""
        domains = {registrable_domain(of.host) for of in (self.first, self.second)}
        return len(domains) == 1 or self.first.folder == self.second.folder

    @property
    def same_title(self) -> bool:
        """Whether the titles are the same; on two hosts, but for the names of these."""
        if self.elsewhere:
            return naming.share_a_title(self.page, self.stored)
        return lasting(self.page.title or "") == lasting(self.stored.title or "")

    @cached_property
    def compared(self) -> Agreement:
        """The sentences in which they differ."""
        return agreement(self.page, self.stored)

    @cached_property
    def replaced(self) -> Counter[naming.Replaced]:
        """The words that stand for others, without headings that are the title."""
        titles = naming.title_parts(self.page) | naming.title_parts(self.stored)
        return naming.replaced_words(self.compared, titles)

    @property
    def form_filled_in(self) -> bool:
        """Whether a telephone number stands for another, or amounts do, each of them once.

        The number of an edition stands in many places of it.
        """
        amounts = [words for words, times in self.replaced.items() if times == 1]
        return (
            any(map(naming.is_identifier, self.replaced))
            or sum(map(naming.is_amount, amounts)) >= AMOUNTS
        )

    def name_replaced(self, times: float, numbers: bool) -> bool:
        """Whether one page says throughout of one thing what the other says of another.

        That is, words stand for others so many times, or the words by which titles or hosts differ
        stand for each other once. `numbers` says whether words that are numbers count.
        """
        hosts = self.first.host, self.second.host
        named = {*naming.other_names(self.page, self.stored), *naming.other_labels(*hosts)}
        return any(
            number >= times or any(naming.stands_for(name, words) for name in named)
            for words, number in self.replaced.items()
            if numbers or not naming.is_number(words)
        )
