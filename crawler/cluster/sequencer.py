"""The sequencer: the order in which pages are judged, their verdicts, and the log of both.

Asks and observations wait in one queue, as they came; one task takes batches from it::

    asks in the log ── their answers
    others          ── shards look ── decided one after another ── shards keep ── log ── answers

The log is the truth about verdicts. A batch that is not in it has not been: its numbers are given
again, and what shards have kept of it they forget (`Shard.hello`). Within one opening a batch that
was decided is never decided again, so a shard may be told to keep it as often as need be.
"""

from __future__ import annotations

import asyncio
import pickle
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from crawler import config
from crawler.cluster.carrier import Carrier
from crawler.cluster.carrier import shard as role_of_shard
from crawler.cluster.gathered import GatheredJudge, Missing
from crawler.cluster.messages import Answer, Fenced, Found, Gone, Kept, Looked, OriginalRow, PageAsk
from crawler.cluster.state import EPOCH, RoleState, check_epoch
from crawler.config import Method, NearMode
from crawler.dedup import represents
from crawler.dedup.index import matched_blocks
from crawler.dedup.methods.matching import NotCompared
from crawler.errors import ConfigError, StoreMismatch
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
from crawler.storage.database import Database
from crawler.storage.rows import signed, unsigned

RETRY_S = 0.5
"""Between two calls of a shard that is gone."""

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


@dataclass(slots=True)
class _Waiting:
    """What was asked in one call, as far as it is not answered."""

    partition: int
    epoch: int
    answer: asyncio.Future[Any]


@dataclass(slots=True)
class _Asks(_Waiting):
    asks: Sequence[PageAsk]
    answers: dict[int, Answer] = field(default_factory=dict)


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
        batch: int = 64,
        linger_s: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """A batch has `batch` pages at most, and is waited for `linger_s` to be full.

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
        self._batch = batch
        self._linger_s = linger_s
        self._sleep = sleep
        self._queue: deque[_Waiting] = deque()
        self._came = asyncio.Event()
        self._ended: Exception | None = None
        self._greeted: set[int] = set()
        """Shards that know this epoch, and how far the log has come."""

    async def open(self) -> None:
        """Hold the directory, and make it if need be; shards are met when they are first needed.

        Raises StoreError, StoreMismatch where the log is of another number of shards.
        """
        self._state = RoleState.open(self._directory, _create, _check)
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
        self._judge = GatheredJudge(self._settings, self._batch)
        counts = self._database.rows("SELECT * FROM editions ORDER BY rowid")
        self._judge.restore_editions(EditionCount(*row) for row in counts)
        self._working = asyncio.create_task(self._work())

    async def close(self) -> None:
        """End; who waits for an answer has to ask again."""
        await self._stop()
        self._state.close()

    async def abandon(self) -> None:
        """End as a kill does."""
        await self._stop()
        self._state.abandon()

    async def _stop(self) -> None:
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working
        self._end(Gone("the sequencer was closed"))

    # What partitions ask.

    async def hello(self, partition: int, epoch: int) -> None:
        """A partition was opened; raises Fenced where it was again since."""
        self._admit(partition, epoch)

    async def ask(self, partition: int, epoch: int, asks: Sequence[PageAsk]) -> list[Answer]:
        """Judge pages, in this order among themselves; for a number, the same answer for ever.

        Raises Fenced, Gone where this sequencer has ended.
        """
        self._admit(partition, epoch)
        waiting = _Asks(partition, epoch, asyncio.get_running_loop().create_future(), asks)
        answers: list[Answer] = await self._queued(waiting)
        return answers

    async def observe(
        self, partition: int, epoch: int, first: int, pairs: Sequence[tuple[str, str]]
    ) -> int:
        """Count pages with equal bytes for what their addresses say: the URLs of each pair.

        They are numbered from `first`, of all that the partition observes from 1; each is counted
        once. Returns the highest number that was counted; the next one is the first of the next
        call, and where one is missing in between nothing is counted. Raises as `ask` does.
        """
        self._admit(partition, epoch)
        future = asyncio.get_running_loop().create_future()
        highest: int = await self._queued(_Observed(partition, epoch, future, first, pairs))
        return highest

    async def _queued(self, waiting: _Waiting) -> Any:
        if self._ended is not None:
            raise self._ended
        self._queue.append(waiting)
        self._came.set()
        return await waiting.answer

    def _admit(self, partition: int, epoch: int) -> None:
        known, observed = self._partitions.get(partition, (0, 0))
        check_epoch(f"partition {partition}", epoch, known)
        if epoch > known:
            with self._database.transaction() as connection:
                row = partition, epoch, observed
                connection.execute("INSERT OR REPLACE INTO partitions VALUES (?, ?, ?)", row)
            self._partitions[partition] = epoch, observed

    # The queue.

    async def _work(self) -> None:
        try:
            while True:
                while not self._queue:
                    self._came.clear()
                    await self._came.wait()
                if isinstance(self._queue[0], _Observed):
                    self._count(self._queue.popleft())
                else:
                    await self._linger()
                    await self._answer(self._taken())
        except asyncio.CancelledError:
            raise
        except Fenced as error:
            self._end(Gone(f"another sequencer has taken over: {error}"))
        except BaseException as error:
            self._end(Gone(f"the sequencer has failed: {error!r}"))
            raise

    async def _linger(self) -> None:
        """Wait for a full batch, but not for long, nor for what follows an observation."""

    def _taken(self) -> list[_Asks]:
        raise NotImplementedError
