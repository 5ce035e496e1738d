"""Pages of earlier crawls and corpora that a run is judged against (`--against`), as one catalogue.

The judge knows pages by one row of numbers. Own pages have the positive ones, which are their ids;
each earlier source takes a stretch below, in the order they were given, so that whatever is older
has the lower number::

    -n1 - n2 + 1 .. -n2 | -n2 + 1 .. 0 | 1 ...
    first source        | second       | own pages, by their ids
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from crawler.dedup.catalog import Catalog
from crawler.errors import StoreMismatch
from crawler.models import AddressedPage, IndexRow, PayloadKey, Shingles, StoredRef
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.view import StoreView


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


COMPARABLE = (
    *("payload_hash", "tokenizer", "fingerprint", "shingles", "sketch"),
    *("method", "lexicon", "fold_chinese"),
)
"""What must be the same for two runs' pages to be compared. The extractor need not: a text that
another version extracted is a text."""


def check_comparable(
    name: str,
    theirs: Mapping[str, Any],
    ours: Mapping[str, Any],
    keys: Iterable[str] = COMPARABLE,
) -> None:
    """Raise StoreMismatch where pages judged by one identity cannot be compared with another's."""
    differing = [key for key in keys if theirs.get(key) != ours.get(key)]
    if differing:
        values = (f"{key} ({theirs.get(key)}, now {ours.get(key)})" for key in differing)
        raise StoreMismatch(
            f"{name}: its pages cannot be compared with new ones, since these settings differ: "
            + ", ".join(values)
        )
