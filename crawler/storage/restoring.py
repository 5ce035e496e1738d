"""Pages that were dropped, put back among the stored ones: a group whole, or not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import orjson

from crawler.errors import StoreError
from crawler.models import EXACT_PAYLOAD, NEAR, SIBLING, PageOutcome, StoredRef, UrlState
from crawler.storage import opening, rows
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import CHANGE
from crawler.storage.journal import check_extents, reading_line
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, by_parameters

_ENDED = """
SELECT u.id, u.url, u.state, u.detail, s.id, o.url, {kept}
FROM urls AS u
LEFT JOIN documents AS s ON s.id = u.duplicate_of LEFT JOIN urls AS o ON o.id = s.url_id
WHERE {where} ORDER BY u.id
"""
_KEPT = "EXISTS (SELECT 1 FROM dropped WHERE url_id = u.id)"
_SAME_BYTES = f"(u.detail = '{EXACT_PAYLOAD}' AND o.url != u.url)"
"""A copy to the byte of a page that is stored here: that is what is kept of it. Of a page that was
archived twice there is one already."""
_ALIKE = f"u.state = 2 AND u.detail IN ('{NEAR}', '{SIBLING}')"
_DROPPED = f"u.state = 2 AND (u.detail != '{EXACT_PAYLOAD}' OR {_SAME_BYTES})"
_WAY = """
SELECT u.depth, r.url FROM urls AS u LEFT JOIN urls AS r ON r.id = u.referrer_id WHERE u.id = ?
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a URL ended."""

    url_id: int
    url: str
    state: UrlState
    detail: str
    of: StoredRef | None
    """What it equals or is like."""
    kept: bool
    """Whether it was dropped and can be restored."""


@dataclass(frozen=True, slots=True)
class DuplicateLine:
    """A committed line of duplicates.jsonl."""

    place: str
    record: Mapping[str, Any]


class Elsewhere(Protocol):
    """What a page of one partition of a crawl was dropped for, where another one has that."""

    def like(self, url_id: int) -> StoredRef | None:
        """Return what a URL was judged to be like; None where nobody knows."""

    def copies(self, of: Collection[int]) -> Collection[int]:
        """Return the URLs that were judged to be like some stored pages."""


def ended(
    view: StoreView, urls: Collection[str], elsewhere: Elsewhere | None = None
) -> Iterator[Ended]:
    """Yield how those of some URLs ended that the crawl has seen. Reads the whole table of URLs."""
    for where, some in by_parameters(urls, "u.url IN ({wanted})"):
        yield from _ended(view, where, some, elsewhere)


def ended_as_dropped(
    view: StoreView,
    of: Collection[int],
    elsewhere: Elsewhere | None = None,
    *,
    alike_alone: bool = False,
) -> Iterator[Ended]:
    """Yield every page that is dropped; only those `of` some pages if any.

    With `alike_alone` no exact duplicates, of which a crawl may have very many.
    """
    which = _ALIKE if alike_alone else _DROPPED
    if not of:
        yield from _ended(view, which, (), elsewhere)
    for where, some in by_parameters(of, f"{which} AND u.duplicate_of IN ({{wanted}})"):
        yield from _ended(view, where, some, elsewhere)
    which = _ALIKE if alike_alone else "u.state = 2"
    copies = elsewhere.copies(of) if of and elsewhere is not None else ()
    no_own = f"{which} AND u.duplicate_of IS NULL AND u.id IN ({{wanted}})"
    for where, some in by_parameters(copies, no_own):
        yield from _ended(view, where, some, elsewhere)


def found_on(view: StoreView, url_id: int) -> tuple[int, str | None]:
    """Return the depth of a URL and the page that it was found on, where that is known."""
    with reading_stored_values(view.directory):
        [(depth, referrer)] = view.database.rows(_WAY, (url_id,))
        return int(depth), referrer


def duplicate_lines(view: StoreView) -> Iterator[DuplicateLine]:
    """Yield the committed lines of duplicates.jsonl. StoreError for one that is none of ours."""
    check_extents(view.directory, view.all_files())
    for line in view.lines("duplicates"):
        with reading_line(line.place):
            record: dict[str, Any] = orjson.loads(line.data)
            _ = record["url"], record["verdict"]
        yield DuplicateLine(line.place, record)


class Restoring:
    """One crawl, locked for writing; made by `restoring`."""

    def __init__(self, opened: opening.Opened) -> None:
        self.view = StoreView(opened.directory, opened.reader)
        self._opened = opened
        self._next_id = self.view.next_document_id

    def number(self, url_id: int) -> int:
        """Return the id that a URL has as a stored page: one more for each."""
        self._next_id += 1
        return self._next_id - 1

    def view_of(self, page: StoredRef) -> StoreView:
        """Return where the stored page lies that a dropped one is a copy of."""
        return self.view

    def commit(self, pages: Sequence[PageOutcome]) -> None:
        """Store pages that were dropped: lines first, then one transaction. Raises StoreError."""
        journal, writer = self._opened.journal, self._opened.writer
        try:
            extents = journal.append(line for page in pages for line in page.lines)
        except OSError as error:
            raise StoreError(
                f"{self.view.directory}: writing failed: {error}. What was restored before is safe;"
                " repair the cause (free space, permissions), then repeat the command"
            ) from error
        # Ids and sums go on from stored ones: those may be too large for a column.
        with reading_stored_values(self.view.directory), writer.transaction() as connection:
            rows.insert_documents(connection, [page.document for page in pages if page.document])
            # What they are like and when they ended stays.
            store = "UPDATE urls SET state = 1, detail = ? WHERE id = ? AND state = 2"
            moved = connection.executemany(store, [(p.detail, p.url_id) for p in pages]).rowcount
            free = "DELETE FROM dropped WHERE url_id = ?"
            freed = connection.executemany(free, [(page.url_id,) for page in pages]).rowcount
            exact = sum(page.detail == EXACT_PAYLOAD for page in pages)  # nothing is kept of these
            if min(moved, freed + exact) != len(pages):
                raise ValueError("a page that is not dropped cannot be restored")
            rows.add_totals(connection, pages)
            rows.set_extents(connection, extents)
            rows.set_meta(connection, {Meta.COUNTS: None})


@contextmanager
def restoring(
    directory: Path, identity: Mapping[str, Any], rotate_bytes: int | None = None
) -> Iterator[Restoring]:
    """Lock the crawl in `directory`, so that dropped pages of it can be stored.

    `identity` is that of the crawl as this program would judge it: pages signed by other versions
    cannot be compared. Raises StoreMismatch, StoreInUse and StoreError as `Store.open` does.
    """
    with opening.resume(directory, identity, rotate_bytes, CHANGE) as opened:
        yield Restoring(opened)


def _ended(
    view: StoreView, where: str, parameters: Sequence[Any], elsewhere: Elsewhere | None
) -> Iterator[Ended]:
    query = _ENDED.format(kept=f"{_KEPT} OR {_SAME_BYTES}", where=where)
    with reading_stored_values(view.directory):
        for url_id, url, state, detail, of, of_url, kept in view.database.stream(query, parameters):
            like = StoredRef(of, of_url) if of is not None else None
            if like is None and state == UrlState.DUPLICATE and elsewhere is not None:
                like = elsewhere.like(url_id)
                kept = kept or (detail == EXACT_PAYLOAD and like is not None)
            kept = bool(kept) and state == UrlState.DUPLICATE
            yield Ended(url_id, url, UrlState(state), detail, like, kept)
