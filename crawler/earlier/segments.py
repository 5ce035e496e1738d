"""The pages of one segment of a portable index, as the judge asks for them."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import orjson

from crawler.dedup.signing.shingles import CHAR4, WORD3
from crawler.earlier.columns import CHARACTERS, REPRESENTATIVE
from crawler.earlier.index_file import IndexFile, Segment
from crawler.records import AddressedPage, IndexRow, PayloadKey, Shingles, StoredRef
from crawler.storage.shingles import unpack

ANY_DECLARATION = ""
"""What is declared of pages of which only the digest is known."""


class SegmentCatalog:
    """See `crawler.dedup.Catalog`: pages by their rows, from 1.

    A look-up reads some 20 entries of a column that is mapped. Layouts and appearances are not
    kept, and shingles without marks: a file that is handed on must not hold the key of the crawl.
    """

    def __init__(self, index: IndexFile, segment: Segment) -> None:
        data = index.data(segment)
        self._columns = {
            name: data[begin : begin + size] for name, (begin, size) in segment.columns.items()
        }
        self.pages = segment.pages
        self._digest_bytes = len(self._columns["payload"]) // max(1, segment.pages)

    @property
    def has_texts(self) -> bool:
        """Whether more is known than digests of bodies."""
        return "sketch" in self._columns

    @property
    def has_shingles(self) -> bool:
        """Whether shingles are kept, not their sketches alone."""
        return "shingles" in self._columns

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog. Where nothing is declared of pages, their bytes alone decide."""
        rows = self._equal("payload", key.digest, self._digest_bytes)
        declared = (ANY_DECLARATION, key.declared)
        row = next((row for row in rows if self._declared(row) in declared), None)
        return None if row is None else self.ref(row + 1)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        rows = self._equal("visible", digest, 32)
        return [self.ref(row + 1) for row, _ in zip(rows, range(limit), strict=False)]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog: an index does not know which pages a host has."""
        return []

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        rows = self._equal("address", address.to_bytes(8, "little"), 8, number=True)
        return [
            AddressedPage(row + 1, self._number("fingerprint", row, 8), self._kind(row))
            for row, _ in zip(rows, range(limit), strict=False)
        ]

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        url = self._text("urls", "url_ends", document_id - 1)
        return StoredRef(document_id, str(url, "utf-8", "surrogatepass"))

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog. Without shingles, the sketch that stands for them."""
        import numpy as np

        if self.has_shingles:
            row = self._text("shingles", "shingle_ends", document_id - 1)
            return unpack(document_id, bytes(row))
        sketch = self._cell("sketch", document_id - 1, SKETCH_BYTES)
        return Shingles(np.empty(0, np.uint32), sketch=sketch)

    def layout(self, document_id: int) -> None:
        """See Catalog: none is kept."""

    def appearance(self, document_id: int) -> None:
        """See Catalog: none is kept."""

    def page_id(self, document_id: int) -> int:
        """Return what a page was called in its source."""
        return self._number("ids", document_id - 1, 4)

    def index_rows(self) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need, in order of rows."""
        for row in range(self.pages):
            payload = PayloadKey(
                self._cell("payload", row, self._digest_bytes), self._declared(row)
            )
            if not self.has_texts:
                yield IndexRow(row + 1, payload, b"", 0, 0, WORD3, b"", representative=False)
                continue
            fingerprint, tokens = (
                self._number("fingerprint", row, 8),
                self._number("tokens", row, 4),
            )
            text = self._cell("visible", row, 32), fingerprint, tokens, self._kind(row)
            sketch = self._cell("sketch", row, SKETCH_BYTES)
            leads = bool(self._columns["flags"][row] & REPRESENTATIVE)
            yield IndexRow(row + 1, payload, *text, sketch, leads)

    def _equal(self, name: str, key: bytes, size: int, *, number: bool = False) -> Iterator[int]:
        """Return the rows whose cell in a column is a key, oldest first."""
        order = self._columns.get(f"by_{name}")
        if order is None or len(key) != size:
            return iter(())

        def ordered(at: int) -> bytes:
            cell = self._cell(name, _U4.unpack_from(order, 4 * at)[0], size)
            return cell[::-1] if number else cell

        wanted, places = key[::-1] if number else key, range(len(order) // 4)
        begin = bisect_left(places, wanted, key=ordered)
        same = takewhile(lambda at: ordered(at) == wanted, places[begin:])
        return (_U4.unpack_from(order, 4 * at)[0] for at in same)

    def _cell(self, name: str, row: int, size: int) -> bytes:
        return bytes(self._columns[name][row * size : (row + 1) * size])

    def _number(self, name: str, row: int, size: int) -> int:
        return int.from_bytes(self._cell(name, row, size), "little")

    def _text(self, name: str, ends: str, row: int) -> memoryview:
        if not 0 <= row < self.pages:
            raise KeyError(row + 1)
        begin = self._number(ends, row - 1, 8) if row else 0
        return self._columns[name][begin : self._number(ends, row, 8)]

    def _kind(self, row: int) -> str:
        return CHAR4 if self._columns["flags"][row] & CHARACTERS else WORD3

    def _declared(self, row: int) -> str:
        if not self.has_texts:
            return ANY_DECLARATION
        return self._declarations[self._number("declared", row, 4)]

    @cached_property
    def _declarations(self) -> list[str]:
        found: list[str] = orjson.loads(self._columns["declarations"])
        return found


_U4 = struct.Struct("<I")
SKETCH_BYTES = 132


@dataclass
class SegmentPages:
    """See `crawler.earlier.layers.EarlierPages`."""

    name: str
    segment: Segment
    catalog: SegmentCatalog
    key: bytes = b""

    @property
    def documents(self) -> int:
        """See EarlierPages."""
        return self.segment.pages

    @property
    def mark(self) -> str:
        """What another segment in this place would not have."""
        return self.segment.sha256[:16]

    def index_rows(self) -> Iterator[IndexRow]:
        """See EarlierPages."""
        return self.catalog.index_rows()

    def source_of(self, page_id: int) -> str:
        """See EarlierPages: no source is kept but the segment's."""
        return self.segment.name

    def about(self, page_id: int) -> dict[str, Any]:
        """See EarlierPages."""
        by = "unmarked-shingles" if self.catalog.has_shingles else "sketch"
        return {
            "id": self.catalog.page_id(page_id),
            "segment": self.segment.name,
            "compared_by": by if self.catalog.has_texts else "digest",
        }
