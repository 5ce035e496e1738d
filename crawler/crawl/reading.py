"""A page on its way from its fetch to the processes that read it: it holds no place meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Protocol, TypeVar

from crawler.analysis import AnalysisFailed, AnalysisRequest
from crawler.crawl.parts import PagePool
from crawler.extract import Listing, PageLinks
from crawler.pool import Planned, as_it_is
from crawler.records import Document
from crawler.urls import host_key

_Read = TypeVar("_Read")


class UnreadPages(Protocol):
    """What the frontier hears of pages that wait to be read."""

    def unread(self, host: str, size: int) -> bool:
        """A page of so many bytes waits to be read; return whether there is room for it."""

    def was_read(self, host: str, size: int) -> None:
        """It has been read, or nobody waits for that any more."""


class LeftPlaces(Protocol):
    """The places for pages that are fetched."""

    def left(self, host: str) -> AbstractContextManager[None]:
        """Give the place of a page away for a while."""


class ReadingRoom:
    """A pool whose pages give their place to others until they were read, while there is room.

    So a site whose pages take long to read does not keep others from being fetched. The frontier
    counts the pages in the room, and holds back the domains that fill it. A page for which there is
    no room keeps its place: a crawl whose processes cannot keep up fetches no faster than they
    read.
    """

    def __init__(self, pool: PagePool, places: LeftPlaces, frontier: UnreadPages) -> None:
        self._pool = pool
        self._places = places
        self._frontier = frontier

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """Read a page, by what `planned` makes of the request when its turn has come."""
        return await self._read(request, partial(self._pool.analyse, planned=planned))

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Read the links of a page whose payload is known."""
        return await self._read(request, self._pool.links)

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """Read what a sitemap or feed lists."""
        return await self._read(request, self._pool.listing)

    async def _read(
        self, request: AnalysisRequest, read: Callable[[AnalysisRequest], Awaitable[_Read]]
    ) -> _Read:
        host, size = host_key(request.url), len(request.body)
        room = self._frontier.unread(host, size)
        try:
            with self._places.left(host) if room else nullcontext():
                return await read(request)
        finally:
            self._frontier.was_read(host, size)
