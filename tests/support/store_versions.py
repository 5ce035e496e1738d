"""State files of older schema versions, as the programs of their time left them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from crawler.storage.rows import unpack_shingles

VERSION_1 = """
CREATE TABLE hosts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE urls (
  id INTEGER PRIMARY KEY,
  host_id INTEGER NOT NULL REFERENCES hosts,
  url TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 5),
  priority INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  referrer_id INTEGER REFERENCES urls,
  seed INTEGER NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  duplicate_of INTEGER REFERENCES documents
);
CREATE INDEX urls_pending ON urls (host_id, priority, depth) WHERE state = 0;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  url_id INTEGER NOT NULL REFERENCES urls,
  payload_digest BLOB NOT NULL,
  declared TEXT NOT NULL,
  text_digest BLOB NOT NULL,
  visible_digest BLOB NOT NULL,
  fingerprint INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  shingle_kind TEXT NOT NULL,
  sketch BLOB NOT NULL,
  representative INTEGER NOT NULL,
  layout BLOB
);
CREATE INDEX documents_payload ON documents (payload_digest, declared);
CREATE INDEX documents_text ON documents (text_digest, visible_digest);
CREATE TABLE shingles (
  document_id INTEGER PRIMARY KEY REFERENCES documents,
  hashes BLOB NOT NULL
);
CREATE TABLE files (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL, lines INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE TABLE totals (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_TABLES = ("hosts", "urls", "documents", "shingles", "files", "totals", "meta")


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


def make_version_11(directory: Path) -> None:
    """Have the state file of a closed crawl hold no pictures."""
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript("DROP TABLE pictures; PRAGMA user_version = 11")


def make_version_10(directory: Path) -> None:
    """Have the state file of a closed crawl hold nothing of what ends taught of URLs."""
    make_version_11(directory)
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript(
            "DROP TABLE lessons; DROP TABLE predicted; PRAGMA user_version = 10"
        )


def make_version_9(directory: Path) -> None:
    """Have the state file of a closed crawl hold nothing of what addresses mean, nor of hosts."""
    make_version_10(directory)
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript(
            "DROP TABLE editions; DROP INDEX documents_host; "
            "ALTER TABLE documents DROP COLUMN host_id; PRAGMA user_version = 9"
        )


def make_version_8(directory: Path, pauses: Mapping[str, Sequence[float]]) -> None:
    """Have the state file of a closed crawl hold pauses as one value, and index whole digests."""
    make_version_9(directory)
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript(
            "DROP TABLE pauses; PRAGMA user_version = 8; "
            "DROP INDEX urls_seeds; DROP INDEX documents_payload; DROP INDEX documents_visible; "
            "CREATE INDEX documents_payload ON documents (payload_digest, declared); "
            "CREATE INDEX documents_visible ON documents (visible_digest)"
        )
        connection.execute("INSERT INTO meta VALUES ('pauses', ?)", (json.dumps(pauses),))
        connection.commit()


def make_version_5(directory: Path) -> None:
    """Have the state file of a closed crawl hold what programs kept that learned no templates."""
    make_version_8(directory, {})
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript(
            "DROP TABLE archived; "
            "DROP TABLE learners; DROP TABLE templates; PRAGMA user_version = 5; "
            "DELETE FROM meta WHERE key IN ('ends', 'snapshot')"
        )


def make_version_4(directory: Path) -> None:
    """Have the state file of a closed crawl hold what programs kept that did not mark shingles."""
    make_version_5(directory)
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        rows = connection.execute("SELECT document_id, hashes FROM shingles").fetchall()
        connection.executemany(
            "UPDATE shingles SET hashes = ? WHERE document_id = ?",
            [
                (unpack_shingles(id_, packed).hashes.astype("<u4").tobytes(), id_)
                for id_, packed in rows
            ],
        )
        connection.execute("DELETE FROM meta WHERE key = 'key'")
        connection.execute("DROP INDEX documents_visible")
        connection.execute("CREATE INDEX documents_text ON documents (text_digest, visible_digest)")
        connection.execute("PRAGMA user_version = 4")
        connection.commit()


def make_version_2(directory: Path) -> None:
    """Replace the state file of a closed crawl by one of schema version 2 with the same rows."""
    make_version_4(directory)
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.executescript(
            "DROP TABLE rules; DROP TABLE health;"
            "DROP TABLE appearances; DROP TABLE dropped; DROP INDEX documents_address;"
            "ALTER TABLE documents DROP COLUMN address; PRAGMA user_version = 2"
        )


def make_version_1(directory: Path) -> None:
    """Replace the state file of a closed crawl by one of schema version 1 with the same rows."""
    make_version_4(directory)
    state, old = directory / "state.sqlite", directory / "old.sqlite"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(VERSION_1)
        connection.execute(f"PRAGMA application_id = {0x43525744}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("ATTACH ? AS new", (str(state),))
        for table in _TABLES:
            columns = ", ".join(
                row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")
            )
            connection.execute(
                f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}"
            )
        connection.commit()
    old.replace(state)
