"""Roles of a cluster's judge in one process, and the judge that they are compared with."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from crawler import config
from crawler.cluster import protocol
from crawler.cluster.protocol import Answer, Gone, PageAsk
from crawler.cluster.sequencer import Sequencer
from crawler.cluster.shard import Shard
from crawler.dedup import (
    Judge,
    MemoryCatalog,
    Signer,
    layout_fingerprint,
    payload_digest,
    represents,
)
from crawler.dedup.copies import Appearance, address_key, pack
from crawler.models import (
    EXACT_PAYLOAD,
    ExactDuplicate,
    NearDuplicate,
    PayloadKey,
    Shown,
    Signature,
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
        return [protocol.SEQUENCER, *map(protocol.shard, range(self.shards))]

    @property
    def sequencer(self) -> Sequencer:
        """The sequencer that is open."""
        found: Sequencer = self.carrier.roles[protocol.SEQUENCER]
        return found

    def shard(self, number: int) -> Shard:
        """Return a shard that is open."""
        found: Shard = self.carrier.roles[protocol.shard(number)]
        return found

    def made(self, role: str) -> Sequencer | Shard:
        """Return a role that is not open."""
        if role == protocol.SEQUENCER:
            given = self.root / role, self.settings, self.carrier, self.shards
            return Sequencer(*given, **self._sequencer)
        place = self.carrier, int(role.partition("-")[2]), self.shards
        return Shard(self.root / role, self.settings, *place, EXPECTED)

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
        killed._state.close = killed._state.abandon
        await killed.close()

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


class Made(NamedTuple):
    """A page of few words, so that many are alike in one way or another."""

    text: int
    """One of a few; 0 is short, 1 has hardly a word."""
    names: tuple[int, ...]
    """Of what stands in some places of the text."""
    host: int
    place: int
    title: int
    beside: int
    layout: int
    shows: int
    """What is known of its looks: 0 nothing, 1 with a canonical page, else all but that."""
    body: int
    """Equal to that of others with this number; 0 to none."""
    sketch: int
    """1 for that of another text."""


HOSTS = ("a.test", "b.test", "www.a.test")
PLACES = (
    *("/docs/1/page", "/docs/2/page", "/en/page", "/fr/page", "/page?sid=1", "/page?sid=2"),
    *("/page", "/page/print", "/other/1", "/other/2", "/"),
)
KEY = bytes(range(24))


@cache
def _signer() -> Signer:
    return Signer(config.Dedup(), [KEY])


def _words(text: int, names: Sequence[int]) -> str:
    dice = random.Random(text)
    words = [f"w{dice.randrange(900)}" for _ in range((12, 3, 70, 90, 90)[text])]
    for number, name in enumerate(names):
        words[(17 * number + 5) % len(words)] = ("", "lamp", "bell", "41", "42")[name]
    return "\n".join(" ".join(words[n : n + 10]) for n in range(0, len(words), 10))


@cache
def _signed(text: int, names: tuple[int, ...], beside: str) -> Signature:
    words = _words(text, names)
    return _signer()(words, f"{words}\n{beside}")


@cache
def ask_of(page: Made, number: int) -> PageAsk:
    """Return the ask of a made page."""
    url = f"http://{HOSTS[page.host]}{PLACES[page.place]}"
    beside = ("", "News of today", "Price: $29", "Price: $31")[page.beside]
    signature = _signed(page.text, page.names, beside)
    if page.sketch:
        signature = replace(signature, sketch=_signed(page.text, (), "").sketch)
    text = _words(page.text, page.names)
    canonical = f"http://{HOSTS[0]}/page" if page.shows == 1 else None
    appearance = Appearance(
        ("Lamp", "Bell", "Lamp 1.0", "Lamp 2.0")[page.title],
        canonical_url=canonical,
        text=tuple(text.split("\n")),
        beside=(beside,) if beside else (),
        language=(None, "en", "fr")[page.layout],
    )
    layout = layout_fingerprint({f"html/body/div{page.layout}": 1, "html/body/p": 2})
    shown = Shown(
        *(url, pack(appearance) if page.shows else None, layout if page.layout else None),
        canonical_address=address_key(canonical) if canonical else None,
    )
    body = f"body {page.body}" if page.body else f"page {number}"
    key = PayloadKey(payload_digest(body.encode()), "text/html")
    return PageAsk(number, key, signature, shown, address_key(url))


def dealt(dice: random.Random) -> Made:
    """Return a page by chance."""
    return Made(
        text=dice.choice((0, 1, 2, 2, 3, 3, 4)),
        names=tuple(dice.randrange(5) for _ in range(dice.randrange(4))),
        host=dice.randrange(len(HOSTS)),
        place=dice.randrange(len(PLACES)),
        title=dice.randrange(4),
        beside=dice.randrange(4),
        layout=dice.randrange(3),
        shows=dice.choice((0, 1, 2, 2, 2, 2)),
        body=dice.choice((0, 0, 0, 0, 0, 1, 2)),
        sketch=int(dice.random() < 0.05),
    )
