"""State files of older versions are brought up to date, whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.store_material import (
    IDENTITY,
    check_consistent,
    crawl_of,
    new_url,
    outside_connection,
    page,
)
from support.store_versions import make_version_12, make_version_13

from crawler.errors import StoreError, StoreMismatch
from crawler.storage import tables
from crawler.storage.store import Store


def schema_of(directory: Path) -> tuple[int, list[tuple[Any, ...]]]:
    """Return the version of a state file, and the columns of all its tables."""
    with closing(outside_connection(directory)) as state:
        columns = state.rows(
            'SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_master '
            "AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid"
        )
        return state.pragma("user_version"), columns


def indexes_of(directory: Path) -> list[tuple[Any, ...]]:
    """Return the indexes of a state file, as they were made."""
    with closing(outside_connection(directory)) as state:
        return state.rows("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name")


OLDER = pytest.mark.parametrize("make_older", [make_version_12, make_version_13])
Aging = Callable[[Path], None]


@OLDER
async def test_an_older_state_becomes_what_a_new_one_is(tmp_path: Path, make_older: Aging) -> None:
    """Opened for writing, an older file has the tables of a new file and all its rows."""
    old, new = tmp_path / "old", tmp_path / "new"
    await crawl_of(old, 4)
    await crawl_of(new, 4)
    make_older(old)
    async with Store.open(old, IDENTITY) as store:
        store.submit_urls([new_url(5)])
        store.submit(page(5, 5))
    async with Store.open(new, IDENTITY) as store:
        store.submit_urls([new_url(5)])
        store.submit(page(5, 5))
    assert schema_of(old) == schema_of(new)
    assert schema_of(old)[0] == tables.SCHEMA_VERSION
    assert indexes_of(old) == indexes_of(new)
    with Store.read(old) as one, Store.read(new) as other:
        check_consistent(one)
        assert list(one.index_rows()) == list(other.index_rows())
        assert list(one.seen_urls()) == list(other.seen_urls())
        assert one.accounting() == other.accounting()


@OLDER
async def test_reading_an_older_state_changes_nothing(tmp_path: Path, make_older: Aging) -> None:
    """A report takes an older file as it is."""
    await crawl_of(tmp_path, 3)
    make_older(tmp_path)
    before = (tmp_path / "state.sqlite").read_bytes()
    with Store.read(tmp_path) as view:
        check_consistent(view)
    assert (tmp_path / "state.sqlite").read_bytes() == before


@OLDER
async def test_a_migration_that_fails_leaves_the_old_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_older: Aging
) -> None:
    """Where a step fails nothing of the steps before it is kept, and the next try succeeds."""
    await crawl_of(tmp_path, 2)
    make_older(tmp_path)
    before = schema_of(tmp_path)
    last = tables.SCHEMA_VERSION - 1
    with monkeypatch.context() as patched:
        statements = (*tables.MIGRATIONS[last], "ALTER TABLE nowhere ADD COLUMN a")
        patched.setattr(tables, "MIGRATIONS", {**tables.MIGRATIONS, last: statements})
        with pytest.raises(StoreError, match="nowhere"):
            Store.open(tmp_path, IDENTITY)
    assert schema_of(tmp_path) == before
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)


def test_every_version_has_a_way_to_the_next() -> None:
    """No version that can be read is without its migration."""
    versions = range(tables.READABLE_SINCE, tables.SCHEMA_VERSION)
    assert sorted(tables.MIGRATIONS) == list(versions)


@pytest.mark.parametrize("version", [0, tables.READABLE_SINCE - 1, tables.SCHEMA_VERSION + 1])
async def test_unknown_versions_are_refused_and_kept(tmp_path: Path, version: int) -> None:
    """A state of a later program, of one before 0.1.0, or of none, is refused and not changed."""
    await crawl_of(tmp_path, 1)
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state:
        state.execute(f"PRAGMA user_version = {version}")
    before = (tmp_path / "state.sqlite").read_bytes()
    for opening in (Store.create, Store.open):
        with pytest.raises(StoreMismatch, match=rf"schema version {version},.*another directory"):
            opening(tmp_path, IDENTITY)
    with pytest.raises(StoreMismatch, match=f"schema version {version},"):
        Store.read(tmp_path)
    assert (tmp_path / "state.sqlite").read_bytes() == before
    assert StoreMismatch.exit_code == 2
