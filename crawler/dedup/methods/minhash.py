"""MinHash and what is built on its minima: bands of them (LSH), and super-shingles.

**MinHash** (Broder 1997): under a random permutation of all shingles the smallest of one text and
the smallest of another are the same with probability J. With k permutations, the share of equal
minima estimates J with a standard error of sqrt(J (1 - J) / k): .035 at J = .8 and k = 128.
Instead of permutations stand the functions h(x) = (a x + b mod 2^64) >> 32 with a odd: strongly
universal for 32-bit x if a and b are random 64-bit numbers (Dietzfelbinger, STACS 1996). On sets
with a pattern such functions favour some members; shingle hashes have none.

**Bands**: k minima are cut into b bands of r; two texts are candidates of each other if they agree
in every minimum of some band (Indyk, Motwani, STOC 1998). With Jaccard similarity s that happens
with probability 1 - (1 - s^r)^b, an S-curve whose step lies near (1/b)^(1/r).

**Super-shingles** (Broder, CPM 2000, as used by Fetterly, Manasse and Najork, 2003): 84 minima are
cut into 6 groups of 14, each hashed to one number, and two texts are duplicates if they agree in 2
of the 6; nothing is estimated. With q = J^14 that happens with probability
1 - (1 - q)^6 - 6 q (1 - q)^5:

    J       .7     .8     .85    .9     .95    .98
    found   .001   .026   .12    .42    .88    .996

That is a filter for near identity: it is hardly ever wrong and finds few of the pairs near .8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mmh3
import numpy as np
import numpy.typing as npt

from crawler import config
from crawler.dedup.columns import Column
from crawler.dedup.methods.matching import Proposals, Text
from crawler.dedup.methods.shared_keys import Keys, KeyTable, SharedKeys, pack_keys
from crawler.dedup.signing.shingles import Hashes
from crawler.dedup.signing.text_parts import Sketcher
from crawler.records import Signature

PERMUTATIONS = 128
"""The field's default."""

NO_SHINGLES = np.uint32(0xFFFF_FFFF)
"""Every value of an empty set; larger than any other."""

VERIFIED_BANDING_WEIGHT = 0.95
"""Weight of false negatives in the choice of bands where candidates are verified: there a false
candidate costs a look-up, and no verdict."""

GROUPS = 6
GROUP_SIZE = 14
AGREEING_GROUPS = 2
"""How the minima of super-shingles are grouped, and how many groups must agree."""

_MINHASH_SEED = 0x51A5_0003
_BAND_SEED = 0x51A5_0004
_CHUNK = 2048
_HALF = np.uint64(32)
_STEPS = 2_000

Values = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]


class MinHasher:
    """k hash functions, the same on every machine."""

    def __init__(self, permutations: int = PERMUTATIONS) -> None:
        raw = np.random.PCG64(_MINHASH_SEED).random_raw(2 * permutations)
        self._factors = raw[:permutations, None] | np.uint64(1)
        self._terms = raw[permutations:, None]

    def __call__(self, hashes: Hashes) -> Values:
        """Return the k minima of a set of shingle hashes, shape (k,)."""
        smallest = np.full(len(self._factors), NO_SHINGLES, np.uint32)
        for start in range(0, len(hashes), _CHUNK):
            chunk = hashes[start : start + _CHUNK].astype(np.uint64)
            images = (self._factors * chunk + self._terms) >> _HALF
            np.minimum(smallest, images.min(axis=1).astype(np.uint32), out=smallest)
        return smallest


def pack(values: Values) -> bytes:
    """Return values as bytes, little-endian."""
    return values.astype("<u4").tobytes()


def unpack_many(packed: Sequence[bytes], permutations: int = PERMUTATIONS) -> Values:
    """Return many texts' values, shape (n, k)."""
    rows = np.frombuffer(b"".join(packed), "<u4").reshape(-1, permutations)
    return rows.astype(np.uint32, copy=False)


def estimate(values: Values, rows: Values) -> Floats:
    """Return the estimated Jaccard similarity of one text to many, shapes (k,) and (n, k)."""
    return np.asarray((rows == values).mean(axis=1))


def minhash_sketcher(settings: config.Dedup) -> Sketcher:
    """Return what makes sketches of `minhash`: the minima, packed."""
    minima = MinHasher()
    return lambda parts: pack(minima(parts.hashes))


# --------------------------------------------------------------------------------------------------
# Bands


