"""State files of older versions are brought up to date, whole or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.crawling import QUICK, crawl, demo_web, finished, job_data, program
from support.output import all_lines
from support.store_material import (
    IDENTITY,
    check_consistent,
    crawl_of,
    new_url,
    outside_connection,
    page,
)
from support.store_versions import make_version_1

from crawler.errors import StoreError, StoreMismatch
from crawler.storage import Store, tables


def schema_of(directory: Path) -> tuple[int, list[tuple[Any, ...]]]:
    """Return the version of a state file, and the columns of all its tables."""
    with closing(outside_connection(directory)) as state:
        columns = state.rows(
            'SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_master '
            "AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid"
        )
        return state.pragma("user_version"), columns


async def test_an_older_state_becomes_what_a_new_one_is(tmp_path: Path) -> None:
    """Opened for writing, a file of version 1 has the tables of a new file and all its rows."""
    old, new = tmp_path / "old", tmp_path / "new"
    await crawl_of(old, 4)
    await crawl_of(new, 4)
    make_version_1(old)
    async with Store.open(old, IDENTITY) as store:
        store.submit_urls([new_url(5)])
        store.submit(page(5, 5))
    async with Store.open(new, IDENTITY) as store:
        store.submit_urls([new_url(5)])
        store.submit(page(5, 5))
    assert schema_of(old) == schema_of(new)
    assert schema_of(old)[0] == tables.SCHEMA_VERSION
    with Store.read(old) as one, Store.read(new) as other:
        check_consistent(one)
        assert list(one.index_rows()) == list(other.index_rows())
        assert list(one.seen_urls()) == list(other.seen_urls())
        assert one.accounting() == other.accounting()


async def test_ends_are_numbered_on_after_a_migration(tmp_path: Path) -> None:
    """The order of ends is kept from the migration on; of older ends it is not known."""
    await crawl_of(tmp_path, 2)
    make_version_1(tmp_path)
    for url_id in (3, 4):
        async with Store.open(tmp_path, IDENTITY) as store:
            store.submit_urls([new_url(url_id)])
            store.submit(page(url_id, url_id))
    with Store.read(tmp_path) as view:
        ended = view.database.rows("SELECT id, ended FROM urls ORDER BY id")
    assert ended == [(1, None), (2, None), (3, 1), (4, 2)]


async def test_reading_an_older_state_changes_nothing(tmp_path: Path) -> None:
    """A report takes a file of version 1 as it is."""
    await crawl_of(tmp_path, 3)
    make_version_1(tmp_path)
    before = (tmp_path / "state.sqlite").read_bytes()
    with Store.read(tmp_path) as view:
        check_consistent(view)
    assert (tmp_path / "state.sqlite").read_bytes() == before


async def test_a_migration_that_fails_leaves_the_old_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a step fails nothing of the steps before it is kept, and the next try succeeds."""
    await crawl_of(tmp_path, 2)
    make_version_1(tmp_path)
    before = schema_of(tmp_path)
    with monkeypatch.context() as patched:
        statements = (*tables.MIGRATIONS[1], "ALTER TABLE nowhere ADD COLUMN a")
        patched.setattr(tables, "MIGRATIONS", {1: statements})
        with pytest.raises(StoreError, match="nowhere"):
            Store.open(tmp_path, IDENTITY)
    assert schema_of(tmp_path) == before
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)


def test_every_version_has_a_way_to_the_next() -> None:
    """No version that can be read is without its migration."""
    versions = range(tables.READABLE_SINCE, tables.SCHEMA_VERSION)
    assert sorted(tables.MIGRATIONS) == list(versions)


@pytest.mark.parametrize("version", [0, tables.SCHEMA_VERSION + 1])
async def test_unknown_versions_are_refused_and_kept(tmp_path: Path, version: int) -> None:
    """A state of a later program, or of none, is refused by every opening and not changed."""
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


def test_a_crawl_of_an_older_program_is_resumed_to_its_end(tmp_path: Path) -> None:
    """A real crawl that stopped under version 1 goes on, and every page ends as its truth says."""
    with demo_web(articles=10) as (web, _):
        assert crawl(job_data(web, tmp_path, QUICK, {"limits": {"pages": 30}})) == 0
        make_version_1(tmp_path)
        assert finished(program("report", tmp_path))[0] == 0
        code, _, err = finished(program("resume", tmp_path, "--pages", "10000"))
        compared = web.truth.compare(*all_lines(tmp_path))
    assert code == 0, err
    assert compared.wrong == ()
    assert all("//slow." in missed.url for missed in compared.missed)
