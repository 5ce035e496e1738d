"""New signatures for the stored pages of a crawl: one transaction replaces all, or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from crawler.models import Shingles, Signature
from crawler.storage import opening, rows
from crawler.storage.directory import CHANGE
from crawler.storage.journal import reading_line
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

_SIGN = (
    "UPDATE documents SET fingerprint = ?, tokens = ?, shingle_kind = ?, sketch = ?, "
    "representative = ? WHERE id = ?"
)
_SHOW = "UPDATE documents SET address = ifnull(address, ?) WHERE id = ?"
_APPEARANCE = "INSERT OR IGNORE INTO appearances (document_id, packed) VALUES (?, ?)"
_SHINGLES = "UPDATE shingles SET hashes = ? WHERE document_id = ?"


@dataclass(frozen=True, slots=True)
class Resigned:
    """A stored page's new signature; None: it could not be signed, and only its digests count."""

    id: int
    signature: Signature | None
    representative: bool
    address: int | None = None
    appearance: bytes | None = None
    """See `StoredDocument`; for pages of which neither was kept."""


class Reindexing:
    """One crawl, locked for writing; made by `reindexing`. Without `commit` nothing changes."""

    def __init__(self, opened: opening.Opened, identity: Mapping[str, Any]) -> None:
        self.view = StoreView(opened.directory, opened.reader)
        self.pages = self.view.extents()["pages"].lines
        """How many pages there are to sign."""
        self._database = opened.writer
        self._identity = identity

    def texts(self) -> Iterator[dict[str, Any]]:
        """Yield the line of every stored page in order of id: those committed to pages.jsonl.

        Raises StoreError for a line that this program did not write.
        """
        with closing(self.view.lines("pages")) as lines:
            for line in lines:
                with reading_line(line.place):
                    record: dict[str, Any] = orjson.loads(line.data)
                    _ = record["id"], record["text"], record["verdict"], record["url"]
                yield record

    def replace(self, pages: Sequence[Resigned]) -> None:
        """Give pages their new signatures, and an address and appearance where they have none.

        Their digests stay. Raises StoreError.
        """
        execute = self._database.connection.execute
        with self._database.translated():
            for page in pages:
                if (made := page.signature) is None:
                    execute("UPDATE documents SET representative = 0 WHERE id = ?", (page.id,))
                    continue
                text = (rows.signed(made.fingerprint), made.tokens, made.shingle_kind, made.sketch)
                execute(_SIGN, (*text, page.representative, page.id))
                execute(_SHOW, (page.address, page.id))
                if page.appearance is not None:
                    execute(_APPEARANCE, (page.id, page.appearance))
                execute(_SHINGLES, (rows.pack_shingles(page.id, Shingles.of(made)), page.id))

    def commit(self, meta: Mapping[Meta, Any]) -> None:
        """Make all that was replaced the crawl's own, with its new identity and `meta`."""
        stored = self.view.meta(Meta.IDENTITY, {})
        with self._database.translated():
            connection = self._database.connection
            if stored.get("layout") != self._identity.get("layout"):
                connection.execute("UPDATE documents SET layout = NULL")
            rows.set_meta(connection, {**meta, Meta.IDENTITY: self._identity, Meta.SNAPSHOT: None})
            connection.execute("COMMIT")


@contextmanager
def reindexing(directory: Path, identity: Mapping[str, Any]) -> Iterator[Reindexing]:
    """Lock the crawl in `directory`, so that its pages can be brought to another identity.

    Raises StoreMismatch where that cannot be (`opening.check_reindexable`), StoreInUse and
    StoreError as `Store.open` does.
    """
    with opening.resume(directory, holder=CHANGE) as opened:
        opening.check_reindexable(opened, identity)
        with opened.writer.translated():
            opened.writer.connection.execute("BEGIN IMMEDIATE")
        try:
            yield Reindexing(opened, identity)
        finally:
            with suppress(sqlite3.Error):
                opened.writer.connection.execute("ROLLBACK")  # refused where all was committed
