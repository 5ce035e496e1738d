"""Pages on their way to the job's sinks.

From the committed lines, each sink in a thread and at its own pace.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any

import orjson

from crawler.console import Say, command, safe
from crawler.errors import CrawlerError, SinkError
from crawler.plugins import Sink
from crawler.sources.event_loop import until_any
from crawler.storage.journal import BEGINNING, Place, read_after
from crawler.storage.store import Store
from crawler.storage.tables import Meta

# ---------------------------------------------------------------- sink thread
# Ordinary functions of a sink wait for disks and servers there, in their turn. One thread and
# always the same: connections of databases may be bound to the one that made them.


_Call = tuple[Callable[[], object], "Future[object]"]


class SinkThread:
    """Runs calls one after the other; begins with the first one, ends after `end`."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        # A daemon: a sink that hangs must not keep the process.
        self._thread = threading.Thread(target=self._run, name=f"sink-{name}", daemon=True)
        self._begun = False

    def submit(self, call: Callable[[], object]) -> Future[object]:
        """Run a call after those before it; one whose future is cancelled by then is left out."""
        if not self._begun:
            self._begun = True
            self._thread.start()
        future: Future[object] = Future()
        self._calls.put((call, future))
        return future

    def end(self) -> None:
        """Nothing more is submitted."""
        self._calls.put(None)

    def _run(self) -> None:
        while (given := self._calls.get()) is not None:
            call, future = given
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)


# ---------------------------------------------------------------- sinks
# A sink is given what lies in the files, and how far it has come is kept in the store: so a slow
# one takes no memory and holds nobody up, one that was away catches up, and a line that is not
# known to be taken is given again.


log = logging.getLogger(__name__)

KINDS = ("pages", "duplicates")
"""The lines that are given, the first kind first."""
MOST_LINES, MOST_BYTES = 256, 4_000_000
"""Read from the files at once."""
SLICE_S = 0.2
"""After which an ordinary function is given no further line before it is asked how things are."""
TOLD_AFTER_S = 2.0
"""At the end of a crawl: how long sinks are waited for before that is said."""
FLUSH_S = 2.0
"""Shortest time between two notes of how far a sink has come: each is a commit."""
CLOSE_S = 30.0
"""Longest time that a sink may take to close."""
_MOST_SAID = 300


_Some = tuple[Place, Mapping[str, Any]]
"""Where a line ends, and what it says."""


class SinkFeed:
    """Feeds one sink; `failed` is called once, where the sink raised: then `error` is why."""

    def __init__(self, name: str, sink: Sink, store: Store, failed: Callable[[], object]) -> None:
        self.name = name
        self._sink = sink
        self._store = store
        self._failed = failed
        self._thread = SinkThread(name)
        self._came = asyncio.Event()
        self._places: dict[str, Place] = {}
        self._is_noted = True
        self._noted_at = time.monotonic()
        self._ending = False
        self.error: CrawlerError | None = None

    async def open(self) -> None:
        """Open the sink, and find where it was left; SinkError where it cannot be opened."""
        kept: Mapping[str, Sequence[Any]] = self._store.meta(Meta.SINKS, {}).get(self.name, {})
        self._places = {kind: Place(*kept.get(kind, BEGINNING)) for kind in KINDS}
        self._store.listeners.append(self._came.set)
        try:
            await self._call("open", self._store.directory)
        except BaseException:
            self._thread.end()
            raise

    async def run(self) -> None:
        """Give what is committed, and what will be, until the `end` or the sink fails."""
        try:
            while True:
                is_last = self._ending
                await self._give()
                if is_last:
                    await self._note()
                    return
                await self._came.wait()
                self._came.clear()
        except CrawlerError as error:
            self.error = error
            self._failed()

    def end(self) -> None:
        """Nothing more will be committed: `run` ends once all of it was given."""
        self._ending = True
        self._came.set()

    async def close(self, dropped: asyncio.Event) -> None:
        """Close the sink, unless it does not answer or all is `dropped`, and end its thread."""
        closing = asyncio.create_task(self._call("close"))
        try:
            await until_any(closing, dropped, timeout=CLOSE_S)
            if closing.done():
                closing.result()
            else:
                log.warning("plugins.sinks: %s: not closed", self.name)
        finally:
            closing.cancel()
            self._thread.end()

    async def _give(self) -> None:
        gave = True
        while gave:
            gave = False
            for kind in KINDS:  # in turns: none waits until there is nothing of another
                some = await self._next(kind)
                while some:
                    gave = True
                    some = some[await self._write(kind, some) :]
                    if time.monotonic() - self._noted_at >= FLUSH_S:
                        await self._note()
        if time.monotonic() - self._noted_at >= FLUSH_S:
            await self._note()

    async def _next(self, kind: str) -> list[_Some]:
        """Return some lines after the last one that was taken, each with where it ends."""
        files, place = self._store.files()[kind], self._places[kind]
        if not files or place == (last := next(reversed(files)), files[last].bytes):
            return []
        directory = self._store.directory
        found = partial(read_after, directory, files, place, MOST_LINES, MOST_BYTES)
        return await asyncio.to_thread(lambda: [(end, orjson.loads(data)) for end, data in found()])

    async def _write(self, kind: str, some: Sequence[_Some]) -> int:
        """Give some lines; return how many were taken, one at least."""
        write = self._sink.write
        if inspect.iscoroutinefunction(write):
            await self._call("write", kind, some[0][1])
            taken = 1
        else:

            def write_some() -> int:  # one way to the thread and back for many
                until = time.monotonic() + SLICE_S
                for number, (_, line) in enumerate(some, 1):
                    write(kind, line)
                    if time.monotonic() >= until:
                        return number
                return len(some)

            taken = int(await self._call("write", in_thread=write_some))
        self._places[kind], self._is_noted = some[taken - 1][0], False
        return taken

    async def _note(self) -> None:
        """Have the sink make durable what it has, then note how far it has come."""
        if not self._is_noted:
            await self._call("flush")
            places = {kind: list(place) for kind, place in self._places.items()}
            self._store.set_meta(
                Meta.SINKS, {**self._store.meta(Meta.SINKS, {}), self.name: places}
            )
            self._is_noted = True
        self._noted_at = time.monotonic()

    async def _call(
        self, name: str, *arguments: Any, in_thread: Callable[[], Any] | None = None
    ) -> Any:
        """Call a method of the sink, or what calls it in its thread; SinkError for what it raises.

        An ordinary function is called in the thread.
        """
        method = getattr(self._sink, name)
        is_async = inspect.iscoroutinefunction(method)
        try:
            if is_async:
                return await method(*arguments)
            call = in_thread or partial(method, *arguments)
            return await asyncio.wrap_future(self._thread.submit(call))
        except Exception as error:
            if isinstance(error, CrawlerError) and not is_async:
                raise
            message = " ".join(str(error).split())[:_MOST_SAID]
            said = f"{type(error).__name__}: {message}" if message else type(error).__name__
            has_begun = self._store.next_url_id > 1  # else there is nothing to be resumed
            again = command("resume", self._store.directory) if has_begun else "the same command"
            raise SinkError(
                safe(
                    f"plugins.sinks: {self.name}: {name} failed, the crawl must stop: {said}. All "
                    "that was judged is stored, and what this sink has not taken is given again. "
                    f"Repair the cause, then: {again}"
                )
            ) from error


