"""Sitemaps and feeds: found when a site's first page comes, read, and offered like links.

A sitemap is a URL of the frontier like any other, with a priority of its own: its host is asked for
it first and as politely as ever, robots.txt holds for it, and where the crawl is killed it is asked
for again. Of the pages that it lists nothing else is known than that somebody may want them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crawler import ends, urls
from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.choices import SitemapUse
from crawler.config import Job
from crawler.crawl.offers import Offers
from crawler.crawl.parts import Parts
from crawler.extract import Listing
from crawler.fetch.client import lists_pages
from crawler.records import Batch, Failed, Fetched, FetchTask, Skip, Skipped

GUESSED = "/sitemap.xml"


@dataclass(slots=True)
class _Taken:
    """What one host's sitemaps brought in this run."""

    files: int = 0
    urls: int = 0


class Sitemaps:
    """Offers the sitemaps of sites and what these list, within the job's bounds."""

    def __init__(self, job: Job, parts: Parts, offers: Offers) -> None:
        self._use = job.sitemaps.use
        self._most = job.sitemaps
        self._max_depth = job.limits.depth
        self._parts = parts
        self._offers = offers
        self._asked: set[str] = set()
        """Origins whose sitemaps were looked for."""
        self._taken: dict[str, _Taken] = {}
        """By the host of the files."""

    def find(self, task: FetchTask) -> None:
        """Look for the sitemaps of a page's site, once in a run.

        They are as deep as that page, and what they list is a link deeper: a crawl that may follow
        no link from there reads none.
        """
        if self._use is SitemapUse.NONE or self._is_deepest(task):
            return
        if (origin := urls.origin(task.url)) in self._asked:
            return
        self._asked.add(origin)
        found = self._parts.fetcher.robots.sitemaps(origin)
        if not found and self._use is SitemapUse.GUESS:
            found = (origin + GUESSED,)
        self._offer_files(task, found)

    def is_one(self, fetched: Fetched) -> bool:
        """Whether what was fetched is to be read as a sitemap or feed."""
        return lists_pages(fetched.task, fetched.media_type)

    async def read(self, fetched: Fetched) -> Batch:
        """Offer what a sitemap or feed lists, and return its end."""
        task, at, captures = fetched.task, fetched.fetched_at, fetched.captures
        body, kind = fetched.body, fetched.media_type
        request = AnalysisRequest(fetched.final_url, body, kind, fetched.charset)
        self._offers.open(task, fetched.wire_bytes)
        found = await self._parts.pool.listing(request)
        if isinstance(found, AnalysisFailed):
            failed = Failed(task, found.failure, found.detail, at, captures=captures)
            return ends.fail_end(failed)
        if found is None:
            no_list = f"{kind or 'of no type'}, no sitemap"
            return ends.skip_end(Skipped(task, Skip.CONTENT_TYPE, no_list, at, captures))
        if found.is_index:
            offered, left = ends.NOTHING_OFFERED, self._offer_files(task, found.urls)
        else:
            offered, left = await self._offer_pages(task, found.urls)
        told = _said(found, left)
        return ends.skip_end(Skipped(task, Skip.SITEMAP, told, at, captures), offered)

    async def _offer_pages(self, task: FetchTask, found: Sequence[str]) -> tuple[ends.Offered, int]:
        """Offer pages; return what came of that, and how many the host's limit leaves out."""
        taken = self._of(task.host)
        links = found[: max(0, self._most.urls - taken.urls)]
        taken.urls += len(links)
        await self._offers.early(task, links, follow=True)
        return self._offers.links(task, links, follow=True), len(found) - len(links)

    def _offer_files(self, task: FetchTask, found: Sequence[str]) -> int:
        """Offer sitemaps; return how many the host's limit leaves out."""
        taken = self._of(task.host)
        files = found[: max(0, self._most.files - taken.files)]
        taken.files += self._offers.sitemaps(task, files)
        return len(found) - len(files)

    def _of(self, host: str) -> _Taken:
        return self._taken.setdefault(host, _Taken())

    def _is_deepest(self, task: FetchTask) -> bool:
        return self._max_depth is not None and task.depth >= self._max_depth


def _said(found: Listing, left: int) -> str:
    """Return what a file is, for its line; so many of what it lists were left out."""
    things, key = ("sitemaps", "files") if found.is_index else ("URLs", "urls")
    told = f"{found.kind}: {len(found.urls) - left:,} {things}"
    return f"{told}, {left:,} more than sitemaps.{key} allows" if left else told
