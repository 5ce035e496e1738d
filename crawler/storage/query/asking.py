"""One statement on the views of a state file: it reads them, and nothing else."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from crawler.errors import InputError
from crawler.storage.query.views import VIEWS
from crawler.storage.view import StoreView

_STEPS = 100_000
"""Steps of SQLite's machine between two moments at which Ctrl-C is heard: some milliseconds."""
_REFUSED_FUNCTIONS = frozenset({"load_extension"})


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
        raise InputError(f"{' '.join(sql.split())}: {_reason(error)}") from None


_OF_THE_FILE = frozenset(
    {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY}
)
"""Trouble with the state file, and not with what was asked."""


_REFUSED = ("prohibited", "not authorized", "authorization denied")


def _reason(error: sqlite3.Error) -> str:
    told = str(error)
    if told.startswith("no such table") or any(word in told for word in _REFUSED):
        return f"{told}; what can be read are the views {', '.join(VIEWS)}, by one SELECT"
    return told
