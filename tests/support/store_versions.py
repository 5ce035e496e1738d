"""State files of older schema versions, as the programs of their time left them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def make_version_12(directory: Path) -> None:
    """Have the state file of a closed crawl hold nothing of how pages are made of their data."""
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript("DROP TABLE fillings; PRAGMA user_version = 12")
