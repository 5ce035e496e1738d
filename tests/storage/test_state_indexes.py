"""What is looked for among all pages or URLs is found by an index."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from support.store_material import IDENTITY, document, new_url, outside_connection, page, url_of

from crawler.models import PageOutcome, PayloadKey, StoredDocument, StoredRef
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.store import Store
from crawler.storage.view import StoreView

START = b"8 bytes!"
KEYS = {
    1: PayloadKey(START + b"one" * 8, "text/html"),
    2: PayloadKey(START + b"two" * 8, "text/html"),
    3: PayloadKey(START + b"two" * 8, "text/plain"),
    4: PayloadKey(START + b"two" * 8, "text/html"),
}


def stored(number: int) -> StoredDocument:
    """Return a page whose digests begin as those of all others."""
    one = document(number, number)
    key = KEYS[number]
    signature = replace(one.signature, visible_digest=key.digest)
    return replace(one, payload=key, signature=signature)


def batch(number: int) -> PageOutcome:
    """Return its end."""
    return replace(page(number, number), document=stored(number))


async def test_digests_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    """Each finds the oldest page with the whole of it and its media type, and no other.

    Each by its index: no look-up walks over pages.
    """
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(number) for number in KEYS])
        for number in KEYS:
            store.submit(batch(number))
    asked: list[str] = []
    with closing(outside_connection(tmp_path)) as database:
        database.connection.set_trace_callback(asked.append)
        catalog = SqliteCatalog(database)
        by_payload = {number: catalog.by_payload(key) for number, key in KEYS.items()}
        by_visible = {number: catalog.by_visible(key.digest, 1) for number, key in KEYS.items()}
        assert catalog.by_payload(PayloadKey(START + b"six" * 8, "text/html")) is None
        assert catalog.by_visible(START, 1) == []
        database.connection.set_trace_callback(None)
        plans = [
            database.rows(f"EXPLAIN QUERY PLAN {query}") for query in asked if "_digest" in query
        ]
    assert by_payload == {n: StoredRef(m, url_of(m)) for n, m in {1: 1, 2: 2, 3: 3, 4: 2}.items()}
    assert by_visible == {n: [StoredRef(m, url_of(m))] for n, m in {1: 1, 2: 2, 3: 2, 4: 2}.items()}
    assert len(plans) == 10
    for (_, _, _, first), *_ in plans:
        assert "SEARCH d USING INDEX documents_" in first


async def test_seeds_are_found_without_a_walk_over_all_urls(tmp_path: Path) -> None:
    """A run that begins asks for them, and has to be ready in seconds among ten million URLs."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(number, seed=number in (2, 5)) for number in range(1, 7)])
    asked: list[str] = []
    with StoreView.read(tmp_path) as view:
        view.database.connection.set_trace_callback(asked.append)
        assert [url for url, _, _ in view.seeds()] == [url_of(2), url_of(5)]
        view.database.connection.set_trace_callback(None)
        plans = [view.database.rows(f"EXPLAIN QUERY PLAN {query}") for query in asked]
    assert [[step[3] for step in plan] for plan in plans] == [
        ["SEARCH urls USING INDEX urls_seeds (seed=?)"]
    ]
