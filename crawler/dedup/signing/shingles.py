"""Shingles: the runs of words or characters by which two texts are compared exactly.

Broder (1997): the resemblance of two texts is the Jaccard similarity of their shingle sets. A text
is lower-cased and reduced to its runs of word characters; its shingles are then

- `word3`: every run of three words, where words are written apart; a character of a script
  without spaces counts as a word, lest a foreign sentence weigh as little as one;
- `char4`: every run of four characters after everything that is no word character was removed,
  where they are not (Chinese, Japanese, Thai ...).

Sets of 32-bit hashes stand for the sets of shingles. Two different shingles of texts with n and m
of them share a hash with probability below n * m / 2^32, which moves the similarity of two texts of
10,000 shingles by about 2e-6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.signing import scripts

WORD3 = "word3"
CHAR4 = "char4"
VERSION = 2
"""Shingle hashes of different versions must not be compared."""

MAX_SHINGLES = 65_536
"""A larger set is represented by its smallest hashes, a bottom-k sketch (Broder 1997)."""

_UNSPACED_SHARE = 0.1
"""From this share of Chinese, Japanese, Thai ... characters on, words do not carry the text. Pages
about programming hold so much code that Han is a seventh of their characters; English pages with a
few foreign names stay far below."""

_SEED = 0x51A5_0002

Hashes = npt.NDArray[np.uint32]


def shingle_kind(cut: scripts.Cut) -> str:
    """Return `char4` for texts written without spaces between words, else `word3`."""
    return CHAR4 if cut.unspaced_share >= _UNSPACED_SHARE else WORD3


def shingle_hashes(cut: scripts.Cut, kind: str) -> Hashes:
    """Return the sorted unique hashes of all shingles, uncapped; empty below one whole shingle."""
    hashes = kernels.shingle_hashes(cut.text, scripts.class_table(), kind == CHAR4, _SEED)
    return np.frombuffer(hashes, np.uint32)


def cap(hashes: Hashes) -> Hashes:
    """Return at most MAX_SHINGLES hashes, the smallest: what is stored of a giant text."""
    return hashes[:MAX_SHINGLES]


def jaccard(hashes: Hashes, other: Hashes) -> float:
    """Return the Jaccard similarity (0..1) of two sorted sets of hashes; 0 if both are empty.

    Exact for sets below the cap. Where one was capped both are cut at the last hash known of
    either; what is left is a uniform sample of the union, so the result is an unbiased estimate
    with a standard error below 0.002.
    """
    for capped in (hashes, other):
        if len(capped) == MAX_SHINGLES:
            hashes, other = _up_to(hashes, capped[-1]), _up_to(other, capped[-1])
    if not len(hashes) or not len(other):
        return 0.0
    merged = np.concatenate([hashes, other])
    merged.sort(kind="stable")  # merges the two sorted runs in linear time
    shared = int(np.count_nonzero(merged[1:] == merged[:-1]))
    return shared / (len(merged) - shared)


def _up_to(hashes: Hashes, limit: np.uint32) -> Hashes:
    return hashes[: np.searchsorted(hashes, limit, side="right")]
