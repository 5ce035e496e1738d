"""Search in the texts of stored pages.

By an index of words (SQLite's FTS5) in a file of its own beside a crawl. It is made when somebody
searches and brought up to date by the lines that came since; it is no part of the state: it may be
deleted at any time. It holds no text, only which words are where; what is shown is read from the
lines.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any

import orjson

from crawler.console import Say, progress
from crawler.errors import ConfigError, StoreError
from crawler.observe.summary import format_time
from crawler.storage.database import Database
from crawler.storage.directory import SEARCH, line_path
from crawler.storage.journal import BEGINNING, Place, read_after, reading_line
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

VERSION = "2"
"""Of the index: one of another version is made anew."""
_TABLES = """
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  title, text, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE IF NOT EXISTS places (id INTEGER PRIMARY KEY, file TEXT, begin INTEGER, end INTEGER);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT);
"""
_FOUND = """
SELECT p.file, p.begin, p.end, f.score FROM (
  SELECT rowid, bm25(words, 4.0, 1.0) AS score FROM words WHERE words MATCH ?
  ORDER BY score, rowid LIMIT ?
) AS f JOIN places AS p ON p.id = f.rowid ORDER BY f.score, f.rowid
"""
"""A word in a title weighs as much as four in the text."""
_HOW_MANY = "SELECT count(*) FROM words WHERE words MATCH ?"
AT_ONCE = 1_000
"""Lines indexed in one transaction."""
AT_ONCE_BYTES = 64 << 20
_WITHOUT_SPACES = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff])"
)
"""A letter of a script that sets no spaces between words (Unicode blocks: Thai, Lao, Myanmar,
Khmer, kana, Han): a word of its own here, so that words of any length are found as phrases."""
_BEFORE, _SHOWN = 60, 220
"""Characters of a text that are shown before what was found, and in all."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    id: int | str
    """Of its line in pages.jsonl; a document's own may be a text."""
    url: str
    title: str
    shown: str
    """Some of its text, around what was found where it stands there as it was asked for."""
    score: float
    """BM25 as FTS5 has it: the lower, the better."""


def search(view: StoreView, wanted: Sequence[str], top: int, say: Say) -> tuple[int, list[Hit]]:
    """Return how many stored pages have all of `wanted`, and the best of them.

    Each of `wanted` is a word or, with spaces, a phrase; English words are found by their stems.
    Brings the index up to date first. Raises ConfigError for what holds no word, StoreError where
    the index cannot be written or lines are damaged.
    """
    query = match(wanted)
    try:
        return _answer(view, query, wanted, top, say)
    except StoreError as error:
        code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
        if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        (view.directory / SEARCH).unlink(missing_ok=True)
        return _answer(view, query, wanted, top, say)


def _answer(
    view: StoreView, query: str, wanted: Sequence[str], top: int, say: Say
) -> tuple[int, list[Hit]]:
    with _index(view) as index:
        _bring_up_to_date(index, view, say)
        number = index.cell(_HOW_MANY, (query,))
        rows = index.rows(_FOUND, (query, top))
        return number, [_hit(view.directory, wanted, *row) for row in rows]


def best(found: Sequence[Sequence[Hit]], top: int) -> list[Hit]:
    """Return the best of what several partitions have."""
    return nsmallest(top, (hit for hits in found for hit in hits), key=lambda hit: hit.score)


def match(wanted: Sequence[str]) -> str:
    """Return what FTS5 is asked: every word or phrase, in quotes, so that none is a command."""
    phrases = [_spaced(one).replace('"', " ") for one in wanted]
    if not any(map(str.isalnum, "".join(phrases))):
        raise ConfigError(f"{' '.join(wanted)!r}: there is no word in it to search for")
    return " ".join(f'"{one}"' for one in phrases if any(map(str.isalnum, one)))


def _spaced(text: str) -> str:
    return _WITHOUT_SPACES.sub(r" \1 ", text)


@contextmanager
def _index(view: StoreView) -> Iterator[Database]:
    """Open the index of a crawl; one of another crawl, or of other lines, is made anew."""
    runs = view.meta(Meta.RUNS, [])
    of = f"{VERSION} {format_time(runs[0]['started_at']) if runs else ''}"
    index = _opened(view.directory / SEARCH)
    try:
        place = _place(index)
        extent = view.files()["pages"].get(place.file)
        # Files hold as much as is indexed, unless they were written anew.
        holds = place == BEGINNING or (extent is not None and place.offset <= extent.bytes)
        if _told(index, "of") not in (None, of) or not holds:
            index.close()
            index.path.unlink(missing_ok=True)
            index = _opened(index.path)
        index.rows("INSERT OR REPLACE INTO meta VALUES ('of', ?)", (of,))
        yield index
    finally:
        index.close()


def _opened(path: Path) -> Database:
    """Return the index in a file, made where there is none."""
    index = Database(path, "rwc")
    try:
        with index.translated():
            index.connection.executescript(_TABLES)
    except StoreError as error:
        index.close()
        if "fts5" in str(error.__cause__):
            raise StoreError(
                f"the SQLite {sqlite3.sqlite_version} of this Python has no FTS5: use another "
                "Python, or `export`"
            ) from None
        raise
    return index


def _told(index: Database, name: str) -> str | None:
    told: str | None = index.cell("SELECT value FROM meta WHERE name = ?", (name,))
    return told


def _place(index: Database) -> Place:
    """Return how far the lines are indexed."""
    told = _told(index, "place")
    return Place(*orjson.loads(told)) if told else BEGINNING


def _bring_up_to_date(index: Database, view: StoreView, say: Say) -> None:
    files, place = view.files()["pages"], _place(index)
    total, done = sum(extent.bytes for extent in files.values()), 0
    while found := read_after(view.directory, files, place, AT_ONCE, AT_ONCE_BYTES):
        with index.transaction() as connection:
            for end, data in found:
                begin = end.offset - len(data)
                with reading_line(f"{line_path(view.directory, end.file)} byte {begin}"):
                    line = orjson.loads(data)
                    title, text = line.get("title") or "", line["text"]
                where = (end.file, begin, end.offset)
                number = connection.execute("INSERT INTO places VALUES (NULL, ?, ?, ?)", where)
                row = (number.lastrowid, _spaced(title), _spaced(text))
                connection.execute("INSERT INTO words(rowid, title, text) VALUES (?, ?, ?)", row)
                done += len(data)
            place = found[-1][0]
            told = orjson.dumps([*place]).decode()
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('place', ?)", (told,))
        say(progress(f"Indexing words: {done / 1e6:,.1f} MB, of {total / 1e6:,.1f} MB in all ..."))


def _hit(
    directory: Path, wanted: Sequence[str], file: str, begin: int, end: int, score: float
) -> Hit:
    path = line_path(directory, file)
    try:
        with path.open("rb") as lines:
            lines.seek(begin)
            data = lines.read(end - begin)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    with reading_line(f"{path} byte {begin}"):
        line: dict[str, Any] = orjson.loads(data)
        text = " ".join(line["text"].split())
        places = [re.search(re.escape(one), text, re.IGNORECASE) for one in wanted]
        first = min((place.start() for place in places if place), default=0)
        start = max(0, first - _BEFORE)
        shown = text[start : start + _SHOWN]
        cut = "…" if start else "", "…" if start + _SHOWN < len(text) else ""
        return Hit(line["id"], line["url"], line.get("title") or "", shown.join(cut), score)
