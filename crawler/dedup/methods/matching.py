"""What every method offers the judge (a matcher), and the matcher of methods that only propose.

Only representatives are in a matcher. Rows are numbered in order of insertion, so a lower row is
older.

A proposer numbers the texts it is given (rows, 0 for the first) and answers with rows, best first.
Its matcher believes the first of them, or verifies: a job says which (`dedup.verify`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column, FingerprintRows
from crawler.dedup.hamming import hamming
from crawler.dedup.signing import shingles
from crawler.records import IndexRow, Signature

MAX_VERIFIED = 64
"""Most candidates read from the store for one text, the likeliest first."""

_RESTORE_ROWS = 16_384
_KINDS = (shingles.WORD3, shingles.CHAR4)

Rows = npt.NDArray[np.uint32]
Text = Signature | IndexRow
"""A text to insert: fresh, or read back from the store."""


@dataclass(frozen=True, slots=True)
class Match:
    """The representative that a text is a near duplicate of."""

    document_id: int
    fingerprint: int
    distance: int
    similarity: float | None
    """Jaccard similarity: exact where it was verified, else MinHash's estimate, else None."""


class Matcher(Protocol):
    """Representatives, and the search for one that a text is a near duplicate of."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""

    def insert(self, document_id: int, text: Signature) -> None:
        """Make a text a representative."""

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Make many stored texts representatives, oldest first."""

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """Return representatives that a text is like, the likest first, then the oldest.

        The first of them is the one to join; none for a text unlike all of them.
        """


class Comparison:
    """A text compared with a representative: by what the catalogue stores, and as a match."""

    def __init__(self, catalog: Catalog, representatives: FingerprintRows) -> None:
        self._catalog = catalog
        self._representatives = representatives

    def similarity(self, text: Signature, row: int) -> float:
        """Return the exact Jaccard similarity of the shingles; 0 for a page that was not stored.

        Between its verdict and the store something went wrong with it: nothing can be like it.
        """
        try:
            stored = self._catalog.shingles(int(self._representatives.ids[row]))
        except KeyError:
            return 0.0
        return shingles.similarity(text, stored)

    def match(self, text: Signature, row: int, similarity: float | None) -> Match:
        """Return the match of a text with a row."""
        fingerprint = int(self._representatives.fingerprints[row])
        distance = hamming(fingerprint, text.fingerprint)
        return Match(int(self._representatives.ids[row]), fingerprint, distance, similarity)


def batches(rows: Iterable[IndexRow]) -> Iterator[list[IndexRow]]:
    """Cut rows to be restored into lists that bound the working memory."""
    remaining = iter(rows)
    while batch := list(itertools.islice(remaining, _RESTORE_ROWS)):
        yield batch


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
        self._representatives = FingerprintRows(
            Column(np.int64, expected_documents), expected_documents
        )
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

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """See Matcher."""
        proposed = self._proposer.propose(text)
        kinds = self._kinds.take(proposed.rows)
        of_kind = (kinds == _KINDS.index(text.shingle_kind)).nonzero()[0]
        rows, known = proposed.rows[of_kind].tolist(), proposed.similarities
        found: list[tuple[int, float | None]]
        if self._threshold is None:
            estimates = [None] * len(rows) if known is None else known[of_kind].tolist()
            found = list(zip(rows, estimates, strict=True))
        else:
            verified = ((self._comparison.similarity(text, n), -n) for n in rows[:MAX_VERIFIED])
            alike = sorted((pair for pair in verified if pair[0] >= self._threshold), reverse=True)
            found = [(-older, similarity) for similarity, older in alike]
        return [self._comparison.match(text, *pair) for pair in found[:most]]

    def _insert(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        self._proposer.insert(texts)
        fingerprints = np.array([text.fingerprint for text in texts], np.uint64)
        self._representatives.insert_many(np.array(ids, np.int64), fingerprints)
        self._kinds.extend(np.array([_KINDS.index(t.shingle_kind) for t in texts], np.uint8))
