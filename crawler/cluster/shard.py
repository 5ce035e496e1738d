"""A shard: some of the pages that the judge has kept, and the indexes by which they are found.

Its directory has the tables of a crawl, of which it fills those of pages: a page's number is the id
of its row and of its URL. So the catalogue and indexes are those of one machine (`SqliteCatalog`,
`Judge`), but that nothing is judged here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from crawler import config
from crawler.cluster.protocol import Found, Gone, Kept, Looked, OriginalRow, PageAsk, unpacked
from crawler.cluster.state import EPOCH, RoleState, check_epoch
from crawler.config import SiblingMode
from crawler.dedup import Judge
from crawler.dedup.copies import MOST_ADDRESSED
from crawler.dedup.copies.inquiry import MOST_OTHERS
from crawler.dedup.judge import can_represent, is_comparable
from crawler.models import StoredDocument
from crawler.observe.progress import in_slices
from crawler.storage import rows, tables
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.database import Database
from crawler.storage.view import StoreView

log = logging.getLogger(__name__)

EXPECTED_PAGES = 100_000
ROWS_A_SLICE = 500
"""Of pages that indexes are built anew of, some 10 ms: meanwhile it tells that it is alive."""

_ROWS = (
    "SELECT d.id, u.url, s.hashes, d.layout, a.packed FROM documents AS d "
    "JOIN urls AS u ON u.id = d.url_id JOIN shingles AS s ON s.document_id = d.id "
    "LEFT JOIN appearances AS a ON a.document_id = d.id WHERE d.id IN ({})"
)
KEPT_IN = (
    *(("shingles", "document_id"), ("appearances", "document_id"), ("documents", "id")),
    ("urls", "id"),
)
"""Tables, and the column of a page's number."""


