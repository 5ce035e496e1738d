"""Crawls in partitions, and what must be true of their directories, whatever they went through."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.cluster.coordinator import Coordinator, Engine
from crawler.cluster.root import Root
from crawler.config import Job
from crawler.models import UrlState
from crawler.storage.database import Database
from crawler.storage.directory import STATE
from crawler.storage.exchange import Exchange
from crawler.views.check import check_directory
from support.clustered import Domains, domains_job
from support.crawling import HANG_S
from support.output import lines
from support.threaded import Reply

JUDGED = "judged"
"""Stored or a duplicate: of several copies it is chance which one is stored."""


@dataclass(frozen=True)
class Ends:
    """How a crawl has ended, but for what is chance."""

    urls: dict[str, str]
    """URL -> the name of its state, or JUDGED."""
    titles: Counter[str]
    """Of stored pages."""

    @property
    def pages(self) -> int:
        """How many pages were judged."""
        return sum(state == JUDGED for state in self.urls.values())


def ends_of(*directories: Path) -> Ends:
    """Return how the crawls in some directories have ended, together."""
    urls, titles = dict[str, str](), Counter[str]()
    for directory in directories:
        titles.update(line["title"] for line in lines(directory, "pages"))
        database = Database(directory / STATE, "ro")
        for url, number in database.rows("SELECT url, state FROM urls"):
            state = UrlState(number)
            assert url not in urls, f"{url} is of two partitions"
            judged = state in (UrlState.STORED, UrlState.DUPLICATE)
            urls[url] = JUDGED if judged else state.name
        database.close()
    return Ends(urls, titles)


def ends_in(root: Root) -> Ends:
    """Return how a crawl in partitions has ended."""
    return ends_of(*map(root.partition, root.partitions))


def check_parts(root: Root, *, is_over: bool = True) -> None:
    """Assert that each directory is sound, and that they agree with each other.

    Where the crawl `is_over`, nothing is on its way between them, or waits.
    """
    pages, judged = dict[int, tuple[int, int]](), set[tuple[int, int]]()
    sent, taken = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for number in root.partitions:
        found = check_directory(root.partition(number))
        assert not found.problems, found.problems
        database = Database(root.partition(number) / STATE, "ro")
        exchange = Exchange(database)
        sent.update({(number, to): urls for to, urls in exchange.sent_urls().items()})
        taken.update({(by, number): urls for by, urls in exchange.taken_urls().items()})
        if is_over:
            assert not exchange.receivers()
            assert not list(exchange.asks())
            assert not database.rows("SELECT url FROM urls WHERE state = 0")
        for page, url_id in database.rows("SELECT id, url_id FROM documents"):
            assert page not in pages, f"page {page} lies in two partitions"
            pages[page] = number, url_id
        states = int(UrlState.STORED), int(UrlState.DUPLICATE)
        ids = database.rows("SELECT id FROM urls WHERE state IN (?, ?)", states)
        judged |= {(number, url_id) for (url_id,) in ids}
        database.close()
    if is_over:
        assert sent == taken
    log = Database(root.sequencer / STATE, "ro")
    verdicts = log.rows("SELECT seq, partition, number, kept FROM verdicts ORDER BY seq")
    log.close()
    assert [seq for seq, *_ in verdicts] == list(range(1, len(verdicts) + 1))
    kept = {seq: (number, url_id) for seq, number, url_id, is_kept in verdicts if is_kept}
    if is_over:
        assert kept == pages
        of = {(number, url_id) for _, number, url_id, _ in verdicts if number >= 0}
        assert of <= judged  # others were purged
    else:
        assert pages.items() <= kept.items()
    rows = set[int]()
    for number in range(root.plan.judge_shards):
        if not root.shard(number).exists():  # none of its pages was ever judged
            continue
        shard = Database(root.shard(number) / STATE, "ro")
        own = {id_ for (id_,) in shard.rows("SELECT id FROM documents")}
        shard.close()
        assert all(id_ % root.plan.judge_shards == number for id_ in own)
        rows |= own
    # What a shard has beyond the log it forgets when a sequencer says hello.
    assert {row for row in rows if row <= len(verdicts)} == kept.keys()
    if is_over:
        assert rows == kept.keys()


PARTITIONS, SHARDS = 3, 2
SOON_S = 0.05


class Counting(Domains):
    """Domains that do something when they are asked for the given page, in order of requests."""

    def __init__(self, happens: Mapping[int, Callable[[], object]]) -> None:
        """`happens` is by number of the request, from 1; called in the server's threads."""
        super().__init__()
        self._happens = happens
        self._asked = 0
        self._lock = threading.Lock()

    def answer(self, url: str) -> Reply:
        """See Domains."""
        with self._lock:
            self._asked += not url.endswith("/robots.txt")
            happens = None if url.endswith("/robots.txt") else self._happens.get(self._asked)
        if happens is not None:
            happens()
        return super().answer(url)


class UntilStopped:
    """Holds answers of servers until each partition has been told to stop, and has heard it.

    However late it is told, most of the crawl is then still to come.
    """

    def __init__(self) -> None:
        self._heard = set[str]()
        self._all = threading.Event()

    def hears(self, role: str, method: str, after: bool) -> None:
        """Note a call of a role, before it runs or after."""
        if method == "stop" and after:
            self._heard.add(role)
            if len(self._heard) == PARTITIONS:
                self._all.set()

    def requests(self, first: int) -> dict[int, Callable[[], object]]:
        """Return what `parts_job` takes: requests from this one on are held."""
        return dict.fromkeys(range(first, 1_000), self._held)

    def _held(self) -> None:
        assert self._all.wait(HANG_S)


@contextmanager
def parts_job(
    output: Path,
    happens: Mapping[int, Callable[[], object]] | None = None,
    **sections: Any,
) -> Iterator[Job]:
    """Serve some domains, and yield a job that crawls them by partitions."""
    cluster = {"partitions": PARTITIONS, "judge_shards": SHARDS, "batch": 8, "linger_ms": 1}
    with domains_job(output, Counting(happens or {}), cluster=cluster, **sections) as (job, _):
        yield job


async def run_parts(root: Root, engine: Engine) -> Coordinator:
    """Run a crawl to its end, looked at often."""
    coordinator = Coordinator(root, engine, lambda line: None, pause=soon)
    async with asyncio.timeout(HANG_S):
        await coordinator.run()
    return coordinator


async def soon(wait_s: float) -> None:
    """Wait, but never for long."""
    await asyncio.sleep(min(wait_s, SOON_S))
