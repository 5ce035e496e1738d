"""What every method offers the judge (a matcher).

And matchers of methods that propose by shared keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column, FingerprintRows, hamming, sorted_unique
from crawler.dedup.index import BUCKETS, KEY_BITS, BucketTable
from crawler.models import IndexRow, Signature

# What every method offers the judge (a matcher), and the matcher of methods that only propose.
#
# Only representatives are in a matcher. Rows are numbered in order of insertion, so a lower row is
# older.
#
# A proposer numbers the texts it is given (rows, 0 for the first) and answers with rows, best
# first. Its matcher believes the first of them, or verifies: a job says which (`dedup.verify`).

MAX_VERIFIED = 64
"""Most candidates read from the store for one text, the likeliest first."""

_RESTORE_ROWS = 16_384
_KINDS = (signing.WORD3, signing.CHAR4)

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
        return signing.shingle_similarity(text, stored)

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


# Rows found again by any of several 64-bit keys: the hash tables under bands and I-Match.
#
# Each row has one key for each table. Two rows agree in a table if their keys there are equal; a
# key of 0 says that the row has nothing to show there, and agrees with nothing.

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
