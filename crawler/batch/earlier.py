"""Stored pages of earlier runs and crawls, read beside this run's own (`--against`).

The judge knows pages by one row of numbers. Each earlier directory takes a stretch of it, in the
order they were given, and this run's own pages follow::

    1 .. n1 | n1 + 1 .. n1 + n2 | n1 + n2 + 1 ...
    first directory | second | own pages, whose ids in the store begin at 1

Earlier directories are opened read-only and looked up as they stood when this run began, also where
a crawl still adds to them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from crawler.batch.inputs import Sources
from crawler.errors import StoreMismatch
from crawler.records import AddressedPage, IndexRow, PayloadKey, Shingles, StoredRef
from crawler.storage import Meta, SqliteCatalog, Store, StoreView

_COMPARABLE = (
    *("payload_hash", "tokenizer", "fingerprint", "shingles", "sketch"),
    *("method", "lexicon", "fold_chinese"),
)
"""What must be the same for two runs' pages to be compared. The extractor need not: a text that
another version extracted is a text."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A stretch of the judge's row of numbers: `offset` + 1 to `offset` + `documents`."""

    directory: Path | None
    """None: this run's own pages."""
    view: StoreView
    catalog: SqliteCatalog
    offset: int
    documents: float
    """Ids above this came later than this run's beginning."""
    key: int
    """Where the key of its store stands among all `LayeredCatalog.keys`."""

    def numbered(self, ref: StoredRef | None) -> StoredRef | None:
        """Return a page by the judge's number, unless it came after this run's beginning."""
        if ref is None or ref.id > self.documents:
            return None
        return StoredRef(ref.id + self.offset, ref.url)


def open_earlier(directory: Path, identity: Mapping[str, Any]) -> StoreView:
    """Open an earlier directory.

    Raises StoreMismatch where there is no crawl, or one whose pages cannot be compared with those
    of a run of this `identity`.
    """
    view = StoreView.read(directory)
    theirs = view.meta(Meta.IDENTITY, {})
    differing = [key for key in _COMPARABLE if theirs.get(key) != identity.get(key)]
    if not differing:
        return view
    view.close()
    values = (f"{key} ({theirs.get(key)}, now {identity.get(key)})" for key in differing)
    raise StoreMismatch(
        f"{directory}: its pages cannot be compared with new ones, since these settings differ: "
        + ", ".join(values)
    )


class LayeredCatalog:
    """See `crawler.dedup.Catalog`: earlier pages first, so that an original is the oldest.

    `earlier` are opened directories with the number of pages each had when this run began.
    """

    def __init__(
        self, earlier: Sequence[tuple[StoreView, int]], store: Store, sources: Sources
    ) -> None:
        self._sources = sources
        self._layers: list[Layer] = []
        self.offset = 0
        """What is added to an own page's id."""
        self.keys: tuple[bytes, ...] = (store.key,)
        """What texts are to be signed with: this run's own key, then those of earlier ones."""
        for view, documents in earlier:
            catalog = SqliteCatalog(view.database)
            layer = view.directory, view, catalog, self.offset, documents, len(self.keys)
            self._layers.append(Layer(*layer))
            self.keys += (view.key,)
            self.offset += documents
        self._layers.append(Layer(None, store, store.catalog, self.offset, math.inf, 0))

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = (layer.numbered(layer.catalog.by_payload(key)) for layer in self._layers)
        return next((ref for ref in found if ref is not None), None)

    def by_visible(self, digest: bytes) -> StoredRef | None:
        """See Catalog."""
        found = (layer.numbered(layer.catalog.by_visible(digest)) for layer in self._layers)
        return next((ref for ref in found if ref is not None), None)

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        layer, id_ = self.find(document_id)
        return StoredRef(document_id, layer.catalog.ref(id_).url)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        layer, id_ = self.find(document_id)
        return replace(layer.catalog.shingles(id_), key=layer.key)

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        layer, id_ = self.find(document_id)
        return layer.catalog.layout(id_)

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        layer, id_ = self.find(document_id)
        return layer.catalog.appearance(id_)

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        found = (
            replace(page, id=page.id + layer.offset)
            for layer in self._layers
            for page in layer.catalog.by_address(address, limit)
            if page.id <= layer.documents
        )
        return list(islice(found, limit))

    def find(self, document_id: int) -> tuple[Layer, int]:
        """Return where a page lies, and its id there."""
        layer = next(x for x in self._layers if document_id <= x.offset + x.documents)
        return layer, document_id - layer.offset

    def source(self, ref: StoredRef) -> str:
        """Return the argument that a kept document came by, in this run or in its own."""
        layer, id_ = self.find(ref.id)
        return self._sources.find(ref.url) if layer.directory is None else layer.view.host_of(id_)

    def index_rows(self) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need, this run's own pages last."""
        for layer in self._layers:
            for row in layer.view.index_rows():
                if row.id <= layer.documents:
                    yield replace(row, id=row.id + layer.offset)
