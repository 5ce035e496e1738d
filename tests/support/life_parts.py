"""Fakes of the parts that carry a page: each says what it was told to, and keeps what it heard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from crawler.dedup import Judged
from crawler.engine.engine import Learners
from crawler.frontier import Nearer, Refusal, Subtree, UrlBudget
from crawler.models import (
    Document,
    EditionCount,
    Evidence,
    ExactDuplicate,
    FetchOutcome,
    FetchTask,
    JudgedOn,
    Learned,
    Listing,
    Mirrored,
    NearDuplicate,
    New,
    NewUrl,
    PageLinks,
    PageOutcome,
    PayloadKey,
    Predicted,
    Priority,
    ReadPage,
    Released,
    SentUrl,
    Shingles,
    Shown,
    Sibling,
    Signature,
    StoredRef,
    Verdict,
)
from crawler.observe.summary import Tally
from crawler.sources.web.pipeline import PagePipeline, Parts
from crawler.storage.view import Accounting
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import Planned, as_it_is
from support.worlds import job

TASK = FetchTask(7, "http://a.test/page", "a.test", depth=2)
ORIGINAL = StoredRef(3, "http://a.test/original")
EXACT = ExactDuplicate("exact-payload", ORIGINAL)
SIBLING = Sibling(ORIGINAL, 2, 0.9, 1, 3, (1, 2, 3), Evidence.OTHER_TITLE)
NEAR = NearDuplicate(ORIGINAL, 2, 0.9, 1, 3, (1, 2, 3), Evidence.SAME_TEXT)

APPEARANCES = {ORIGINAL.id: b"what its reader sees, packed"}
"""Page id -> what is kept of its appearance."""


def document(**changes: Any) -> Document:
    """Return a page as it was read: a hundred tokens and two links."""
    values: dict[str, Any] = {
        "title": "A page",
        "text": "what it says",
        "look": b"what it looks like",
        "judged_on": JudgedOn.MAIN,
        "charset": "utf-8",
        "links": ("http://a.test/1", "http://a.test/2"),
        "canonical_url": None,
        "refresh": None,
        "noindex": False,
        "nofollow": False,
        "signature": signature(tokens=100),
    }
    return Document(**(values | changes))


def signature(tokens: int) -> Signature:
    """Return the signature of some text of so many tokens."""
    shingles = np.arange(5, dtype=np.uint32)
    return Signature(b"t" * 32, b"v" * 32, 1, tokens, "word3", shingles, b"s" * 64)


class FakeFrontier:
    """Accepts every link it has not seen; what ended ends, unless `again` says otherwise."""

    def __init__(self) -> None:
        self.again = False
        self.cuts: Subtree | None = None
        self.reported: list[FetchOutcome | None] = []
        self.settled: list[tuple[FetchTask, PageOutcome]] = []
        self.refunds = 0
        self.found_nearer: list[Nearer] = []
        self.offers: list[tuple[str, Mapping[str, Any]]] = []

    def ended(
        self, task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> FetchOutcome | None:
        """See Frontier."""
        self.reported.append(outcome)
        return None if self.again else outcome

    def follows_only(self, url: str) -> bool:
        """See Frontier."""
        return False

    def leads_on(self, url: str, again: bool, via: FetchTask | None = None) -> bool:
        """See Frontier."""
        return False

    def living_copy(self, task: FetchTask) -> int | None:
        """See PageFrontier: nothing is learned of URLs."""
        return None

    def mirror(self, task: FetchTask) -> Mirrored | None:
        """See PageFrontier: nothing is learned of URLs."""
        return None

    def take_widening(self) -> list[SentUrl]:
        """See PageFrontier: there is one partition."""
        return []

    def take_predicted(self, now: float) -> list[Predicted | Released]:
        """See PageFrontier: nothing is postponed."""
        return []

    def settle(self, task: FetchTask, outcome: PageOutcome) -> None:
        """See Frontier."""
        self.settled.append((task, outcome))

    def spend(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """See Frontier."""
        return self.cuts

    def refund_page(self) -> None:
        """See Frontier."""
        self.refunds += 1

    def depth_of(self, task: FetchTask) -> int:
        """See Frontier."""
        return task.depth

    def led_to(
        self,
        task: FetchTask,
        links: tuple[str, ...],
        priority: Priority,
        step: int,
        budget: UrlBudget | None = None,
    ) -> None:
        """See Frontier."""

    def nearer(self) -> Nearer | None:
        """See Frontier."""
        return self.found_nearer.pop(0) if self.found_nearer else None

    def take_lowered(self) -> dict[int, int]:
        """See Frontier."""
        return {}

    def delay_s(self, host: str) -> float:
        """See Frontier."""
        return 1.0

    def offer(
        self, url: str, *, depth: int, priority: Priority = Priority.ORDINARY, **fields: Any
    ) -> NewUrl | Refusal:
        """See Frontier."""
        if url in [seen for seen, _ in self.offers]:
            return Refusal.SEEN
        self.offers.append((url, {"depth": depth, "priority": priority, **fields}))
        url_id = 100 + len(self.offers)
        return NewUrl(url_id, url, "a.test", depth, priority, fields.get("hops", 0), TASK.url_id)

    def url_budget(self, task: FetchTask, sent_bytes: int) -> UrlBudget | None:
        """See Frontier."""
        return None


class FakeFetcher:
    """Answers every task by one outcome, or raises it."""

    def __init__(self, outcome: FetchOutcome | BaseException) -> None:
        self.outcome = outcome
        self.asked = 0
        self.forbidden = False
        self.named: tuple[str, ...] = ()
        self.robots = self

    def allowed(self, url: str) -> bool:
        """See RobotsRules."""
        return not self.forbidden

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """See RobotsRules."""
        found, self.named = self.named, ()
        return found

    async def fetch(
        self, task: FetchTask, delay_s: float, leads_on: Callable[[str, bool], bool]
    ) -> FetchOutcome:
        """See PageFetcher."""
        self.asked += 1
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


class FakeReader:
    """Reads every page as one document, or fails with it."""

    def __init__(self, page: Document | AnalysisFailed) -> None:
        self.page = page
        self.listed: Listing | None = None
        self.calls: list[str] = []

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """See PagePool."""
        planned(request)
        self.calls.append("analyse")
        return self.page

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """See PagePool."""
        self.calls.append("links")
        if isinstance(self.page, AnalysisFailed):
            return self.page
        return PageLinks(self.page.links, nofollow=self.page.nofollow)

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """See PagePool."""
        self.calls.append("listing")
        return self.page if isinstance(self.page, AnalysisFailed) else self.listed


class FakeJudge:
    """Has one verdict on everything, and keeps new pages; and those like others where it `tags`."""

    def __init__(self, verdict: Verdict | None = None) -> None:
        self.verdict = verdict or New()
        self.known: ExactDuplicate | None = None
        self.tags = False
        self.stored = 0
        """Pages that were; the first one has the id 41."""
        self.shown: list[Shown | None] = []
        self.observed: list[str] = []

    def known_payload(self, key: PayloadKey) -> ExactDuplicate | None:
        """See PageJudge."""
        return self.known

    async def decide(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None = None,
        page: ReadPage | None = None,
    ) -> Judged:
        """See PageJudge."""
        self.shown.append(shown)
        verdict = self.verdict
        if isinstance(verdict, NearDuplicate | Sibling):
            is_stored = self.tags
        else:
            is_stored = not isinstance(verdict, ExactDuplicate)
        self.stored += is_stored
        return Judged(verdict, 40 + self.stored if is_stored else None)

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """See PageJudge."""
        self.observed.append(url)

    def take_editions(self) -> tuple[EditionCount, ...]:
        """See PageJudge."""
        return ()


class FakeStore:
    """Keeps the batches it is handed; every stored page has the shingles of `signature`."""

    def __init__(self) -> None:
        self.batches: list[PageOutcome] = []
        self.urls: list[NewUrl] = []
        self.waits = 0
        self.kept: dict[str, Learned] = {}

    def learned(self, host: str) -> Learned | None:
        """See KeptLearners."""
        return self.kept.get(host)

    def latest_version(self, host: str) -> int:
        """See KeptLearners: nothing was learned in an earlier run."""
        return 0

    def keep_learned(self, known: Learned) -> None:
        """See KeptLearners."""
        self.kept[known.host] = known

    def submit(self, batch: PageOutcome) -> None:
        """See PageStore."""
        self.batches.append(batch)

    def submit_urls(self, new_urls: Sequence[NewUrl], sent: Sequence[SentUrl] = ()) -> None:
        """See PageStore."""
        self.urls += new_urls

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """See PageStore."""

    def submit_predicted(self, changes: Sequence[Predicted | Released]) -> None:
        """See PageStore: nothing waits."""

    async def room(self) -> None:
        """See PageStore."""
        self.waits += 1

    async def refill(
        self, host: str, after: tuple[int, int, int] | None, limit: int
    ) -> list[FetchTask]:
        """See PageStore: nothing waits."""
        return []

    async def flush(self) -> None:
        """See PageStore."""

    def accounting(self) -> Accounting:
        """See PageStore: nothing is counted."""
        return Accounting({}, {})

    def shingles(self, document_id: int) -> Shingles:
        """See LayeredCatalog."""
        return Shingles.of(signature(100))

    def layout(self, document_id: int) -> bytes | None:
        """See LayeredCatalog."""
        return None

    def appearance(self, document_id: int) -> bytes | None:
        """See LayeredCatalog."""
        return APPEARANCES.get(document_id)

    def elsewhere(self, document_id: int) -> None:
        """See LayeredCatalog: all are of this crawl."""


class LifeWorld:
    """One page's life among fakes."""

    def __init__(
        self,
        outcome: FetchOutcome | BaseException,
        page: Document | AnalysisFailed | None = None,
        verdict: Verdict | None = None,
        **sections: object,
    ) -> None:
        self.frontier = FakeFrontier()
        self.fetcher = FakeFetcher(outcome)
        self.reader = FakeReader(page or document())
        self.judge = FakeJudge(verdict)
        self.store = FakeStore()
        self.tally = Tally({})
        self.cuts: list[Subtree] = []
        self.learners = Learners(self.store)
        parts = Parts(
            cast("Any", self.frontier),
            self.fetcher,
            self.reader,
            self.judge,
            self.store,
            cast("Any", self.store),
            self.learners,
            self.tally,
        )
        self.life = PagePipeline(
            job(**sections), parts, lambda: 5.0, lambda: 1_700_000_000.0, self.cuts.append
        )

    async def run(self) -> PageOutcome | None:
        """Live the life of TASK; return its end, None where it has none."""
        await self.life.run(TASK)
        assert [batch for _, batch in self.frontier.settled] == self.store.batches
        assert len(self.store.batches) <= 1
        return self.store.batches[0] if self.store.batches else None

    @property
    def offered(self) -> list[str]:
        """The URLs that were offered."""
        return [url for url, _ in self.frontier.offers]
