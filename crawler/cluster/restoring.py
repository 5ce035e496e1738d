"""Dropped pages of a crawl in several partitions stored after all: the judge is told first.

A page is kept by the judge with a new number, then stored by its partition with that. Where this is
killed in between, the same command finds the number again; until then nothing else is done with the
crawl (`Root.held`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from crawler.cluster.resting import RestingJudge
from crawler.cluster.root import Root
from crawler.models import PageOutcome, StoredRef
from crawler.storage import opening
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.directory import CHANGE
from crawler.storage.restoring import Restoring
from crawler.storage.view import StoreView
from crawler.urls import host_key


class OfOthers(NamedTuple):
    """What pages of a partition were dropped for; see `crawler.storage.restoring.Elsewhere`."""

    judge: RestingJudge
    number: int

    def like(self, url_id: int) -> StoredRef | None:
        """See Elsewhere."""
        return self.judge.like(self.number, url_id)

    def copies(self, of: Collection[int]) -> Collection[int]:
        """See Elsewhere."""
        return self.judge.copies(self.number, of)


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
