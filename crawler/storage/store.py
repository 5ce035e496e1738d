"""The store of one crawl: what the event loop holds, with the writer thread behind it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from crawler.console import command
from crawler.errors import LinesLost, StoreError
from crawler.models import (
    FetchTask,
    KeptRules,
    Learned,
    NewUrl,
    PageOutcome,
    Predicted,
    Released,
    SentUrl,
)
from crawler.storage import opening, rows
from crawler.storage.archive import Archive, Archived, Archiving, write_indexes
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.database import PUT_RIGHT, Database
from crawler.storage.directory import archive_number
from crawler.storage.dropped import pack
from crawler.storage.exchange import COUNT_OPENING, OWN, TABLES, Exchange, Exchanged
from crawler.storage.journal import Journal, confirm_encodable
from crawler.storage.tables import Meta
from crawler.storage.view import Counts, StoreView

# ---------------------------------------------------------------- writer
# The writer thread, and the inbox where submissions wait for it.
#
# The event loop fills one growing group; the thread takes it whole when it is due: large enough,
# old enough, or asked for. What arrives meanwhile starts the next group, so the slower the disk,
# the larger the groups.


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


Request = tuple[Callable[[sqlite3.Connection], Any], asyncio.Future[Any]]


@dataclass(slots=True)
class Group:
    """What one transaction will hold. Filled by the loop until taken, then the writer's."""

    urls: list[NewUrl] = field(default_factory=list)
    """All new URLs in order of submission, those of the outcomes included."""
    outcomes: list[PageOutcome] = field(default_factory=list)
    meta: dict[Meta, Any] = field(default_factory=dict)
    depths: dict[int, int] = field(default_factory=dict)
    """URL id -> a smaller depth that was found."""
    predicted: list[Predicted | Released] = field(default_factory=list)
    rules: dict[str, KeptRules] = field(default_factory=dict)
    health: dict[str, rows.HealthRow] = field(default_factory=dict)
    pauses: dict[str, rows.PauseRow | None] = field(default_factory=dict)
    """Host -> what it is owed; None for nothing any more."""
    learned: dict[str, Learned] = field(default_factory=dict)
    """Host -> what is known of its template, the latest of the group."""
    templates: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """(host, version) -> packed template, all of the group: its pages may name any of them."""
    exchanged: Exchanged = field(default_factory=Exchanged)
    durable: list[asyncio.Future[None]] = field(default_factory=list)
    """Answered when the group is committed."""
    requests: list[Request] = field(default_factory=list)
    """Questions for the writer's connection, answered after all else is committed."""
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
            while not (self._closed or self._group.requests or self._is_full()):
                left_s = None
                if self._group.begun_at is not None:
                    left_s = self._group.begun_at + self._limits.age_s - time.monotonic()
                    if left_s <= 0:
                        break
                self._changed.wait(left_s)
            group, self._group = self._group, Group()
        empty = group.begun_at is None and not group.requests
        return None if empty else group

    def _is_full(self) -> bool:
        group, limits = self._group, self._limits
        return len(group.outcomes) >= limits.outcomes or group.bytes >= limits.bytes


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
    exchanges: bool = False
    """Whether the crawl is a partition of one (`crawler.storage.exchange`)."""

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
                    answers = [query(connection) for query, _ in group.requests]
                self.committed(group, answers)
            write_indexes(StoreView(self.journal.directory, self.database), None)
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
            group.outcomes = archived.outcomes
        extents = self.journal.append(line for outcome in group.outcomes for line in outcome.lines)
        ends = group.outcomes
        documents = [end.document for end in ends if end.document]
        with self.database.transaction() as connection:
            inserted = rows.insert_urls(connection, self._hosts, group.urls)
            rows.insert_documents(connection, documents)
            finished = rows.execute(
                connection,
                rows.FINISH,
                [
                    (end.url_id, int(end.state), end.detail, end.duplicate_of, number)
                    for number, end in enumerate(ends, self.counts.last + 1)
                ],
            )
            if finished != len(ends):
                missed = len(ends) - finished
                raise ValueError(f"{missed} URLs were committed twice, or were never queued")
            packed = [(end, pack(end.dropped)) for end in ends if end.dropped is not None]
            kept = [(end.url_id, end.duplicate_of, line) for end, line in packed if line]
            rows.insert(connection, "INTO dropped (url_id, like_id, line)", kept)
            counts = [count for end in ends for count in end.editions]
            rows.insert(connection, "OR REPLACE INTO editions", counts)
            pictures = [
                (end.url_id, rows.HASHES.pack(shown.average, shown.difference), shown.image)
                for end in ends
                if (shown := end.picture) is not None
            ]
            rows.insert(connection, "OR REPLACE INTO pictures", pictures)
            rows.add_totals(connection, ends)
            rows.set_meta(connection, group.meta)
            lessons = [(end.url_id, end.lesson) for end in ends if end.lesson is not None]
            rows.insert(connection, "OR REPLACE INTO lessons", lessons)
            rows.set_predicted(connection, group.predicted)
            connection.executemany(
                "UPDATE urls SET depth = min(depth, ?) WHERE id = ?",
                [(depth, url_id) for url_id, depth in group.depths.items()],
            )
            rules = [(at, r.packed, r.agent, r.crawl_delay_s) for at, r in group.rules.items()]
            rows.insert(connection, "OR REPLACE INTO rules", rules)
            rows.insert(connection, "OR REPLACE INTO health", list(group.health.values()))
            owed = [row for row in group.pauses.values() if row is not None]
            over = [(host,) for host, row in group.pauses.items() if row is None]
            rows.insert(connection, "OR REPLACE INTO pauses", owed)
            rows.execute(connection, "DELETE FROM pauses WHERE host IN (VALUES {values})", over)
            # Of a host there is one state, the latest, and every template that may have read a
            # page: how many there are is bounded by who learns (`extract.templates`).
            connection.executemany(
                "INSERT OR REPLACE INTO learners (host, version, revoked, state) "
                "VALUES (?, ?, ?, ?)",
                [(k.host, k.version, k.revoked, k.state) for k in group.learned.values()],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO templates (host, version, packed) VALUES (?, ?, ?)",
                [(*place, template) for place, template in group.templates.items()],
            )
            into = "INTO archived (file, offset, document_id, date, line)"
            rows.insert(connection, into, archived.rows)
            if self.exchanges:
                group.exchanged.write(connection, ends)
            rows.set_extents(connection, extents | archived.extents)
            self.counts.add(inserted, ends)
            rows.set_meta(connection, {Meta.COUNTS: self.counts.record()})
        log.debug(
            "committed %d ends, %d URLs and %d pages in %.3f s",
            *(len(ends), len(group.urls), len(documents)),
            time.monotonic() - begun_at,
        )
        if len(archived.extents) > 1 and self.archive is not None:
            view = StoreView(self.journal.directory, self.database)
            write_indexes(view, self.archive.growing)


