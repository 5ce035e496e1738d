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

_TABLES = np.arange(BANDS, dtype=np.uint64) * np.uint64(BUCKETS)
_BAND_BYTES = BINS_A_BAND * sketch.BITS // 8
_BAND = np.uint32((1 << 8 * _BAND_BYTES) - 1)
_ONE = np.uint64(1)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
_LOWER_BITS = np.uint64(64 - KEY_BITS)


def band_buckets(words: sketch.Words) -> npt.NDArray[np.int64]:
    """Return the bucket numbers of sketches, shape (n, 16) from words of shape (n, 16).

    A band is 24 bits of a sketch, mixed down to the 16 bits of a bucket: unlike texts share a
    bucket by accident with probability 2^-16.
    """
    # Every three bytes are read as four: a reinterpretation, where cutting them out takes longer
    # than the arithmetic.
    strides = (words.strides[0], _BAND_BYTES)
    bands = np.ndarray((len(words), BANDS), "<u4", words, strides=strides) & _BAND
    mixed = bands.astype(np.uint64)
    mixed += _ONE
    mixed *= _MIX
    mixed >>= _LOWER_BITS
    mixed |= _TABLES
    return mixed.view(np.int64)
