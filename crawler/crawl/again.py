"""A page of an earlier directory is looked at again: what is the same is not stored twice."""

from __future__ import annotations

from dataclasses import replace

from crawler import ends
from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.crawl.offers import Offers
from crawler.crawl.parts import Parts
from crawler.crawl.responses import Said
from crawler.dedup.signing.digests import format_digest
from crawler.ends.lines import validators
from crawler.records import Batch, Document, Fetched, FetchTask, NewUrl, Skip, Skipped
from crawler.recrawl import Change, Kind, Visits

_WHY = {
    Kind.UNCHANGED: "the same bytes as before",
    Kind.MARKUP: "the same visible text as before, in other bytes",
    Kind.SURROUNDINGS: "the same text as before, among other things",
}


class Again:
    """Looks at pages of a recrawl before they are read like any other."""

    def __init__(self, visits: Visits, parts: Parts, offers: Offers) -> None:
        self._visits = visits
        self._pool = parts.pool
        self._frontier = parts.frontier
        self._offers = offers

    def asked(self, task: FetchTask) -> FetchTask:
        """Return a task that asks for its page if it has changed, where that is known."""
        return self._visits.asked(task)

    def noted(self, task: FetchTask, batch: Batch) -> Batch:
        """Return the end of a URL with what its visit found in its lines."""
        return self._visits.noted(task, batch, self._offer)

    async def look(self, fetched: Fetched, said: Said, request: AnalysisRequest) -> Batch | None:
        """Return the end of a page that says what it said, None for any other.

        It is read as it was read last, by the same version of its site's template or by none: then
        the same body gives the same text, and what differs has changed. One that proves changed is
        read once more, as its site is read now.
        """
        last = self._visits.last(fetched.task)
        if last is None or said.noindex or said.leads_to:
            return None
        known_by = {
            "payload_digest": format_digest(said.key.digest),
            **validators(fetched.headers),
        }
        if last.has_bytes(said.key.digest):
            offered = await self._links(fetched, said, request)
            return self._same(fetched, Change(Kind.UNCHANGED, **known_by), offered)
        page = await self._pool.analyse(replace(request, template=last.template))
        if not isinstance(page, Document) or page.noindex or page.refresh:
            return None
        change = replace(last.compared(page), **known_by)
        if change.kind is Kind.TEXT:
            self._visits.found(fetched.task, change)
            return None
        follow = not (said.nofollow or page.nofollow)
        await self._offers.early(fetched.task, page.links, follow=follow)
        offered = self._offers.links(fetched.task, page.links, follow=follow)
        return self._same(fetched, change, offered)

    async def _links(self, fetched: Fetched, said: Said, request: AnalysisRequest) -> ends.Offered:
        """Offer what an unchanged page links to, where that may be wanted now."""
        if not self._visits.reads_links:
            return ends.NOTHING_OFFERED
        page = await self._pool.links(request)
        if isinstance(page, AnalysisFailed):
            return ends.NOTHING_OFFERED
        follow = not (said.nofollow or page.nofollow)
        await self._offers.early(fetched.task, page.links, follow=follow)
        return self._offers.links(fetched.task, page.links, follow=follow)

    def _same(self, fetched: Fetched, change: Change, offered: ends.Offered) -> Batch:
        self._visits.found(fetched.task, change)
        why, at = _WHY[change.kind], fetched.fetched_at
        skipped = Skipped(fetched.task, Skip.UNCHANGED, why, at, fetched.captures)
        return ends.skip_end(skipped, offered)

    def _offer(self, url: str, depth: int) -> NewUrl | None:
        answer = self._frontier.offer(url, depth=depth)
        return answer if isinstance(answer, NewUrl) else None
