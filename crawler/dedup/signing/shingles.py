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

from itertools import repeat

import mmh3
import numpy as np
import numpy.typing as npt

from crawler.dedup import native
from crawler.dedup.columns import sorted_unique
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
_WORD_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD))
_HALF = np.uint64(32)

_LOW_16 = np.uint64(0xFFFF)

Hashes = npt.NDArray[np.uint32]
Shingles = npt.NDArray[np.uint64]


def shingle_kind(cut: scripts.Cut) -> str:
    """Return `char4` for texts written without spaces between words, else `word3`."""
    return CHAR4 if cut.unspaced_share >= _UNSPACED_SHARE else WORD3


def shingle_hashes(cut: scripts.Cut, kind: str) -> Hashes:
    """Return the sorted unique hashes of all shingles, uncapped; empty below one whole shingle."""
    kernels = native.kernels
    if kernels is not None:
        table, by_characters = scripts.paged_table(), kind == CHAR4
        hashes = kernels.shingle_hashes(cut.text, table, by_characters, _SEED)
        return np.frombuffer(hashes, np.uint32)
    units = _characters(cut.characters()) if kind == CHAR4 else _words(cut.words_and_characters())
    return _mixed(units) if len(units) else np.empty(0, np.uint32)


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


def _words(words: list[str]) -> Shingles:
    """Return a number for every run of three words: a multilinear hash of the words' hashes."""
    digests = b"".join(map(mmh3.hash_bytes, words, repeat(_SEED)))
    hashes = np.frombuffer(digests, "<u8")[::2]  # half of 128 bits
    first, second, third = (hashes * factor for factor in _WORD_FACTORS)
    return np.asarray(first[:-2] + second[1:-1] + third[2:])


def _characters(text: str) -> Shingles:
    """Return a number for every run of four characters.

    Four of 16 bits are 64 bits of UTF-16, read where they stand. What longer ones have above 16
    bits is mixed in, so that shingles without such a character are the same beside one.
    """
    count = max(0, len(text) - 3)
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) == 2 * len(text):
        windows: Shingles = np.ndarray(count, "<u8", encoded if count else bytes(8), 0, (2,))
        return windows
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    shingles, above = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    for place in range(4):
        part = codes[place : place + count]
        shingles |= (part & _LOW_16) << np.uint64(16 * place)
        above |= part >> np.uint64(16) << np.uint64(5 * place)
    return np.asarray(shingles ^ above * _WORD_FACTORS[1])


def _mixed(shingles: Shingles) -> Hashes:
    """Return sorted unique hashes: one to one up to the last step, which keeps 32 bits of 64.

    A multiplication carries every bit upwards, the shift brings all of them down again.
    """
    hashes = shingles * _MIX[0]
    hashes ^= hashes >> _HALF
    hashes *= _MIX[1]
    return sorted_unique((hashes >> _HALF).astype(np.uint32))
