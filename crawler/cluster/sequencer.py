"""The sequencer: the order in which pages are judged, their verdicts, and the log of both.

Asks and observations wait in one queue, as they came; one task takes batches from it::

    asks in the log ── their answers
    others          ── shards look ── shards compare ahead ── decided one after another
                                                           ── shards keep ── log ── answers

The log is the truth about verdicts. A batch that is not in it has not been: its numbers are given
again, and what shards have kept of it they forget as they first hear of the next epoch
(`Shard.hello`). Within one epoch a batch that was decided is never decided again, so a shard may be
told to keep it as often as need be, and whatever runs late does no harm.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, starmap, takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from crawler import config
from crawler.cluster.addresses import AddressLeases
from crawler.cluster.gathered import GatheredJudge
from crawler.cluster.protocol import (
    Ahead,
    Answer,
    Carrier,
    Fenced,
    Found,
    Gone,
    Kept,
    Looked,
    PageAsk,
)
from crawler.cluster.protocol import shard as role_of_shard
from crawler.cluster.state import EPOCH, RoleState, check_epoch
from crawler.config import Method, NearMode
from crawler.dedup import represents
from crawler.dedup.index import matched_blocks
from crawler.dedup.kinds import Alike
from crawler.dedup.methods.matching import NotCompared
from crawler.errors import ConfigError, StoreError, StoreMismatch
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    SIBLING,
    EditionCount,
    Evidence,
    ExactDuplicate,
    NearDuplicate,
    New,
    Sibling,
    StoredRef,
    Unjudged,
    Verdict,
    verdict_name,
)
from crawler.sources.event_loop import until_any
from crawler.storage.database import Database
from crawler.storage.rows import signed, unsigned
from crawler.urls import host_of

_T = TypeVar("_T")

_Name = tuple[int, int]
"""Of a page that was asked about: its partition, and its number there."""

log = logging.getLogger(__name__)

LEASE_S = 12.0
"""How long a partition may ask the web after it was last heard of. One that is opened elsewhere
waits until that is over, so that no host is asked by two."""
RETRY_S = 0.5
"""Between two calls of a shard that is gone."""

TOGETHER = 8
"""Pages of one host in a batch that one shard compares, some 3 ms each: it guesses best what is
kept of them. Divided further, three times as many had to be compared again."""

MOST_ASKED = 1_000
"""Numbers that the log is asked for at once."""

_APPLICATION_ID = 0x43525753
"""`CRWS`."""
_VERSION = 1
_SHARDS = "shards"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE partitions (
  id INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  observed INTEGER NOT NULL
);
CREATE TABLE verdicts (
  seq INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL,
  number INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  name TEXT NOT NULL,
  why TEXT,
  represents INTEGER NOT NULL,
  of_id INTEGER,
  of_url TEXT,
  distance INTEGER,
  similarity REAL,
  fingerprint INTEGER,
  of_fingerprint INTEGER
);
CREATE UNIQUE INDEX verdicts_asked ON verdicts (partition, number);
CREATE TABLE editions (
  slot TEXT NOT NULL,
  one TEXT NOT NULL,
  other TEXT NOT NULL,
  agree INTEGER NOT NULL,
  against INTEGER NOT NULL,
  UNIQUE (slot, one, other)
);
"""
"""`partitions.observed` is the highest number of an observation that was counted. `verdicts.why` is
the reason of a verdict without an original, or its evidence. `editions` are as in a crawl, in the
order in which they were last changed: those that were not for longest are forgotten first."""


_SET_EDITIONS = "INSERT OR REPLACE INTO editions VALUES (?, ?, ?, ?, ?)"
_LOGGED = (
    "SELECT number, seq, kept, name, why, represents, of_id, of_url, distance, similarity, "
    "fingerprint, of_fingerprint FROM verdicts WHERE partition = ? AND number IN"
)


@dataclass(slots=True)
class _Waiting:
    """A call that waits to be answered."""

    partition: int
    epoch: int
    answer: asyncio.Future[Any]

    def succeed(self, value: Any) -> None:
        """Answer, unless the caller has gone."""
        if not self.answer.done():
            self.answer.set_result(value)

    def fail(self, error: Exception) -> None:
        """Answer by an exception."""
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(slots=True)
class _Asks(_Waiting):
    left: Sequence[PageAsk]
    """Those that are not answered."""
    answers: list[Answer] = field(default_factory=list)


