"""Locality-sensitive hashing of MinHash values by bands, and the choice of how many.

k values are cut into b bands of r values; two texts are candidates of each other if they agree in
every value of some band (Indyk, Motwani, STOC 1998). With Jaccard similarity s that happens with
probability 1 - (1 - s^r)^b, an S-curve whose step lies near (1/b)^(1/r).
"""

from __future__ import annotations

from dataclasses import dataclass

import mmh3
import numpy as np
import numpy.typing as npt

from crawler.dedup.methods.key_table import Keys
from crawler.dedup.methods.minhash import Values

Odds = npt.NDArray[np.float64]

_STEPS = 2_000
_SEED = 0x51A5_0004


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


def found(similarities: Odds, bands: int, rows: int) -> Odds:
    """Return the probabilities that two texts of these similarities share a band."""
    return np.asarray(1 - (1 - similarities**rows) ** bands)


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


def band_keys(values: Values, bands: int, rows: int) -> Keys:
    """Return one 64-bit key a band, shape (bands,); what is left of the values is not used."""
    parts = values[: bands * rows].reshape(bands, rows)
    return np.array(
        [mmh3.hash64(part.tobytes(), _SEED + n, signed=False)[0] for n, part in enumerate(parts)],
        np.uint64,
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
