"""A crawl of several partitions seen as one: begun, watched, held to its limits, and ended.

It holds no truth: the limits are counted by what the partitions say, and where it is gone, they
come to rest and `cluster resume` goes on from their directories.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from typing import Any, Protocol

from crawler.cluster.partition import PartitionStatus
from crawler.cluster.protocol import SEQUENCER, Carrier, Gone, partition, shard
from crawler.cluster.root import Root
from crawler.console import Say, progress
from crawler.frontier.view import RulesSeen
from crawler.models import UrlState
from crawler.observe.counting import Counted
from crawler.observe.health import Health
from crawler.observe.progress import hms
from crawler.observe.watching import Phase, Sight, Steering
from crawler.sources.web.crawl import Disk
from crawler.units import counted
from crawler.views.live.ends import End

log = logging.getLogger(__name__)

POLL_S = 0.5
"""Between two looks at all partitions."""
MOST_ALLOWED = 512
"""Pages that a partition is allowed to fetch at once."""
SILENT_S = 30.0
"""After which it is told that a role does not answer, and why."""
PATIENCE_S = 30.0
"""After which a call is held for lost: a role that hangs shall not keep the others from being
watched. One that hangs for as long again is replaced: all answer `status` at once, whatever else
they do."""


MOST_RULES, MOST_TURNS = 40, 20
"""Rules of URLs and what became of some that are shown, of all partitions together."""

_STOP = "stop"


def ask_to_stop(root: Root) -> None:
    """Have the run of a crawl stop, whichever machine it is on: it looks for this file."""
    (root.path / _STOP).touch()


def take_stop(root: Root) -> bool:
    """Whether it was asked to; the next run is not."""
    try:
        (root.path / _STOP).unlink()
    except FileNotFoundError:
        return False
    return True


class Engine(Protocol):
    """What places roles on machines, restarts them and carries their calls."""

    @property
    def carrier(self) -> Carrier:
        """What calls them."""

    async def start(self, roles: list[str]) -> None:
        """Have these roles run, each once."""

    async def replace(self, role: str) -> None:
        """Have a role that hangs begin anew, in another process; where it cannot, do nothing."""

    async def end(self) -> None:
        """End them all, and what was started for them."""


class Onlooker(Protocol):
    """Watches all partitions as one run, and steers them."""

    def hear(self, end: End) -> None:
        """Hear of a URL's end."""

    def watching(self, run: Steering) -> AbstractAsyncContextManager[None]:
        """Watch the run while the context lasts, within its event loop."""


class _Hangs(Gone):
    """A call was not answered, nor refused, for PATIENCE_S."""


