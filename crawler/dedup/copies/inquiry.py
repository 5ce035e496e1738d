"""The stored pages that one may be a copy of, and the evidence on each, asked of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import hamming
from crawler.dedup.copies.agreement import Agreement, Page, characters
from crawler.dedup.copies.appearance import unpack
from crawler.dedup.copies.rules import Site, Weighed, show_alike, weigh
from crawler.dedup.methods.matching import Match
from crawler.models import Evidence, Shown, Signature, StoredRef
from crawler.urls.editions import Claim, Editions, address_key, claim_of

_T = TypeVar("_T")

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


Told = dict[tuple[Any, ...], Any]
"""What comparing a page with stored ones has said, by what was asked and of which. It can be
pickled, and says the same wherever the pages are the same."""


ADDRESS = ("address",)
"""Under this the key of the page's own address is told."""


class _Weighing(NamedTuple):
    """Evidence on two pages, and what it was drawn from besides these."""

    weighed: Weighed
    earned: tuple[bool, bool] | None
    """Whether the claim of their addresses was earned, and proven."""
    languages: bool | None
    """Whether that holds languages apart."""
    others: tuple[int, ...] | None
    """The latest pages of the host. Each of these is None where it was not asked for."""


class Inquiry:
    """Asks for evidence, and keeps what is learned of addresses by it.

    `threshold` is the smallest similarity of a near duplicate, `pages_held` how many stored pages
    are held in memory as they are compared.

    Whatever takes long depends on the two pages alone, or on few other facts beside them: it is
    noted in `told`, and where it is known already, the pages are not looked at again.
    """

    def __init__(self, catalog: Catalog, threshold: float, pages_held: int = PAGES_HELD) -> None:
        self._catalog = catalog
        self._threshold = threshold
        self.editions = Editions()
        """What the pages of this run, and of those before, have proven of addresses."""
        self._page = lru_cache(pages_held)(self._unpacked)
        # Asked for again and again for one page.
        self._others = lru_cache(1)(self._others_of)
        self.told: Told = {}
        """What was found out of the page that is asked about."""
        self._about: Shown | None = None

    def begin(self, told: Told | None = None) -> None:
        """Begin to ask about another page, of which this was told by others that hold the same."""
        self._others.cache_clear()  # pages of its host may have been stored since
        self.editions.begin()
        self.told = {} if told is None else told
        self._about = None

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
        own = self.told[ADDRESS] if ADDRESS in self.told else address_key(shown.url)
        keys = dict.fromkeys((own, shown.canonical_address))
        found = (match for key in keys if key is not None for match in self._at(key, text, shown))
        return sorted(found, key=lambda match: (-(match.similarity or 0.0), match.document_id))

    def weighed(
        self, shown: Shown, matches: Iterable[Match], *, short: bool = False
    ) -> Iterator[tuple[Match, Evidence]]:
        """Yield matches of a text, which may be `short`, with their evidence, each page once."""
        compared = 0
        for id_, match in {match.document_id: match for match in matches}.items():
            if compared > MOST_COMPARED:
                yield match, Evidence.UNKNOWN
                continue
            yield match, self._weigh(shown, id_, short=short)
            compared += self._asked(self._sizes, shown, id_)

    def same(self, shown: Shown, stored: Iterable[StoredRef]) -> StoredRef | None:
        """Return the first of stored pages with the same visible text that shows all of a page.

        One of which nothing is known but that text counts as such a page.
        """
        for one in stored:
            if self._asked(self._is_it, shown, one.id):
                self.observe(shown.url, one.url)
                return one
            if self._asked(self._is_unknown, shown, one.id):
                return one
            if self._weigh(shown, one.id).is_copy:
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
            if self._asked(self._show_alike, shown, match.document_id):
                return match
            compared += self._asked(self._sizes, shown, match.document_id)
        return None

    def observe(self, url: str, other: str) -> None:
        """Count two pages with the same bytes for what their addresses say."""
        if (claim := claim_of(url, other)) is not None:
            self.editions.observe(claim, agrees=True)

    def _asked(self, question: Callable[[Shown, int], _T], shown: Shown, document_id: int) -> _T:
        """Ask for what two pages say of each other, once."""
        if self._about is not shown:
            if self._about is not None:
                self.told = {}
            self._about = shown
        asked = question.__name__, document_id
        if asked not in self.told:
            self.told[asked] = question(shown, document_id)
        found: _T = self.told[asked]
        return found

    def _others_of(self, url: str) -> Sequence[Page]:
        found = map(self._page, self._catalog.of_host(url, MOST_OTHERS))
        return [page for page in found if page is not None]

    def _weigh(
        self, shown: Shown, document_id: int, *, short: bool = False, alike: bool = True
    ) -> Evidence:
        """Weigh two pages, and count what they say of their addresses."""
        claim = self._asked(self._claim, shown, document_id)
        asked = "weigh", document_id, short, alike
        known: _Weighing | None = self.told.get(asked)
        if known is None or not self._holds(known, claim, shown.url):
            site = Site(self.editions, self._others)
            page, stored = _shown(shown), self._page(document_id)
            weighed = weigh(page, stored, site, short=short, alike=alike, claim=claim)
            others = tuple(self._catalog.of_host(shown.url, MOST_OTHERS)) if site.of_host else None
            known = self.told[asked] = _Weighing(weighed, site.earned, site.languages, others)
        evidence, agrees = known.weighed
        if claim is not None and not alike and not evidence.is_copy:
            self.editions.observe_apart(claim)
        elif claim is not None and alike and agrees is not None:
            self.editions.observe(claim, agrees)
        return evidence

    def _holds(self, known: _Weighing, claim: Claim | None, url: str) -> bool:
        """Whether all that evidence was drawn from is as it was."""
        site = Site(self.editions, self._others)
        if claim is not None and known.earned is not None:
            site.support(claim)
        if claim is not None and known.languages is not None:
            site.holds_languages(claim)
        latest = self._catalog.of_host(url, MOST_OTHERS) if known.others is not None else None
        others = None if latest is None else tuple(latest)
        return known[1:] == (site.earned, site.languages, others)

    def _at(self, address: int, text: Signature, shown: Shown) -> Iterator[Match]:
        def similarity(shown: Shown, document_id: int) -> float:
            return signing.shingle_similarity(text, self._catalog.shingles(document_id))

        left = MOST_COMPARED
        for one in self._catalog.by_address(address, MOST_ADDRESSED):
            if one.shingle_kind != text.shingle_kind:
                continue
            alike = self._asked(similarity, shown, one.id)
            is_alike = alike >= self._threshold
            if not is_alike and left > 0:
                left -= self._asked(self._sizes, shown, one.id)
                is_alike = self._asked(self._shows_the_same, shown, one.id)
            if not is_alike and left > 0 and not self._asked(self._is_unknown, shown, one.id):
                # At the same address one whose text is not alike may show all of a page.
                if self._asked(self._has_much_in_common, shown, one.id):
                    is_alike = self._weigh(shown, one.id, alike=False).is_copy
                elif (claim := self._asked(self._claim, shown, one.id)) is not None:
                    self.editions.observe_apart(claim)
            if is_alike:
                distance = hamming(one.fingerprint, text.fingerprint)
                yield Match(one.id, one.fingerprint, distance, alike)

    # What two pages say of each other, and nothing else has a say in.

    def _claim(self, shown: Shown, document_id: int) -> Claim | None:
        if self._asked(self._is_unknown, shown, document_id):
            return None
        return claim_of(shown.url, self._catalog.ref(document_id).url)

    def _sizes(self, shown: Shown, document_id: int) -> int:
        return _size(_shown(shown)) + _size(self._page(document_id))

    def _is_it(self, shown: Shown, document_id: int) -> bool:
        return bool(shown.appearance) and shown.appearance == self._catalog.appearance(document_id)

    def _is_unknown(self, shown: Shown, document_id: int) -> bool:
        return _shown(shown) is None or self._page(document_id) is None

    def _show_alike(self, shown: Shown, document_id: int) -> bool:
        return show_alike(_shown(shown), self._page(document_id))

    def _has_much_in_common(self, shown: Shown, document_id: int) -> bool:
        one, other = _shown(shown), self._page(document_id)
        own, its = (of.lines if of else frozenset() for of in (one, other))
        return len(own & its) >= IN_COMMON * min(len(own), len(its))

    def _shows_the_same(self, shown: Shown, document_id: int) -> bool:
        one, other = _shown(shown), self._page(document_id)
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
