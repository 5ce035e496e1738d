"""The pool of reader processes: whose page is read next, in how many at once, within which time."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any, Self, TypeVar

from crawler.config import Job
from crawler.errors import AnalysisUnavailable
from crawler.models import Document, Failure, Listing, PageLinks, Shell
from crawler.urls import host_key, registrable_domain
from crawler.workers.messages import (
    AnalysisFailed,
    AnalysisRequest,
    AnalysisSettings,
    Asks,
    Start,
    frame,
)
from crawler.workers.process import AnalysisProcess, ForkServer, KilledAtStart, ProcessDied

# Whose page is read next, in how many processes at once, and within which time.
#
# All is counted by registrable domain, for that is what costs money: subdomains and ports are free,
# and whoever has a domain has as many of them as he likes. Not by address, which thousands of
# innocent sites may share, and which an attacker need not share with anybody. Where the users of a
# domain are strangers to each other the public suffix list mostly knows it, and tells them apart;
# where it does not, one of them can slow the others down, and no more.
#
# Synchronous, and without a clock of its own: the caller says how long a page took.

QUICK_S = 0.5
"""A page that is read within this is quick, in seconds: no limit is shortened below it, and so long
a page keeps a borrowed process that others wait for. Pages take hundredths of a second."""

HEAL_PAGES = 32
"""Pages read in time after which a domain whose limit was halved down to nothing has its whole time
again. One bad page in seventeen leaves every page the whole time, one in two a sixteenth of it."""

MOST_REMEMBERED = 10_000
"""Domains without pages here of which it is remembered how they fared: the latest, a few MB."""


class Ended(Enum):
    """How a turn ended."""

    READ = "read"
    """The page was read, or found unreadable, within its limit."""
    LATE = "late"
    """It was not read within its limit."""
    CRASHED = "crashed"
    """It ended its process."""
    RETURNED = "returned"
    """It gave its borrowed process back, for others that waited."""
    DROPPED = "dropped"
    """Nobody wants its answer any more."""


@dataclass(slots=True, eq=False)
class Turn:
    """One page: in line for a process, then in one."""

    domain: str
    limit_s: float = 0.0
    """How long it may take, from the moment it has a process."""
    borrowed: bool = False
    """Whether its process is one beyond its domain's own."""
    last: bool = False
    """Whether it is tried again, with all of the time."""


@dataclass(slots=True)
class _Domain:
    waiting: deque[Turn] = field(default_factory=deque)
    reading: int = 0
    used_s: float = 0.0
    """Process time it has had; what others had before it came counts as its own."""
    share: float = 1.0
    """The part of the whole time limit that its pages have."""
    proven: bool = False
    """Whether one of its pages was read since it came."""
    tried_last: bool = False
    """Whether a page is tried again with all of the time, or was, and in vain."""

    @property
    def trusted(self) -> bool:
        return self.proven and self.share == 1.0

    def learn(self, turn: Turn, how: Ended) -> None:
        """A turn has ended."""
        if how is Ended.READ:
            self.proven = True
            self.share = min(1.0, self.share + 1 / HEAL_PAGES)
        elif how is Ended.RETURNED:
            self.share = max(0.0, self.share - 1 / HEAL_PAGES)
        elif how is not Ended.DROPPED:
            self.share /= 2
        if self.share == 1.0 or (turn.last and how in (Ended.READ, Ended.DROPPED)):
            self.tried_last = False


