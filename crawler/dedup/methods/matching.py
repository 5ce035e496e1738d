"""What every method offers the judge, a matcher; and that of the default method, `verified`.

Only representatives are in a matcher. Rows are numbered in order of insertion, so a lower row is
older.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup import signing
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import FingerprintRows, Sized, hamming
from crawler.dedup.index import (
    ROW_BYTES,
    STANDARD_ERRORS,
    BlockIndex,
    Ids,
    SketchIndex,
    band_buckets,
)
from crawler.dedup.tables import GrowingTables
from crawler.models import IndexRow, Signature
from crawler.models.enums import IndexDesign

MAX_VERIFIED = 64
"""Most candidates read from the store for one text, the likeliest first."""

MAX_TWINS = 4
"""Candidates with the very same sketch that are read before all others are looked for, oldest
first."""

_AT_ONCE = 16_384
"""Rows that are restored or packed at once, a bound on working memory: packed they are 2.5 MB, some
70 ms to insert. With a quarter of it a million took twice as long, since each time the slabs left
behind are joined (`crawler.dedup.index`)."""
_ROW_BYTES = 8 + 8 + ROW_BYTES

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


class Candidate(NamedTuple):
    """A representative that a text may be like."""

    document_id: int
    fingerprint: int
    estimate: float
    """Of the similarity, by the sketches."""
    similarity: float | None
    """None where the texts were not compared."""


class Candidates(NamedTuple):
    """What some representatives, those of one matcher, have that a text may be like."""

    twins: tuple[Candidate, ...] = ()
    """The oldest with the same sketch, all compared; MAX_TWINS at most."""
    likely: tuple[Candidate, ...] = ()
    """The likeliest, then the oldest, first; MAX_VERIFIED at most. Where the last one was not
    compared nothing is known of those behind it."""


class NotCompared(Exception):
    """What candidates have to tell depends on one that its matcher did not compare."""


class Matcher(ABC, Sized):
    """Representatives, and the search for one that a text is a near duplicate of."""

    def __init__(self, catalog: Catalog, representatives: FingerprintRows) -> None:
        self._catalog = catalog
        self._representatives = representatives

    def insert(self, document_id: int, text: Signature) -> None:
        """Make a text a representative."""
        self.insert_many([document_id], [text])

    @abstractmethod
    def insert_many(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        """Make texts representatives, oldest first."""

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Make many stored texts representatives, oldest first."""
        remaining = iter(rows)
        while batch := list(itertools.islice(remaining, _AT_ONCE)):
            self.insert_many([row.id for row in batch], batch)

    @abstractmethod
    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """Return representatives that a text is like, the likest first, then the oldest.

        The first of them is the one to join; none for a text unlike all of them.
        """

    def _similarity(self, text: Signature, row: int) -> float:
        """Return the exact Jaccard similarity of the shingles; 0 for a page that was not stored.

        Between its verdict and the store something went wrong with it: nothing can be like it.
        """
        try:
            stored = self._catalog.shingles(int(self._representatives.ids[row]))
        except KeyError:
            return 0.0
        return signing.shingle_similarity(text, stored)

    def _match(self, text: Signature, row: int, similarity: float | None) -> Match:
        fingerprint = int(self._representatives.fingerprints[row])
        distance = hamming(fingerprint, text.fingerprint)
        return Match(int(self._representatives.ids[row]), fingerprint, distance, similarity)


def fingerprint_index(settings: config.Dedup, expected: int) -> BlockIndex | GrowingTables:
    """Return an empty index of the job's design, exact to its distance: both find the same."""
    if settings.index is IndexDesign.TABLES:
        return GrowingTables(settings.distance, expected, settings.index_memory_bytes)
    return BlockIndex(settings.distance, expected)


