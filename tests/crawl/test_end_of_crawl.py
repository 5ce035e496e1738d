"""The end of a crawl: what it says and writes needs no memory for what has failed."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.store_material import IDENTITY

from crawler.commands.crawl import finish
from crawler.config import parse_job
from crawler.records import Batch, NewUrl, Priority, UrlState
from crawler.storage import Store, StoreView, line_path

FAILED = 6_000
URL = f"http://gone.test/{'a' * 2_000}/"
MOST = 4_000_000
"""Bytes of memory: a third of what the URLs of the failures take, a seventh of their lines."""


@pytest.fixture
async def failed(tmp_path: Path) -> Path:
    """Return the directory of a crawl whose one seed has failed, and much else."""
    store = Store.create(tmp_path / "out", IDENTITY)
    async with store:
        for n in range(1, FAILED + 1):
            url = f"{URL}{n}"
            new = NewUrl(n, url, "gone.test", 0, Priority.ORDINARY, 0, None, seed=n == 1)
            store.submit_urls([new])
            line = {"url": url, "detail": f"nobody answers at {n}", "referrer": URL}
            store.submit(Batch(n, UrlState.FAILED, (("failures", line),), detail="connect"))
            await store.room()
    return tmp_path / "out"


@contextmanager
def measured() -> Iterator[list[int]]:
    """Give a list that has the peak of memory in bytes when the context is left."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
