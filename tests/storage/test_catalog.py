"""The judge's view of stored pages: those that wait for their commit and those that had it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from support.store_material import (
    IDENTITY,
    NEVER,
    digest,
    new_url,
    outside_connection,
    page,
    url_of,
)

from crawler.models import StoredRef
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.store import Store

HOSTS = 3
"""Pages 1, 4, 7 ... are of one host (`support.store_material.url_of`)."""
PAGES = range(1, 13)


async def test_pages_that_wait_and_committed_ones_are_found_alike(tmp_path: Path) -> None:
    """By host the latest first, by visible text the oldest first, none twice, none too many."""
    of_host = [n for n in PAGES if n % HOSTS == 1][::-1]
    of_text = [StoredRef(n, url_of(n)) for n in PAGES if n % 2]
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(n) for n in PAGES])
        catalog = store.catalog

        def check(stored: int) -> None:
            hosts = [n for n in of_host if n <= stored]
            texts = [ref for ref in of_text if ref.id <= stored]
            for limit in (1, 3, 99):
                assert list(catalog.of_host(url_of(1), limit)) == hosts[:limit]
                assert catalog.by_visible(digest("visible odd"), limit) == texts[:limit]

        for n in PAGES:
            store.submit(page(n, n, text="odd" if n % 2 else None))
            check(n)
            if n in (5, 9):
                await store.flush()
                check(n)
        assert catalog.of_host("https://elsewhere.example/1", 9) == []
        assert catalog.of_host("file:///texts.jsonl#line=1", 9) == []
    with closing(outside_connection(tmp_path)) as database:
        catalog = SqliteCatalog(database)
        check(PAGES[-1])


async def test_pages_of_a_host_are_found_by_an_index(tmp_path: Path) -> None:
    """No look-up walks over the pages of other hosts, nor sorts those of its own."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in PAGES])
        for n in PAGES:
            store.submit(page(n, n))
    asked: list[str] = []
    with closing(outside_connection(tmp_path)) as database:
        catalog = SqliteCatalog(database)
        database.connection.set_trace_callback(asked.append)
        assert catalog.of_host(url_of(2), 2) == [11, 8]
        database.connection.set_trace_callback(None)
        [query] = asked
        plan = [step[3] for step in database.rows(f"EXPLAIN QUERY PLAN {query}")]
    assert "SEARCH documents USING COVERING INDEX documents_host (host_id=?)" in plan
    assert not any("B-TREE" in step for step in plan)