class Coordinator:
    """Runs all partitions to their end: `Work` of the event loop. `clock` is monotonic.

    For who watches it is a `Steering`: of what was told last, and what is asked is done with the
    next look.
    """

    def __init__(
        self,
        root: Root,
        engine: Engine,
        say: Say,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        onlooker: Onlooker | None = None,
        health: Health | None = None,
    ) -> None:
        self._onlooker = onlooker
        self._health = health
        self._phase = Phase.OPENING
        self._paused = False
        self._halted: set[str] = set()
        self._is_steered = False
        """Whether anything of that was ever asked for."""
        self._wanted: tuple[tuple[str, ...], int] = (), 0
        """Hosts that were asked for last, and how many others."""
        self._root = root
        self._engine = engine
        self._say = say
        self._clock = clock
        self._pause = pause
        self._limits = root.job.limits
        self._disk = Disk(root.job.limits, root.path, say)
        self._stopping = False
        self._silent: dict[int, float] = {}
        """Partition -> since when it does not answer."""
        self._hanging: dict[str, float] = {}
        """Role -> when it was first asked in vain, of calls in a row."""
        self._failed: set[int] = set()
        """Partitions that cannot go on."""
        self._trouble: Exception | None = None
        """Why the first role could not."""
        self.statuses: dict[int, PartitionStatus] = {}
        """The last one of each partition."""
        self._plan_seen = 0
        self._added: tuple[str, ...] = ()
        """Seeds that came while this runs."""
        self._told: dict[int, tuple[int, int]] = {}
        """Partition -> its epoch, and how many of these it has at that."""

    @property
    def roles(self) -> list[str]:
        """All roles: those that others need first."""
        return [*self._judges, *map(partition, self._root.partitions)]

    @property
    def _judges(self) -> list[str]:
        return [*map(shard, range(self._root.plan.judge_shards)), SEQUENCER]

    async def run(self) -> None:
        """Crawl until nothing is left, a limit is reached or `stop` is called.

        Raises what a role cannot go on with, a StoreError mostly, when all others have stopped.
        """
        take_stop(self._root)  # of a run that was killed
        async with AsyncExitStack() as stack:
            for by in (self._onlooker, self._health):
                if by is not None:
                    await stack.enter_async_context(by.watching(self))
            try:
                await self._engine.start(self.roles)
                self._phase = Phase.RUNNING
                await self._watch()
                for role in self.roles:
                    await self._call(role, "close")
            finally:
                await self._engine.end()

    # ----------------------------------------------------------------------------------------------
    # Seen and steered

    def counted(self) -> Mapping[str, Counted]:
        """Return what each partition's process has counted, by name; any thread may ask."""
        return {
            self._root.partition(number).name: status.counted
            for number, status in sorted(dict(self.statuses).items())
            if status.counted is not None
        }

    def look(self, names: Iterable[str], most: int) -> Sight:
        """See Steering."""
        if most:
            self._wanted = tuple(names), most
        statuses = self.statuses.values()
        sights = [status.sight for status in statuses if status.sight is not None]

        def summed(name: str) -> int:
            return sum(getattr(sight, name) for sight in sights)

        ends: Counter[UrlState] = Counter()
        for status in statuses:
            ends.update(status.ends)
        numbers = "siblings in_memory known_hosts aside unread reading in_flight turns".split()
        return Sight(
            phase=self._phase_now,
            ends={state: ends[state] for state in UrlState},
            wire_bytes=sum(status.wire_bytes for status in statuses),
            seen=sum(status.seen for status in statuses),
            pending=sum(status.pending for status in statuses),
            stall_p99_s=max((sight.stall_p99_s for sight in sights), default=0.0),
            hosts=tuple(host for sight in sights for host in sight.hosts),
            rules=_together([sight.rules for sight in sights]),
            **{name: summed(name) for name in numbers},
        )

    @property
    def _phase_now(self) -> Phase:
        if self._stopping:
            return Phase.STOPPING
        if len(self.statuses) < self._root.plan.partitions:
            return Phase.OPENING
        if self._phase is Phase.RUNNING and self._paused:
            return Phase.PAUSED
        return self._phase

    def pause(self) -> None:
        """See Steering."""
        if self._phase_now is Phase.RUNNING:
            self._paused = self._is_steered = True

    def go_on(self) -> None:
        """See Steering."""
        self._paused = False

    def stop_host(self, name: str) -> bool:
        """See Steering; known are the hosts that were shown last."""
        if all(host.name != name for host in self.look((), 0).hosts):
            return False
        self._halted.add(name)
        self._is_steered = True
        return True

    def release_host(self, name: str) -> bool:
        """See Steering."""
        if name not in self._halted:
            return False
        self._halted.remove(name)
        return True

    async def _steer(self) -> None:
        """Have partitions do what who watches has asked for, those that were opened again too."""
        if not self._is_steered:
            return
        hosts = {number: list[str]() for number in self._root.partitions}
        for name in sorted(self._halted):
            hosts[self._root.partition_of(name)].append(name)
        await asyncio.gather(
            *(
                self._call(partition(number), "steer", self._paused, hosts[number])
                for number in self._running
            )
        )

    # ----------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Begin no new page; where that is asked for by `ask_to_stop`, too."""
        self._stopping = True

    def cancel(self) -> None:
        """Drop what is under way: each partition does after its job's grace period."""
        self._stopping = True

    async def _watch(self) -> None:
        begun, told, finishing = self._clock(), self._clock(), False
        rested: Mapping[int, PartitionStatus] | None = None
        watching = asyncio.create_task(self._disk.watch(self._root.job.progress_s, self.stop))
        try:
            while True:
                now = self._clock()
                await self._look(now)
                if not self._running:
                    if self._trouble is not None:
                        raise self._trouble
                    return
                if now - told >= self._root.job.progress_s:
                    told = now
                    self._say(progress(self.line(now - begun)))
                if await self._tell_of_seeds():
                    rested = None
                await self._steer()
                most, time_s = self._limits.bytes, self._limits.time_s
                is_late = time_s is not None and now - begun >= time_s
                sent = sum(status.wire_bytes for status in self.statuses.values())
                if is_late or (most is not None and sent >= most) or take_stop(self._root):
                    self._stopping = True
                if self._stopping:
                    await self._all("stop")
                elif finishing or (rested is not None and self._are_at_rest(rested)):
                    finishing, self._phase = True, Phase.CLOSING
                    await self._all("finish")
                else:
                    await self._allow()
                rested = dict(self.statuses)
                await self._pause(POLL_S)
        finally:
            watching.cancel()

    async def _tell_of_seeds(self) -> bool:
        """Tell partitions of seeds that were added; those that were opened again, once more.

        Returns whether any was told.
        """
        if (modified := self._root.modified) != self._plan_seen:
            self._plan_seen = modified
            known = {*self._root.job.seeds, *self._added}
            seeds = Root.open(self._root.path).job.seeds
            self._added += tuple(url for url in seeds if url not in known)
        told = False
        for number in self._running if self._added else ():
            if (status := self.statuses.get(number)) is None:
                continue
            state = status.epoch, len(self._added)
            if self._told.get(number) != state:
                answer = await self._call(partition(number), "add", self._added)
                if not isinstance(answer, Exception):
                    self._told[number], told = state, True
        return told

    async def _look(self, now: float) -> None:
        """Ask every partition how it is doing, and the judge whether it can go on."""
        numbers = self._running
        roles = [*map(partition, numbers), *self._judges]
        shown = [*(self._shown(number) for number in numbers), *(() for _ in self._judges)]
        answers = await asyncio.gather(
            *(self._call(role, "status", *told) for role, told in zip(roles, shown, strict=True))
        )
        for role, answer in zip(roles, answers, strict=True):
            if not isinstance(answer, _Hangs):
                self._hanging.pop(role, None)
            elif now - self._hanging.setdefault(role, now) >= PATIENCE_S:
                del self._hanging[role]
                self._say(f"{role} hangs: it is begun anew")
                await self._engine.replace(role)
        for judge in answers[len(numbers) :]:
            if isinstance(judge, Exception) and not isinstance(judge, Gone):
                self._stop_for(judge)
        for number, answer in zip(numbers, answers, strict=False):
            if isinstance(answer, PartitionStatus):
                self.statuses[number] = answer
                if self._onlooker is not None:
                    for end in answer.over:
                        self._onlooker.hear(end)
                for line in answer.said:
                    self._say(f"{self._root.partition(number).name}: {line}")
                self._silent.pop(number, None)
            elif isinstance(answer, Gone):
                since = self._silent.setdefault(number, now)
                if now - since > SILENT_S:
                    self._silent[number] = now
                    self._say(f"{partition(number)} does not answer: {answer}")
            else:
                self._failed.add(number)
                self._stop_for(answer)

    def _shown(self, number: int) -> tuple[Any, ...]:
        """Return what a partition is to tell for who watches."""
        if self._onlooker is None:
            return ()
        names, most = self._wanted
        own = [name for name in names if self._root.partition_of(name) == number]
        return own, -(-most // self._root.plan.partitions)

    @property
    def _running(self) -> list[int]:
        """Partitions that have not ended."""
        ended = {number for number, status in self.statuses.items() if status.ended}
        return sorted({*self._root.partitions} - ended - self._failed)

    def _stop_for(self, trouble: Exception) -> None:
        """Have all stop, since a role cannot go on."""
        self._trouble = self._trouble or trouble
        self._stopping = True

    async def _all(self, method: str) -> None:
        """Call a method of every partition that has not ended."""
        await asyncio.gather(*(self._call(partition(number), method) for number in self._running))

    async def _call(self, role: str, method: str, *args: Any) -> Any:
        """Call a role; return what it raises. Whoever does not answer for long is Gone."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._engine.carrier.call(role, method, *args)
        except TimeoutError:
            return _Hangs(f"no answer to {method} within {PATIENCE_S:g} s")
        except Exception as why:
            log.info("%s of %s: %s", method, role, why)
            return why

    def _are_at_rest(self, before: Mapping[int, PartitionStatus]) -> bool:
        """Whether nothing is left to be done and nothing on its way, now as when last looked at.

        What one has sent the other has taken; twice the same, since answers are of two moments.
        """
        now = self.statuses
        if len(now) < self._root.plan.partitions or before != now or self._silent:
            return False
        if not all(status.at_rest or status.ended for status in now.values()):
            return False
        if self._left() and any(status.hungry for status in now.values()):
            return False
        if self._left() != 0 and any(status.waits for status in now.values()):
            return False
        return all(
            sent == now[receiver].taken.get(sender, 0)
            for sender, status in now.items()
            for receiver, sent in status.sent.items()
        )

    def _left(self) -> int | None:
        """Return how many pages may still be allowed; None without a limit."""
        if self._limits.pages is None:
            return None
        return self._limits.pages - sum(of.claimed or 0 for of in self.statuses.values())

    async def _allow(self) -> None:
        """Share out what the limit of pages leaves, bit by bit: in all it is never more."""
        left = self._left()
        if left is None or len(self.statuses) < self._root.plan.partitions:
            return
        hungry = [number for number, status in self.statuses.items() if status.hungry]
        for number in hungry:
            if left <= 0:
                return
            more = min(left, MOST_ALLOWED, max(1, left // (2 * len(hungry))))
            left -= more
            status = self.statuses[number]
            claimed = (status.claimed or 0) + more
            # Counted whether it answers or not: it may have heard of it.
            self.statuses[number] = replace(status, claimed=claimed)
            await self._call(partition(number), "allow", claimed)

    def line(self, ran_s: float) -> str:
        """Return how all of it is doing, for who waits."""
        now = self.look((), 0)
        stored, duplicates = now.ends[UrlState.STORED], now.ends[UrlState.DUPLICATE]
        pages, pending = stored + duplicates, now.seen - sum(now.ends.values())
        told = f"{hms(ran_s)}  {counted(pages, 'page')} ({pages / max(ran_s, 1e-9):.1f}/s)"
        silent = f", {len(self._silent)} partitions silent" if self._silent else ""
        return (
            f"{told}, {stored:,} stored, {duplicates:,} duplicates, {pending:,} of {now.seen:,} "
            f"URLs pending{silent}"
        )


def _together(rules: Sequence[RulesSeen]) -> RulesSeen:
    """Return the rules of all partitions."""
    waiting = sorted((one for of in rules for one in of.waiting), key=lambda one: -one[1])
    turns = sorted((turn for of in rules for turn in of.turns), key=lambda turn: turn.ago_s)
    return RulesSeen(
        sum(of.number for of in rules),
        sum(of.urls for of in rules),
        tuple(waiting[:MOST_RULES]),
        tuple(turns[:MOST_TURNS]),
        tuple(dict.fromkeys(rule for of in rules for rule in of.released)),
    )
