"""What the judge asks of the store: look-ups by digest and by id, answered synchronously.

The store is the truth and the judge's indexes are derived from it, so a look-up must also see rows
that were handed to the writer and are not committed yet.
"""

from __future__ import annotations

from typing import Protocol

from crawler.models import AddressedPage, PayloadKey, Shingles, StoredDocument, StoredRef
from crawler.urls import host_key


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
    """The fake that ships with the protocol: plain dictionaries, for tests and batch judging."""

    def __init__(self) -> None:
        self._payloads: dict[PayloadKey, StoredRef] = {}
        self._visible: dict[bytes, list[StoredRef]] = {}
        self._documents: dict[int, StoredDocument] = {}
        self._addresses: dict[int, list[StoredDocument]] = {}
        self._hosts: dict[str, list[int]] = {}

    def add(self, document: StoredDocument) -> None:
        """Store a page; the first of equal keys stays the original."""
        ref = StoredRef(document.id, document.url)
        self._payloads.setdefault(document.payload, ref)
        self._visible.setdefault(document.signature.visible_digest, []).append(ref)
        self._hosts.setdefault(host_of(document.url), []).append(document.id)
        self._documents[document.id] = document
        if document.address is not None:
            self._addresses.setdefault(document.address, []).append(document)

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        return self._payloads.get(key)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        return self._visible.get(digest, [])[:limit]

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
        return [addressed(page) for page in self._addresses.get(address, [])[:limit]]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog."""
        host = host_of(url)
        return self._hosts.get(host, [])[: -limit - 1 : -1] if host else []


def host_of(url: str) -> str:
    """Return the host that a page is of; documents of files have none."""
    return host_key(url) if url.startswith("http") else ""


def addressed(document: StoredDocument) -> AddressedPage:
    """Return a stored page as it is found by its address."""
    signature = document.signature
    return AddressedPage(document.id, signature.fingerprint, signature.shingle_kind)
