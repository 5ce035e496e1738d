"""Scrapy at the equal job: `python -m benchmarks.crawlers.scrapy_site URL LINES [--processes N]`.

Set up as its documentation advises for fast crawls (docs.scrapy.org, "Broad Crawls": concurrency
raised until the CPU is busy, logging at INFO or above, no cookies, no retries). Its pages are read
in the callback of its one process, as its users do and its tutorial shows. With `--processes` they
are read in a process pool that an `async def` callback awaits: what its documentation allows on the
asyncio reactor ("Coroutines"), and the best that can be had of it on one machine.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from benchmarks.crawlers import equal_job

SETTINGS: dict[str, Any] = {
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
}


class SiteSpider(Spider):
    """Follows the links of one host and reads its HTML pages."""

    name = "site"
    links = LinkExtractor(deny=r"/_sources/")
    pool: ProcessPoolExecutor | None = None

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """Yield a page's line, and the requests it leads to."""
        if not isinstance(response, HtmlResponse):
            return
        directives = " ".join(response.xpath("//meta[@name='robots']/@content").getall()).lower()
        if "nofollow" not in directives:
            for link in self.links.extract_links(response):
                if not link.nofollow:
                    yield response.follow(link)
        yield equal_job.line(response.url, await self._read(response.text), self.judge)

    async def _read(self, html: str) -> equal_job.Read:
        if self.pool is None:
            return equal_job.read(html)
        return await asyncio.get_running_loop().run_in_executor(self.pool, equal_job.read, html)


def main() -> None:
    """Crawl a site from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("url")
    flags.add_argument("lines")
    flags.add_argument("--processes", type=int, default=0)
    args = flags.parse_args()
    process = CrawlerProcess({**SETTINGS, "FEEDS": {args.lines: {"format": "jsonlines"}}})
    pool = ProcessPoolExecutor(args.processes) if args.processes else None
    host = args.url.split("/")[2].partition(":")[0]
    process.crawl(
        SiteSpider,
        start_urls=[args.url],
        allowed_domains=[host],
        judge=equal_job.Judge(),
        pool=pool,
    )
    process.start()
    if pool is not None:
        pool.shutdown()


if __name__ == "__main__":
    main()