class Turns:
    """The pages that wait to be read, and each domain's share of the processes.

    - The next turn is that of the domain that has had the least of the processes' time since it
      came (start-time fair queueing: Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996).
      Pages of one domain go in the order in which they came.
    - Half of the processes are a domain's own, at least one. It borrows others while nobody else
      wants them, and gives one back that somebody wants once its page has had `QUICK_S`. A domain
      borrows none before a page of it was read, nor while its limit is shortened.
    - A page that is late or crashes halves the limit of its domain's next ones, down to `QUICK_S`;
      each that is read in time brings back a part of it (`HEAL_PAGES`).
    - A page that is late by a shortened limit is tried again with all of the time, after everything
      else that waits. One of a domain at a time is; and when one of these is late too, none is any
      more, until the domain has its whole time again. So pages that need long are read beside the
      few bad ones of their site, and a site of bad pages gets all of the time twice.

    With one process a bad page holds up everybody for its limit: at first all of the time.
    """

    def __init__(self, processes: int, timeout_s: float) -> None:
        self._free = processes
        self._own = max(1, processes // 2)
        self._timeout_s = timeout_s
        self._domains: dict[str, _Domain] = {}
        self._resting: dict[str, _Domain] = {}
        self._last: deque[Turn] = deque()
        self._now_s = 0.0

    def __repr__(self) -> str:
        waiting = sum(len(domain.waiting) for domain in self._domains.values())
        return f"<Turns {waiting}+{len(self._last)} in line, {self._free} processes free>"

    def join(self, name: str) -> Turn:
        """Put a page of a domain in line."""
        turn = Turn(name)
        if name not in self._domains:
            self._domains[name] = self._resting.pop(name, _Domain())
        domain = self._domains[name]
        if not domain.waiting and not domain.reading:
            domain.used_s = max(domain.used_s, self._now_s)
        domain.waiting.append(turn)
        return turn

    def leave(self, turn: Turn) -> None:
        """Take a page out of line."""
        domain = self._domains[turn.domain]
        (self._last if turn.last else domain.waiting).remove(turn)
        domain.learn(turn, Ended.DROPPED)
        self._rest(turn.domain)

    def next(self) -> Turn | None:
        """Give a process to the page whose turn it is; None where there is no such page or process.

        O(domains in line).
        """
        if not self._free:
            return None
        in_line = [domain for domain in self._domains.values() if domain.waiting]
        entitled = [domain for domain in in_line if domain.reading < self._own]
        ready = entitled or [domain for domain in in_line if domain.trusted]
        first = min(ready, key=lambda domain: domain.used_s, default=None)
        if first is not None:
            turn = first.waiting.popleft()
        else:
            again = (one for one in self._last if self._domains[one.domain].reading < self._own)
            last = next(again, None)
            if last is None:
                return None
            turn = last
            self._last.remove(turn)
        domain = self._domains[turn.domain]
        turn.borrowed = domain.reading >= self._own
        shortened_s = max(QUICK_S, domain.share * self._timeout_s)
        turn.limit_s = self._timeout_s if turn.last else min(self._timeout_s, shortened_s)
        domain.reading += 1
        self._free -= 1
        self._now_s = max(self._now_s, domain.used_s)
        return turn

    def keeps(self, turn: Turn) -> bool:
        """Whether a page may keep its process: it is its domain's own, or nobody else waits."""
        if not turn.borrowed or self._domains[turn.domain].reading <= self._own:
            return True
        return not any(
            domain.waiting and domain.reading < self._own for domain in self._domains.values()
        )

    def end(self, turn: Turn, took_s: float, how: Ended) -> bool:
        """Free a page's process, which it had for `took_s`; return whether it is in line again."""
        domain = self._domains[turn.domain]
        domain.reading -= 1
        domain.used_s += took_s
        self._free += 1
        short = turn.limit_s < self._timeout_s
        again = how is Ended.LATE and short and not domain.tried_last
        domain.learn(turn, how)
        if how is Ended.RETURNED:
            domain.waiting.appendleft(turn)
        elif again:
            turn.last = domain.tried_last = True
            self._last.append(turn)
        self._rest(turn.domain)
        return again or how is Ended.RETURNED

    def _rest(self, name: str) -> None:
        """Forget a domain without pages, unless it has something to make up for."""
        domain = self._domains[name]
        if domain.waiting or domain.reading or any(turn.domain == name for turn in self._last):
            return
        del self._domains[name]
        if domain.share < 1.0 or domain.used_s > self._now_s:
            self._resting[name] = domain
        if len(self._resting) > MOST_REMEMBERED:
            del self._resting[next(iter(self._resting))]


BUSY = 0.5
"""A page that hangs computes for at least this part of its time. Where a process did not, something
else kept it or us: a busy machine, one that slept or swapped, a SIGSTOP."""

LOOK_S = 0.5
"""How long a process may do nothing at all, once its page's time is over, until it is taken for
stopped. On the busiest machine it computes some hundredths of that."""

MOST_LIMITS = 8
"""So many times its limit a page may take on a machine that is too busy for it."""

_GRACE_S = 0.05
"""For an answer that came while the event loop was held."""


class Late(Exception):
    """The page has had its time and did not use it up for an answer."""


class Stopped(Exception):
    """The process does not compute."""


class GivenBack(Exception):
    """Others want the process."""


async def answer_of(
    process: AnalysisProcess, framed: bytes, limit_s: float, keeps: Callable[[], bool] | None
) -> Any:
    """Return the answer of a process that has `limit_s` for it; else it is killed.

    Past its limit it is waited for as long as it has not had the time to compute the answer. Raises
    Late, Stopped, ProcessDied, and GivenBack where `keeps` says so of a borrowed one.
    """
    loop = asyncio.get_running_loop()
    answering, until = process.ask(framed), loop.time() + limit_s
    try:
        while (left_s := until - loop.time()) > 0:
            patience_s = left_s if keeps is None else min(left_s, QUICK_S)
            await asyncio.wait({answering}, timeout=patience_s)
            if answering.done():
                return answering.result()
            if keeps is not None and not keeps():
                raise GivenBack
        until, computed_s = loop.time() + (MOST_LIMITS - 1) * limit_s, -1.0
        while True:
            before_s, computed_s = computed_s, process.computed_s
            busy = computed_s > BUSY * limit_s
            await asyncio.wait({answering}, timeout=_GRACE_S if busy else LOOK_S)
            if answering.done():
                return answering.result()
            if busy:
                raise Late
            if computed_s == before_s or loop.time() > until:
                raise Stopped
            if keeps is not None and not keeps():
                raise GivenBack
    finally:
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})