@dataclass(frozen=True, slots=True)
class Banding:
    """`bands` bands of `rows` values each, and the areas of error they were chosen by."""

    bands: int
    rows: int
    false_positive_area: float
    """Integral of the probability to be found, from 0 to the threshold."""
    false_negative_area: float
    """Integral of the probability to be missed, from the threshold to 1."""

    def __str__(self) -> str:
        return (
            f"b = {self.bands} bands of r = {self.rows} values, step near "
            f"{(1 / self.bands) ** (1 / self.rows):.2f}; areas of error: "
            f"{self.false_positive_area:.4f} false positives, "
            f"{self.false_negative_area:.4f} false negatives"
        )


def found(similarities: Floats, bands: int, rows: int) -> Floats:
    """Return the probabilities that two texts of these similarities share a band."""
    return np.asarray(1 - (1 - similarities**rows) ** bands)


def banding_for(settings: config.Dedup) -> Banding:
    """Return the bands of `minhash` for a threshold, more of them where matches are verified."""
    weight = VERIFIED_BANDING_WEIGHT if settings.verify else 0.5
    return choose_banding(settings.threshold, PERMUTATIONS, weight)


def choose_banding(threshold: float, values: int, false_negative_weight: float = 0.5) -> Banding:
    """Return the banding of at most `values` values with the smallest weighted areas of error.

    The usual choice (Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", section 3.4): every
    b and r with b * r <= values is tried. At .8 and 128 values equal weights give 9 bands of 13.
    """
    tried = (
        _banding(threshold, bands, rows)
        for bands in range(1, values + 1)
        for rows in range(1, values // bands + 1)
    )
    return min(
        tried,
        key=lambda b: (
            (1 - false_negative_weight) * b.false_positive_area
            + false_negative_weight * b.false_negative_area
        ),
    )


def _banding(threshold: float, bands: int, rows: int) -> Banding:
    """Integrate by the midpoint rule."""
    similarities = (np.arange(_STEPS) + 0.5) / _STEPS
    odds = found(similarities, bands, rows)
    below = similarities < threshold
    return Banding(
        bands,
        rows,
        false_positive_area=float(odds[below].sum() / _STEPS),
        false_negative_area=float((1 - odds[~below]).sum() / _STEPS),
    )


def band_keys(values: Values, bands: int, rows: int) -> Keys:
    """Return one 64-bit key a band, shape (bands,); values beyond the last band are not used.

    A text without shingles is like no other: its keys are 0.
    """
    if values[0] == NO_SHINGLES:
        return np.zeros(bands, np.uint64)
    parts = values[: bands * rows].reshape(bands, rows)
    keys = [mmh3.hash64(p.tobytes(), _BAND_SEED + n, signed=False)[0] for n, p in enumerate(parts)]
    return np.array(keys, np.uint64)


class SharedBands:
    """A proposer of the texts that share a band, the highest estimated similarity first."""

    def __init__(self, settings: config.Dedup, expected_texts: int) -> None:
        self._banding = banding_for(settings)
        self._table = KeyTable(self._banding.bands, expected_texts)
        self._values = Column(np.uint32, expected_texts, (PERMUTATIONS,))

    @property
    def nbytes(self) -> int:
        """See Proposer."""
        return self._table.nbytes + self._values.nbytes

    def insert(self, texts: Sequence[Text]) -> None:
        """See Proposer."""
        values = unpack_many([text.sketch for text in texts])
        self._table.insert_many(np.stack([self._keys(row) for row in values]))
        self._values.extend(values)

    def propose(self, text: Signature) -> Proposals:
        """See Proposer."""
        values = unpack_many([text.sketch])[0]
        rows, _ = self._table.find(self._keys(values))
        estimates = estimate(values, self._values.take(rows))
        order = np.argsort(-estimates, kind="stable")
        return Proposals(rows[order], estimates[order])

    def _keys(self, values: Values) -> Keys:
        return band_keys(values, self._banding.bands, self._banding.rows)


# --------------------------------------------------------------------------------------------------
# Super-shingles


def super_shingler() -> Callable[[Hashes], Keys]:
    """Return what makes a text's super-shingles, one a group; all 0 where there is no shingle."""
    minima = MinHasher(GROUPS * GROUP_SIZE)
    return lambda hashes: band_keys(minima(hashes), GROUPS, GROUP_SIZE)


def super_shingle_sketcher(settings: config.Dedup) -> Sketcher:
    """Return what makes sketches of `super-shingles`."""
    make = super_shingler()
    return lambda parts: pack_keys(make(parts.hashes))


def shared_super_shingles(settings: config.Dedup, expected_texts: int) -> SharedKeys:
    """Return the proposer of `super-shingles`."""
    return SharedKeys(GROUPS, AGREEING_GROUPS, expected_texts)
