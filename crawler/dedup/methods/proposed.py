"""Inline clusters from proposals: a text joins the first of them, or the most similar one.

The matcher of every method but `verified` and `exact`. Believing the method, the first proposal of
the text's own shingle kind is the match; verifying, the stored shingles decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column
from crawler.dedup.hamming import hamming
from crawler.dedup.matcher import MAX_VERIFIED, Match
from crawler.dedup.methods.proposers import Proposals, Proposer, Text
from crawler.dedup.signing import shingles
from crawler.records import IndexRow, Signature

_RESTORE_ROWS = 16_384
_KINDS = (shingles.WORD3, shingles.CHAR4)


class ProposedMatcher:
    """A `Matcher` over a method's proposals.

    With `verified_threshold` None the method is believed, and similarity is its estimate, or None
    where it makes none. With a threshold, of the first MAX_VERIFIED proposals the one with the
    highest exact similarity, then the oldest, is the match, if it reaches the threshold.
    """

    def __init__(
        self,
        proposer: Proposer,
        catalog: Catalog,
        expected_documents: int,
        verified_threshold: float | None = None,
    ) -> None:
        self._proposer = proposer
        self._catalog = catalog
        self._threshold = verified_threshold
        self._ids = Column(np.int64, expected_documents)
        self._fingerprints = Column(np.uint64, expected_documents)
        self._kinds = Column(np.uint8, expected_documents)

    @property
    def nbytes(self) -> int:
        """See Matcher."""
        columns = self._ids, self._fingerprints, self._kinds
        return self._proposer.nbytes + sum(column.nbytes for column in columns)

    def insert(self, document_id: int, text: Signature) -> None:
        """See Matcher."""
        self._insert([document_id], [text])

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """See Matcher."""
        remaining = iter(rows)
        while batch := list(itertools.islice(remaining, _RESTORE_ROWS)):
            self._insert([row.id for row in batch], batch)

    def match(self, text: Signature) -> Match | None:
        """See Matcher."""
        proposals = self._of_kind(self._proposer.propose(text), text.shingle_kind)
        if not len(proposals.rows):
            return None
        if self._threshold is not None:
            return self._verified(proposals, text, self._threshold)
        known = proposals.similarities
        return self._match(
            int(proposals.rows[0]), text, float(known[0]) if known is not None else None
        )

    def _verified(self, proposals: Proposals, text: Signature, threshold: float) -> Match | None:
        compared = (
            (self._similarity(text, row), -row) for row in proposals.rows[:MAX_VERIFIED].tolist()
        )
        similarity, row = max(compared)
        return self._match(-row, text, similarity) if similarity >= threshold else None

    def _similarity(self, text: Signature, row: int) -> float:
        stored = self._catalog.shingles(int(self._ids.values[row]))
        return shingles.jaccard(text.shingles, stored)

    def _match(self, row: int, text: Signature, similarity: float | None) -> Match:
        fingerprint = int(self._fingerprints.values[row])
        distance = hamming(fingerprint, text.fingerprint)
        return Match(int(self._ids.values[row]), fingerprint, distance, similarity)

    def _of_kind(self, proposals: Proposals, kind: str) -> Proposals:
        chosen = self._kinds.take(proposals.rows) == _KINDS.index(kind)
        known = proposals.similarities
        return Proposals(proposals.rows[chosen], None if known is None else known[chosen])

    def _insert(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        self._proposer.insert(texts)
        self._ids.extend(np.array(ids, np.int64))
        self._fingerprints.extend(np.array([text.fingerprint for text in texts], np.uint64))
        self._kinds.extend(np.array([_KINDS.index(t.shingle_kind) for t in texts], np.uint8))
