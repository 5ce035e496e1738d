"""Depths that turn out to be smaller: a URL found by a longer path first, because of a retry.

`limits.depth` speaks of the shortest path. What was found lately is remembered with its depth, and
with what it led to, in bounded memory: when a shorter path leads there, its links are offered
again, and so on from those. A URL that was found long before is not: then its first depth stands.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict, deque
from dataclasses import dataclass, replace

from crawler.frontier.allowance import Allowance
from crawler.records import FetchTask, Priority

MOST_URLS = 50_000
"""URLs that are remembered: what is found while a retry waits its minutes, at full speed."""
MOST_BYTES = 32_000_000
"""What their links may take, compressed; those of the oldest are forgotten first."""


@dataclass(frozen=True, slots=True)
class Nearer:
    """A URL that was found by a shorter path; what it had led to before, to be offered again."""

    task: FetchTask
    """With its new depth."""
    links: tuple[str, ...]
    priority: Priority
    step: int
    """How much deeper the links are: 1, or 0 for where a redirect leads."""
    allowance: Allowance | None = None
    """What is left to the page to pay for its links with; None: they cost nothing."""


@dataclass(slots=True)
class _Found:
    task: FetchTask
    packed: bytes = b""
    priority: Priority = Priority.ORDINARY
    step: int = 1
    allowance: Allowance | None = None
    ended: bool = False


class Depths:
    """What is remembered of the URLs that were found last; nothing where depth is not `limited`."""

    def __init__(self, *, limited: bool = True) -> None:
        self._limited = limited
        self._found: OrderedDict[str, _Found] = OrderedDict()
        self._bytes = 0
        self._nearer: deque[_Found] = deque()
        self._lowered: dict[int, int] = {}

    def found(self, task: FetchTask) -> None:
        """A URL was accepted."""
        if not self._limited:
            return
        self._found[task.url] = _Found(task)
        while len(self._found) > MOST_URLS or self._bytes > MOST_BYTES:
            self._bytes -= len(self._found.popitem(last=False)[1].packed)

    def found_again(self, url: str, depth: int) -> None:
        """A URL that was accepted before is led to from another page."""
        found = self._found.get(url)
        if found is not None and depth < found.task.depth:
            found.task = replace(found.task, depth=depth)
            if found.ended:
                self._nearer.append(found)
                self._lowered[found.task.url_id] = depth

    def of(self, task: FetchTask) -> FetchTask:
        """Return a task with the smallest depth that is known of it: a shorter path may be."""
        found = self._found.get(task.url)
        if found is None or found.task.depth >= task.depth:
            return task
        return replace(task, depth=found.task.depth)

    def led_to(
        self,
        task: FetchTask,
        links: tuple[str, ...],
        priority: Priority,
        step: int,
        allowance: Allowance | None = None,
    ) -> None:
        """A page's links were offered, `step` deeper than itself, in case it is found nearer."""
        found = self._found.get(task.url)
        if found is not None and links:
            self._bytes -= len(found.packed)
            found.packed = zlib.compress("\n".join(links).encode("utf-8", "surrogatepass"), 1)
            self._bytes += len(found.packed)
            found.priority, found.step, found.allowance = priority, step, allowance

    def ended(self, task: FetchTask) -> None:
        """A task has ended."""
        found = self._found.get(task.url)
        if found is not None:
            found.ended = True
            if found.task.depth < task.depth:
                self._lowered[task.url_id] = found.task.depth

    def take_lowered(self) -> dict[int, int]:
        """Return, once, smaller depths of URLs that have ended, by id: for the store."""
        lowered, self._lowered = self._lowered, {}
        return lowered

    @property
    def of_pending(self) -> dict[int, int]:
        """The depths of URLs that have not ended, by id, as far as they are remembered.

        For the store at the end of a run.
        """
        return {f.task.url_id: f.task.depth for f in self._found.values() if not f.ended}

    def take_nearer(self) -> Nearer | None:
        """Return, once, what has ended and was found by a shorter path since.

        Its links are to be offered again, which may bring more. None where nothing is left.
        """
        if not self._nearer:
            return None
        found = self._nearer.popleft()
        links = _links(found.packed)
        return Nearer(found.task, links, found.priority, found.step, found.allowance)


def _links(packed: bytes) -> tuple[str, ...]:
    if not packed:
        return ()
    return tuple(zlib.decompress(packed).decode("utf-8", "surrogatepass").split("\n"))