log = logging.getLogger(__name__)

_ATTEMPTS = 2

START_ATTEMPTS = 3
"""Processes in a row that somebody may kill before they are ready."""

PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, *(60.0,) * 10)
"""Between attempts to start a new process in place of a lost one, where files or memory are short:
ten minutes together."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: the answer or AnalysisFailed, and whose doing that was."""

    answer: Any
    how: Ended
    """Any but DROPPED speaks of the page; RETURNED: there is no answer."""


class Slot:
    """Room for one process at a time. Used by one task at a time."""

    def __init__(self, fork_server: ForkServer) -> None:
        self._fork_server = fork_server
        self._process: AnalysisProcess | None = None

    async def ask(
        self, asks: Asks, item: Any, limit_s: float, keeps: Callable[[], bool] | None = None
    ) -> Reply:
        """Ask about an item within `limit_s`; `keeps` says whether a borrowed process is kept.

        Where a process dies, or does not compute, a second one is asked.
        """
        framed = frame((asks.value, item))
        failed, left_s = Reply(None, Ended.DROPPED), limit_s
        for _ in range(_ATTEMPTS):
            process = await self.ready()
            begun = asyncio.get_running_loop().time()
            try:
                answer = await answer_of(process, framed, left_s, keeps)
                crashed = (
                    isinstance(answer, AnalysisFailed) and answer.failure is Failure.ANALYSIS_CRASH
                )
                return Reply(answer, Ended.CRASHED if crashed else Ended.READ)
            except GivenBack:
                return Reply(None, Ended.RETURNED)
            except Late:
                return _late(process, limit_s, Ended.LATE)
            except Stopped:
                failed = _late(process, limit_s, Ended.DROPPED)
            except ProcessDied as death:
                log.warning("%r ended by %s in the middle of a page", process, death)
                detail = f"the page ended {_ATTEMPTS} analysis processes, the last by {death}"
                crash = AnalysisFailed(Failure.ANALYSIS_CRASH, detail)
                failed = Reply(crash, Ended.CRASHED)
                # All attempts share the page's time: one that kills late would cost it twice.
                left_s -= asyncio.get_running_loop().time() - begun
        return failed

    async def ready(self) -> AnalysisProcess:
        """Return a process, a new one where the last one was lost.

        Where this machine is short of means for one, wait for some minutes.
        """
        for pause_s in PAUSES_S:
            try:
                return await self.process()
            except AnalysisUnavailable as error:
                if not error.passes:
                    raise
                log.warning("%s; tried again in %.0f s", error, pause_s)
                await asyncio.sleep(pause_s)
        return await self.process()

    async def process(self) -> AnalysisProcess:
        """Return a process that can be asked, in place of a lost one if need be."""
        for _ in range(START_ATTEMPTS - 1):
            try:
                return await self._started()
            except KilledAtStart as error:
                log.warning("%s; tried again", error)
        return await self._started()

    async def _started(self) -> AnalysisProcess:
        if self._process is None or not self._process.usable:
            await self.gone()
            self._process = await AnalysisProcess.spawn(self._fork_server)
            await self._process.warm_up()
        return self._process

    def kill(self) -> None:
        """End the process at once, if there is one."""
        if self._process is not None:
            self._process.kill()

    async def gone(self) -> None:
        """Wait for the end of a process that died or was killed."""
        if self._process is not None:
            await self._process.gone()
            self._process = None


