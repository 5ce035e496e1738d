"""What of a state file can be held against itself and against the line files: for `check`.

Everything is read in pieces, each of which ends its view of the tables, so that neither a running
crawl's log nor the next writer waits for a check of hours; `snapshot` is for what belongs together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.errors import StoreError, StoreMismatch
from crawler.storage import dropped
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import STATE
from crawler.storage.journal import on_disk
from crawler.storage.rows import unsigned
from crawler.storage.view import StoreView

_MAX_MESSAGES = 100
_STEPS_A_BEAT = 100_000
"""Of SQLite's virtual machine: some milliseconds."""
_ROWS = 500
_NO_DAMAGE = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL}
    | {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
    | {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT}
)
"""Primary result codes that speak of the machine or of somebody else, not of what is stored."""
_DOCUMENTS = """
SELECT d.id, u.url, d.payload_digest, d.text_digest, d.visible_digest, d.fingerprint, d.tokens,
  d.shingle_kind, d.sketch, d.layout, s.hashes
FROM documents AS d LEFT JOIN urls AS u ON u.id = d.url_id
LEFT JOIN shingles AS s ON s.document_id = d.id
WHERE d.id > ? ORDER BY d.id LIMIT ?
"""
_APPEARANCES = (
    "SELECT document_id, packed FROM appearances WHERE document_id > ? ORDER BY document_id LIMIT ?"
)
_LESSONS = """
SELECT l.url_id, u.url, l.packed FROM lessons AS l LEFT JOIN urls AS u ON u.id = l.url_id
WHERE l.url_id > ? ORDER BY l.url_id LIMIT ?
"""
_DROPPED = """
SELECT d.url_id, u.url, d.line, a.packed FROM dropped AS d
LEFT JOIN urls AS u ON u.id = d.url_id
LEFT JOIN appearances AS a ON a.document_id = d.like_id
WHERE d.url_id > ? ORDER BY d.url_id LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What the state knows of a stored page; a part that the tables lack is None."""

    id: int
    url: str | None
    payload_digest: bytes
    text_digest: bytes
    visible_digest: bytes
    fingerprint: int
    tokens: int
    shingle_kind: str
    sketch: bytes
    layout: bytes | None
    hashes: bytes | None
    """Its shingles, packed (`crawler.storage.rows`)."""


def is_damage(error: StoreError) -> bool:
    """Whether an error speaks of what is stored, and not of the machine or another program."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF not in _NO_DAMAGE
    return cause is not None


def has_lost_its_state(directory: Path, error: StoreMismatch) -> bool:
    """Whether there are lines where opening the state file has just failed, as it is none more."""
    written = on_disk(directory).values()
    state = directory / STATE
    if not state.is_file() or not any(extent.bytes for extent in written):
        return False
    return state.stat().st_size == 0 or isinstance(error.__context__, sqlite3.DatabaseError)


def inconsistencies(view: StoreView, beat: Callable[[], object]) -> Iterator[str]:
    """Yield what SQLite's own check of the file finds; `beat` is called all the while."""
    interrupted = False

    def keep_on() -> bool:
        nonlocal interrupted
        try:
            beat()
        except KeyboardInterrupt:  # the module would swallow it
            interrupted = True
        return interrupted

    view.database.connection.set_progress_handler(keep_on, _STEPS_A_BEAT)
    try:
        for (message,) in view.database.rows(f"PRAGMA integrity_check({_MAX_MESSAGES})"):
            if message != "ok":
                yield str(message)
        for table, row, parent, _ in view.database.rows("PRAGMA foreign_key_check"):
            yield f"row {row} of table {table} refers to a row of {parent} that is not there"
    except StoreError:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        view.database.connection.set_progress_handler(None, 0)


@contextmanager
def snapshot(view: StoreView) -> Iterator[None]:
    """Let all that is read in the context be of one moment."""
    view.database.rows("BEGIN")
    try:
        yield
    finally:
        view.database.rows("ROLLBACK")


def url_ends(view: StoreView) -> Iterator[tuple[int, str, int, str]]:
    """Yield (id, URL, state, detail) of every URL, in order of id."""
    yield from view.database.stream("SELECT id, url, state, detail FROM urls ORDER BY id")


def stored_pages(view: StoreView) -> Iterator[StoredPage]:
    """Yield every stored page, in order of id."""
    for row in _in_pieces(view, _DOCUMENTS):
        id_, url, payload, text, visible, fingerprint, *rest = row
        with reading_stored_values(view.directory):
            number = unsigned(fingerprint)
        yield StoredPage(id_, url, payload, text, visible, number, *rest)


def appearances(view: StoreView) -> Iterator[tuple[int, bytes]]:
    """Yield (id of a stored page, its packed appearance)."""
    yield from _in_pieces(view, _APPEARANCES)


def lessons(view: StoreView) -> Iterator[tuple[int, str | None, bytes]]:
    """Yield (URL id, URL, packed) of what each end taught of its site's URLs."""
    yield from _in_pieces(view, _LESSONS)


def page_ids(view: StoreView) -> Iterator[int]:
    """Yield the ids of all stored pages, in order."""
    for (id_,) in view.database.stream("SELECT id FROM documents ORDER BY id"):
        yield id_


def dropped_pages(view: StoreView) -> Iterator[tuple[int, str | None, dict[str, Any] | str]]:
    """Yield (URL id, URL, line) of every dropped page that is kept; a text says why it is lost."""
    for id_, url, packed, like in _in_pieces(view, _DROPPED):
        try:
            yield id_, url, dropped.unpack(packed, like or b"").line
        except (ValueError, TypeError, ArithmeticError, LookupError) as error:
            yield id_, url, str(error)


def _in_pieces(view: StoreView, statement: str) -> Iterator[tuple[Any, ...]]:
    last: Any = -1
    while rows := view.database.rows(statement, (last, _ROWS)):
        yield from rows
        last = rows[-1][0]
