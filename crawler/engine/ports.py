"""What the engine and a crawl ask of parts that do I/O or may be others, as protocols.

Their implementations say more: `crawler.fetch.Fetcher`, `crawler.frontier.Frontier`,
`crawler.workers.pool.AnalysisPool`, `crawler.dedup.Judge` and `crawler.storage.store.Store`; others
are `tests/support/second.py`, and `tests/engine/test_ports.py` holds both to what is promised here.

The frontier gives each URL its number, the judge each stored page its id: higher than all before,
of this run and of earlier ones, and nobody else counts on. A `now` is the caller's monotonic clock;
what outlives a run is told in seconds left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from crawler.dedup import Judged
from crawler.dedup.judge import Part
from crawler.frontier import (
    CheckRobots,
    Filtered,
    FrontierCounts,
    Health,
    HostSeen,
    LookFor,
    Nearer,
    Pause,
    Refill,
    Refusal,
    RulesSeen,
    Subtree,
    Turn,
    UrlBudget,
)
from crawler.models import (
    Document,
    EditionCount,
    ExactDuplicate,
    FetchOutcome,
    FetchTask,
    IndexRow,
    Listing,
    Mirrored,
    NewUrl,
    PageLinks,
    PageOutcome,
    PayloadKey,
    Predicted,
    Priority,
    ReadPage,
    Released,
    Reputation,
    RobotsAnswer,
    SentUrl,
    Shown,
    Signature,
)
from crawler.storage.view import Accounting
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


class PageFrontier(Protocol):
    """Which URL next, and when. It waits for nothing."""

    def take(self, now: float, *, idle: bool = False, strangers: bool = True) -> Turn:
        """Return the next turn, to be answered but for Wait, which where `idle` may be the end."""

    def waiting_for_slot(self, now: float, *, only_strangers: bool) -> float | None:
        """Return when the first host is due that may find no place; None where there is none."""

    def reputation(self, name: str) -> Reputation:
        """Return what the answers of a host with a turn are worth."""

    def resolved(self, host: str, address: str | None, now: float) -> None:
        """Answer Resolve."""

    def lease(self, wanted: Callable[[], None]) -> None:
        """Have requests to addresses by `grant` alone; call `wanted` where these have changed."""

    def addresses(self, now: float) -> dict[str, int]:
        """Return the wanted addresses, with how many requests at once each may have, or has yet.

        Others have none any more.
        """

    def grant(self, slots: Mapping[str, int]) -> None:
        """Have so many requests at once to these addresses from now on."""

    def refilled(self, turn: Refill, tasks: list[FetchTask]) -> list[FetchTask]:
        """Answer Refill with `PageStore.refill`; return the tasks that are to end unasked."""

    def robots_answered(
        self, turn: CheckRobots, answer: RobotsAnswer, begun_at: float, now: float
    ) -> None:
        """Answer CheckRobots."""

    def owner(self, host: str) -> int | None:
        """Return the partition that owns a host; None where it is this one."""

    def told(self, asker: str) -> None:
        """What a host's robots.txt was moved to has been asked by its owner."""

    def look_for(self, url: str) -> None:
        """Have a place of a host asked for another partition, by a LookFor."""

    def looked(self, turn: LookFor, now: float, *, requested: bool) -> None:
        """Answer LookFor."""

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests to a host with URLs."""

    def ended(
        self, task: FetchTask, outcome: FetchOutcome | None, begun_at: float, now: float
    ) -> FetchOutcome | None:
        """Answer a FetchTask; None where it is no end: it will be asked for again, or later."""

    def unread(self, host: str, size: int) -> bool:
        """A page waits to be read, until `was_read`; return whether there is room for it."""

    def was_read(self, host: str, size: int) -> None:
        """It does not wait any more."""

    def owes(self, asked: Mapping[str, int], now: float) -> None:
        """Hosts were sent so many requests beside those for pages: they are left alone for it."""

    def spend(self, task: FetchTask, outcome: PageOutcome) -> Subtree | None:
        """Note in an end what it takes of its host's limits, and teaches; before it is stored.

        Return the subtree that is cut by that, if any.
        """

    def take_predicted(self, now: float) -> list[Predicted | Released]:
        """Return, once, what was postponed and released since: the store is to have it at once."""

    def living_copy(self, task: FetchTask) -> int | None:
        """Return the number of a stored page that a task should lead to; None: none is known."""

    def mirror(self, task: FetchTask) -> Mirrored | None:
        """Return what its host or folder is known to mirror by the ends so far; None: nothing."""

    def hear(self, host: str, url: str, packed: bytes, referrer: str | None) -> None:
        """Take in what an end of an earlier run taught, in the order of the ends."""

    def foretold(self, host: str, rule: str, number: int, waiting: int, last: int) -> None:
        """A rule spoke of so many URLs of a host in earlier runs, and so many wait by it.

        Some of them were postponed to the place `last`.
        """

    def settle(self, task: FetchTask, outcome: PageOutcome) -> None:
        """The store has a task's end: forget it."""

    def allow(self, pages: int) -> None:
        """Have so many pages more than were left; from now on they are counted."""

    @property
    def pages_left(self) -> int | None:
        """How many more pages may be asked for; None without a limit."""

    def refund_page(self) -> None:
        """A task that counted against the page limit brought no page."""

    def offer(
        self,
        url: str,
        *,
        depth: int,
        priority: Priority = Priority.ORDINARY,
        hops: int = 0,
        via: FetchTask | None = None,
        seed: bool = False,
        asked: bool = False,
        budget: UrlBudget | None = None,
    ) -> NewUrl | SentUrl | Refusal | Filtered:
        """Accept a canonical URL once in a crawl's life, and number it; see `Frontier.offer`."""

    def route(self, owner: Callable[[str], int | None], others: Iterable[int]) -> None:
        """Send URLs of hosts that another partition owns there; None: this one does."""

    def take_widening(self) -> list[SentUrl]:
        """Return, once, what widens the scope, for each of the other partitions."""

    def arrived(self, sent: SentUrl) -> NewUrl | SentUrl | Refusal | Filtered:
        """Offer what another partition has sent here."""

    def adopt(self, task: FetchTask) -> None:
        """Take a restored URL whose page was read by an earlier run for under way: to `settle`."""

    def url_budget(self, task: FetchTask, sent_bytes: int) -> UrlBudget | None:
        """Return what a page pays its links with; None: they cost nothing."""

    def follows_only(self, url: str) -> bool:
        """Whether the page at a URL is wanted for its links alone."""

    def leads_on(self, url: str, again: bool, via: FetchTask | None = None) -> bool:
        """Whether a redirect within a host may be followed at once."""

    def depth_of(self, task: FetchTask) -> int:
        """Return the smallest depth that is known of a task."""

    def led_to(
        self,
        task: FetchTask,
        links: tuple[str, ...],
        priority: Priority,
        step: int,
        budget: UrlBudget | None = None,
    ) -> None:
        """A page's links were offered, `step` deeper than itself."""

    def nearer(self) -> Nearer | None:
        """Return, once, a page found by a shorter path, whose links are to be offered again."""

    def take_lowered(self) -> dict[int, int]:
        """Return, once, smaller depths of URLs that have ended, by id."""

    @property
    def pending_depths(self) -> dict[int, int]:
        """Depths of pending URLs, by id, that may be smaller than the store knows."""

    def obey(self, allowed: Callable[[str], bool]) -> None:
        """Ask this whether known rules allow a URL."""

    def leave(self, elsewhere: Callable[[str], bool]) -> None:
        """Take links and redirects to such URLs for seen."""

    def widen(self, seeds: Iterable[str], places: Iterable[str]) -> None:
        """Take what lies where these seeds do, and the `places` of a `state`, into the scope."""

    def resume(self, pauses: Mapping[str, Pause], health: Mapping[str, Health], now: float) -> None:
        """Begin with what an earlier run owed hosts and knew of them; before `restore`."""

    def restore(self, host: str, pending: int) -> None:
        """Have so many URLs of a host pending: they are in the store, to be asked for by Refill."""

    def take_pauses(self, now: float) -> Iterator[tuple[str, Pause | None]]:
        """Yield, once, hosts to which something happened; None: nothing is owed any more."""

    def take_health(self) -> dict[str, Health]:
        """Return, once, how hosts and origins are, where that has changed."""

    def state(self, pending: Iterable[tuple[str, str, str | None, bool]] = ()) -> dict[str, Any]:
        """Return what else a later run begins with: `places` (`widen`) and `traps` (when made)."""

    def snapshot(self) -> tuple[dict[str, int], Iterator[bytes]]:
        """Return what a `SeenSet` of all URLs is restored from, and of how many that tells."""

    def counts(self) -> FrontierCounts:
        """Return how much there is, for any thread."""

    def hosts_seen(self, names: Iterable[str], now: float, most: int) -> list[HostSeen]:
        """Return halted hosts, those of these names, and about `most` others."""

    def rules_seen(self, now: float, most: int) -> RulesSeen:
        """Return the rules by which URLs wait, at most so many, and what became of some of late."""

    def left_behind(self) -> list[tuple[str, str]]:
        """Return what is put aside, and why; then halted hosts, of which "" is said."""

    def halt(self, host: str, *, halted: bool = True) -> bool:
        """Ask nothing more of a host, or do again; False where it is not known, or not halted."""


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
        """Return the verdict on a page whose payload the store has already."""

    async def decide(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None = None,
        page: ReadPage | None = None,
    ) -> Judged:
        """Judge a page, remember it, and give it its id if it is to be stored: one step.

        `page` is what a judge elsewhere keeps until its answer has come to the store, since by then
        it may decide on others by it.

        Who awaits it hands the outcome to the store before awaiting anything else. A judge that
        waits decides by pages of its own, since the store may not have them, and wakes who asked in
        the order of its answers: each original is in the store before its copies ask for it. What
        is cancelled meanwhile is known to it and not stored: then it must not serve as an original.
        """

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """Learn what addresses mean from a page that ended by `known_payload`."""

    def take_editions(self) -> tuple[EditionCount, ...]:
        """Return, once, what was learned of addresses since this was last asked."""


