"""Everything of some hosts removed from a crawl: its state by one transaction, or not at all.

What refers to a page that goes is put right in the same transaction. A page elsewhere that was
dropped as its copy is pending again, since nobody has its text any more; one that was stored as its
sibling, tagged as its near duplicate, or restored, is new.

Lines are written anew first: all of a kind that stay, in one new file. It is a part behind all
others, which the state does not record: if the program is killed, the next start removes it as it
removes any end that was never committed. The transaction takes it over, and the old files go as the
directory is next opened (`opening.finish_swaps`).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import orjson

from crawler.console import Say, command, progress
from crawler.errors import StoreError, StoreMismatch
from crawler.frontier.learning import Lesson
from crawler.models import Totals, UrlState
from crawler.storage import opening, rows, snapshots
from crawler.storage.archive import entry_of
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import (
    ARCHIVES,
    CHANGE,
    INPUTS,
    LINE_FILES,
    SEARCH,
    durably,
    line_path,
)
from crawler.storage.exchange import forget_hosts
from crawler.storage.journal import Extent, encoded, next_part, reading_line
from crawler.storage.tables import SCHEMA_VERSION, Meta
from crawler.storage.view import (
    Accounting,
    StoreView,
    confirm_accounts,
    confirm_hosts,
    purged_hosts,
    refuse_partition,
)
from crawler.urls import host_key, registrable_domain
from crawler.urls.editions import hosts_of

_OF_VERDICT = (
    *("reason", "evidence", "sibling_of", "duplicate_of", "distance", "similarity"),
    *("of_fingerprint", "matched_blocks", "cluster", "kind"),
    *("content_similarity", "layout_similarity"),
)
"""Fields of a stored page's line that only one which is like another has."""


class Counted(Protocol):
    """Tells what the line of a page has added to the running totals (`crawler.engine.outcomes`)."""

    def __call__(self, record: Mapping[str, Any], *, likeness_alone: bool = False) -> Totals:
        """Return that; with `likeness_alone` only what tells of the page that it is like."""


@dataclass(frozen=True, slots=True)
class Swap:
    """A kind of lines that was written anew, and is durable."""

    kind: str
    new: str
    """The file that has all lines of it."""
    extent: Extent
    old: tuple[str, ...]
    """The files that had them."""


