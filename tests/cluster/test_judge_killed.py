"""The judge of a cluster, its roles killed at every point, and its callers fenced.

Kills are raised: before and after each call and each commit. Roles are then opened again from their
directories, by whoever meets one that is gone, and the same is asked again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from support.judge_roles import JudgeRoles, Loopback, OneJudge, ask_of, dealt, told

from crawler import config
from crawler.cluster import protocol
from crawler.cluster.protocol import Answer, Fenced, Gone, Kept, PageAsk
from crawler.models import ExactDuplicate, NearDuplicate, Shingles, Sibling, StoredDocument
from crawler.storage.database import Database
from crawler.storage.rows import unpack_shingles
from crawler.storage.view import StoreView

SEEDS = settings().max_examples // 4
PARTS = 2
"""Of these seeds, for tests side by side."""
RISK = 0.04
"""Of a kill or a lost message, at each point."""


class Killed(Exception):
    """The process in which this is raised has been killed."""


class Chance:
    """What goes wrong, by a seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.risk = RISK
        self.kills = 0

    def kill(self) -> None:
        """Kill who calls this, or not."""
        if self.dice.random() < self.risk:
            self.kills += 1
            raise Killed

    def strikes(self) -> bool:
        """Whether something else goes wrong."""
        return self.dice.random() < self.risk


class DangerousCarrier(Loopback):
    """Loses messages, and has who sends or gets them killed before or after."""

    def __init__(self, chance: Chance) -> None:
        super().__init__()
        self.chance = chance
        self.dead: set[str] = set()
        self.late: list[tuple[str, str, tuple[Any, ...]]] = []
        """Calls that were given up and run later."""

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        is_of_judge = role != protocol.SEQUENCER  # the others are called by the sequencer
        if is_of_judge:
            self.chance.kill()
        if role in self.dead or self.chance.strikes():
            if is_of_judge and self.chance.dice.random() < 0.5:
                self.late.append((role, method, args))
            raise Gone(f"{method} was lost")
        if self.late and self.chance.dice.random() < 0.5:
            await self._run_late()
        try:
            self.chance.kill()
            found = await super().call(role, method, *args)
            self.chance.kill()
        except Killed:
            self.dead.add(role)
            raise Gone(f"{role} was killed") from None
        if self.chance.strikes():
            raise Gone(f"the answer to {method} was lost")
        if is_of_judge:
            self.chance.kill()
        return found

    async def _run_late(self) -> None:
        role, method, args = self.late.pop(0)
        if role not in self.dead:
            try:
                await super().call(role, method, *args)
            except Killed:
                self.dead.add(role)
            except (Gone, Fenced):
                pass


class DangerousRoles(JudgeRoles):
    """Roles that are opened again when somebody meets one that is dead."""

    def __init__(self, root: Path, shards: int, chance: Chance, **sequencer: Any) -> None:
        self.dangers = DangerousCarrier(chance)
        self._lock = asyncio.Lock()
        super().__init__(
            *(root, config.Dedup(), shards, self.dangers), sleep=self.revive, **sequencer
        )

    async def revive(self, seconds: float = 0) -> None:
        """Open shards that are dead."""
        async with self._lock:
            for role in self.names[1:]:
                if role in self.dangers.dead:
                    await self._reopen(role)

    async def revive_all(self) -> None:
        """Open what is dead."""
        await self.revive()
        async with self._lock:
            if protocol.SEQUENCER in self.dangers.dead or self.sequencer.ended:
                await self._reopen(protocol.SEQUENCER)

    async def _reopen(self, role: str) -> None:
        await self.kill(role)
        while True:
            made = self.made(role)
            try:
                await made.open()
                break
            except Killed:
                continue
        self.carrier.roles[role] = made
        self.dangers.dead.discard(role)

    async def persist(self, method: str, *args: Any) -> Any:
        """Call the sequencer until it has answered, as a partition does."""
        while True:
            try:
                return await self.carrier.call(protocol.SEQUENCER, method, *args)
            except Gone:
                await self.revive_all()


@pytest.fixture
def dangerous_commits(monkeypatch: pytest.MonkeyPatch) -> Callable[[Chance], None]:
    """Return what has the process killed before or after each commit, by chance.

    The system is never killed, so no disk is waited for.
    """
    transaction = Database.transaction

    def begin(chance: Chance) -> None:
        @contextmanager
        def dangerous(self: Database) -> Iterator[Any]:
            chance.kill()
            with transaction(self) as connection:
                yield connection
                chance.kill()
            chance.kill()

        monkeypatch.setattr(Database, "transaction", dangerous)

    def begin_writing(self: Database) -> None:
        prepare(self)
        self.rows("PRAGMA synchronous = OFF")

    prepare = Database.begin_writing
    monkeypatch.setattr(Database, "begin_writing", begin_writing)
    return begin


