"""The judge of a cluster while no crawl runs: what it has decided is changed with the partitions.

A page that goes leaves its number in the log, which is never given again, and nothing else. What
was judged by such a page is asked about anew, or stays stored and is new. A page that is stored
after all is decided once more, as the last one, as in one crawl: there it has the next number, too.

Such a page is kept by the judge with its new number, then stored by its partition with that. Where
this is killed in between, the same command finds the number again; until then nothing else is done
with the crawl (`Root.held`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from crawler.cluster.root import Root
from crawler.cluster.sequencer import open_log
from crawler.cluster.shard import KEPT_IN, open_pages
from crawler.cluster.state import RoleState
from crawler.errors import StoreMismatch
from crawler.models import PageOutcome, StoredDocument, StoredRef
from crawler.storage import opening, rows
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.database import Database
from crawler.storage.directory import CHANGE, STATE
from crawler.storage.purging import forget_editions
from crawler.storage.restoring import Restoring
from crawler.storage.view import StoreView
from crawler.urls import host_key

_ALONE = (
    "why = NULL, of_id = NULL, of_url = NULL, distance = NULL, similarity = NULL, "
    "fingerprint = NULL, of_fingerprint = NULL"
)
_BLANK = (
    "UPDATE verdicts SET partition = -1, number = seq, kept = 0, name = 'gone', represents = 0, "
    f"{_ALONE} WHERE {{where}}"
)
"""No partition has the number -1."""
_NEW = f"UPDATE verdicts SET name = 'new', {_ALONE} WHERE seq = ?"
_VERDICT = "name, why, of_id, of_url, distance, similarity, fingerprint, of_fingerprint"
_ADD = (
    f"INSERT INTO verdicts (seq, partition, number, kept, represents, {_VERDICT}) "
    f"VALUES (?, ?, ?, 1, 0, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Like(NamedTuple):
    """A URL of a partition that was judged to be like a stored page."""

    partition: int
    url_id: int
    seq: int
    kept: bool
    of: StoredRef


class RestingJudge:
    """The directories of the judge; made by `resting`."""

    def __init__(self, log: RoleState, shards: Sequence[RoleState]) -> None:
        self.log = log.database
        self._shards = [shard.database for shard in shards]
        self._last = int(self.log.cell("SELECT ifnull(max(seq), 0) FROM verdicts"))
        for shard in self._shards:  # as a sequencer has them do that begins
            with shard.transaction():
                _delete(shard, "> ?", [(self._last,)])

    def like_hosts(self, hosts: Collection[str]) -> Iterator[Like]:
        """Yield what was judged to be like pages of some host keys. Reads the whole log."""
        query = "SELECT partition, number, seq, kept, of_id, of_url FROM verdicts "
        for partition, number, seq, kept, *of in self.log.stream(
            f"{query} WHERE of_url IS NOT NULL ORDER BY seq"
        ):
            if host_key(of[1]) in hosts:
                yield Like(partition, number, seq, bool(kept), StoredRef(*of))

    def forget(self, hosts: Collection[str], urls: Collection[tuple[int, int]]) -> None:
        """Remove what is known of pages of some host keys, and of `urls`: partition and id of each.

        May be repeated. All of a shard is done by one transaction, then all of the log.
        """
        names = sorted(hosts)
        of_hosts = f"SELECT id FROM hosts WHERE name IN ({', '.join('?' * len(names))})"
        for shard in self._shards:
            shard.rows("PRAGMA secure_delete = ON")
            with shard.transaction() as connection:
                own = f"SELECT id FROM urls WHERE host_id IN ({of_hosts})"
                gone = connection.execute(own, names).fetchall()
                _delete(shard, "= ?", gone)
                connection.execute(f"DELETE FROM hosts WHERE id IN ({of_hosts})", names)
        alike = list(self.like_hosts(hosts))
        self.log.rows("PRAGMA secure_delete = ON")
        with self.log.transaction() as connection:
            connection.executemany(_BLANK.format(where="(partition, number) = (?, ?)"), urls)
            for one in alike:
                change = _NEW if one.kept else _BLANK.format(where="seq = ?")
                connection.execute(change, (one.seq,))
            forget_editions(connection, hosts)

    def numbered(self, partition: int, url_id: int) -> int:
        """Return the number that a URL has as a stored page; a new one where it is none."""
        query = "SELECT seq FROM verdicts WHERE (partition, number, kept) = (?, ?, 1)"
        if found := self.log.rows(query, (partition, url_id)):
            return int(found[0][0])
        self._last += 1
        return self._last

    def keep(
        self,
        partition: int,
        pages: Sequence[StoredDocument],
        of: Mapping[int, tuple[str, StoredRef]],
    ) -> None:
        """Keep pages that a partition had dropped, numbered by `numbered`; durable afterwards.

        `of` says by URL id by which verdict each was dropped, and what it is like.
        """
        for number, shard in enumerate(self._shards):
            documents = [
                replace(page, url_id=page.id)
                for page in pages
                if page.id % len(self._shards) == number
            ]
            with shard.transaction() as connection:
                _delete(shard, "= ?", [(page.id,) for page in documents])
                rows.insert_stored_urls(connection, {}, documents)
                rows.insert_documents(connection, documents)
        with self.log.transaction() as connection:
            for page in pages:
                ask = partition, page.url_id
                query = f"SELECT seq, {_VERDICT} FROM verdicts WHERE (partition, number) = (?, ?)"
                before = connection.execute(query, ask).fetchone()
                if before is None:  # a copy that its own partition knew
                    name, ref = of[page.url_id]
                    verdict: tuple[Any, ...] = (name, None, ref.id, ref.url, *(None,) * 4)
                else:
                    seq, *verdict_ = before
                    if seq == page.id:
                        continue
                    connection.execute(_BLANK.format(where="seq = ?"), (seq,))
                    verdict = tuple(verdict_)
                connection.execute(_ADD, (page.id, *ask, *verdict))


def _delete(shard: Database, which: str, values: Iterable[tuple[Any, ...]]) -> None:
    """Remove pages of a shard by their numbers, in the transaction that is under way."""
    some = list(values)
    for table, column in KEPT_IN:
        shard.connection.executemany(f"DELETE FROM {table} WHERE {column} {which}", some)


@contextmanager
def resting(root: Root) -> Iterator[RestingJudge]:
    """Hold the directories of a judge that does not run.

    Raises StoreInUse where it does, StoreMismatch where they are not to be seen here, StoreError.
    """
    shards = [root.shard(number) for number in range(root.plan.judge_shards)]
    unseen = [number for number, place in enumerate(shards) if not (place / STATE).exists()]
    if not (root.sequencer / STATE).exists():
        raise _not_here(root.sequencer)
    with ExitStack() as stack:
        log = stack.enter_context(closing(open_log(root.sequencer)))
        kept = "SELECT EXISTS (SELECT 1 FROM verdicts WHERE kept AND seq % ? = ?)"
        for number in unseen:  # one that has no page yet is made
            if log.database.cell(kept, (len(shards), number)):
                raise _not_here(shards[number])
        pages = [stack.enter_context(closing(open_pages(place))) for place in shards]
        yield RestingJudge(log, pages)


def _not_here(directory: Path) -> StoreMismatch:
    return StoreMismatch(
        f"{directory} is not there, and this changes what the judge knows: repeat the command on a "
        "machine that sees all directories, or `resume` first a crawl that was stopped as it began"
    )


class OfOthers(NamedTuple):
    """What pages of a partition were dropped for; see `crawler.storage.restoring.Elsewhere`."""

    judge: RestingJudge
    number: int

    def like(self, url_id: int) -> StoredRef | None:
        """See Elsewhere."""
        query = "SELECT of_id, of_url FROM verdicts WHERE (partition, number) = (?, ?)"
        found = self.judge.log.rows(f"{query} AND of_id NOT NULL", (self.number, url_id))
        return StoredRef(*found[0]) if found else None

    def copies(self, of: Collection[int]) -> Collection[int]:
        """See Elsewhere. Reads the whole log."""
        query = "SELECT number, of_id FROM verdicts WHERE partition = ? AND of_id NOT NULL"
        found = self.judge.log.stream(query, (self.number,))
        return [url_id for url_id, id_ in found if id_ in of]


class RestoringPartition(Restoring):
    """One partition, locked for writing, and the judge; made by `restoring`."""

    def __init__(
        self,
        opened: opening.Opened,
        root: Root,
        number: int,
        judge: RestingJudge,
        views: Mapping[int, StoreView],
    ) -> None:
        super().__init__(opened)
        self._root = root
        self._number = number
        self._judge = judge
        self._views = views
        self._catalog = SqliteCatalog(opened.reader)

    def number(self, url_id: int) -> int:
        """See Restoring: pages of all partitions are numbered by the judge."""
        return self._judge.numbered(self._number, url_id)

    def view_of(self, page: StoredRef) -> StoreView:
        """See Restoring."""
        return self._views[self._root.partition_of(host_key(page.url))]

    def commit(self, pages: Sequence[PageOutcome]) -> None:
        """See Restoring."""
        of = {
            page.url_id: (page.detail, self._catalog.ref(page.duplicate_of))
            for page in pages
            if page.duplicate_of is not None
        }
        self._judge.keep(self._number, [one.document for one in pages if one.document], of)
        super().commit(pages)


@contextmanager
def restoring(
    root: Root, number: int, judge: RestingJudge, views: Mapping[int, StoreView]
) -> Iterator[RestoringPartition]:
    """Lock a partition of a crawl that is held; `views` are of all. Raises as `Store.open` does."""
    rotate_bytes = root.job.storage.rotate_bytes
    directory, identity = root.partition(number), root.identity(number)
    with opening.resume(directory, identity, rotate_bytes, CHANGE) as opened:
        yield RestoringPartition(opened, root, number, judge, views)