@dataclass(slots=True)
class _Observed(_Waiting):
    first: int
    pairs: Sequence[tuple[str, str]]


class Sequencer:
    """Judges the pages of all partitions, as one `crawler.dedup.Judge` shown them in their order.

    Of several that were opened one after another the last one alone gets anything done: shards
    fence the others.
    """

    def __init__(
        self,
        directory: Path,
        settings: config.Dedup,
        carrier: Carrier,
        shards: int,
        *,
        per_address: int = config.Politeness().per_address,
        batch: int = 64,
        linger_s: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A batch has `batch` pages at most, and is waited for `linger_s` to be full.

        An address gets `per_address` requests at once from all partitions.

        ConfigError for a method by which several shards cannot be asked as one.
        """
        if settings.near is not NearMode.KEEP and settings.method is not Method.VERIFIED:
            raise ConfigError(
                f"dedup.method {settings.method.value}: the judge of a cluster knows "
                f"{Method.VERIFIED.value} alone"
            )
        self._directory = directory
        self._settings = settings
        self._carrier = carrier
        self._shards = range(shards)
        self._per_address = per_address
        self._batch = batch
        self._linger_s = linger_s
        self._sleep = sleep
        self._clock = clock
        self._opened_at = clock()
        self._leases: dict[int, float] = {}
        """Partition -> until when it may ask the web."""
        self._free: dict[int, float] = {}
        """Partition -> from when its present owner may."""
        self._queue: deque[_Waiting] = deque()
        self._came = asyncio.Event()
        self._trouble: Exception | None = None
        self.ended: Gone | None = None
        """Why it does nothing more, if so: it has to be opened again."""
        self._greeted: set[int] = set()
        """Shards that know this epoch and have their indexes, for all that is known."""
        self._shared = [0] * shards
        """Pages that each has compared ahead."""
        self._untold: dict[int, dict[tuple[str, ...], EditionCount]] = {}
        """What these have not heard of yet of what was learned of addresses."""

    async def open(self) -> None:
        """Hold the directory, and make it if need be; shards are met when they are first needed.

        Raises StoreError, StoreMismatch where the log is of another number of shards.
        """
        self._state = open_log(self._directory)
        self._database = self._state.database
        try:
            of = self._state.get(_SHARDS, None)
            if of is None:
                self._state.set(_SHARDS, len(self._shards))
            elif of != len(self._shards):
                raise StoreMismatch(
                    f"{self._directory}: its pages lie at {of} shards, which cannot change to "
                    f"{len(self._shards)}"
                )
            self._epoch = int(self._state.get(EPOCH, 0)) + 1
            self._state.set(EPOCH, self._epoch)
        except BaseException:
            self._state.abandon()
            raise
        self._committed = int(self._database.cell("SELECT ifnull(max(seq), 0) FROM verdicts"))
        self._partitions: dict[int, tuple[int, int]] = {
            id_: (epoch, observed)
            for id_, epoch, observed in self._database.rows("SELECT * FROM partitions")
        }
        at_work = [id_ for id_, (epoch, _) in self._partitions.items() if epoch > self._left(id_)]
        self._addresses = AddressLeases(
            *(self._per_address, LEASE_S, at_work, self._opened_at), number=self._epoch
        )
        self._judge = GatheredJudge(self._settings)
        self._judge.restore_editions(self._counted())
        self._working = asyncio.create_task(self._work())

    async def close(self) -> None:
        """End; who waits for an answer has to ask again."""
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working
        self._end("was closed")
        self._state.close()

    # What partitions ask.

    async def hello(self, partition: int, epoch: int) -> float:
        """A partition was opened, or is at work still: it may ask the web for LEASE_S from now.

        Returns the seconds that it has to wait before, until nobody with a lower epoch may any
        more. Raises Fenced where it was opened again since.
        """
        before = self._partitions.get(partition, (0, 0))[0]
        self._admit(partition, epoch)
        now = self._clock()
        if epoch > before and before > self._left(partition):
            self._free[partition] = self._leases.get(partition, self._opened_at + LEASE_S)
        wait_s = max(0.0, self._free.get(partition, now) - now)
        self._leases[partition] = now + wait_s + LEASE_S
        return wait_s

    async def renew(
        self, partition: int, epoch: int, number: int, held: Mapping[str, int], answered_by: int
    ) -> tuple[int, dict[str, int]]:
        """A partition is at work still, as by `hello`: share out the addresses that it asks.

        Takes and returns what `AddressLeases.tell` does, and with it the number of this keeper;
        `number` grows from call to call.
        """
        await self.hello(partition, epoch)
        word, now = (epoch, number), self._clock()
        return self._epoch, self._addresses.tell(partition, word, held, now, answered_by)

    async def status(self) -> None:
        """Raise what it cannot go on with, the trouble of its store or a shard's; else nothing."""
        if self._trouble is not None:
            raise self._trouble

    async def goodbye(self, partition: int, epoch: int) -> None:
        """A partition has ended its run: it asks the web for nothing more. Raises as `hello`."""
        self._admit(partition, epoch)
        self._state.set(f"left-{partition}", epoch)
        self._addresses.leave(partition)

    def _left(self, partition: int) -> int:
        """Return the epoch at which a partition has ended its run last."""
        return int(self._state.get(f"left-{partition}", 0))

    async def ask(self, partition: int, epoch: int, asks: Sequence[PageAsk]) -> list[Answer]:
        """Judge pages, in this order among themselves; for a number, the same answer for ever.

        Raises Fenced, Gone where this sequencer has ended.
        """
        self._admit(partition, epoch)
        if not asks:
            return []
        waiting = _Asks(partition, epoch, asyncio.get_running_loop().create_future(), asks)
        answers: list[Answer] = await self._queued(waiting)
        return answers

    async def observe(
        self, partition: int, epoch: int, first: int, pairs: Sequence[tuple[str, str]]
    ) -> int:
        """Count pages with equal bytes for what their addresses say: the URLs of each pair.

        They are numbered from `first`; numbers rise from call to call, with gaps, and what has one
        that is not above all that were counted before is passed over: it was counted. Returns the
        highest number that was. Raises as `ask` does.
        """
        self._admit(partition, epoch)
        future = asyncio.get_running_loop().create_future()
        highest: int = await self._queued(_Observed(partition, epoch, future, first, pairs))
        return highest

    async def _queued(self, waiting: _Waiting) -> Any:
        self._queue.append(waiting)
        self._came.set()
        return await waiting.answer

    def _admit(self, partition: int, epoch: int) -> None:
        if self.ended is not None:
            raise self.ended
        known, observed = self._partitions.get(partition, (0, 0))
        check_epoch(f"partition {partition}", epoch, known)
        if epoch > known:
            with self._database.transaction() as connection:
                row = partition, epoch, observed
                connection.execute("INSERT OR REPLACE INTO partitions VALUES (?, ?, ?)", row)
            self._partitions[partition] = epoch, observed

    # The queue.

    async def _work(self) -> None:
        """Take what waits, until something fails: then all that waits has to ask again."""
        try:
            while True:
                while not self._queue:
                    self._came.clear()
                    await self._came.wait()
                if isinstance(first := self._queue[0], _Observed):
                    self._observe(first)
                    self._queue.popleft()
                else:
                    await self._linger()
                    await self._answer()
        except Fenced as error:
            self._end(f"has been replaced: {error}")
        except Exception as error:
            self._trouble = error
            self._end(f"has failed: {error!r}")
            log.exception("the sequencer in %s", self._directory)

    def _end(self, why: str) -> None:
        self.ended = self.ended or Gone(f"the sequencer {why}")
        for waiting in self._queue:
            waiting.fail(self.ended)

    async def _linger(self) -> None:
        """Wait for a full batch, but not for long, nor behind an observation."""
        if not self._linger_s or self._is_full():
            return
        over = asyncio.ensure_future(self._sleep(self._linger_s))
        try:
            while not (over.done() or self._is_full()):
                self._came.clear()
                await until_any(over, self._came)
        finally:
            over.cancel()

    def _is_full(self) -> bool:
        asks = list(takewhile(lambda one: isinstance(one, _Asks), self._queue))
        waiting = sum(len(one.left) for one in asks if isinstance(one, _Asks))
        return waiting >= self._batch or len(asks) < len(self._queue)

    def _observe(self, observed: _Observed) -> None:
        """Count what a partition has observed, in one transaction with how far it has come."""
        if self._is_fenced(observed):
            return
        epoch, last = self._partitions[observed.partition]
        if new := observed.pairs[max(0, last + 1 - observed.first) :]:
            for url, other in new:
                of = ExactDuplicate(EXACT_PAYLOAD, StoredRef(0, other))
                self._judge.observe(url, of)
            last = observed.first + len(observed.pairs) - 1
            with self._database.transaction() as connection:
                row = observed.partition, epoch, last
                connection.execute("INSERT OR REPLACE INTO partitions VALUES (?, ?, ?)", row)
                connection.executemany(_SET_EDITIONS, self._taken())
            self._partitions[observed.partition] = epoch, last
        observed.succeed(last)

    async def _answer(self) -> None:
        """Answer what waits first, of asks that are not in the log a batch at most."""
        batch: dict[_Name, PageAsk] = {}
        told: list[tuple[_Asks, list[int]]] = []
        """What is answered by this, numbers by call."""
        logged: dict[_Name, _Decided] = {}
        while self._queue and isinstance(first := self._queue[0], _Asks):
            if self._is_fenced(first):
                self._queue.popleft()
                continue
            logged |= self._logged(first)
            taken = 0
            for ask in first.left:
                name = first.partition, ask.number
                if name not in logged and name not in batch:
                    if len(batch) == self._batch:
                        break
                    batch[name] = ask
                taken += 1
            told.append((first, [ask.number for ask in first.left[:taken]]))
            first.left = first.left[taken:]
            if first.left:
                break
            self._queue.popleft()
        try:
            decided = logged | (await self._decided(batch) if batch else {})
            answers = await self._told(decided)
        except BaseException:
            self._queue.extendleft(waiting for waiting, _ in told)  # to be told of the end
            raise
        self._judge.end_batch()
        for waiting, numbers in told:
            waiting.answers += [answers[waiting.partition, number] for number in numbers]
            if not waiting.left:
                waiting.succeed(waiting.answers)

    def _is_fenced(self, waiting: _Waiting) -> bool:
        """Refuse what was asked by somebody who has been replaced since."""
        known, _ = self._partitions[waiting.partition]
        try:
            check_epoch(f"partition {waiting.partition}", waiting.epoch, known)
        except Fenced as error:
            waiting.fail(error)
            return True
        return False

    # A batch.

    async def _decided(self, batch: Mapping[_Name, PageAsk]) -> dict[_Name, _Decided]:
        """Judge pages that are not in the log; then they are."""
        judge, gathered, first = self._judge, self._judge.gathered, self._committed + 1
        asks = list(batch.values())
        hosts = gathered.unknown(ask.shown.url for ask in asks)
        looked = await self._looked(first, asks, hosts)
        for number, url in enumerate(hosts):
            latest = chain.from_iterable(of.latest[number] for of in looked)
            gathered.take_latest(url, latest)
        found = [
            [one for one in some if one] for some in zip(*(of.found for of in looked), strict=True)
        ]
        judge.begin_batch(first, [ask.signature for ask in asks])
        ahead = await self._ahead(first, asks, found)
        named = {one.of for one in ahead.values() if one.of is not None and one.of < first}
        await self._fetch(named - gathered.held)
        decided: dict[_Name, _Decided] = {}
        kept: dict[int, list[Kept]] = {}
        for place, (name, ask) in enumerate(batch.items()):
            seq, told = first + place, ahead[place].told if place in ahead else ask.told
            try:
                verdict = await judge.decided(seq, ask, found[place], told, self._fetch)
            except NotCompared:
                full = await self._looked(first, [ask], [], full=True)
                parts = [one for of in full for one in of.found if one]
                verdict = await judge.decided(seq, ask, parts, told, self._fetch)
            keeps = judge.keeps(verdict)
            decided[name] = _Decided(seq, verdict, keeps)
            if keeps:
                addressed = not isinstance(verdict, NearDuplicate)
                row = Kept(seq, ask, represents(verdict), addressed)
                kept.setdefault(seq % len(self._shards), []).append(row)
        await _together(*(self._call(shard, "keep", rows) for shard, rows in kept.items()))
        self._log(decided)
        return decided

    async def _ahead(
        self, first: int, asks: Sequence[PageAsk], found: Sequence[Sequence[Found]]
    ) -> dict[int, Ahead]:
        """Have shards compare pages with those that they may be like; return it by their places.

        Shared out evenly, pages of one host together as far as that goes: with the first of them a
        shard gets ready what it needs for the others.
        """
        likes, gathered = self._judge.likes, self._judge.gathered
        kept = dict[str, list[int]]()
        due = dict[str, list[int]]()
        for place, (ask, parts) in enumerate(zip(asks, found, strict=True)):
            if any(part.payload for part in parts):
                continue
            host = host_of(ask.shown.url)
            kept.setdefault(host, []).append(place)
            if parts or likes.get(first + place):
                due.setdefault(host, []).append(place)
        most = max(TOGETHER, -(-sum(map(len, due.values())) // len(self._shards)))
        shares: list[dict[int, Sequence[Found]]] = [{} for _ in self._shards]
        hosts: list[dict[str, tuple[list[int], list[int]]]] = [{} for _ in self._shards]
        for host, places in sorted(due.items(), key=lambda item: -len(item[1])):
            url = asks[places[0]].shown.url
            for start in range(0, len(places), most):
                shard = min(
                    self._shards, key=lambda one: (len(shares[one]) // TOGETHER, self._shared[one])
                )
                some = places[start : start + most]
                self._shared[shard] += len(some)
                shares[shard].update((place, found[place]) for place in some)
                hosts[shard][url] = gathered.latest(url), kept[host]
        at = [shard for shard in self._shards if shares[shard]]
        untold = [list(self._untold.setdefault(shard, {}).values()) for shard in at]
        told = await _together(
            *(
                self._call(shard, "weigh", first, likes, counts, hosts[shard], shares[shard])
                for shard, counts in zip(at, untold, strict=True)
            )
        )
        for shard in at:
            self._untold[shard].clear()
        return {place: one for some in told for place, one in some.items()}

    async def _told(self, decided: Mapping[_Name, _Decided]) -> dict[_Name, Answer]:
        """Return the answers to what is in the log."""
        gathered = self._judge.gathered
        originals = {
            one.verdict.of.id for one in decided.values() if isinstance(one.verdict, Alike)
        }
        await self._fetch(originals - gathered.held)
        return {
            name: Answer(
                *(name[1], one.seq, one.verdict, one.seq if one.kept else None),
                gathered.original(one.verdict.of.id) if isinstance(one.verdict, Alike) else None,
            )
            for name, one in decided.items()
        }

    # Shards.

    async def _fetch(self, ids: Iterable[int]) -> None:
        """Have rows of stored pages."""
        at: dict[int, list[int]] = {}
        for id_ in sorted(ids):
            at.setdefault(id_ % len(self._shards), []).append(id_)
        told = await _together(*(self._call(shard, "rows", some) for shard, some in at.items()))
        for (shard, some), rows in zip(at.items(), told, strict=True):
            if len(rows) < len(some):
                lost = sorted({*some} - {row.id for row in rows})
                raise StoreError(f"{role_of_shard(shard)} has lost pages: {lost}")
            self._judge.gathered.take(rows)

    async def _looked(
        self, first: int, asks: Sequence[PageAsk], hosts: Sequence[str], *, full: bool = False
    ) -> list[Looked]:
        args = first, asks, hosts, full
        return await _together(*(self._call(shard, "look", *args) for shard in self._shards))

    async def _call(self, shard: int, method: str, *args: Any) -> Any:
        """Call a shard until it has answered."""
        role = role_of_shard(shard)
        while True:
            try:
                if shard not in self._greeted:
                    await self._carrier.call(role, "hello", self._epoch, self._committed)
                    self._greeted.add(shard)
                    self._untold[shard] = {row[:3]: row for row in self._counted()}
                return await self._carrier.call(role, method, self._epoch, *args)
            except Gone as error:
                log.info("%s: %s", role, error)
                self._greeted.discard(shard)
                await self._sleep(RETRY_S)

    # The log.

    def _log(self, decided: Mapping[_Name, _Decided]) -> None:
        """Commit verdicts, and what they have taught of addresses."""
        rows = [(one.seq, *name, one.kept, *_columns(one.verdict)) for name, one in decided.items()]
        with self._database.transaction() as connection:
            values = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO verdicts VALUES ({values})", rows)
            connection.executemany(_SET_EDITIONS, self._taken())
        self._committed += len(rows)

    def _taken(self) -> Sequence[EditionCount]:
        """Return what was learned of addresses; shards hear of it when they are needed next."""
        taken = self._judge.take_editions()
        for untold in self._untold.values():
            untold.update((row[:3], row) for row in taken)
        return taken

    def _counted(self) -> Iterator[EditionCount]:
        """Yield all that the log says of addresses."""
        yield from starmap(
            EditionCount, self._database.rows("SELECT * FROM editions ORDER BY rowid")
        )

    def _logged(self, asked: _Asks) -> dict[_Name, _Decided]:
        """Return what was decided of a call's pages."""
        found: dict[_Name, _Decided] = {}
        numbers = [ask.number for ask in asked.left]
        for start in range(0, len(numbers), MOST_ASKED):
            some = numbers[start : start + MOST_ASKED]
            for number, seq, kept, *row in self._database.rows(
                f"{_LOGGED} ({', '.join('?' * len(some))})", (asked.partition, *some)
            ):
                found[asked.partition, number] = _Decided(seq, _of_columns(*row), bool(kept))
        return found


async def _together(*calls: Coroutine[Any, Any, _T]) -> list[_T]:
    """Await calls at once; where one fails none of the others goes on."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class _Decided(NamedTuple):
    seq: int
    verdict: Verdict
    kept: bool


def _columns(verdict: Verdict) -> tuple[Any, ...]:
    """Return a verdict as the columns of its row, from `name` on."""
    name, leads = verdict_name(verdict), represents(verdict)
    if not isinstance(verdict, Alike):
        return (name, verdict.reason, leads, *(None,) * 6)
    of = verdict.of.id, verdict.of.url
    if isinstance(verdict, ExactDuplicate):
        return (name, None, leads, *of, *(None,) * 4)
    prints = signed(verdict.fingerprint), signed(verdict.of_fingerprint)
    return (name, verdict.evidence, leads, *of, verdict.distance, verdict.similarity, *prints)


def _of_columns(
    name: str,
    why: str | None,
    leads: bool,
    of_id: int,
    of_url: str,
    distance: int,
    similarity: float | None,
    *prints: int,
) -> Verdict:
    """Undo `_columns`."""
    if name in (NEAR, SIBLING):
        kind = NearDuplicate if name == NEAR else Sibling
        own, other = map(unsigned, prints)
        blocks = matched_blocks(own, other)
        evidence = None if why is None else Evidence(why)
        of = StoredRef(of_id, of_url)
        return kind(of, distance, similarity, own, other, blocks, evidence)
    if name in (EXACT_PAYLOAD, EXACT_TEXT):
        return ExactDuplicate(name, StoredRef(of_id, of_url))
    if name == verdict_name(New()):
        return New(why, bool(leads))
    return Unjudged(why or "")


def open_log(directory: Path) -> RoleState:
    """Hold the directory of a log of verdicts, and make it if need be. Raises StoreError."""
    return RoleState.open(directory, _create, _check)


def _create(database: Database) -> None:
    with database.transaction() as connection:
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")


def _check(database: Database) -> None:
    found = database.pragma("application_id"), database.version
    if found != (_APPLICATION_ID, _VERSION):
        raise StoreMismatch(f"{database.path} is no log of verdicts of this program's version")
