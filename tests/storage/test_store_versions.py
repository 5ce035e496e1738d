"""State files of older versions are brought up to date, whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.analysing import no_processes
from support.crawling import (
    AS_USERS_READ,
    FEWER,
    crawl,
    demo_web,
    finished,
    job_data,
    left_out,
    loopback_job,
    program,
)
from support.documents import dedup, text, write
from support.output import all_lines, lines
from support.shelf import shelf, written
from support.store_material import (
    IDENTITY,
    check_consistent,
    crawl_of,
    new_url,
    outside_connection,
    page,
)
from support.store_versions import make_version_1, make_version_2, make_version_9, make_version_13

from crawler.cli import main
from crawler.errors import StoreError, StoreMismatch
from crawler.storage import tables
from crawler.storage.store import Store
from crawler.storage.view import AlikeAs, StoreView, largest_clusters


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


OLDER = pytest.mark.parametrize(
    "make_older", [make_version_1, make_version_2, make_version_9, make_version_13]
)
"""For tests of every version at which much was added, or something went: of those that a migration
begins at."""
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


@OLDER
async def test_reading_an_older_state_changes_nothing(tmp_path: Path, make_older: Aging) -> None:
    """A report takes an older file as it is; nothing that was dropped is kept in it."""
    await crawl_of(tmp_path, 3)
    make_older(tmp_path)
    before = (tmp_path / "state.sqlite").read_bytes()
    with Store.read(tmp_path) as view:
        check_consistent(view)
        assert largest_clusters(view, 9, AlikeAs.SIBLING) == []
        assert view.dropped(1) is None
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
    """A real crawl that stopped under the oldest version goes on, and no page is lost by it.

    It is brought up to date by all migrations, one after the other.
    Every page ends as its truth says, but that near copies of pages which the older program stored
    are stored too, as siblings: nothing is known of those pages but their URLs. What copies such a
    sibling exactly is its copy. Nor is it known what they have in common with other pages of their
    hosts, so one that has a line more may be stored there.
    """
    with demo_web(articles=4) as (web, _):
        assert crawl(job_data(web, tmp_path, FEWER, AS_USERS_READ, {"limits": {"pages": 30}})) == 0
        make_version_1(tmp_path)
        old = {page["id"] for page in lines(tmp_path, "pages")}
        assert finished(program("report", tmp_path))[0] == 0
        code, _, err = finished(program("resume", tmp_path, "--pages", "10000"))
        compared = web.truth.compare(*all_lines(tmp_path))
    assert code == 0, err
    pages = {page["url"]: page for page in lines(tmp_path, "pages")}
    copies = {d["url"]: d["duplicate_of"] for d in lines(tmp_path, "duplicates")}
    for wrong in compared.wrong:
        page = pages.get(wrong.url) or pages[copies[wrong.url]["url"]]
        assert (wrong.expected, wrong.url in pages) == ("near copy", wrong.got == "stored page")
        assert page["verdict"] == "sibling"
        if page["evidence"] == "other-surroundings":
            assert page["host"] in {pages[url]["host"] for url in pages if pages[url]["id"] in old}
        else:
            assert page["evidence"] == "unknown"
            assert page["sibling_of"]["id"] in old
    near = [line for line in lines(tmp_path, "duplicates") if line["verdict"] == "near"]
    assert any(line["duplicate_of"]["id"] not in old for line in near)
    assert all(left_out(missed.url, FEWER) for missed in compared.missed)


def test_what_is_like_a_page_of_an_older_program_is_stored(tmp_path: Path) -> None:
    """It is a sibling, as unknown, whatever its address: nobody knows what that page shows.

    Pages that are stored after the migration are told from their copies as ever, and what those
    dropped copies show is kept.
    """
    views = "<div>1,234 views</div>"
    pages = {
        "/one": written("One", 1),
        "/one?ref=x": written("One", 1, below=views),
        "/one?ref=y": written("One", 1, below=f"{views}{views}"),
        "/fr/one": written("Un", 1, below=f"<div>Un</div>{views}"),
        "/two": written("Two", 2),
        "/two?ref=x": written("Two", 2, below=views),
    }
    with shelf(pages) as host, no_processes():
        job = loopback_job(
            tmp_path, [host + path for path in pages], fetch={"workers": 1}, limits={"pages": 1}
        )
        assert crawl(job) == 0
        make_version_2(tmp_path)
        assert main(["resume", str(tmp_path), "--pages", "99"]) == 0
    told = {}
    for name in ("pages", "duplicates"):
        for line in lines(tmp_path, name):
            like = line.get("sibling_of") or line.get("duplicate_of") or {"url": ""}
            paths = (url.removeprefix(host) for url in (line["url"], like["url"]))
            told[tuple(paths)] = line["verdict"], line.get("evidence")
    assert told == {
        ("/one", ""): ("new", None),
        ("/one?ref=x", "/one"): ("sibling", "unknown"),
        ("/one?ref=y", "/one?ref=x"): ("near", "same-text"),
        ("/fr/one", "/one"): ("sibling", "unknown"),
        ("/two", ""): ("new", None),
        ("/two?ref=x", "/two"): ("near", "same-text"),
    }
    with StoreView.read(tmp_path) as view:
        ids = dict(view.database.rows("SELECT url, id FROM urls"))
        kept = view.dropped(ids[f"{host}/one?ref=y"])
    assert kept is not None
    assert kept.line["title"] == "One"


def test_a_corpus_is_judged_against_an_older_crawl(tmp_path: Path) -> None:
    """What is like a page of it is a sibling without evidence, and the older state stays."""
    first, second = (
        write(tmp_path / f"{n}.jsonl", [{"text": words, "title": "A"}])
        for n, words in enumerate((text(1), f"{text(1)} end"))
    )
    old, new = tmp_path / "old", tmp_path / "new"
    assert dedup(first, "--siblings", "tag", "--output", old) == 0
    make_version_2(old)
    before = (old / "state.sqlite").read_bytes()
    assert dedup(second, "--siblings", "tag", "--against", old, "--output", new) == 0
    [page] = lines(new, "pages")
    assert (page["verdict"], page["evidence"]) == ("sibling", "unknown")
    assert (old / "state.sqlite").read_bytes() == before
