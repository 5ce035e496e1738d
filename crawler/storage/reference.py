"""Pages of earlier crawls and corpora that a run is judged against (`--against`), as one catalogue.

The judge knows pages by one row of numbers. Own pages have the positive ones, which are their ids;
each earlier source takes a stretch below, in the order they were given, so that whatever is older
has the lower number::

    -n1 - n2 + 1 .. -n2 | -n2 + 1 .. 0 | 1 ...
    first source        | second       | own pages, by their ids
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

from crawler.dedup.catalog import Catalog
from crawler.errors import StoreMismatch
from crawler.models import AddressedPage, IndexRow, PayloadKey, Shingles, StoredRef
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView


class EarlierPages(Protocol):
    """A source of earlier pages, numbered from 1, oldest first."""

    @property
    def name(self) -> str:
        """The file or directory, as the user named it."""

    @property
    def documents(self) -> int:
        """How many ids there are; what came later is not looked at."""

    @property
    def key(self) -> bytes:
        """What its shingles are marked by; empty where they are not."""

    @property
    def catalog(self) -> Catalog:
        """Its pages by id, also such as came later."""

    def index_rows(self) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need, in order of id, also of what came later."""

    def source_of(self, page_id: int) -> str:
        """Return what a page came by: its host, or the argument of `dedup`."""

    def about(self, page_id: int) -> dict[str, Any]:
        """Return what a line says of a page beside id, URL and name: how sure it can be."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """A stretch of the judge's row of numbers: `offset` + 1 to `offset` + its documents."""

    pages: EarlierPages
    offset: int
    key: int
    """Where the key of its shingles stands among all `LayeredCatalog.keys`."""

    def numbered(self, ref: StoredRef | None) -> StoredRef | None:
        """Return a page by the judge's number, unless it came after this run's beginning."""
        if ref is None or ref.id > self.pages.documents:
            return None
        return StoredRef(ref.id + self.offset, ref.url)


class LayeredCatalog:
    """See `crawler.dedup.Catalog`: earlier pages first, so that an original is the oldest.

    `key` marks the shingles of the `own` pages.
    """

    def __init__(self, own: Catalog, key: bytes, earlier: Sequence[EarlierPages] = ()) -> None:
        self._own = own
        self._layers: list[_Layer] = []
        self.keys: tuple[bytes, ...] = (key,)
        """What texts are to be signed with: this run's own key, then those of earlier ones."""
        self.earlier_documents = sum(pages.documents for pages in earlier)
        offset = -self.earlier_documents
        for pages in earlier:
            self._layers.append(_Layer(pages, offset, len(self.keys)))
            if pages.key:
                self.keys += (pages.key,)
            offset += pages.documents

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        for layer in self._layers:
            if found := layer.numbered(layer.pages.catalog.by_payload(key)):
                return found
        return self._own.by_payload(key)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        earlier = (
            layer.numbered(ref)
            for layer in self._layers
            for ref in layer.pages.catalog.by_visible(digest, limit)
        )
        found = chain(filter(None, earlier), self._own.by_visible(digest, limit))
        return list(islice(found, limit))

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        if document_id > 0:
            return self._own.ref(document_id)
        layer, id_ = self._find(document_id)
        return StoredRef(document_id, layer.pages.catalog.ref(id_).url)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        if document_id > 0:
            return self._own.shingles(document_id)
        layer, id_ = self._find(document_id)
        return replace(layer.pages.catalog.shingles(id_), key=layer.key)

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        if document_id > 0:
            return self._own.layout(document_id)
        layer, id_ = self._find(document_id)
        return layer.pages.catalog.layout(id_)

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        if document_id > 0:
            return self._own.appearance(document_id)
        layer, id_ = self._find(document_id)
        return layer.pages.catalog.appearance(id_)

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        earlier = (
            replace(page, id=page.id + layer.offset)
            for layer in self._layers
            for page in layer.pages.catalog.by_address(address, limit)
            if page.id <= layer.pages.documents
        )
        return list(islice(chain(earlier, self._own.by_address(address, limit)), limit))

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog. Of this run alone: what a site has in common may have changed since."""
        return self._own.of_host(url, limit)

    def elsewhere(self, document_id: int) -> tuple[EarlierPages, int] | None:
        """Return where an earlier page lies and its id there; None for one of this run."""
        if document_id > 0:
            return None
        layer, id_ = self._find(document_id)
        return layer.pages, id_

    def earlier_rows(self) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need of earlier pages, the oldest first."""
        for layer in self._layers:
            for row in layer.pages.index_rows():
                if row.id <= layer.pages.documents:
                    yield replace(row, id=row.id + layer.offset)

    def _find(self, document_id: int) -> tuple[_Layer, int]:
        fitting = (x for x in reversed(self._layers) if document_id > x.offset)
        layer = next(fitting, None)
        if layer is None:
            raise KeyError(document_id)
        return layer, document_id - layer.offset


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


class DirectoryPages:
    """See `EarlierPages`: a directory as it stood when this run began.

    It is opened for reading only, also while a crawl still adds to it. Raises StoreMismatch where
    there is no crawl.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.view = StoreView.read(directory)
        self.catalog = SqliteCatalog(self.view.database)
        self.documents = self.view.next_document_id - 1

    @property
    def name(self) -> str:
        """See EarlierPages."""
        return str(self.directory)

    @cached_property
    def key(self) -> bytes:
        """See EarlierPages."""
        return self.view.key

    @property
    def mark(self) -> str:
        """What another crawl in this place would not have; empty where that cannot be told."""
        return hashlib.sha256(b"mark" + self.key).hexdigest()[:16] if self.key else ""

    @property
    def identity(self) -> Mapping[str, Any]:
        """How its pages were judged."""
        found: Mapping[str, Any] = self.view.meta(Meta.IDENTITY, {})
        return found

    def index_rows(self) -> Iterator[IndexRow]:
        """See EarlierPages."""
        return self.view.index_rows()

    def source_of(self, page_id: int) -> str:
        """See EarlierPages."""
        return self.view.host_of(page_id)

    def about(self, page_id: int) -> dict[str, Any]:
        """See EarlierPages: it can be as sure as of own pages."""
        return {}

    def close(self) -> None:
        """Close the files."""
        self.view.close()
