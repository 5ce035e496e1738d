"""A random sample of the pages that are like a stored one, the same for the same seed.

Bottom-k sampling: pages are ranked by a keyed hash of their URLs, and the first ones are taken. So
the sample is uniform, a larger one holds the smaller, and when the crawl has gone on most pairs are
the ones seen before. Every beginning of it is a uniform sample as well: who marks the first dozen
pairs only may stop there.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from crawler.errors import ConfigError
from crawler.observe.summary import format_time
from crawler.printing import Say, progress
from crawler.records import EXACT_TEXT, SIBLING, UrlState
from crawler.storage import AlikeUrl, Meta, StoreView, alike_urls

MAX_PAIRS = 2_000
"""Of one sample: more than anybody marks, and all of it is in memory."""
MAX_SEED = 2**53 - 1
"""The largest integer that a browser keeps as it is."""
SLOW_URLS = 2_000_000
"""URLs from which looking through all takes more than a few seconds."""


class Stratum(StrEnum):
    """What a pair is drawn from."""

    DROPPED = "dropped"
    """Near duplicates that were not stored."""
    SAME_TEXT = "same-text"
    """Pages that were not stored as their text is that of a stored page: by another rule than near
    duplicates, so that the errors of one do not speak for the other."""
    SIBLINGS = "siblings"
    """Pages as like as near duplicates that were taken for other pages, stored or not."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page of the sample."""

    url_id: int
    url: str
    stratum: Stratum
    stored: bool
    like_id: int | None
    """The stored page that it is like; None where that lies in another directory."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Pages in the order in which they were drawn, and what they were drawn from."""

    crawl: str
    """When the crawl began: what tells one from another, wherever its directory lies."""
    seed: int
    populations: Mapping[Stratum, int]
    """Pages of each stratum in the whole crawl."""
    drawn: tuple[Drawn, ...]


def check(total: int, siblings: int | None, seed: int) -> None:
    """Raise ConfigError for a sample that cannot be drawn."""
    if not 1 <= total <= MAX_PAIRS:
        raise ConfigError(f"--sample {total}: give a number from 1 to {MAX_PAIRS:,}")
    if siblings is not None and not 0 <= siblings <= total:
        raise ConfigError(f"--siblings {siblings}: give a number from 0 to {total}, the sample")
    if not 0 <= seed <= MAX_SEED:
        raise ConfigError(f"--seed {seed}: give a number from 0 to 2^53 - 1")


def draw(view: StoreView, total: int, siblings: int | None, seed: int, say: Say) -> Sample:
    """Draw `total` pages, or all there are, `siblings` of them siblings (None: half).

    The dropped ones are near duplicates and pages of the same text, one half each. Where one
    stratum has too few for its half, the other fills up. One pass over the URL table.
    """
    check(total, siblings, seed)
    lowest = {stratum: _Lowest(total, seed) for stratum in Stratum}
    if (urls := view.next_url_id - 1) >= SLOW_URLS:
        say(progress(f"Looking through {urls:,} URLs ..."))
    for alike in alike_urls(view):
        lowest[_stratum(alike)].add(alike)
    populations = {stratum: pages.seen for stratum, pages in lowest.items()}
    shares = _shares(total, siblings, populations)
    ranked = [
        (rank, _drawn(alike))
        for stratum, pages in lowest.items()
        for rank, alike in pages.ranked()[: shares[stratum]]
    ]
    ranked.sort(key=lambda one: one[0])
    return Sample(crawl_of(view), seed, populations, tuple(drawn for _, drawn in ranked))


def crawl_of(view: StoreView) -> str:
    """Return when a crawl's first run began, in ISO 8601; empty if none has."""
    runs = view.meta(Meta.RUNS, [])
    return format_time(runs[0]["started_at"]) if runs else ""


class _Lowest:
    """The pages of the lowest rank of all that were added."""

    def __init__(self, limit: int, seed: int) -> None:
        self.seen = 0
        self._limit = limit
        self._key = str(seed).encode()
        self._heap: list[tuple[int, int, AlikeUrl]] = []
        """(-rank, URL id, page): the highest rank on top."""

    def add(self, alike: AlikeUrl) -> None:
        self.seen += 1
        entry = (-self._rank(alike.url), alike.url_id, alike)
        if len(self._heap) < self._limit:
            heapq.heappush(self._heap, entry)
        elif entry[0] > self._heap[0][0]:
            heapq.heapreplace(self._heap, entry)

    def ranked(self) -> list[tuple[int, AlikeUrl]]:
        """Return (rank, page), the lowest first."""
        return sorted(((-rank, alike) for rank, _, alike in self._heap), key=lambda one: one[0])

    def _rank(self, url: str) -> int:
        name = url.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(name, digest_size=16, key=self._key).digest())


def _shares(
    total: int, siblings: int | None, populations: Mapping[Stratum, int]
) -> Mapping[Stratum, int]:
    near, same, kin = (
        populations[of] for of in (Stratum.DROPPED, Stratum.SAME_TEXT, Stratum.SIBLINGS)
    )
    if siblings is None:
        siblings = min(kin, max(total // 2, total - near - same))
    dropped = min(near + same, total - siblings)
    of_same_text = min(same, max(dropped // 2, dropped - near))
    return {
        Stratum.DROPPED: dropped - of_same_text,
        Stratum.SAME_TEXT: of_same_text,
        Stratum.SIBLINGS: min(kin, siblings),
    }


def _drawn(alike: AlikeUrl) -> Drawn:
    stored = alike.state is UrlState.STORED
    return Drawn(alike.url_id, alike.url, _stratum(alike), stored, alike.like_id)


def _stratum(alike: AlikeUrl) -> Stratum:
    return _STRATA.get(alike.detail, Stratum.DROPPED)


_STRATA = {SIBLING: Stratum.SIBLINGS, EXACT_TEXT: Stratum.SAME_TEXT}
