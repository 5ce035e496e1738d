"""What the engine and a crawl ask of parts that do I/O or may be others, as protocols.

Their implementations say more: `crawler.fetch.Fetcher`, `crawler.workers.pool.AnalysisPool`,
`crawler.dedup.Judge` and `crawler.storage.store.Store`. The frontier does no I/O, and there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from crawler.dedup.kinds import Originals
from crawler.extract import Listing, PageLinks
from crawler.models import (
    Document,
    EditionCount,
    ExactDuplicate,
    FetchOutcome,
    FetchTask,
    NewUrl,
    PageOutcome,
    PayloadKey,
    Predicted,
    Released,
    Shown,
    Signature,
    Verdict,
)
from crawler.storage.catalog import EarlierPages
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import Planned, as_it_is


class RobotsRules(Protocol):
    """The robots.txt files that were read."""

    def allowed(self, url: str) -> bool:
        """Whether the rules allow a canonical URL."""

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return, once, the sitemaps that the file of an origin names."""


class PageFetcher(Protocol):
    """The network."""

    @property
    def robots(self) -> RobotsRules:
        """What may be fetched."""

    async def fetch(
        self, task: FetchTask, delay_s: float, leads_on: Callable[[str, bool], bool]
    ) -> FetchOutcome:
        """Fetch one page, and what its redirects lead to where `leads_on`; trouble is a value."""


class PagePool(Protocol):
    """The analysis processes."""

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """Read a page, by what `planned` makes of the request when its turn has come."""

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Read the links of a page whose payload is known."""

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """Read what a sitemap or feed lists; None where it is none."""


class PageJudge(Protocol):
    """All that is known of stored pages."""

    def known_payload(self, key: PayloadKey) -> ExactDuplicate | None:
        """Return the verdict on a page whose payload is stored already."""

    def judge(
        self, key: PayloadKey, signature: Signature, next_id: int, shown: Shown | None = None
    ) -> Verdict:
        """Judge a page and remember it; it has this id if it is stored."""

    def keeps(self, verdict: Verdict) -> bool:
        """Whether a page with this verdict is stored."""

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """Learn what addresses mean from a page that ended by `known_payload`."""

    def take_editions(self) -> tuple[EditionCount, ...]:
        """Return, once, what was learned of addresses since this was last asked."""


class StoredPages(Originals, Protocol):
    """Stored pages, of this crawl and of earlier ones, to compare a copy with its original."""

    def appearance(self, document_id: int) -> bytes | None:
        """Return what is kept of a page's appearance, packed."""

    def elsewhere(self, document_id: int) -> tuple[EarlierPages, int] | None:
        """Return where an earlier page lies and its id there; None for one of this crawl."""


class PageStore(Protocol):
    """Where ends go."""

    @property
    def next_document_id(self) -> int:
        """What the first page stored in this run is called."""

    def submit(self, outcome: PageOutcome) -> None:
        """Take an end; it is visible at once and durable with its group."""

    def submit_urls(self, new_urls: Sequence[NewUrl]) -> None:
        """Take URLs that come with no end."""

    def submit_predicted(self, changes: Sequence[Predicted | Released]) -> None:
        """Take what was postponed, and what has its place again, in this order."""

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """Take smaller depths of URLs that have ended, by id."""

    async def room(self) -> None:
        """Wait while too much waits to be written; raises StoreError where nothing can be."""
