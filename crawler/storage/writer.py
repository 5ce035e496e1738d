"""The writer thread: takes groups from the inbox and makes each durable, or fails for good.

A group becomes durable in two steps: its lines are appended and synced, then one transaction holds
its rows and the new length of each line file. A crash before the commit leaves only bytes beyond
the recorded lengths, which the next opening cuts off.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from crawler.storage import rows
from crawler.storage.database import Database
from crawler.storage.inbox import Group, Inbox
from crawler.storage.journal import Journal


class Observer(Protocol):
    """Who is told, from the writer thread, how each group fared."""

    def committed(self, group: Group, answers: list[Any]) -> None:
        """`group` is durable; `answers` belong to its requests."""

    def failed(self, error: Exception) -> None:
        """Nothing more will be written; what was not reported as committed is not durable."""

    def ended(self) -> None:
        """The thread's last act."""


class Writer:
    """The only user of `database` and `journal` between `start` and `join`."""

    def __init__(
        self, database: Database, journal: Journal, inbox: Inbox, observer: Observer
    ) -> None:
        self._database = database
        self._journal = journal
        self._inbox = inbox
        self._observer = observer
        self._hosts = rows.HostIds()
        self._ended = int(database.rows("SELECT ifnull(max(ended), 0) FROM urls")[0][0])
        # A daemon: should the loop die without leaving the store, the process must still end.
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self.start: Callable[[], None] = self._thread.start
        self.join: Callable[[], None] = self._thread.join

    def _run(self) -> None:
        try:
            while (group := self._inbox.take()) is not None:
                if group.begun_at is not None:
                    self._commit(group)
                self._observer.committed(group, self._answer(group))
        except Exception as error:
            # Whatever it is, a bug included, the crawl must hear of it: nobody else is listening
            # in this thread.
            self._observer.failed(error)
        finally:
            self._observer.ended()

    def _answer(self, group: Group) -> list[Any]:
        with self._database.translated():
            return [request.query(self._database.connection) for request in group.requests]

    def _commit(self, group: Group) -> None:
        extents = self._journal.append(line for batch in group.batches for line in batch.lines)
        documents = [batch.document for batch in group.batches if batch.document]
        with self._database.transaction() as connection:
            rows.insert_urls(connection, self._hosts, group.urls)
            rows.insert_documents(connection, documents)
            finished = rows.finish_urls(connection, group.batches, self._ended)
            if finished != len(group.batches):
                raise ValueError(
                    f"{len(group.batches) - finished} pages were finished twice or never queued"
                )
            rows.add_totals(connection, group.batches)
            rows.set_meta(connection, group.meta)
            rows.set_extents(connection, extents)
        self._ended += len(group.batches)
