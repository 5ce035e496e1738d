"""A crawl that another program runs, and takes the pages of one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from crawler.console import given_directory, without_passwords
from crawler.errors import InputError, needed_by
from inline_crawler.own_loop import OwnLoop
from inline_crawler.results import Duplicate, Missed, StoredPage

if TYPE_CHECKING:
    from crawler.console import Say
    from crawler.plugins import Sink, UrlFilter
    from inline_crawler.crawling import Crawling


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
        missed: Callable[[Missed], None] | None = None,
    ) -> None:
        """Take a job: its keys (docs/configuration.md), or the path of a YAML file of them.

        As many pages as the job fetches at once (`fetch.workers`) wait to be taken before the crawl
        waits. `say` hears the lines that the command prints, `missed` each URL that failed or was
        skipped, in its turn among the pages: what it raises, the iteration raises. `filters` and
        `sinks` are objects, by name, that take part beside the plugins of the job
        (docs/plugins.md); a sink is known again by its name where the crawl goes on. Raises
        ConfigError for a job, or a plugin, that cannot be used as it stands, InputError for what is
        no job, or no path.
        """
        from crawler.config import check_seeds, load_job, parse_job
        from crawler.plugins import check as check_plugins
        from crawler.plugins import made

        given = {"output": str(given_directory(output))}
        if isinstance(job, Mapping):
            self._job = parse_job({**job, **given}, "Crawl")
        elif isinstance(job, str | os.PathLike) and "://" not in os.fspath(job):
            self._job = load_job(Path(job), given)
        else:
            what = f"a {type(job).__name__}"
            if isinstance(job, str):
                what = f"the URL {without_passwords(job)}"
            raise InputError(
                f"a job is a mapping of its keys, or the path of a YAML file, not {what}; seeds "
                'are one of its keys: crawl({"seeds": ["https://site.example/"]}, ...)'
            )
        check_seeds(self._job.seeds, "Crawl")
        check_plugins(self._job.plugins)
        self._plugins = made(self._job.plugins, filters, sinks)
        self._say = say
        self._missed = missed
        self._entered: Crawling | None = None

    async def __aenter__(self) -> Self:
        """Begin the crawl, or go on with the one in the directory.

        Raises StoreMismatch where something else is there, or settings differ that must not;
        StoreInUse where another process has it; StoreError where it cannot be read or written;
        ConfigError where a login or certificate that the job names cannot be used, or a package
        that a crawl needs is not installed.
        """
        with needed_by("a crawl"):
            from inline_crawler.crawling import Crawling

        self._entered = Crawling(self._job, self._plugins, self._say, self._missed)
        await self._entered.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._now.leave()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StoredPage | Duplicate:
        """Wait for the next page; raises what ended the crawl, if that was an error."""
        page = await self._now.take()
        if page is None:
            raise StopAsyncIteration
        return page

    def add(self, url: str) -> bool:
        """Queue one more seed; return whether it is new and the job's scope admits it.

        Raises InputError for what is no URL, and where the crawl has ended: that is when nothing
        more is queued and the page after the last one was asked for.
        """
        return self._now.add(url)

    def stop(self) -> None:
        """Begin no new page; those in progress still come."""
        self._now.stop()

    @property
    def _now(self) -> Crawling:
        if self._entered is None:
            raise RuntimeError(
                "a Crawl begins as its block is entered: async with Crawl(...) as crawl"
            )
        return self._entered


def crawl(
    job: Mapping[str, Any] | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    say: Say = lambda line: None,
    filters: Mapping[str, UrlFilter] | None = None,
    sinks: Mapping[str, Sink] | None = None,
    missed: Callable[[Missed], None] | None = None,
) -> Iterator[StoredPage | Duplicate]:
    """Crawl, and yield each page once it is judged; for programs without an event loop.

    Arguments, errors and order are those of `Crawl`, which runs on a loop of its own. It begins as
    the first page is asked for. Leaving the loop over the pages early, or Ctrl-C, stops it, within
    the job's `grace_s`; the same call goes on with it.
    """
    return _taken_from(Crawl(job, output, say=say, filters=filters, sinks=sinks, missed=missed))


def _taken_from(crawling: Crawl) -> Iterator[StoredPage | Duplicate]:
    loop = OwnLoop("crawl")
    try:
        loop.run(crawling.__aenter__())
        try:
            while (page := loop.run(_next(crawling))) is not None:
                yield page
        finally:
            loop.run(crawling.__aexit__())
    finally:
        loop.end()


async def _next(crawling: Crawl) -> StoredPage | Duplicate | None:
    return await anext(crawling, None)
