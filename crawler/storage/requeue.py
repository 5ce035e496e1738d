"""URLs put in or put back to pending: one transaction for all, or none.

Seeds are added (`add_seeds`), and URLs that failed or were left out asked for again (`put_back`).
Line files are append-only, so the line of such a URL stays; how many there are is counted under
`Meta.RETRIED`, and the accounting identity takes them off (`crawler.storage.view.Accounting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from crawler.console import Say, progress
from crawler.errors import StoreMismatch
from crawler.models import NewUrl, Priority, UrlState
from crawler.storage import opening, rows
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import ARCHIVES, CHANGE
from crawler.storage.journal import reading_line
from crawler.storage.tables import REPEAT, Meta
from crawler.storage.view import (
    FILE_OF_STATE,
    Known,
    StoreView,
    confirm_hosts,
    known,
    refuse_corpus,
)
from crawler.urls import host_key


@dataclass(frozen=True, slots=True)
class Added:
    """What became of seeds that were to be added."""

    queued: Sequence[str]
    """They are pending now."""
    known: Mapping[str, Known]
    """They were queued before, by URL."""


def add_seeds(directory: Path, urls: Sequence[str]) -> Added:
    """Queue canonical URLs as seeds of a crawl, and name them in the job that is kept with it.

    Those that are known stay as they are, but for the job. Raises StoreMismatch where there is no
    crawl from seeds, StoreInUse where somebody writes to the directory, StoreError; then nothing
    has changed.
    """
    with opening.resume(directory, holder=CHANGE) as opened:
        view = StoreView(directory, opened.writer)
        check_takes_seeds(view)
        before = {url: found for url in urls if (found := known(view, url)) is not None}
        queued = list(dict.fromkeys(url for url in urls if url not in before))
        job = view.meta(Meta.JOB)
        seeds = list(dict.fromkeys([*job["seeds"], *urls]))
        ids = count(view.next_url_id)
        new = [
            NewUrl(next(ids), url, host_key(url), 0, Priority.ORDINARY, 0, None, seed=True)
            for url in queued
        ]
        with opened.writer.transaction() as connection:
            rows.insert_urls(connection, {}, new)
            rows.set_meta(connection, {Meta.JOB: {**job, "seeds": seeds}, Meta.COUNTS: None})
        return Added(queued, before)


def check_takes_seeds(view: StoreView) -> None:
    """Raise StoreMismatch unless a directory is of a crawl that has begun, and is no recrawl."""
    identity = view.meta(Meta.IDENTITY, {})
    if ARCHIVES in identity:
        raise StoreMismatch(
            f"{view.directory} holds what was read from archives, which asks no site: begin a "
            "crawl from the seeds, with --against this directory"
        )
    instead = "to judge more documents, run `dedup` on them with --against this directory"
    refuse_corpus(view, f"which fetches nothing: {instead}")
    if view.meta(Meta.RECRAWL) is not None:
        raise StoreMismatch(
            f"{view.directory} holds a recrawl, which visits the pages of an earlier crawl: add "
            "the seeds to that one, or begin a crawl of their own"
        )
    if view.meta(Meta.JOB) is None:
        raise StoreMismatch(f"{view.directory} holds no crawl that has begun: {REPEAT}")


RETRYABLE = (UrlState.FAILED, UrlState.SKIPPED)
"""States in which a URL has no page and may get one."""

_COUNT = "SELECT state, detail, count(*) FROM urls WHERE {where} GROUP BY state, detail"
_PUT_BACK = "UPDATE urls SET state = 0, detail = '', ended = NULL WHERE {where}"
_UNLEARN = "DELETE FROM lessons WHERE url_id IN (SELECT id FROM urls WHERE {where})"
"""What such an end taught: it is none any more, and the next one may teach nothing."""
_ROWS = 1000
"""Lines of which the times are handed to SQLite at once."""

Retryable = Mapping[tuple[UrlState, str], int]
"""(state, failure class or skip reason) -> URLs."""


class LeftOut(NamedTuple):
    """A URL that ended, as it may be put back."""

    url: str
    detail: str
    """Failure class or skip reason."""
    depth: int
    seed: bool
    priority: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which URLs are to be put back."""

    classes: frozenset[tuple[UrlState, str]]
    """(state, failure class or skip reason), each state one of RETRYABLE."""
    hosts: frozenset[str] = frozenset()
    """Host keys; all hosts where it is empty."""
    before: str | None = None
    """Only what ended before this time, written as in lines; None: whenever it did."""
    admits: Callable[[LeftOut], bool] | None = None
    """Only of these; None: of all. It must not raise."""


