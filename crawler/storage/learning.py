"""What was learned of hosts' templates: how it is written, and read back.

Of a host there is one state, the latest, and every version of its template that may have read a
page: how many there are is bounded by who learns (`extract.templates`). All of it is bytes here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crawler.models import Learned
from crawler.storage.database import Database
from crawler.storage.tables import KEEPS_TEMPLATES
from crawler.storage.view import StoreView

_LEARNERS = """
SELECT l.host, l.state, l.version, t.packed, l.revoked FROM learners AS l
LEFT JOIN templates AS t ON t.host = l.host AND t.version = l.version
"""
_REVOKED = """
SELECT host, revoked FROM learners WHERE revoked > 0 ORDER BY revoked DESC, host LIMIT ?
"""


def write(
    connection: sqlite3.Connection,
    known: Iterable[Learned],
    templates: Mapping[tuple[str, int], bytes],
) -> None:
    """Write states over older ones, and templates, by (host, version), that are not yet there."""
    connection.executemany(
        "INSERT OR REPLACE INTO learners (host, version, revoked, state) VALUES (?, ?, ?, ?)",
        [(one.host, one.version, one.revoked, one.state) for one in known],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO templates (host, version, packed) VALUES (?, ?, ?)",
        [(*place, packed) for place, packed in templates.items()],
    )


def learned(view: StoreView, host: str) -> Learned | None:
    """Return what is known of a host's template, None where nothing is."""
    if not _keeps_templates(view.database):
        return None
    found = view.database.rows(_LEARNERS + "WHERE l.host = ?", (host,))
    return Learned(*found[0]) if found else None


def all_learned(view: StoreView) -> Iterator[Learned]:
    """Yield what is known of each host's template, in order of host."""
    if _keeps_templates(view.database):
        for row in view.database.stream(_LEARNERS + "ORDER BY l.host"):
            yield Learned(*row)


def templates(view: StoreView, host: str | None = None) -> Iterator[tuple[str, int, bytes]]:
    """Yield (host, version, packed) of every template, or of those of one host; oldest first."""
    if _keeps_templates(view.database):
        where = "" if host is None else "WHERE host = ? "
        named: tuple[Any, ...] = () if host is None else (host,)
        query = f"SELECT host, version, packed FROM templates {where}ORDER BY host, version"
        yield from view.database.stream(query, named)


def template(view: StoreView, host: str, version: int) -> bytes | None:
    """Return one version of a host's template, packed; None if there is none."""
    if not _keeps_templates(view.database):
        return None
    query = "SELECT packed FROM templates WHERE host = ? AND version = ?"
    found = view.database.rows(query, (host, version))
    return found[0][0] if found else None


def latest_version(view: StoreView, host: str) -> int:
    """Return the number of the latest version of a host's template; 0 if there is none."""
    if not _keeps_templates(view.database):
        return 0
    query = "SELECT coalesce(max(version), 0) FROM templates WHERE host = ?"
    latest: int = view.database.rows(query, (host,))[0][0]
    return latest


def revocations(view: StoreView, limit: int) -> list[tuple[str, int]]:
    """Return (host, how many of its templates were revoked) where any was, the most first."""
    return view.database.rows(_REVOKED, (limit,)) if _keeps_templates(view.database) else []


def _keeps_templates(database: Database) -> bool:
    return database.pragma("user_version") >= KEEPS_TEMPLATES
