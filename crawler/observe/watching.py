"""Who watches a crawl and steers it, as the crawl sees it; and what it sees of the crawl.

Those that there are (`crawler.live`) are far above this: a page, which needs a server; a panel in
the terminal; lines of verdicts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from crawler.frontier.sight import HostSeen
from crawler.records import Batch, UrlState


class Phase(StrEnum):
    """What a run does."""

    OPENING = "opening"
    """What is known is restored, processes are started."""
    RUNNING = "running"
    PAUSED = "paused"
    """Nothing is begun; what is under way ends."""
    STOPPING = "stopping"
    """The same, and then the run ends."""
    CLOSING = "closing"
    """All pages have ended; what was learned is kept, the counts are compared."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A run at one moment. Before its parts are open, what they would say is 0."""

    phase: Phase
    ends: Mapping[UrlState, int]
    """URLs by how they ended, in all runs of the crawl."""
    wire_bytes: int
    """Of the bodies of all pages, as they travelled, in all runs."""
    siblings: int = 0
    """Pages among them that were judged to be siblings."""
    seen: int = 0
    """URLs ever accepted."""
    pending: int = 0
    in_memory: int = 0
    known_hosts: int = 0
    aside: int = 0
    """Hosts that are put aside."""
    unread: int = 0
    """Pages that wait for an analysis process."""
    reading: int = 0
    in_flight: int = 0
    """Turns under way: pages, addresses, robots.txt."""
    stall_p99_s: float = 0.0
    hosts: tuple[HostSeen, ...] = ()


class Steering(Protocol):
    """A run, for who watches it. Belongs to the run's event loop, as all that it does."""

    def look(self, names: Iterable[str], most: int) -> Sight:
        """Return how it is doing, with the hosts of these names and about `most` others."""

    def pause(self) -> None:
        """Begin no new request; those under way end. Nothing happens where the run is ending."""

    def go_on(self) -> None:
        """Begin requests again."""

    def stop_host(self, name: str) -> bool:
        """Ask nothing more of a host in this run, its URLs stay pending; False: not known."""

    def release_host(self, name: str) -> bool:
        """Ask it again; False where it was not stopped."""


class Watcher(Protocol):
    """Hears of each end, and steers a run while it lasts."""

    def add(self, batch: Batch) -> None:
        """Hear of a URL's end."""

    def watching(self, run: Steering) -> AbstractAsyncContextManager[None]:
        """Watch a run while the context lasts, within its event loop."""


class Together:
    """Several that watch one run."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = watchers

    def add(self, batch: Batch) -> None:
        """Hear of a URL's end."""
        for watcher in self._watchers:
            watcher.add(batch)

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Watch a run while the context lasts, within its event loop."""
        async with AsyncExitStack() as stack:
            for watcher in self._watchers:
                await stack.enter_async_context(watcher.watching(run))
            yield