class Shard:
    """Looks for what pages may be like, and keeps pages; called by one sequencer at a time.

    Every method may be called again. Those of a sequencer with a lower epoch than another has
    called with raise Fenced. Looking is answered from memory and the disk without a pause, and a
    commit is waited for: nobody but the sequencer waits for a shard.
    """

    def __init__(
        self, directory: Path, settings: config.Dedup, expected_pages: int = EXPECTED_PAGES
    ) -> None:
        """`expected_pages` sizes the indexes; more are taken."""
        self._directory = directory
        self._settings = settings
        self._expected = expected_pages
        self._judge: Judge | None = None
        """The indexes of what is committed; None until `hello`."""
        self._hosts: dict[str, int] = {}
        self._greeting = asyncio.Lock()

    async def status(self) -> None:
        """Answer, as who is alive does."""

    async def open(self) -> None:
        """Hold the directory, and make it if need be. Raises StoreError."""
        self._state = open_pages(self._directory)
        self._database = self._state.database
        self._catalog = SqliteCatalog(self._database)
        self._epoch = int(self._state.get(EPOCH, 0))

    async def close(self) -> None:
        """Let the directory go."""
        self._state.close()

    def abandon(self) -> None:
        """Let the directory go as a kill does."""
        self._state.abandon()

    async def hello(self, epoch: int, committed_seq: int) -> None:
        """Begin with a sequencer whose log had come so far as it was opened.

        What lies beyond is of one before it, and forgotten, once: what comes later is its own.
        """
        async with self._greeting:
            await self._greeted(epoch, committed_seq)

    async def _greeted(self, epoch: int, committed_seq: int) -> None:
        check_epoch("a sequencer", epoch, self._epoch)
        if epoch > self._epoch:
            if self._last_id > committed_seq:
                self._judge = None
            with self._database.transaction() as connection:
                for table, column in KEPT_IN:
                    connection.execute(f"DELETE FROM {table} WHERE {column} > ?", (committed_seq,))
                self._state.set(EPOCH, epoch)
            self._epoch = epoch
        if self._judge is None:
            number = int(self._database.cell("SELECT count(*) FROM documents"))
            judge = Judge(self._settings, self._catalog, max(self._expected, 2 * number))
            rows = StoreView(self._directory, self._database).index_rows()
            async for some in in_slices(rows, ROWS_A_SLICE):
                judge.restore(some)
            self._judge = judge
            log.info("%s: %d pages", self._directory, number)

    async def look(
        self, epoch: int, asks: Sequence[bytes], hosts: Sequence[str] = (), full: bool = False
    ) -> Looked:
        """Return what is like each of some pages (`packed`), in `full` if that is needed.

        `hosts` are URLs of whose hosts the latest pages are asked for.
        """
        judge = self._ready(epoch)
        return Looked(
            [self._found(judge, *unpacked(ask), full=full) for ask in asks],
            [self._catalog.of_host(url, MOST_OTHERS) for url in hosts],
        )

    async def rows(self, epoch: int, ids: Sequence[int]) -> list[OriginalRow]:
        """Return what is kept of some pages, in any order; those that are not here are left out."""
        self._ready(epoch)
        found = self._database.rows(_ROWS.format(", ".join("?" * len(ids))), ids)
        return [OriginalRow(*row) for row in found]

    async def keep(self, epoch: int, kept: Sequence[Kept]) -> None:
        """Keep pages, in ascending order of their numbers; they are durable when this returns."""
        judge = self._ready(epoch)
        last = self._last_id
        documents = [_document(one, *unpacked(one.ask)) for one in kept if one.seq > last]
        try:
            with self._database.transaction() as connection:
                rows.insert_stored_urls(connection, self._hosts, documents)
                rows.insert_documents(connection, documents)
            for one in documents:
                judge.remember(
                    one.payload, one.signature, one.id, representative=one.representative
                )
        except BaseException:
            self._judge = None  # until the indexes are built anew, of what is committed
            self._hosts.clear()
            raise

    @property
    def _last_id(self) -> int:
        return int(self._database.cell("SELECT ifnull(max(id), 0) FROM documents"))

    def _ready(self, epoch: int) -> Judge:
        check_epoch("a sequencer", epoch, self._epoch)
        if self._judge is None or epoch > self._epoch:
            raise Gone(f"{self._directory}: it was opened again: say hello first")
        return self._judge

    def _found(
        self, judge: Judge, ask: PageAsk, address: int | None, *, full: bool
    ) -> Found | None:
        """Return what `Verdicts.verdict` would ask for, as far as it lies here."""
        signature, shown = ask.signature, ask.shown
        if known := judge.by_payload(ask.key):
            return Found(payload=known)
        if not is_comparable(signature, self._settings):
            return None
        visible = tuple(judge.by_visible(signature.visible_digest))
        addressed, candidates = [], None
        if self._settings.siblings is not SiblingMode.IGNORE:
            for key in dict.fromkeys((address, shown.canonical_address)):
                if key is not None and (at := self._catalog.by_address(key, MOST_ADDRESSED)):
                    addressed.append((key, tuple(at)))  # noqa: PERF401 - three conditions
        if can_represent(signature, self._settings, has_evidence=shown.appearance is not None):
            candidates = judge.candidates(signature, full=full)
        if not (visible or addressed or candidates):
            return None
        return Found(None, visible, tuple(addressed), candidates)


def open_pages(directory: Path) -> RoleState:
    """Hold the directory of a shard, and make it if need be. Raises StoreError."""
    state = RoleState.open(directory, tables.create_tables, _checked)
    # Other tables, which would be looked through for references to each row that goes, are empty.
    state.database.rows("PRAGMA foreign_keys = OFF")
    return state


def _checked(database: Database) -> None:
    tables.check_version(database)
    tables.migrate(database)


def _document(kept: Kept, ask: PageAsk, address: int | None) -> StoredDocument:
    shown = ask.shown
    return StoredDocument(
        *(kept.seq, kept.seq, shown.url, ask.key, ask.signature, kept.representative),
        layout=shown.layout,
        address=address if kept.addressed else None,
        appearance=shown.appearance,
    )
