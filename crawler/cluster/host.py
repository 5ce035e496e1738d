"""A role in the process that has it: made and opened when it is first called."""

from __future__ import annotations

import asyncio
from typing import Any

from crawler.cluster.partition import Partition
from crawler.cluster.protocol import SEQUENCER, Carrier, Gone
from crawler.cluster.root import Root
from crawler.cluster.sequencer import Sequencer
from crawler.cluster.shard import Shard
from crawler.console import Say
from crawler.errors import StoreInUse

Role = Partition | Sequencer | Shard
"""What has a directory, which `open` opens and `close` releases; its other methods are what others
call."""


def made(role: str, root: Root, carrier: Carrier, say: Say) -> Role:
    """Return a role by its name, not yet open."""
    kind, _, number = role.partition("-")
    shards = root.plan.judge_shards
    if role == SEQUENCER:
        cluster = root.job.cluster
        return Sequencer(
            root.sequencer,
            root.job.dedup,
            carrier,
            shards,
            per_address=root.job.politeness.per_address,
            batch=cluster.batch,
            linger_s=cluster.linger_ms / 1000,
        )
    if kind == "shard":
        place = root.shard(int(number))
        return Shard(place, root.job.dedup, carrier, int(number), shards)
    return Partition(root, int(number), carrier, say)


class Host:
    """Has one role. Where its process is made anew, so is the role, from its directory."""

    def __init__(self, role: str, root: Root, carrier: Carrier, say: Say) -> None:
        self._name = role
        self._root = root
        self._carrier = carrier
        self._say = say
        self._role: Role | None = None
        self._opening = asyncio.Lock()

    async def call(self, method: str, *args: Any) -> Any:
        """Call a method of the role; Gone where its directory is still held by another."""
        if method == "close":
            async with self._opening:
                opened, self._role = self._role, None
                return None if opened is None else await opened.close()
        async with self._opening:
            if self._role is None:
                role = made(self._name, self._root, self._carrier, self._say)
                try:
                    await role.open()
                except StoreInUse as held:
                    raise Gone(str(held)) from held
                self._role = role
            called = getattr(self._role, method)
        return await called(*args)