def retryable(directory: Path, wanted: Wanted, say: Say = lambda line: None) -> Retryable:
    """Return how many URLs `retry` would put back; takes no lock and changes nothing.

    Raises StoreMismatch where there is no crawl or no host of that name, StoreError.
    """
    with StoreView.read(directory) as view:
        return _counted(view, *_chosen(view, wanted, say))


def put_back(directory: Path, wanted: Wanted, say: Say = lambda line: None) -> Retryable:
    """Make URLs that failed or were left out pending again; return how many, by how they had ended.

    Their lines stay. Raises StoreMismatch as `retryable` does, StoreInUse where somebody writes to
    the directory, StoreError; then nothing has changed.
    """
    with opening.resume(directory, holder=CHANGE) as opened:
        view = StoreView(directory, opened.writer)
        where, parameters = _chosen(view, wanted, say)
        with opened.writer.transaction() as connection:
            found = _counted(view, where, parameters)
            if found:
                say(progress(f"Putting back {sum(found.values()):,} URLs ..."))
                view.database.rows(_UNLEARN.format(where=where), parameters)
                view.database.rows(_PUT_BACK.format(where=where), parameters)
                lines = Counter(view.accounting().retried)
                for (state, _), number in found.items():
                    lines[FILE_OF_STATE[state]] += number
                rows.set_meta(connection, {Meta.RETRIED: dict(lines), Meta.COUNTS: None})
        return found


def _chosen(view: StoreView, wanted: Wanted, say: Say) -> tuple[str, list[Any]]:
    """Return the URLs that are wanted, as the condition of a statement on `urls`."""
    instead = "to judge a document again, run `dedup` with another --output"
    refuse_corpus(view, f"which fetches nothing: {instead}")
    confirm_hosts(view, wanted.hosts)
    classes = sorted(wanted.classes)
    pairs = ", ".join(["(?, ?)"] * len(classes))
    conditions = [f"state IN (4, 5) AND (state, detail) IN (VALUES {pairs})"]
    parameters: list[Any] = [value for pair in classes for value in pair]
    if wanted.hosts:
        names = ", ".join("?" * len(wanted.hosts))
        conditions.append(f"host_id IN (SELECT id FROM hosts WHERE name IN ({names}))")
        parameters += sorted(wanted.hosts)
    if (admits := wanted.admits) is not None:
        view.database.connection.create_function(
            "admitted", 5, lambda *row: admits(LeftOut(*row)), deterministic=True
        )
        conditions.append("admitted(url, detail, depth, seed, priority)")
    if wanted.before is not None:
        _note_times(view, sorted({state for state, _ in classes}), say)
        conditions.append("(state, url) IN (SELECT state, url FROM ended WHERE at < ?)")
        parameters.append(wanted.before)
    return " AND ".join(conditions), parameters


def _counted(view: StoreView, where: str, parameters: list[Any]) -> Retryable:
    with reading_stored_values(view.directory):
        found = view.database.rows(_COUNT.format(where=where), parameters)
        return {(UrlState(state), detail): number for state, detail, number in found}


def _note_times(view: StoreView, states: list[UrlState], say: Say) -> None:
    """Make a temporary table of when URLs ended last; the state itself keeps no times."""
    database = view.database
    database.rows(
        "CREATE TEMP TABLE ended (state INTEGER, url TEXT, at TEXT, PRIMARY KEY (state, url)) "
        "WITHOUT ROWID"
    )
    for state in states:
        name = FILE_OF_STATE[state]
        lines = view.extents()[name].lines
        say(progress(f"Reading the times of {lines:,} lines of {name}.jsonl ..."))
        of_kind = view.lines(name)
        while some := list(islice(of_kind, _ROWS)):
            ended = []
            for line in some:
                with reading_line(line.place):
                    record = orjson.loads(line.data)
                    ended.append((int(state), str(record["url"]), str(record["fetched_at"])))
            with database.translated():
                database.connection.execute("BEGIN")
                insert = "INSERT OR REPLACE INTO ended VALUES (?, ?, ?)"
                database.connection.executemany(insert, ended)
                database.connection.execute("COMMIT")
