"""The judge's view of stored pages: committed, still to be, and of earlier crawls (`--against`).

The judge knows pages by one row of numbers. Own pages have the positive ones, which are their ids;
each earlier source takes a stretch below, in the order they were given, so that whatever is older
has the lower number::

    -n1 - n2 + 1 .. -n2 | -n2 + 1 .. 0 | 1 ...
    first source        | second       | own pages, by their ids
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from crawler.console import command
from crawler.dedup.catalog import Catalog, MemoryCatalog
from crawler.errors import StoreError
from crawler.models import AddressedPage, IndexRow, PayloadKey, Shingles, StoredRef
from crawler.storage.database import Database
from crawler.storage.rows import unpack_shingles, unsigned
from crawler.storage.view import StoreView
from crawler.urls import host_of

_ADDRESSED = (
    "SELECT id, fingerprint, shingle_kind FROM documents WHERE address = ? ORDER BY id LIMIT ?"
)
_REF = "SELECT d.id, u.url FROM documents AS d JOIN urls AS u ON u.id = d.url_id WHERE "
_BY_PAYLOAD = (
    "substr(d.payload_digest, 1, 8) = ? AND d.payload_digest = ? AND d.declared = ? "
    "ORDER BY d.id LIMIT 1"
)
_BY_VISIBLE = "substr(d.visible_digest, 1, 8) = ? AND d.visible_digest = ? ORDER BY d.id LIMIT ?"
"""By the indexes of what a digest begins with."""
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
        self.uncommitted = MemoryCatalog()
        """Pages handed to the writer and not known to be committed."""

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = self._find(_BY_PAYLOAD, (key.digest[:8], key.digest, key.declared))
        return found or self.uncommitted.by_payload(key)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        rows = self._database.rows(_REF + _BY_VISIBLE, (digest[:8], digest, limit))
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
        query = "SELECT packed FROM appearances WHERE document_id = ?"
        found: bytes | None = self._database.cell(query, (document_id,))
        return found

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        rows = self._database.rows(_ADDRESSED, (address, limit))
        found = {id_: AddressedPage(id_, unsigned(number), kind) for id_, number, kind in rows}
        for page in self.uncommitted.by_address(address, limit):
            found.setdefault(page.id, page)
        return list(found.values())[:limit]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog."""
        host = host_of(url)
        if not host:
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


@dataclass
class EarlierPages:
    """A source of earlier pages, numbered from 1, oldest first."""

    name: str
    """The file or directory, as the user named it."""
    documents: int
    """How many ids there are; what came later is not looked at."""
    catalog: Catalog
    """Its pages by id, also such as came later."""
    key: bytes
    """What its shingles are marked by; empty where they are not."""
    mark: str
    """What another source in this place would not have; empty where that cannot be told."""
    index_rows: Callable[[], Iterator[IndexRow]]
    """Yields what the judge's indexes need, in order of id, also of what came later."""
    source_of: Callable[[int], str]
    """Gives what a page came by: its host, or the argument of `dedup`."""
    about: Callable[[int], dict[str, Any]] = lambda page_id: {}
    """Gives what a line says of a page beside id, URL and name: how sure it can be. Of a directory
    it is as sure as of own pages."""


def directory_pages(view: StoreView) -> EarlierPages:
    """Return the pages of a directory as they are now, also while a crawl still adds to them."""
    key = view.key
    return EarlierPages(
        name=str(view.directory),
        documents=view.next_document_id - 1,
        catalog=SqliteCatalog(view.database),
        key=key,
        mark=hashlib.sha256(b"mark" + key).hexdigest()[:16] if key else "",
        index_rows=view.index_rows,
        source_of=view.host_of,
    )


@dataclass(frozen=True, slots=True)
class _Layer:
    """A stretch of the judge's row of numbers: `offset` + 1 to `offset` + `documents`."""

    catalog: Catalog
    documents: int
    offset: int
    key: int
    """Where the key of its shingles stands among all `LayeredCatalog.keys`."""
    pages: EarlierPages | None
    """None of this run's own pages, the last layer."""

    def numbered(self, ref: StoredRef | None) -> StoredRef | None:
        """Return a page by the judge's number, unless it came after this run's beginning."""
        if ref is None or ref.id > self.documents:
            return None
        return StoredRef(ref.id + self.offset, ref.url)


class LayeredCatalog:
    """See `crawler.dedup.Catalog`: earlier pages first, so that an original is the oldest.

    `key` marks the shingles of the `own` pages.
    """

    def __init__(self, own: Catalog, key: bytes, earlier: Sequence[EarlierPages] = ()) -> None:
        self._layers: list[_Layer] = []
        self.keys: tuple[bytes, ...] = (key,)
        """What texts are to be signed with: this run's own key, then those of earlier ones."""
        self.earlier_documents = sum(pages.documents for pages in earlier)
        offset = -self.earlier_documents
        for pages in earlier:
            of_key = len(self.keys)
            self._layers.append(_Layer(pages.catalog, pages.documents, offset, of_key, pages))
            if pages.key:
                self.keys += (pages.key,)
            offset += pages.documents
        self._own = own
        self._layers.append(_Layer(own, sys.maxsize, 0, 0, None))

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = (layer.numbered(layer.catalog.by_payload(key)) for layer in self._layers)
        return next(filter(None, found), None)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        found = (
            layer.numbered(ref)
            for layer in self._layers
            for ref in layer.catalog.by_visible(digest, limit)
        )
        return list(islice(filter(None, found), limit))

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        layer, id_ = self._find(document_id)
        return StoredRef(document_id, layer.catalog.ref(id_).url)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        layer, id_ = self._find(document_id)
        found = layer.catalog.shingles(id_)
        return replace(found, key=layer.key) if layer.key else found

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        layer, id_ = self._find(document_id)
        return layer.catalog.layout(id_)

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        layer, id_ = self._find(document_id)
        return layer.catalog.appearance(id_)

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        found = (
            replace(page, id=page.id + layer.offset) if layer.pages else page
            for layer in self._layers
            for page in layer.catalog.by_address(address, limit)
            if page.id <= layer.documents
        )
        return list(islice(found, limit))

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog. Of this run alone: what a site has in common may have changed since."""
        return self._own.of_host(url, limit)

    def elsewhere(self, document_id: int) -> tuple[EarlierPages, int] | None:
        """Return where an earlier page lies and its id there; None for one of this run."""
        layer, id_ = self._find(document_id)
        return (layer.pages, id_) if layer.pages else None

    def earlier_rows(self) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need of earlier pages, the oldest first."""
        for layer in self._layers:
            for row in layer.pages.index_rows() if layer.pages else ():
                if row.id <= layer.documents:
                    yield replace(row, id=row.id + layer.offset)

    def _find(self, document_id: int) -> tuple[_Layer, int]:
        for layer in reversed(self._layers):
            if document_id > layer.offset:
                return layer, document_id - layer.offset
        raise KeyError(document_id)
