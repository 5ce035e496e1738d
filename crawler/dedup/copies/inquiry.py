"""The stored pages that one may be a copy of, and the evidence on each, asked of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from crawler.dedup.catalog import Catalog
from crawler.dedup.copies.address import address_key
from crawler.dedup.copies.agreement import agreement, characters
from crawler.dedup.copies.appearance import Appearance, unpack
from crawler.dedup.copies.rules import Seen, show_alike, weigh
from crawler.dedup.hamming import hamming
from crawler.dedup.methods.matching import Match
from crawler.dedup.signing import shingles
from crawler.records import Evidence, Shown, Signature

MOST_WEIGHED = 4
"""Pages that are alike which evidence is asked for, the likest first: a copy without a common
address is hardly ever less like than four other pages."""

MOST_ADDRESSED = 8
"""Pages of one address that are compared, the oldest first: editions, languages, mirrors."""

READ_APART = 0.1
"""Share of a judged text that stands beside the other one where two pages were read in two ways:
so much less brings a similarity of 1 down to .9. Without this condition 94 pages more of a manual
in many languages were dropped, partly translated ones that one template reads."""

MOST_COMPARED = 1_000_000
"""Characters of pages that are compared with one page, itself counted each time: some 30 ms of the
event loop. After it nothing is known of the others; they are siblings, so no page is lost by it.
Pages of a hundred printed pages reach it with the third."""


class Inquiry:
    """Asks for evidence. `threshold` is the smallest similarity of a near duplicate."""

    def __init__(self, catalog: Catalog, threshold: float) -> None:
        self._catalog = catalog
        self._threshold = threshold

    def addressed(self, text: Signature, shown: Shown) -> list[Match]:
        """Return the stored pages at the page's address that are as like as near duplicates.

        Of its own address and of that of the page it names as canonical; the likest first. They
        need no index, so texts too short for it are found as well, and pages that show the same
        although other parts of them were judged: one was read before its site's template was
        learned, one by it.
        """
        keys = dict.fromkeys((address_key(shown.url), shown.canonical_address))
        found = (match for key in keys if key is not None for match in self._at(key, text, shown))
        return sorted(found, key=lambda match: (-(match.similarity or 0.0), match.document_id))

    def weighed(self, shown: Shown, matches: Iterable[Match]) -> Iterator[tuple[Match, Evidence]]:
        """Yield matches with their evidence, each page once."""
        compared = 0
        for match in {match.document_id: match for match in matches}.values():
            if compared > MOST_COMPARED:
                yield match, Evidence.UNKNOWN
                continue
            page, stored = _seen(shown), self._stored(match.document_id)
            yield match, weigh(page, stored)
            compared += _size(page.appearance) + _size(stored.appearance)

    def shown_alike(self, shown: Shown, matches: Iterable[Match]) -> Match | None:
        """Return the first match on which enough of all that is visible is as on the page.

        None after MOST_COMPARED: a page is kept where what it shows was not compared.
        """
        compared = 0
        for match in matches:
            if compared > MOST_COMPARED:
                return None
            page, stored = _seen(shown), self._stored(match.document_id)
            if show_alike(page, stored):
                return match
            compared += _size(page.appearance) + _size(stored.appearance)
        return None

    def _at(self, address: int, text: Signature, shown: Shown) -> Iterator[Match]:
        left = MOST_COMPARED
        for one in self._catalog.by_address(address, MOST_ADDRESSED):
            if one.shingle_kind != text.shingle_kind:
                continue
            similarity = shingles.similarity(text, self._catalog.shingles(one.id))
            is_alike = similarity >= self._threshold
            if not is_alike and left > 0:
                page, stored = _seen(shown).appearance, self._appearance(one.id)
                left -= _size(page) + _size(stored)
                is_alike = self._shows_the_same(page, stored)
            if is_alike:
                distance = hamming(one.fingerprint, text.fingerprint)
                yield Match(one.id, one.fingerprint, distance, similarity)

    def _shows_the_same(self, one: Appearance | None, other: Appearance | None) -> bool:
        if one is None or other is None:
            return False
        smaller, larger = sorted((_size(one), _size(other)))
        if smaller < self._threshold * larger or not _are_read_apart(one, other):
            return False
        return agreement(one, other).visible_alike >= self._threshold

    def _stored(self, document_id: int) -> Seen:
        url, layout = self._catalog.ref(document_id).url, self._catalog.layout(document_id)
        return Seen(url, self._appearance(document_id), layout)

    def _appearance(self, document_id: int) -> Appearance | None:
        packed = self._catalog.appearance(document_id)
        return unpack(packed) if packed else None


@lru_cache(maxsize=1)
def _seen(shown: Shown) -> Seen:
    """Return a page to be compared; it is unpacked once, and only where there is a page like it."""
    appearance = unpack(shown.appearance) if shown.appearance else None
    return Seen(shown.url, appearance, shown.layout)


def _are_read_apart(one: Appearance, other: Appearance) -> bool:
    """Whether much of what both show was judged on one of them and left out on the other."""
    apart = (
        characters({*page.text} & {*beside.beside, *beside.links})
        for page, beside in ((one, other), (other, one))
    )
    return sum(apart) >= READ_APART * max(characters(one.text), characters(other.text))


def _size(page: Appearance | None) -> int:
    parts = (page.text, page.beside, page.links) if page else ()
    return sum(characters(lines) for lines in parts)
