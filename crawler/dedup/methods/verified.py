"""The default method: fingerprints and bands of sketches propose, stored shingles decide.

The match of a text is never wrong, and hardly ever missed (docs/judging.md has the odds).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup.catalog import Catalog
from crawler.dedup.index import ROW_BYTES, SketchIndex
from crawler.dedup.methods.matching import MAX_VERIFIED, Comparison, Match, Rows, batches
from crawler.dedup.methods.rivals import fingerprint_index
from crawler.dedup.signing import Sketcher, make_sketch
from crawler.models import IndexRow, Signature

MAX_TWINS = 4
"""Candidates with the very same sketch that are read before all others are looked for, oldest
first."""

_PACKED_ROWS = 16_384
"""At once: 2.5 MB, some 70 ms to insert. With a quarter of it a million took twice as long, since
each time the slabs left behind are joined (`crawler.dedup.index`)."""
_ROW_BYTES = 8 + 8 + ROW_BYTES


class VerifiedMatcher:
    """Proposals by fingerprint and by sketch, confirmed on the shingles.

    A match is never wrong: its similarity is computed from both texts' stored shingles. One may be
    missed if neither proposal finds it or its sketch underestimates it, or if more than
    MAX_VERIFIED others look likelier. The match is the most similar one, then the oldest.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        self._threshold = settings.threshold
        self._index = fingerprint_index(settings, expected_documents)
        self._sketches = SketchIndex(settings.threshold, expected_documents)
        self._comparison = Comparison(catalog, self._index)

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
        for batch in batches(rows):
            self._index.insert_many(
                np.array([row.id for row in batch], np.int64),
                np.array([row.fingerprint for row in batch], np.uint64),
            )
            self._sketches.insert_many(
                [row.sketch for row in batch], [row.shingle_kind for row in batch]
            )

    def packed(self, last_id: int) -> Iterator[bytes]:
        """Yield all that are representatives now as bytes, for `insert_packed`, up to an id.

        Others may be inserted before all parts are taken, and are in none of them.
        """
        rows = int(np.searchsorted(self._index.ids, last_id, "right"))
        return (
            self._packed(start, min(start + _PACKED_ROWS, rows))
            for start in range(0, rows, _PACKED_ROWS)
        )

    def _packed(self, start: int, end: int) -> bytes:
        ids = self._index.ids[start:end].astype("<i8").tobytes()
        fingerprints = self._index.fingerprints[start:end].astype("<u8").tobytes()
        return ids + fingerprints + self._sketches.packed(start, end)

    def insert_packed(self, packed: bytes) -> None:
        """Make those of one part representatives. Raises ValueError for other bytes."""
        rows, odd = divmod(len(packed), _ROW_BYTES)
        if odd:
            raise ValueError("a part of the index has a wrong length")
        self._index.insert_many(
            np.frombuffer(packed, "<i8", rows).astype(np.int64),
            np.frombuffer(packed, "<u8", rows, 8 * rows).astype(np.uint64),
        )
        self._sketches.insert_packed(packed[16 * rows :])

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """See Matcher."""
        # No row is more similar than one with the same shingles, and all of those are twins.
        twins = self._sketches.twins(text.sketch, text.shingle_kind)[:MAX_TWINS].tolist()
        found = [(-1.0, row) for row in twins if self._comparison.similarity(text, row) == 1.0]
        if len(found) < most:
            self._verify(text, found, most)
        return [self._comparison.match(text, row, -less) for less, row in found[:most]]

    def _verify(self, text: Signature, found: list[tuple[float, int]], most: int) -> None:
        """Add (-similarity, row) of what a text is like to a sorted list, until `most` are known.

        A row that is found already is older than any with the same similarity.
        """
        known = {row for _, row in found}
        rows, estimates = self._likely(text)
        for row, estimated in zip(rows.tolist(), estimates.tolist(), strict=True):
            enough = -found[most - 1][0] if len(found) >= most else 0.0
            if estimated + self._sketches.margin < enough or enough == 1.0:
                break
            if row not in known:
                similarity = self._comparison.similarity(text, row)
                if similarity >= self._threshold:
                    insort(found, (-similarity, row))

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


def binned_sketcher(settings: config.Dedup) -> Sketcher:
    """Return what makes the sketches of this method (`crawler.dedup.signing`)."""
    return lambda parts: make_sketch(parts.hashes)
