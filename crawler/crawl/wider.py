"""A run that reaches farther than the one before: what was refused then is offered again.

Links beyond the reach of a job are counted and not kept: at a limit of depth they are most of all
links. They are found again where lines say to which pages each stored page links
(`extract.outlinks`), and where redirects led. Until all of it is offered the store says how far the
run before reached (`Meta.REACHED`), so a run that is killed meanwhile is followed by one that does
it again: what is known by then is not taken twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from crawler.config import Job, parse_job
from crawler.crawl.slices import in_slices
from crawler.errors import ConfigError
from crawler.frontier import Frontier, Refusal
from crawler.frontier.reach import is_deeper, is_wider
from crawler.printing import Say, command, progress
from crawler.records import FetchTask, NewUrl
from crawler.storage import Meta, Store, StoreView, reading_line, reading_stored_values
from crawler.urls import host_key

LINES_A_SLICE = 50
"""Lines hold texts: some 10 ms."""
MANY = 10_000
"""Pages whose lines take more than a second to read."""
_REFUSED = frozenset({Refusal.OUT_OF_SCOPE.value, Refusal.TOO_DEEP.value})


class _Led(NamedTuple):
    """Where a page leads."""

    task: FetchTask
    links: tuple[str, ...]
    depth: int
    hops: int
    seed: bool


def job_before(view: StoreView) -> Job | None:
    """Return the job up to whose reach all links were offered; None where no run has begun."""
    with reading_stored_values(view.directory):
        kept: dict[str, Any] | None = view.meta(Meta.REACHED) or view.meta(Meta.JOB)
    try:
        return None if kept is None else parse_job(kept, "")
    except ConfigError:  # of another version of this program
        return None


def lacks_links(view: StoreView, job: Job) -> bool:
    """Whether pages of a directory may link to what was refused there, and a job would not."""
    if view.meta(Meta.LOST_LINKS):
        return True
    before = job_before(view)
    return before is not None and (is_deeper(before, job) or is_wider(before, job))


@dataclass
class Wider:
    """Offers again what the run before refused."""

    store: Store
    report: Say
    least_depth: int = 0
    """Pages nearer to the seeds had no link refused."""
    lost: int = 0
    """Stored pages of which it is not known to where they link."""
    offered: int = 0

    @classmethod
    def than_before(cls, job: Job, store: Store, report: Say) -> Wider | None:
        """Return what is to be offered, before the run is noted; None where that is nothing."""
        before = job_before(store)
        if before is None or store.meta(Meta.RECRAWL) is not None:
            return None
        wider, least = is_wider(before, job), before.limits.depth or 0
        if not (wider or is_deeper(before, job)):
            return None
        store.set_meta(Meta.REACHED, before.model_dump(mode="json"))
        return cls(store, report, 0 if wider else least)

    async def offer(self, frontier: Frontier, stopped: Callable[[], bool]) -> None:
        """Offer all that is known to have been refused, and tell how much it was."""
        pages = self.store.extents()["pages"].lines
        if pages >= MANY:
            self.report(progress(f"Looking where {pages:,} stored pages link to ..."))
        for some in (self._redirects(), self._pages()):
            async for slice_ in in_slices(some, LINES_A_SLICE):
                for led in slice_:
                    self._offer(led, frontier)
                await self.store.room()
                if stopped():
                    return
        self.store.set_meta(Meta.REACHED, None)
        if self.lost:
            self.store.set_meta(Meta.LOST_LINKS, {"pages": self.lost})
        await self.store.flush()
        self._tell()

    def _offer(self, led: _Led, frontier: Frontier) -> None:
        allowance = frontier.allowance(led.task, 0)
        answers = [
            frontier.offer(
                link,
                depth=led.depth,
                hops=led.hops,
                via=led.task,
                seed=led.seed,
                allowance=allowance,
            )
            for link in led.links
        ]
        new = [answer for answer in answers if isinstance(answer, NewUrl)]
        self.offered += len(new)
        self.store.submit_urls(new)

    def _tell(self) -> None:
        self.report(
            f"Scope or depth is wider than before: {self.offered:,} URLs are queued that were "
            "refused"
        )
        if self.lost:
            again = command("recrawl", self.store.directory, "--all")
            self.report(
                f"Of {self.lost:,} stored pages it is not known what else they link to, since "
                "extract.outlinks was off. To ask for them again, and for what they link to, in a "
                f"directory beside this one: {again}"
            )

    def _pages(self) -> Iterator[_Led]:
        """Yield the pages of which lines say where they lead, and that this may be followed."""
        query = "SELECT u.id, u.depth FROM documents d JOIN urls u ON u.id = d.url_id WHERE d.id=?"
        for line in self.store.lines("pages"):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                page_id, url, links = record["id"], record["url"], record.get("outlinks")
                nofollow, depth = record.get("nofollow"), record["depth"]
            if depth < self.least_depth:
                continue
            if links is None or nofollow is None:
                self.lost += 1
                continue
            found = self.store.database.rows(query, (page_id,))
            if nofollow or not links or not found:
                continue
            url_id, depth = found[0]
            task = FetchTask(url_id, url, host_key(url), depth)
            yield _Led(task, tuple(links), depth + 1, 0, seed=False)

    def _redirects(self) -> Iterator[_Led]:
        """Yield the redirects whose targets were refused."""
        refused: dict[str, str] = {}
        for line in self.store.lines("redirects"):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                if record["offered"] in _REFUSED:
                    refused[record["url"]] = record["target"]
        if not refused:
            return
        query = "SELECT id, url, depth, hops, seed FROM urls WHERE state = 3"
        for url_id, url, depth, hops, seed in self.store.database.rows(query):
            if (target := refused.get(url)) is not None:
                task = FetchTask(url_id, url, host_key(url), depth, hops=hops, seed=bool(seed))
                yield _Led(task, (target,), depth, hops + 1, bool(seed))
