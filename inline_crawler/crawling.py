"""What a crawl does on the event loop of the program that takes its pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crawler.config import Job
from crawler.console import Say
from crawler.engine.identity import identity
from crawler.errors import InputError
from crawler.fetch import Access
from crawler.models import Evidence, NewUrl, PageOutcome, UrlState, VerdictKind
from crawler.plugins import Made
from crawler.sources.web.crawl import Crawl
from crawler.sources.web.rescope import bring_back
from crawler.storage.store import Store
from crawler.storage.summary import write_summary
from crawler.storage.view import StoreView, begun
from crawler.urls import host_key, origin
from inline_crawler.results import Duplicate, Missed, StoredPage

End = StoredPage | Duplicate | Missed


class DeliveringStore(Store):
    """A store that hands over the pages that were judged, too, in the order of their ends.

    Whoever submits waits in `room` until the program has asked for the page after: so as many wait
    as are fetched at once, and no crawl ends while the program may still add to it.
    """

    def __init__(self, *opened: Any) -> None:
        super().__init__(*opened)
        self._ends: asyncio.Queue[tuple[End | None, asyncio.Event]] = asyncio.Queue()
        """Each with what is set once the program is done with it; None after the last one."""
        self.missed: Callable[[Missed], None] | None = None
        """Hears in its turn, and on the program's own task, what brought no page."""
        self._over = False
        self._taken = self._submitted = asyncio.Event()
        """Those of the pages that were taken and submitted last."""
        self._submitted.set()

    def submit(self, outcome: PageOutcome) -> None:
        """See Store."""
        end = _end(dict(outcome.lines))
        super().submit(outcome)
        if end is None or self._over or (isinstance(end, Missed) and self.missed is None):
            return
        self._submitted = asyncio.Event()
        self._ends.put_nowait((end, self._submitted))

    def tell(self, missed: Iterable[Missed]) -> None:
        """Hand over what else brought no page, if somebody hears of it."""
        if self.missed is not None and not self._over:
            for one in missed:
                self._ends.put_nowait((one, asyncio.Event()))

    async def room(self) -> None:
        """See Store; waits until the program is done with all pages that are here now, too."""
        await self._submitted.wait()
        await super().room()

    async def take(self) -> StoredPage | Duplicate | None:
        """Be done with the page that was taken last; return the next one, None after the last."""
        while True:
            self._taken.set()
            end, self._taken = await self._ends.get()
            if end is None:
                self.end()
            if not isinstance(end, Missed):
                return end
            if self.missed is not None:
                self.missed(end)

    def end(self) -> None:
        """Nothing more will come."""
        self._over = True
        self._ends.put_nowait((None, asyncio.Event()))

    def drop(self) -> None:
        """Nobody will take any more: hold nobody up."""
        self._taken.set()
        while not self._ends.empty():
            self._ends.get_nowait()[1].set()
        self.end()


def _end(lines: Mapping[str, Mapping[str, Any]]) -> End | None:
    """Return an end by its lines; None of what neither is a page nor ends without one."""
    if (line := lines.get("pages")) is not None:
        kind = VerdictKind(line["verdict"])
        return StoredPage(line["url"], kind, line.get("title"), line["text"], line)
    if (line := lines.get("duplicates")) is not None:
        return Duplicate(
            line["url"],
            VerdictKind(line["verdict"]),
            line["duplicate_of"]["url"],
            line["content_similarity"],
            Evidence(evidence) if (evidence := line.get("evidence")) else None,
            line,
        )
    for file, why in (("failures", "failure"), ("skipped", "reason")):
        if (line := lines.get(file)) is not None:
            said = line[why], line.get("detail") or ""
            return Missed(line["url"], *said, is_failure=file == "failures", line=line)
    return None


def _unreached(directory: Path) -> Iterator[Missed]:
    """Yield the seeds that a crawl which has ended left pending, as their hosts do not answer."""
    with StoreView.read(directory) as view:
        whys = {row.place: row.why for row in view.health() if row.tries}
        for url, state, _ in view.seeds():
            if state is UrlState.PENDING:
                why = whys.get(host_key(url)) or whys.get(origin(url))
                if why is not None:
                    yield Missed(url, "pending", why, is_failure=True, line={})


class Crawling:
    """A crawl of a job from `begin` to `leave`, and the pages that it hands over meanwhile."""

    def __init__(
        self, job: Job, plugins: Made, say: Say, missed: Callable[[Missed], None] | None
    ) -> None:
        """Open the job's directory, or make it; raises what `Crawl.__aenter__` says."""
        Access(job)
        goes_on = begun(job.output)
        if goes_on:
            bring_back(job.output, job, say)
        opened = DeliveringStore.open if goes_on else DeliveringStore.create
        rotate_bytes = job.storage.rotate_bytes
        self._store = opened(job.output, identity(job), rotate_bytes=rotate_bytes)
        self._store.missed = missed
        self._run = Crawl(job, self._store, report=say, plugins=plugins)

    async def begin(self) -> None:
        """Return once the crawl is running, or has ended already."""
        self._running = asyncio.create_task(self._run_to_its_end())
        began = asyncio.create_task(self._run.began.wait())
        try:
            await asyncio.wait({began, self._running}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # nobody will leave
            await self._break_off()
            raise
        finally:
            began.cancel()

    async def take(self) -> StoredPage | Duplicate | None:
        """Wait for the next page, None after the last; raises what ended the crawl."""
        page = await self._store.take()
        if page is None:
            await self._running
        return page

    def add(self, url: str) -> bool:
        """See `Crawl.add` of the library."""
        if self._running.done():
            raise InputError(f"{url}: the crawl has ended: run it again to add more to it")
        answer = self._run.add(url)
        if answer is None:
            raise InputError(f"{url!r} is no URL that can be crawled")
        return isinstance(answer, NewUrl)

    def stop(self) -> None:
        """Begin no new page."""
        self._run.stop()

    async def leave(self) -> None:
        """Stop, and wait for the pages in progress; the next one goes on from here."""
        self.stop()
        self._store.drop()
        try:
            await asyncio.shield(self._running)
        except asyncio.CancelledError:
            await self._break_off()
            raise

    async def _break_off(self) -> None:
        """Drop the pages in progress, and let the directory go."""
        self._run.cancel()
        self._store.drop()
        await asyncio.wait({self._running})

    async def _run_to_its_end(self) -> None:
        try:
            await self._run.run()
            self._store.tell(_unreached(self._store.directory))
        finally:
            self._store.end()
            write_summary(self._store.directory)
