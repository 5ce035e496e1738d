"""Roles of a cluster's judge in one process, and the judge that they are compared with."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crawler import config
from crawler.cluster import carrier
from crawler.cluster.messages import Answer, Gone, PageAsk
from crawler.cluster.sequencer import Sequencer
from crawler.cluster.shard import Shard
from crawler.dedup import Judge, MemoryCatalog, represents
from crawler.dedup.copies import address_key
from crawler.models import (
    EXACT_PAYLOAD,
    ExactDuplicate,
    NearDuplicate,
    StoredDocument,
    StoredRef,
    Verdict,
)

EXPECTED = 100


class Loopback:
    """A carrier between objects of this process, by their roles; all that it carries is pickled."""

    def __init__(self) -> None:
        self.roles: dict[str, Any] = {}

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        if role not in self.roles:
            raise Gone(role)
        called = getattr(self.roles[role], method)
        return pickle.loads(pickle.dumps(await called(*pickle.loads(pickle.dumps(args)))))


class JudgeRoles:
    """A sequencer and its shards in a directory, opened and reopened one by one."""

    def __init__(
        self,
        root: Path,
        settings: config.Dedup,
        shards: int,
        carrier: Loopback | None = None,
        **sequencer: Any,
    ) -> None:
        self.root = root
        self.settings = settings
        self.shards = shards
        self.carrier = carrier or Loopback()
        self._sequencer = sequencer

    @property
    def names(self) -> list[str]:
        """All roles."""
        return [carrier.SEQUENCER, *map(carrier.shard, range(self.shards))]

    @property
    def sequencer(self) -> Sequencer:
        """The sequencer that is open."""
        found: Sequencer = self.carrier.roles[carrier.SEQUENCER]
        return found

    def shard(self, number: int) -> Shard:
        """Return a shard that is open."""
        found: Shard = self.carrier.roles[carrier.shard(number)]
        return found

    def made(self, role: str) -> Sequencer | Shard:
        """Return a role that is not open."""
        if role == carrier.SEQUENCER:
            given = self.root / role, self.settings, self.carrier, self.shards
            return Sequencer(*given, **self._sequencer)
        return Shard(self.root / role, self.settings, EXPECTED)

    async def open(self) -> None:
        """Open those that are not."""
        for role in self.names:
            if role not in self.carrier.roles:
                made = self.made(role)
                await made.open()
                self.carrier.roles[role] = made

    async def kill(self, role: str) -> None:
        """Have a role end as if it had been killed."""
        killed = self.carrier.roles.pop(role)
        if isinstance(killed, Sequencer):
            await killed.abandon()
        else:
            killed.abandon()

    async def __aenter__(self) -> JudgeRoles:
        await self.open()
        return self

    async def __aexit__(self, *raised: object) -> None:
        for role in self.names:
            if role in self.carrier.roles:
                await self.carrier.roles.pop(role).close()


class OneJudge:
    """One judge that is shown pages in their order."""

    def __init__(self, settings: config.Dedup) -> None:
        self.catalog = MemoryCatalog()
        self.judge = Judge(settings, self.catalog, EXPECTED)
        self.seq = 0

    def shown(self, ask: PageAsk) -> tuple[int, Verdict, int | None]:
        """Judge a page; return its number, its verdict, and its id if it is kept."""
        self.seq += 1
        verdict = self.judge.judge(ask.key, ask.signature, self.seq, ask.shown)
        keeps = self.judge.keeps(verdict)
        if keeps:
            is_copy = isinstance(verdict, NearDuplicate)
            self.catalog.add(
                StoredDocument(
                    *(self.seq, self.seq, ask.shown.url, ask.key, ask.signature),
                    representative=represents(verdict),
                    layout=ask.shown.layout,
                    address=None if is_copy else address_key(ask.shown.url),
                    appearance=ask.shown.appearance,
                )
            )
        return self.seq, verdict, self.seq if keeps else None

    def observed(self, url: str, other: str) -> None:
        """Have it count two pages with equal bytes."""
        self.judge.observe(url, ExactDuplicate(EXACT_PAYLOAD, StoredRef(0, other)))


def told(answers: Sequence[Answer]) -> list[tuple[int, Verdict, int | None]]:
    """Return answers as `OneJudge.shown` tells them."""
    return [(answer.seq, answer.verdict, answer.page_id) for answer in answers]


Check = Callable[[], None]
