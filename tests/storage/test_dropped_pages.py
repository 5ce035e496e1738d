"""What is dropped in the store: kept by its URL; and pages found by their address."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.store_material import (
    IDENTITY,
    NEVER,
    check_consistent,
    document,
    duplicate,
    new_url,
    outside_connection,
    page,
)

from crawler.dedup.copies import Appearance
from crawler.dedup.copies import pack as pack_appearance
from crawler.errors import StoreError
from crawler.models import AddressedPage, Dropped
from crawler.storage import dropped
from crawler.storage.dropped import Kept
from crawler.storage.store import Store

SOUND = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | SOUND | st.lists(SOUND)
LIKE = pack_appearance(Appearance("A page", text=("its first line", "its second line")))
WORDS = [f"word{n}" for n in range(5000)]


@given(st.dictionaries(SOUND, VALUES), st.sampled_from([b"", LIKE]))
def test_what_is_packed_is_unpacked(line: dict[str, Any], like: bytes) -> None:
    """Any line comes back as it was, with or without an appearance to differ from."""
    packed = dropped.pack(Dropped(line, like))
    assert packed is not None
    assert dropped.unpack(packed, like).line == line


def test_what_both_have_in_common_costs_next_to_nothing() -> None:
    """A page of 20 kB that differs from what it is like in a word takes a fiftieth of that."""
    words = random.Random(1).choices(WORDS, k=2500)
    like = pack_appearance(Appearance("A page", text=(" ".join(words),)))
    words[700] = "another"
    line = {"title": "A page", "text": " ".join(words)}
    alone, packed = dropped.pack(Dropped(line, b"")), dropped.pack(Dropped(line, like))
    assert alone is not None
    assert packed is not None
    assert len(packed) < 400 < 5_000 < len(alone)


@given(st.text(st.characters()), st.text(st.characters()))
def test_lone_surrogates_become_replacement_characters(text: str, title: str) -> None:
    """As in the line files, which are UTF-8 as well."""
    packed = dropped.pack(Dropped({"text": text, "title": title, "depth": 1}, LIKE))
    assert packed is not None
    found = dropped.unpack(packed, LIKE).line
    for name, value in (("text", text), ("title", title)):
        told = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert found[name] == told
    assert found["depth"] == 1


async def test_the_store_keeps_what_was_dropped(tmp_path: Path) -> None:
    """By its URL, from the appearance of the page that it is like; None for any other URL."""
    line = {"url": "https://a.example/2", "text": "its first line"}
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3, 4, 5)])
        seen = replace(document(1, 1), appearance=LIKE)
        store.submit(replace(page(1, 1), document=seen))
        store.submit(replace(duplicate(2, of=1), dropped=Dropped(line, LIKE)))
        store.submit(replace(duplicate(3, of=1), dropped=Dropped(line, LIKE)))
        store.submit(duplicate(4, of=1))
        large = {"text": "x" * dropped.MAX_BYTES}
        store.submit(replace(duplicate(5, of=1), dropped=Dropped(large, LIKE)))
    with Store.read(tmp_path) as view:
        check_consistent(view)
        kept = Kept(line, None)
        assert [view.dropped(n) for n in range(1, 7)] == [None, kept, kept, None, None, None]


async def test_what_is_like_a_page_without_an_appearance_is_kept_whole(tmp_path: Path) -> None:
    """As of plain text; damaged bytes are told as a damaged store."""
    line = {"text": "its first line"}
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1), new_url(2)])
        store.submit(page(1, 1))
        store.submit(replace(duplicate(2, of=1), dropped=Dropped(line, b"")))
        await store.flush()
        with Store.read(tmp_path) as view:
            assert view.dropped(2) == Kept(line, None)
    with Store.read(tmp_path) as view:
        await _damaged(tmp_path)
        with pytest.raises(StoreError):
            view.dropped(2)


async def _damaged(directory: Path) -> None:
    with closing(outside_connection(directory)) as state:
        state.rows("UPDATE dropped SET line = x'00'")


async def test_pages_of_an_address_are_found_before_and_after_their_commit(tmp_path: Path) -> None:
    """Each once, the oldest first, at most as many as are asked for; with their appearances."""

    def at(number: int, address: int | None, seen: bytes | None) -> Any:
        stored = replace(document(number, number), address=address, appearance=seen)
        return replace(page(number, number), document=stored)

    def found(*numbers: int) -> list[AddressedPage]:
        texts = [document(n, n).signature for n in numbers]
        pairs = zip(numbers, texts, strict=True)
        return [AddressedPage(n, text.fingerprint, "word3") for n, text in pairs]

    async with Store.create(tmp_path, IDENTITY, limits=NEVER) as store:
        store.submit_urls([new_url(n) for n in range(1, 6)])
        store.submit(at(1, 7, LIKE))
        store.submit(at(2, None, None))
        store.submit(at(3, 7, None))
        assert store.catalog.by_address(7, 9) == found(1, 3)
        await store.flush()
        assert store.catalog.by_address(7, 9) == found(1, 3)
        store.submit(at(4, 7, LIKE))
        store.submit(at(5, 2**63 - 1, LIKE))
        assert store.catalog.by_address(7, 9) == found(1, 3, 4)
        assert store.catalog.by_address(7, 2) == found(1, 3)
        assert store.catalog.by_address(2**63 - 1, 1) == found(5)
        assert store.catalog.by_address(8, 9) == []
        shown = [store.catalog.appearance(n) for n in range(1, 6)]
        assert shown == [LIKE, None, None, LIKE, LIKE]
    with Store.read(tmp_path) as view:
        assert view.database.rows("SELECT id, address FROM documents ORDER BY id") == [
            (1, 7), (2, None), (3, 7), (4, 7), (5, 2**63 - 1),
        ]  # fmt: skip
