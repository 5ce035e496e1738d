"""Super-shingles: duplicates found without estimating anything.

Broder (CPM 2000), as used by Fetterly, Manasse and Najork (2003): 84 minima of a text's shingles
are cut into 6 groups of 14, each hashed to one number, and two texts are duplicates if they agree
in 2 of the 6. With resemblance J one group agrees with probability q = J^14, two with
1 - (1 - q)^6 - 6 q (1 - q)^5:

    J       .7     .8     .85    .9     .95    .98
    found   .001   .026   .12    .42    .88    .996

That is a filter for near identity: it is hardly ever wrong and finds few of the pairs near .8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler.dedup.methods.key_table import Keys
from crawler.dedup.methods.lsh import band_keys
from crawler.dedup.methods.minhash import MinHasher
from crawler.dedup.signing.shingles import Hashes


@dataclass(frozen=True, slots=True)
class Grouping:
    """How minima are grouped and how many groups must agree."""

    groups: int = 6
    size: int = 14
    agreeing: int = 2


class SuperShingler:
    """Makes a text's super-shingles; (0, 0, ...) where there is no shingle."""

    def __init__(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self._minima = MinHasher(grouping.groups * grouping.size)

    def __call__(self, hashes: Hashes) -> Keys:
        """Return one key a group, shape (groups,)."""
        if not len(hashes):
            return np.zeros(self._grouping.groups, np.uint64)
        return band_keys(self._minima(hashes), self._grouping.groups, self._grouping.size)