@pytest.mark.parametrize("part", range(PARTS))
def test_kills_at_every_point_change_nothing(
    part: int, tmp_path: Path, dangerous_commits: Callable[[Chance], None]
) -> None:
    """Two partitions have each page judged once, as one judge does that is shown them in order.

    No number is given twice or missing, every answer is the same when it is asked for again, and
    the shards have the pages that are kept and no others.
    """
    kills = 0
    for seed in range(part, SEEDS, PARTS):
        chance = Chance(seed)
        chance.risk = 0.0
        shards = 1 + seed % 4
        roles = DangerousRoles(
            tmp_path / str(seed), shards, chance, batch=chance.dice.choice((1, 4, 16))
        )
        dangerous_commits(chance)
        asyncio.run(with_kills(roles, chance))
        kills += chance.kills
    assert kills > SEEDS / PARTS


async def with_kills(roles: DangerousRoles, chance: Chance) -> None:
    """Have pages judged among kills; then look at what is there without."""
    dice, one = chance.dice, OneJudge(roles.settings)
    asks = [ask_of(dealt(dice), number) for number in range(18)]
    answers: dict[tuple[int, int], Answer] = {}
    observed = [0, 0]
    async with roles:
        chance.risk = RISK
        for start in range(0, len(asks), 6):
            some = asks[start : start + 6]

            async def partition(number: int, some: Sequence[PageAsk] = some) -> None:
                await roles.persist("hello", number, 1)
                for answer in await roles.persist("ask", number, 1, some[number::2]):
                    answers[number, answer.number] = answer

            await asyncio.gather(partition(0), partition(1))
            decided = sorted(answers.values(), key=lambda answer: answer.seq)
            assert [answer.seq for answer in decided] == list(range(1, len(decided) + 1))
            for answer in decided[one.seq :]:
                assert told([answer]) == [one.shown(asks[answer.number])]
                assert_original(answer, one)
            pair = "http://a.test/en/page", f"http://a.test/fr/page?{start}"
            of = dice.randrange(2)
            observed[of] += 1
            assert await roles.persist("observe", of, 1, observed[of], [pair]) == observed[of]
            one.observed(*pair)
        chance.risk = 0.0
        await roles.revive_all()
        for of in (0, 1):
            again = [answers[of, ask.number] for ask in asks if (of, ask.number) in answers]
            numbers = [asks[answer.number] for answer in again]
            assert await roles.persist("ask", of, 2, numbers) == again
    for shard in range(roles.shards):
        assert_kept(roles.root / protocol.shard(shard), shard, roles.shards, one)


def assert_original(answer: Answer, one: OneJudge) -> None:
    """Assert that an answer has what is kept of the page that it names."""
    if not isinstance(answer.verdict, ExactDuplicate | NearDuplicate | Sibling):
        assert answer.original is None
        return
    id_, original = answer.verdict.of.id, answer.original
    assert original is not None
    assert (original.id, original.url) == (id_, answer.verdict.of.url)
    assert_same(original.shingles, one.catalog.shingles(id_))
    assert original.layout == one.catalog.layout(id_)
    assert original.appearance == one.catalog.appearance(id_)


def assert_same(shingles: Shingles, other: Shingles) -> None:
    """Assert that shingles are the same, and marked by the same key."""
    assert shingles.hashes.tolist() == other.hashes.tolist()
    assert shingles.marks is not None
    assert other.marks is not None
    assert shingles.marks.tolist() == other.marks.tolist()


def assert_kept(directory: Path, shard: int, shards: int, one: OneJudge) -> None:
    """Assert that a shard has the pages that one judge has kept, of its own numbers."""
    database = Database(directory / "state.sqlite", "ro")
    rows = {row.id: row for row in StoreView(directory, database).index_rows()}
    expected = [
        id_ for id_ in range(1, one.seq + 1) if id_ in one.catalog and id_ % shards == shard
    ]
    assert list(rows) == expected
    for id_ in expected:
        kept: StoredDocument = one.catalog._documents[id_]
        row, text = rows[id_], kept.signature
        assert (row.payload, row.visible_digest, row.representative) == (
            *(kept.payload, text.visible_digest, kept.representative),
        )
        assert (row.fingerprint, row.sketch, row.shingle_kind) == (
            *(text.fingerprint, text.sketch, text.shingle_kind),
        )
        packed = database.cell("SELECT hashes FROM shingles WHERE document_id = ?", (id_,))
        assert_same(unpack_shingles(id_, packed), Shingles.of(text))
        addressed = database.cell("SELECT address FROM documents WHERE id = ?", (id_,))
        assert addressed == kept.address
    database.close()


