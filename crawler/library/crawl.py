"""A crawl that another program runs, page by page, on its own event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from crawler.config import Job, check_seeds, load_job, parse_job
from crawler.crawl.brought_back import bring_back
from crawler.crawl.crawl import Crawl as Engine
from crawler.crawl.identity import identity
from crawler.crawl.summary import write_summary
from crawler.errors import InputError
from crawler.fetch import Access
from crawler.library.delivery import DeliveringStore, Delivery, Page
from crawler.plugins import Sink, UrlFilter, made
from crawler.plugins import check as check_plugins
from crawler.printing import Say
from crawler.records import NewUrl
from crawler.storage import Store, begun


@dataclass(frozen=True, slots=True)
class _Entered:
    """What there is from entry to exit."""

    engine: Engine
    delivery: Delivery
    running: asyncio.Task[None]


class Crawl:
    """A crawl of a job into a directory, from entry to exit; the pages that it judges, in order.

    ::

        async with Crawl({"seeds": ["https://site.example/"]}, "out") as crawl:
            async for page in crawl:
                ...

    The iteration ends with the crawl. Leaving the block early stops the crawl as Ctrl-C does: pages
    in progress are finished within the job's `grace_s`, and the same call goes on with it later. A
    page is handed over once, before or after it is durable; what was judged and not taken is in
    `pages.jsonl` all the same, which is where to look after a kill.

    No signal is caught and nothing is printed or logged by itself. Several crawls may run on one
    loop, each in a directory of its own.
    """

    def __init__(
        self,
        job: Mapping[str, Any] | str | os.PathLike[str],
        output: str | os.PathLike[str],
        *,
        say: Say = lambda line: None,
        filters: Mapping[str, UrlFilter] | None = None,
        sinks: Mapping[str, Sink] | None = None,
    ) -> None:
        """Take a job: its keys (docs/configuration.md), or the path of a YAML file of them.

        As many pages as the job fetches at once (`fetch.workers`) wait to be taken before the crawl
        waits. `say` hears the lines that the command prints. `filters` and `sinks` are
        objects, by name, that take part beside the plugins of the job (docs/plugins.md); a sink is
        known again by its name where the crawl goes on. Raises ConfigError for a job, or a plugin,
        that cannot be used as it stands.
        """
        self._job = _job(job, Path(output))
        check_plugins(self._job.plugins)
        self._plugins = made(self._job.plugins, filters, sinks)
        self._say = say
        self._entered: _Entered | None = None

    async def __aenter__(self) -> Self:
        """Begin the crawl, or go on with the one in the directory.

        Raises StoreMismatch where something else is there, or settings differ that must not;
        StoreInUse where another process has it; StoreError where it cannot be read or written;
        ConfigError where a login or certificate that the job names cannot be used.
        """
        Access(self._job)
        directory = self._job.output
        goes_on = begun(directory)
        if goes_on:
            bring_back(directory, self._job, self._say)
        opened = Store.open if goes_on else Store.create
        store = opened(directory, identity(self._job), rotate_bytes=self._job.storage.rotate_bytes)
        delivery = Delivery()
        engine = Engine(
            self._job,
            store,
            report=self._say,
            through=lambda pages: DeliveringStore(pages, delivery),
            plugins=self._plugins,
        )
        running = asyncio.create_task(self._run(engine, delivery))
        self._entered = _Entered(engine, delivery, running)
        began = asyncio.create_task(engine.began.wait())
        try:
            await asyncio.wait({began, running}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # nobody will call __aexit__
            await self._break_off()
            raise
        finally:
            began.cancel()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self._now.delivery.drop()
        try:
            await asyncio.shield(self._now.running)
        except asyncio.CancelledError:
            await self._break_off()
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Page:
        """Wait for the next page; raises what ended the crawl, if that was an error."""
        page = await self._now.delivery.take()
        if page is None:
            await self._now.running
            raise StopAsyncIteration
        return page

    def add(self, url: str) -> bool:
        """Queue one more seed; return whether it is new and the job's scope admits it.

        Raises InputError for what is no URL, and where the crawl has ended: that is when nothing
        more is queued and the page after the last one was asked for.
        """
        if self._now.running.done():
            raise InputError(f"{url}: the crawl has ended: run it again to add more to it")
        answer = self._now.engine.add(url)
        if answer is None:
            raise InputError(f"{url!r} is no URL that can be crawled")
        return isinstance(answer, NewUrl)

    def stop(self) -> None:
        """Begin no new page; those in progress still come."""
        self._now.engine.stop()

    @property
    def _now(self) -> _Entered:
        if self._entered is None:
            raise RuntimeError(
                "a Crawl begins as its block is entered: async with Crawl(...) as crawl"
            )
        return self._entered

    async def _break_off(self) -> None:
        """Drop the pages in progress, and let the directory go."""
        self._now.engine.cancel()
        self._now.delivery.drop()
        await asyncio.wait({self._now.running})

    async def _run(self, engine: Engine, delivery: Delivery) -> None:
        try:
            await engine.run()
        finally:
            delivery.end()
            write_summary(self._job.output)


def _job(job: Mapping[str, Any] | str | os.PathLike[str], output: Path) -> Job:
    given = {"output": str(output)}
    if isinstance(job, Mapping):
        made = parse_job({**job, **given}, "Crawl")
    else:
        made = load_job(Path(job), given)
    check_seeds(made.seeds, "Crawl")
    return made