def _late(process: AnalysisProcess, limit_s: float, how: Ended) -> Reply:
    detail = f"no answer within {limit_s:g} s"
    log.warning("%r: %s, killed", process, detail)
    return Reply(AnalysisFailed(Failure.ANALYSIS_TIMEOUT, detail), how)


_Batch = TypeVar("_Batch")
_Read = TypeVar("_Read")

AHEAD_PER_PROCESS = 3
"""Batches under way a process: one in it, one on its way, one in reserve."""


async def reading_apart(read: Callable[[], _Read], stop: asyncio.Event) -> _Read | None:
    """Return what a call reads, in a thread of its own: the loop goes on with its work meanwhile.

    A pipe may stay silent for ever, and a disk of the network be gone. So where a `stop` is asked
    for, or this is cancelled, nobody waits for the thread, the program's end neither: it is a
    daemon, and None is returned at once.
    """
    if stop.is_set():
        return None
    future: Future[_Read] = Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(read())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="reading", daemon=True).start()
    reading, stopping = asyncio.wrap_future(future), asyncio.create_task(stop.wait())
    either: set[asyncio.Future[Any]] = {reading, stopping}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return reading.result() if reading.done() else None
    finally:
        stopping.cancel()
        reading.cancel()


class Processes:
    """The processes that the `analysis` section of a job asks for, there from entry to exit.

    `make` builds what runs in them: anything that can `warm` and `analyse` a picklable request
    within `timeout_s`, in an address space of `memory_bytes`. It travels by pickle, so it is a
    class or function that a fresh interpreter can import, or a `functools.partial` of one. Without
    it pages are read as the job says, with its extractors. `keys` are those of the stores that what
    it signs is compared with.
    """

    spare = 0
    """Processes beyond one a core, where the job does not say how many: none, as the next batch of
    each is on its way to it."""

    def __init__(
        self,
        job: Job,
        make: Callable[[AnalysisSettings], Any] | None = None,
        keys: tuple[bytes, ...] = (),
    ) -> None:
        limits, settings = job.analysis, AnalysisSettings.of(job, keys)
        start = frame(Start(make, settings, limits.memory_bytes, job.plugins.extractors))
        self._fork_server = ForkServer(start)
        cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
        processes = limits.processes or cores + self.spare
        self._slots = [Slot(self._fork_server) for _ in range(processes)]
        self._free: asyncio.Queue[Slot] = asyncio.Queue()
        self._timeout_s = limits.timeout_s

    async def __aenter__(self) -> Self:
        """Start all processes and wait until they are warm; AnalysisUnavailable if one is not."""
        try:
            async with asyncio.TaskGroup() as group:
                for slot in self._slots:
                    group.create_task(slot.process())
        except BaseExceptionGroup as errors:
            await self.__aexit__()
            raise errors.exceptions[0] from None
        except asyncio.CancelledError:
            await self.__aexit__()
            raise
        for slot in self._slots:
            self._free.put_nowait(slot)
        return self

    @asynccontextmanager
    async def opening(self) -> AsyncIterator[asyncio.Task[Self]]:
        """Open it while the context does something else; yield the task to be waited for.

        That raises what entry would.
        """
        task = asyncio.create_task(self.__aenter__())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.__aexit__()

    async def __aexit__(self, *_: object) -> None:
        """Kill all processes, busy or not, and wait until they are gone."""
        for slot in self._slots:
            slot.kill()
        for slot in self._slots:
            await slot.gone()
        await self._fork_server.close()


