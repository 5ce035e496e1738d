"""What a search of the block index finds: pairs of a query and a row, a number each.

    query, 28 bits | row, 32 bits | distance, 4 bits

So pairs in order are numbers in order, by query and then by row. The kernels write the same ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

MOST_QUERIES = 1 << 28
MOST_ROWS = 1 << 32

_QUERY = np.uint64(36)
_ROW = np.uint64(4)
_DISTANCE = np.uint8(15)

Pairs = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]
Distances = npt.NDArray[np.uint8]


def pack(queries: Numbers | int, rows: npt.NDArray[Any], distances: Distances) -> Pairs:
    """Return the pairs of some queries, or of one, with rows."""
    pairs = rows.astype(np.uint64)
    pairs <<= _ROW
    pairs |= distances
    pairs |= np.asarray(queries).astype(np.uint64) << _QUERY
    return pairs


def renumbered(pairs: Pairs, first: int) -> Pairs:
    """Return pairs whose query 0 is number `first`."""
    pairs += np.uint64(first) << _QUERY
    return pairs


def queries_of(pairs: Pairs) -> Numbers:
    """Return the number of the query of each pair."""
    return (pairs >> _QUERY).astype(np.int64)


def rows_of(pairs: Pairs) -> Rows:
    """Return the row of each pair."""
    return (pairs >> _ROW).astype(np.uint32)


def distances_of(pairs: Pairs) -> Distances:
    """Return the distance of each pair."""
    return pairs.astype(np.uint8) & _DISTANCE
