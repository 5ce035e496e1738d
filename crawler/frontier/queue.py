"""The pending URLs of one host: the first of them in memory, the rest in the store.

Order is by key `(priority, depth, url_id)`: breadth first, links of duplicates last. All keys up to
the *horizon* are in memory, those beyond it wait in the store, where every pending URL stands
anyway; so dropping a URL from memory loses nothing, and a resumed crawl begins with everything
beyond the horizon. The one duty of the caller: a URL is handed to the store in the same synchronous
step in which it is pushed, so that a refill asked for later finds it there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Final

from crawler.models import FetchTask, Priority

Key = tuple[int, int, int]
_Entry = tuple[int, int, int, str, str, int, str | None, int, int, bool]
"""A task as it waits: its key, then its other fields. A tuple of nothing but numbers and strings
takes a third of what the task, its key and their pair take, and the garbage collector stops looking
at it, where hundreds of thousands of tasks would make each full collection longer by .1 s."""
_URL: Final = 3

BEFORE_ALL: Key = (-1, -1, -1)
_NONE: set[int] = set()
"""What a queue has of which nothing is taken, shared by all: an empty set takes 216 bytes."""


def key_of(task: FetchTask) -> Key:
    """Return the order of a task within its host."""
    return (task.priority, task.depth, task.url_id)


def _entry_of(task: FetchTask) -> _Entry:
    return (
        *(int(task.priority), task.depth, task.url_id, task.url, task.host),
        *(task.hops, task.referrer, task.attempt, task.refused, task.seed),
    )


def _task_of(entry: _Entry) -> FetchTask:
    priority, depth, url_id, url, host, hops, referrer, attempt, refused, seed = entry
    place = url_id, url, host, depth, Priority(priority)
    return FetchTask(*place, hops, referrer, attempt, refused, seed)


class Room:
    """The tasks that the queues of all hosts hold in memory together; each queue counts its own.

    They stay near `limit`: beyond it, each queue that grows leaves half of its tasks to the store.
    """

    __slots__ = ("_limit", "held")

    def __init__(self, limit: int = sys.maxsize) -> None:
        self._limit = limit
        self.held = 0

    @property
    def full(self) -> bool:
        """Whether whoever grows must give way."""
        return self.held >= self._limit

    @property
    def left(self) -> int:
        """How many more may come; below zero where a few more came than should."""
        return self._limit - self.held


class HostQueue:
    """A priority queue with bounded memory. `limit` bounds the tasks held, at least 2.

    It counts them in the `room` that it shares with the other queues of a crawl.
    """

    __slots__ = (
        "_ended", "_heap", "_horizon", "_limit", "_passed_over", "_refilling", "_room", "_taken",
        "stored",
    )  # fmt: skip

    def __init__(self, limit: int, stored: int = 0, room: Room | None = None) -> None:
        self._limit = limit
        self._room = room or Room()
        self._heap: list[_Entry] = []
        self._horizon: Key | None = BEFORE_ALL if stored else None
        self._taken = self._ended = _NONE
        self._refilling = False
        self._passed_over = 0
        self.stored = stored
        """Pending URLs that are in the store only."""

    def __len__(self) -> int:
        """Count the tasks in memory that can be popped."""
        return len(self._heap)

    @property
    def under_way(self) -> int:
        """Tasks that were popped and are not settled."""
        return len(self._taken)

    @property
    def idle(self) -> bool:
        """Nothing pending, nothing popped and not settled: the queue can be forgotten."""
        return not (self._heap or self._taken or self.stored or self._refilling)

    def push(self, task: FetchTask) -> None:
        """Add a new task: in memory up to the horizon, beyond it by leaving it to the store.

        Where there was no room for it, half of what is in memory is left to the store.
        """
        full, entry = self._room.full, _entry_of(task)
        if self._beyond_horizon(entry) and not self._refilling:
            self.stored += 1
        else:
            self._add(entry)
            if len(self._heap) > self._limit:
                self._spill(self._limit // 2)
        if full:
            self._spill(len(self._heap) // 2)

    def _add(self, entry: _Entry) -> None:
        heappush(self._heap, entry)
        self._room.held += 1

    def _spill(self, keep: int) -> None:
        """Leave all but the first `keep` tasks to the store, unless its answer is under way.

        That answer may have been read before these tasks came, and would then be taken for all
        there is.
        """
        if self._refilling:
            return
        kept = sorted(self._heap)[:keep]
        self.stored += len(self._heap) - len(kept)
        self._hold(kept)
        if self.stored:
            self._horizon = kept[-1][:3] if kept else BEFORE_ALL

    def _hold(self, heap: list[_Entry]) -> None:
        """Have these tasks in memory, in the order of a heap, and no others."""
        self._room.held += len(heap) - len(self._heap)
        self._heap = heap

    def peek(self) -> FetchTask:
        """Return the first task without taking it; IndexError if there is none in memory."""
        return _task_of(self._heap[0])

    @property
    def first_url(self) -> str:
        """The URL of the first task; IndexError if there is none in memory."""
        return self._heap[0][_URL]

    def is_all(self, wanted: Callable[[str], bool]) -> bool:
        """Whether the URLs of all tasks in memory are such."""
        return all(wanted(entry[_URL]) for entry in self._heap)

    def pop(self) -> FetchTask:
        """Take the first task; it stays pending in the store until `settle` or `push_back`."""
        task = _task_of(heappop(self._heap))
        self._room.held -= 1
        self.adopt(task.url_id)
        return task

    def adopt(self, url_id: int) -> None:
        """Take a task that was never pushed: it stays pending in the store until `settle`."""
        if self._taken is _NONE:
            self._taken = set()
        self._taken.add(url_id)

    def _leave(self, url_id: int) -> None:
        self._taken.discard(url_id)
        if not self._taken:
            self._taken = _NONE

    def push_back(self, task: FetchTask) -> None:
        """Return a popped task, to be popped again."""
        self._leave(task.url_id)
        self._add(_entry_of(task))

    def settle(self, task: FetchTask) -> None:
        """Forget a popped task: its end has been handed to the store.

        A refill under way may have been read before that, so its answer is told of it.
        """
        self._leave(task.url_id)
        if self._refilling:
            if self._ended is _NONE:
                self._ended = set()
            self._ended.add(task.url_id)

    def rewind(self, passed_over: int) -> None:
        """Begin again at the first key: so many tasks were popped and settled, and did not end."""
        if self._refilling:
            self._passed_over += passed_over
            return
        self.stored += passed_over + len(self._heap)
        self._hold([])
        if self.stored:
            self._horizon = BEFORE_ALL

    @property
    def has_waiting(self) -> bool:
        """Whether something waits here to be popped, in memory or in the store."""
        return bool(self._heap or self.stored)

    @property
    def wants_refill(self) -> bool:
        """Memory is empty and the store holds more."""
        return bool(self.stored) and not self._heap and not self._refilling

    def begin_refill(self, room: int) -> tuple[Key, int]:
        """Return the key after which, and the number up to which, to read pending URLs.

        `room` is what is left for all hosts; at least two tasks are asked for.

        Until `end_refill` every push stays in memory: it may be too late for the store's answer.
        """
        self._refilling = True
        limit = max(2, min(self._limit // 2, room))
        return self._horizon or BEFORE_ALL, limit + len(self._taken)

    def end_refill(self, tasks: list[FetchTask], last: Key | None) -> None:
        """Take in the store's answer; `last` is the key it ended at, None if nothing is beyond."""
        self._refilling = False
        present = self._taken | self._ended | {url_id for _, _, url_id, *_ in self._heap}
        self._ended = _NONE
        found = [_entry_of(task) for task in tasks if task.url_id not in present]
        self._horizon = last
        all_known = self._heap + found
        kept = [entry for entry in all_known if not self._beyond_horizon(entry)]
        if last is None:
            self.stored = 0
        else:
            self.stored = max(1, self.stored - len(tasks)) + len(all_known) - len(kept)
        heapify(kept)
        self._hold(kept)
        if self._passed_over:
            passed_over, self._passed_over = self._passed_over, 0
            self.rewind(passed_over)

    def _beyond_horizon(self, entry: _Entry) -> bool:
        return self._horizon is not None and entry[:3] > self._horizon
