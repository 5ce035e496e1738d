"""SimHash: a 64-bit fingerprint whose Hamming distance grows with the angle between texts.

Charikar (STOC 2002): with one random hyperplane a bit, two texts at angle t differ in a share
t / pi of the bits. As in Manku, Jain and Das Sarma (WWW 2007) the hyperplanes are the bits of a
hash of each feature: bit i is 1 iff the weights of features with bit i set outweigh the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from itertools import repeat

import mmh3
import numpy as np
import numpy.typing as npt

from crawler.dedup import native
from crawler.dedup.signing import scripts, stop_words
from crawler.dedup.signing.features import LISTED_WEIGHTS, Words, weights

BITS = 64
VERSION = 1
"""Fingerprints of different versions must not be compared."""

_SEED = 0x51A5_0001
_DIGEST_BYTES = 16
"""MurmurHash3 x64 gives 128 bits; the first 64 are used."""

_EXACT_IN_FLOAT32 = 1 << 24
"""Below it sums of whole numbers are exact in a float of 32 bits, whatever their order."""

_WEIGHTS = LISTED_WEIGHTS.astype(np.uint32).tobytes()


def word_simhash(words: Words) -> tuple[int, int]:
    """Return the `simhash` of a text's words without the stop words, and how many words those are.

    Counted by the kernel wherever that can; it makes no objects of words.
    """
    counted, kernels = None, native.kernels
    if kernels is not None:
        table, stops = scripts.paged_table(), _stop_table()
        text, segmented = words.cut.text, words.segmented
        counted = kernels.fingerprint_words(text, table, segmented, stops, _WEIGHTS, _SEED)
    return (simhash(words.counts), words.counts.total()) if counted is None else counted


@cache
def _stop_table() -> bytes:
    assert native.kernels is not None
    return native.kernels.stop_table(" ".join(stop_words.ENGLISH | stop_words.CHINESE))


def simhash(counts: Mapping[str, int]) -> int:
    """Return the unsigned 64-bit fingerprint of a text's features; 0 for no features.

    The same on every machine: seeded MurmurHash3 and whole-number weights. A sum of exactly 0
    gives a 0 bit.
    """
    return weighted_simhash(counts, weights(counts.values()))


def weighted_simhash(features: Collection[str], weighing: npt.NDArray[np.float64]) -> int:
    """Return the unsigned 64-bit fingerprint of features that weigh `weighing[i]` each.

    Weights must be whole numbers, with a sum below 2^53, for the result to be the same everywhere.
    """
    if not features:
        return 0
    # No memory of hashes: once other work has emptied the caches, a look-up costs more than a hash.
    digests = b"".join(map(mmh3.hash_bytes, features, repeat(_SEED)))
    hashes = np.frombuffer(digests, np.uint8).reshape(-1, _DIGEST_BYTES)[:, : BITS // 8]
    bits = np.unpackbits(hashes, axis=1, bitorder="little")
    total = np.add.reduce(weighing)
    exact = np.float32 if total < _EXACT_IN_FLOAT32 else np.float64  # the smaller, the faster
    ones = weighing.astype(exact) @ bits.astype(exact) > total / 2
    return int.from_bytes(np.packbits(ones, bitorder="little").tobytes(), "little")
