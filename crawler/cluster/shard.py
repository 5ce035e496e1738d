"""A shard: some of the pages that the judge has kept, and the indexes by which they are found.

Its directory has the tables of a crawl, of which it fills those of pages: a page's number is the id
of its row and of its URL. So the catalogue and indexes are those of one machine (`SqliteCatalog`,
`Judge`), but that nothing is judged here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path

import orjson

from crawler import config
from crawler.cluster.gathered import GatheredCatalog, GatheredJudge
from crawler.cluster.protocol import (
    Ahead,
    Carrier,
    Found,
    Gone,
    Kept,
    Looked,
    OriginalRow,
    PageAsk,
)
from crawler.cluster.protocol import shard as role_of_shard
from crawler.cluster.state import EPOCH, RoleState, check_epoch
from crawler.config import SiblingMode
from crawler.dedup import Judge
from crawler.dedup.copies import MOST_ADDRESSED
from crawler.dedup.copies.inquiry import MOST_OTHERS
from crawler.dedup.judge import can_represent, is_comparable
from crawler.dedup.methods.matching import NotCompared
from crawler.models import EditionCount, New, Unjudged
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
_ADDRESSES = (
    "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM documents WHERE address = value)"
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
        self,
        directory: Path,
        settings: config.Dedup,
        carrier: Carrier,
        number: int,
        shards: int,
        expected_pages: int = EXPECTED_PAGES,
    ) -> None:
        """It is this `number` of so many `shards`, from 0, which it reaches by `carrier`.

        `expected_pages` sizes the indexes; more are taken.
        """
        self._directory = directory
        self._carrier = carrier
        self._number = number
        self._shards = shards
        self._settings = settings
        self._expected = expected_pages
        self._judge: Judge | None = None
        """The indexes of what is committed; None until `hello`."""
        self._hosts: dict[str, int] = {}
        self._greeting = asyncio.Lock()
        self._batch: tuple[int, Sequence[PageAsk]] = 0, []
        """The number of the first of the pages that it was shown last, and these."""
        self._ahead = GatheredJudge(settings)
        """Judges them ahead; what it holds is of this epoch."""
        self._weighing = asyncio.Lock()

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

    async def hello(self, epoch: int, committed_seq: int) -> None:
        """Begin with a sequencer whose log had come so far as it was opened.

        What lies beyond is of one before it, and forgotten, once: what comes later is its own.
        """
        async with self._greeting:
            check_epoch("a sequencer", epoch, self._epoch)
            if epoch > self._epoch:
                if self._last_id > committed_seq:
                    self._judge = None
                with self._database.transaction() as connection:
                    for table, column in KEPT_IN:
                        beyond = f"DELETE FROM {table} WHERE {column} > ?"
                        connection.execute(beyond, (committed_seq,))
                    self._state.set(EPOCH, epoch)
                self._epoch = epoch
                self._batch = 0, []
                self._ahead = GatheredJudge(self._settings)
            if self._judge is None:
                number = int(self._database.cell("SELECT count(*) FROM documents"))
                judge = Judge(self._settings, self._catalog, max(self._expected, 2 * number))
                rows = StoreView(self._directory, self._database).index_rows()
                async for some in in_slices(rows, ROWS_A_SLICE):
                    judge.restore(some)
                self._judge = judge
                log.info("%s: %d pages", self._directory, number)

    async def look(
        self,
        epoch: int,
        first: int,
        asks: Sequence[PageAsk],
        hosts: Sequence[str] = (),
        full: bool = False,
    ) -> Looked:
        """Return what is like each page of a batch, which are numbered from `first`.

        In `full` what is like some of them, where that is needed. `hosts` are URLs of whose hosts
        the latest pages are asked for.
        """
        judge = self._ready(epoch)
        if not full:
            self._batch = first, asks
            self._ahead.gathered.take(
                ask.document(first + place, representative=False, addressed=False)
                for place, ask in enumerate(asks)
            )
        # At few addresses of a batch pages lie here, so all are asked for at once.
        known = frozenset[int]()
        if self._settings.siblings is not SiblingMode.IGNORE:
            keys = {key for ask in asks for key in (ask.address, ask.shown.canonical_address)}
            told = orjson.dumps([key for key in keys if key is not None]).decode()
            known = frozenset(key for (key,) in self._database.rows(_ADDRESSES, (told,)))
        return Looked(
            [self._found(judge, ask, known, full=full) for ask in asks],
            [self._catalog.of_host(url, MOST_OTHERS) for url in hosts],
        )

    async def weigh(
        self,
        epoch: int,
        first: int,
        likes: dict[int, bool],
        editions: Sequence[EditionCount],
        hosts: Mapping[str, tuple[Sequence[int], Sequence[int]]],
        found: Mapping[int, Sequence[Found]],
    ) -> dict[int, Ahead]:
        """Judge pages of the batch that was shown last ahead of the sequencer, by their places.

        Told is what takes long: what was found out by comparing pages. It rests on what is known
        before the batch, and on a guess of what will be kept of it: `found` is what all shards have
        found for these pages, `hosts` are the latest pages of their hosts, by a URL, and the places
        of those that seem to be kept, `likes` is as `GatheredJudge` has it, `editions` were counted
        since this was called last. Where another shard does not answer, less is told.
        """
        async with self._weighing:
            self._ready(epoch)
            shown, asks = self._batch
            if shown != first:
                return {}
            judge, gathered, told = self._ahead, self._ahead.gathered, dict[int, Ahead]()
            judge.restore_editions(editions)
            judge.likes = likes
            fetch = partial(self._fetch, gathered)
            wanted, places = set[int](), {*found}
            try:
                for url, (latest, kept) in hosts.items():
                    gathered.take_latest(url, latest)
                    places.update(kept)
                for place, parts in found.items():
                    if parts:
                        gathered.begin(parts)
                        wanted |= gathered.wanted(asks[place])
                await fetch(wanted)
                for place in sorted(places):
                    if place not in found:
                        judge.remember(first + place, asks[place], New())
                        continue
                    ask, known = asks[place], asks[place].told
                    try:
                        verdict = await judge.decided(
                            first + place, ask, found[place], known, fetch
                        )
                    except NotCompared:
                        continue
                    judge.forget()
                    if len(known) > 1:
                        of = None if isinstance(verdict, New | Unjudged) else verdict.of.id
                        told[place] = Ahead(known, of)
            except Gone as error:
                log.info("%s: not all was compared: %s", self._directory, error)
            finally:
                judge.take_editions()
                judge.end_batch()
            return told

    async def _fetch(self, gathered: GatheredCatalog, ids: Iterable[int]) -> None:
        """Have rows of pages taken in, those of other shards from these."""
        at: dict[int, list[int]] = {}
        for id_ in sorted(ids):
            at.setdefault(id_ % self._shards, []).append(id_)
        for number, some in at.items():
            call = self._epoch, some
            if number == self._number:
                gathered.take(await self.rows(*call))
            else:
                role = role_of_shard(number)
                gathered.take(await self._carrier.call(role, "rows", *call))
        if lost := {*ids} - gathered.held:
            raise Gone(f"nobody has pages {sorted(lost)}")

    async def rows(self, epoch: int, ids: Sequence[int]) -> list[OriginalRow]:
        """Return what is kept of some pages, in any order; those that are not here are left out."""
        self._ready(epoch)
        found = self._database.rows(_ROWS.format(", ".join("?" * len(ids))), ids)
        return [OriginalRow(*row) for row in found]

    async def keep(self, epoch: int, kept: Sequence[Kept]) -> None:
        """Keep pages, in ascending order of their numbers; they are durable when this returns."""
        judge = self._ready(epoch)
        last = self._last_id
        documents = [
            page.ask.document(
                page.seq, representative=page.representative, addressed=page.addressed
            )
            for page in kept
            if page.seq > last
        ]
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

    def _found(self, judge: Judge, ask: PageAsk, known: Set[int], *, full: bool) -> Found | None:
        """Return what `Verdicts.verdict` would ask for, as far as it lies here."""
        signature, shown = ask.signature, ask.shown
        if payload := judge.by_payload(ask.key):
            return Found(payload=payload)
        if not is_comparable(signature, self._settings):
            return None
        visible = tuple(judge.by_visible(signature.visible_digest))
        candidates = None
        addressed = [
            (key, tuple(self._catalog.by_address(key, MOST_ADDRESSED)))
            for key in dict.fromkeys((ask.address, shown.canonical_address))
            if key is not None and key in known
        ]
        if can_represent(signature, self._settings, has_evidence=shown.appearance is not None):
            found = judge.candidates(signature, full=full)
            candidates = found if any(found) else None
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
