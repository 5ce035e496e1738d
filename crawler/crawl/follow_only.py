"""Pages that a job wants for their links alone: lists, archives, home pages."""

from __future__ import annotations

from crawler import ends
from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.crawl.copied_links import CopiedLinks
from crawler.crawl.offers import Offers
from crawler.crawl.parts import PageQueue
from crawler.crawl.responses import Said
from crawler.records import Batch, Fetched, Skip, Skipped

FRUITFUL = b"1"
"""The look of such a page that led to one that may be stored (`NoveltyCounter.of`)."""


class FollowOnly:
    """Reads where such pages lead; they are not judged, so no page is a copy of one."""

    def __init__(self, frontier: PageQueue, copies: CopiedLinks, offers: Offers) -> None:
        self._frontier = frontier
        self._copies = copies
        self._offers = offers

    def wants(self, fetched: Fetched) -> bool:
        """Whether a page is such a one."""
        return self._frontier.follows_only(fetched.task.url)

    async def read(
        self, fetched: Fetched, said: Said, request: AnalysisRequest
    ) -> tuple[Batch, bytes] | AnalysisFailed:
        """Return a page's end, and its look, whatever it says and is a copy of."""
        task = fetched.task
        page = await self._copies.read(request, said.key, task.url)
        if isinstance(page, AnalysisFailed):
            return page
        follow = not (said.nofollow or page.nofollow)
        links = page.links if said.leads_to is None else (*page.links, said.leads_to)
        await self._offers.early(task, links, follow=follow)
        offered = self._offers.links(task, links, follow=follow)
        skipped = Skipped(task, Skip.FOLLOW_ONLY, "followed for its links", fetched.fetched_at)
        fruitful = any(not self._frontier.follows_only(new.url) for new in offered.new_urls)
        batch = ends.skip_end(skipped, offered, ends.costs(fetched))
        return batch, FRUITFUL if fruitful else b""
