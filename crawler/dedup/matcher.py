"""The near stage: the representative, if any, that a text is a near duplicate of.

The protocol of every method, and the default one: `VerifiedMatcher` takes fingerprints and bands of
sketches as proposals, rejects most of them by sketch and confirms the rest on the stored shingles.
The other methods are in `crawler.dedup.methods`.

Only representatives are in here. Rows are numbered in order of insertion, so a lower row is older.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from crawler.dedup.catalog import Catalog
from crawler.dedup.hamming import hamming
from crawler.dedup.index.block_index import BlockIndex
from crawler.dedup.index.sketch_index import SketchIndex
from crawler.dedup.signing import shingles
from crawler.records import IndexRow, Signature

MAX_VERIFIED = 64
"""Most candidates read from the store for one text, the likeliest first."""

MAX_TWINS = 4
"""Of those with the very same sketch read before all others are looked for, oldest first."""

_RESTORE_ROWS = 16_384

Rows = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Match:
    """The representative that a text is a near duplicate of."""

    document_id: int
    fingerprint: int
    distance: int
    similarity: float | None
    """Jaccard similarity: exact, estimated or None, as `methods.by_name` says of a method."""


class Matcher(Protocol):
    """Representatives, and the search for one that a text is a near duplicate of."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

    def insert(self, document_id: int, text: Signature) -> None:
        """Make a text a representative."""

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Make many stored texts representatives, oldest first."""

    def match(self, text: Signature) -> Match | None:
        """Return the representative to join, or None for a text unlike all of them."""


class VerifiedMatcher:
    """Proposals by fingerprint and by sketch, confirmed on the shingles.

    A match is never wrong: its similarity is computed from both texts' stored shingles. One may be
    missed if neither proposal finds it or its sketch underestimates it (docs/judging.md has the
    odds), or if more than MAX_VERIFIED others look likelier. The match is the most similar one,
    then the oldest.
    """

    def __init__(
        self, distance: int, threshold: float, catalog: Catalog, expected_documents: int
    ) -> None:
        self._threshold = threshold
        self._catalog = catalog
        self._index = BlockIndex(distance, expected_documents)
        self._sketches = SketchIndex(threshold, expected_documents)

    @property
    def nbytes(self) -> int:
        """See Matcher."""
        return self._index.nbytes + self._sketches.nbytes

    def insert(self, document_id: int, text: Signature) -> None:
        """See Matcher."""
        self._index.insert(document_id, text.fingerprint)
        self._sketches.insert(text.sketch, text.shingle_kind)

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """See Matcher."""
        for batch in _batches(rows):
            self._index.insert_many(*_ids_and_fingerprints(batch))
            self._sketches.insert_many(
                [row.sketch for row in batch], [row.shingle_kind for row in batch]
            )

    def match(self, text: Signature) -> Match | None:
        """See Matcher."""
        # No row is more similar than one with the same shingles, and all of those are twins.
        twins = self._sketches.twins(text.sketch, text.shingle_kind)
        for row in twins[:MAX_TWINS].tolist():
            if self._similarity(text, row) == 1.0:
                return self._match(row, text, 1.0)
        best_row, best = -1, 0.0
        rows, estimates = self._likely(text)
        for row, estimated in zip(rows.tolist(), estimates.tolist(), strict=True):
            if estimated + self._sketches.margin < best:
                break
            similarity = self._similarity(text, row)
            if similarity >= self._threshold and (similarity, -row) > (best, -best_row):
                best_row, best = row, similarity
            if best == 1.0:  # an older one would have the same sketch and have come before
                break
        return self._match(best_row, text, best) if best_row >= 0 else None

    def _likely(self, text: Signature) -> tuple[Rows, npt.NDArray[np.float64]]:
        """Return the rows worth verifying and their estimates, likeliest first, then oldest."""
        proposed = np.concatenate(
            [self._index.proposals(text.fingerprint), self._sketches.proposals(text.sketch)]
        )
        rows, estimates = self._sketches.likely(proposed, text.sketch, text.shingle_kind)
        if len(rows) < 2:
            return rows, estimates
        order = np.argsort(-estimates, kind="stable")[:MAX_VERIFIED]
        return rows[order], estimates[order]

    def _similarity(self, text: Signature, row: int) -> float:
        stored = self._catalog.shingles(int(self._index.ids[row]))
        return shingles.jaccard(text.shingles, stored)

    def _match(self, row: int, text: Signature, similarity: float) -> Match:
        fingerprint = int(self._index.fingerprints[row])
        distance = hamming(fingerprint, text.fingerprint)
        return Match(int(self._index.ids[row]), fingerprint, distance, similarity)


def _batches(rows: Iterable[IndexRow]) -> Iterable[list[IndexRow]]:
    remaining = iter(rows)
    while batch := list(itertools.islice(remaining, _RESTORE_ROWS)):
        yield batch


def _ids_and_fingerprints(
    rows: Sequence[IndexRow],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    ids = np.array([row.id for row in rows], np.int64)
    return ids, np.array([row.fingerprint for row in rows], np.uint64)
