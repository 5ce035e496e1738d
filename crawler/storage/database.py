"""The SQLite state file: connections, and what is raised where it cannot be read or written.

Write-ahead log with `synchronous = FULL`: a committed transaction survives a power cut, and readers
(the judge's look-ups, `report`, a curious user with the sqlite3 shell) never wait for the writer.
On a clean end the file leaves WAL mode, so that a finished crawl is one file that can be copied or
read from a read-only disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from crawler.errors import CrawlerError, StoreError, StoreMismatch
from crawler.storage.directory import STATE

MIN_SQLITE = (3, 33, 0)
"""UPDATE ... FROM came with 3.33.0."""
BUSY_S = 60.0
"""How long somebody else's write lock is waited for."""
MIB = 1 << 20
CHECKPOINT_PAGES = 4096
"""Pages of 4 KiB in the write-ahead log from which it is folded into the file: so much and one
transaction is what it holds at most, unless somebody reads an old view for long."""

WAY_OUT = (
    "another program or the disk has damaged it; restore the whole directory from a backup, or "
    "start a new crawl in another directory"
)

PUT_RIGHT = " (is the disk full, failing or read-only?): repair the cause, then repeat the command"
"""The way out where nobody knows a better one."""
_DAMAGED = f": {WAY_OUT}"
_WAYS_OUT = {
    sqlite3.SQLITE_FULL: PUT_RIGHT,
    sqlite3.SQLITE_IOERR: PUT_RIGHT,
    sqlite3.SQLITE_CANTOPEN: PUT_RIGHT,
    sqlite3.SQLITE_READONLY: PUT_RIGHT,
    sqlite3.SQLITE_BUSY: f": another program has held its lock for {BUSY_S:g} s (an sqlite3 shell?)"
    "; let it end, then repeat the command",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
"""What the user can do, by SQLite's primary result code."""


class Database:
    """One connection to one state file; used by one thread at a time."""

    def __init__(self, path: Path, mode: str) -> None:
        """Connect; `mode` is SQLite's `ro`, `rw` or `rwc` (create). Raises StoreError.

        StoreMismatch where something lies there that is no file.
        """
        if sqlite3.sqlite_version_info < MIN_SQLITE:
            raise StoreError(
                f"this Python has SQLite {sqlite3.sqlite_version}; 3.33.0 or later is needed: "
                "use a newer Python or operating system"
            )
        if path.exists() and not path.is_file():
            raise StoreMismatch(
                f"{path} is no file: move it away, or choose another output directory"
            )
        self.path = path
        with self.translated():
            self.connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=BUSY_S,
                isolation_level=None,
                check_same_thread=False,
            )

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn what SQLite raises into StoreError."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._trouble(error) from error
        except UnicodeDecodeError as error:  # the module could not read SQLite's own message
            raise StoreError(f"{self.path}: {error}{_DAMAGED}") from error

    def _trouble(self, error: sqlite3.Error) -> StoreError:
        # Without the extended part of the code; errors of the module itself have none at all.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return StoreError(f"{self.path}: {error}{_WAYS_OUT.get(code, '')}")

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement to its end: a half-read one would pin an old view of the tables."""
        with self.translated():
            return self.connection.execute(sql, parameters).fetchall()

    def cell(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the first value that a statement gives, None where it gives no row."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def stream(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield rows one at a time, for results larger than memory should hold."""
        with self.translated():
            # Not `yield from`: that would close the cursor when a half-read stream is dropped, and
            # the connection may be closed by then.
            for row in self.connection.execute(sql, parameters):  # noqa: UP028
                yield row

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock; commit at the end, or roll back and raise StoreError."""
        with self.translated():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                # After a full disk SQLite has often rolled back by itself; the cause matters more.
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise

    def begin_writing(self) -> None:
        """Prepare this connection for the writer: durable commits, checked references."""
        with self.translated():
            for pragma in (
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
                f"journal_size_limit = {64 * MIB}",
                f"cache_size = -{64 * MIB // 1024}",
                f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
            ):
                self.connection.execute(f"PRAGMA {pragma}").fetchall()

    def end_writing(self) -> None:
        """Fold the log into the file, unless somebody is still reading it: then the log stays."""
        with suppress(sqlite3.Error):
            self.connection.execute("PRAGMA busy_timeout = 0")
            self.connection.execute("PRAGMA journal_mode = DELETE").fetchall()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def is_blank(self) -> bool:
        """Whether nothing was ever committed to the file; StoreMismatch if it is no database."""
        try:
            tables = self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.OperationalError as error:
            raise self._trouble(error) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if isinstance(error, sqlite3.Error) and code == sqlite3.SQLITE_CORRUPT:
                raise self._trouble(error) from error  # it was one, and its list of tables is gone
            raise StoreMismatch(f"{self.path} is not a crawl's state file: {error}") from None
        return tables == 0 and self.pragma("application_id") == 0

    @property
    def version(self) -> int:
        """The schema version of the file (`crawler.storage.tables`)."""
        return self.pragma("user_version")

    def pragma(self, name: str) -> int:
        """Return the value of a pragma that is a number."""
        return int(self.cell(f"PRAGMA {name}"))


@contextmanager
def reading_stored_values(directory: Path) -> Iterator[None]:
    """Raise StoreError where the state file in `directory` holds values this program never wrote.

    SQLite notices a damaged page, not a damaged value: a number where a text was, JSON cut short.
    Code that reads stored values back trusts their types, and whatever it raises where they are
    wrong is turned into StoreError here. So nothing else belongs into the context.
    """
    try:
        yield
    except CrawlerError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(
            f"{directory / STATE} cannot be read back ({type(error).__name__}: {error}): {WAY_OUT}"
        ) from error


def is_half_written(error: StoreError) -> bool:
    """Whether a reader met the journal of a write that was cut off, which a writer rolls back."""
    cause = error.__cause__
    code = cause.sqlite_errorcode if isinstance(cause, sqlite3.Error) else None
    return code == sqlite3.SQLITE_READONLY_ROLLBACK