# ---------------------------------------------------------------- store


_Answer = TypeVar("_Answer")

URL_BYTES = 300
"""Rough memory of a NewUrl that waits."""
OUTCOME_BYTES = 1_000
"""Rough memory of a outcome that waits, without its text, shingles and URLs."""
CAPTURE_BYTES = 3_000
"""The same of an exchange, without its body."""


class Store(StoreView):
    """One output directory, held for writing; made by `create` or `open`, used with `async with`.

    Everything but the commits themselves happens on the loop's thread. What is submitted is seen
    by `catalog` and `refill` at once; it is durable after `flush` or a clean exit. The reading
    methods of StoreView speak of committed rows only. After the writer has failed, every call that
    needs it raises StoreError.
    """

    def __init__(self, opened: opening.Opened, limits: GroupLimits) -> None:
        super().__init__(opened.directory, opened.reader)
        self._meta: dict[Meta, Any] = {}
        self.catalog = SqliteCatalog(opened.reader)
        self.counts = self.kept_counts()
        """Ends that are committed; the writer's once it runs."""
        self.last_document_id = self.next_document_id - 1
        """The highest id of a page that was handed over, in this run or an earlier one."""
        self._opened = opened
        self._limits = limits
        self._inbox = Inbox(limits)
        self._runs: list[dict[str, Any]] = []
        self._rules: dict[str, KeptRules] = {}
        """Not yet committed."""
        self._learned: dict[str, Learned] = {}
        """By host, not yet committed."""
        self._waiting_outcomes = 0
        self._waiting_bytes = 0
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._answers: set[asyncio.Future[Any]] = set()
        self.listeners: list[Callable[[], object]] = []
        """Called on the loop after each commit."""
        self._failure: Exception | None = None
        self._archive: Archive | None = None
        self.exchange: Exchange | None = None
        """What a partition exchanges with others; None of a crawl by itself."""

    @classmethod
    def create(
        cls,
        directory: Path,
        identity: Mapping[str, Any],
        limits: GroupLimits | None = None,
        rotate_bytes: int | None = None,
        key: str | None = None,
    ) -> Self:
        """Begin a crawl in `directory`, which may hold other people's files.

        Files of lines are ended at `rotate_bytes`, if that is given (`Journal`).

        `identity` is JSON-serialisable: the settings that must be the same on every resume. `key`
        is what shingles are marked by, as `Meta.KEY` has it; where none is given, one of its own.

        Raises StoreMismatch if a crawl is there (one killed before its first commit does not
        count), StoreInUse if another process has the directory, StoreError if it cannot be written.
        """
        opened = opening.create(directory, identity, rotate_bytes, key)
        return cls(opened, limits or GroupLimits())

    @classmethod
    def open(
        cls,
        directory: Path,
        identity: Mapping[str, Any] | None = None,
        limits: GroupLimits | None = None,
        rotate_bytes: int | None = None,
    ) -> Self:
        """Take up the crawl in `directory`, dropping what was never committed.

        Raises StoreMismatch if there is no crawl, its identity differs from `identity` (where one
        is given), or a line file has lost lines; StoreInUse and StoreError as `create` does.
        """
        return cls(opening.resume(directory, identity, rotate_bytes), limits or GroupLimits())

    def archive(self, archiving: Archiving) -> None:
        """Archive the exchanges of all ends of this run; before the store is entered."""
        last = max(map(archive_number, self.archives()), default=0)
        self._archive = Archive(self.directory, archiving, last, self._opened.writer)

    def exchanges(self) -> Exchange:
        """Keep what a partition exchanges with others; before the store is entered.

        This opening is counted, durably: nobody hears of an epoch that could be given again.
        """
        with self._opened.writer.translated():
            self._opened.writer.connection.executescript(TABLES)
        with self._opened.writer.transaction() as connection:
            connection.execute(COUNT_OPENING, (OWN,))
        self.exchange = Exchange(self._opened.reader)
        return self.exchange

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        on_loop = partial(partial, loop.call_soon_threadsafe)
        self._writer = Writer(
            *(self._opened.writer, self._opened.journal, self._inbox),
            counts=self.counts,
            committed=on_loop(self._committed),
            failed=on_loop(self._failed),
            ended=on_loop(self._ended.set_result, None),
            archive=self._archive,
            exchanges=self.exchange is not None,
        )
        self._writer.thread.start()
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, _: object) -> None:
        """Commit what was submitted and close; StoreError if that failed and nothing else did."""
        self._inbox.close()
        try:
            await asyncio.shield(self._ended)
        finally:
            # Returns at once, unless cancelled above: then it waits for the last commit.
            self._writer.thread.join()
            self.close()
        if error is None:
            self._check()

    def close(self) -> None:
        """Close all files and release the directory; only for a store that was never entered."""
        if self._archive is not None:
            self._archive.close()
        self._opened.close()

    def submit(self, outcome: PageOutcome) -> None:
        """Hand a page's end to the writer; never blocks.

        Raises TypeError for one that cannot be written, which changes nothing: the URL may end in
        another way. The writer has many ends at once in hand, of all hosts.
        """
        for _, line in outcome.lines:
            confirm_encodable(line)
        if outcome.dropped is not None:
            confirm_encodable(outcome.dropped.line)
        with self._filling(_outcome_bytes(outcome), outcomes=1) as group:
            if outcome.document is not None:
                self.catalog.uncommitted.add(outcome.document)
                self.last_document_id = max(self.last_document_id, outcome.document.id)
            group.outcomes.append(outcome)
            group.urls.extend(outcome.new_urls)
            group.exchanged.sent.extend(outcome.sent)
            if outcome.learned is not None:
                self._learned[outcome.learned.host] = outcome.learned
                group.learn(outcome.learned)

    def submit_urls(self, new_urls: Sequence[NewUrl], sent: Sequence[SentUrl] = ()) -> None:
        """Hand over URLs that no page brought, such as seeds; never blocks."""
        with self._filling(URL_BYTES * (len(new_urls) + len(sent))) as group:
            group.urls.extend(new_urls)
            group.exchanged.sent.extend(sent)

    @contextmanager
    def exchanging(self, size: int = 0) -> Iterator[Exchanged]:
        """Give what a partition exchanges with others, to be added to, of about `size` bytes."""
        with self._filling(size) as group:
            yield group.exchanged

    async def committed(self) -> None:
        """Wait for what was submitted to be durable, without hurry: a commit has many."""
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with self._filling() as group:
            group.durable.append(durable)
        await self._answered(durable)

    def submit_predicted(self, changes: Sequence[Predicted | Released]) -> None:
        """Note what was postponed, and what has its place again; never blocks."""
        if changes:
            with self._filling() as group:
                group.predicted.extend(changes)

    def submit_depths(self, depths: Mapping[int, int]) -> None:
        """Note smaller depths of URLs, by id; not of pending ones while `refill` is called."""
        with self._filling() as group:
            group.depths |= depths

    def keep_rules(self, origin: str, rules: KeptRules) -> None:
        """Keep what a robots.txt says, for the time when it cannot be read."""
        with self._filling() as group:
            group.rules[origin] = self._rules[origin] = rules

    def rules(self, origin: str) -> KeptRules | None:
        """Return what was kept last of an origin's robots.txt."""
        return self._rules.get(origin) or super().rules(origin)

    def keep_learned(self, known: Learned) -> None:
        """Keep what is known of a host's template, where that comes with no page's end."""
        with self._filling(known.size) as group:
            self._learned[known.host] = known
            group.learn(known)

    def learned(self, host: str) -> Learned | None:
        """Return what was kept last of a host's template."""
        return self._learned.get(host) or super().learned(host)

    def note_health(self, health: Sequence[rows.HealthRow]) -> None:
        """Keep what is known of hosts and origins."""
        if health:
            with self._filling() as group:
                group.health |= {row.place: row for row in health}

    def note_pauses(self, pauses: Mapping[str, rows.PauseRow | None]) -> None:
        """Keep what hosts are owed, None for nothing any more; all others keep what they have."""
        if pauses:
            with self._filling() as group:
                group.pauses |= pauses

    def set_meta(self, key: Meta, value: Any) -> None:
        """Set a JSON-serialisable entry beside the crawl; `meta` sees it at once."""
        with self._filling() as group:
            group.meta[key] = self._meta[key] = value

    def meta(self, key: Meta, default: Any = None) -> Any:
        """Return what was last set under `key`."""
        return self._meta[key] if key in self._meta else super().meta(key, default)

    def begin_run(self, job: Mapping[str, Any], parts: Mapping[str, Any] | None = None) -> None:
        """Note that a run of `job`, as JSON-ready data, begins, and which `parts` do its work."""
        run = {"started_at": time.time(), "parts": parts}
        self._runs = [*self.meta(Meta.RUNS, []), run]
        self.set_meta(Meta.JOB, job)

    def mark_run(
        self,
        *,
        stopped: bool,
        timed_out: bool = False,
        disk_full: bool = False,
        stall_s: float = 0.0,
        stall_p99_s: float = 0.0,
    ) -> None:
        """Note how far this run has come; called again and again, lest it be killed.

        `timed_out` says that it came to its time limit, `disk_full` to one of disk. `stall_s` is
        the longest stall of the event loop so far, and most are below `stall_p99_s`.
        """
        stalls = {"stall_s": stall_s, "stall_p99_s": stall_p99_s}
        ended = {"finished_at": time.time(), "stopped": stopped, "timed_out": timed_out}
        self._runs[-1] |= {**ended, "disk_full": disk_full, **stalls}
        self.set_meta(Meta.RUNS, self._runs)

    async def room(self) -> None:
        """Wait while too much is uncommitted: the back-pressure of a slow disk."""
        self._check()
        await self._has_room.wait()
        self._check()

    async def flush(self) -> None:
        """Wait until everything submitted so far is durable; LinesLost where it is no more."""

        def check_files(_: sqlite3.Connection) -> None:
            self._opened.journal.check()
            if self._archive is not None:
                self._archive.check()

        await self._ask(check_files)

    async def refill(
        self, host: str, after: tuple[int, int, int] | None, limit: int
    ) -> list[FetchTask]:
        """Return up to `limit` pending URLs of `host` in (priority, depth, url_id) order.

        Only those beyond the key `after`; everything submitted before the call is seen.
        """
        key = after or (-1, -1, -1)
        return await self._ask(lambda connection: rows.pending_tasks(connection, host, key, limit))

    async def _ask(self, query: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        self._check()
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._inbox.ask((query, answer))
        return await self._answered(answer)

    async def _answered(self, answer: asyncio.Future[_Answer]) -> _Answer:
        self._answers.add(answer)
        try:
            return await answer
        finally:
            self._answers.discard(answer)

    @contextmanager
    def _filling(self, size: int = 0, *, outcomes: int = 0) -> Iterator[Group]:
        """Give the group to be added to, by so many bytes; never blocks."""
        self._check()
        with self._inbox.filling() as group:
            yield group
            group.bytes += size
        self._occupy(outcomes, size)

    def _occupy(self, outcomes: int, size: int) -> None:
        self._waiting_outcomes += outcomes
        self._waiting_bytes += size
        outcomes_left = self._limits.waiting_outcomes - self._waiting_outcomes
        bytes_left = self._limits.waiting_bytes - self._waiting_bytes
        if outcomes_left > 0 and bytes_left > 0:
            self._has_room.set()
        else:
            self._has_room.clear()

    def _committed(self, group: Group, answers: list[Any]) -> None:
        self.catalog.uncommitted.forget(b.document for b in group.outcomes if b.document)
        self._occupy(-len(group.outcomes), -group.bytes)
        for origin, rules in group.rules.items():
            if self._rules.get(origin) is rules:
                del self._rules[origin]
        for host, known in group.learned.items():
            if self._learned.get(host) is known:
                del self._learned[host]
        for (_, asked), answer in zip(group.requests, answers, strict=True):
            if not asked.done():
                asked.set_result(answer)
        for durable in group.durable:
            if not durable.done():
                durable.set_result(None)
        for heard in self.listeners:
            heard()

    def _failed(self, failure: Exception) -> None:
        self._failure = failure
        self._has_room.set()
        for answer in self._answers:
            if not answer.done():
                answer.set_exception(self._error())

    def _check(self) -> None:
        if self._failure is not None:
            raise self._error() from self._failure

    def _error(self) -> StoreError:
        if isinstance(self._failure, LinesLost):
            return LinesLost(str(self._failure))
        # A new one each time: an exception raised again and again grows its traceback.
        failure = str(self._failure).removesuffix(PUT_RIGHT)
        return StoreError(
            f"{self.directory}: writing failed, the crawl must stop: {failure}. All that was "
            "committed before is safe. Repair the cause (free space, permissions), then: "
            + command("resume", self.directory)
        )


def _outcome_bytes(outcome: PageOutcome) -> int:
    """Estimate what a waiting outcome holds in memory, cheaply."""
    texts = sum(_text_bytes(record) for _, record in outcome.lines)
    size = OUTCOME_BYTES + URL_BYTES * (len(outcome.new_urls) + len(outcome.sent)) + texts
    if (document := outcome.document) is not None:
        signature = document.signature
        size += signature.shingles.nbytes + sum(marks.nbytes for marks in signature.marks)
        size += len(document.appearance or b"")
    if outcome.learned is not None:
        size += outcome.learned.size
    for capture in outcome.captures:
        size += len(capture.body) + len(capture.rendered or b"") + CAPTURE_BYTES
    if outcome.dropped is not None:
        size += _text_bytes(outcome.dropped.line) + len(outcome.dropped.like)
    return size


def _text_bytes(record: Mapping[str, Any]) -> int:
    return sum(2 * len(record.get(name) or "") for name in ("text", "markdown"))
