"""A store with seen URLs and judged pages, and the memory that a crawl keeps of them."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import numpy as np

from crawler.config import Dedup, Job, NearMode
from crawler.dedup import Judge, kernels
from crawler.dedup.signing import WORD3
from crawler.frontier import Frontier, SeenSet
from crawler.models import (
    New,
    NewUrl,
    PageOutcome,
    PayloadKey,
    Signature,
    StoredDocument,
    UrlState,
    Verdict,
)
from crawler.sources.web.checkpoint import Memory
from crawler.storage.store import Store
from support.store_material import digest

EXPECTED = 100


@cache
def signature(number: int) -> Signature:
    """Return that of a text; every third is nearly that of the text before it."""
    like = number - number % 3 if number % 3 == 1 else number
    hashes = np.random.default_rng(like).integers(0, 1 << 32, 200, np.uint32)
    if like != number:
        hashes[:4] = number
    hashes.sort()
    fingerprint = int.from_bytes(digest(f"fingerprint {like}")[:8], "big")
    text = digest(f"text {number % 50}")
    sketch = kernels.make_sketch(hashes)
    return Signature(text, text, fingerprint, 200, WORD3, hashes, sketch)


def key(number: int) -> PayloadKey:
    """Return that of a body; of a hundred each is another."""
    return PayloadKey(digest(f"body {number % 100}"), "text/html")


class Remembered:
    """A crawl without network: `see` and `judge` as it does, into a real store."""

    def __init__(
        self,
        store: Store,
        seen: SeenSet | None = None,
        judge: Judge | None = None,
        near: NearMode = NearMode.DROP,
    ) -> None:
        self.job = Job(output=store.directory, dedup=Dedup(near=near))
        self.store = store
        self.frontier = Frontier(self.job, seen=seen, next_url_id=store.next_url_id)
        self.judge = judge or Judge(self.job.dedup, store.catalog, EXPECTED)
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.memory = Memory(self.job, store, self.said.append, self.stop)
        self._next_id = store.next_document_id
        self._pending: dict[int, NewUrl] = {}

    def see(self, number: int) -> NewUrl | None:
        """Offer a seed and hand it to the store; None where it was seen."""
        new = self.frontier.offer(f"https://h{number % 7}.test/{number}", depth=0, seed=True)
        if not isinstance(new, NewUrl):
            return None
        self.store.submit_urls([new])
        self._pending[number] = new
        return new

    def judged(self, number: int) -> Verdict:
        """Judge a page that is a seed of its own; store it where it is to be."""
        self.see(10_000 + number)
        new = self._pending.pop(10_000 + number, None)
        verdict = self.lost(number)
        if new is not None and self.judge.keeps(verdict):
            row = StoredDocument(
                *(self._next_id, new.url_id, new.url, key(number), signature(number)),
                representative=isinstance(verdict, New),
            )
            self.store.submit(PageOutcome(new.url_id, UrlState.STORED, end="new", document=row))
            self._next_id += 1
        return verdict

    def lost(self, number: int) -> Verdict:
        """Judge a page, and do not store it: something went wrong in between."""
        return self.judge.judge(key(number), signature(number), self._next_id)

    async def save(self) -> None:
        """Save a snapshot."""
        await self.memory.save(self.frontier, self.judge)


async def restored(store: Store, near: NearMode = NearMode.DROP) -> Remembered:
    """Return what a new run has of a store, and what it said."""
    found = Remembered(store, near=near)
    memory = await found.memory.restore(EXPECTED)
    assert memory is not None
    seen, judge = memory
    assert isinstance(judge, Judge)
    again = Remembered(store, seen, judge, near=near)
    again.said = found.said
    return again


def snapshots(directory: Path) -> list[Path]:
    """Return the snapshots in a directory."""
    return sorted(directory.glob("memory.*"))
