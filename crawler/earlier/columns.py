"""What is kept of each page of a source: one column after another, for files that are mapped.

All numbers are little-endian; n is the number of pages, in their order:

    ids           4 bytes a page: its id in the source
    payload       20 or 32 bytes a page: SHA-1 or SHA-256 of its body
    by_payload    4 bytes a page: rows in ascending order of these digests, then of rows
    url_ends      8 bytes a page: where its URL ends in `urls`, all URLs one after another (UTF-8)

and of pages whose text is known too:

    declared      4 bytes a page: row in `declarations` (JSON), what its server declared
    visible       32 bytes a page: SHA-256 of its visible text; `by_visible` as `by_payload`
    address       8 bytes a page, 0 for none: key of its address (63 bits); `by_address` has no
                  rows without one
    fingerprint   8 bytes a page; `tokens` 4; `sketch` 132
    flags         1 byte a page: REPRESENTATIVE, CHARACTERS
    shingle_ends  8 bytes a page: where its row ends in `shingles` (`crawler.storage.shingles`,
                  without marks), where they are kept
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Self

import orjson

from crawler.dedup.signing.shingles import CHAR4
from crawler.records import IndexRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

REPRESENTATIVE, CHARACTERS = 1, 2
"""Bits of `flags`: other pages may be like it; its shingles are of characters."""

IN_MEMORY_BYTES = 4_000_000
"""Of each column; what is beyond waits in a temporary file."""

MOST_PAGES = 2**31
"""Of one source: rows have four bytes."""


class ColumnWriter:
    """Takes pages in, one after another; `columns` then yields their columns.

    In memory are IN_MEMORY_BYTES of each column, and as columns are made those of one key at a
    time: 44 bytes a page.
    """

    def __init__(self) -> None:
        self.pages = 0
        self._files: dict[str, IO[bytes]] = {}
        self._declarations: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, page_id: int, digest: bytes, url: str) -> None:
        """Begin a page. Its digest has as many bytes as all others."""
        self.pages += 1
        self._put("ids", page_id.to_bytes(4, "little"))
        self._put("payload", digest)
        self._put_text("urls", "url_ends", url.encode(errors="surrogatepass"))

    def add_text(self, row: IndexRow, address: int | None) -> None:
        """Add what is known of the text of the page that was begun last."""
        rows = self._declarations
        declared = rows.setdefault(row.payload.declared, len(rows))
        flags = REPRESENTATIVE * row.representative | CHARACTERS * (row.shingle_kind == CHAR4)
        self._put("declared", declared.to_bytes(4, "little"))
        self._put("visible", row.visible_digest)
        self._put("address", (address or 0).to_bytes(8, "little"))
        self._put("fingerprint", row.fingerprint.to_bytes(8, "little"))
        self._put("tokens", row.tokens.to_bytes(4, "little"))
        self._put("sketch", row.sketch)
        self._put("flags", bytes([flags]))

    def add_shingles(self, packed: bytes) -> None:
        """Add the shingles of the page that was begun last."""
        self._put_text("shingles", "shingle_ends", packed)

    def columns(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield (name, its bytes in pieces), always in the same order."""
        for name in sorted(self._files):
            yield name, self._pieces(name)
        for name in ("payload", "visible", "address"):
            if name in self._files:
                yield f"by_{name}", iter([self._order(name)])
        if self._declarations:
            yield "declarations", iter([orjson.dumps(list(self._declarations))])

    def _put(self, name: str, data: bytes) -> None:
        if name not in self._files:
            spooled = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 (the stack does)
            self._files[name] = self._open.enter_context(spooled)
        self._files[name].write(data)

    def _put_text(self, name: str, ends: str, data: bytes) -> None:
        self._ends[name] = self._ends.get(name, 0) + len(data)
        self._put(name, data)
        self._put(ends, self._ends[name].to_bytes(8, "little"))

    def _pieces(self, name: str) -> Iterator[bytes]:
        file = self._files[name]
        file.seek(0)
        while piece := file.read(1 << 20):
            yield piece

    def _order(self, name: str) -> bytes:
        """Return the rows in ascending order of a column, oldest first; none without a value."""
        import numpy as np

        data = b"".join(self._pieces(name))
        keys: npt.NDArray[np.bytes_] | npt.NDArray[np.uint64]
        if name == "address":
            keys = np.frombuffer(data, "<u8")
            order = np.argsort(keys, kind="stable")
            order = order[keys[order] != 0]
        else:
            order = np.argsort(np.frombuffer(data, f"S{len(data) // self.pages}"), kind="stable")
        return order.astype("<u4").tobytes()
