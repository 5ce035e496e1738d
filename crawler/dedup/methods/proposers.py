"""Who a text may be a near duplicate of: one structure a method behind one small protocol.

A proposer numbers the texts it is given (rows, 0 for the first) and answers with rows, best first.
What it is right to do with them, believe the first or verify, is `proposed`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import Column
from crawler.dedup.index.block_index import BlockIndex
from crawler.dedup.methods import minhash
from crawler.dedup.methods.key_table import Keys, KeyTable, Rows, unpack_keys
from crawler.dedup.methods.lsh import Banding, band_keys
from crawler.records import IndexRow, Signature

Text = Signature | IndexRow
"""A text to insert: fresh, or read back from the store."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Rows that a text may be a near duplicate of, best first, then oldest."""

    rows: Rows
    similarities: npt.NDArray[np.float64] | None = None
    """Estimated Jaccard similarities, where the method estimates them."""


class Proposer(Protocol):
    """Texts, and the search for those a text may be a near duplicate of."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

    def insert(self, texts: Sequence[Text]) -> None:
        """Add texts, oldest first."""

    def propose(self, text: Signature) -> Proposals:
        """Return the rows that the method takes for near duplicates of a text."""


class NearFingerprints:
    """Every fingerprint within a Hamming distance, the nearest first."""

    def __init__(self, distance: int, expected_texts: int) -> None:
        self._index = BlockIndex(distance, expected_texts)

    @property
    def nbytes(self) -> int:
        """See Proposer."""
        return self._index.nbytes

    def insert(self, texts: Sequence[Text]) -> None:
        """See Proposer."""
        fingerprints = np.array([text.fingerprint for text in texts], np.uint64)
        self._index.insert_many(np.arange(len(texts), dtype=np.int64), fingerprints)

    def propose(self, text: Signature) -> Proposals:
        """See Proposer."""
        rows = self._index.rows(text.fingerprint)
        distances = np.bitwise_count(self._index.fingerprints[rows] ^ np.uint64(text.fingerprint))
        return Proposals(rows[np.argsort(distances, kind="stable")])


class SharedBands:
    """MinHash values that share a band, the highest estimated similarity first."""

    def __init__(self, banding: Banding, permutations: int, expected_texts: int) -> None:
        self._banding = banding
        self._permutations = permutations
        self._table = KeyTable(banding.bands, expected_texts)
        self._values = Column(np.uint32, expected_texts, (permutations,))

    @property
    def nbytes(self) -> int:
        """See Proposer."""
        return self._table.nbytes + self._values.nbytes

    def insert(self, texts: Sequence[Text]) -> None:
        """See Proposer."""
        values = self._unpack([text.sketch for text in texts])
        self._table.insert_many(np.stack([self._keys(row) for row in values]))
        self._values.extend(values)

    def propose(self, text: Signature) -> Proposals:
        """See Proposer."""
        values = self._unpack([text.sketch])[0]
        rows, _ = self._table.find(self._keys(values))
        estimates = minhash.estimate(values, self._values.take(rows))
        order = np.argsort(-estimates, kind="stable")
        return Proposals(rows[order], estimates[order])

    def _keys(self, values: minhash.Values) -> Keys:
        """A text without shingles is like no other."""
        if values[0] == minhash.NO_SHINGLES:
            return np.zeros(self._banding.bands, np.uint64)
        return band_keys(values, self._banding.bands, self._banding.rows)

    def _unpack(self, packed: Sequence[bytes]) -> minhash.Values:
        return minhash.unpack_many(packed, self._permutations)


class SharedKeys:
    """Keys, a few a text (super-shingles, I-Match): texts that agree in enough, in most first."""

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