class WorkerPool(Processes):
    """Answers questions in the order in which they come."""

    async def ask_each(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return an answer an item, from one process that is asked for all of them at once.

        Where that fails (the process hung or ended) each item is asked for alone, so that only the
        answer of the one to blame is AnalysisFailed.
        """
        slot = await self._free.get()
        try:
            reply = await slot.ask(Asks.PAGE, items, self._timeout_s)
        finally:
            self._free.put_nowait(slot)
        answer: Sequence[Any] | AnalysisFailed = reply.answer
        if not isinstance(answer, AnalysisFailed):
            return answer
        if len(items) == 1:
            return [answer]
        log.debug("a batch of %d was lost (%s): each is tried alone", len(items), answer.detail)
        return [(await self.ask_each([item]))[0] for item in items]

    async def read_ahead(
        self,
        source: Iterator[_Batch],
        items: Callable[[_Batch], Sequence[Any]],
        stop: asyncio.Event,
    ) -> AsyncGenerator[tuple[_Batch, Sequence[Any]], None]:
        """Yield batches in order, each with the answers to its `items`, while the next are read.

        After a `stop` no more is read.

        To be closed (`contextlib.aclosing`) by whoever stops before the end: then what is under way
        is dropped.
        """
        under_way: deque[tuple[_Batch, asyncio.Task[Sequence[Any]]]] = deque()
        try:
            while True:
                while len(under_way) < AHEAD_PER_PROCESS * len(self._slots):
                    batch = await reading_apart(partial(next, source, None), stop)
                    if batch is None:
                        break
                    under_way.append((batch, asyncio.create_task(self.ask_each(items(batch)))))
                if not under_way:
                    return
                batch, answers = under_way.popleft()
                yield batch, await answers
        finally:
            for _, answers in under_way:
                answers.cancel()
            await asyncio.gather(*(answers for _, answers in under_way), return_exceptions=True)


Planned = Callable[[AnalysisRequest], AnalysisRequest]


def as_it_is(request: AnalysisRequest) -> AnalysisRequest:
    """Return the request: nothing is planned."""
    return request


class AnalysisPool(Processes):
    """Reads pages, whole or by their links; what `make` builds can do both.

    Who is read when, and within which time, is for `Turns` to say.
    """

    spare = 1
    """A process waits for its next page while the crawl's own is at another one: with one a core,
    two cores were idle for a fifth of the time."""

    def __init__(
        self,
        job: Job,
        make: Callable[[AnalysisSettings], Any] | None = None,
        keys: tuple[bytes, ...] = (),
    ) -> None:
        super().__init__(job, make, keys)
        self._turns = Turns(len(self._slots), self._timeout_s)
        self._calls: dict[Turn, asyncio.Future[None]] = {}

    @property
    def waiting(self) -> int:
        """Pages in line."""
        return len(self._calls)

    @property
    def busy(self) -> int:
        """Pages that are being read."""
        return len(self._slots) - self._free.qsize()

    @property
    def processes(self) -> int:
        """Processes, busy or not."""
        return len(self._slots)

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """Return what the page says, or why it could not be read; waits for its turn.

        What is asked then is what `planned` makes of the request at that moment. It is called again
        where the page has to be asked for again.
        """
        answer: Document | AnalysisFailed = await self._read(Asks.PAGE, request, planned)
        return answer

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """Return where the page leads, or why it could not be read; waits for its turn."""
        answer: PageLinks | AnalysisFailed = await self._read(Asks.LINKS, request)
        return answer

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """Return what a sitemap or feed lists, None where it is none; waits for its turn."""
        answer: Listing | AnalysisFailed | None = await self._read(Asks.LISTING, request)
        return answer

    async def shell(self, request: AnalysisRequest) -> Shell | AnalysisFailed | None:
        """Return what a page shows without its scripts, None where it has none."""
        answer: Shell | AnalysisFailed | None = await self._read(Asks.SHELL, request)
        return answer

    async def _read(self, asks: Asks, request: AnalysisRequest, planned: Planned = as_it_is) -> Any:
        """Ask a process, once it is the page's turn: then there is a free one for it.

        A lost process is replaced before anybody else's turn: that is part of what its page cost.
        """
        turn = self._turns.join(registrable_domain(host_key(request.url)))
        loop = asyncio.get_running_loop()
        again = True
        while again:
            call = self._calls[turn] = loop.create_future()
            self._call()
            try:
                await call
            except asyncio.CancelledError:
                if self._calls.pop(turn, None) is None:
                    self._turns.end(turn, 0.0, Ended.DROPPED)
                else:
                    self._turns.leave(turn)
                self._call()
                raise
            slot, begun, how = self._free.get_nowait(), loop.time(), Ended.DROPPED
            keeps = partial(self._turns.keeps, turn) if turn.borrowed else None
            try:
                reply = await slot.ask(asks, planned(request), turn.limit_s, keeps)
                await slot.ready()
                how = reply.how
            finally:
                self._free.put_nowait(slot)
                again = self._turns.end(turn, loop.time() - begun, how)
                if not again:
                    self._call()
        answer = reply.answer
        is_late = isinstance(answer, AnalysisFailed) and answer.failure is Failure.ANALYSIS_TIMEOUT
        if not is_late or turn.limit_s >= self._timeout_s:
            return answer
        why = f", not {self._timeout_s:g}: earlier pages of {turn.domain} took too long, or crashed"
        return replace(answer, detail=answer.detail + why)

    def _call(self) -> None:
        """Call all whose turn it is."""
        while (turn := self._turns.next()) is not None:
            call = self._calls.pop(turn)
            if not call.done():
                call.set_result(None)
