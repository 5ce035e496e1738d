"""Where submissions wait for the writer: one growing group, handed over whole.

The event loop fills the group, the writer thread takes it when it is due: large enough, old enough,
or asked for. What arrives meanwhile starts the next group, so the slower the disk, the larger the
groups.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crawler.records import Batch, NewUrl
from crawler.storage.tables import Meta

if TYPE_CHECKING:
    import asyncio


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """When a group is committed, and how much may wait in all. Bytes are estimates of memory."""

    batches: int = 512
    bytes: int = 8_000_000
    age_s: float = 0.5
    """Longest wait of a submission before its commit begins."""
    waiting_batches: int = 4_096
    waiting_bytes: int = 64_000_000
    """Beyond either, `Store.room` waits."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question for the writer's connection, answered after everything before it is committed."""

    query: Callable[[sqlite3.Connection], Any]
    answer: asyncio.Future[Any]


@dataclass(slots=True)
class Group:
    """What one transaction will hold. Filled by the loop until taken, then the writer's."""

    urls: list[NewUrl] = field(default_factory=list)
    """All new URLs in order of submission, those of the batches included."""
    batches: list[Batch] = field(default_factory=list)
    meta: dict[Meta, Any] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    bytes: int = 0
    begun_at: float | None = None
    """Monotonic seconds of the first submission; None while there is nothing to commit."""


class Inbox:
    """The hand-over between the loop thread and the writer thread."""

    def __init__(self, limits: GroupLimits) -> None:
        self._limits = limits
        self._changed = threading.Condition()
        self._group = Group()
        self._closed = False

    def put_batch(self, batch: Batch, size: int) -> None:
        """Add a batch of an estimated `size` in bytes."""
        with self._changed:
            group = self._group
            group.batches.append(batch)
            group.urls.extend(batch.new_urls)
            group.bytes += size
            self._wake()

    def put_urls(self, urls: Sequence[NewUrl], size: int) -> None:
        """Add new URLs that no batch brings."""
        with self._changed:
            self._group.urls.extend(urls)
            self._group.bytes += size
            self._wake()

    def put_meta(self, key: Meta, value: Any) -> None:
        """Add a change of the meta table."""
        with self._changed:
            self._group.meta[key] = value
            self._wake()

    def put_request(self, request: Request) -> None:
        """Add a question; it makes the group due."""
        with self._changed:
            self._group.requests.append(request)
            self._changed.notify()

    def close(self) -> None:
        """Make what is here due; after it `take` returns None."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self) -> Group | None:
        """Wait for a due group and hand it over; None once closed and empty."""
        with self._changed:
            while not self._is_due():
                self._changed.wait(self._time_left())
            group, self._group = self._group, Group()
        empty = group.begun_at is None and not group.requests
        return None if empty else group

    def _wake(self) -> None:
        if self._group.begun_at is None:
            self._group.begun_at = time.monotonic()
            self._changed.notify()
        elif self._is_full():
            self._changed.notify()

    def _is_due(self) -> bool:
        if self._closed or self._group.requests or self._is_full():
            return True
        left = self._time_left()
        return left is not None and left <= 0

    def _is_full(self) -> bool:
        group, limits = self._group, self._limits
        return len(group.batches) >= limits.batches or group.bytes >= limits.bytes

    def _time_left(self) -> float | None:
        if self._group.begun_at is None:
            return None
        return self._group.begun_at + self._limits.age_s - time.monotonic()
