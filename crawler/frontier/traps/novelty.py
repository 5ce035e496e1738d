"""What the end of one URL brought to the crawl: something new, a copy, nothing."""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum

from crawler.records import SIBLING, Batch, Failure, Skip, UrlState

COUNTED_ORIGINALS = 100_000
"""Originals and looks whose copies are counted; the longest unseen is forgotten first."""

_NO_PAGE = frozenset(
    {
        (UrlState.FAILED, Failure.HTTP_CLIENT_ERROR.value),
        (UrlState.SKIPPED, Skip.NOINDEX.value),
        (UrlState.SKIPPED, Skip.NO_CONTENT.value),
    }
)
"""Ends without a page that speak of the URL, not of the network, the host or the job."""


class Novelty(Enum):
    """What a URL brought to the crawl."""

    NEW = "new"
    COPY = "copy"
    """One of the first copies of its original: a mirror, another version, a print version."""
    NOTHING = "nothing"


class NoveltyCounter:
    """Tells what ends brought; remembers how often each original was copied.

    `copies` is how many of one original, in one registrable domain, count as copies. A finite
    mirror holds few of each page, an endless one ever more.
    """

    def __init__(self, copies: int, limit: int = COUNTED_ORIGINALS) -> None:
        self._copies = copies
        self._limit = limit
        self._counts: OrderedDict[tuple[str, int | bytes], int] = OrderedDict()

    def of(self, batch: Batch, domain: str, look: bytes) -> Novelty | None:
        """Return what an end brought; None if it says nothing of the URL's neighbours.

        `look` is that of a stored page (`Document.look`), or of one in another language; one that
        is followed only has some if it led to a page that is to be stored. Pages that differ in
        digits only, as the days of an empty calendar do, count as copies of one look, however short
        they are. Siblings are new: a product list is made of them.
        """
        if batch.duplicate_of is not None and batch.detail != SIBLING:
            few = self._count((domain, batch.duplicate_of)) <= self._copies
            return Novelty.COPY if few else Novelty.NOTHING
        if batch.earlier is not None and batch.detail != SIBLING:
            # As new as it was to the crawl that stored it, so a refresh is cut where that was.
            few = self._count((domain, batch.earlier)) <= self._copies + 1
            return Novelty.NEW if few else Novelty.NOTHING
        if batch.detail == Skip.FOLLOW_ONLY:  # such a page is worth what it leads to
            return Novelty.NEW if look else Novelty.NOTHING
        if batch.state is UrlState.STORED or batch.detail == Skip.LANGUAGE:
            few = self._count((domain, look)) <= self._copies + 1
            return Novelty.NEW if few else Novelty.NOTHING
        if batch.state is UrlState.REDIRECT or (batch.state, batch.detail) in _NO_PAGE:
            return Novelty.NOTHING
        return None

    def _count(self, key: tuple[str, int | bytes]) -> int:
        number = self._counts.pop(key, 0) + 1
        self._counts[key] = number
        if len(self._counts) > self._limit:
            self._counts.popitem(last=False)
        return number
