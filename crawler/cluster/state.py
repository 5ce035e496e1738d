"""The directory of a role of the judge: who holds it, its tables, and which epochs are over."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.cluster.protocol import Fenced
from crawler.storage.database import Database
from crawler.storage.directory import STATE, lock, make_directory

EPOCH = "epoch"


class RoleState:
    """A directory that is held, and its database, with a table `meta` of JSON by key."""

    def __init__(self, directory: Path, database: Database, held: int) -> None:
        self.directory = directory
        self.database = database
        self._lock = held

    @classmethod
    def open(
        cls, directory: Path, create: Callable[[Database], None], check: Callable[[Database], None]
    ) -> Self:
        """Hold a directory; `create` makes the tables of a new one, `check` looks at them.

        Raises StoreInUse where another process holds it, StoreError, and what these raise.
        """
        make_directory(directory)
        with ExitStack() as undo:
            held = lock(directory, "the judge of a crawl in partitions")
            undo.callback(os.close, held)
            database = Database(directory / STATE, "rwc")
            undo.callback(database.close)
            database.begin_writing()
            if database.is_blank():
                create(database)
            check(database)
            undo.pop_all()
        return cls(directory, database, held)

    def close(self) -> None:
        """Let it go; what was committed is there, whether this is called or not."""
        self.database.end_writing()
        self.abandon()

    def abandon(self) -> None:
        """Let it go as a kill does."""
        self.database.close()
        os.close(self._lock)

    def get(self, key: str, default: Any) -> Any:
        """Return an entry of `meta`."""
        found = self.database.cell("SELECT value FROM meta WHERE key = ?", (key,))
        return default if found is None else orjson.loads(found)

    def set(self, key: str, value: Any) -> None:
        """Set an entry of `meta`: at once, or with the transaction that is under way."""
        row = key, orjson.dumps(value).decode()
        self.database.rows("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)


def check_epoch(who: str, epoch: int, known: int) -> None:
    """Raise Fenced where a caller's epoch is lower than the highest that is known."""
    if epoch < known:
        raise Fenced(f"{who} of epoch {epoch}: there is one of epoch {known}")
