"""The writer thread, and the inbox where submissions wait for it.

The event loop fills one growing group; the thread takes it whole when it is due: large enough, old
enough, or asked for. What arrives meanwhile starts the next group, so the slower the disk, the
larger the groups.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crawler.models import KeptRules, Learned, NewUrl, PageOutcome
from crawler.storage import rows
from crawler.storage.archive import Archive, Archived, write_indexes
from crawler.storage.database import Database
from crawler.storage.journal import Journal
from crawler.storage.tables import Meta
from crawler.storage.view import Counts, StoreView

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """When a group is committed, and how much may wait in all. Bytes are estimates of memory."""

    outcomes: int = 512
    bytes: int = 8_000_000
    age_s: float = 0.5
    """Longest wait of a submission before its commit begins."""
    waiting_outcomes: int = 4_096
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
    """All new URLs in order of submission, those of the outcomes included."""
    outcomes: list[PageOutcome] = field(default_factory=list)
    meta: dict[Meta, Any] = field(default_factory=dict)
    depths: dict[int, int] = field(default_factory=dict)
    """URL id -> a smaller depth that was found."""
    rules: dict[str, KeptRules] = field(default_factory=dict)
    health: dict[str, rows.HealthRow] = field(default_factory=dict)
    pauses: dict[str, rows.PauseRow | None] = field(default_factory=dict)
    """Host -> what it is owed; None for nothing any more."""
    learned: dict[str, Learned] = field(default_factory=dict)
    """Host -> what is known of its template, the latest of the group."""
    templates: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """(host, version) -> packed template, all of the group: its pages may name any of them."""
    requests: list[Request] = field(default_factory=list)
    bytes: int = 0
    begun_at: float | None = None
    """Monotonic seconds of the first submission; None while there is nothing to commit."""

    def learn(self, known: Learned) -> None:
        """Add what is known of a host's template."""
        self.learned[known.host] = known
        if known.template is not None and known.version is not None:
            self.templates[known.host, known.version] = known.template


class Inbox:
    """Where the loop thread leaves groups for the writer thread."""

    def __init__(self, limits: GroupLimits) -> None:
        self._limits = limits
        self._changed = threading.Condition()
        self._group = Group()
        self._closed = False

    @contextmanager
    def filling(self) -> Iterator[Group]:
        """Give the group to be added to, and wake the writer where it is due by that."""
        with self._changed:
            yield self._group
            if self._group.begun_at is None:
                self._group.begun_at = time.monotonic()
                self._changed.notify()
            elif self._is_full():
                self._changed.notify()

    def ask(self, request: Request) -> None:
        """Add a question; it makes the group due, and is itself nothing to commit."""
        with self._changed:
            self._group.requests.append(request)
            self._changed.notify()

    def close(self) -> None:
        """Make what is here due; after it `take` returns None."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self) -> Group | None:
        """Wait for a due group and return it; None once closed and empty."""
        with self._changed:
            while not self._is_due():
                self._changed.wait(self._time_left())
            group, self._group = self._group, Group()
        empty = group.begun_at is None and not group.requests
        return None if empty else group

    def _is_due(self) -> bool:
        if self._closed or self._group.requests or self._is_full():
            return True
        left = self._time_left()
        return left is not None and left <= 0

    def _is_full(self) -> bool:
        group, limits = self._group, self._limits
        return len(group.outcomes) >= limits.outcomes or group.bytes >= limits.bytes

    def _time_left(self) -> float | None:
        if self._group.begun_at is None:
            return None
        return self._group.begun_at + self._limits.age_s - time.monotonic()


@dataclass(eq=False)
class Writer:
    """The only user of `database` and `journal` from the start of `thread` to its end.

    From there it calls `committed(group, answers)` for each durable group, with the answers to
    its requests; then `failed(error)` where nothing more will be written (what was not reported as
    committed is not durable); and `ended()` as its last act.
    """

    database: Database
    journal: Journal
    inbox: Inbox
    counts: Counts
    committed: Callable[[Group, list[Any]], object]
    failed: Callable[[Exception], object]
    ended: Callable[[], object]
    archive: Archive | None = None

    def __post_init__(self) -> None:
        self._hosts: dict[str, int] = {}
        # A daemon: should the loop die without leaving the store, the process must still end.
        self.thread = threading.Thread(target=self._run, name="store-writer", daemon=True)

    def _run(self) -> None:
        connection = self.database.connection
        try:
            while (group := self.inbox.take()) is not None:
                if group.begun_at is not None:
                    self._commit(group)
                with self.database.translated():
                    answers = [request.query(connection) for request in group.requests]
                self.committed(group, answers)
            self._write_indexes(None)
        except Exception as error:
            # Whatever it is, a bug included, the crawl must hear of it: nobody else is listening
            # in this thread.
            log.warning("writing failed: %s", error)
            self.failed(error)
        finally:
            self.ended()

    def _commit(self, group: Group) -> None:
        begun_at = time.monotonic()
        archived = Archived()
        if self.archive is not None:  # its lines then say where the exchanges lie
            archived = self.archive.append(group.outcomes)
        extents = self.journal.append(line for outcome in group.outcomes for line in outcome.lines)
        documents = [outcome.document for outcome in group.outcomes if outcome.document]
        with self.database.transaction() as connection:
            inserted = rows.insert_urls(connection, self._hosts, group.urls)
            rows.insert_documents(connection, documents)
            finished = rows.finish_urls(connection, group.outcomes, self.counts.last)
            if finished != len(group.outcomes):
                missed = len(group.outcomes) - finished
                raise ValueError(f"{missed} URLs were committed twice, or were never queued")
            rows.insert_dropped(connection, group.outcomes)
            rows.set_editions(connection, group.outcomes)
            rows.add_totals(connection, group.outcomes)
            rows.set_meta(connection, group.meta)
            rows.set_depths(connection, group.depths)
            rows.set_rules(connection, group.rules)
            rows.set_health(connection, group.health.values())
            rows.set_pauses(connection, group.pauses)
            rows.set_learned(connection, group.learned.values(), group.templates)
            rows.insert_archived(connection, archived.rows)
            rows.set_extents(connection, extents | archived.extents)
            self.counts.add(inserted, group.outcomes)
            rows.set_meta(connection, {Meta.COUNTS: self.counts.record()})
        log.debug(
            "committed %d ends, %d URLs and %d pages in %.3f s",
            *(len(group.outcomes), len(group.urls), len(documents)),
            time.monotonic() - begun_at,
        )
        if len(archived.extents) > 1 and self.archive is not None:
            self._write_indexes(self.archive.growing)

    def _write_indexes(self, growing: str | None) -> None:
        """Write the index of each archive that has ended."""
        view = StoreView(self.journal.directory, self.database)
        write_indexes(self.database, view.directory, view.archives(), growing)
