"""The stored pages that one may be a copy of, and the evidence on each, asked of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import hamming
from crawler.dedup.copies.agreement import Agreement, Page, characters
from crawler.dedup.copies.appearance import unpack
from crawler.dedup.copies.rules import show_alike, weigh
from crawler.dedup.methods.matching import Match
from crawler.models import Evidence, Shown, Signature, StoredRef
from crawler.urls.editions import Editions, address_key, claim_of

MOST_WEIGHED = 4
"""Pages that are alike which evidence is asked for, the likest first: a copy without a common
address is hardly ever less like than four other pages."""

MOST_ADDRESSED = 8
"""Pages of one address, or with one visible text, that are compared, the oldest first: editions,
languages, mirrors; videos under one description."""

MOST_OTHERS = 12
"""Other pages of a host that are asked what its pages have in common, the latest first."""

READ_APART = 0.1
"""Share of a judged text that stands beside the other one where two pages were read in two ways:
so much less brings a similarity of 1 down to .9. Without this condition 94 pages more of a manual
in many languages were dropped, partly translated ones that one template reads."""

IN_COMMON = 0.5
"""Share of the lines of the shorter of two pages at one address that are the same on both, from
which they are compared though their judged texts are not alike. Translations have fewer."""

MOST_COMPARED = 1_000_000
"""Characters of pages that are compared with one page, itself counted each time: some 30 ms of the
event loop. After it nothing is known of the others; they are siblings, so no page is lost by it.
Pages of a hundred printed pages reach it with the third."""

PAGES_HELD = 32
"""Stored pages held as passages: those a site's next page is compared with too."""


class Inquiry:
    """Asks for evidence, and keeps what is learned of addresses by it.

    `threshold` is the smallest similarity of a near duplicate, `pages_held` how many stored pages
    are held in memory as they are compared.
    """

    def __init__(self, catalog: Catalog, threshold: float, pages_held: int = PAGES_HELD) -> None:
        self._catalog = catalog
        self._threshold = threshold
        self.editions = Editions()
        """What the pages of this run, and of those before, have proven of addresses."""
        self._page = lru_cache(pages_held)(self._unpacked)
        # Asked for again and again for one page.
        self._others = lru_cache(1)(self._others_of)

    def begin(self) -> None:
        """Begin to ask about another page."""
        self._others.cache_clear()  # pages of its host may have been stored since
        self.editions.begin()

    def take_back(self) -> None:
        """Take back what was learned of addresses since `begin`."""
        self.editions.take_back()

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

    def weighed(
        self, shown: Shown, matches: Iterable[Match], *, short: bool = False
    ) -> Iterator[tuple[Match, Evidence]]:
        """Yield matches of a text, which may be `short`, with their evidence, each page once."""
        compared = 0
        for match in {match.document_id: match for match in matches}.values():
            if compared > MOST_COMPARED:
                yield match, Evidence.UNKNOWN
                continue
            page, stored = _shown(shown), self._page(match.document_id)
            yield match, self._weigh(page, stored, short=short)
            compared += _size(page) + _size(stored)

    def same(self, shown: Shown, stored: Iterable[StoredRef]) -> StoredRef | None:
        """Return the first of stored pages with the same visible text that shows all of a page.

        One of which nothing is known but that text counts as such a page.
        """
        for one in stored:
            if shown.appearance and shown.appearance == self._catalog.appearance(one.id):
                self.observe(shown.url, one.url)
                return one
            page, of = _shown(shown), self._page(one.id)
            if page is None or of is None:
                return one
            if self._weigh(page, of).is_copy:
                return one
        return None

    def shown_alike(self, shown: Shown, matches: Iterable[Match]) -> Match | None:
        """Return the first match on which enough of all that is visible is as on the page.

        None after MOST_COMPARED: a page is kept where what it shows was not compared.
        """
        compared = 0
        for match in matches:
            if compared > MOST_COMPARED:
                return None
            page, stored = _shown(shown), self._page(match.document_id)
            if show_alike(page, stored):
                return match
            compared += _size(page) + _size(stored)
        return None

    def observe(self, url: str, other: str) -> None:
        """Count two pages with the same bytes for what their addresses say."""
        if (claim := claim_of(url, other)) is not None:
            self.editions.observe(claim, agrees=True)

    def _others_of(self, url: str) -> Sequence[Page]:
        found = map(self._page, self._catalog.of_host(url, MOST_OTHERS))
        return [page for page in found if page is not None]

    def _weigh(
        self, page: Page | None, stored: Page | None, *, short: bool = False, alike: bool = True
    ) -> Evidence:
        """Weigh two pages, and count what they say of their addresses."""
        claim = claim_of(page.url, stored.url) if page and stored else None
        evidence, agrees = weigh(
            *(page, stored, self.editions, self._others), short=short, alike=alike, claim=claim
        )
        if claim is not None and not alike and not evidence.is_copy:
            self.editions.observe_apart(claim)
        elif claim is not None and alike and agrees is not None:
            self.editions.observe(claim, agrees)
        return evidence

    def _at(self, address: int, text: Signature, shown: Shown) -> Iterator[Match]:
        left = MOST_COMPARED
        for one in self._catalog.by_address(address, MOST_ADDRESSED):
            if one.shingle_kind != text.shingle_kind:
                continue
            similarity = signing.shingle_similarity(text, self._catalog.shingles(one.id))
            is_alike = similarity >= self._threshold
            page, stored = _shown(shown), None
            if not is_alike and left > 0:
                stored = self._page(one.id)
                left -= _size(page) + _size(stored)
                is_alike = self._shows_the_same(page, stored)
            if not is_alike and left > 0 and page and stored:
                # At the same address one whose text is not alike may show all of a page.
                own, its = page.lines, stored.lines
                if len(own & its) >= IN_COMMON * min(len(own), len(its)):
                    is_alike = self._weigh(page, stored, alike=False).is_copy
                elif (claim := claim_of(page.url, stored.url)) is not None:
                    self.editions.observe_apart(claim)
            if is_alike:
                distance = hamming(one.fingerprint, text.fingerprint)
                yield Match(one.id, one.fingerprint, distance, similarity)

    def _shows_the_same(self, one: Page | None, other: Page | None) -> bool:
        if one is None or other is None:
            return False
        smaller, larger = sorted((_size(one), _size(other)))
        if smaller < self._threshold * larger:
            return False
        # Whether much of what both show was judged on one of them and left out on the other.
        ours, theirs = one.appearance, other.appearance
        apart = (
            characters({*page.text} & {*beside.beside, *beside.links})
            for page, beside in ((ours, theirs), (theirs, ours))
        )
        if sum(apart) < READ_APART * max(characters(ours.text), characters(theirs.text)):
            return False
        return Agreement(one, other).shown_alike(lambda line: line.is_visible) >= self._threshold

    def _unpacked(self, document_id: int) -> Page | None:
        packed = self._catalog.appearance(document_id)
        if not packed:
            return None
        url, layout = self._catalog.ref(document_id).url, self._catalog.layout(document_id)
        return Page(unpack(packed), url, layout)


@lru_cache(maxsize=1)
def _shown(shown: Shown) -> Page | None:
    """Return a page to be compared; it is unpacked once, and only where there is a page like it."""
    packed = shown.appearance
    return Page(unpack(packed), shown.url, shown.layout) if packed else None


def _size(page: Page | None) -> int:
    of = page.appearance if page else None
    parts = (of.text, of.beside, of.links) if of else ()
    return sum(characters(lines) for lines in parts)
