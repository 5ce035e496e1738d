"""The first words of a run: which job, where to, how politely, how far."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from crawler.config import Job
from crawler.observe.progress import hms
from crawler.observe.watching import Steering
from crawler.printing import Level, Message, say
from crawler.records import Batch, UrlState

SHOWN_SEEDS = 2


class Banner:
    """Watches a run for as long as it takes to say what it is: after the directory is opened."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def add(self, batch: Batch) -> None:
        """Hear of a URL's end."""

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Say it."""
        ends = run.look((), 0).ends
        say(banner(self._job, ends[UrlState.STORED] + ends[UrlState.DUPLICATE]))
        yield


def banner(job: Job, pages: int = 0) -> Message:
    """Return what is told of a job; `pages` are those that earlier runs fetched."""
    limits, manners = job.limits, job.politeness
    return Message(
        "\n".join(_lines(job, pages)),
        Level.PROGRESS,
        "job",
        output=str(job.output),
        seeds=len(job.seeds),
        scope=job.scope.mode.value,
        delay_s=manners.delay_s,
        robots=manners.robots,
        workers=job.fetch.workers,
        near=job.dedup.near.value,
        limits=limits.model_dump(mode="json"),
        pages_before=pages,
    )


def _lines(job: Job, pages: int) -> Iterator[str]:
    seeds = ", ".join(job.seeds[:SHOWN_SEEDS])
    if more := len(job.seeds) - SHOWN_SEEDS:
        seeds += f" and {more:,} more" if more > 0 else ""
    goes_on = f" (pages so far: {pages:,})" if pages else ""
    yield f"Crawl into {job.output}{goes_on}: from {seeds} (scope: {job.scope.mode.value})"
    yield f"Politeness: {', '.join(_manners(job))}"
    limits = ", ".join(_limits(job)) or "none"
    yield f"Limits: {limits}; near duplicates: {job.dedup.near.value}; Ctrl-C stops, resume goes on"


def _manners(job: Job) -> Iterator[str]:
    manners = job.politeness
    at_once = f", {manners.per_host} at once" if manners.per_host > 1 else ""
    yield f"{manners.delay_s:g} s between requests to a host{at_once}"
    if manners.delay_factor:
        yield f"or {manners.delay_factor:g} times as long as an answer took"
    yield "robots.txt is obeyed" if manners.robots else "robots.txt is not asked for"
    yield f"at most {job.fetch.workers} requests at once in all"


def _limits(job: Job) -> Iterator[str]:
    limits = job.limits
    if limits.pages is not None:
        yield f"pages {limits.pages:,}"
    if limits.depth is not None:
        yield f"links from a seed {limits.depth:,}"
    if limits.time_s is not None:
        yield f"time {hms(limits.time_s)}"
    if limits.bytes is not None:
        yield f"bytes {limits.bytes:,}"
