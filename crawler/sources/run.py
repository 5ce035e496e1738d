"""The life of a run over a source that is read in an order of its own, the same for all of them.

It begins in its store and judges by all that is stored there, and in what it is judged against. It
notes how far it has come, lest it be killed, and ends with all of it durable and accounted for. A
run that was stopped or killed goes on where its store ends: what has an end there is passed over.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from crawler.config import Job
from crawler.console import Say
from crawler.dedup import Judge
from crawler.engine.engine import Engine
from crawler.engine.outcomes import Record
from crawler.engine.ports import PageJudge
from crawler.models import NewUrl, PageOutcome, Priority, StoredRef
from crawler.observe.parts import parts_in_use
from crawler.observe.progress import Pace
from crawler.observe.summary import Tally
from crawler.storage.catalog import LayeredCatalog
from crawler.storage.reference_index import open_layers
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import confirm_accounts

EXPECTED_PAGES = 100_000
"""What filters and indexes make room for at first; they grow beyond."""

NOT_ASKED = "not-asked"
"""What a redirect's line says of its target: nothing is fetched, it is here if it is archived."""


class NoLinks:
    """Links lead nowhere: what is read is what is there."""

    def links(self, *_: object, **__: object) -> None:
        """See `crawler.engine.engine.Links`."""

    def target(self, *_: object, **__: object) -> str:
        """See `crawler.engine.engine.Links`."""
        return NOT_ASKED


Named = Callable[[LayeredCatalog, StoredRef], Record | None]
"""What lines say of a stored page, by all that there are; None where its id and URL say it."""


@contextmanager
def judging(
    job: Job,
    store: Store,
    against: Sequence[Path],
    named: Named | None = None,
    judge: PageJudge | None = None,
) -> Iterator[tuple[Engine, LayeredCatalog]]:
    """Yield what judges by all pages of a store and of those `against`, and these pages.

    `judge` is who decides, unless a Judge is to be made of those pages. Raises StoreMismatch as
    `open_layers` does.
    """
    with ExitStack() as earlier:
        pages = open_layers(against, store, store.meta(Meta.IDENTITY), earlier)
        if judge is None:
            next_id = store.next_document_id
            expected = max(EXPECTED_PAGES, 2 * (pages.earlier_documents + next_id))
            judge = own = Judge(job.dedup, pages, expected, next_id)
            own.restore(chain(pages.earlier_rows(), store.index_rows()))
            own.restore_editions(store.editions())
        name = partial(named, pages) if named else None
        engine = Engine(job, judge, pages, NoLinks(), named=name)
        yield engine, pages


def own_row(url_id: int, url: str, source: str) -> tuple[NewUrl]:
    """Return the row of the URL table that an end brings: its own, so none is there without one."""
    return (NewUrl(url_id, url, source, 0, Priority.ORDINARY, 0, None, seed=True),)


class SourceRun(ABC):
    """One run over a source. Make it, `run` it once, `stop` it if need be."""

    named: Named | None = None
    plugins: Mapping[str, Sequence[str]] | None = None
    """Those that take part, by kind, as they are told."""

    judge: PageJudge | None = None
    """Who decides, if not a Judge by what is stored."""

    def __init__(
        self, job: Job, store: Store, against: Sequence[Path], size_bytes: int | None, say: Say
    ) -> None:
        """`size_bytes` is that of all there is to read, None where it is not known."""
        self._job = job
        self._store = store
        self._against = against
        self._size_bytes = size_bytes
        self._say = say
        self._ended = store.next_url_id - 1
        """How many had their end as the run began."""
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.tally = Tally(store.counts.by_state)

    @abstractmethod
    def _readers(self, keys: tuple[bytes, ...]) -> AbstractAsyncContextManager[Any]:
        """Return the processes that read, by the keys of all stores."""

    @abstractmethod
    async def _read_all(self, pool: Any) -> None:
        """Read what there is, and hand each end over, until `_stop` is set."""

    async def run(self) -> None:
        """Read all there is; the store is closed when this returns.

        Raises InputError for what cannot be read; what came before it is judged and kept. Raises
        StoreError where the store cannot go on.
        """
        self._task = asyncio.current_task()
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._store)
            store.begin_run(self._job.model_dump(mode="json"), parts_in_use(self.plugins))
            store.mark_run(stopped=True)
            judging_all = judging(self._job, store, self._against, self.named, self.judge)
            self._engine, pages = stack.enter_context(judging_all)
            pool = await stack.enter_async_context(self._readers(pages.keys))
            self._pace = Pace(self.tally, self._size_bytes, self._job.progress_s, self._say)
            stopped = True
            try:
                await self._read_all(pool)
                stopped = self._stop.is_set()
            finally:
                store.mark_run(stopped=stopped)
            self._say(self._pace.line())
            await store.flush()
            confirm_accounts(store.directory, store.accounting().problems)

    def stop(self) -> None:
        """Begin nothing more; what is under way comes to its end, and the same command goes on."""
        self._stop.set()

    def cancel(self) -> None:
        """Drop what is under way, too; the same command reads it."""
        self.stop()
        if self._task is not None:
            self._task.cancel()

    def _submit(self, outcome: PageOutcome) -> None:
        """Hand an end to the store, in one stretch with its verdict."""
        self._store.submit(outcome)
        self.tally.add(outcome)

    async def _went(self, pages: int, body_bytes: int, read_bytes: int) -> None:
        """Note that so many ends more were handed over; wait while too much is to be written."""
        self._store.mark_run(stopped=True)
        self._pace.add(pages, body_bytes, read_bytes)
        await self._store.room()
