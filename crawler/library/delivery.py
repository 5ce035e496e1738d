"""Pages on their way from a crawl to the program that runs it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crawler.crawl.parts import PageStore
from crawler.records import Batch, NewUrl


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was judged."""

    url: str
    verdict: str
    """`new`, `unjudged`, `sibling`, `exact-payload`, `exact-text` or `near`."""
    kept: bool
    """Whether it is stored: its line is one of `pages.jsonl`, else of `duplicates.jsonl`."""
    title: str | None
    text: str | None
    """What is worth keeping of it; None of a page that is not kept."""
    line: Mapping[str, Any]
    """All that is known of it, as its line says it (docs/output.md)."""


class Delivery:
    """Pages in the order of their ends, until somebody takes them.

    Whoever submits waits in `finished` until the program has asked for the page after: so as many
    wait as are fetched at once, and no crawl ends while the program may still add to it.
    """

    def __init__(self) -> None:
        self._pages: deque[Page] = deque()
        self._came = asyncio.Event()
        self._moved = asyncio.Event()
        self._submitted = self._taken = self._done = 0
        self._over = False

    def submit(self, page: Page) -> None:
        """Add a page; in vain where nobody takes any more."""
        if not self._over:
            self._submitted += 1
            self._pages.append(page)
            self._came.set()

    async def finished(self) -> None:
        """Wait until the program is done with all pages that are here now."""
        until = self._submitted
        while self._done < until and not self._over:
            self._moved.clear()
            await self._moved.wait()

    async def take(self) -> Page | None:
        """Be done with the page that was taken last; return the next one, None after the last."""
        self._done = self._taken
        self._moved.set()
        while not self._pages and not self._over:
            self._came.clear()
            await self._came.wait()
        if not self._pages:
            return None
        self._taken += 1
        return self._pages.popleft()

    def end(self) -> None:
        """Nothing more will come."""
        self._over = True
        self._came.set()

    def drop(self) -> None:
        """Nobody will take any more: hold nobody up."""
        self._pages.clear()
        self.end()
        self._moved.set()


class DeliveringStore:
    """What the ends of pages are handed to: the store first, then whoever takes pages."""

    def __init__(self, store: PageStore, delivery: Delivery) -> None:
        self._store = store
        self._delivery = delivery

    @property
    def next_document_id(self) -> int:
        """See PageStore."""
        return self._store.next_document_id

    def submit(self, batch: Batch) -> None:
        """See PageStore."""
        self._store.submit(batch)
        if (page := _page(batch)) is not None:
            self._delivery.submit(page)

    def submit_urls(self, new_urls: Sequence[NewUrl]) -> None:
        """See PageStore."""
        self._store.submit_urls(new_urls)

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """See PageStore."""
        self._store.submit_depths(depths)

    async def room(self) -> None:
        """See PageStore; waits for the program, too."""
        await self._delivery.finished()
        await self._store.room()


def _page(batch: Batch) -> Page | None:
    """Return what the end of a URL says of a page; None where none was judged."""
    lines = dict(batch.lines)
    line = lines.get("pages") or lines.get("duplicates")
    if line is None:
        return None
    kept = "pages" in lines
    title, text = (line["title"], line["text"]) if kept else (None, None)
    return Page(line["url"], line["verdict"], kept, title, text, line)
