"""Candidates by sketch: the bands that make a hash table of a sketch (locality-sensitive hashing).

Six neighbouring bins of a sketch are one band; two texts become candidates of each other if they
agree in all bins of any of 16 bands (Indyk, Motwani, STOC 1998; Broder 1997 calls bands
super-shingles). With p = J + (1 - J) / 16 the chance to agree in a bin, the chance to be found is
1 - (1 - p^6)^16:

    J       .3     .4     .5     .6     .7     .8     .85    .9
    found   .03    .11    .31    .63    .91    .996   .9997  1.0
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crawler.dedup.index.bucket_table import BUCKETS, KEY_BITS
from crawler.dedup.signing import sketch

BANDS = 16
BINS_A_BAND = 6

_TABLES = np.arange(BANDS, dtype=np.int64) * BUCKETS
_BAND_BITS = BINS_A_BAND * sketch.BITS
_PLACE_VALUES = np.uint64(1) << np.arange(0, _BAND_BITS, 8, dtype=np.uint64)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)


def band_buckets(words: sketch.Words) -> npt.NDArray[np.int64]:
    """Return the bucket numbers of sketches, shape (n, 16) from words of shape (n, 16).

    A band is 24 bits of a sketch, mixed down to the 16 bits of a bucket: unlike texts share a
    bucket by accident with probability 2^-16.
    """
    low = words[:, : BANDS * _BAND_BITS // 64]
    flat = np.ascontiguousarray(low).view(np.uint8).reshape(len(words), BANDS, _BAND_BITS // 8)
    keys = flat @ _PLACE_VALUES
    mixed = (keys + np.uint64(1)) * _MIX >> np.uint64(64 - KEY_BITS)
    return mixed.astype(np.int64) | _TABLES
