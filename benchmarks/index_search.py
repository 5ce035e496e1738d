"""Two ways to find keys in a sorted array, such as one of Manku's tables: halving and guessing.

numpy's own `searchsorted` halves the range at every step: 24 steps for 10^7 keys, in compiled code.
Interpolation search guesses the place from the key's value and needs about log log n steps for
keys as uniform as hashed bits are (Perl, Itai, Avni, CACM 1978; Manku et al. advise it), but here
every step is a dozen numpy calls. So one key is found forty times faster by halving, and batches in
arrays too large for the caches are found faster by guessing (docs/index-designs.md). Both answer
alike, and `crawler.dedup.tables` halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
Search: TypeAlias = Callable[[Keys, Keys], Places]
"""(sorted array, keys) -> for each key the number of smaller elements in the array."""

_GUESSES_A_HALVING = 2
"""Every third step halves, so that skewed keys cost at most 3 log2 n steps and not n."""


def bisection(ordered: Keys, keys: Keys) -> Places:
    """See Search: numpy's binary search."""
    return np.searchsorted(ordered, keys)


def interpolation(ordered: Keys, keys: Keys) -> Places:
    """See Search: guesses by value, all keys one step at a time."""
    low = np.zeros(len(keys), np.int64)
    high = np.full(len(keys), len(ordered), np.int64)
    step = 0
    open_ = np.arange(len(keys) if len(ordered) else 0)
    while len(open_):
        start, end = low[open_], high[open_]
        if step % (_GUESSES_A_HALVING + 1) == _GUESSES_A_HALVING:
            middle = (start + end) // 2
        else:
            middle = _guess(ordered, keys[open_], start, end - 1)
        below = ordered[middle] < keys[open_]
        low[open_] = np.where(below, middle + 1, start)
        high[open_] = np.where(below, end, middle)
        open_ = open_[low[open_] < high[open_]]
        step += 1
    return low


def _guess(ordered: Keys, keys: Keys, first: Places, last: Places) -> Places:
    """Return where between first and last (inclusive) each key would lie if values were even."""
    smallest, largest = ordered[first], ordered[last]
    inside = np.clip(keys, smallest, largest)
    share = (inside - smallest) / np.maximum(largest - smallest, np.uint64(1))
    guess: Places = first + (share * (last - first)).astype(np.int64)
    return np.minimum(guess, last)
