"""What each port promises, held against the part that crawls use and against a second one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from support.crawling import loopback_job
from support.life_parts import TASK, LifeWorld, document
from support.output import lines
from support.remembering import key, signature
from support.second import AwaitedJudge, BreadthFirst, MemoryStore, carried
from support.sites import crawled, ends
from support.store_material import IDENTITY, digest, duplicate, new_url, page
from support.threaded import Reply, Site, site
from support.threaded import page as html
from support.worlds import World, failed, fetched, job

from crawler import urls
from crawler.config import Dedup, SiblingMode, parse_job
from crawler.dedup import Judge, Judged, MemoryCatalog, represents
from crawler.engine.identity import identity
from crawler.engine.ports import PageFrontier, PageJudge, PageStore
from crawler.errors import StoreError
from crawler.frontier import CheckRobots, Frontier, Refusal, SeenSet, Turn, Wait
from crawler.models import (
    ExactDuplicate,
    Failure,
    FetchOutcome,
    FetchTask,
    NearDuplicate,
    New,
    NewUrl,
    PageOutcome,
    PayloadKey,
    Predicted,
    Priority,
    Redirected,
    Released,
    Shown,
    StoredDocument,
    UrlState,
)
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

# ---------------------------------------------------------------- frontier


@pytest.fixture(params=[Frontier, BreadthFirst])
def make(request: pytest.FixtureRequest) -> Callable[..., PageFrontier]:
    """Return what makes a frontier."""
    made: list[Callable[..., PageFrontier]] = [Frontier, BreadthFirst]
    return made[made.index(request.param)]


class Played(World):
    """A world around any frontier, where pages fail as they are told to."""

    def __init__(self, frontier: PageFrontier) -> None:
        super().__init__(cast("Any", frontier), {})
        self.turns: list[Turn] = []
        self.failures: dict[str, list[Failure]] = {}
        """URL -> how it fails, one time after another."""
        self.retry_after_s: float | None = None
        self.ended: dict[str, FetchOutcome] = {}

    def play(self, turn: Turn) -> None:
        """Keep what is played."""
        self.turns.append(turn)
        super().play(turn)

    def outcome(self, task: FetchTask) -> FetchOutcome:
        """Fail, or bring a page."""
        left = self.failures.get(task.url)
        outcome: FetchOutcome = fetched(task)
        if left:
            outcome = failed(task, left.pop(0), self.retry_after_s)
        self.ended[task.url] = outcome
        return outcome

    @property
    def asked(self) -> list[str]:
        """The URLs that were asked for, in order."""
        return [turn.url for turn in self.turns if isinstance(turn, FetchTask)]


ADDRESSES = [f"http://{host}.test/{n}" for n in range(4) for host in "abc"]


def test_a_url_is_accepted_once_numbered_in_turn_and_asked_for_once(
    make: Callable[..., PageFrontier],
) -> None:
    """Numbers go on from the one given; what is refused has none and is not counted."""
    frontier = make(
        job(limits={"depth": 1}, scope={"mode": "any", "exclude": ["/no"]}), next_url_id=5
    )
    w = Played(frontier)
    new = [w.offer(url) for url in ADDRESSES]
    assert [n.url_id for n in new if isinstance(n, NewUrl)] == list(range(5, 17))
    assert w.offer(ADDRESSES[3]) is Refusal.SEEN
    assert w.offer("http://a.test/deep", depth=2) is Refusal.TOO_DEEP
    assert w.offer("http://a.test/no") is Refusal.OUT_OF_SCOPE
    counts = frontier.counts()
    assert (counts.seen, counts.pending, counts.hosts) == (12, 12, 3)
    w.run()
    assert sorted(w.asked) == sorted(ADDRESSES)
    counts = frontier.counts()
    assert (counts.seen, counts.pending, counts.in_memory) == (12, 0, 0)
    assert w.offer(ADDRESSES[3]) is Refusal.SEEN


def test_a_host_is_asked_for_its_rules_first_and_then_has_its_pause(
    make: Callable[..., PageFrontier],
) -> None:
    """No page of an origin before its robots.txt; between two requests what the job says, or it."""
    w = Played(make(job(politeness={"delay_s": 2.0})))
    w.crawl_delay_s = 3.0
    for url in ADDRESSES:
        w.offer(url)
    w.run()
    known = set[str]()
    for turn in w.turns:
        if isinstance(turn, CheckRobots):
            known.add(turn.origin)
        elif isinstance(turn, FetchTask):
            assert urls.origin(turn.url) in known
    for asked in w.requests.values():
        pauses = [begin - end for (_, end), (begin, _) in pairwise(asked)]
        assert min(pauses) >= 3.0 - 1e-9


def test_what_may_pass_is_asked_again_and_what_may_not_is_the_end(
    make: Callable[..., PageFrontier],
) -> None:
    """Each URL has one end in any case, the last of its attempts."""
    w = Played(make(job(politeness={"delay_s": 0.1})))
    for url in ADDRESSES:
        w.offer(url)
    passing, lasting = ADDRESSES[0], ADDRESSES[1]
    w.failures = {passing: [Failure.TIMEOUT_BODY], lasting: [Failure.HTTP_CLIENT_ERROR] * 9}
    w.run()
    assert (w.asked.count(passing), w.asked.count(lasting)) == (2, 1)
    assert sorted(task.url for task in w.fetched) == sorted(ADDRESSES)


def test_a_page_limit_counts_what_brings_a_page(make: Callable[..., PageFrontier]) -> None:
    """No turn beyond it, also where it is waited for; what brought none is given back."""
    w = Played(make(job(politeness={"delay_s": 0.1}), pages_left=3))
    for url in ADDRESSES:
        w.offer(url)
    w.run()
    assert len(w.asked) == 3
    w.frontier.refund_page()
    w.run()
    assert len(w.asked) == 4
    assert w.frontier.take(w.now + 99.0, idle=True) == Wait(None)
    assert w.frontier.counts().pending == len(ADDRESSES) - 4


def test_the_next_run_goes_on_where_the_last_one_ended(make: Callable[..., PageFrontier]) -> None:
    """By numbers, seen URLs and pending ones: each is asked for once, over both runs.

    What the changed job does not want any more is returned to be ended unasked.
    """
    first = Played(make(job(politeness={"delay_s": 0.1}), pages_left=5))
    for url in ADDRESSES:
        first.offer(url)
    first.run()
    told, parts = first.frontier.snapshot()
    seen, given = SeenSet.restore(list(parts)), told["urls"]
    assert (given, told["missing"], len(seen)) == (len(ADDRESSES), 0, len(ADDRESSES))
    again = make(
        job(politeness={"delay_s": 0.1}, scope={"mode": "any", "exclude": [r"//c\."]}),
        next_url_id=given + 1,
        seen=seen,
    )
    later = Played(again)
    later.pending = dict(first.pending)
    for host in {task.host for task in first.pending.values()}:
        again.restore(host, sum(task.host == host for task in first.pending.values()))
    assert again.counts().pending == len(ADDRESSES) - 5
    assert later.offer(first.asked[0]) is Refusal.SEEN
    new = later.offer("http://a.test/new")
    assert isinstance(new, NewUrl)
    assert new.url_id == given + 1
    later.run()
    wanted = {url for url in ADDRESSES if "//c." not in url}
    assert set(first.asked) | set(later.asked) >= wanted | {"http://a.test/new"}
    assert not set(first.asked) & set(later.asked)
    assert all("//c." not in url for url in later.asked)
    unwanted = [task for task in first.pending.values() if task.host == "c.test"]
    assert again.counts().pending == len(unwanted), "they wait for the end that the caller gives"


def test_what_a_server_asked_for_is_owed_in_the_next_run(make: Callable[..., PageFrontier]) -> None:
    """In seconds left, on whatever clock that run has; of the same host alone."""
    first = Played(make(job()))
    first.offer("http://a.test/1")
    first.failures = {"http://a.test/1": [Failure.HTTP_RATE_LIMITED] * 9}
    first.retry_after_s = 60.0
    while not first.ended:
        first.step()
    owed = {host: p for host, p in first.frontier.take_pauses(first.now) if p is not None}
    assert owed["a.test"].left_s == pytest.approx(60.0)
    assert list(first.frontier.take_pauses(first.now)) == []
    again = make(job())
    again.resume(owed, {}, 1000.0)
    later = Played(again)
    later.now = 1000.0
    for host in "ab":
        later.offer(f"http://{host}.test/2")
    later.run()
    begun = {host: asked[0][0] for host, asked in later.requests.items()}
    assert begun["a.test"] >= 1060.0
    assert begun["b.test"] < 1060.0


def test_a_halted_host_is_left_alone_until_it_is_taken_up(
    make: Callable[..., PageFrontier],
) -> None:
    """Its URLs stay pending, and it is told of; nobody is halted who is not known."""
    frontier = make(job(politeness={"delay_s": 0.1}))
    w = Played(frontier)
    for url in ADDRESSES:
        w.offer(url)
    assert not frontier.halt("z.test")
    assert frontier.halt("a.test")
    w.run()
    assert not any("//a." in url for url in w.asked)
    assert frontier.counts().pending == 4
    assert frontier.left_behind() == [("a.test", "")]
    assert [host.name for host in frontier.hosts_seen((), w.now, 0)] == ["a.test"]
    assert frontier.halt("a.test", halted=False)
    assert not frontier.halt("a.test", halted=False)
    w.run()
    assert sorted(w.asked) == sorted(ADDRESSES)


def test_places_of_one_run_are_places_of_the_next(make: Callable[..., PageFrontier]) -> None:
    """Seeds and the places that are kept say what lies in the scope."""
    narrow = parse_job({"scope": {"mode": "host"}}, "test")
    first, second = make(narrow), make(narrow)
    assert first.offer("http://b.test/1", depth=0) is Refusal.OUT_OF_SCOPE
    first.widen(["http://a.test/"], ["b.test"])
    assert isinstance(first.offer("http://a.test/1", depth=0), NewUrl)
    assert isinstance(first.offer("http://b.test/1", depth=0), NewUrl)
    second.widen((), first.state()["places"])
    assert isinstance(second.offer("http://b.test/1", depth=0), NewUrl)
    assert second.offer("http://a.test/1", depth=0) is Refusal.OUT_OF_SCOPE


# ---------------------------------------------------------------- store


@asynccontextmanager
async def sqlite(directory: Path) -> AsyncIterator[Store]:
    """Open the store of crawls; one that has failed says so as it is closed, too."""
    store = Store.create(directory, IDENTITY)
    with suppress(StoreError):
        async with store:
            yield store


@asynccontextmanager
async def memory(directory: Path) -> AsyncIterator[MemoryStore]:
    """Open the one in memory."""
    yield MemoryStore()


STORES = [sqlite, memory]


@pytest.mark.parametrize("opened", STORES)
async def test_pending_urls_come_back_in_order_beyond_a_key(opened: Any, tmp_path: Path) -> None:
    """By priority, depth and number, of one host, so many; whatever was submitted is seen."""
    async with opened(tmp_path) as opened_store:
        store: PageStore = opened_store
        deferred = {"host": "a.test", "priority": Priority.DEFERRED}
        store.submit_urls([new_url(n, host="a.test", depth=9 - n) for n in (1, 2, 3)])
        store.submit_urls([new_url(4, **deferred), new_url(5, host="b.test")])
        assert [t.url_id for t in await store.refill("a.test", None, 9)] == [3, 2, 1, 4]
        two = await store.refill("a.test", None, 2)
        last = two[-1]
        after = (last.priority, last.depth, last.url_id)
        assert [t.url_id for t in await store.refill("a.test", after, 9)] == [1, 4]
        store.submit_depths({1: 1})
        store.submit(page(1, 3, (new_url(6, host="a.test", depth=0, referrer_id=3),)))
        again = await store.refill("a.test", None, 9)
        assert [(t.url_id, t.depth) for t in again] == [(6, 0), (1, 1), (2, 7), (4, 1)]
        assert again[0].referrer == page(1, 3).lines[0][1]["url"]
        await store.room()
        await store.flush()


@pytest.mark.parametrize("opened", STORES)
async def test_what_is_postponed_waits_behind_the_others_until_it_is_released(
    opened: Any, tmp_path: Path
) -> None:
    """A foreseen URL comes back in its new place, with its rule, the others in their old one."""
    async with opened(tmp_path) as store:
        store.submit_urls([new_url(number, host="a.test") for number in (1, 2, 3)])
        store.submit_predicted(
            [
                Predicted(1, Priority.PREDICTED, Priority.ORDINARY, "rule", None),
                Predicted(2, Priority.PREDICTED, Priority.ORDINARY, "rule", None, audit=True),
            ]
        )
        waiting = await store.refill("a.test", None, 10)
        assert [(t.url_id, t.priority, t.rule) for t in waiting] == [
            (2, 0, None),
            (3, 0, None),
            (1, Priority.PREDICTED, "rule"),
        ]
        store.submit_predicted([Released("rule")])
        again = await store.refill("a.test", None, 10)
        assert [(task.url_id, task.rule) for task in again] == [(n, None) for n in (1, 2, 3)]


@pytest.mark.parametrize("opened", STORES)
async def test_what_two_rules_postponed_gets_its_first_place_back(
    opened: Any, tmp_path: Path
) -> None:
    """A URL that a second rule postpones further is where it was found once that is revoked."""
    async with opened(tmp_path) as store:
        store.submit_urls([new_url(number, host="a.test") for number in (1, 2)])
        store.submit_predicted(
            [
                Predicted(1, Priority.SELDOM, Priority.ORDINARY, "first", None),
                Predicted(1, Priority.PREDICTED, Priority.SELDOM, "second", None),
            ]
        )
        assert [t.priority for t in await store.refill("a.test", None, 10)] == [0, 4]
        store.submit_predicted([Released("first")])  # which speaks of nothing any more
        assert [t.priority for t in await store.refill("a.test", None, 10)] == [0, 4]
        store.submit_predicted([Released("second")])
        assert [(t.url_id, t.priority) for t in await store.refill("a.test", None, 10)] == [
            (1, 0),
            (2, 0),
        ]


@pytest.mark.parametrize("opened", STORES)
async def test_ends_are_counted_by_state_and_by_line(opened: Any, tmp_path: Path) -> None:
    """Two counts that agree; a page is in the catalogue at once, by bytes, text and id."""
    async with opened(tmp_path) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3, 4)])
        store.submit(page(1, 1))
        store.submit(duplicate(2, 1))
        row = page(1, 1).document
        assert row is not None
        for _ in range(2):
            assert store.catalog.ref(1).url == row.url
            assert store.catalog.by_payload(row.payload).id == 1
            assert [p.id for p in store.catalog.by_visible(digest("visible text 1"), 9)] == [1]
            await store.flush()
        accounting = store.accounting()
        assert (accounting.seen, accounting.problems) == (4, [])
        counted = {state: accounting.count(state) for state in UrlState if accounting.count(state)}
        assert counted == {UrlState.PENDING: 2, UrlState.STORED: 1, UrlState.DUPLICATE: 1}
        assert {name: n for name, n in accounting.lines.items() if n} == {
            "pages": 1,
            "duplicates": 1,
        }


@pytest.mark.parametrize("opened", STORES)
async def test_what_cannot_be_written_changes_nothing(opened: Any, tmp_path: Path) -> None:
    """The URL may end in another way."""
    async with opened(tmp_path) as store:
        store.submit_urls([new_url(1)])
        with pytest.raises(TypeError):
            store.submit(replace(page(1, 1), lines=(("pages", {"id": object()}),)))
        store.submit(page(1, 1))
        await store.flush()
        assert store.accounting().problems == []
        assert store.accounting().count(UrlState.STORED) == 1


@pytest.mark.parametrize("opened", STORES)
@pytest.mark.parametrize("url_id", [1, 7])
async def test_a_second_end_and_that_of_nothing_end_the_store(
    url_id: int, opened: Any, tmp_path: Path
) -> None:
    """It says so no later than all should be durable, and takes nothing any more."""
    async with opened(tmp_path) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))
        await store.flush()
        store.submit(duplicate(url_id, 1))
        with pytest.raises(StoreError):
            await store.flush()
        with pytest.raises(StoreError):
            store.submit_urls([new_url(9)])
        with pytest.raises(StoreError):
            await store.room()


# ---------------------------------------------------------------- judge


class Handing:
    """Asks a judge about pages, and hands what is to be stored to a catalogue at once."""

    def __init__(self, made: type[Judge | AwaitedJudge]) -> None:
        self.catalog, settings = MemoryCatalog(), Dedup(siblings=SiblingMode.IGNORE)
        self.judge: PageJudge
        if made is Judge:
            self.judge = Judge(settings, self.catalog, 100)
        else:
            self.judge = AwaitedJudge(settings, self.catalog)

    async def hand(self, number: int) -> Judged:
        """Have a page judged, and store it where it is to be."""
        url = f"http://a.test/{number}"
        verdict, page_id = await self.judge.decide(key(number), signature(number), Shown(url))
        if isinstance(verdict, ExactDuplicate | NearDuplicate):
            assert self.catalog.ref(verdict.of.id), "its original is stored by then"
        if page_id is not None:
            leads = represents(verdict)
            self.catalog.add(StoredDocument(page_id, 0, url, key(number), signature(number), leads))
        return Judged(verdict, page_id)


JUDGES: list[type[Judge | AwaitedJudge]] = [Judge, AwaitedJudge]
PAGES = [*range(12), 3, 103, 4]


@pytest.mark.parametrize("made", JUDGES)
async def test_pages_that_are_stored_are_numbered_in_turn_and_dropped_ones_are_not(
    made: type[Judge | AwaitedJudge],
) -> None:
    """One step judges and numbers; who asks twice about the same bytes is told the first one."""
    hand = Handing(made)
    answers = [await hand.hand(number) for number in PAGES]
    ids = [answer.page_id for answer in answers if answer.page_id is not None]
    assert ids == list(range(1, len(ids) + 1))
    assert answers[0] == (New(represents=True), 1)
    dropped = [answer.verdict for answer in answers if answer.page_id is None]
    assert {type(verdict) for verdict in dropped} == {ExactDuplicate, NearDuplicate}
    known = hand.judge.known_payload(key(3))
    assert known is not None
    assert known == answers[12].verdict
    assert hand.judge.known_payload(PayloadKey(b"never", "text/html")) is None


@pytest.mark.parametrize("made", JUDGES)
async def test_pages_that_wait_together_are_judged_as_one_after_the_other(
    made: type[Judge | AwaitedJudge],
) -> None:
    """In the order in which they were asked about, and each original is stored before its copy."""
    one, all_ = Handing(Judge), Handing(made)
    expected = [await one.hand(number) for number in PAGES]
    assert await asyncio.gather(*map(all_.hand, PAGES)) == expected
    if isinstance(all_.judge, AwaitedJudge):
        assert all_.judge.waited == len(PAGES)


@pytest.mark.parametrize("made", JUDGES)
async def test_no_page_is_a_copy_of_one_whose_question_was_cancelled(
    made: type[Judge | AwaitedJudge],
) -> None:
    """Whether it was answered by then or not: what serves as an original is stored."""
    hand = Handing(made)
    asked = [asyncio.create_task(hand.hand(number)) for number in (1, 2)]
    await asyncio.sleep(0)
    for task in asked:
        task.cancel()
    await asyncio.wait(asked)
    for task, number in zip(asked, (1, 2), strict=True):
        again = await hand.hand(number)
        assert isinstance(again.verdict, New if task.cancelled() else ExactDuplicate)
        assert made is Judge or task.cancelled()


async def test_from_a_verdict_to_the_store_nothing_else_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long it was waited for: judge, frontier and store agree whenever anybody looks."""
    world, others = LifeWorld(fetched(TASK, b"a page")), list[str]()
    decide, submit = world.judge.decide, world.store.submit

    async def decided(*asked: Any) -> Judged:
        await asyncio.sleep(0)
        answer = await decide(*asked)
        asyncio.get_running_loop().call_soon(others.append, "whoever is next")
        return answer

    def submitted(outcome: PageOutcome) -> None:
        assert [url for url, _ in world.frontier.offers] == list(document().links)
        assert others == []
        submit(outcome)

    monkeypatch.setattr(world.judge, "decide", decided)
    monkeypatch.setattr(world.store, "submit", submitted)
    outcome = await world.run()
    assert outcome is not None
    assert outcome.state is UrlState.STORED


