"""How many URLs have ended is kept beside the tables, and is what the tables say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.store_material import IDENTITY, duplicate, new_url, page, url_of

from crawler.models import Dropped, PageOutcome, UrlState
from crawler.storage.requeue import Wanted, put_back
from crawler.storage.restoring import restoring
from crawler.storage.store import Store
from crawler.storage.view import StoreView


def counted(directory: Path) -> tuple[int, Counter[UrlState], bool]:
    """Return the counts of a closed store, and whether they are those of its tables."""
    with StoreView.read(directory) as view:
        kept, table = view.kept_counts(), view.counted()
        rows = view.database.rows("SELECT state, detail, count(*) FROM urls GROUP BY 1, 2")
    assert kept.outcomes == {(UrlState(state), detail): n for state, detail, n in rows}
    return kept.last, kept.by_state, kept == table


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(st.lists(st.booleans(), max_size=4), max_size=4))
async def test_counts_are_kept_over_runs(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[bool]]
) -> None:
    """However many groups and runs there are, each end is counted once."""
    directory, number, documents = tmp_path_factory.mktemp("out"), 0, 0
    async with Store.create(directory, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in range(1, 20)])
    for run in runs:
        async with Store.open(directory, IDENTITY) as store:
            for stored in run:
                number += 1
                is_page = stored or not documents
                documents += is_page
                store.submit(
                    page(documents, number) if is_page else duplicate(number, of=documents)
                )
                await store.flush()
        last, by_state, same = counted(directory)
        assert same
        assert (last, by_state.total()) == (number, number)


async def crawl_with_ends(directory: Path) -> None:
    """Leave a crawl with a stored page, a failure, and a duplicate that was dropped and is kept."""
    async with Store.create(directory, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3)])
        line = {"url": url_of(1), "failure": "dns"}
        store.submit(PageOutcome(1, UrlState.FAILED, (("failures", line),), "dns"))
        store.submit(page(1, 2))
        store.submit(replace(duplicate(3, of=1), dropped=Dropped({"text": "words"}, b"")))


def put_failure_back(directory: Path) -> None:
    """Make the failed URL pending again."""
    assert put_back(directory, Wanted(frozenset({(UrlState.FAILED, "dns")})))


def store_after_all(directory: Path) -> None:
    """Store the dropped page: its line stays, and it gets another one."""
    with restoring(directory, IDENTITY) as crawl:
        crawl.commit([replace(page(2, 3), end="restored")])


@pytest.mark.parametrize(
    ("changes", "states"),
    [
        ([put_failure_back], {UrlState.STORED: 1, UrlState.DUPLICATE: 1}),
        ([store_after_all], {UrlState.STORED: 2, UrlState.FAILED: 1}),
        ([store_after_all, put_failure_back], {UrlState.STORED: 2}),
    ],
)
async def test_who_else_changes_ends_has_them_counted_anew(
    tmp_path: Path, changes: list[Callable[[Path], None]], states: dict[UrlState, int]
) -> None:
    """After `retry` and `restore`, also of as many URLs each, nothing kept before is believed."""
    await crawl_with_ends(tmp_path)
    for change in changes:
        change(tmp_path)
    _, by_state, _ = counted(tmp_path)
    assert by_state == states


async def test_counts_are_read_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How the URLs of a store that was left as it is have ended is told without a look at them."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))

    def unwanted(_: StoreView) -> None:
        raise AssertionError

    with StoreView.read(tmp_path) as view:
        monkeypatch.setattr(StoreView, "counted", unwanted)
        assert view.kept_counts().by_state == {UrlState.STORED: 1}
        assert view.accounting().outcomes == {(UrlState.STORED, "new"): 1}
