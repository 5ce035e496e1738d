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

The hashes are the same for everybody, so who computes for some minutes finds words whose shingles
have the hashes of somebody else's page. Therefore each hash has a mark: 8 bits of a function whose
key only the store knows that keeps the text (`crawler.dedup.kernels.plain_keyed`). Shingles are the
same if hash and mark are. Equal shingles always have equal marks, so no similarity depends on the
key; each forged one is found out but for 1 in 256.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.kernels.plain_keyed import KEY_SIZE
from crawler.dedup.signing import scripts
from crawler.dedup.signing.sketch import estimated
from crawler.records import Shingles

if TYPE_CHECKING:
    from crawler.records import Signature

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

_MARK_BITS = np.uint64(8)

Hashes = npt.NDArray[np.uint32]
Marks = npt.NDArray[np.uint8]
_Each = TypeVar("_Each", Hashes, Marks, npt.NDArray[np.uint64])
_Set = TypeVar("_Set", Hashes, npt.NDArray[np.uint64])


def new_key() -> bytes:
    """Return a key to mark shingles by, which nobody can guess."""
    return secrets.token_bytes(KEY_SIZE)


def shingle_kind(cut: scripts.Cut) -> str:
    """Return `char4` for texts written without spaces between words, else `word3`."""
    return CHAR4 if cut.unspaced_share >= _UNSPACED_SHARE else WORD3


def shingle_hashes(cut: scripts.Cut, kind: str, key: bytes = b"") -> tuple[Hashes, Marks]:
    """Return the sorted unique hashes of all shingles, uncapped, and the mark of each.

    Both are empty below one whole shingle; without a key there are no marks.
    """
    table = scripts.class_table()
    hashes, marks = kernels.shingle_hashes(cut.text, table, kind == CHAR4, _SEED, key)
    return np.frombuffer(hashes, np.uint32), np.frombuffer(marks, np.uint8)


def cap(hashes: _Each) -> _Each:
    """Return at most MAX_SHINGLES hashes, the smallest, or their marks: what is stored."""
    return hashes[:MAX_SHINGLES]


def similarity(text: Signature, stored: Shingles) -> float:
    """Return the Jaccard similarity (0..1) of a text and a stored one of the same kind.

    By hashes and marks; by hashes alone where there are no marks of the same key: the stored text
    is of a time before there were marks, or the text was signed without that key. An estimate
    where only a sketch is kept of it.
    """
    if stored.sketch is not None:
        return estimated(text.sketch, stored.sketch)
    if stored.marks is None or stored.key >= len(text.marks):
        return jaccard(text.shingles, stored.hashes)
    marks = text.marks[stored.key]
    return jaccard(marked(text.shingles, marks), marked(stored.hashes, stored.marks))


def jaccard(hashes: _Set, other: _Set) -> float:
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


def marked(hashes: Hashes, marks: Marks) -> npt.NDArray[np.uint64]:
    """Return sorted hashes with their marks, as numbers that are equal where both are."""
    return hashes.astype(np.uint64) << _MARK_BITS | marks


def _up_to(hashes: _Set, limit: np.unsignedinteger) -> _Set:
    return hashes[: np.searchsorted(hashes, limit, side="right")]
