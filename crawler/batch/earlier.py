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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.batch.inputs import Sources
from crawler.errors import StoreMismatch
from crawler.records import IndexRow, PayloadKey, StoredRef
from crawler.storage import Meta, SqliteCatalog, StoreView

_COMPARABLE = (
    *("payload_hash", "tokenizer", "fingerprint", "shingles", "sketch"),
    *("method", "lexicon", "fold_chinese"),
)
"""What must be the same for two runs' pages to be compared. The extractor need not: a text that
another version extracted is a text."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """One earlier directory."""

    directory: Path
    view: StoreView
    documents: int
    """Ids above this came later than this run's beginning."""

    @classmethod
    def open(cls, directory: Path, identity: Mapping[str, Any], documents: int | None) -> Earlier:
        """Open a directory; `documents` is what a run that goes on found at its beginning.

        Raises StoreMismatch where there is no crawl, or one that cannot be compared.
        """
        view = StoreView.read(directory)
        theirs = view.meta(Meta.IDENTITY, {})
        differing = [key for key in _COMPARABLE if theirs.get(key) != identity.get(key)]
        if differing:
            view.close()
            raise StoreMismatch(
                f"{directory}: its pages cannot be compared with new ones, these settings differ: "
                + ", ".join(
                    f"{key} ({theirs.get(key)}, now {identity.get(key)})" for key in differing
                )
            )
        return cls(directory, view, view.next_document_id - 1 if documents is None else documents)


@dataclass(frozen=True, slots=True)
class Layer:
    """A stretch of the judge's row of numbers: `offset` + 1 to `offset` + `documents`."""

    directory: Path | None
    """None: this run's own pages."""
    catalog: SqliteCatalog
    offset: int
    documents: float

    def numbered(self, ref: StoredRef | None) -> StoredRef | None:
        """Return a page by the judge's number, unless it came after this run's beginning."""
        if ref is None or ref.id > self.documents:
            return None
        return StoredRef(ref.id + self.offset, ref.url)


class LayeredCatalog:
    """See `crawler.dedup.Catalog`: earlier pages first, so that an original is the oldest."""

    def __init__(self, earlier: Sequence[Earlier], own: SqliteCatalog, sources: Sources) -> None:
        self._earlier = earlier
        self._sources = sources
        self._layers: list[Layer] = []
        offset = 0
        for before in earlier:
            catalog = SqliteCatalog(before.view.database)
            self._layers.append(Layer(before.directory, catalog, offset, before.documents))
            offset += before.documents
        self._layers.append(Layer(None, own, offset, math.inf))
        self.offset = offset
        """What is added to an own page's id."""

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = (layer.numbered(layer.catalog.by_payload(key)) for layer in self._layers)
        return next((ref for ref in found if ref is not None), None)

    def by_text(self, text_digest: bytes, visible_digest: bytes) -> StoredRef | None:
        """See Catalog."""
        key = (text_digest, visible_digest)
        found = (layer.numbered(layer.catalog.by_text(*key)) for layer in self._layers)
        return next((ref for ref in found if ref is not None), None)

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        layer, id_ = self.find(document_id)
        return StoredRef(document_id, layer.catalog.ref(id_).url)

    def shingles(self, document_id: int) -> npt.NDArray[np.uint32]:
        """See Catalog."""
        layer, id_ = self.find(document_id)
        return layer.catalog.shingles(id_)

    def layout(self, document_id: int) -> bytes | None:
        """See `crawler.dedup.kinds.Originals`."""
        layer, id_ = self.find(document_id)
        return layer.catalog.layout(id_)

    def find(self, document_id: int) -> tuple[Layer, int]:
        """Return where a page lies, and its id there."""
        layer = next(x for x in self._layers if document_id <= x.offset + x.documents)
        return layer, document_id - layer.offset

    def source(self, ref: StoredRef) -> str:
        """Return the argument that a kept document came by, in this run or in its own."""
        layer, id_ = self.find(ref.id)
        if layer.directory is None:
            return self._sources.find(ref.url)
        before = next(x for x in self._earlier if x.directory == layer.directory)
        return before.view.host_of(id_)

    def index_rows(self, own_rows: Iterable[IndexRow]) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need, this run's own pages (by their own ids) last."""
        for before, layer in zip(self._earlier, self._layers, strict=False):
            for row in before.view.index_rows():
                if row.id <= before.documents:
                    yield replace(row, id=row.id + layer.offset)
        for row in own_rows:
            yield replace(row, id=row.id + self.offset)
