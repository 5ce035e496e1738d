"""Clusters after the fact: everything that is linked, however far apart its ends.

Broder (1997) clusters a whole collection by union-find over the pairs that shingling finds. A chain
A~B~C is then one cluster, with A and C perhaps quite unlike, and the outcome does not depend on the
order of texts. The inline judge cannot do that, and does not want to: it compares with
representatives only, so that every member is as similar to its leader as the threshold asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from crawler.dedup.methods.proposers import Proposer
from crawler.dedup.methods.union_find import UnionFind
from crawler.dedup.signing import shingles
from crawler.records import Signature


def components(
    texts: Sequence[Signature], proposer: Proposer, verified_threshold: float | None = None
) -> list[int]:
    """Return for each text the number of the oldest text that it is linked with; maybe its own.

    `proposer` must be empty; every text goes into it. Two texts are linked if it proposes one for
    the other and, where a threshold is given, their exact Jaccard similarity reaches that.
    """
    clusters = UnionFind(len(texts))
    for number, text in enumerate(texts):
        for row in proposer.propose(text).rows.tolist():
            if _are_linked(text, texts[row], verified_threshold):
                clusters.union(number, row)
        proposer.insert([text])
    return [clusters.find(number) for number in range(len(texts))]


def _are_linked(text: Signature, other: Signature, verified_threshold: float | None) -> bool:
    if text.shingle_kind != other.shingle_kind:
        return False
    if verified_threshold is None:
        return True
    return shingles.jaccard(text.shingles, other.shingles) >= verified_threshold