class VerifiedMatcher(Matcher):
    """The default: proposals by fingerprint and by sketch, confirmed on the stored shingles.

    A match is never wrong: its similarity is computed from both texts' stored shingles. One may be
    missed if neither proposal finds it or its sketch underestimates it, or if more than
    MAX_VERIFIED others look likelier (docs/judging.md has the odds). The match is the most similar
    one, then the oldest.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        self._threshold = settings.threshold
        self._index = fingerprint_index(settings, expected_documents)
        self._sketches = SketchIndex(settings.threshold, expected_documents)
        super().__init__(catalog, self._index)

    def insert(self, document_id: int, text: Signature) -> None:
        """See Matcher."""
        self._index.insert(document_id, text.fingerprint)
        self._sketches.insert(text.sketch, text.shingle_kind)

    def insert_many(self, ids: Sequence[int], texts: Sequence[Text]) -> None:
        """See Matcher."""
        fingerprints = np.array([text.fingerprint for text in texts], np.uint64)
        self._index.insert_many(np.array(ids, np.int64), fingerprints)
        self._sketches.insert_many(
            [text.sketch for text in texts], [text.shingle_kind for text in texts]
        )

    def packed(self, last_id: int) -> Iterator[bytes]:
        """Yield all that are representatives now as bytes, for `insert_packed`, up to an id.

        Others may be inserted before all parts are taken, and are in none of them.
        """
        rows = int(np.searchsorted(self._index.ids, last_id, "right"))
        for start in range(0, rows, _AT_ONCE):
            end = min(start + _AT_ONCE, rows)
            ids = self._index.ids[start:end].astype("<i8").tobytes()
            fingerprints = self._index.fingerprints[start:end].astype("<u8").tobytes()
            yield ids + fingerprints + self._sketches.packed(start, end)

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
        similarity = partial(self._similarity, text)
        likely = partial(self._likely, text)
        found = _verified(self._twins(text), likely, most, similarity, self._threshold)
        return [self._match(text, row, -less) for less, row in found]

    def candidates(self, text: Signature, most: int, *, full: bool = False) -> Candidates:
        """Return what `merged` needs of these representatives to return `most` matches.

        Compared are those that `matches` would compare; where others are like the text as well,
        `merged` does with fewer, but for texts with the sketch of others and not their shingles.
        Then it asks for `full` candidates, all compared.
        """
        compared: dict[int, float] = {}
        likely: list[tuple[int, float]] | None = None

        def similarity(row: int) -> float:
            if row not in compared:
                compared[row] = self._similarity(text, row)
            return compared[row]

        def proposed() -> list[tuple[int, float]]:
            nonlocal likely
            likely = self._likely(text)
            return likely

        twins = self._twins(text)
        _verified(twins, proposed, most, similarity, self._threshold)
        if likely is None and full:
            proposed()
        if likely is None:  # of these nothing is known
            told = [_NOT_LOOKED_FOR]
        else:
            told = []
            for row, estimate in likely:
                if full:
                    similarity(row)
                told.append(self._candidate(row, estimate, compared.get(row)))
                if told[-1].similarity is None:
                    break
        return Candidates(
            tuple(self._candidate(row, 1.0, compared[row]) for row in twins), tuple(told)
        )

    def _candidate(self, row: int, estimate: float, similarity: float | None) -> Candidate:
        ids, fingerprints = self._representatives.ids, self._representatives.fingerprints
        return Candidate(int(ids[row]), int(fingerprints[row]), estimate, similarity)

    def _twins(self, text: Signature) -> list[int]:
        twins: list[int] = self._sketches.twins(text.sketch, text.shingle_kind)[:MAX_TWINS].tolist()
        return twins

    def _likely(self, text: Signature) -> list[tuple[int, float]]:
        """Return the rows worth verifying and their estimates, likeliest first, then oldest."""
        proposed = np.concatenate(
            [self._index.proposals(text.fingerprint), self._sketches.proposals(text.sketch)]
        )
        rows, estimates = self._sketches.likely(proposed, text.sketch, text.shingle_kind)
        if len(rows) > 1:
            order = np.argsort(-estimates, kind="stable")[:MAX_VERIFIED]
            rows, estimates = rows[order], estimates[order]
        return list(zip(rows.tolist(), estimates.tolist(), strict=True))


def proposals(texts: Sequence[Signature], settings: config.Dedup) -> tuple[Ids, Ids]:
    """Return pairs of texts, by their places, the lower first, that propose each other.

    Of any others a `VerifiedMatcher` with the one of them does not find the other.
    """
    places = np.arange(len(texts))
    fingerprints = np.array([text.fingerprint for text in texts], np.uint64)
    index = BlockIndex(settings.distance, len(texts))
    index.insert_many(places, fingerprints)
    ones, others, _ = index.candidates_many(fingerprints)
    buckets = band_buckets(signing.unpack_many([text.sketch for text in texts])[0])
    agree = [np.nonzero(bucket[:, None] == bucket[None, :]) for bucket in buckets.T]
    first = np.concatenate([ones.astype(np.int64), *(one for one, _ in agree)])
    second = np.concatenate([others, *(other for _, other in agree)])
    ordered = first < second
    return first[ordered], second[ordered]


_NOT_LOOKED_FOR = Candidate(0, 0, inf, None)


def merged(
    parts: Sequence[Candidates], text: Signature, most: int, threshold: float
) -> list[Match]:
    """Return what one `VerifiedMatcher` of all representatives would, of which each part has some.

    Whether one is proposed depends on it and the text alone, and ids are in order of insertion.
    Raises NotCompared where one matcher would compare what its part did not.
    """
    twins = sorted(chain.from_iterable(part.twins for part in parts))[:MAX_TWINS]
    likely = sorted(
        chain.from_iterable(part.likely for part in parts),
        key=lambda one: (-one.estimate, one.document_id),
    )[:MAX_VERIFIED]
    known = {one.document_id: one for one in chain(twins, likely)}

    def similarity(document_id: int) -> float:
        found = known[document_id].similarity
        if found is None:
            raise NotCompared
        return found

    estimated = [(one.document_id, one.estimate) for one in likely]
    oldest = [one.document_id for one in twins]
    found = _verified(oldest, lambda: estimated, most, similarity, threshold)
    return [
        Match(id_, known[id_].fingerprint, hamming(known[id_].fingerprint, text.fingerprint), -less)
        for less, id_ in found
    ]


def _verified(
    twins: Sequence[int],
    likely: Callable[[], Iterable[tuple[int, float]]],
    most: int,
    similarity: Callable[[int], float],
    threshold: float,
) -> list[tuple[float, int]]:
    """Return (-similarity, row) of the `most` rows that are most similar, in this order.

    `likely` gives rows and estimates, the likeliest first; they are compared one after another
    until no other can be among the most similar.
    """
    # No row is more similar than one with the same shingles, and all of those are twins.
    found = [(-1.0, row) for row in twins if similarity(row) == 1.0]
    if len(found) >= most:
        return found[:most]
    known = {row for _, row in found}
    margin = STANDARD_ERRORS * signing.standard_error(threshold)
    for row, estimated in likely():
        enough = -found[most - 1][0] if len(found) >= most else 0.0
        if estimated + margin < enough or enough == 1.0:
            break
        # One that is found already is older than any with the same similarity.
        if row not in known and (alike := similarity(row)) >= threshold:
            insort(found, (-alike, row))
    return found[:most]
