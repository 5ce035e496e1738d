"""Tables of rows by 16-bit keys: the hash tables under the bands of sketches and other keys.

Few rows do not pay for 65,536 buckets a table. A bucket is then shared by keys that agree in their
high bits, and the low ones stand above the row number of an entry, which keeps lookups exact::

    key    1011 0010 1110 1|001         13 bits number the bucket, 3 tell its keys apart
    entry  001| row number, 29 bits
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.columns import scalars
from crawler.dedup.index.buckets import Buckets, key_bits

KEY_BITS = 16
BUCKETS = 1 << KEY_BITS

_FEWEST_A_BUCKET = 8
_ROW_BITS = 32

Rows = npt.NDArray[np.uint32]
Keys = npt.NDArray[np.int64]


class BucketTable:
    """`tables` multi-maps from a 16-bit key to row numbers; a bucket number is `table << 16 | key`.

    Rows come back in the order of insertion bucket by bucket, with repetition where a row is found
    in several buckets. `expected_rows` decides how many keys share a bucket. Holds rows below 2^24
    at the least and below 2^32 if 2^19 or more are expected; OverflowError for others.
    """

    def __init__(self, tables: int, expected_rows: int) -> None:
        self._shared_bits = KEY_BITS - key_bits(expected_rows, _FEWEST_A_BUCKET, KEY_BITS)
        self._row_bits = _ROW_BITS - self._shared_bits
        self._buckets = Buckets(tables * BUCKETS >> self._shared_bits, tables * expected_rows)

    @property
    def nbytes(self) -> int:
        """Bytes in use, empty slots included."""
        return self._buckets.nbytes

    def insert(self, buckets: Keys, row: int) -> None:
        """Add one row to each of some distinct buckets."""
        self._require_room(row)
        entries = (buckets & (1 << self._shared_bits) - 1) << self._row_bits | row
        numbers = scalars((buckets >> self._shared_bits).astype(np.uint32))
        self._buckets.insert(numbers, scalars(entries.astype(np.uint32)))

    def insert_many(self, buckets: Keys, rows: Rows) -> None:
        """Add `rows[i]` to `buckets[i]` for every i < 2^32; buckets may repeat."""
        self._require_room(int(rows.max(initial=0)))
        tags = buckets << self._row_bits & (1 << _ROW_BITS) - 1
        self._buckets.insert_many(buckets >> self._shared_bits, (tags | rows).astype(np.uint32))

    def find(self, buckets: Keys) -> Rows:
        """Return the rows of all the given buckets, one bucket after another."""
        found = kernels.find_rows(buckets, self._buckets.cells, self._shared_bits)
        return np.frombuffer(found, np.uint32)

    def find_in_emptiest(self, buckets: Keys) -> Rows:
        """Return the rows of that one of some buckets which shares its memory with the fewest."""
        least = int(self._buckets.sizes(buckets >> self._shared_bits).argmin())
        return self.find(buckets[least : least + 1])

    def _require_room(self, row: int) -> None:
        if row >> self._row_bits:
            raise OverflowError(
                f"row {row:,}: a table made for this few rows holds {1 << self._row_bits:,} at most"
            )
