"""Exact Jaccard similarity to every stored text: the reference that no method can better.

An inverted index over shingles with the two filters of set-similarity joins (Chaudhuri, Ganti,
Kaushik, ICDE 2006; Bayardo, Ma, Srikant, WWW 2007). In one order of all shingles, two sets with
J >= t share one of the first n - ceil(t n) + 1 of each (prefix), and their sizes differ by no more
than a factor of t. The order here is that of the hashes: random, so that a prefix is a fifth of a
text at t = .8 and no list of postings depends on what words are common.
"""

from __future__ import annotations

import heapq
import math
import sys
from array import array
from collections.abc import Iterable

import numpy as np

from crawler import config
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import Column, FingerprintRows
from crawler.dedup.methods.matching import Comparison, Match, Rows, Text
from crawler.dedup.signing import shingles
from crawler.records import IndexRow, Signature

_ROUNDING = 1e-9
_TOKEN_BYTES = sys.getsizeof(1 << 31) + sys.getsizeof(array("I"))


class ExactMatcher:
    """The most similar representative, then the oldest, at or above the threshold; none is missed.

    Costs memory and time in proportion to the texts' lengths: a reference for sets of thousands of
    texts, not an index for a crawl.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, expected_documents: int) -> None:
        self._threshold = settings.threshold
        self._catalog = catalog
        self._postings: dict[tuple[str, int], array[int]] = {}
        self._posted = 0
        self._representatives = FingerprintRows(
            Column(np.int64, expected_documents), expected_documents
        )
        self._sizes = Column(np.int64, expected_documents)
        self._comparison = Comparison(catalog, self._representatives)

    @property
    def nbytes(self) -> int:
        """See Matcher."""
        lists = len(self._postings) * _TOKEN_BYTES + self._posted * array("I").itemsize
        columns = self._representatives.nbytes + self._sizes.nbytes
        return columns + lists + sys.getsizeof(self._postings)

    def insert(self, document_id: int, text: Signature) -> None:
        """See Matcher."""
        self._insert(document_id, text, text.shingles)

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """See Matcher; reads every text's shingles from the catalogue."""
        for row in rows:
            self._insert(row.id, row, self._catalog.shingles(row.id).hashes)

    def matches(self, text: Signature, most: int = 1) -> list[Match]:
        """See Matcher."""
        rows = self._candidates(text).tolist()
        compared = ((-self._comparison.similarity(text, row), row) for row in rows)
        alike = (pair for pair in compared if pair[0] and -pair[0] >= self._threshold)
        found = heapq.nsmallest(most, alike)
        return [self._comparison.match(text, row, -less) for less, row in found]

    def _candidates(self, text: Signature) -> Rows:
        """Return the rows that share a prefix shingle and are of a possible size."""
        keys = ((text.shingle_kind, token) for token in self._prefix(text.shingles))
        lists = [
            np.frombuffer(self._postings[key], np.uint32) for key in keys if key in self._postings
        ]
        rows = np.unique(np.concatenate([np.empty(0, np.uint32), *lists]))
        sizes, size = self._sizes.take(rows), len(text.shingles)
        ratios = np.minimum(sizes, size) / np.maximum(sizes, size)
        return np.asarray(rows[ratios >= self._threshold - _ROUNDING])

    def _prefix(self, hashes: shingles.Hashes) -> list[int]:
        needed = math.ceil(self._threshold * len(hashes) - _ROUNDING)
        prefix: list[int] = hashes[: len(hashes) - needed + 1].tolist()
        return prefix

    def _insert(self, document_id: int, text: Text, hashes: shingles.Hashes) -> None:
        row, prefix = len(self._sizes), self._prefix(hashes)
        for token in prefix:
            self._postings.setdefault((text.shingle_kind, token), array("I")).append(row)
        self._posted += len(prefix)
        self._representatives.insert(document_id, text.fingerprint)
        self._sizes.append(len(hashes))
