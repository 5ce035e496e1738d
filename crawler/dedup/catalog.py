"""What the judge asks of the store: look-ups by digest and by id, answered synchronously.

The store is the truth and the judge's indexes are derived from it, so a look-up must also see rows
that were handed to the writer and are not committed yet.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Protocol

from crawler.models import AddressedPage, PayloadKey, Shingles, StoredDocument, StoredRef
from crawler.urls import host_of


class Catalog(Protocol):
    """Stored pages, as the judge sees them. Implemented by `crawler.storage.catalog`."""

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """Return the oldest stored page with this payload, or None."""

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """Return stored pages whose visible text has this digest, the oldest first."""

    def ref(self, document_id: int) -> StoredRef:
        """Return id and URL of a stored page; KeyError if there is none."""

    def shingles(self, document_id: int) -> Shingles:
        """Return a stored page's shingles; KeyError if there is none."""

    def layout(self, document_id: int) -> bytes | None:
        """Return a stored page's layout fingerprint, None for plain text; KeyError if no page."""

    def appearance(self, document_id: int) -> bytes | None:
        """Return what is kept of a stored page's appearance, packed; None where nothing is."""

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """Return stored pages with this key of an address, the oldest first, at most `limit`."""

    def of_host(self, url: str, limit: int) -> list[int]:
        """Return the ids of the pages of a URL's host that were stored last, the latest first."""


class MemoryCatalog:
    """Documents in dictionaries: those the store has not committed yet; tests have no other."""

    def __init__(self) -> None:
        self._documents: dict[int, StoredDocument] = {}
        self._found: dict[Hashable, list[StoredDocument]] = {}
        """All documents by each of `_keys`, oldest first."""

    def __contains__(self, document_id: int) -> bool:
        return document_id in self._documents

    def add(self, document: StoredDocument) -> None:
        """Remember a page; the first of equal keys stays the original."""
        self._documents[document.id] = document
        for key in _keys(document):
            self._found.setdefault(key, []).append(document)

    def forget(self, documents: Iterable[StoredDocument]) -> None:
        """Drop pages that are known from elsewhere now."""
        for document in documents:
            del self._documents[document.id]
            for key in _keys(document):
                left = [one for one in self._found.pop(key) if one is not document]
                if left:
                    self._found[key] = left

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = self._found.get(("payload", key))
        return StoredRef(found[0].id, found[0].url) if found else None

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        found = self._found.get(("visible", digest), [])
        return [StoredRef(page.id, page.url) for page in found[:limit]]

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        return StoredRef(document_id, self._documents[document_id].url)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        return Shingles.of(self._documents[document_id].signature)

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        return self._documents[document_id].layout

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        return self._documents[document_id].appearance

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        return [
            AddressedPage(page.id, page.signature.fingerprint, page.signature.shingle_kind)
            for page in self._found.get(("address", address), [])[:limit]
        ]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog."""
        host = host_of(url)
        return [page.id for page in self._found.get(("host", host), [])[: -limit - 1 : -1]]


def _keys(document: StoredDocument) -> Iterator[Hashable]:
    """Yield what a page is found by."""
    yield "payload", document.payload
    yield "visible", document.signature.visible_digest
    if host := host_of(document.url):
        yield "host", host
    if document.address is not None:
        yield "address", document.address
