"""By which keys documents are found, and which documents may matter to each other.

Keys, as the judge looks stored documents up:

- the digest of the payload, and that of the visible text, as far as the judge asks for it;
- 16 bands of the sketch (`dedup.index`), by the very buckets of the index;
- blocks of the fingerprint: two that differ in up to d bits agree in one of d + 1 blocks.

Two documents that share one of the last two are an edge where their sketches allow a match: the
judge compares no other two. More edges than the judge would have do no harm: they join what could
be judged apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup import signing
from crawler.dedup.columns import BLOCKS
from crawler.dedup.index import BANDS, KEY_BITS, Sketches, band_buckets, sign_of
from crawler.dedup.judge import can_represent, is_comparable
from crawler.dedup.kernels.plain import WORDS
from crawler.models import PayloadKey, Signature

Numbers = npt.NDArray[np.int64]
Edges = npt.NDArray[np.int64]
"""Pairs of documents, shape (n, 2)."""
Rows = npt.NDArray[np.void]

DIGESTED = np.dtype([("digest", "<u8"), ("number", "<u4"), ("joins", "?")])
SKETCHED = np.dtype(
    [("bucket", "<u4"), ("number", "<u4"), ("size", "<i4"), ("words", "<u8", (WORDS,))]
)
"""What is kept of a key: `number` is the document's place in its part."""

COUNT = 0
"""The group of a file of keys that says how many documents its part has, as 8 bytes."""
FIRST_DIGEST, FIRST_SKETCH = 1, 257
_GROUPED_BITS = 8
"""Rows of digests are grouped by so many first bits, those of sketches by table and by so many
first bits of a bucket: at 10^9 documents a group has half a GB."""

_SHORT = 8
"""Bytes of a digest that make a key. Others that begin alike would only be judged together."""
_VISIBLE = 1
"""The last bit of a key says of which digest it is."""

_SLACK = 1
"""Shingles by which sizes may be further apart than a match allows: a bound that is rounded for one
of two documents must not part them where it is the other one that asks."""


