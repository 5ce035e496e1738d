"""How a store's directory is created or reopened: all is checked before anything is changed.

What a purge has written anew is taken over here, too (`finish_swaps`): the transaction that records
a new file in place of old ones names these under `Meta.SWAPPED`; from then on they are to go, and
whoever opens the directory for writing next finishes that.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.console import command
from crawler.errors import StoreError, StoreMismatch
from crawler.storage import rows
from crawler.storage.archive import cut_archives
from crawler.storage.database import Database, reading_stored_values
from crawler.storage.directory import (
    INPUTS,
    LINE_FILES,
    STATE,
    line_path,
    lock,
    make_directory,
    refuse_foreign_files,
    run_of,
    sync_directory,
)
from crawler.storage.journal import Journal, check_extents, on_disk
from crawler.storage.tables import REPEAT, Meta, check_version, create_tables, migrate
from crawler.storage.view import StoreView, open_state

log = logging.getLogger(__name__)

FIXED = frozenset({"payload_hash", "tracking_parameters", "against"})
"""Identity keys that no stored text can be brought to: bodies are not kept, and URLs that were seen
under one list of parameters cannot be compared with those of another, nor verdicts that were drawn
against other earlier pages."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A directory taken for writing, with everything open; `lock` is that of `directory.lock`."""

    directory: Path
    lock: int
    writer: Database
    reader: Database
    journal: Journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close everything; the directory is released last, when nothing is open any more."""
        self.reader.close()
        self.writer.end_writing()
        self.writer.close()
        self.journal.close()
        os.close(self.lock)


def create(
    directory: Path,
    identity: Mapping[str, Any],
    rotate_bytes: int | None = None,
    key: str | None = None,
) -> Opened:
    """Begin a crawl; see `Store.create`."""
    # With numpy, which a `report` does without.
    from crawler.dedup.signing import new_key
    from crawler.storage.reference_index import check_layers

    check_layers(identity)
    make_directory(directory)
    with reading_stored_values(directory), ExitStack() as undo:
        held = lock(directory, run_of(identity))
        undo.callback(os.close, held)
        if not (directory / STATE).exists():
            refuse_foreign_files(directory, on_disk(directory))
        database = Database(directory / STATE, "rwc")
        undo.callback(database.close)
        if database.is_blank():
            refuse_foreign_files(directory, on_disk(directory))
            database.begin_writing()
            create_tables(database)
        check_version(database)
        view = StoreView(directory, database)
        if view.next_url_id > 1:
            stored = view.meta(Meta.IDENTITY, {})
            raise _occupied(directory, stored, is_recrawl=view.meta(Meta.RECRAWL) is not None)
        migrate(database)
        # What was signed for a run like this before its first end may be used by it.
        same = not _differing(view.meta(Meta.IDENTITY, {}), identity)
        key = key or (view.key.hex() if same and view.key else new_key().hex())
        with database.transaction() as connection:
            connection.execute("DELETE FROM meta")
            rows.set_meta(connection, {Meta.IDENTITY: identity, Meta.KEY: key})
        log.info("a new store in %s", directory)
        return _opened(directory, held, database, undo, rotate_bytes)


def resume(
    directory: Path,
    identity: Mapping[str, Any] | None = None,
    rotate_bytes: int | None = None,
    holder: str | None = None,
) -> Opened:
    """Reopen a crawl; see `Store.open`. Who holds it is a run of its kind, or `holder` (CHANGE)."""
    with reading_stored_values(directory), ExitStack() as undo:
        with closing(open_state(directory, "ro")) as state:
            kind = run_of(StoreView(directory, state).meta(Meta.IDENTITY, {}))
        held = lock(directory, holder or kind)
        undo.callback(os.close, held)
        database = open_state(directory, "rw")
        undo.callback(database.close)
        view = StoreView(directory, database)
        is_known = (view.meta(Meta.RECRAWL) or {}).get("has_inherited")  # and nothing was due
        if view.next_url_id == 1 and not (is_known or view.meta(Meta.PURGED)):  # of all it had
            raise StoreMismatch(
                f"{directory}: the crawl was stopped before its seeds were stored, there is "
                f"nothing to continue: {REPEAT}"
            )
        if identity is not None:
            _check_identity(directory, view.meta(Meta.IDENTITY, {}), identity)
        migrate(database)
        finish_swaps(directory, database)
        return _opened(directory, held, database, undo, rotate_bytes)


def _opened(
    directory: Path, held: int, database: Database, undo: ExitStack, rotate_bytes: int | None
) -> Opened:
    extents = StoreView(directory, database).all_files()
    check_extents(directory, extents)
    database.begin_writing()
    journal = Journal(directory, extents, rotate_bytes)
    undo.callback(journal.close)
    try:
        cut_archives(directory, StoreView(directory, database).archives())
    except OSError as error:
        raise StoreError(f"{directory}: cannot write the archives: {error}") from None
    reader = Database(directory / STATE, "ro")
    log.debug("opened %s: %s", directory, extents)
    undo.pop_all()
    return Opened(directory, held, database, reader, journal)


def _occupied(
    directory: Path, stored: Mapping[str, Any], *, is_recrawl: bool = False
) -> StoreMismatch:
    if INPUTS in stored:
        held = "the results of `dedup`: repeat the same `dedup` command to continue"
    else:
        held = f"a crawl: continue it with `{command('resume', directory)}`"
        if is_recrawl:
            held += f", visit its pages again with `{command('recrawl', directory)}`"
    return StoreMismatch(f"{directory} already holds {held}, or choose another output directory")


def finish_swaps(directory: Path, database: Database) -> None:
    """Remove the files that were replaced; what was one file of a kind has its name again.

    The lock is held. Each step may be repeated, whatever a kill interrupts. Raises StoreError.
    """
    pairs: list[tuple[str, list[str]]] = []
    with reading_stored_values(directory):
        swapped = StoreView(directory, database).meta(Meta.SWAPPED) or {}
        for kind, swap in swapped.items():
            if kind not in LINE_FILES or not isinstance(swap["old"], list):
                raise ValueError(f"no files of lines: {kind}")
            pairs.append((str(swap["new"]), [str(file) for file in swap["old"]]))
    if not swapped:
        return
    try:
        names = {new: _finish_swap(directory, new, old) for new, old in pairs}
        sync_directory(directory)
    except OSError as error:
        raise StoreError(
            f"{directory}: files of a purge cannot be removed: {error}. Repair the cause (free "
            "space, permissions), then repeat the command"
        ) from None
    with database.transaction() as connection:
        connection.executemany(
            "UPDATE files SET name = ? WHERE name = ?",
            [(name, new) for new, name in names.items()],
        )
        rows.set_meta(connection, {Meta.SWAPPED: None})
    for new, name in names.items():
        if name != new:
            line_path(directory, new).unlink(missing_ok=True)


def swapped_name(new: str, old: Sequence[str]) -> str:
    """Return what a file that takes the place of old ones is called once these are gone."""
    kind = new.partition(".")[0]
    return kind if old[-1] == kind else new


def _finish_swap(directory: Path, new: str, old: list[str]) -> str:
    """Remove old files; return what the new one is called in the end. Raises OSError."""
    name = swapped_name(new, old)
    if name != new:
        source, target = line_path(directory, new), line_path(directory, name)
        part = target.with_name(f"{target.name}.part")
        part.unlink(missing_ok=True)
        try:
            os.link(source, part)
        except OSError:  # a file system without hard links
            shutil.copyfile(source, part)
            with part.open("rb") as copied:
                os.fsync(copied.fileno())
        part.replace(target)
    for file in old:
        if file != name:
            line_path(directory, file).unlink(missing_ok=True)
    return name


def check_reindexable(opened: Opened, identity: Mapping[str, Any]) -> None:
    """Raise StoreMismatch unless stored pages can be brought to `identity` from their texts."""
    stored = StoreView(opened.directory, opened.reader).meta(Meta.IDENTITY, {})
    if INPUTS in stored:
        raise StoreMismatch(
            f"{opened.directory} holds the results of `dedup`: run `dedup` again with another "
            "--output"
        )
    fixed = FIXED & _differing(stored, identity).keys()
    if fixed:
        raise StoreMismatch(
            f"{opened.directory}: {', '.join(sorted(fixed))} cannot change after a crawl has "
            "begun, not even by `reindex`; restore the old value, or start a new crawl in another "
            "directory"
        )


def _check_identity(directory: Path, stored: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    if (INPUTS in stored) != (INPUTS in given):
        raise _occupied(directory, stored)
    differing = _differing(stored, given)
    if differing:
        way_out = "restore the old values, or start a new crawl in another directory"
        if INPUTS not in stored and not FIXED & differing.keys():
            way_out = (
                "restore the old values, or convert the stored pages to the new ones, with the "
                f"same --config:\n  {command('reindex', directory)}"
            )
        raise StoreMismatch(
            f"{directory} was crawled with other settings that cannot change on resume:\n  "
            + "\n  ".join(differing.values())
            + f"\n{way_out}"
        )


def _differing(stored: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys that differ, each with a sentence that shows both values."""
    # Through JSON and back, as the stored identity went: a tuple equals its list.
    wanted: dict[str, Any] = orjson.loads(orjson.dumps(given))
    return {
        key: f"{key}: the crawl has {_show(stored, key)}, the job asks for {_show(wanted, key)}"
        for key in sorted(stored.keys() | wanted.keys())
        if key not in stored or key not in wanted or stored[key] != wanted[key]
    }


def _show(settings: Mapping[str, Any], key: str) -> str:
    return orjson.dumps(settings[key]).decode() if key in settings else "nothing"
