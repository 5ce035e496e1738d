"""Where copies lead that have another copy's address but for the query: read once for all of them.

Such copies are what parameters without effect make (session ids, sort orders), by thousands. Links
are resolved against an address without its query, so they lead where those of the first one lead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.crawl.parts import PagePool
from crawler.extract import PageLinks
from crawler.fetch.bounded import BoundedCache
from crawler.records import PayloadKey

HELD_BYTES = 8_000_000
"""Of links, the latest ones: some 80 pages of a thousand links, or ten thousand of ten."""

_LINK_BYTES = 60
"""That a string takes beside its characters."""


class _Read(NamedTuple):
    """What is read of a copy depends on these, and for links to itself on its query."""

    address: str
    payload: PayloadKey


class CopiedLinks:
    """Reads the links of copies: in a process, or from memory where an equal one was read before.

    The answer is that of the process, but for links to the copy that was read first: a page's links
    are told without itself, and that one has been fetched.
    """

    def __init__(self, pool: PagePool, limit: int = HELD_BYTES) -> None:
        self._pool = pool
        self._held: BoundedCache[_Read, PageLinks] = BoundedCache(limit, _size)

    async def read(
        self, request: AnalysisRequest, payload: PayloadKey, url: str
    ) -> PageLinks | AnalysisFailed:
        """Return where a page leads whose `payload` is known; `url` is its canonical URL.

        One that was served under another spelling of it is read by itself, since links to itself
        are told by the spelling.
        """
        if request.url != url:
            return await self._pool.links(request)
        key = _Read(url.partition("?")[0], payload)
        if (held := self._held.get(key)) is not None:
            if url not in held.links:
                return held
            return replace(held, links=tuple(link for link in held.links if link != url))
        page = await self._pool.links(request)
        if isinstance(page, PageLinks):
            self._held.put(key, page)
        return page


def _size(page: PageLinks) -> int:
    return sum(len(link) + _LINK_BYTES for link in page.links) + _LINK_BYTES
