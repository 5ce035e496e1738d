"""State files of older schema versions, as the programs of their time left them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def make_version_12(directory: Path) -> None:
    """Have the state file of a closed crawl be one of release 0.1.0."""
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 12")


def make_version_13(directory: Path) -> None:
    """Have the state file of a closed crawl hold how pages of its hosts are made of their data."""
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE fillings (host TEXT NOT NULL, part TEXT NOT NULL, packed BLOB NOT NULL, "
            "PRIMARY KEY (host, part)) WITHOUT ROWID; "
            "INSERT INTO fillings SELECT name, '5f3a', x'789c' FROM hosts; "
            "INSERT INTO totals SELECT 'rendering:' || name || ' 5f3a filled', 3 FROM hosts; "
            "PRAGMA user_version = 13"
        )