class RemainingLines:
    """Writes the lines of a crawl that stay; temporary tables tell what goes (`purging`)."""

    def __init__(self, view: StoreView, hosts: Collection[str], counted: Counted, say: Say) -> None:
        self._view = view
        self._hosts = hosts
        self._counted = counted
        self._say = say
        self.uncounted: Counter[str] = Counter()
        """Running total -> what lines that go had added to it."""
        self._stored: set[str] = set()
        """URLs whose line in pages.jsonl goes or is changed: it has told all of them."""
        self._sinks: Mapping[str, Mapping[str, Sequence[Any]]] = view.meta(Meta.SINKS, {})
        self._moved: dict[tuple[str, str, int], int] = {}
        """Kind, file and end of a line -> the bytes before it that stay."""
        self._touched = {
            url for (url,) in view.database.stream("SELECT url FROM touched ORDER BY id")
        }

    def written(self) -> Iterator[Swap]:
        """Write each kind of lines anew that has any; yield what is to be taken over."""
        for kind in LINE_FILES:
            files = self._view.files()[kind]
            if any(extent.lines for extent in files.values()):
                lines = sum(extent.lines for extent in files.values())
                self._say(progress(f"Writing {kind}.jsonl anew, from {lines:,} lines ..."))
                yield self.write_anew(kind, files)

    def write_anew(self, kind: str, files: Mapping[str, Extent]) -> Swap:
        """Write all lines of a kind that stay into a new file; StoreError where that fails."""
        new = next_part(list(files)[-1])
        path, size, number = line_path(self._view.directory, new), 0, 0
        try:
            with durably(path, path) as file:
                for line in self._of(kind):
                    file.write(line)
                    size += len(line)
                    number += 1
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be written: {error.strerror}. Nothing has changed; repair the "
                "cause (free space, permissions), then repeat the command"
            ) from None
        return Swap(kind, new, Extent(size, number), tuple(files))

    def places(self, swaps: Iterable[Swap]) -> dict[str, dict[str, Sequence[Any]]]:
        """Return how far each sink has come in the files that take the place of the old ones.

        One that had come to no end of a line is given all of them again.
        """
        names = {swap.kind: opening.swapped_name(swap.new, swap.old) for swap in swaps}
        moved: dict[str, dict[str, Sequence[Any]]] = {}
        for sink, kinds in self._sinks.items():
            moved[sink] = {
                kind: (names[kind], self._moved[kind, file, offset])
                for kind, (file, offset) in kinds.items()
                if (kind, file, offset) in self._moved
            }
        return moved

    def _of(self, kind: str) -> Iterator[bytes]:
        ends: Counter[str] = Counter()
        stays = 0
        wanted = {
            (file, offset) for kinds in self._sinks.values() for file, offset in kinds.values()
        }
        for line in self._view.lines(kind):
            with reading_line(line.place):
                record: dict[str, Any] = orjson.loads(line.data)
                kept = self._kept(kind, record)
            if kept is not None:
                data = line.data if kept is record else b"".join(encoded(kept))
                stays += len(data)
                yield data
            file = line.path.name.removesuffix(".jsonl")
            ends[file] += len(line.data)
            if (file, ends[file]) in wanted:
                self._moved[kind, file, ends[file]] = stays

    def _kept(self, kind: str, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return what stays of a line, None where nothing does."""
        url = record["url"]
        goes = host_key(url) in self._hosts
        if goes or url in self._touched:
            self._uncount(kind, record, goes=goes)
        if goes or (url in self._touched and kind == "duplicates"):
            return None
        if url in self._touched and kind == "pages":
            record = {k: v for k, v in record.items() if k not in _OF_VERDICT} | {"verdict": "new"}
        referrer = record.get("referrer")
        if referrer is not None and host_key(referrer) in self._hosts:
            record = {k: v for k, v in record.items() if k != "referrer"}
        return record

    def _uncount(self, kind: str, record: Mapping[str, Any], *, goes: bool) -> None:
        """Note what a page had added to the sums, by the first of its lines."""
        if kind == "pages":
            self._stored.add(record["url"])
            self.uncounted.update(dict(self._counted(record, likeness_alone=not goes).rows()))
        elif kind == "duplicates" and record["url"] not in self._stored:
            self.uncounted.update(dict(self._counted(record).rows()))
            self.uncounted["duplicate_bytes"] += record["body_bytes"]


_CHOOSE = (
    "CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)",
    "INSERT INTO gone SELECT id FROM main.urls WHERE host_id IN "
    "(SELECT id FROM main.hosts WHERE name IN ({hosts}))",
    "CREATE TEMP TABLE gone_pages (id INTEGER PRIMARY KEY)",
    "INSERT INTO gone_pages SELECT id FROM main.documents WHERE url_id IN (SELECT id FROM gone)",
    "CREATE TEMP TABLE touched (id INTEGER PRIMARY KEY, url TEXT, state INTEGER)",
    "INSERT INTO touched SELECT id, url, state FROM main.urls WHERE id NOT IN "
    "(SELECT id FROM gone) AND (duplicate_of IN (SELECT id FROM gone_pages) OR id IN "
    "(SELECT url_id FROM main.dropped WHERE like_id IN (SELECT id FROM gone_pages)))",
)
"""What goes; and what else refers to it: state 2 was dropped for it, state 1 is stored."""
_CHOOSE_LIKE = (
    "INSERT INTO touched SELECT id, url, state FROM main.urls WHERE id = ? AND "
    "(state = 2 OR (state = 1 AND detail != 'new')) AND id NOT IN (SELECT id FROM gone) AND "
    "id NOT IN (SELECT id FROM touched)"
)
"""The same, of what a page in another partition is referred to by."""
_REMOVE = (
    "DELETE FROM dropped WHERE url_id IN (SELECT id FROM gone) OR url_id IN "
    "(SELECT id FROM touched WHERE state = 2)",
    "UPDATE urls SET state = 0, detail = '', ended = NULL, duplicate_of = NULL WHERE id IN "
    "(SELECT id FROM touched WHERE state = 2)",
    "UPDATE urls SET detail = 'new', duplicate_of = NULL WHERE id IN "
    "(SELECT id FROM touched WHERE state = 1)",
    "UPDATE urls SET referrer_id = NULL WHERE referrer_id IN (SELECT id FROM gone)",
    "DELETE FROM lessons WHERE url_id IN (SELECT id FROM gone) OR url_id IN "
    "(SELECT id FROM touched WHERE state = 2) OR "
    "page_of(packed) IN (SELECT id FROM gone_pages)",
    "UPDATE urls SET priority = predicted.before FROM predicted WHERE state = 0 AND "
    "urls.id = predicted.url_id AND (like_id IN (SELECT id FROM gone_pages) OR about_gone(rule))",
    "DELETE FROM predicted WHERE url_id IN (SELECT id FROM gone) OR like_id IN "
    "(SELECT id FROM gone_pages) OR about_gone(rule)",
    "UPDATE archived SET document_id = NULL WHERE document_id IN (SELECT id FROM gone_pages)",
    "DELETE FROM pictures WHERE url_id IN (SELECT id FROM gone)",
    "DELETE FROM appearances WHERE document_id IN (SELECT id FROM gone_pages)",
    "DELETE FROM shingles WHERE document_id IN (SELECT id FROM gone_pages)",
    "DELETE FROM documents WHERE id IN (SELECT id FROM gone_pages)",
    "DELETE FROM urls WHERE id IN (SELECT id FROM gone)",
)
"""What was to be a page that goes, or was postponed by what is known of its host, has its place
again; lessons that led to such a page are no more."""
_OF_HOST = {"hosts": "name", "pauses": "host", "learners": "host", "templates": "host"}
"""Table -> the column that has a host key."""


@dataclass(frozen=True, slots=True)
class Partitioned:
    """What the other partitions of a crawl know of this one and of pages that go."""

    like: Collection[int] = ()
    """Ids of its URLs whose pages are like some that go from another partition."""
    heard: Mapping[int, int] = field(default_factory=dict)
    """Receiver -> the number of the last message that it has taken from this one."""


@dataclass(frozen=True, slots=True)
class Purge:
    """What a purge removes, or would."""

    outcomes: Mapping[UrlState, int]
    """URLs of the hosts by their state."""
    refetched: int
    """Pages of other hosts that were dropped as copies of those: they are pending again."""
    freed: int
    """Stored pages of other hosts that were like those: they are new."""
    archived: Mapping[str, int]
    """Archive -> its records of the hosts; these stay."""


def would_purge(directory: Path, hosts: Collection[str], among: Partitioned | None = None) -> Purge:
    """Return what `purge` would remove; takes no lock and changes nothing.

    Of a host that was purged before it is nothing. Raises StoreMismatch where it cannot be, or a
    host is not known; StoreError.
    """
    with StoreView.read(directory) as view:
        if view.database.version < SCHEMA_VERSION:
            resume = command("resume", directory)
            raise StoreMismatch(
                f"{directory} is of an older version of this program: bring it up to date first "
                f"with `{resume}`"
            )
        return _choose(view, hosts, among)


def purge(
    directory: Path,
    hosts: Collection[str],
    job: Callable[[dict[str, Any]], dict[str, Any]],
    counted: Counted,
    say: Say = lambda line: None,
    among: Partitioned | None = None,
) -> Purge:
    """Remove everything of some host keys from a crawl; archives stay as they are.

    `job` gives the job that is kept from then on, `counted` what lines that
    go had added to sums; `among` is of a partition, where a host need not be known. Raises as
    `would_purge`, and StoreInUse where somebody writes to the directory; then nothing has changed.
    If it is killed the crawl is as it was, or purged: then what is left of old files goes by
    `finish_purge`, or as the directory is next opened for writing.
    """
    with opening.resume(directory, holder=CHANGE) as opened:
        view = StoreView(directory, opened.writer)
        found = _choose(view, hosts, among)
        before = view.accounting(view.counted())
        confirm_accounts(directory, before.problems)
        swaps: list[Swap] = []
        try:
            lines = RemainingLines(view, hosts, counted, say)
            if found.outcomes or found.refetched or found.freed:
                swaps += lines.written()
            _remove(opened, view, hosts, swaps, before, job, lines, among)
        except BaseException:
            for swap in swaps:  # written, and not taken over
                line_path(directory, swap.new).unlink(missing_ok=True)
            raise
    snapshots.remove_others(directory, None)
    (directory / SEARCH).unlink(missing_ok=True)
    with opening.resume(directory, holder=CHANGE):  # the old files go as it is opened
        return found


def finish_purge(directory: Path) -> bool:
    """Remove what a purge that was killed has left of old files; tell whether there was one."""
    with StoreView.read(directory) as view:
        if not view.meta(Meta.SWAPPED):
            return False
    snapshots.remove_others(directory, None)
    (directory / SEARCH).unlink(missing_ok=True)
    with opening.resume(directory, holder=CHANGE):
        return True


def _choose(view: StoreView, hosts: Collection[str], among: Partitioned | None) -> Purge:
    """Make temporary tables of what goes and of what refers to it; StoreMismatch where none can."""
    identity = view.meta(Meta.IDENTITY, {})
    if INPUTS in identity or ARCHIVES in identity:
        raise StoreMismatch(
            f"{view.directory} holds what was read from files, not crawled: leave the documents "
            "out of the files, and read them again into another --output"
        )
    if view.meta(Meta.RECRAWL) is not None:
        raise StoreMismatch(
            f"{view.directory} holds a recrawl, whose pages belong to those of earlier crawls: "
            "purge the host from the first crawl, and visit that again"
        )
    if among is None:
        if view.meta(Meta.JOB) is None:
            raise StoreMismatch(f"{view.directory} holds no crawl that has begun: check the path")
        refuse_partition(view)
        confirm_hosts(view, frozenset(hosts) - purged_hosts(view))
    names = sorted(hosts)
    for statement in _CHOOSE:
        values = names if "{hosts}" in statement else ()
        view.database.rows(statement.format(hosts=", ".join("?" * len(names))), values)
    for url_id in among.like if among is not None else ():
        view.database.rows(_CHOOSE_LIKE, (url_id,))
    found = dict(view.database.rows("SELECT state, count(*) FROM touched GROUP BY state"))
    ends = view.database.rows(
        "SELECT state, count(*) FROM main.urls WHERE id IN (SELECT id FROM gone) GROUP BY state"
    )
    with reading_stored_values(view.directory):
        outcomes = {UrlState(state): number for state, number in ends}
        archived: Counter[str] = Counter()
        for (line,) in view.database.stream("SELECT line FROM archived"):
            entry = entry_of(line)
            if host_key(entry["url"]) in hosts:
                archived[str(entry["filename"])] += 1
        return Purge(outcomes, found.get(2, 0), found.get(1, 0), dict(archived))


def _remove(
    opened: opening.Opened,
    view: StoreView,
    hosts: Collection[str],
    swaps: Collection[Swap],
    before: Accounting,
    job: Callable[[dict[str, Any]], dict[str, Any]],
    lines: RemainingLines,
    among: Partitioned | None,
) -> None:
    """Remove rows, take over the new files, and put all that is counted right: one transaction."""
    database = opened.writer
    # References are checked below, all at once: for each row it would take a pass over all URLs.
    database.rows("PRAGMA foreign_keys = OFF")
    database.rows("PRAGMA secure_delete = ON")
    functions: Mapping[str, Callable[[Any], Any]] = {
        "page_of": lambda packed: Lesson.of(packed).page,
        "about_gone": lambda rule: not hosts_of(rule).isdisjoint(hosts),
    }
    for name, function in functions.items():
        database.connection.create_function(name, 1, function, deterministic=True)
    with reading_stored_values(view.directory), database.transaction() as connection:
        for statement in _REMOVE:
            connection.execute(statement)
        _forget(connection, hosts)
        if among is not None:
            forget_hosts(connection, frozenset(hosts), among.heard)
        connection.executemany(
            "UPDATE totals SET value = value - ? WHERE name = ?",
            [(number, name) for name, number in lines.uncounted.items()],
        )
        connection.execute("DELETE FROM totals WHERE value <= 0 AND name LIKE '%:%'")
        connection.executemany(
            "DELETE FROM files WHERE name = ?", [(file,) for swap in swaps for file in swap.old]
        )
        rows.set_extents(connection, {swap.new: swap.extent for swap in swaps})
        now = Accounting(
            view.counted().outcomes,
            {kind: extent.lines for kind, extent in view.extents().items()},
        )
        retried = {kind: now.surplus(kind) for kind in LINE_FILES}
        for kind, number in retried.items():
            if not 0 <= number <= before.retried.get(kind, 0):
                raise ValueError(f"{kind}.jsonl would have {number} lines too many")
        known = [name for (name,) in connection.execute("SELECT name FROM hosts")]
        domains = set(map(registrable_domain, hosts)) - set(map(registrable_domain, known))
        pages = {id_ for (id_,) in connection.execute("SELECT id FROM documents")}
        kept: Mapping[Meta, Callable[[Any], Any]] = {
            Meta.JOB: job,
            Meta.TRAPS: lambda traps: {at: of for at, of in traps.items() if at not in domains},
            Meta.SCOPE: lambda at: [place for place in at if place.partition("/")[0] not in hosts],
            Meta.REINDEXED: lambda runs: [
                {**run, "failed": [id_ for id_ in run["failed"] if id_ in pages]} for run in runs
            ],
            Meta.SINKS: lambda places: lines.places(swaps) if swaps else places,
        }
        rows.set_meta(
            connection,
            {
                **{
                    key: change(found)
                    for key, change in kept.items()
                    if (found := view.meta(key)) is not None
                },
                Meta.PURGED: sorted({*view.meta(Meta.PURGED, []), *hosts}),
                Meta.RETRIED: {kind: number for kind, number in retried.items() if number},
                Meta.SWAPPED: {one.kind: {"new": one.new, "old": one.old} for one in swaps} or None,
                Meta.COUNTS: None,
                Meta.SNAPSHOT: None,
            },
        )
        if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise ValueError("a row would refer to one that is gone")


def _forget(connection: sqlite3.Connection, hosts: Collection[str]) -> None:
    """Remove what is known of hosts beside their URLs."""
    for table, column in _OF_HOST.items():
        connection.executemany(
            f"DELETE FROM {table} WHERE {column} = ?", [(host,) for host in hosts]
        )
    for table, column in {"health": "place", "rules": "origin"}.items():
        places = [place for (place,) in connection.execute(f"SELECT {column} FROM {table}")]
        keys = {place: host_key(f"{place}/") if "://" in place else place for place in places}
        gone = [(place,) for place, key in keys.items() if key in hosts]
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)
    forget_editions(connection, hosts)
    named = [name for (name,) in connection.execute("SELECT name FROM totals")]
    gone = [(name,) for name in named if name.partition(":")[2].partition(" ")[0] in hosts]
    connection.executemany("DELETE FROM totals WHERE name = ?", gone)


def forget_editions(connection: sqlite3.Connection, hosts: Collection[str]) -> None:
    """Remove what pages have said of what addresses of some host keys mean."""
    claims = []
    for slot, one, other in connection.execute("SELECT slot, one, other FROM editions"):
        about = (one, other) if slot == "//" else (slot,)  # `//` stands for trees of two hosts
        if any(place.partition("/")[0].partition("?")[0] in hosts for place in about):
            claims.append((slot, one, other))
    connection.executemany("DELETE FROM editions WHERE (slot, one, other) = (?, ?, ?)", claims)
