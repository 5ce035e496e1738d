"""Who carries calls between roles."""

from __future__ import annotations

from typing import Any, Protocol

SEQUENCER = "sequencer"
"""The name of a role; others are `shard(k)` and `partition(p)`."""


class Carrier(Protocol):
    """Calls methods of roles, wherever these are."""

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """Call a method of a role, and return or raise what it does.

        Raises Gone where the role cannot be reached, or the call may or may not have run: methods
        may be called again. A call that was given up for gone may yet run, and later than others.
        """


def shard(number: int) -> str:
    """Return the name of a shard, from 0."""
    return f"shard-{number}"


def partition(number: int) -> str:
    """Return the name of a partition, from 0."""
    return f"partition-{number}"
