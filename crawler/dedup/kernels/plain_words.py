"""The words of a text, counted and summed up: the kernel of `words.c` and `fingerprint.c`.

Methods that need the words themselves, which C makes no objects of, call what is below the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

import mmh3
import numpy as np
import numpy.typing as npt

from crawler.dedup.kernels.plain_buckets import Numbers
from crawler.dedup.kernels.plain_texts import runs_of

_DIGEST_BYTES = 16
"""MurmurHash3 x64 gives 128 bits; the first 64 are used."""

_EXACT_IN_FLOAT32 = 1 << 24
"""Below it sums of whole numbers are exact in a float of 32 bits, whatever their order."""

_STOP_SLOTS, _STOP_BYTES = 512, 16
_MOST_STOPS = _STOP_SLOTS * 3 // 4


def fingerprint_words(
    text: str,
    classes: bytes,
    segmented: Sequence[str],
    stops: bytes,
    weights: Numbers,
    seed: int,
) -> tuple[int, int] | None:
    """Return the SimHash and the number of a text's words and of those its Han runs are cut to.

    `text` is what `cut_by_script` returns, and no word has a lone surrogate. Words in `stops`
    (`stop_table`) and new-lines among `segmented` count for nothing. A word's weight is
    `weights[occurrences]` (uint32, below 2^22).
    None where a word occurs more often than they go; C returns it as well where words collide so
    much that they were made to, since its hash is no secret. Who calls has to count them then.
    """
    counts = count_words(text, classes, segmented, _read_stops(stops))
    listed = np.frombuffer(weights, np.uint32)
    try:
        weighing = listed.take(np.fromiter(counts.values(), np.intp, len(counts)))
    except IndexError:
        return None
    return sum_hashes(counts, weighing, seed), counts.total()


def count_words(
    text: str, classes: bytes, segmented: Iterable[str], stops: frozenset[str]
) -> Counter[str]:
    """Return every word with its number of occurrences, but no stop words.

    Words of scripts that write them apart are runs; of scripts that do not, all pairs of neighbours
    or a lone character; of Han runs, what those were `segmented` to.
    """
    runs = runs_of(text, classes)
    counts = Counter([*runs.spaced, *_pairs(runs.unsegmented), *segmented])
    for word in stops.intersection(counts):
        counts.pop(word)  # `del` of a Counter is Python code, at four times the cost
    return counts


def sum_hashes(words: Collection[str], weights: npt.NDArray[Any], seed: int) -> int:
    """Return the SimHash of words that weigh `weights[i]` each; 0 for no words.

    Bit i is 1 if the words whose hash has it weigh more than the others. Weights must be whole
    numbers, with a sum below 2^53, for the result to be the same everywhere.
    """
    if not words:
        return 0
    # No memory of hashes: once other work has emptied the caches, a look-up costs more than a hash.
    digests = b"".join(map(mmh3.hash_bytes, words, repeat(seed)))
    hashes = np.frombuffer(digests, np.uint8).reshape(-1, _DIGEST_BYTES)[:, : _DIGEST_BYTES // 2]
    bits = np.unpackbits(hashes, axis=1, bitorder="little")
    total = np.add.reduce(weights)
    exact = np.float32 if total < _EXACT_IN_FLOAT32 else np.float64  # the smaller, the faster
    ones = weights.astype(exact) @ bits.astype(exact) > total / 2
    return int.from_bytes(np.packbits(ones, bitorder="little").tobytes(), "little")


def stop_table(words: Iterable[str]) -> bytes:
    """Return words as `fingerprint_words` looks them up: a hash table of 512 slots of 16 bytes.

    A slot has a word in UTF-8, zeros, and in its last byte the word's length. A word is in the
    first free slot from its hash on, which is that of `words.c`. ValueError for a word of more than
    15 bytes, or for more than 384.
    """
    table = np.zeros((_STOP_SLOTS, _STOP_BYTES), np.uint8)
    distinct = sorted(set(words))
    for word in distinct:
        encoded = word.encode("utf-8", "surrogatepass")
        if len(encoded) >= _STOP_BYTES or len(distinct) > _MOST_STOPS:
            raise ValueError("stop words are too long or too many")
        slot = _hash_of_characters(word) % _STOP_SLOTS
        while table[slot, -1]:
            slot = (slot + 1) % _STOP_SLOTS
        table[slot, : len(encoded)] = np.frombuffer(encoded, np.uint8)
        table[slot, -1] = len(encoded)
    return table.tobytes()


@lru_cache(maxsize=1)
def _read_stops(table: bytes) -> frozenset[str]:
    slots = (table[start : start + _STOP_BYTES] for start in range(0, len(table), _STOP_BYTES))
    words = (slot[: slot[-1]].decode("utf-8", "surrogatepass") for slot in slots if slot[-1])
    return frozenset(words) | {"\n"}


def _hash_of_characters(word: str) -> int:
    found = 0
    for character in word:
        found = (found ^ ord(character)) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return found ^ found >> 32


def _pairs(runs: list[str]) -> Iterator[str]:
    for run in runs:
        if len(run) == 1:
            yield run
        for start in range(len(run) - 1):
            yield run[start : start + 2]