class RememberedJudge(PageJudge, Protocol):
    """A judge that is restored from the store, or from a snapshot of what it remembers."""

    @property
    def kind(self) -> str:
        """Of what judges the `parts` make one like this: those with this kind."""

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Take in the stored pages of an earlier run, oldest first."""

    def parts(self, last_id: int) -> Iterator[Part] | None:
        """Return what `take_part` makes a judge like this of; None where that cannot be."""

    def take_part(self, name: str, data: bytes) -> None:
        """Take in one part; ValueError for what is none."""


class PageStore(Protocol):
    """Where ends go, and where URLs wait."""

    def submit(self, outcome: PageOutcome) -> None:
        """Take an end, with its URLs and page: visible at once, durable with its group.

        TypeError for one that cannot be written, of which nothing is taken. One that is the second
        of its URL, or of none, ends the store: StoreError from then on, by `flush` at the latest.
        """

    def submit_urls(self, new_urls: Sequence[NewUrl], sent: Sequence[SentUrl] = ()) -> None:
        """Take URLs that come with no end."""

    def submit_predicted(self, changes: Sequence[Predicted | Released]) -> None:
        """Take what was postponed, and what has its place again, in this order."""

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """Take smaller depths of URLs that have ended, by id."""

    async def refill(
        self, host: str, after: tuple[int, int, int] | None, limit: int
    ) -> list[FetchTask]:
        """Return pending URLs of a host, in order of priority, depth and number, beyond a key."""

    async def flush(self) -> None:
        """Wait until all that was submitted is durable; StoreError where it cannot be."""

    def accounting(self) -> Accounting:
        """Return durable URLs by how they ended, and lines: two counts, by different ways."""

    async def room(self) -> None:
        """Wait while too much waits to be written; raises StoreError where nothing can be."""