class Sinks:
    """All sinks of a crawl, open from entry to exit; `failed` is called where one of them is."""

    def __init__(
        self,
        sinks: Sequence[tuple[str, Sink]],
        store: Store,
        failed: Callable[[], object],
        give_up: asyncio.Event,
        grace_s: float,
        say: Say = lambda line: None,
    ) -> None:
        """Once it is asked to `give_up`, no sink is waited for longer than `grace_s`."""
        self._give_up = give_up
        self._grace_s = grace_s
        self._dropped = asyncio.Event()
        self._say = say
        self._store = store
        self._feeds = [SinkFeed(name, sink, store, failed) for name, sink in sinks]
        self._open: list[SinkFeed] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Sinks:
        """Open all; SinkError where one cannot be, and the others are closed again.

        Where the run is stopped meanwhile, those that are not open by then are left out.
        """
        try:
            for feed in self._feeds:
                opening = asyncio.create_task(feed.open())
                try:
                    await until_any(opening, self._give_up, self._dropped)
                    await until_any(opening, self._dropped, timeout=self._grace_s)
                finally:
                    opening.cancel()
                if not opening.done():
                    self._say(f"plugins.sinks: {feed.name}: not opened, since the run was stopped")
                    break
                opening.result()
                self._open.append(feed)
        except BaseException:
            await self._close()
            raise
        self._tasks = [asyncio.create_task(feed.run()) for feed in self._open]
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, _: object) -> None:
        """Close all; SinkError where one cannot be and nothing else went wrong."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:  # a coroutine may not hear that it is cancelled
            await asyncio.wait(self._tasks, timeout=CLOSE_S)
        try:
            await self._close()
        except SinkError as trouble:
            if error is None:
                raise
            log.warning("%s", trouble)

    async def finish(self) -> None:
        """Give each sink the rest of what is committed.

        What is left, where the run is stopped, is given in the next one, and that is said.
        CrawlerError where a sink has failed.
        """
        for feed in self._feeds:
            feed.end()
        if self._tasks:
            given = asyncio.create_task(asyncio.wait(self._tasks))
            try:
                if not await until_any(given, self._give_up, timeout=TOLD_AFTER_S):
                    self._say(
                        "Waiting until sinks have all pages; Ctrl-C leaves the rest for later."
                    )
                    await until_any(given, self._give_up)
                await asyncio.wait({given}, timeout=self._grace_s)
            finally:
                given.cancel()
        for feed in self._feeds:
            if feed.error is not None:
                raise feed.error
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()
        if not all(task.done() and not task.cancelled() for task in self._tasks):
            again = command("resume", self._store.directory)
            self._say(f"Sinks have not taken all pages; the rest is given by: {again}")

    def drop(self) -> None:
        """Give nothing more, and wait for none; what is left is given in the next run."""
        self._dropped.set()
        for task in self._tasks:
            task.cancel()

    async def _close(self) -> None:
        trouble: SinkError | None = None
        while self._open:
            try:
                await self._open.pop().close(self._dropped)
            except SinkError as error:
                trouble = trouble or error
        if trouble is not None:
            raise trouble