# ---------------------------------------------------------------- whole crawls

FILES = {
    **dict.fromkeys(("/", *(f"/{n}" for n in range(1, 9))), "pages"),
    **{f"/{n}?copy": "duplicates" for n in range(1, 9)},
    "/moved": "redirects",
    "/gone": "failures",
    "/private": "skipped",
}
"""What becomes of each path of the site."""


def answer(path: str) -> Reply:
    """Return pages with a copy each, a redirect, one that is gone and one that is forbidden."""
    if path == "/robots.txt":
        return Reply("User-agent: *\nDisallow: /private\n")
    if path == "/":
        return html("home", *(f"/{n}" for n in range(1, 9)), "/moved", "/gone", "/private")
    if path == "/moved":
        return Reply(status=301, headers={"Location": "/1?copy"})
    name = path[1:].partition("?")[0]
    if not name.isdigit():
        return Reply(status=404)
    return html(f"page{name}", f"/{name}?copy", f"/{int(name) % 8 + 1}", "/")


def site_job(output: Path, server: Site, **sections: Any) -> dict[str, Any]:
    """Return a job for the site, which asks once for what is gone."""
    return loopback_job(output, [f"{server.url}/"], sitemaps={"use": "none"}, **sections)


@pytest.mark.parametrize("waits", [False, True])
async def test_a_site_is_crawled_whole_by_the_second_parts(
    waits: bool, make: Callable[..., PageFrontier], tmp_path: Path
) -> None:
    """Either frontier, the store in memory, and a judge that answers at once or is waited for.

    Every path has its one end, each copy's original is stored, and the three counts agree.
    """
    with site(answer) as server:
        given = parse_job(site_job(tmp_path, server), "test")
        store, frontier = MemoryStore(), make(given)
        judge = AwaitedJudge(given.dedup, store.catalog) if waits else None
        tally = await carried(given, frontier, store, judge)
    found = {
        f"/{line['url'].split('/', 3)[3]}": name
        for name, some in store.lines.items()
        for line in some
    }
    copies = {path: name for path, name in found.items() if path.partition("?")[0][1:].isdigit()}
    kinds = [sorted(copies.pop(path) for path in (f"/{n}", f"/{n}?copy")) for n in range(1, 9)]
    assert (kinds, copies) == ([["duplicates", "pages"]] * 8, {})
    rest = {path: name for path, name in found.items() if not path[1:2].isdigit()}
    assert rest == {path: name for path, name in FILES.items() if not path[1:2].isdigit()}
    stored = {line["id"]: line["url"] for line in store.lines["pages"]}
    assert sorted(stored) == list(range(1, 10))
    for line in store.lines["duplicates"]:
        assert stored[line["duplicate_of"]["id"]] == line["duplicate_of"]["url"]
    accounting, counts = store.accounting(), frontier.counts()
    assert accounting.problems == []
    assert (accounting.seen, 0) == (counts.seen, counts.pending) == (len(FILES), 0)
    assert tally.count(UrlState.STORED) == 9
    assert server.paths.count("/private") == 0


