"""When pages are filled, and when not any more."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support.store_material import IDENTITY, NEVER, crawl_of, new_url, page
from support.store_versions import make_version_12

from crawler.models import KeptFilling
from crawler.sources.web.fillings import CREDIT, MOST_WRONG, Fillings
from crawler.storage.store import Store

PART = "site.test", "app"


@dataclass
class Site:
    """Pages of one part, and what a crawl does with them."""

    fillings: Fillings
    shows: str = "<p>{}</p>"

    async def ask(self, name: object, *, audited: bool = False) -> str:
        """Carry a page; return how it was made."""
        state = json.dumps({"name": name}).encode()
        rendered = f"<!doctype html><html><head></head><body>{self.shows}</body></html>"
        html = rendered.format(name)
        filled = None if audited else await self.fillings.fill(*PART, state)
        if filled is not None:
            return "filled" if filled == html else "wrong"

        async def same(other: bytes) -> bool:
            return other.decode() == html

        await self.fillings.taught(*PART, state, html, same)
        return "rendered"

    async def ways(self, *names: object) -> list[str]:
        """Carry pages; return how each was made."""
        return [await self.ask(name) for name in names]


FIRST = ("red", "blue", "grey", "gold", "jade")
"""Names of pages that teach, and that prove what they have taught."""


async def test_two_pages_teach_and_three_prove() -> None:
    """Only then are pages filled; until then the next ones are on trial."""
    site = Site(Fillings(()))
    assert site.fillings.is_on_trial(*PART)
    assert await site.ways(*FIRST, "pink") == [*["rendered"] * 5, "filled"]
    assert not site.fillings.is_on_trial(*PART)


async def test_a_page_of_another_kind_is_rendered_and_learned_of() -> None:
    """Without harm to those of the first kind."""
    site = Site(Fillings(()))
    await site.ways(*FIRST)
    assert await site.ways(None, "pink", 5) == ["rendered", "filled", "rendered"]


async def test_what_does_not_prove_as_much_takes_no_filling_away() -> None:
    """Where a page of another kind shows more, those like the first ones are filled still."""
    site = Site(Fillings(()))
    await site.ways(*FIRST)
    usual, site.shows = site.shows, "<p>{}</p><i>now</i>"
    assert await site.ask(3.5) == "rendered"
    site.shows = usual
    assert await site.ways("pink", "teal") == ["filled", "filled"]


async def test_a_contradiction_revokes_a_filling_and_a_second_one_all_for_ever() -> None:
    """An audit shows it; the new filling has to be proven again."""
    site = Site(Fillings(()))
    await site.ways(*FIRST)
    for number in range(MOST_WRONG):
        assert await site.ask(f"a{number}") == "filled"
        site.shows += f"<b>new {number}</b>"
        assert await site.ask(f"b{number}", audited=True) == "rendered"
        later = await site.ways(*(f"c{number}{n}" for n in range(6)))
        assert later[:2] == ["rendered"] * 2
        assert "wrong" not in later
    assert later == ["rendered"] * 6
    assert not site.fillings.is_on_trial(*PART)


async def test_what_is_never_explained_is_given_up() -> None:
    """After some pages that taught nothing no more is tried, and nothing is kept of them."""
    site = Site(Fillings(()))
    for number in range(CREDIT):
        assert site.fillings.is_on_trial(*PART)
        site.shows = f"<p>from a server {chr(0x4E00 + number)}</p>"
        assert await site.ask(number) == "rendered"
    assert not site.fillings.is_on_trial(*PART)
    (kept,) = site.fillings.take_changes()
    assert await site.ask(99) == "rendered"
    assert site.fillings.take_changes() == ()
    assert len(kept.packed) < 100


async def test_pages_that_are_never_whole_are_not_waited_for() -> None:
    """Those that never settle, or that something covers, end the trial as well."""
    fillings = Fillings(())

    async def never(other: bytes) -> bool:
        raise AssertionError(other)

    for _ in range(CREDIT):
        assert fillings.is_on_trial(*PART)
        await fillings.taught(*PART, b"{}", None, never)
    assert not fillings.is_on_trial(*PART)


async def test_what_was_learned_is_kept_and_gone_on_with(tmp_path: Path) -> None:
    """A later run fills at once, and goes on learning from the pages of the run before."""
    site = Site(Fillings(()))
    await site.ways(*FIRST)
    kept = site.fillings.take_changes()
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1), new_url(2)])
        store.submit(replace(page(1, 1), fillings=(KeptFilling(*PART, b"older"),)))
        store.submit(replace(page(2, 2), fillings=kept))
        await store.flush()
        later = Site(Fillings(store.fillings()))
    assert await later.ways("pink", 5, 6, 7) == ["filled", "rendered", "rendered", "filled"]
    later.shows = "<p>{0}</p><i>{0}</i>"
    assert await later.ask("teal", audited=True) == "rendered"
    assert later.fillings.is_on_trial(*PART)


async def test_an_older_state_has_no_fillings(tmp_path: Path) -> None:
    """It is read as it is."""
    await crawl_of(tmp_path, 1)
    make_version_12(tmp_path)
    with Store.read(tmp_path) as view:
        assert list(view.fillings()) == []


@pytest.mark.parametrize("html", ["<p>" * 500 + "deep", "x" * 2_000_000])
async def test_a_page_that_is_too_large_or_deep_teaches_nothing(html: str) -> None:
    """It is left, and the next ones are learned from."""
    site = Site(Fillings(()))
    usual, site.shows = site.shows, html.replace("<p>", "<div>")
    await site.ask("huge")
    site.shows = usual
    assert await site.ways(*FIRST, "pink") == [*["rendered"] * 5, "filled"]


async def test_what_another_version_kept_is_learned_anew() -> None:
    """Before, parts were a list of four, without a form."""
    older = zlib.compress(json.dumps([12, 3, 0, [{"examples": [], "right": 1}]]).encode())
    fillings = Fillings([KeptFilling(*PART, older)])
    assert fillings.is_on_trial(*PART)
    assert await fillings.fill(*PART, b"{}") is None
