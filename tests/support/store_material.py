"""Batches to store: small pages whose parts can be told from their ids."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from crawler.models import Batch, NewUrl, PayloadKey, Priority, Signature, StoredDocument, UrlState
from crawler.storage.database import Database
from crawler.storage.directory import LINE_FILES
from crawler.storage.journal import on_disk
from crawler.storage.store import Store
from crawler.storage.view import StoreView
from crawler.storage.writer import GroupLimits
from support.output import lines

IDENTITY = {"extractor": "1", "tracking_parameters": ["utm_source"]}
NEVER = GroupLimits(age_s=3600)
"""Nothing is committed until it is asked for."""


def url_of(url_id: int) -> str:
    """The URL with this id."""
    return f"https://host{url_id % 3}.example/{url_id}"


def new_url(url_id: int, **changes: Any) -> NewUrl:
    """A pending URL."""
    values: dict[str, Any] = {
        "url_id": url_id,
        "url": url_of(url_id),
        "host": f"host{url_id % 3}.example",
        "depth": 1,
        "priority": Priority.ORDINARY,
        "hops": 0,
        "referrer_id": None,
    }
    return NewUrl(**(values | changes))


def digest(text: str) -> bytes:
    """Return 32 bytes that stand for `text`."""
    return hashlib.sha256(text.encode()).digest()


def document(
    document_id: int, url_id: int, text: str | None = None, shingles: int = 20
) -> StoredDocument:
    """A stored page; pages of one `text` share their digests."""
    text = f"text {document_id}" if text is None else text
    signature = Signature(
        text_digest=digest(text),
        visible_digest=digest("visible " + text),
        fingerprint=int.from_bytes(digest(text)[:8]),
        tokens=100 + document_id,
        shingle_kind="word3",
        shingles=np.arange(document_id, document_id + shingles, dtype=np.uint32),
        sketch=digest(text) * 2,
    )
    payload = PayloadKey(digest("body " + text), "text/html")
    layout = digest("layout " + text)
    return StoredDocument(document_id, url_id, url_of(url_id), payload, signature, True, layout)


def page(
    document_id: int, url_id: int, new_urls: tuple[NewUrl, ...] = (), text: str | None = None
) -> Batch:
    """The end of a page that is stored."""
    return Batch(
        url_id,
        UrlState.STORED,
        (("pages", {"id": document_id, "url": url_of(url_id), "text": text or "中文 text " * 50}),),
        detail="new",
        document=document(document_id, url_id, text),
        new_urls=new_urls,
        counts={"wire_bytes": 10.5, "pages": 1},
    )


def duplicate(url_id: int, of: int, kind: str = "near") -> Batch:
    """The end of a page that is a duplicate."""
    line = {"url": url_of(url_id), "verdict": kind}
    return Batch(url_id, UrlState.DUPLICATE, (("duplicates", line),), kind, of)


def check_consistent(view: StoreView) -> None:
    """Assert what must hold of any directory after any crash, once it was opened."""
    assert view.accounting().problems == []
    sizes = {file: extent.bytes for file, extent in on_disk(view.directory).items()}
    recorded = {file: extent.bytes for file, extent in view.all_files().items()}
    assert sizes == dict.fromkeys(sizes, 0) | recorded
    for name in LINE_FILES:
        assert len(lines(view.directory, name)) == view.extents()[name].lines
    assert [str(row[0]) for row in view.database.rows("PRAGMA integrity_check")] == ["ok"]
    assert view.database.rows("PRAGMA foreign_key_check") == []


def names(directory: Path) -> list[str]:
    """Return the names of what lies in a directory, in order."""
    return sorted(path.name for path in directory.iterdir())


def outside_connection(directory: Path) -> Database:
    """Another program's connection to the state file."""
    return Database(directory / "state.sqlite", "rw")


async def crawl_of(directory: Path, pages: int) -> None:
    """Leave a finished small crawl of `pages` pages in `directory`."""
    async with Store.create(directory, IDENTITY) as store:
        store.submit_urls([new_url(n, seed=n == 1) for n in range(1, pages + 1)])
        for n in range(1, pages + 1):
            store.submit(page(n, n))
