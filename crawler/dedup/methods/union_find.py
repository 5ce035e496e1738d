"""Union-find: the connected components of pairs that arrive one by one."""

from __future__ import annotations


class UnionFind:
    """The members 0 .. n-1 in disjoint sets.

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
