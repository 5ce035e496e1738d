"""Clusters after the fact: everything that is linked, however far apart its ends.

Broder (1997) clusters a whole collection by union-find over the pairs that shingling finds. A chain
A~B~C is then one cluster, with A and C perhaps quite unlike, and the outcome does not depend on the
order of texts. The inline judge cannot do that, and does not want to: it compares with
representatives only, so that every member is as similar to its leader as the threshold asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from crawler import config
from crawler.config import Method
from crawler.dedup import MemoryCatalog, signing
from crawler.dedup.methods import make_matcher
from crawler.dedup.methods.rivals import ProposedMatcher
from crawler.models import Signature

PROPOSERS = frozenset((Method.MINHASH, Method.SUPER_SHINGLES))
"""The methods that were published with clusters after the fact."""


def proposer(settings: config.Dedup, expected_texts: int) -> ProposedMatcher:
    """Return an empty matcher of one of these, which is asked for its proposals only."""
    made = make_matcher(settings, MemoryCatalog(), expected_texts)
    assert isinstance(made, ProposedMatcher)
    return made


class UnionFind:
    """The members 0 .. n-1 in disjoint sets: the connected components of pairs told one by one.

    With path halving (Tarjan, van Leeuwen, JACM 1984) and the smallest member as root, so that the
    oldest member is the cluster's name.
    """

    def __init__(self, members: int) -> None:
        self._parents = list(range(members))

    def find(self, member: int) -> int:
        """Return the smallest member of a member's set."""
        parents = self._parents
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    def union(self, member: int, other: int) -> bool:
        """Make one set of two members' sets; return whether they were two."""
        low, high = sorted((self.find(member), self.find(other)))
        self._parents[high] = low
        return low != high


def components(
    texts: Sequence[Signature], proposer: ProposedMatcher, verified_threshold: float | None = None
) -> list[int]:
    """Return for each text the number of the oldest text that it is linked with; maybe its own.

    `proposer` must be empty; every text goes into it. Two texts are linked if it proposes one for
    the other and, where a threshold is given, their exact Jaccard similarity reaches that.
    """
    clusters = UnionFind(len(texts))
    for number, text in enumerate(texts):
        for row in proposer.propose(text)[0].tolist():
            if _are_linked(text, texts[row], verified_threshold):
                clusters.union(number, row)
        proposer.insert(number, text)
    return [clusters.find(number) for number in range(len(texts))]


def _are_linked(text: Signature, other: Signature, verified_threshold: float | None) -> bool:
    if text.shingle_kind != other.shingle_kind:
        return False
    if verified_threshold is None:
        return True
    return signing.jaccard(text.shingles, other.shingles) >= verified_threshold
