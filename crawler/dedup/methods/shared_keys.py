"""Rows found again by any of several 64-bit keys: the hash tables under bands and I-Match.

Each row has one key for each table. Two rows agree in a table if their keys there are equal; a key
of 0 says that the row has nothing to show there, and agrees with nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import Column, sorted_unique
from crawler.dedup.index.bucket_table import BUCKETS, KEY_BITS, BucketTable
from crawler.dedup.methods.matching import Proposals, Rows, Text
from crawler.records import Signature

Keys = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]

_BUCKET_SHIFT = np.uint64(64 - KEY_BITS)


class KeyTable:
    """Keys by row (0 for the first insert), `tables` of them a row.

    Nothing that agrees is missed, and nothing else is returned: buckets only propose, the keys
    themselves are compared.
    """

    def __init__(self, tables: int, expected_rows: int) -> None:
        self._first_bucket = np.arange(tables, dtype=np.int64) * BUCKETS
        self._buckets = BucketTable(tables, expected_rows)
        self._keys = Column(np.uint64, expected_rows, (tables,))

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._buckets.nbytes + self._keys.nbytes

    def insert_many(self, keys: Keys) -> None:
        """Add many rows, keys of shape (n, tables)."""
        first = len(self._keys)
        rows = np.arange(first, first + len(keys), dtype=np.uint32)
        shown = keys != 0
        self._buckets.insert_many(
            self._buckets_of(keys)[shown], np.broadcast_to(rows[:, None], keys.shape)[shown]
        )
        self._keys.extend(keys)

    def find(self, keys: Keys, agreeing: int = 1) -> tuple[Rows, Counts]:
        """Return the rows that agree in `agreeing` tables or more, ascending, and in how many."""
        shown = keys != 0
        rows = sorted_unique(self._buckets.find(self._buckets_of(keys)[shown]))
        counts = ((self._keys.take(rows) == keys) & shown).sum(axis=1)
        chosen = counts >= agreeing
        return rows[chosen], counts[chosen]

    def _buckets_of(self, keys: Keys) -> npt.NDArray[np.int64]:
        return (keys >> _BUCKET_SHIFT).astype(np.int64) | self._first_bucket


class SharedKeys:
    """A proposer of the texts whose sketches agree in enough keys, those that agree in most first.

    Sketches are keys, a few a text (super-shingles, I-Match).
    """

    def __init__(self, tables: int, agreeing: int, expected_texts: int) -> None:
        self._tables, self._agreeing = tables, agreeing
        self._table = KeyTable(tables, expected_texts)

    @property
    def nbytes(self) -> int:
        """See Proposer."""
        return self._table.nbytes

    def insert(self, texts: Sequence[Text]) -> None:
        """See Proposer."""
        self._table.insert_many(unpack_keys([text.sketch for text in texts], self._tables))

    def propose(self, text: Signature) -> Proposals:
        """See Proposer."""
        keys = unpack_keys([text.sketch], self._tables)[0]
        rows, counts = self._table.find(keys, self._agreeing)
        return Proposals(rows[np.argsort(-counts, kind="stable")])


def pack_keys(keys: Keys) -> bytes:
    """Return keys as bytes, little-endian."""
    return keys.astype("<u8").tobytes()


def unpack_keys(packed: Sequence[bytes], tables: int) -> Keys:
    """Return many texts' keys, shape (n, tables)."""
    rows = np.frombuffer(b"".join(packed), "<u8").reshape(-1, tables)
    return rows.astype(np.uint64, copy=False)
