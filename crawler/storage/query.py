"""SQL over the state of a crawl: views with plain names, and one statement that can only read them.

The tables are nobody's business: they may change with any version. Views keep their names and
columns, and gain others.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from crawler.errors import InputError
from crawler.models import UrlState
from crawler.storage.view import StoreView

_STATES = " ".join(f"WHEN {state.value} THEN '{state.name.lower()}'" for state in UrlState)
_STATE = f"CASE u.state {_STATES} END"
_PLACE = "main.urls AS u JOIN main.hosts AS h ON h.id = u.host_id"
_FROM = "LEFT JOIN main.urls AS r ON r.id = u.referrer_id"
_COUNTS = ", ".join(
    f"sum(u.state = {state.value}) AS {name}"
    for state, name in (
        (UrlState.PENDING, "pending"),
        (UrlState.STORED, "stored"),
        (UrlState.DUPLICATE, "duplicates"),
        (UrlState.REDIRECT, "redirects"),
        (UrlState.FAILED, "failures"),
        (UrlState.SKIPPED, "skipped"),
    )
)

VIEWS: Mapping[str, str] = {
    "urls": (
        f"SELECT u.id, u.url, h.name AS host, {_STATE} AS state, nullif(u.detail, '') AS detail, "
        f"u.depth, u.hops, u.seed, r.url AS referrer FROM {_PLACE} {_FROM}"
    ),
    "pages": (
        "SELECT d.id, u.url, h.name AS host, d.declared AS content_type, d.tokens, u.depth, "
        "r.url AS referrer, printf('%016x', d.fingerprint) AS fingerprint, "
        "lower(hex(d.payload_digest)) AS payload_digest, lower(hex(d.text_digest)) AS text_digest "
        f"FROM main.documents AS d JOIN main.urls AS u ON u.id = d.url_id "
        f"JOIN main.hosts AS h ON h.id = u.host_id {_FROM}"
    ),
    "duplicates": (
        "SELECT u.url, h.name AS host, u.detail AS verdict, u.duplicate_of AS page_id, "
        f"p.url AS page_url FROM {_PLACE} LEFT JOIN main.documents AS d ON d.id = u.duplicate_of "
        f"LEFT JOIN main.urls AS p ON p.id = d.url_id WHERE u.state = {UrlState.DUPLICATE.value}"
    ),
    "failures": (
        "SELECT u.url, h.name AS host, u.detail AS failure, u.depth, r.url AS referrer "
        f"FROM {_PLACE} {_FROM} WHERE u.state = {UrlState.FAILED.value}"
    ),
    "skipped": (
        "SELECT u.url, h.name AS host, u.detail AS reason, u.depth, r.url AS referrer "
        f"FROM {_PLACE} {_FROM} WHERE u.state = {UrlState.SKIPPED.value}"
    ),
    "hosts": f"SELECT h.name AS host, count(*) AS urls, {_COUNTS} FROM {_PLACE} GROUP BY h.id",
    "pauses": (
        "SELECT host, datetime(until, 'unixepoch') AS until, delay_s, nullif(slow_s, 0) AS slow_s "
        "FROM main.pauses"
    ),
    "trouble": (
        "SELECT place, tries, datetime(tried_at, 'unixepoch') AS tried_at, why FROM main.health "
        "WHERE tries > 0"
    ),
    "predictions": (
        f"SELECT u.url, h.name AS host, {_STATE} AS state, p.rule, p.audit, p.like_id AS page_id, "
        "o.url AS page_url FROM main.predicted AS p JOIN main.urls AS u ON u.id = p.url_id "
        "JOIN main.hosts AS h ON h.id = u.host_id LEFT JOIN main.documents AS d "
        "ON d.id = p.like_id LEFT JOIN main.urls AS o ON o.id = d.url_id"
    ),
    "templates": "SELECT host, version, revoked FROM main.learners",
    "totals": "SELECT name, value FROM main.totals",
}
"""Name -> what it is made of. Where a table came with a later version than that of a directory, its
view cannot be asked there."""


_STEPS = 100_000
"""Steps of SQLite's machine between two moments at which Ctrl-C is heard: some milliseconds."""
_REFUSED_FUNCTIONS = frozenset({"load_extension"})
_REFUSALS = ("no such table", "prohibited", "not authorized", "authorization denied")
_OF_THE_FILE = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY}
)
"""Trouble with the state file, and not with what was asked."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement gives: names of columns, and rows as they are read."""

    columns: Sequence[str]
    rows: Iterator[tuple[Any, ...]]


def ask(view: StoreView, sql: str) -> Answer:
    """Run one SELECT on the views of a crawl's state, also while it runs.

    It speaks of committed rows only, all as they stood when it began. Rows must be taken before the
    view is closed. InputError for what is no such statement, and for what it may not read;
    KeyboardInterrupt where Ctrl-C came while it ran.
    """
    connection = view.database.connection
    connection.set_authorizer(None)
    connection.set_authorizer(_allowing(_make_views(connection)))
    connection.set_progress_handler(lambda: _beat(), _STEPS)
    with _told(sql):
        cursor = connection.execute(sql)
    if cursor.description is None:
        raise InputError(f"{sql.strip() or 'the statement'}: says nothing; give a SELECT")
    return Answer([column[0] for column in cursor.description], _rows(cursor, sql))


def _beat() -> int:
    """Let Python hear signals; 0 lets SQLite go on."""
    return 0


def columns_of(view: StoreView) -> dict[str, Sequence[str]]:
    """Return the columns of each view that this directory's version has."""
    found = {}
    for name in VIEWS:
        try:
            found[name] = ask(view, f"SELECT * FROM {name} LIMIT 0").columns
        except InputError:
            continue
    return found


def _rows(cursor: sqlite3.Cursor, sql: str) -> Iterator[tuple[Any, ...]]:
    with _told(sql):
        yield from cursor


def _make_views(connection: sqlite3.Connection) -> frozenset[str]:
    """Make all views for one statement; return the names of those that read tables.

    Of what reads a table SQLite tells only the name, and a statement may give any name that it
    knows to a query of its own (WITH). So each view reads another one, whose name is drawn for this
    one statement.
    """
    secret, inner = secrets.token_hex(16), set()
    before = "SELECT name FROM sqlite_temp_master WHERE type = 'view'"
    for (name,) in connection.execute(before).fetchall():
        connection.execute(f'DROP VIEW temp."{name}"')
    for name, select in VIEWS.items():
        inner.add(reader := f"{name}_{secret}")
        connection.execute(f"CREATE TEMP VIEW {reader} AS {select}")
        connection.execute(f"CREATE TEMP VIEW {name} AS SELECT * FROM temp.{reader}")
    return frozenset(inner)


def _allowing(readers: frozenset[str]) -> Callable[..., int]:
    """Return what SQLite asks as it compiles a statement: who may read what."""

    def may(
        action: int, first: str | None, second: str | None, base: str | None, source: str | None
    ) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _REFUSED_FUNCTIONS:
            return sqlite3.SQLITE_OK
        is_view = base == "temp" and (first in VIEWS or first in readers)
        # A table of which no column is read is only counted.
        if action == sqlite3.SQLITE_READ and (is_view or source in readers or not second):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return may


@contextmanager
def _told(sql: str) -> Iterator[None]:
    """Turn what is wrong with a statement into InputError."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _OF_THE_FILE:
            raise
        reason = str(error)
        if any(word in reason for word in _REFUSALS):
            reason += f"; what can be read are the views {', '.join(VIEWS)}, by one SELECT"
        raise InputError(f"{' '.join(sql.split())}: {reason}") from None
