"""Methods that propose rows: what a proposer offers, and the matcher over its proposals.

A proposer numbers the texts it is given (rows, 0 for the first) and answers with rows, best first.
The matcher believes the first of them, or verifies: a job says which (`dedup.verify`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column
from crawler.dedup.methods.matching import (
    MAX_VERIFIED,
    Comparison,
    Match,
    RowColumns,
    Rows,
    Text,
    batches,
)
from crawler.dedup.signing import shingles
from crawler.records import IndexRow, Signature

_KINDS = (shingles.WORD3, shingles.CHAR4)


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


ProposerMaker = Callable[[config.Dedup, int], Proposer]
"""(settings, expected texts) -> an empty proposer."""


class ProposedMatcher:
    """A `Matcher` over a method's proposals: of the text's own shingle kind, one is the match.

    Where the method is believed it is the first, and similarity is the method's estimate, or None
    where it makes none. With `dedup.verify` it is, of the first MAX_VERIFIED, the one with the
    highest exact similarity, then the oldest, if that reaches the threshold.
    """

    def __init__(
        self,
        make_proposer: ProposerMaker,
        settings: config.Dedup,
        catalog: Catalog,
        expected_documents: int,
    ) -> None:
        self._proposer = make_proposer(settings, expected_documents)
        self._threshold = settings.threshold if settings.verify else None
        self._representatives = RowColumns(expected_documents)
        self._kinds = Column(np.uint8, expected_documents)
        self._comparison = Comparison(catalog, self._representatives)

    @property
    def nbytes(self) -> int:
        """See Matcher."""
        return self._proposer.nbytes + self._representatives.nbytes + self._kinds.nbytes

    def insert(self, document_id: int, text: Signature) -> None:
        """See Matcher."""
        self._insert([document_id], [text])

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """See Matcher."""
        for batch in batches(rows):
            self._insert([row.id for row in batch], batch)

    def match(self, text: Signature) -> Match | None:
        """See Matcher."""
        proposals = self._of_kind(self._proposer.propose(text), text.shingle_kind)
        if not len(proposals.rows):
            return None
        if self._threshold is not None:
            return self._verified(proposals, text, self._threshold)
        known = proposals.similarities
        return self._comparison.match(
            text, int(proposals.rows[0]), float(known[0]) if known is not None else None
        )

    def _verified(self, proposals: Proposals, text: Signature, threshold: float) -> Match | None:
        similarity, row = max(
            (self._comparison.similarity(text, row), -row)
            for row in proposals.rows[:MAX_VERIFIED].tolist()
        )
        return self._comparison.match(text, -row, similarity) if similarity >= threshold else None

    def _of_kind(self, proposals: Proposals, kind: str) -> Proposals:
        chosen = self._kinds.take(proposals.rows) == _KINDS.index(kind)
        known = proposals.similarities
        return Proposals(proposals.rows[chosen], None if known is None else known[chosen])

    def _insert(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        self._proposer.insert(texts)
        self._representatives.extend(ids, [text.fingerprint for text in texts])
        self._kinds.extend(np.array([_KINDS.index(t.shingle_kind) for t in texts], np.uint8))
