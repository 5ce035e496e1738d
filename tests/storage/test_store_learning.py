"""What was learned of templates is kept with the pages that taught it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support.store_material import IDENTITY, NEVER, new_url, page

from crawler.errors import StoreError
from crawler.models import Learned, PageOutcome
from crawler.storage.backup import back_up
from crawler.storage.store import Store
from crawler.storage.summary import read_summary
from crawler.storage.view import StoreView, all_learned, template, templates

FIRST = Learned("a.test", b"state 1", 1, b"template 1")
SECOND = Learned("a.test", b"state 2", 2, b"template 2", revoked=1)
GIVEN_UP = Learned("a.test", b"state 3", None, None, revoked=2)
OTHER = Learned("b.test", b"state", None)


async def test_what_waits_to_be_written_is_seen(tmp_path: Path) -> None:
    """The latest word on a host is what is read back, before its commit and after it."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1)])
        assert store.learned("a.test") is None
        store.submit(replace(page(1, 1), learned=FIRST))
        assert store.learned("a.test") == FIRST
        store.keep_learned(SECOND)
        assert store.learned("a.test") == SECOND
        await store.flush()
        assert store.learned("a.test") == SECOND
        store.keep_learned(GIVEN_UP)
        assert store.learned("a.test") == GIVEN_UP
    with StoreView.read(tmp_path) as view:
        assert view.learned("a.test") == GIVEN_UP


async def test_every_version_is_kept(tmp_path: Path) -> None:
    """Also those of one commit, and those that were revoked: pages name them."""
    crawl, copy = tmp_path / "crawl", tmp_path / "copy"
    async with Store.create(crawl, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1), new_url(2)])
        store.submit(replace(page(1, 1), learned=FIRST))
        store.submit(replace(page(2, 2), learned=SECOND))
        store.keep_learned(OTHER)
        await store.flush()
        store.keep_learned(GIVEN_UP)
        assert store.latest_version("a.test") == 2
        assert store.latest_version("b.test") == store.latest_version("c.test") == 0
    back_up(crawl, copy)
    for directory in (crawl, copy):
        with StoreView.read(directory) as view:
            assert list(templates(view)) == [
                ("a.test", 1, b"template 1"),
                ("a.test", 2, b"template 2"),
            ]
            assert list(templates(view, "b.test")) == []
            assert template(view, "a.test", 1) == b"template 1"
            assert template(view, "a.test", 3) is None
            assert list(all_learned(view)) == [GIVEN_UP, OTHER]
            [revoked] = read_summary(view)["templates"]["revoked_of"]
            assert (revoked["host"], revoked["times"]) == ("a.test", 2)


async def test_a_version_is_there_if_a_page_that_names_it_is(tmp_path: Path) -> None:
    """The page that made a version and the version are in one transaction: both, or neither."""
    with pytest.raises(StoreError, match="no such table: templates"):
        await store_without_templates(tmp_path, replace(page(1, 1), learned=FIRST))
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state:
        for table in ("documents", "learners"):
            assert state.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


async def store_without_templates(directory: Path, batch: PageOutcome) -> None:
    """Store a page where no template can be."""
    async with Store.create(directory, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1)])
        await store.flush()
        with closing(sqlite3.connect(directory / "state.sqlite")) as state:
            state.execute("DROP TABLE templates")
        store.submit(batch)
