"""Crawlee at the equal job: `python -m benchmarks.crawlers.crawlee_site URL LINES [--processes N]`.

Its ParselCrawler (the faster of its two parsers, by its documentation), its default HTTP client
(impit) and its storage in memory, which its documentation advises where nothing must last. Its
concurrency is set and not scaled by load: it would hold back on a machine that is busy, and busy
is what this is to be. Sessions and retries, which are for sites that block, are off.

Pages are read in its request handler, in its one process. With `--processes` they are read in a
process pool that the handler awaits.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import IO

import uvloop
from crawlee import ConcurrencySettings, Glob
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

from benchmarks.crawlers import equal_job

CONCURRENT = 32
_FOLLOWED = "a:not([rel~='nofollow'])"


class Site:
    """The handler of one site's pages."""

    def __init__(self, lines: IO[str], pool: ProcessPoolExecutor | None) -> None:
        self._lines = lines
        self._pool = pool
        self._judge = equal_job.Judge()

    async def handle(self, context: ParselCrawlingContext) -> None:
        """Follow a page's links and write its line."""
        response = context.http_response
        if "html" not in response.headers.get("content-type", ""):
            return
        directives = " ".join(context.selector.xpath("//meta[@name='robots']/@content").getall())
        if "nofollow" not in directives.lower():
            await context.enqueue_links(selector=_FOLLOWED, exclude=[Glob("**/_sources/**")])
        page = await self._read((await response.read()).decode(errors="replace"))
        url = context.request.loaded_url or context.request.url
        self._lines.write(json.dumps(equal_job.line(url, page, self._judge)) + "\n")

    async def _read(self, html: str) -> equal_job.Read:
        if self._pool is None:
            return equal_job.read(html)
        return await asyncio.get_running_loop().run_in_executor(self._pool, equal_job.read, html)


async def crawl(url: str, site: Site) -> None:
    """Crawl a site to its end."""
    crawler = ParselCrawler(
        request_handler=site.handle,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONCURRENT, max_concurrency=CONCURRENT, desired_concurrency=CONCURRENT
        ),
        max_request_retries=0,
        use_session_pool=False,
        retry_on_blocked=False,
        respect_robots_txt_file=True,
        configure_logging=False,
    )
    logging.getLogger("crawlee").setLevel(logging.ERROR)
    await crawler.run([url])


def main() -> None:
    """Crawl a site from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("url")
    flags.add_argument("lines", type=Path)
    flags.add_argument("--processes", type=int, default=0)
    args = flags.parse_args()
    pool = ProcessPoolExecutor(args.processes) if args.processes else None
    with args.lines.open("w") as lines:
        uvloop.run(crawl(args.url, Site(lines, pool)))
    if pool is not None:
        pool.shutdown()


if __name__ == "__main__":
    main()