class PartKeys:
    """The keys of one part's documents, in their order: some 300 bytes of memory each."""

    def __init__(self, settings: config.Dedup) -> None:
        self._settings = settings
        self._numbers = array("I")
        self._digests = array("Q")
        self._asks = array("B")
        self._owners = array("I")
        self._sketches: list[bytes] = []
        self._signs = array("b")
        self._fingerprints = array("Q")

    def add(self, number: int, payload: PayloadKey, text: Signature, *, has_evidence: bool) -> None:
        """Add a document; `has_evidence` as in `dedup.judge.can_represent`."""
        self._numbers.append(number)
        self._digests.append(_short(payload.digest) & ~_VISIBLE)
        self._digests.append(_short(text.visible_digest) | _VISIBLE)
        self._asks.extend((True, is_comparable(text, self._settings)))
        if self._settings.near is not config.NearMode.KEEP and can_represent(
            text, self._settings, has_evidence=has_evidence
        ):
            self._owners.append(number)
            self._sketches.append(text.sketch)
            self._signs.append(sign_of(text.shingle_kind))
            self._fingerprints.append(text.fingerprint)

    def groups(self) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of all keys by group, for `files.write_groups`."""
        rows = np.empty(len(self._digests), DIGESTED)
        rows["digest"] = np.array(self._digests, np.uint64)
        rows["number"] = np.repeat(np.array(self._numbers, np.uint32), 2)
        rows["joins"] = np.array(self._asks, np.bool_)
        first_bits = rows["digest"] >> np.uint64(64 - _GROUPED_BITS)
        yield from _by_group(rows, FIRST_DIGEST + first_bits.astype(np.int64))
        if not self._sketches:
            return
        words, counts = signing.unpack_many(self._sketches)
        sketched = np.empty(len(words), SKETCHED)
        sketched["number"] = np.array(self._owners, np.uint32)
        sketched["size"] = counts.astype(np.int64) * np.array(self._signs, np.int64)
        sketched["words"] = words
        bands = band_buckets(words)
        for table in range(BANDS):
            sketched["bucket"] = bands[:, table]
            yield from _of_sketches(sketched)
        fingerprints = np.array(self._fingerprints, np.uint64)
        for table, (start, bits) in enumerate(_blocks(self._settings.distance), BANDS):
            values = fingerprints >> np.uint64(start) & np.uint64((1 << bits) - 1)
            sketched["bucket"] = table << KEY_BITS | values.astype(np.int64) << KEY_BITS - bits
            yield from _of_sketches(sketched)


def _short(digest: bytes) -> int:
    return int.from_bytes(digest[:_SHORT], "little")


def _blocks(distance: int) -> list[tuple[int, int]]:
    """Return the first bit and the length of blocks of which two near fingerprints share one.

    One more than the bits in which they may differ (pigeonhole), and none longer than a key.
    """
    count = max(BLOCKS, distance + 1)
    bounds = [64 * n // count for n in range(count + 1)]
    return [(start, end - start) for start, end in pairwise(bounds)]


def _of_sketches(rows: Rows) -> Iterator[tuple[int, bytes]]:
    groups = (rows["bucket"] >> np.uint32(KEY_BITS - _GROUPED_BITS)).astype(np.int64)
    return _by_group(rows, FIRST_SKETCH + groups)


def _by_group(rows: Rows, groups: Numbers) -> Iterator[tuple[int, bytes]]:
    order = np.argsort(groups, kind="stable")
    rows, groups = rows[order], groups[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    for start, end in pairwise((*starts.tolist(), len(rows))):
        yield int(groups[start]), rows[start:end].tobytes()


def digest_edges(rows: Rows, numbers: Numbers) -> Edges:
    """Return edges that join all documents with the same digest, where one of them asks for it.

    `numbers` are those of the rows' documents in the whole corpus.
    """
    order = np.argsort(rows["digest"], kind="stable")
    digests, numbers = rows["digest"][order], numbers[order]
    if not len(digests):
        return np.empty((0, 2), np.int64)
    starts = np.flatnonzero(np.concatenate([[True], digests[1:] != digests[:-1]]))
    asked = np.logical_or.reduceat(rows["joins"][order], starts)
    asked = np.repeat(asked, np.diff(starts, append=len(digests)))
    same = np.flatnonzero((digests[1:] == digests[:-1]) & asked[1:])
    return np.stack([numbers[same], numbers[same + 1]], axis=1)


def sketch_edges(rows: Rows, numbers: Numbers, threshold: float) -> Edges:
    """Return edges that join what pairs join that share a bucket and may reach the threshold.

    Not all such pairs: of each bucket as many as join the same documents.
    """
    order = np.lexsort((rows["size"], rows["bucket"]))
    buckets, sizes = rows["bucket"][order], rows["size"][order].astype(np.int64)
    # Neighbours that are too unlike in size part all before them from all behind them.
    smaller, larger = (by(np.abs(sizes[1:]), np.abs(sizes[:-1])) for by in (np.minimum, np.maximum))
    linked = (buckets[1:] == buckets[:-1]) & (sizes[1:] * sizes[:-1] >= 0)
    linked &= smaller + _SLACK + 1 >= threshold * larger
    inside = np.concatenate([linked, [False]]) | np.concatenate([[False], linked])
    order, first = order[inside], ~np.concatenate([[False], linked])[inside]
    numbers, chosen = numbers[order], rows[order]
    sketches = Sketches(threshold, len(chosen))
    sketches.extend(np.ascontiguousarray(chosen["words"]), chosen["size"])
    found: list[Numbers] = []
    is_reached = np.zeros(len(chosen), np.bool_)
    words, counts = chosen["words"].astype(np.uint64), chosen["size"].tolist()
    for start, end in pairwise((*np.flatnonzero(first).tolist(), len(chosen))):
        left = np.arange(start, end, dtype=np.uint32)
        while len(left) > 1:
            reached, left = [int(left[0])], left[1:]
            while reached and len(left):
                row = reached.pop()
                like = sketches.alike(left, words[row], counts[row], _SLACK)
                if len(like):
                    others = (like >> np.uint64(32)).astype(np.int64)
                    found.append(np.stack([np.full(len(others), row), others], axis=1))
                    reached += others.tolist()
                    is_reached[others] = True
                    left = left[~is_reached[left]]
    if not found:
        return np.empty((0, 2), np.int64)
    return numbers[np.concatenate(found)]


class Components:
    """Which of `documents` are joined by edges: 8 bytes of memory a document."""

    def __init__(self, documents: int) -> None:
        self._parents = np.arange(documents)

    def join(self, edges: Edges) -> None:
        """Join the documents at both ends of edges."""
        ones, others = edges[:, 0], edges[:, 1]
        while len(ones):
            ones, others = self._roots(ones), self._roots(others)
            apart = ones != others
            ones, others = ones[apart], others[apart]
            # Of several edges from one root the smallest wins, the others are tried again.
            np.minimum.at(self._parents, np.maximum(ones, others), np.minimum(ones, others))

    def _roots(self, numbers: Numbers) -> Numbers:
        roots = self._parents[numbers]
        while True:
            above = self._parents[roots]
            if np.array_equal(above, roots):
                self._parents[numbers] = roots
                return roots
            roots = above

    def bundles(self, documents: int) -> npt.NDArray[np.int32]:
        """Return the bundle of each document, -1 for one that no other is joined with.

        A bundle has whole components, up to the one that brings it to so many `documents`.
        """
        roots = self._roots(np.arange(len(self._parents)))
        sizes = np.bincount(roots, minlength=len(roots))
        sizes[sizes < 2] = 0
        before = np.cumsum(sizes) - sizes
        _, numbers = np.unique(np.where(sizes, before // documents, -1), return_inverse=True)
        bundles = numbers - int((sizes == 0).any())
        return bundles[roots].astype(np.int32)
