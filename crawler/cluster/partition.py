"""A partition: a crawl of its own hosts, whose pages one judge elsewhere decides on.

::

    links of other hosts -> outbox, with the end of their page -> their partition -> acknowledged
    a page that was read -> kept, durable -> asked about -> answered -> its end

All that it holds lies in its directory, and it may be killed at any moment: what it asked about and
what it sent is asked and sent again, with the same numbers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import orjson

from crawler.cluster.protocol import (
    SEQUENCER,
    Answer,
    Carrier,
    Fenced,
    Gone,
    OriginalRow,
    PageAsk,
    partition,
)
from crawler.cluster.root import Root
from crawler.cluster.sequencer import LEASE_S
from crawler.console import Level, Message, Say
from crawler.dedup import Judged
from crawler.dedup.copies import address_key
from crawler.dedup.judge import Part
from crawler.engine.ports import PageFrontier
from crawler.errors import CrawlerError, StoreError, StoreInUse
from crawler.fetch import raise_limit
from crawler.fetch.robots_cache import Said
from crawler.frontier.view import HostState
from crawler.models import (
    EXACT_PAYLOAD,
    EditionCount,
    ExactDuplicate,
    IndexRow,
    New,
    PageOutcome,
    PayloadKey,
    ReadPage,
    Shingles,
    Shown,
    Signature,
    StoredRef,
    Unjudged,
    UrlState,
    Verdict,
)
from crawler.observe.counting import Counted, Counts
from crawler.observe.watching import Sight, Steering
from crawler.sources.event_loop import until_any
from crawler.sources.web.crawl import Crawl, Dispatcher
from crawler.sources.web.pipeline import PagePipeline
from crawler.sources.web.recrawl import write_changes
from crawler.storage.catalog import EarlierPages, LayeredCatalog
from crawler.storage.exchange import JUDGE, OWN, Exchange, unpack_urls
from crawler.storage.store import GroupLimits, Store
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, begun
from crawler.urls import host_key
from crawler.views.live.ends import End, end_of

log = logging.getLogger(__name__)

COMMITS = GroupLimits()
"""What is asked about makes a commit due, and ends go with the next of those."""
COMPANY = 4
"""Times a batch's linger: so long after an answer pages wait for others, to be asked about by one
question, which takes one commit."""
MANY = 16
"""Pages that do not wait: shared by so many, a question costs each little."""
ORIGINALS = 1_000
"""Pages of other partitions that are held since an answer named them: they are asked for in the
same stretch."""
AGAIN_S, LONGEST_AGAIN_S = 0.1, 5.0
"""Pause before a role is called again that could not be reached: doubled each time, up to this."""
LEAST_LEFT = 64
"""Pages that may still be fetched from which more are asked for."""
MOST_ENDS = 2_000
"""Ends that wait to be told elsewhere, the latest: of some seconds."""
MOST_SAID = 100
"""Lines that wait to be told elsewhere, the latest."""
RENEW_S = 1.0
"""Between two renewals of the right to ask the web, several of which may be lost within LEASE_S;
and how often slots of an address are asked for that others have."""
SOON_S = 0.05
"""How long a new address waits for others that are asked for by the same call."""


def lease_clock() -> float:
    """Return a monotonic clock, in seconds, which goes on while this machine sleeps.

    Elsewhere than on Linux it may not.
    """
    known = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if known is None else time.clock_gettime(known)


class PartitionPages(LayeredCatalog):
    """The stored pages of a partition, and those of others that an answer has named.

    Pages of others have the negative of the number that the judge has given them.
    """

    def __init__(self, store: Store, root: Root) -> None:
        super().__init__(store.catalog, store.key)
        self._store = store
        self._root = root
        self._held: OrderedDict[int, tuple[EarlierPages, OriginalRow | None]] = OrderedDict()

    def hold(self, ref: StoredRef, number: int, row: OriginalRow | None) -> StoredRef:
        """Hold a page of another partition; return how it is known here."""
        pages = EarlierPages(
            name=f"../{self._root.partition(number).name}",
            documents=0,
            catalog=self._store.catalog,
            key=b"",
            mark="",
            index_rows=lambda: iter(()),
            source_of=lambda page_id: "",
        )
        self._held[-ref.id] = pages, row
        self._held.move_to_end(-ref.id)
        if len(self._held) > ORIGINALS:
            self._held.popitem(last=False)
        return StoredRef(-ref.id, ref.url)

    def elsewhere(self, document_id: int) -> tuple[EarlierPages, int] | None:
        """See LayeredCatalog."""
        return None if document_id > 0 else (self._held[document_id][0], -document_id)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        row = self._row(document_id)
        return super().shingles(document_id) if row is None else row.shingles

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        row = self._row(document_id)
        return super().layout(document_id) if row is None else row.layout

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        row = self._row(document_id)
        return super().appearance(document_id) if row is None else row.appearance

    def _row(self, document_id: int) -> OriginalRow | None:
        return None if document_id > 0 else self._held[document_id][1]


class RemoteJudge:
    """Asks the sequencer, and gives its answers in the order in which it decided.

    See `crawler.engine.ports.RememberedJudge`. One question is under way at a time, with all pages
    that wait by then, so an original of this partition is in its store before a copy is told of it.
    After its answer pages wait for company; one that comes later goes at once.
    """

    kind = "elsewhere"

    def __init__(
        self,
        store: Store,
        pages: PartitionPages,
        ask: Callable[[Sequence[PageAsk]], Awaitable[Sequence[Answer]]],
        owner: Callable[[str], int | None],
        kept: Iterable[int],
        company: Callable[[asyncio.Event], Awaitable[None]],
    ) -> None:
        """`kept` are the numbers of pages that an earlier run has asked about, and that wait.

        `company` waits for others, until there are many.
        """
        self._store = store
        self._pages = pages
        self._ask = ask
        self._owner = owner
        self._kept = set(kept)
        self._company = company
        self._waiting: dict[int, tuple[PageAsk, asyncio.Future[Answer]]] = {}
        self._came = asyncio.Event()
        self._many = asyncio.Event()

    @property
    def waiting(self) -> int:
        """Pages that wait for their verdict."""
        return len(self._waiting)

    def known_payload(self, key: PayloadKey) -> ExactDuplicate | None:
        """See PageJudge: of this partition's own pages; no other stored page has their bytes."""
        found = self._store.catalog.by_payload(key)
        return ExactDuplicate(EXACT_PAYLOAD, found) if found else None

    async def decide(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None = None,
        page: ReadPage | None = None,
    ) -> Judged:
        """See PageJudge."""
        assert shown is not None
        assert page is not None
        number = page.url_id
        if number not in self._kept:
            packed = page.packed()
            with self._store.exchanging(len(packed)) as told:
                told.asks[number] = packed
            self._kept.add(number)
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (
            PageAsk(number, key, signature, shown, address_key(shown.url)),
            answered,
        )
        self._came.set()
        if len(self._waiting) >= MANY:
            self._many.set()
        try:
            answer = await answered
        finally:
            self._waiting.pop(number, None)
            self._kept.discard(number)
        return Judged(self._verdict(answer), answer.page_id)

    def _verdict(self, answer: Answer) -> Verdict:
        """Return a verdict by the pages that are known here."""
        verdict = answer.verdict
        if isinstance(verdict, New | Unjudged):
            return verdict
        owner = self._owner(verdict.of.url)
        if owner is None:
            return verdict
        return replace(verdict, of=self._pages.hold(verdict.of, owner, answer.original))

    async def asking(self) -> None:
        """Ask about pages that are durable by then, until cancelled. Raises StoreError."""
        while True:
            await self._came.wait()
            self._came.clear()
            asks = [ask for ask, answered in self._waiting.values() if not answered.done()]
            if not asks:
                continue
            await self._store.flush()
            for answer in sorted(await self._ask(asks), key=lambda answer: answer.seq):
                waits = self._waiting.get(answer.number)
                if waits is not None and not waits[1].done():
                    waits[1].set_result(answer)
            # Those have their ends before the next answer comes.
            await asyncio.sleep(0)
            if len(self._waiting) < MANY:
                self._many.clear()
                await self._company(self._many)

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """See PageJudge: the judge hears of it by a message."""
        with self._store.exchanging() as told:
            told.observed.append((url, verdict.of.url))

    def take_editions(self) -> tuple[EditionCount, ...]:
        """See PageJudge: the judge keeps them."""
        return ()

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Nothing of a page is remembered here but what its store has."""
        deque(rows, maxlen=0)

    def parts(self, last_id: int) -> Iterator[Part]:
        """See RememberedJudge: there are none."""
        return iter(())

    def take_part(self, name: str, data: bytes) -> None:
        """See RememberedJudge."""
        raise ValueError(f"no part of a judge that is elsewhere: {name}")


@dataclass(frozen=True, slots=True)
class PartitionStatus:
    """How a partition is doing, as of what it has stored."""

    epoch: int
    ends: dict[UrlState, int]
    seen: int
    pending: int
    wire_bytes: int
    claimed: int | None
    """Pages that it may fetch in all, those of earlier runs included; None without a limit."""
    waits: bool = False
    """Whether another partition is to tell it of a robots.txt."""
    at_rest: bool = False
    """Whether it has nothing to do but what may come from others, and nothing is on its way."""
    hungry: bool = False
    """Whether it may fetch few more pages, or none, than it has URLs for."""
    sent: dict[int, int] = field(default_factory=dict)
    taken: dict[int, int] = field(default_factory=dict)
    """URLs that were sent to other partitions, and taken from them, for ever."""
    ended: bool = False
    """Whether its run is over, and all of it durable."""
    said: tuple[str, ...] = field(default=(), compare=False)
    """What it had to say since it was asked last."""
    counted: Counted | None = field(default=None, compare=False)
    """What its process has counted."""
    sight: Sight | None = field(default=None, compare=False)
    """How it is doing, where that is watched."""
    over: tuple[End, ...] = field(default=(), compare=False)
    """What has ended since it was asked last, likewise."""


class _Ends:
    """Keeps what has ended where somebody watches the crawl, until it is told; a `Watcher`."""

    def __init__(self) -> None:
        self.are_wanted = False
        self.ends: deque[End] = deque(maxlen=MOST_ENDS)

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""
        if self.are_wanted:
            self.ends.append(end_of(outcome))

    def watching(self, run: Steering) -> AbstractAsyncContextManager[None]:
        """See Watcher."""
        return nullcontext()


class Partition:
    """One partition of a crawl; a `Share` of it (`crawler.sources.web.crawl`), and a role."""

    def __init__(
        self,
        root: Root,
        number: int,
        carrier: Carrier,
        say: Say = lambda line: None,
        *,
        clock: Callable[[], float] = lease_clock,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        **parts: Any,
    ) -> None:
        """`parts` are those of the crawl; `clock` is the lease's, `pause` waits so many seconds."""
        self.number = number
        self._root = root
        self._carrier = carrier
        self._say = say
        self._pause = pause
        self._clock = clock
        self._said: deque[str] = deque(maxlen=MOST_SAID)
        self._counts = Counts()
        self._over = _Ends()
        self._parts = parts
        limit = root.job.limits.pages
        limits = root.job.limits.model_copy(update={"pages": None, "bytes": None, "time_s": None})
        self._job = root.job.model_copy(update={"output": root.partition(number), "limits": limits})
        self._is_limited = limit is not None
        self._finishing = False
        self._allowed = 0
        self._looks = 0
        """Places of other partitions that it has heard of."""
        self._sated = 0, 0
        """URLs that were seen, and such places, when pages were allowed and none could be asked."""
        self._leased_until = 0.0
        self._posting: dict[int, asyncio.Task[None]] = {}
        self._ready = asyncio.Event()
        self._greeted = asyncio.Event()
        self._wanted = asyncio.Event()
        """Set when more or fewer slots of addresses are wanted than the judge knows of."""
        self._renewals = 0
        self._keeper = 0
        """Who has answered to that last."""
        self._held: dict[str, int] = {}
        """Slots of addresses, as they were told last."""
        self._run: asyncio.Task[None] | None = None
        self._last: PartitionStatus
        """Of the run that is over."""

    # ----------------------------------------------------------------------------------------------
    # A role

    async def open(self) -> None:
        """Open the directory, and begin to crawl. Raises CrawlerError where that cannot be."""
        raise_limit()
        job, plan = self._job, self._root.plan
        known = self._root.identity(self.number)
        rotate = job.storage.rotate_bytes
        if begun(job.output):
            store = Store.open(job.output, known, COMMITS, rotate)
        else:
            store = Store.create(job.output, known, COMMITS, rotate, plan.key)
            if (recrawl := self._root.recrawl(self.number)) is not None:
                store.set_meta(Meta.RECRAWL, recrawl)
        self._store = store
        try:
            self._exchange = store.exchanges()
            self._epochs = dict(self._exchange.epochs())
            self.epoch = self._epochs[OWN]
            self._heard = dict(self._exchange.heard())
            self._asks = list(self._exchange.asks())
            # What waits for its verdict is a page, too.
            pages = (store.counts.by_state[of] for of in (UrlState.STORED, UrlState.DUPLICATE))
            self._before = sum(pages) + len(self._asks)
            self._crawl = Crawl(
                job,
                store,
                report=self._tell,
                meter=self._counts,
                watcher=self._over,
                share=self,
                **self._parts,
            )
        except BaseException:
            store.close()
            raise
        self._run = asyncio.create_task(self._crawling())

    def _tell(self, line: str) -> None:
        """Say a line here, and by the next status to who watches; progress is in its figures."""
        self._say(line)
        if Message.of(line).level is not Level.PROGRESS:
            self._said.append(str(line))

    async def _crawling(self) -> None:
        try:
            await self._crawl.run()
            if self._root.plan.recrawl is not None:
                how = self._job.recrawl
                write_changes(self._store.directory, how.min_s, how.max_s)
            with suppress(Gone):  # then a later run waits a little
                await self._call(SEQUENCER, "goodbye", self.number, self.epoch)
        finally:
            for task in self._posting.values():
                task.cancel()
            with suppress(StoreError):
                write_summary(self._store.directory)
        with StoreView.read(self._store.directory) as view:
            exchange = Exchange(view.database)
            sent, taken = dict(exchange.sent_urls()), dict(exchange.taken_urls())
        self._last = replace(self._status_between(), sent=sent, taken=taken, ended=True)

    async def close(self) -> None:
        """End the run as a second signal would, and wait for that."""
        if self._run is not None:
            self._crawl.cancel()
            await asyncio.wait({self._run})
            if not self._run.cancelled():
                self._run.exception()  # which `status` tells: so it is asked for

    async def links(self, sender: int, epoch: int, messages: Sequence[tuple[int, bytes]]) -> int:
        """Take in URLs of messages; return the number up to which all are durable."""
        await self._until_ready()
        self._refuse_older(partition(sender), epoch)
        for n, packed in messages:
            if n > self._heard.get(sender, 0):  # a call that was made again may run beside this one
                urls = unpack_urls(self.number, packed)
                self._pipeline.arrived(urls)
                with self._store.exchanging() as told:
                    told.arrive(sender, n, len(urls))
                self._heard[sender] = n
                self._dispatcher.wake()
                await self._pipeline.catch_up()
                await asyncio.sleep(0)
                await self._until_ready()
        heard = self._heard.get(sender, 0)
        await self._store.committed()
        return heard

    async def add(self, urls: Sequence[str]) -> None:
        """Take further seeds, those of other partitions' hosts too: links there are in scope."""
        await self._until_ready()
        for url in urls:
            self._crawl.add(url)
        await self._store.committed()

    async def look(self, sender: int, epoch: int, url: str) -> Said:
        """Return what a place of a host of its own says, to which a robots.txt has led a sender."""
        await self._until_ready()
        self._refuse_older(partition(sender), epoch)
        return await self._dispatcher.look(url)

    async def status(self, names: Sequence[str] | None = None, most: int = 0) -> PartitionStatus:
        """Return how it is doing; raises what ended its run, where that was trouble.

        Where `names` are given it is watched: with these hosts and about `most` others.
        """
        status = await self._status()
        said = tuple(self._said)
        self._said.clear()
        status = replace(status, said=said, counted=self._counts.read())
        if names is None:
            return status
        self._over.are_wanted, over = True, tuple(self._over.ends)
        self._over.ends.clear()
        return replace(status, sight=self._crawl.look(names, most), over=over)

    async def steer(self, paused: bool, halted: Sequence[str]) -> None:
        """Begin nothing while `paused`, and nothing of `halted` hosts."""
        await self._until_ready()
        for seen in self._crawl.look((), 0).hosts:
            if seen.state is HostState.STOPPED and seen.name not in halted:
                self._crawl.release_host(seen.name)
        for name in halted:
            self._crawl.stop_host(name)
        if paused:
            self._dispatcher.pause()
        else:
            self._dispatcher.go_on()

    async def _status(self) -> PartitionStatus:
        assert self._run is not None
        if self._run.done():
            self._run.result()
            return self._last
        rests = self._ready.is_set() and self._dispatcher.at_rest and not self._judge.waiting
        if rests:  # then little is left to be written, and is soon
            await self._store.flush()
        if not self._ready.is_set():
            return self._status_between()
        rests = rests and self._dispatcher.at_rest and not self._exchange.receivers()
        counts, left = self._frontier.counts(), self._frontier.pages_left
        if rests and left:  # for others, until there is something to be fetched again
            self._frontier.allow(-left)
            self._allowed -= left
            self._sated = counts.seen, self._looks
        return replace(
            self._status_between(),
            seen=counts.seen,
            pending=counts.pending,
            at_rest=rests,
            waits=self._dispatcher.waits,
            hungry=(
                self._dispatcher.has_guests
                or (bool(counts.pending) and self._sated != (counts.seen, self._looks))
            )
            and left is not None
            and left < LEAST_LEFT,
            sent=dict(self._exchange.sent_urls()),
            taken=dict(self._exchange.taken_urls()),
        )

    def _status_between(self) -> PartitionStatus:
        """Return how it is doing while it does not crawl yet, or any more."""
        counts, tally = self._store.counts, self._crawl.tally
        return PartitionStatus(
            epoch=self.epoch,
            ends={state: tally.count(state) for state in UrlState},
            seen=counts.urls,
            pending=counts.by_state[UrlState.PENDING],
            wire_bytes=tally.wire_bytes,
            claimed=self._before + self._allowed if self._is_limited else None,
        )

    async def allow(self, claimed: int) -> None:
        """Have so many pages fetched in all, at least."""
        await self._until_ready()
        if (more := claimed - self._before - self._allowed) > 0:
            self._frontier.allow(more)
            self._allowed += more
            self._dispatcher.wake()

    async def finish(self) -> None:
        """Come to an end where nothing is left: nothing will come from elsewhere."""
        self._finishing = True
        if self._ready.is_set():
            self._dispatcher.wake()

    async def stop(self) -> None:
        """Begin no new page, as after a signal."""
        self._crawl.stop()

    async def _until_ready(self) -> None:
        """Wait until the crawl takes URLs; Gone where it has ended.

        It returns at once, and in the same stretch, where it does.
        """
        assert self._run is not None
        if self._ready.is_set():
            return
        await until_any(self._ready, self._run)
        if self._run.done():
            raise Gone(f"partition {self.number} has ended its run")

    def _refuse_older(self, role: str, epoch: int) -> None:
        """Note an epoch of another role; Fenced for one lower than known."""
        known = self._epochs.get(role, 0)
        if epoch < known:
            raise Fenced(f"{role} is at epoch {known}, this is its epoch {epoch}")
        if epoch > known:
            self._epochs[role] = epoch
            with self._store.exchanging() as told:
                told.epochs[role] = epoch

    # ----------------------------------------------------------------------------------------------
    # A share of a crawl

    def _owner(self, host: str) -> int | None:
        """Return the partition that asks for a host's URLs; None where that is this one."""
        number = self._root.partition_of(host)
        return None if number == self.number else number

    def pages(self, store: Store) -> LayeredCatalog:
        """See Share."""
        self._known = PartitionPages(store, self._root)
        return self._known

    def judge(self, store: Store) -> RemoteJudge:
        """See Share."""
        numbers = [number for number, _ in self._asks]
        self._judge = RemoteJudge(
            store,
            self._known,
            partial(self._until, SEQUENCER, "ask", self.number, self.epoch),
            lambda url: self._owner(host_key(url)),
            numbers,
            partial(self._pause_until, COMPANY * self._job.cluster.linger_ms / 1000),
        )
        return self._judge

    def opened(
        self, dispatcher: Dispatcher, frontier: PageFrontier, pipeline: PagePipeline
    ) -> None:
        """See Share."""
        frontier.route(self._owner, [n for n in self._root.partitions if n != self.number])
        self._dispatcher = dispatcher
        self._frontier = frontier
        self._pipeline = pipeline
        frontier.lease(self._wanted.set)
        if self._is_limited:
            frontier.allow(0)

    async def begin(self) -> None:
        """See Share."""
        asked_at = self._clock()
        wait_s = await self._until(SEQUENCER, "hello", self.number, self.epoch)
        if wait_s:
            self._tell(f"waiting {wait_s:.0f} s: who had this partition before may ask until then")
            await self._pause(wait_s)
        self._leased_until = asked_at + wait_s + LEASE_S
        self._greeted.set()
        asks, self._asks = self._asks, []
        await asyncio.gather(*(self._pipeline.conclude(packed) for _, packed in asks))
        self._ready.set()

    async def exchanging(self) -> None:
        """See Share."""
        self._store.listeners.append(self._post)
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                group.create_task(self._judge.asking())
                group.create_task(self._renewing())
                group.create_task(self._lapsing())
                self._post()
        except* CrawlerError as fatal:
            raise fatal.exceptions[0] from None
        finally:
            self._store.listeners.remove(self._post)
            self._ready.clear()

    async def look_elsewhere(self, url: str, owner: int) -> Said:
        """See Share."""
        said: Said = await self._until(partition(owner), "look", self.number, self.epoch, url)
        self._looks += 1
        return said

    def may_ask(self) -> bool:
        """See Share. Asked before each request, since a process may wake up late."""
        return self._clock() < self._leased_until

    def may_end(self) -> bool:
        """See Share."""
        return self._finishing

    async def _renewing(self) -> None:
        """Keep the right to ask the web, and slots of the addresses that are asked."""
        await self._greeted.wait()
        while True:
            asked_at = self._clock()
            self._renewals += 1
            self._held = self._frontier.addresses(asked_at)
            told = self.number, self.epoch, self._renewals, self._held, self._keeper
            try:
                async with asyncio.timeout(LEASE_S):  # what comes later is worth nothing
                    self._keeper, slots = await self._call(SEQUENCER, "renew", *told)
            except (Gone, TimeoutError) as why:
                log.info("the right to ask the web is not renewed: %s", why)
            else:
                if asked_at + LEASE_S > self._clock():  # else it has lapsed again on its way
                    self._leased_until = asked_at + LEASE_S
                    self._frontier.grant(slots)
                    self._dispatcher.wake()
            await self._pause_until(RENEW_S, self._wanted)
            if self._wanted.is_set():
                await self._pause(SOON_S)
            self._wanted.clear()

    async def _pause_until(self, wait_s: float, event: asyncio.Event) -> None:
        """Wait so long, or until an event."""
        if not wait_s:
            return
        over = asyncio.ensure_future(self._pause(wait_s))
        try:
            await until_any(over, event)
        finally:
            over.cancel()

    async def _lapsing(self) -> None:
        """Use no slots of addresses once the right to ask the web may be somebody else's."""
        await self._greeted.wait()
        while True:
            left_s = self._leased_until - self._clock()
            if left_s <= 0 and self._held:
                log.info("nothing is asked for until the judge answers")
                self._frontier.grant(dict.fromkeys(self._held, 0))
                self._held = {}
            await self._pause(left_s if left_s > 0 else RENEW_S)

    # ----------------------------------------------------------------------------------------------
    # To others

    async def _call(self, role: str, method: str, *args: Any) -> Any:
        """Call a role once; StoreInUse where this partition was opened again since."""
        try:
            return await self._carrier.call(role, method, *args)
        except Fenced as why:
            raise StoreInUse(
                f"{self._job.output}: it was opened again since, by another process or on another "
                f"machine; this one ends ({why})"
            ) from why

    async def _until(self, role: str, method: str, *args: Any) -> Any:
        """Call a role until it answers."""
        wait_s = AGAIN_S
        while True:
            try:
                return await self._call(role, method, *args)
            except Gone as why:
                log.info("%s: %s is called again in %g s: %s", method, role, wait_s, why)
                await self._pause(wait_s)
                wait_s = min(2 * wait_s, LONGEST_AGAIN_S)

    def _post(self) -> None:
        """Send what waits for others, each receiver by itself: who is behind holds up nobody."""
        for receiver in self._exchange.receivers():
            if receiver not in self._posting:
                posting = self._posting_to(receiver)
                try:
                    self._posting[receiver] = self._group.create_task(posting)
                except RuntimeError:  # all of it is ending: a later run sends this
                    posting.close()

    async def _posting_to(self, receiver: int) -> None:
        sent = 0
        try:
            while messages := self._exchange.messages(receiver, sent):
                if receiver != JUDGE:
                    told = [(message.n, message.packed) for message in messages]
                    links = partition(receiver), "links", self.number, self.epoch, told
                    sent = int(await self._until(*links))
                else:
                    for message in messages:
                        pair = [tuple(orjson.loads(message.packed))]
                        asked = self.number, self.epoch, message.n, pair
                        await self._until(SEQUENCER, "observe", *asked)
                    sent = messages[-1].n
                with self._store.exchanging() as change:
                    change.acknowledged[receiver] = sent
        finally:
            del self._posting[receiver]
