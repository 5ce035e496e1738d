"""The judge's view of stored pages: those committed and those still to be."""

from __future__ import annotations

from typing import Any

from crawler.console import command
from crawler.dedup.catalog import MemoryCatalog, host_of
from crawler.errors import StoreError
from crawler.models import AddressedPage, PayloadKey, Shingles, StoredRef
from crawler.storage.database import Database
from crawler.storage.rows import unpack_shingles, unsigned
from crawler.storage.tables import KEEPS_APPEARANCES, KEEPS_EDITIONS

_ADDRESSED = (
    "SELECT id, fingerprint, shingle_kind FROM documents WHERE address = ? ORDER BY id LIMIT ?"
)
_REF = "SELECT d.id, u.url FROM documents AS d JOIN urls AS u ON u.id = d.url_id WHERE "
_BY_PAYLOAD = (
    "substr(d.payload_digest, 1, 8) = substr(?1, 1, 8) "
    "AND d.payload_digest = ?1 AND d.declared = ?2 ORDER BY d.id LIMIT 1"
)
_BY_VISIBLE = (
    "substr(d.visible_digest, 1, 8) = substr(?1, 1, 8) "
    "AND d.visible_digest = ?1 ORDER BY d.id LIMIT ?2"
)
"""By the indexes of what a digest begins with, those of older files by the whole digest."""
_OF_HOST = (
    "SELECT id FROM documents WHERE host_id = (SELECT id FROM hosts WHERE name = ?) "
    "ORDER BY id DESC LIMIT ?"
)


class SqliteCatalog:
    """See `crawler.dedup.catalog.Catalog`. Loop thread only.

    A row leaves `uncommitted` only after its commit, so each row is in one of the two places at any
    moment. By key, the table is asked first: whatever it holds is older than what waits.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has_appearances = database.version >= KEEPS_APPEARANCES
        self._has_hosts = database.version >= KEEPS_EDITIONS
        self.uncommitted = MemoryCatalog()
        """Pages handed to the writer and not known to be committed."""

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = self._find(_BY_PAYLOAD, (key.digest, key.declared))
        return found or self.uncommitted.by_payload(key)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog. In a file before version 6, which has no index, all rows are read."""
        rows = self._database.rows(_REF + _BY_VISIBLE, (digest, limit))
        found = {row[0]: StoredRef(*row) for row in rows}
        for ref in self.uncommitted.by_visible(digest, limit):
            found.setdefault(ref.id, ref)
        return list(found.values())[:limit]

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        if document_id in self.uncommitted:
            return self.uncommitted.ref(document_id)
        if found := self._find("d.id = ?", (document_id,)):
            return found
        raise KeyError(document_id)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog. Raises StoreError where what is stored of them is damaged."""
        if document_id in self.uncommitted:
            return self.uncommitted.shingles(document_id)
        packed = self._cell("SELECT hashes FROM shingles WHERE document_id = ?", document_id)
        try:
            return unpack_shingles(document_id, packed)
        except (TypeError, ValueError) as error:
            again = command("reindex", self._database.path.parent)
            raise StoreError(
                f"{self._database.path}: page {document_id}: {error}; restore the whole directory "
                "from a backup, or compute them again from the stored texts (those of a crawl): "
                + again
            ) from error

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        if document_id in self.uncommitted:
            return self.uncommitted.layout(document_id)
        found: bytes | None = self._cell("SELECT layout FROM documents WHERE id = ?", document_id)
        return found

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        if document_id in self.uncommitted:
            return self.uncommitted.appearance(document_id)
        if not self._has_appearances:
            return None
        query = "SELECT packed FROM appearances WHERE document_id = ?"
        found: bytes | None = self._database.cell(query, (document_id,))
        return found

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        rows = self._database.rows(_ADDRESSED, (address, limit)) if self._has_appearances else []
        found = {id_: AddressedPage(id_, unsigned(number), kind) for id_, number, kind in rows}
        for page in self.uncommitted.by_address(address, limit):
            found.setdefault(page.id, page)
        return list(found.values())[:limit]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog. None of files before version 10: they cannot be asked for a host."""
        host = host_of(url)
        if not host or not self._has_hosts:
            return []
        waiting = self.uncommitted.of_host(url, limit)
        stored = (id_ for (id_,) in self._database.rows(_OF_HOST, (host, limit)))
        return list(dict.fromkeys((*waiting, *stored)))[:limit]

    def _cell(self, sql: str, document_id: int) -> Any:
        rows = self._database.rows(sql, (document_id,))
        if not rows:
            raise KeyError(document_id)
        return rows[0][0]

    def _find(self, where: str, parameters: tuple[Any, ...]) -> StoredRef | None:
        rows = self._database.rows(_REF + where, parameters)
        return StoredRef(*rows[0]) if rows else None