def test_a_partition_that_was_replaced_is_refused(tmp_path: Path) -> None:
    """Whatever it asks, also what waits as its successor says hello, and after a restart."""

    async def run() -> None:
        async with JudgeRoles(tmp_path, config.Dedup(), 1, batch=1) as roles:
            asks = [ask_of(dealt(random.Random(number)), number) for number in range(3)]
            judge = roles.sequencer
            await judge.hello(7, 2)
            waiting = asyncio.ensure_future(judge.ask(7, 2, asks[:1]))
            behind = asyncio.ensure_future(judge.ask(7, 2, asks[1:2]))
            await asyncio.sleep(0)
            await judge.hello(7, 3)
            refused: Sequence[Awaitable[object]] = (waiting, behind)
            with pytest.raises(Fenced):
                await refused[1]
            await asyncio.gather(*refused, return_exceptions=True)
            await roles.kill(protocol.SEQUENCER)
            await roles.open()
            for call in (
                roles.sequencer.hello(7, 2),
                roles.sequencer.ask(7, 2, asks),
                roles.sequencer.observe(7, 2, 1, []),
            ):
                with pytest.raises(Fenced):
                    await call
            assert len(await roles.sequencer.ask(7, 3, asks)) == 3
            assert len(await roles.sequencer.ask(8, 1, asks)) == 3, "another partition"

    asyncio.run(run())


def test_a_sequencer_that_was_replaced_ends(tmp_path: Path) -> None:
    """A shard refuses it, also after a restart; who waits for it is to ask its successor."""

    async def run() -> None:
        async with JudgeRoles(tmp_path, config.Dedup(), 2, batch=4) as roles:
            asks = [ask_of(dealt(random.Random(number)), number) for number in range(12)]
            await roles.sequencer.ask(0, 1, asks[:6])
            await roles.shard(1).hello(9, 6)
            await roles.kill(protocol.shard(1))
            await roles.open()
            with pytest.raises(Gone, match="replaced"):
                await roles.sequencer.ask(0, 1, asks)
            with pytest.raises(Gone, match="replaced"):
                await roles.sequencer.hello(0, 1)
            for method, *rest in (("look", 1, []), ("keep", []), ("rows", [])):
                with pytest.raises(Fenced):
                    await roles.carrier.call(protocol.shard(1), method, 8, *rest)

    asyncio.run(run())


def test_a_call_that_runs_late_changes_nothing(tmp_path: Path) -> None:
    """Of an epoch that is known a hello removes nothing; a page that is kept is not kept again."""

    async def run() -> None:
        async with JudgeRoles(tmp_path, config.Dedup(), 1, batch=2) as roles:
            asks = [ask_of(dealt(random.Random(number)), number) for number in range(6)]
            answers = await roles.sequencer.ask(0, 1, asks)
            await roles.kill(protocol.shard(0))
            await roles.open()
            await roles.shard(0).hello(1, 0)
            await roles.shard(0).keep(1, [Kept(1, asks[5], True, True)])
            await roles.kill(protocol.SEQUENCER)
            await roles.open()
            assert await roles.sequencer.ask(0, 1, asks) == answers
            (first,) = await roles.shard(0).rows(2, [1])
            assert first.url == asks[0].shown.url

    asyncio.run(run())


def test_a_batch_is_waited_for(tmp_path: Path) -> None:
    """Until it is full, but not for long: pages of several partitions are decided at once."""

    async def run() -> None:
        over, lingers = asyncio.Event(), asyncio.Event()

        async def sleep(seconds: float) -> None:
            assert seconds == 0.25
            lingers.set()
            await over.wait()

        roles = JudgeRoles(tmp_path, config.Dedup(), 1, batch=2, linger_s=0.25, sleep=sleep)
        async with roles:
            asks = [ask_of(dealt(random.Random(number)), number) for number in range(4)]
            both = [roles.sequencer.ask(partition, 1, asks[:1]) for partition in (0, 1)]
            assert [told[0].seq for told in await asyncio.gather(*both)] == [1, 2]
            assert (await roles.sequencer.ask(0, 1, asks[:3]))[0].seq == 1
            lingers.clear()
            alone = asyncio.ensure_future(roles.sequencer.ask(0, 1, asks[3:]))
            await lingers.wait()
            assert not alone.done()
            over.set()
            assert [answer.seq for answer in await alone] == [5]

    asyncio.run(run())


def test_observations_are_counted_once(tmp_path: Path) -> None:
    """By their numbers, which have gaps: what is sent again counts nothing."""

    async def run() -> None:
        pairs = [(f"http://a.test/en/{n}", f"http://a.test/fr/{n}") for n in range(4)]
        async with JudgeRoles(tmp_path, config.Dedup(), 1) as roles:
            assert await roles.sequencer.observe(0, 1, 1, pairs[:2]) == 2
            assert await roles.sequencer.observe(0, 1, 2, pairs[1:3]) == 3
            assert await roles.sequencer.observe(0, 1, 5, pairs[3:]) == 5
            await roles.kill(protocol.SEQUENCER)
            await roles.open()
            assert await roles.sequencer.observe(0, 1, 1, pairs) == 5
            assert await roles.sequencer.observe(0, 1, 5, pairs[3:]) == 5
            counts = Database(tmp_path / protocol.SEQUENCER / "state.sqlite", "ro")
            assert counts.rows("SELECT * FROM editions") == [("a.test/", "en", "fr", 4, 0)]
            counts.close()

    asyncio.run(run())