async def test_a_crawl_by_another_frontier_stops_resumes_and_ends(tmp_path: Path) -> None:
    """The whole program around it: what one run leaves the next goes on with, each URL once."""

    async def run(store: Store, **sections: Any) -> None:
        given = parse_job(site_job(tmp_path, server, **sections), "test")
        await Crawl(given, store, frontier=BreadthFirst).run()

    with site(answer) as server:
        given = parse_job(site_job(tmp_path, server), "test")
        await run(Store.create(tmp_path, identity(given)), limits={"pages": 5})
        assert len(lines(tmp_path, "pages")) <= 5
        await run(Store.open(tmp_path, identity(given)))
        found = ends(tmp_path)
        assert found.keys() == FILES.keys()
        asked = [path for path in server.paths if path != "/robots.txt"]
        assert len(asked) == len(set(asked)) == len(FILES) - 1
        await crawled(site_job(tmp_path, server), resumed=True)
        assert ends(tmp_path) == found, "the frontier of crawls finds nothing left"


def test_a_redirect_followed_at_once_is_no_turn_of_its_own(
    make: Callable[..., PageFrontier],
) -> None:
    """Where it leads is accepted as asked: it is counted and settled, and never taken."""
    frontier = make(job())
    w = Played(frontier)
    w.offer("http://a.test/1")
    while not w.running or not isinstance(w.running[0][2], FetchTask):
        assert w.step()
    task = w.running[0][2]
    w.running.clear()
    assert frontier.leads_on("http://a.test/2", False, via=task)
    then = fetched(FetchTask(0, "http://a.test/2", "a.test", 0))
    redirected = Redirected(task, 302, "http://a.test/2", 0.0, then)
    assert frontier.ended(task, redirected, w.now, w.now) is redirected
    new = frontier.offer("http://a.test/2", depth=0, hops=1, via=task, asked=True)
    assert isinstance(new, NewUrl)
    w.end(task)
    led = FetchTask(new.url_id, new.url, new.host, 0)
    w.pending[new.url_id] = led
    w.end(led)
    assert frontier.counts().pending == 0
    assert not frontier.leads_on("http://a.test/2", False)
    w.run()
    assert w.asked == ["http://a.test/1"]
