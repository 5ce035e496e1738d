"""The default method: fingerprints and bands of sketches propose, stored shingles decide.

The match of a text is never wrong, and hardly ever missed (docs/judging.md has the odds).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup.catalog import Catalog
from crawler.dedup.index.sketch_index import SketchIndex
from crawler.dedup.methods.matching import MAX_VERIFIED, Comparison, Match, Rows, batches
from crawler.dedup.methods.simhash import fingerprint_index
from crawler.dedup.signing.sketch import make_sketch
from crawler.dedup.signing.text_parts import Sketcher
from crawler.records import IndexRow, Signature

MAX_TWINS = 4
"""Candidates with the very same sketch that are read before all others are looked for, oldest
first."""


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

    def match(self, text: Signature) -> Match | None:
        """See Matcher."""
        # No row is more similar than one with the same shingles, and all of those are twins.
        twins = self._sketches.twins(text.sketch, text.shingle_kind)
        for row in twins[:MAX_TWINS].tolist():
            if self._comparison.similarity(text, row) == 1.0:
                return self._comparison.match(text, row, 1.0)
        best_row, best = -1, 0.0
        rows, estimates = self._likely(text)
        for row, estimated in zip(rows.tolist(), estimates.tolist(), strict=True):
            if estimated + self._sketches.margin < best:
                break
            similarity = self._comparison.similarity(text, row)
            if similarity >= self._threshold and (similarity, -row) > (best, -best_row):
                best_row, best = row, similarity
            if best == 1.0:  # an older one would have the same sketch and have come before
                break
        return self._comparison.match(text, best_row, best) if best_row >= 0 else None

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
    """Return what makes the sketches of this method (`crawler.dedup.signing.sketch`)."""
    return lambda parts: make_sketch(parts.hashes)
